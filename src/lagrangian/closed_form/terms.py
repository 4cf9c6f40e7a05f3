"""The terms of the equations of motion as exact elements, and the factory that makes formulas of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from lagrangian.cached import cached_property
from lagrangian.equations import energies
from lagrangian.equations.algebra.ring import RingElement, as_fraction
from lagrangian.equations.base_parameters import BaseParameters
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import NUMBER_MEANING, SymbolicSystem
from lagrangian.equations.writing.tree import Tree, is_negative
from lagrangian.equations.writing.writer import FormulaWriter, Structure
from lagrangian.proof.prove import DerivedEquations


class Terms:
    """Velocity terms, springs, friction, torques and kinetic energy, each computed when it is first used."""

    def __init__(self, system: SymbolicSystem, derived: DerivedEquations) -> None:
        self.system, self.derived = system, derived

    @cached_property
    def velocity_terms(self) -> tuple[list[RingElement], list[RingElement]]:
        """C q' in two parts: squares q'_j^2 (centripetal), and products q'_j q'_k of different speeds (Coriolis)."""
        return lagrange.velocity_terms(self.system, self.derived.christoffel)

    @cached_property
    def spring_potential(self) -> RingElement:
        return energies.joint_spring_potential(self.system) + energies.other_spring_potential(self.system)

    @cached_property
    def spring_forces(self) -> list[RingElement]:
        """The gradient of the springs' potential."""
        return lagrange.gradient(self.system, self.spring_potential)

    @cached_property
    def potential_gradient(self) -> list[RingElement]:
        """dV/dq: gravity and springs."""
        return [g + s for g, s in zip(self.derived.G, self.spring_forces, strict=True)]

    @cached_property
    def friction_forces(self) -> list[RingElement]:
        return energies.friction_forces(self.system)

    @cached_property
    def rotor_inertias(self) -> list[RingElement]:
        """What the rotors add to the diagonal of M."""
        inertias = [self.system.ring.zero] * self.system.n
        for link in self.system.links:
            inertias[link.k] = self.system.ring(link.rotor)
        return inertias

    @cached_property
    def torques(self) -> list[RingElement]:
        """M q'' + C q' + dV/dq + F."""
        n = self.system.n
        centripetal, coriolis = self.velocity_terms
        torques = []
        for i in range(n):
            x: Any = centripetal[i] + coriolis[i] + self.potential_gradient[i] + self.friction_forces[i]
            for j in range(n):
                x = x + self.derived.M[i][j] * self.system.acceleration(j)
            torques.append(self.system.ring(x))
        return torques

    @cached_property
    def kinetic_energy(self) -> RingElement:
        """1/2 q'^T M q'."""
        total: Any = self.system.ring.zero
        for i in range(self.system.n):
            for j in range(i, self.system.n):
                times = Fraction(1, 2) if i == j else 1
                total = total + self.derived.M[i][j] * times * (self.system.speed(i) * self.system.speed(j))
        return self.system.ring(total)


class FormulaFactory:
    """Makes formulas of exact elements of one system, all by one writer; with a `grouping`, in its base parameters."""

    def __init__(self, system: SymbolicSystem, grouping: BaseParameters | None, speeds: Sequence[str] = ()) -> None:
        self.system, self.grouping = system, grouping
        self.writer = FormulaWriter(system, grouping.combinations if grouping else None, speeds)

    def formula(self, x: Any, structure: Callable[[], Structure] | None = None) -> Formula:
        """A formula; `structure` gives a known form of what multiplies its inertial parameters."""
        element = self._in_base_parameters(self.system.ring(x))
        make_tree = None if structure is None else (lambda: self.writer.write(element, structure()))
        return Formula(self.writer, element, None, make_tree)

    def formula_with_tree(self, x: Any, tree: Callable[[], Tree]) -> Formula:
        """A formula whose written form is known."""
        return Formula(self.writer, self._in_base_parameters(self.system.ring(x)), None, tree)

    def vector(self, name: str, elements: Sequence[Any]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self.formula(x)] for x in elements], vector=True)

    def matrix(self, name: str, rows: Sequence[Sequence[Any]]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self.formula(x) for x in row] for row in rows])

    def quotient(self, numerator: RingElement, denominator: RingElement | None = None) -> Formula:
        """A quotient without the factors that its two parts share."""
        return Formula.quotient(
            self.writer, self._in_base_parameters(numerator), self.system.ring.one if denominator is None else denominator
        )

    def ratio(self, numerator: RingElement, denominator: RingElement) -> Formula:
        """A quotient as a person would write it: its denominator has no inverse, and does not begin with a minus."""
        numerator, denominator = self._in_base_parameters(numerator), self._in_base_parameters(denominator)
        for name, (kind, expression) in self.system.scalars.function_generators.items():
            number = self.system.ring.generator_index.get(name)
            while (
                kind == "inverse"
                and number is not None
                and min((int(m[number]) for m in denominator.poly.monoms()), default=0) > 0
            ):
                denominator = RingElement(self.system.ring, denominator.poly / self.system.ring.generators[number])
                numerator = numerator * self.system.scalars.read(expression.arguments[1])
        quotient = Formula.quotient(self.writer, numerator, denominator)
        if quotient.denominator is None or not is_negative(quotient.denominator_tree):
            return quotient
        return Formula(self.writer, -quotient.element, -quotient.denominator)

    def factors(self, x: RingElement) -> list[Formula]:
        """The factors of an element, each with a positive first term, the shortest first."""
        if not x:
            return [self.formula(0)]
        content, factors = x.poly.factor()
        factor_formulas = [Formula(self.writer, RingElement(self.system.ring, f)) for f, _ in factors]
        factor_formulas = [-f if is_negative(f.tree) else f for f in factor_formulas]
        return sorted(factor_formulas, key=lambda f: (f.operator_count, str(f))) or [self.formula(as_fraction(content))]

    def parameters(self) -> dict[str, float | None]:
        """The named parameters in the formulas, with their values."""
        symbols = [s for s in self.system.ring.symbols if s.kind in ("parameter", "inertial") and s.meaning != NUMBER_MEANING]
        if self.grouping is not None:
            dropped = {*self.grouping.dependent, *self.grouping.unidentifiable}
            values = self.writer.values((), (), (), {})
            printed_names = {
                s.name: self.writer.names[self.system.ring.generator_index[s.name]] for s in symbols if s.name not in dropped
            }
            return {**{printed_names[name]: values[name] for name in printed_names}, **self.system.scalars.parameter_values}
        return {**{s.name: s.value for s in symbols}, **self.system.scalars.parameter_values}

    def _in_base_parameters(self, x: RingElement) -> RingElement:
        return x if self.grouping is None else self.grouping.to_base_parameters(x)
