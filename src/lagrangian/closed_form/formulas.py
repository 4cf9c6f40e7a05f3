"""Exact elements made into formulas: in base parameters, if the equations are, and written by one writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.equations.algebra.ring import Element, fraction
from lagrangian.equations.base_parameters import BaseParameters
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import NUMBER, System
from lagrangian.equations.writing.tree import Tree, is_negative
from lagrangian.equations.writing.writer import Structure, Writer


class Formulas:
    """Makes the formulas of one system's equations; with a `grouping`, in its base parameters."""

    def __init__(self, system: System, grouping: BaseParameters | None, speeds: Sequence[str] = ()) -> None:
        self.system, self.grouping = system, grouping
        self.writer = Writer(system, grouping.grouping if grouping else None, speeds)

    def formula(self, x: Any, structure: Callable[[], Structure] | None = None) -> Formula:
        """One formula; `structure` gives a known form of what multiplies its inertial parameters."""
        element = self._regrouped(self.system.ring(x))
        known = None if structure is None else (lambda: self.writer.write(element, structure()))
        return Formula(self.writer, element, None, known)

    def written(self, x: Any, tree: Callable[[], Tree]) -> Formula:
        """One formula, in a form that is known."""
        return Formula(self.writer, self._regrouped(self.system.ring(x)), None, tree)

    def vector(self, name: str, elements: Sequence[Any]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self.formula(x)] for x in elements], vector=True)

    def matrix(self, name: str, rows: Sequence[Sequence[Any]]) -> FormulaMatrix:
        return FormulaMatrix(name, [[self.formula(x) for x in row] for row in rows])

    def quotient(self, above: Element, below: Element | None = None) -> Formula:
        """`above / below`, without the factors that they share."""
        return Formula.quotient(self.writer, self._regrouped(above), self.system.ring.one if below is None else below)

    def ratio(self, above: Element, below: Element) -> Formula:
        """A quotient as a person would write it: no inverse, and no minus, below the line; masses on both sides of it."""
        above, below = self._regrouped(above), self._regrouped(below)
        for name, (kind, expression) in self.system.scalars.atoms.items():
            number = self.system.ring.number.get(name)
            while kind == "inverse" and number is not None and min((int(m[number]) for m in below.poly.monoms()), default=0) > 0:
                below = Element(self.system.ring, below.poly / self.system.ring.generators[number])
                above = above * self.system.scalars.of(expression.arguments[1])
        made = Formula.quotient(self.writer, above, below)
        if made.denominator is None or not is_negative(made.tree_below):
            return made
        return Formula(self.writer, -made.element, -made.denominator)

    def factors(self, x: Element) -> list[Formula]:
        """The factors of an element, each with a positive first term, the shortest first."""
        if not x:
            return [self.formula(0)]
        content, factors = x.poly.factor()
        found = [Formula(self.writer, Element(self.system.ring, f)) for f, _ in factors]
        found = [-f if is_negative(f.tree) else f for f in found]
        return sorted(found, key=lambda f: (f.operators, str(f))) or [self.formula(fraction(content))]

    def parameters(self) -> dict[str, float | None]:
        """The named parameters in the formulas, with their values."""
        symbols = [s for s in self.system.ring.symbols if s.kind in ("parameter", "inertial") and s.meaning != NUMBER]
        if self.grouping is not None:
            dropped = {*self.grouping.dependent, *self.grouping.without_effect}
            values = self.writer.values((), (), (), {})
            shown = {s.name: self.writer.names[self.system.ring.number[s.name]] for s in symbols if s.name not in dropped}
            return {**{shown[name]: values[name] for name in shown}, **self.system.scalars.values}
        return {**{s.name: s.value for s in symbols}, **self.system.scalars.values}

    def _regrouped(self, x: Element) -> Element:
        return x if self.grouping is None else self.grouping.regrouped(x)
