"""Proof of the equations of loops and other constraints: Psi and its rate as they follow from eta, and the shipped equations.

The closed form (`equations.constraints`) differentiates polynomials; the shipped algorithms (`algorithms.constraints`) carry
derivatives along as jets. Both are written from the same loop types, so a wrong sign in one of these would be in both: a third
statement (`proof.loop_types`) compares every loop type's equations with the forces and moments that its multipliers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from lagrangian.algorithms.constraints import rows as constraint_rows
from lagrangian.algorithms.constraints.world import World
from lagrangian.cached import cached_property
from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import RingElement, sum_elements
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.rolling import disc_contacts
from lagrangian.model.constraint import (
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    RollingConstraint,
)
from lagrangian.model.expression import Scalar, functions, symbol
from lagrangian.proof import field
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Field
from lagrangian.proof.points import ExactPoint
from lagrangian.proof.shipped import Recursions

if TYPE_CHECKING:
    from lagrangian.algorithms.link import Link
    from lagrangian.algorithms.tree import Tree

ProofEntry = tuple[str, Any, Any]


# -- the closed form -------------------------------------------------------------------------------------------------


class ConstraintRateProof:
    """Psi = d eta / dq and its rate, computed again from eta."""

    def __init__(self, system: SymbolicSystem, rows: Sequence[constraints.ConstraintEquation]) -> None:
        self.system, self.rows, self.n = system, rows, system.n

    def slopes(self) -> Entries:
        """d eta / dq, through each generator that a coordinate moves."""
        for row in self.rows:
            if row.eta is not None:
                for k in range(self.n):
                    yield f"Psi of {row.name}, entry {k + 1}", row.psi[k], self.system.ring.derivative(row.eta, k)

    def rates(self) -> Entries:
        """Psi' q' of a holonomic row is the second derivative of eta, and of others the rate of Psi q' at steady speeds."""
        ring, n = self.system.ring, self.n
        speeds = [*(self.system.speed(k) for k in range(n)), ring.one]
        for row in self.rows:
            closed_form_rate = sum_elements((x * qd for x, qd in zip(row.psi_dot(self.system), speeds, strict=False)), ring.zero)
            rate = sum_elements((x * qd for x, qd in zip(row.psi, speeds, strict=False)), ring.zero)
            if row.eta is not None:
                rate = self._rate_along(row.eta, speeds[:n])
            yield f"Psi' q' of {row.name}", closed_form_rate, self._rate_along(rate, speeds)

    def rates_at(self, points: Sequence[ExactPoint]) -> Entries:
        """The same at exact points."""
        for name, a, b in self.rates():
            for number, point in enumerate(points):
                yield f"{name} at point {number + 1}", point.number(0) + point.evaluate(a), point.evaluate(b)

    def _rate_along(self, x: RingElement, speeds: Sequence[RingElement]) -> RingElement:
        return sum_elements((self.system.ring.derivative(x, k) * qd for k, qd in enumerate(speeds)), self.system.ring.zero)


# -- the shipped algorithms ------------------------------------------------------------------------------------------


class PointMechanism:
    """A mechanism at an exact point, over numbers of its field: what the shipped algorithms for constraints are run on."""

    def __init__(self, recursions: Recursions, point: ExactPoint) -> None:
        self.recursions, self.point, self.field = recursions, point, Field(point)
        self.system = recursions.system
        for disc in disc_contacts(self.system):
            lean_cosine = point.evaluate(disc.height) / point.evaluate(disc.radius)
            self.field.roots[str(lean_cosine * lean_cosine)] = lean_cosine  # modulo a prime neither root is the positive one

    @cached_property
    def tree(self) -> Tree:
        return self.field.tree(self.recursions.regrouped)

    @cached_property
    def links(self) -> list[Link]:
        return self.recursions.links_at(self.point, self.tree, ("q", "qd"), self.field)

    @property
    def q(self) -> list[Any]:
        return [self.field(self.system.generator(f"q{k + 1}"), symbol(name)) for k, name in enumerate(self.system.coordinates)]

    @property
    def qd(self) -> list[Any]:
        return [self.field(self.system.speed(k)) for k in range(self.system.n)]

    @cached_property
    def rows(self) -> list[constraint_rows.ConstraintRow]:
        """The constraint equations, by jets."""
        mechanism = self.system.mechanism
        names: dict[str, Any] = {}
        left_out = {name for name, _ in unprovable_constraints(self.system)}
        constraints_named = [_with_named_constants(self.field, c, names) for c in mechanism.constraints if c.name not in left_out]
        coordinates = constraint_rows.CoordinateJets(mechanism, self.q, self.qd, self.field.t)
        coordinates.by_name = {**coordinates.by_name, **names}
        parts: Any = SimpleNamespace(loops=mechanism.loops, constraints=constraints_named, speed_names=mechanism.speed_names)
        return constraint_rows.constraint_rows(parts, World(self.tree, self.links), coordinates)

    def evaluate_in_time(self, x: Scalar) -> Any:
        """A function of time and parameters."""
        names: dict[str, Any] = {"t": self.field.t}
        return functions.evaluate(self.field.with_named_constants(x, names), names)

    def phi(self, row: constraints.ConstraintEquation) -> tuple[Any, Any]:
        """phi and its rate at the point."""
        return self.evaluate_in_time(row.phi), self.evaluate_in_time(row.phi_dot)


