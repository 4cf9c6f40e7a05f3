"""Loops and constraints: their equations, their Jacobian, and independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lagrangian.cached import cached_property
from lagrangian.closed_form.choices import dependent_determinant, independent_coordinates, square_jacobian
from lagrangian.closed_form.multipliers import ClosedMultipliers
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.configuration.reading import configuration
from lagrangian.equations.algebra.matrices import determinant
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.errors import MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import DIRECTIONS, Frame

if TYPE_CHECKING:
    from lagrangian.closed_form.reduced import ReducedEquations


class ConstraintsPart(Basis):
    """`eta(q) = 0` and `phi(t) + Psi(q) q' = 0`, and what follows from them."""

    @cached_property
    def closure(self) -> FormulaMatrix:
        """The loops' equations eta(q) = 0; constraints on speeds have none."""
        return self._made.vector("closure", [row.eta for row in self._rows_of_constraints if row.eta is not None])

    @cached_property
    def Psi(self) -> FormulaMatrix:
        """d eta / dq of the loops, then the coefficients of the Pfaffian constraints."""
        return self._made.matrix("Psi", [row.psi for row in self._rows_of_constraints])

    @cached_property
    def Psi_dot(self) -> FormulaMatrix:
        """d Psi / dt, with the speeds in it."""
        return self._made.matrix("Psi_dot", [row.psi_dot(self.system) for row in self._rows_of_constraints])

    @property
    def phi(self) -> tuple[Scalar, ...]:
        """phi(t) of `phi(t) + Psi(q) q' = 0`, row by row; zero for loops."""
        return tuple(row.phi for row in self._rows_of_constraints)

    @property
    def phi_dot(self) -> tuple[Scalar, ...]:
        return tuple(row.phi_dot for row in self._rows_of_constraints)

    @cached_property
    def _multipliers(self) -> ClosedMultipliers:
        return ClosedMultipliers(self)

    @cached_property
    def multipliers(self) -> FormulaMatrix:
        """lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q' + phi_dot + Psi M^-1 f), f = tau - C q' - G - F: one for each equation.

        tau1, tau2 are the forces of the actuated joints, by the number of the coordinate; those that are not given are zero:
        `multipliers.evaluate(q, qd, tau1=2.0)`. Large mechanisms, and constraints that depend on each other, are refused.
        """
        return self._multipliers.multipliers()

    @cached_property
    def accelerations(self) -> FormulaMatrix:
        """q'' = M^-1 (f + Psi^T lambda) with lambda put in: no multiplier is left."""
        return self._multipliers.accelerations()

    @cached_property
    def delassus(self) -> FormulaMatrix:
        """A = Psi M^-1 Psi^T, Delassus' matrix: how constraint forces accelerate the constraints."""
        return self._multipliers.A()

    @cached_property
    def unconstrained_drift(self) -> FormulaMatrix:
        """b = Psi_dot q' + phi_dot + Psi M^-1 f: how the constraints would be left without their forces; lambda = -A^-1 b."""
        return self._multipliers.b()

    def reduced(self, independent: Sequence[str] | None = None, at: Any = None) -> ReducedEquations:
        """The equations in independent coordinates, where sums of angles solve the loops (a parallelogram).

        `independent` are the actuated joints unless given; `at` is a configuration to begin at, as `q0` of simulate.
        """
        if not self.mechanism.equations:
            raise MechanismError("it has no constraints: its coordinates are independent already", where=self.mechanism.name)
        start = configuration(self.mechanism, at, "at").q.tolist()
        from lagrangian.closed_form.reduced import ReducedEquations

        return ReducedEquations(self.ungrouped, independent_coordinates(self.mechanism, independent), start)

    def singularities(
        self, frame: str | Frame | None = None, directions: Sequence[str] = (), independent: Sequence[str] | None = None
    ) -> list[Formula]:
        """What must vanish in a singular configuration: the factors of a determinant.

        Of a closed mechanism: of the block of Psi that belongs to the coordinates that are not `independent` (the actuated ones
        unless given). Of a frame: of its Jacobian along as many `directions` as there are coordinates.
        """
        if frame is not None:
            jacobian = square_jacobian(self.system, frame, tuple(directions) or DIRECTIONS)
            return self._made.factors(determinant(self.system.ring, jacobian))
        return self._made.factors(dependent_determinant(self.system, self._rows_of_constraints, independent))
