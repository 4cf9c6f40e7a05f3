"""Constraint equations in closed form: loops `eta(q) = 0` with `Psi = d eta / dq`, and Pfaffian rows `phi(t) + Psi(q) q' = 0`.

Both kinds lead to the same equations:

    M q'' + C q' + G + F = tau + Psi^T lambda,    Psi q'' + Psi' q' + phi' = 0.

The equations of loops are those of their types (`model.loops`), written over polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.rolling import RollingContact
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint, KnifeEdgeConstraint, PfaffianConstraint, RollingConstraint
from lagrangian.model.expression import Scalar
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.frame import Frame
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Transform, rotation_z_to


@dataclass(frozen=True)
class ConstraintEquation:
    """One constraint equation: `eta` if it is holonomic, its row of Psi, and `phi(t)` if it moves by itself."""

    name: str
    eta: RingElement | None
    psi: tuple[RingElement, ...]
    phi: Scalar = 0

    def psi_dot(self, system: SymbolicSystem) -> tuple[RingElement, ...]:
        """d Psi / dt: through the coordinates, and through time where a coefficient depends on it."""
        ring, n = system.ring, system.n
        rates = [*(system.speed(k) for k in range(n)), 1]
        return tuple(ring(sum((ring.derivative(x, k) * rates[k] for k in range(n + 1)), ring.zero)) for x in self.psi)

    @property
    def phi_dot(self) -> Scalar:
        return derivative(self.phi, "t")


def constraint_equations(system: SymbolicSystem) -> list[ConstraintEquation]:
    """All constraint equations of a mechanism: those of its loops, then those of its other constraints."""
    ring, n = system.ring, system.n
    equations = []
    for loop in system.mechanism.loops:
        a, b = (ExactFrame(system, loop, *end) for end in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
        for label, eta in loop.constraint_equations(a, b):
            eta = ring(eta)
            equations.append(ConstraintEquation(f"{loop.name}.{label}", eta, tuple(ring.derivative(eta, k) for k in range(n))))
    for constraint in system.mechanism.constraints:
        match constraint:
            case PfaffianConstraint():
                psi: list[Any] = [ring.zero] * n
                for speed, coefficient in constraint.coefficients:
                    k = system.coordinates.index(speed)
                    psi[k] = psi[k] + ring(system.scalars.read(coefficient))
                equations.append(ConstraintEquation(constraint.name, None, tuple(psi), constraint.phi))
            case HolonomicConstraint():
                eta = ring(system.scalars.read(constraint.equation))
                slopes = tuple(ring.derivative(eta, k) for k in range(n))
                equations.append(ConstraintEquation(constraint.name, eta, slopes, derivative(constraint.equation, "t")))
            case KnifeEdgeConstraint():
                equations.append(ConstraintEquation(constraint.name, None, _knife_edge_row(system, constraint)))
            case RollingConstraint():
                contact = RollingContact(system, constraint)
                slopes = tuple(ring.derivative(contact.eta, k) for k in range(n))
                equations.append(ConstraintEquation(f"{constraint.name}.contact", contact.eta, slopes))
                equations += [
                    ConstraintEquation(f"{constraint.name}.{axis}", None, psi)
                    for axis, psi in zip("xy", contact.slip_rows(), strict=True)
                ]
    return equations


def _knife_edge_row(system: SymbolicSystem, edge: KnifeEdgeConstraint) -> tuple[RingElement, ...]:
    """The row of Psi for the velocity of the contact point along the direction, which is fixed to the body."""
    contact_frame = Frame(edge.name, edge.body, Transform(position=edge.point))
    _, pose = frame_pose(system, contact_frame)
    direction = v.mat_vec(pose.R, system.read_vector(edge.direction))
    J = jacobian(system, contact_frame)
    return tuple(system.ring(v.dot(direction, (J[3][k], J[4][k], J[5][k]))) for k in range(system.n))


class ExactFrame:
    """A frame on a body, of polynomials: what the equations of loops are written over."""

    def __init__(self, system: SymbolicSystem, loop: LoopJoint, body: str, placement: Transform) -> None:
        self.system, self.where = system, f"loop {loop.name!r}"
        _, self.pose = frame_pose(system, Frame(loop.name, body, placement))

    @property
    def origin(self) -> v.Vector:
        return self.pose.p

    def direction(self, axis: v.Vector) -> v.Vector:
        return v.mat_vec(self.pose.R, self.system.read_vector(axis))

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        T = self.system.rotations.read(rotation_z_to(axis), self.where)
        return v.transpose(v.mat_mat(self.pose.R, T))

    def number(self, scalar: Scalar) -> Any:
        return self.system.scalars.read(scalar)

    def vanishes(self, x: Any) -> bool:
        return not self.system.ring(x)
