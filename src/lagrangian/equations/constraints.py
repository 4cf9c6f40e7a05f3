"""What closes loops and otherwise constrains: `eta(q) = 0`, `Psi = d eta / dq`, and Pfaffian rows `phi(t) + Psi(q) q' = 0`.

Both kinds lead to the same equations:

    M q'' + C q' + G + F = tau + Psi^T lambda,    Psi q'' + Psi' q' + phi' = 0.

The equations of loops are those of their types (`model.loops`), written over polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint.utils.flint_exceptions import DomainError

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.matrices import adjugate, inner
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.reading import scalars as heights
from lagrangian.equations.reading import system as applied
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint, KnifeEdgeConstraint, PfaffianConstraint, RollingConstraint
from lagrangian.model.expression import Scalar
from lagrangian.model.expression.automatic_derivatives import derivative
from lagrangian.model.loop import Frame, LoopJoint
from lagrangian.model.placement import Transform, rotation_z_to

# MERGED lagrangian.equations.rolling: Rolling without slipping, over polynomials: the contact `eta(q) = 0`, and a Pfaffian
# row for each direction of the plane. A sphere touches the plane at its centre less radius times normal. A disc touches it at
# its lowest point, which lies across its axis: with the normal n and the axis a, the centre is `h = r sqrt(1 - (n.a)^2)`
# above the plane, and the point in contact is `-(r^2 / h) (n - (n.a) a)` away from it (Neimark, Fufaev 1972, chapter 1; Bloch
# 2003, section 1.4). Where the root can be taken, as it can for the usual angles of a disc, h is a polynomial; else it is a
# generator of its own, `height(name)`.


class RollingContact:
    """Where a sphere or a disc touches its plane, in the world's axes."""

    def __init__(self, system: SymbolicSystem, rolling: RollingConstraint) -> None:
        self.system, self.rolling = system, rolling
        self.ring, self.radius = system.ring, system.scalars.read(rolling.radius)
        where = f"constraint {rolling.name!r}"
        self._body = Frame(rolling.name, rolling.body, Transform(position=rolling.center))
        self._plane = Frame(rolling.name, rolling.on, Transform(position=rolling.point))
        _, body = frame_pose(system, self._body)
        _, plane = frame_pose(system, self._plane)
        self.center, self.origin = body.p, plane.p
        self.x, self.y, self.normal = v.transpose(v.mat_mat(plane.R, system.rotations.read(rotation_z_to(rolling.normal), where)))
        if rolling.axis is not None:
            self.axis = v.transpose(v.mat_mat(body.R, system.rotations.read(rotation_z_to(rolling.axis), where)))[2]

    @cached_property
    def normal_component(self) -> RingElement:
        """The part of a disc's axis that is along the normal."""
        return self.ring(v.dot(self.normal, self.axis))

    @cached_property
    def height_squared(self) -> RingElement:
        """Of the height of a disc's centre above the plane."""
        return self.ring(self.radius * self.radius * (1 - self.normal_component * self.normal_component))

    @cached_property
    def lean_cosine(self) -> RingElement | None:
        """The root of 1 - along^2 where it is a polynomial: the cosine of the lean."""
        sine = self._matching_sine()
        if sine is not None:
            return sine
        try:
            return RingElement(self.ring, (1 - self.normal_component * self.normal_component).poly.sqrt())
        except DomainError:
            return None

    def _matching_sine(self) -> RingElement | None:
        """The sine, where the axis is along the normal by a cosine."""
        scalars = self.system.scalars
        for name, symbol in scalars.symbols.items():
            if (
                symbol.kind == "sine"
                and scalars.cosine_name(name) in self.ring.generator_index
                and name in self.ring.generator_index
            ):
                cosine = self.ring.generator(scalars.cosine_name(name))
                if not self.normal_component - cosine or not self.normal_component + cosine:
                    return self.ring.generator(name)
        return None

    @cached_property
    def upward_direction(self) -> v.Vector:
        """From a disc's lowest point to its centre, but for its length, which is `across`."""
        return v.sub(self.normal, v.scale(self.normal_component, self.axis))

    @cached_property
    def unit_upward_direction(self) -> v.Vector | None:
        """`upwards` divided by its length, where that leaves polynomials."""
        if self.lean_cosine is None:
            return None
        parts = [divmod(self.ring(x).poly, self.lean_cosine.poly) for x in self.upward_direction]
        return (
            None if any(not remainder.is_zero() for _, remainder in parts) else tuple(RingElement(self.ring, x) for x, _ in parts)  # type: ignore[return-value]
        )

    @cached_property
    def height(self) -> Any:
        """Of the centre above the plane."""
        if self.rolling.axis is None:
            return self.radius
        return (
            self.ring.generator(heights.height_name(self.rolling))
            if self.unit_upward_direction is None
            else self.radius * self.lean_cosine
        )

    @cached_property
    def contact_offset(self) -> v.Vector:
        """From the centre to the point in contact."""
        if self.rolling.axis is None:
            return v.scale(-self.radius, self.normal)
        if self.unit_upward_direction is not None:
            return v.scale(-self.radius, self.unit_upward_direction)
        return v.scale(
            -(self.radius * self.radius * self.ring.generator(heights.inverse_height_name(self.rolling))), self.upward_direction
        )

    @property
    def eta(self) -> RingElement:
        """The distance of the centre from the plane, less what it must be."""
        return self.ring(v.dot(self.normal, v.sub(self.center, self.origin)) - self.height)

    def slip_rows(self) -> list[tuple[RingElement, ...]]:
        """For each direction of the plane, how fast the point in contact slips along it, for unit rates of every coordinate."""
        body_jacobian, plane_jacobian = jacobian(self.system, self._body), jacobian(self.system, self._plane)
        contact = v.sub(v.add(self.center, self.contact_offset), self.origin)
        columns = []
        for k in range(self.system.n):
            J, K = (tuple(A[row][k] for row in range(6)) for A in (body_jacobian, plane_jacobian))
            velocity = v.add(J[3:], v.cross(J[:3], self.contact_offset))  # type: ignore[arg-type]
            columns.append(v.sub(velocity, v.add(K[3:], v.cross(K[:3], contact))))  # type: ignore[arg-type]
        return [tuple(self.ring(v.dot(direction, column)) for column in columns) for direction in (self.x, self.y)]


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
    """All constraint equations: those of the loops, then the Pfaffian ones."""
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
    """The velocity of the point along the body's own direction."""
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


