"""What closes loops and otherwise constrains: `eta(q) = 0`, `Psi = d eta / dq`, and Pfaffian rows `phi(t) + Psi(q) q' = 0`.

Both kinds lead to the same equations:

    M q'' + C q' + G + F = tau + Psi^T lambda,    Psi q'' + Psi' q' + phi' = 0.

A loop's equations are written along the world's axes where they can be, along the axes of the frame on its body `a` where
only some directions are held and these turn. The sign is `a - b`, so that lambda is the force on body a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.link import Pose
from lagrangian.equations.ring import Element
from lagrangian.equations.system import System
from lagrangian.model import vector as v
from lagrangian.model.constraint import Holonomic, KnifeEdge, Pfaffian
from lagrangian.model.derivative import derivative
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import Frame, LoopJoint
from lagrangian.model.placement import Placement, turn_z_to


@dataclass(frozen=True)
class Row:
    """One constraint equation: `eta` if it is holonomic, its row of Psi, and `phi(t)` if it moves by itself."""

    name: str
    eta: Element | None
    psi: tuple[Element, ...]
    phi: Scalar = 0

    def psi_dot(self, system: System) -> tuple[Element, ...]:
        """d Psi / dt: through the coordinates, and through time where a coefficient depends on it."""
        ring, n = system.ring, system.n
        rates = [*(system.speed(k) for k in range(n)), 1]
        return tuple(ring(sum((ring.derivative(x, k) * rates[k] for k in range(n + 1)), ring.zero)) for x in self.psi)

    @property
    def phi_dot(self) -> Scalar:
        return derivative(self.phi, "t")


def rows(system: System) -> list[Row]:
    """All constraint equations: those of the loops, then the Pfaffian ones."""
    ring, n = system.ring, system.n
    found = []
    for loop in system.mechanism.loops:
        for label, eta in _closure(system, loop):
            eta = ring(eta)
            found.append(Row(f"{loop.name}.{label}", eta, tuple(ring.derivative(eta, k) for k in range(n))))
    for constraint in system.mechanism.constraints:
        match constraint:
            case Pfaffian():
                psi: list[Any] = [ring.zero] * n
                for speed, coefficient in constraint.coefficients:
                    k = system.coordinates.index(speed)
                    psi[k] = psi[k] + ring(system.scalars.of(coefficient))
                found.append(Row(constraint.name, None, tuple(psi), constraint.phi))
            case Holonomic():
                eta = ring(system.scalars.of(constraint.equation))
                slopes = tuple(ring.derivative(eta, k) for k in range(n))
                found.append(Row(constraint.name, eta, slopes, derivative(constraint.equation, "t")))
            case KnifeEdge():
                found.append(Row(constraint.name, None, _knife_edge(system, constraint)))
    return found


def _knife_edge(system: System, edge: KnifeEdge) -> tuple[Element, ...]:
    """The velocity of the point along the body's own direction."""
    at = Frame(edge.name, edge.body, Placement(position=edge.point))
    _, pose = frame_pose(system, at)
    direction = v.mat_vec(pose.R, system.vector(edge.direction))
    J = jacobian(system, at)
    return tuple(system.ring(v.dot(direction, (J[3][k], J[4][k], J[5][k]))) for k in range(system.n))


def _closure(system: System, loop: LoopJoint) -> list[tuple[str, Any]]:
    """The equations of one loop joint, with a label each."""
    _, A = frame_pose(system, Frame(loop.name, loop.a, loop.placement_a))
    _, B = frame_pose(system, Frame(loop.name, loop.b, loop.placement_b))
    gap = v.sub(A.p, B.p)
    if loop.type == "distance":
        # (d.d - l^2) / 2l is d - l to first order, and a polynomial: its multiplier is the force along the line
        length, half_inverse = system.scalars.of(loop.length), system.scalars.of(1 / (2 * loop.length))
        return [("length", (v.dot(gap, gap) - length * length) * half_inverse)]
    if loop.type in ("point", "ball"):
        return _point(system, A, gap, loop.directions if loop.type == "point" else ("x", "y", "z"))
    # columns: two directions across the axis, and the axis, on either body
    T = system.rotations.of(turn_z_to(loop.axis), f"loop {loop.name!r}")
    xa, ya, za = v.transpose(v.mat_mat(A.R, T))
    xb, _, zb = v.transpose(v.mat_mat(B.R, T))
    together = [(label, gap[k]) for k, label in enumerate("xyz")]
    across = [("x", v.dot(xa, gap)), ("y", v.dot(ya, gap))]
    parallel = [("xz", v.dot(xa, zb)), ("yz", v.dot(ya, zb))]
    match loop.type:
        case "universal":
            b2 = v.mat_vec(B.R, system.vector(loop.axis2))
            return [*together, ("axes", v.dot(za, b2))]
        case "revolute":
            return [*together, *parallel]
        case "cylindrical":
            return [*across, *parallel]
        case "prismatic":
            return [*across, *parallel, ("xy", v.dot(ya, xb))]
        case "planar":
            return [("z", v.dot(za, gap)), *parallel]
    return [*together, *parallel, ("xy", v.dot(ya, xb))]


def _point(system: System, A: Pose, gap: v.Vector, directions: tuple[str, ...]) -> list[tuple[str, Any]]:
    """The origins kept together along some directions of frame a: in the world's axes if these hold the same ones."""
    ring = system.ring
    free = [k for k in range(3) if "xyz"[k] not in directions]
    kept = [k for k in range(3) if k not in free]
    axes: list[Any] = [tuple(ring(A.R[row][k]) for row in range(3)) for k in range(3)]  # of frame a, in the world
    # directions held: all, or those across axes that stay along one of the world's
    along = {k: row for k in range(3) for row in range(3) if all(not x for r, x in enumerate(axes[k]) if r != row)}
    if all(k in along for k in free):
        taken = {along[k] for k in free}
        return [("xyz"[row], gap[row]) for row in range(3) if row not in taken]
    if all(k in along for k in kept):
        return [("xyz"[along[k]], gap[along[k]]) for k in kept]
    return [("xyz"[k], v.dot(axes[k], gap)) for k in kept]
