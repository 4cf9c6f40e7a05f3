"""Equations of a closed mechanism in independent coordinates, without its loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.closed_form.equations import EnergiesPart, OutputPart
from lagrangian.closed_form.sections import EquationSection, SectionTitle
from lagrangian.closed_form.terms import Terms
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE
from lagrangian.configuration.newton import Newton
from lagrangian.equations import independent_coordinates
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.constraints import ConstraintEquation
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.writing.notation import latex_expression
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model.frame import Frame
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import DerivedEquations
from lagrangian.public import public_methods

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import EquationsOfMotion


@public_methods
class ReducedEquations(EnergiesPart, OutputPart):
    """Equations of a closed mechanism in independent coordinates.

    `EquationsOfMotion.in_independent_coordinates` returns this object. It has the members of `EquationsOfMotion` that do not
    concern constraints. `tau` acts along the independent coordinates: it is A^T tau for joint forces tau, where q = A q_i + b.

    Attributes
    ----------
    whole : EquationsOfMotion
        The equations in all coordinates, with the loops.
    solution : tuple of str
        The other coordinates as sums of the independent ones.
    reduction : CoordinateReduction
        The matrix A and the angles b, exact.

    Examples
    --------
    >>> import lagrangian as lg
    >>> reduced = lg.derive("parallelogram").in_independent_coordinates()
    >>> print("; ".join(reduced.solution))
    phi1 = -theta0; theta1 = theta0; phi2 = -theta0; theta2 = theta0
    >>> print(reduced.rows[0])
    3*m*L^2*qdd_theta0 + 7*m*L*g*cos(theta0)/2 = tau1
    """

    def __init__(self, whole: EquationsOfMotion, independent: Sequence[int], start: Sequence[float]) -> None:
        self.whole, self._start = whole, list(start)
        self.reduction = independent_coordinates.solve_loops(
            whole.system, whole._constraint_equations, independent, start, _close_loops
        )
        self.solution = tuple(self.reduction.dependent_formulas(whole.coordinates))
        self._pullback = independent_coordinates.Pullback(whole.system, self.reduction)
        system = self._pullback.reduced_system
        A, n, m, ring = self.reduction.A, whole.n, len(independent), system.ring
        mass_elements = [[self._pullback(x) for x in row] for row in whole.derived.M]
        M = [
            [
                ring(sum((mass_elements[i][j] * (A[i][a] * A[j][b]) for i in range(n) for j in range(n)), ring.zero))
                for b in range(m)
            ]
            for a in range(m)
        ]
        V = self._pullback(whole.derived.V)
        super().__init__(system, DerivedEquations(M, lagrange.Christoffel(system, M), lagrange.gradient(system, V), V), [])
        self._terms = ReducedTerms(self, whole._terms)

    @cached_property
    def _constraint_equations(self) -> list[ConstraintEquation]:
        """Return no equations: the reduced system has no constraints left."""
        return []

    def project_forces(self, elements: Sequence[RingElement]) -> list[RingElement]:
        """A^T x: forces along the independent coordinates, of forces along all coordinates."""
        ring, A = self.system.ring, self.reduction.A
        images = [self._pullback(element) for element in elements]
        return [ring(sum((x * A[k][a] for k, x in enumerate(images)), ring.zero)) for a in range(self.n)]

    @cached_property
    def kinetic_energies(self) -> Mapping[str, Formula]:
        """The kinetic energy of every link that has inertia, by its name, and of rotors."""
        return {name: self._factory.formula(self._pullback(x.element)) for name, x in self.whole.kinetic_energies.items()}

    @cached_property
    def potential_energies(self) -> Mapping[str, Formula]:
        """The potential energy of every link that has inertia, by its name, and of springs."""
        return {name: self._factory.formula(self._pullback(x.element)) for name, x in self.whole.potential_energies.items()}

    def pose(self, frame: str | Frame) -> FormulaMatrix:
        """The frame's 4x4 homogeneous matrix in the world."""
        return self._factory.matrix("T", [[self._pullback(x.element) for x in row] for row in self.whole.pose(frame).rows])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """J, 6 x n: (angular velocity, velocity of the origin) = J q', along the world's axes."""
        return self._factory.matrix(
            "J", [self.project_forces([x.element for x in row]) for row in self.whole.jacobian(frame).rows]
        )

    def all_coordinates(self, q: ArrayLike) -> np.ndarray:
        """Compute the coordinates of the whole mechanism from the independent ones.

        Parameters
        ----------
        q : array_like, shape (n,) or (rows, n)
            Independent coordinates.

        Returns
        -------
        ndarray, shape (whole,) or (rows, whole)
            All coordinates, A q + b.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("parallelogram").in_independent_coordinates().all_coordinates([0.5]).round(3))
        [ 0.5 -0.5  0.5 -0.5  0.5]
        """
        b = np.array(self.reduction.quarters) * (np.pi / 2)
        independent = array(q, "q")
        if independent.ndim not in (1, 2) or independent.shape[-1] != self.n:
            raise ArgumentError(
                f"has shape {independent.shape}", argument="q", remedy=f"({self.n},) or (rows, {self.n}) is needed"
            )
        return independent @ np.array(self.reduction.A, dtype=float).reshape(self.whole.n, self.n).T + b

    def prove(self, progress: Callable[[float, float], object] | None = None) -> Certificate:
        """Prove the equations in all coordinates; that the solution closes the loops exactly was proved when it was found."""
        return self.whole.prove(progress)

    def sections(self, full: bool = False) -> list[EquationSection]:
        """What `show` and `latex` write, the solution of the loops first."""
        typeset = tuple(latex_expression(line) for line in self.solution)
        return [
            EquationSection("solution", SectionTitle("Dependent coordinates"), words=self.solution, latex_words=typeset),
            *super().sections(full),
        ]

    def __reduce__(self) -> Any:
        return ReducedEquations, (self.whole, self.reduction.independent, self._start)