# MERGED lagrangian.equations.multipliers: Multipliers and accelerations in closed form (Ghosal, lecture 27, equations 16, 17
# and, with phi(t), 19, 20). A = Psi M^-1 Psi^T, b = Psi' q' + phi' + Psi M^-1 f, f = tau - C q' - G - F, lambda = -A^-1 b, M
# q'' = f - Psi^T A^-1 b. M is inverted block by block, the blocks being the coordinates that share inertia. lambda and q''
# are found by Cramer's rule from [ M Psi^T ] [ q'' ] [ f ] [ Psi 0 ] [ -lambda ] = [ -(Psi' q' + phi') ], whose determinant
# is their common denominator, and has no factor that could be cancelled at once.

RationalFunction = tuple[RingElement, RingElement]  # above and below the line


class MultiplierSolution:
    """What the multipliers of one system are, as quotients of elements."""

    def __init__(
        self,
        system: SymbolicSystem,
        M: Sequence[Sequence[RingElement]],
        rows: Sequence[ConstraintEquation],
        torques: Sequence[RingElement],
    ) -> None:
        """`torques` are C q' + G + F; rows that say nothing about the speeds must be left out."""
        self.system, self.ring, self.M, self.rows = system, system.ring, M, rows
        self.n, self.m = system.n, len(rows)
        self.force = [tau - x for tau, x in zip(applied.applied_forces(system), torques, strict=True)]
        rates = [system.speed(k) for k in range(self.n)]
        self.drift = [inner(self.ring, row.psi_dot(system), rates) + applied.drive_rate(system, row) for row in rows]

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The coordinates that share inertia."""
        remaining, blocks = set(range(self.n)), []
        while remaining:
            block, stack = set(), [min(remaining)]
            while stack:
                i = stack.pop()
                if i in remaining:
                    remaining.discard(i)
                    block.add(i)
                    stack += [j for j in remaining if self.M[i][j].poly]
            blocks.append(sorted(block))
        return blocks

    @cached_property
    def _inverses(self) -> list[tuple[list[int], list[list[RingElement]], RingElement]]:
        return [(b, *adjugate(self.ring, [[self.M[i][j] for j in b] for i in b])) for b in self.blocks]

    def _inverse_mass_product(self, x: Sequence[RingElement], y: Sequence[RingElement]) -> RationalFunction:
        """x M^-1 y^T, over the determinants of the blocks that it goes through."""
        numerator, denominator = self.ring.zero, self.ring.one
        for block, adjoint, det in self._inverses:
            part = self.ring.zero
            for a, i in enumerate(block):
                if x[i].poly:
                    part = part + x[i] * inner(self.ring, adjoint[a], [y[j] for j in block])
            if part:
                numerator, denominator = (
                    (numerator + part, denominator)
                    if denominator == det
                    else (numerator * det + part * denominator, denominator * det)
                )
        return numerator, denominator

    @cached_property
    def A(self) -> list[list[RationalFunction]]:
        """Psi M^-1 Psi^T."""
        return [[self._inverse_mass_product(a.psi, b.psi) for b in self.rows] for a in self.rows]

    @cached_property
    def b(self) -> list[RationalFunction]:
        """Psi' q' + phi' + Psi M^-1 f."""
        quotients = []
        for row, drift in zip(self.rows, self.drift, strict=True):
            numerator, denominator = self._inverse_mass_product(row.psi, self.force)
            quotients.append((numerator + drift * denominator, denominator))
        return quotients

    @cached_property
    def _saddle_point_solution(self) -> list[RationalFunction]:
        """Accelerations, then multipliers with the opposite sign."""
        zero = self.ring.zero
        block = [[*self.M[i], *(row.psi[i] for row in self.rows)] for i in range(self.n)]
        block += [[*row.psi, *[zero] * self.m] for row in self.rows]
        adjoint, det = adjugate(self.ring, block)
        right = [*self.force, *(-x for x in self.drift)]
        return [(inner(self.ring, row, right), det) for row in adjoint]

    @property
    def singular(self) -> bool:
        """Whether the constraints depend on each other everywhere, so that there are no single multipliers."""
        return not self._saddle_point_solution[0][1]

    @property
    def accelerations(self) -> list[RationalFunction]:
        return self._saddle_point_solution[: self.n]

    @property
    def multipliers(self) -> list[RationalFunction]:
        return [(-numerator, denominator) for numerator, denominator in self._saddle_point_solution[self.n :]]