def _with_named_constants(field: Field, constraint: Constraint, names: dict[str, Any]) -> Constraint:
    """A constraint with names in the place of its constants."""
    if isinstance(constraint, HolonomicConstraint):
        return replace(constraint, equation=field.with_named_constants(constraint.equation, names))
    if isinstance(constraint, PfaffianConstraint):
        coefficients = tuple((speed, field.with_named_constants(x, names)) for speed, x in constraint.coefficients)
        return replace(constraint, coefficients=coefficients, phi=field.with_named_constants(constraint.phi, names))
    return constraint


def split_polynomial_constraints(system: SymbolicSystem) -> tuple[list[Any], list[Any]]:
    """The loops and constraints whose shipped equations are polynomials, and the others: those with roots and functions."""
    polynomial_constraints = [
        c
        for c in system.mechanism.constraints
        if isinstance(c, KnifeEdgeConstraint) or (isinstance(c, RollingConstraint) and c.axis is None)
    ]
    other_constraints = [c for c in system.mechanism.constraints if c not in polynomial_constraints]
    return [*system.mechanism.loops, *polynomial_constraints], other_constraints


def unprovable_constraints(system: SymbolicSystem) -> list[tuple[str, str]]:
    """Constraints with operations that have no value at an exact point, each with the first of these."""
    unprovable = []
    for constraint in system.mechanism.constraints:
        scalars: list[Scalar] = []
        if isinstance(constraint, HolonomicConstraint):
            scalars = [constraint.equation]
        elif isinstance(constraint, PfaffianConstraint):
            scalars = [constraint.phi, *(x for _, x in constraint.coefficients)]
        unprovable += [(constraint.name, field.unknown_operation(x)) for x in scalars if field.unknown_operation(x)][:1]
    return unprovable


def shipped_polynomials(recursions: Recursions, rows: Sequence[constraints.ConstraintEquation]) -> Iterator[ProofEntry]:
    """eta, its rate phi + Psi q', its row of Psi, and gamma = Psi' q' + phi', as compiled code has them: for all states."""
    system, ring, n = recursions.system, recursions.system.ring, recursions.system.n
    tree = recursions.regrouped
    mechanism, qd = system.mechanism, [system.speed(k) for k in range(n)]
    coordinates = constraint_rows.CoordinateJets(mechanism, [system.generator(f"q{k + 1}") for k in range(n)], qd, 0)
    provable, _ = split_polynomial_constraints(system)
    parts: Any = SimpleNamespace(loops=mechanism.loops, constraints=provable[len(mechanism.loops) :])
    compiled_rows = constraint_rows.constraint_rows(parts, World(tree, recursions.links(tree, ("q", "qd"))), coordinates)
    rows_by_name = {row.name: row for row in rows}
    for row in compiled_rows:
        yield from _row_entries(rows_by_name[row.name], row, ring, n, (0, 0), lambda x: x, system)


def shipped_at_points(
    recursions: Recursions, rows: Sequence[constraints.ConstraintEquation], points: Sequence[ExactPoint]
) -> Iterator[ProofEntry]:
    """The same entries for the constraints that are no polynomials, at exact points."""
    system = recursions.system
    rows_by_name = {row.name: row for row in rows}
    left_out = {name for name, _ in unprovable_constraints(system)}
    other_names = {constraint.name for constraint in split_polynomial_constraints(system)[1]} - left_out
    for number, point in enumerate(points):
        mechanism = PointMechanism(recursions, point)
        for row in mechanism.rows:
            if row.name.split(".")[0] not in other_names:
                continue
            phi = tuple(field_value(x, point) for x in mechanism.phi(rows_by_name[row.name]))

            def evaluate(x: Any, point: ExactPoint = point) -> Any:
                return field_value(x, point)

            for name, a, b in _row_entries(rows_by_name[row.name], row, evaluate, system.n, phi, point.evaluate, system):
                yield f"{name} at point {number + 1}", a, b


def _row_entries(
    row: constraints.ConstraintEquation,
    compiled_row: constraint_rows.ConstraintRow,
    evaluate: Any,
    n: int,
    phi: Sequence[Any],
    evaluate_exact: Any,
    system: SymbolicSystem,
) -> Iterator[ProofEntry]:
    """A row as shipped, through `evaluate`, and in closed form, through `evaluate_exact`."""
    qd = [evaluate_exact(system.speed(k)) for k in range(n)]
    zero = evaluate(0)
    if row.eta is not None:
        yield f"eta of {row.name}", evaluate(compiled_row.eta), zero + evaluate_exact(row.eta)
    psi, psi_dot = ([zero + evaluate_exact(x) for x in part] for part in (row.psi, row.psi_dot(system)))
    yield f"rate of {row.name}", evaluate(compiled_row.rate), phi[0] + sum((x * y for x, y in zip(psi, qd, strict=True)), zero)
    yield (
        f"gamma of {row.name}",
        evaluate(compiled_row.gamma),
        phi[1] + sum((x * y for x, y in zip(psi_dot, qd, strict=True)), zero),
    )
    for k, x in enumerate(psi):
        yield f"Psi of {row.name}, entry {k + 1}", evaluate(compiled_row.psi.get(k, 0)), x


def field_value(x: Any, point: ExactPoint) -> Any:
    """The value of a number of the field, which the point's own arithmetic takes."""
    return x.value if hasattr(x, "field") else point.number(x)
