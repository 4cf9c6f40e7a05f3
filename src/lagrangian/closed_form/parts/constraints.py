"""Loops and constraints: their equations, their Jacobian, and independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from lagrangian.types import State

if TYPE_CHECKING:
    from lagrangian.closed_form.reduced import ReducedEquations


class ConstraintsPart(Basis):
    """`eta(q) = 0` and `phi(t) + Psi(q) q' = 0`, and what follows from them."""

    @cached_property
    def closure(self) -> FormulaMatrix:
        """The loop-closure equations eta(q) = 0; constraints on speeds have none."""
        return self._made.vector("closure", [row.eta for row in self._rows_of_constraints if row.eta is not None])

    @cached_property
    def Psi(self) -> FormulaMatrix:
        """The constraint Jacobian Psi: d eta/dq of the loops, then the coefficients of the Pfaffian constraints."""
        return self._made.matrix("Psi", [row.psi for row in self._rows_of_constraints])

    @cached_property
    def Psi_dot(self) -> FormulaMatrix:
        """The time derivative of Psi, which contains the speeds."""
        return self._made.matrix("Psi_dot", [row.psi_dot(self.system) for row in self._rows_of_constraints])

    @property
    def phi(self) -> tuple[Scalar, ...]:
        """The terms phi(t) of phi(t) + Psi(q) q' = 0, row by row; zero for loops."""
        return tuple(row.phi for row in self._rows_of_constraints)

    @property
    def phi_dot(self) -> tuple[Scalar, ...]:
        """The time derivatives of phi(t), row by row."""
        return tuple(row.phi_dot for row in self._rows_of_constraints)

    @cached_property
    def _multipliers(self) -> ClosedMultipliers:
        return ClosedMultipliers(self)

    @cached_property
    def multipliers(self) -> FormulaMatrix:
        """The constraint forces lambda in closed form, one for each constraint equation.

        `lambda = -(Psi M^-1 Psi^T)^-1 (Psi_dot q' + phi_dot + Psi M^-1 f)` with `f = tau - C q' - G - F`. The names tau1, tau2
        are the forces of the actuated joints, by the number of the coordinate. They are zero unless you give them:
        `multipliers.evaluate(q, qd, tau1=2.0)`.

        Raises
        ------
        MechanismError
            There are no constraints, they depend on each other, or the mechanism is too large for a closed form.
            `lagrangian.compile` computes the numbers.
        """
        return self._multipliers.multipliers()

    @cached_property
    def accelerations(self) -> FormulaMatrix:
        """The accelerations q'' = M^-1 (f + Psi^T lambda) in closed form, with lambda eliminated."""
        return self._multipliers.accelerations()

    @cached_property
    def delassus(self) -> FormulaMatrix:
        """The Delassus matrix A = Psi M^-1 Psi^T: how constraint forces accelerate the constraints."""
        return self._multipliers.A()

    @cached_property
    def unconstrained_drift(self) -> FormulaMatrix:
        """The vector b = Psi_dot q' + phi_dot + Psi M^-1 f: the acceleration of the constraints without constraint forces.

        It gives lambda = -A^-1 b, with A from `delassus`.
        """
        return self._multipliers.b()

    def reduced(self, independent: Sequence[str] | None = None, at: State = None) -> ReducedEquations:
        """Return the equations in independent coordinates, where sums of angles solve the loops.

        This works for parallelograms and similar linkages. It does not for a general four-bar; use `Psi` and `multipliers` there.

        Parameters
        ----------
        independent : sequence of str, optional
            Names of the independent coordinates. The default is the coordinates of the actuated joints.
        at : array_like, mapping, str, optional
            A configuration from which the search for a closed pose starts, as `q0` of `simulate`. The default is the mechanism's
            own.

        Returns
        -------
        ReducedEquations
            The equations, without constraints.

        Raises
        ------
        MechanismError
            The mechanism has no constraints, or no sum of angles solves its loops.

        Examples
        --------
        >>> import lagrangian as lg
        >>> reduced = lg.derive("five_bar").reduced()
        >>> print("; ".join(reduced.solution))
        phi3 = q1 - q2; phi4 = -q1 + q2 - pi
        >>> print(reduced.M[0, 1])
        (m3*l2*lc3 - m4*l1*lc4)*cos(q1 - q2)
        """
        if not self.mechanism.equations:
            raise MechanismError(
                "the mechanism has no constraints, so its coordinates are independent already", where=self.mechanism.name
            )
        start = configuration(self.mechanism, at, "at").q.tolist()
        from lagrangian.closed_form.reduced import ReducedEquations

        return ReducedEquations(self.ungrouped, independent_coordinates(self.mechanism, independent), start)

    def singularities(
        self, frame: str | Frame | None = None, directions: Sequence[str] = (), independent: Sequence[str] | None = None
    ) -> list[Formula]:
        """Return the factors of the determinant that vanishes in a singular configuration.

        With a frame it is the determinant of the frame's Jacobian. Without one it is that of the block of Psi that belongs to the
        dependent coordinates of a closed mechanism.

        Parameters
        ----------
        frame : str or Frame, optional
            The name of a frame or of a body, or a frame.
        directions : sequence of str, optional
            As many directions of the frame as there are coordinates, such as `("x", "y")`; by default all six.
        independent : sequence of str, optional
            Names of the independent coordinates of a closed mechanism. The default is the coordinates of the actuated joints.

        Returns
        -------
        list of Formula
            The mechanism is singular where one of them is zero.

        Raises
        ------
        MechanismError
            There is neither a frame nor a loop, or the block of Psi is not square.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").singularities("tip", ("x", "y")))
        [l1, l2, s2]
        >>> print(lg.derive("four_bar").singularities())
        [l2, l3, sin(theta1 + phi2 - phi3)]
        """
        if frame is not None:
            jacobian = square_jacobian(self.system, frame, tuple(directions) or DIRECTIONS)
            return self._made.factors(determinant(self.system.ring, jacobian))
        return self._made.factors(dependent_determinant(self.system, self._rows_of_constraints, independent))
