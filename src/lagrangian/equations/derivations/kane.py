"""Kane's equations: along every partial velocity, the active and the inertia forces add up to zero, F_r + F*_r = 0.

Kane and Levinson, Dynamics: Theory and Applications, 1985, chapters 2 to 6. Velocities are propagated outward; partial velocities
are their derivatives with respect to the rates q'_r, and accelerations their derivatives with respect to time, in the link's own
axes: `dv/dt = v' + w x v`. No recursion of accelerations, and no energy, is used.
"""

from __future__ import annotations

from typing import Any

from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations.newton_euler import Wrench
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v

Twist = tuple[v.Vector, v.Vector]  # angular velocity, and velocity of the origin


def kane_torques(system: SymbolicSystem, gravity: bool = True) -> list[RingElement]:
    """The joints' torques and forces, tau(q, q', q''), with the rotors and without friction and springs; with gravity or not."""
    tau = [link.rotor * system.acceleration(link.k) for link in sorted(system.links, key=lambda link: link.k)]
    gravities = gravity_in_links(system) if gravity else [v.ZERO] * len(system.links)
    for i, (link, (w, u)) in enumerate(zip(system.links, link_twists(system), strict=True)):
        force, moment = inertia_wrench(system, link, w, u, gravities[i])
        for r in (system.links[a].k for a in system.path_from_ground(i)):
            # tau_r is the active force that balances the rest
            w_r, u_r = partial_velocity(system, w, r), partial_velocity(system, u, r)
            tau[r] = tau[r] + (v.dot(w_r, moment) + v.dot(u_r, force))
    return [system.ring(t) for t in tau]


def link_twists(system: SymbolicSystem) -> list[Twist]:
    """Every link's angular velocity, and velocity of its origin, in its own axes."""
    twists: list[Twist] = []
    for link in system.links:
        w, u = twists[link.parent] if link.parent >= 0 else (v.ZERO, v.ZERO)
        u = v.add(u, v.cross(w, link.offset))
        axis, slide = link.motion_subspace
        rate = system.speed(link.k)
        twists.append((v.add(link.to_child(w), v.scale(rate, axis)), v.add(link.to_child(u), v.scale(rate, slide))))
    return twists


def partial_velocity(system: SymbolicSystem, x: v.Vector, r: int) -> v.Vector:
    """The derivative of a velocity with respect to q'_r."""
    name = f"qd{r + 1}"
    return tuple(system.ring.partial_derivative(system.ring(e), name) for e in x)  # type: ignore[return-value]


def inertia_wrench(system: SymbolicSystem, link: SymbolicLink, w: v.Vector, u: v.Vector, g: v.Vector) -> Wrench:
    """The force, and the moment about the origin, that the link's motion takes: minus the inertia forces and gravity."""
    body = link.inertia
    al = vector_time_derivative(system, w)
    a = v.add(vector_time_derivative(system, u), v.cross(w, u))
    a = v.sub(a, g)  # gravity's force is m g at the centre: the same as that of an acceleration -g
    force = v.add(v.scale(body.mass, a), v.add(v.cross(al, body.h), v.cross(w, v.cross(w, body.h))))
    moment = v.add(v.sym_vec(body.I, al), v.add(v.cross(w, v.sym_vec(body.I, w)), v.cross(body.h, a)))
    return force, moment


def vector_time_derivative(system: SymbolicSystem, x: v.Vector) -> v.Vector:
    """The time derivative of a vector by the chain rule, component by component: d/dt = sum_k q'_k d/dq_k + q''_k d/dq'_k."""
    return tuple(_time_derivative(system, e) for e in x)


def _time_derivative(system: SymbolicSystem, x: Any) -> Any:
    ring, total = system.ring, system.ring.zero
    x = ring(x)
    for k in range(system.n):
        coordinate_derivative = ring.derivative(x, k)
        speed_derivative = ring.partial_derivative(x, f"qd{k + 1}")
        if coordinate_derivative.poly:
            total = total + coordinate_derivative * system.speed(k)
        if speed_derivative.poly:
            total = total + speed_derivative * system.acceleration(k)
    return total


def gravity_in_links(system: SymbolicSystem) -> list[v.Vector]:
    """Gravity in the links' axes."""
    gravities: list[v.Vector] = []
    for link in system.links:
        gravities.append(link.to_child(gravities[link.parent] if link.parent >= 0 else system.gravity))
    return gravities
