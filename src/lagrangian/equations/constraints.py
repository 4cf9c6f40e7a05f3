"""What closes loops and otherwise constrains: `eta(q) = 0`, `Psi = d eta / dq`, and Pfaffian rows `phi(t) + Psi(q) q' = 0`.

Both kinds lead to the same equations:

    M q'' + C q' + G + F = tau + Psi^T lambda,    Psi q'' + Psi' q' + phi' = 0.

The equations of loops are those of their types (`model.loops`), written over polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.reading.system import System
from lagrangian.equations.rolling import Contact
from lagrangian.model import vector as v
from lagrangian.model.constraint import Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.expression import Scalar
from lagrangian.model.expression.derivative import derivative
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
        a, b = (ExactFrame(system, loop, *end) for end in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
        for label, eta in loop.closure(a, b):
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
            case Rolling():
                contact = Contact(system, constraint)
                slopes = tuple(ring.derivative(contact.eta, k) for k in range(n))
                found.append(Row(f"{constraint.name}.contact", contact.eta, slopes))
                found += [Row(f"{constraint.name}.{axis}", None, psi) for axis, psi in zip("xy", contact.slip(), strict=True)]
    return found


def _knife_edge(system: System, edge: KnifeEdge) -> tuple[Element, ...]:
    """The velocity of the point along the body's own direction."""
    at = Frame(edge.name, edge.body, Placement(position=edge.point))
    _, pose = frame_pose(system, at)
    direction = v.mat_vec(pose.R, system.vector(edge.direction))
    J = jacobian(system, at)
    return tuple(system.ring(v.dot(direction, (J[3][k], J[4][k], J[5][k]))) for k in range(system.n))


class ExactFrame:
    """A frame on a body, of polynomials: what the equations of loops are written over."""

    def __init__(self, system: System, loop: LoopJoint, body: str, placement: Placement) -> None:
        self.system, self.where = system, f"loop {loop.name!r}"
        _, self.pose = frame_pose(system, Frame(loop.name, body, placement))

    @property
    def origin(self) -> v.Vector:
        return self.pose.p

    def direction(self, axis: v.Vector) -> v.Vector:
        return v.mat_vec(self.pose.R, self.system.vector(axis))

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        T = self.system.rotations.of(turn_z_to(axis), self.where)
        return v.transpose(v.mat_mat(self.pose.R, T))

    def number(self, scalar: Scalar) -> Any:
        return self.system.scalars.of(scalar)

    def vanishes(self, x: Any) -> bool:
        return not self.system.ring(x)
