"""Loops and other constraints: Psi and its rate as they follow from eta, what multipliers are, and the shipped equations.

The closed form (`equations.constraints`) differentiates polynomials; the shipped algorithms (`algorithms.closed`) carry
derivatives along as jets. Both are written from the same loop types, so a wrong sign in one of these would be in both: a third
statement compares every loop type's equations with the forces and moments that it says its multipliers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from lagrangian.algorithms.closed import constraints as shipped
from lagrangian.algorithms.closed.world import World
from lagrangian.cached import cached_property
from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.reading import heights
from lagrangian.equations.reading.system import System
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.expression import Scalar, functions, symbol
from lagrangian.proof import field
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Field
from lagrangian.proof.points import Point
from lagrangian.proof.recursions import Recursions

if TYPE_CHECKING:
    from lagrangian.algorithms.link import Link
    from lagrangian.algorithms.tree import Tree

Entry = tuple[str, Any, Any]


# -- the closed form -------------------------------------------------------------------------------------------------


class Rates:
    """Psi = d eta / dq and its rate, computed again from eta."""

    def __init__(self, system: System, rows: Sequence[constraints.Row]) -> None:
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
            found = total((x * qd for x, qd in zip(row.psi_dot(self.system), speeds, strict=False)), ring.zero)
            rate = total((x * qd for x, qd in zip(row.psi, speeds, strict=False)), ring.zero)
            if row.eta is not None:
                rate = self._along(row.eta, speeds[:n])
            yield f"Psi' q' of {row.name}", found, self._along(rate, speeds)

    def rates_at(self, points: Sequence[Point]) -> Entries:
        """The same at exact points."""
        for name, a, b in self.rates():
            for number, point in enumerate(points):
                yield f"{name} at point {number + 1}", point.number(0) + point.of(a), point.of(b)

    def _along(self, x: Element, speeds: Sequence[Element]) -> Element:
        return total((self.system.ring.derivative(x, k) * qd for k, qd in enumerate(speeds)), self.system.ring.zero)


# -- the shipped algorithms ------------------------------------------------------------------------------------------


class AtPoint:
    """A mechanism at an exact point, over numbers of its field: what the shipped algorithms for constraints are run on."""

    def __init__(self, recursions: Recursions, point: Point) -> None:
        self.recursions, self.point, self.field = recursions, point, Field(point)
        self.system = recursions.system
        for disc in heights.discs(self.system):
            across = point.of(disc.height) / point.of(disc.radius)
            self.field.roots[str(across * across)] = across  # modulo a prime neither root is the positive one

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
    def rows(self) -> list[shipped.Row]:
        """The constraint equations, by jets."""
        mechanism = self.system.mechanism
        names: dict[str, Any] = {}
        left_out = {name for name, _ in unknown(self.system)}
        given = [_named(self.field, c, names) for c in mechanism.constraints if c.name not in left_out]
        coordinates = shipped.Coordinates(mechanism, self.q, self.qd, self.field.t)
        coordinates.names = {**coordinates.names, **names}
        read: Any = SimpleNamespace(loops=mechanism.loops, constraints=given, speed_names=mechanism.speed_names)
        return shipped.rows(read, World(self.tree, self.links), coordinates)

    def of_time(self, x: Scalar) -> Any:
        """A function of time and parameters."""
        names: dict[str, Any] = {"t": self.field.t}
        return functions.evaluate(self.field.named(x, names), names)

    def phi(self, row: constraints.Row) -> tuple[Any, Any]:
        """phi and its rate."""
        return self.of_time(row.phi), self.of_time(row.phi_dot)


def _named(made: Field, constraint: Constraint, names: dict[str, Any]) -> Constraint:
    """A constraint whose constants are names."""
    if isinstance(constraint, Holonomic):
        return replace(constraint, equation=made.named(constraint.equation, names))
    if isinstance(constraint, Pfaffian):
        kept = tuple((speed, made.named(x, names)) for speed, x in constraint.coefficients)
        return replace(constraint, coefficients=kept, phi=made.named(constraint.phi, names))
    return constraint


def of_polynomials(system: System) -> tuple[list[Any], list[Any]]:
    """The loops and constraints whose shipped equations are polynomials, and the others: those with roots and functions."""
    plain_ones = [
        c for c in system.mechanism.constraints if isinstance(c, KnifeEdge) or (isinstance(c, Rolling) and c.axis is None)
    ]
    others = [c for c in system.mechanism.constraints if c not in plain_ones]
    return [*system.mechanism.loops, *plain_ones], others


def unknown(system: System) -> list[tuple[str, str]]:
    """Constraints with functions that have no value at an exact point, and the first of these."""
    found = []
    for constraint in system.mechanism.constraints:
        scalars: list[Scalar] = []
        if isinstance(constraint, Holonomic):
            scalars = [constraint.equation]
        elif isinstance(constraint, Pfaffian):
            scalars = [constraint.phi, *(x for _, x in constraint.coefficients)]
        found += [(constraint.name, field.unknown(x)) for x in scalars if field.unknown(x)][:1]
    return found


def shipped_polynomials(recursions: Recursions, rows: Sequence[constraints.Row]) -> Iterator[Entry]:
    """eta, its rate phi + Psi q', its row of Psi, and gamma = Psi' q' + phi', as compiled code has them: for all states."""
    system, ring, n = recursions.system, recursions.system.ring, recursions.system.n
    tree = recursions.regrouped
    mechanism, qd = system.mechanism, [system.speed(k) for k in range(n)]
    coordinates = shipped.Coordinates(mechanism, [system.generator(f"q{k + 1}") for k in range(n)], qd, 0)
    chosen, _ = of_polynomials(system)
    read: Any = SimpleNamespace(loops=mechanism.loops, constraints=chosen[len(mechanism.loops) :])
    found = shipped.rows(read, World(tree, recursions.links(tree, ("q", "qd"))), coordinates)
    known = {row.name: row for row in rows}
    for row in found:
        yield from _compared(known[row.name], row, ring, n, (0, 0), lambda x: x, system)


def shipped_at_points(recursions: Recursions, rows: Sequence[constraints.Row], points: Sequence[Point]) -> Iterator[Entry]:
    """The same of those that are no polynomials, at exact points."""
    system = recursions.system
    known = {row.name: row for row in rows}
    left_out = {name for name, _ in unknown(system)}
    others = {constraint.name for constraint in of_polynomials(system)[1]} - left_out
    for number, point in enumerate(points):
        here = AtPoint(recursions, point)
        for row in here.rows:
            if row.name.split(".")[0] not in others:
                continue
            phi = tuple(plain(x, point) for x in here.phi(known[row.name]))

            def of(x: Any, point: Point = point) -> Any:
                return plain(x, point)

            for name, a, b in _compared(known[row.name], row, of, system.n, phi, point.of, system):
                yield f"{name} at point {number + 1}", a, b


def _compared(
    row: constraints.Row, found: shipped.Row, of: Any, n: int, phi: Sequence[Any], exact: Any, system: System
) -> Iterator[Entry]:
    """A row as shipped, through `of`, and in closed form, through `exact`."""
    qd = [exact(system.speed(k)) for k in range(n)]
    zero = of(0)
    if row.eta is not None:
        yield f"eta of {row.name}", of(found.eta), zero + exact(row.eta)
    psi, psi_dot = ([zero + exact(x) for x in part] for part in (row.psi, row.psi_dot(system)))
    yield f"rate of {row.name}", of(found.rate), phi[0] + sum((x * y for x, y in zip(psi, qd, strict=True)), zero)
    yield f"gamma of {row.name}", of(found.gamma), phi[1] + sum((x * y for x, y in zip(psi_dot, qd, strict=True)), zero)
    for k, x in enumerate(psi):
        yield f"Psi of {row.name}, entry {k + 1}", of(found.psi.get(k, 0)), x


def plain(x: Any, point: Point) -> Any:
    """A number of the field as the field itself has it."""
    return x.value if hasattr(x, "field") else point.number(x)
