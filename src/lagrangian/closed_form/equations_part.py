"""What all parts of the equations share: the system, what was derived from it, and the factory of formulas."""

from __future__ import annotations

from typing import Any

from lagrangian.cached import cached_property
from lagrangian.closed_form.terms import FormulaFactory, Terms
from lagrangian.equations import base_parameters, constraints
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.writing.notation import Notation
from lagrangian.equations.writing.writer import JacobianTrees
from lagrangian.proof.prove import DerivedEquations


class EquationsPart:
    """The base class of the parts: `_factory` makes formulas of exact elements, `_terms` has the terms of the equations."""

    def __init__(
        self, system: SymbolicSystem, derived: DerivedEquations, jacobians: list[lagrange.JacobianColumns], grouping: Any = None
    ) -> None:
        self.system, self.mechanism = system, system.mechanism
        self.derived, self._jacobians = derived, jacobians
        self.grouping: base_parameters.BaseParameters | None = grouping
        self._terms, self._factory = Terms(system, derived), FormulaFactory(system, grouping)
        self.writer = self._factory.writer

    @cached_property
    def _jacobian_trees(self) -> JacobianTrees:
        return JacobianTrees(self.writer, self.system, self._jacobians)

    @cached_property
    def _constraint_equations(self) -> list[constraints.ConstraintEquation]:
        return constraints.constraint_equations(self.system)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint equations, in the order of the rows of Psi."""
        return tuple(row.name for row in self._constraint_equations)

    @property
    def notation(self) -> Notation:
        """The rules by which names are written in formulas."""
        return self.writer.notation

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.system.n

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.system.coordinates

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the derivation departs from the description, as when it takes 1.5708 as a right angle."""
        return tuple(self.system.scalars.notes)

    def parameters(self) -> dict[str, float | None]:
        """Return the named parameters of the equations.

        Returns
        -------
        dict of str to float or None
            The value of each parameter; None if it has none.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("pendulum").parameters()
        {'L': 1.0, 'g': 9.81, 'm': 1.0}
        """
        return self._factory.parameters()

    @property
    def display_form(self) -> Any:
        """The equations in the form that `show` writes."""
        return self

    @property
    def in_link_parameters(self) -> Any:
        """The equations in the links' own parameters."""
        return self if self.grouping is None else type(self)(self.system, self.derived, self._jacobians)