class ReducedTerms(Terms):
    """The terms of springs, friction and rotors along the independent coordinates."""

    def __init__(self, eom: ReducedEquations, whole: Terms) -> None:
        super().__init__(eom.system, eom.derived)
        self._eom, self._whole = eom, whole

    @cached_property
    def spring_potential(self) -> RingElement:
        return self._eom._pullback(self._whole.spring_potential)

    @cached_property
    def friction_forces(self) -> list[RingElement]:
        return self._eom.project_forces(self._whole.friction_forces)

    @cached_property
    def rotor_inertias(self) -> list[RingElement]:
        """What the rotors add to the diagonal of M."""
        A, ring = self._eom.reduction.A, self.system.ring
        images = [self._eom._pullback(x) for x in self._whole.rotor_inertias]
        return [ring(sum((x * A[k][a] ** 2 for k, x in enumerate(images)), ring.zero)) for a in range(self.system.n)]


class _ExactLoops:
    """Loops in exact equations, evaluated in numbers for Newton's method: nothing need be compiled."""

    def __init__(self, system: SymbolicSystem, rows: Sequence[ConstraintEquation]) -> None:
        self.mechanism, self._system, self._rows = system.mechanism, system, rows

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        eta = [row.eta for row in self._rows if row.eta is not None]
        return np.array([independent_coordinates.evaluate_elements(self._system, eta, configuration) for configuration in q])

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.array(
            [independent_coordinates.numeric_jacobian(self._system, self._rows, configuration) for configuration in q]
        )


def _close_loops(
    system: SymbolicSystem, rows: Sequence[ConstraintEquation], dependent: Sequence[int], q: np.ndarray
) -> np.ndarray:
    """The configuration near q in which the dependent coordinates alone close the loops."""
    free = np.zeros(system.n)
    free[list(dependent)] = 1.0
    solution = Newton(_ExactLoops(system, rows), free).solve(q[None])
    if solution.violation[0] > CLOSED_TOLERANCE:
        raise MechanismError(
            f"{system.mechanism.name}: the loops could not be closed for these independent coordinates; the nearest pose found "
            f"misses by {solution.violation[0]:.2g}. Give another pose to start from: `q0`"
        )
    configuration: np.ndarray = solution.q[0]
    return configuration
