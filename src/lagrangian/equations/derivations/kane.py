"""Kane's equations: along every partial velocity, the active and the inertia forces add up to nothing, F_r + F*_r = 0.

Kane and Levinson, Dynamics: Theory and Applications, 1985, chapters 2 to 6. Velocities are propagated outward; partial velocities
are their derivatives with respect to the rates q'_r, and accelerations their derivatives with respect to time, in the link's own
axes: `dv/dt = v' + w x v`. No recursion of accelerations, and no energy, is used.
"""

from __future__ import annotations

from typing import Any

from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v

Twist = tuple[v.Vector, v.Vector]  # angular velocity, velocity of the origin; or a moment and a force at the origin


def kane(system: System, gravity: bool = True) -> list[Element]:
    """The joints' torques and forces, tau(q, q', q''), with the rotors and without friction and springs; with gravity or not."""
    tau = [link.rotor * system.acceleration(link.k) for link in sorted(system.links, key=lambda link: link.k)]
    gravities = gravity_seen(system) if gravity else [v.ZERO] * len(system.links)
    for i, (link, (w, u)) in enumerate(zip(system.links, velocities(system), strict=True)):
        moment, force = needed(system, link, w, u, gravities[i])
        for r in (system.links[a].k for a in system.path(i)):
            # tau_r is the active force that balances the rest
            w_r, u_r = partial_velocity(system, w, r), partial_velocity(system, u, r)
            tau[r] = tau[r] + (v.dot(w_r, moment) + v.dot(u_r, force))
    return [system.ring(t) for t in tau]


def velocities(system: System) -> list[Twist]:
    """Every link's angular velocity, and velocity of its origin, in its own axes."""
    found: list[Twist] = []
    for link in system.links:
        w, u = found[link.parent] if link.parent >= 0 else (v.ZERO, v.ZERO)
        u = v.add(u, v.cross(w, link.offset))
        axis, slide = link.column
        rate = system.speed(link.k)
        found.append((v.add(link.to_child(w), v.scale(rate, axis)), v.add(link.to_child(u), v.scale(rate, slide))))
    return found


def partial_velocity(system: System, x: v.Vector, r: int) -> v.Vector:
    """The derivative of a velocity with respect to q'_r."""
    name = f"qd{r + 1}"
    return tuple(system.ring.partial(system.ring(e), name) for e in x)  # type: ignore[return-value]


def needed(system: System, link: Link, w: v.Vector, u: v.Vector, g: v.Vector) -> Twist:
    """Minus the inertia forces and gravity: the moment and the force, at the origin, that the link's motion takes."""
    body = link.inertia
    al = time_derivative(system, w)
    a = v.add(time_derivative(system, u), v.cross(w, u))
    a = v.sub(a, g)  # gravity's force is m g at the centre: the same as that of an acceleration -g
    force = v.add(v.scale(body.mass, a), v.add(v.cross(al, body.h), v.cross(w, v.cross(w, body.h))))
    moment = v.add(v.sym_vec(body.I, al), v.add(v.cross(w, v.sym_vec(body.I, w)), v.cross(body.h, a)))
    return moment, force


def time_derivative(system: System, x: v.Vector) -> v.Vector:
    """By the chain rule, component by component: d/dt = sum_k q'_k d/dq_k + q''_k d/dq'_k."""
    return tuple(_rate(system, e) for e in x)


def _rate(system: System, x: Any) -> Any:
    ring, total = system.ring, system.ring.zero
    x = ring(x)
    for k in range(system.n):
        along = ring.derivative(x, k)
        faster = ring.partial(x, f"qd{k + 1}")
        if along.poly:
            total = total + along * system.speed(k)
        if faster.poly:
            total = total + faster * system.acceleration(k)
    return total


def gravity_seen(system: System) -> list[v.Vector]:
    """Gravity in the links' axes."""
    found: list[v.Vector] = []
    for link in system.links:
        found.append(link.to_child(found[link.parent] if link.parent >= 0 else system.gravity))
    return found
