"""Equations of a closed mechanism in independent coordinates: whole equations, of which the loops are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.cached import cached_property
from lagrangian.closed_form.parts.energies import EnergiesPart
from lagrangian.closed_form.parts.output import OutputPart
from lagrangian.closed_form.sections import Section, Title
from lagrangian.closed_form.terms import Terms
from lagrangian.configuration.loops import CLOSED
from lagrangian.configuration.newton import Newton
from lagrangian.equations import reduced
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.constraints import Row
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import System
from lagrangian.equations.writing.notation import typeset_words
from lagrangian.errors import ArgumentError, MechanismError
from lagrangian.model.loop import Frame
from lagrangian.proof.certificate import Certificate
from lagrangian.proof.prove import Derived
from lagrangian.public import methods

if TYPE_CHECKING:
    from lagrangian.closed_form.equations import Equations


@methods
class ReducedEquations(EnergiesPart, OutputPart):
    """Equations of a closed mechanism in independent coordinates.

    `Equations.reduced` returns this object. It has the members of `Equations` that do not concern constraints. `tau` is what acts
    along the independent coordinates: A^T tau for joint forces tau, where q = A q_i + b.

    Attributes
    ----------
    whole : Equations
        The equations in all coordinates, with the loops.
    solution : tuple of str
        The other coordinates as sums of the independent ones.
    reduction : Reduction
        The matrix A and the angles b, exact.

    Examples
    --------
    >>> import lagrangian as lg
    >>> reduced = lg.derive("parallelogram").reduced()
    >>> print("; ".join(reduced.solution))
    phi1 = -theta0; theta1 = theta0; phi2 = -theta0; theta2 = theta0
    >>> print(reduced.rows[0])
    3*m*L^2*qdd_theta0 + 7*m*L*g*cos(theta0)/2 = tau1
    """

    def __init__(self, whole: Equations, independent: Sequence[int], at: Sequence[float]) -> None:
        self.whole, self._at = whole, list(at)
        self.reduction = reduced.solve(whole.system, whole._rows_of_constraints, independent, at, _closed)
        self.solution = tuple(self.reduction.text(whole.coordinates))
        self._pulled = reduced.Pullback(whole.system, self.reduction)
        system = self._pulled.reduced
        A, n, m, ring = self.reduction.A, whole.n, len(independent), system.ring
        moved = [[self._pulled(x) for x in row] for row in whole.derived.M]
        M = [
            [ring(sum((moved[i][j] * (A[i][a] * A[j][b]) for i in range(n) for j in range(n)), ring.zero)) for b in range(m)]
            for a in range(m)
        ]
        V = self._pulled(whole.derived.V)
        super().__init__(system, Derived(M, lagrange.Christoffel(system, M), lagrange.gradient(system, V), V), [])
        self._terms = ReducedTerms(self, whole._terms)

    @cached_property
    def _rows_of_constraints(self) -> list[Row]:
        """There are none left."""
        return []

    def along(self, elements: Sequence[Element]) -> list[Element]:
        """A^T x: what acts along the independent coordinates, of something that acts along all."""
        ring, A = self.system.ring, self.reduction.A
        moved = [self._pulled(ring_element) for ring_element in elements]
        return [ring(sum((x * A[k][a] for k, x in enumerate(moved)), ring.zero)) for a in range(self.n)]

    @cached_property
    def kinetic_energies(self) -> Mapping[str, Formula]:
        """Of every link that has inertia, by its name, and of rotors."""
        return {name: self._made.formula(self._pulled(x.element)) for name, x in self.whole.kinetic_energies.items()}

    @cached_property
    def potential_energies(self) -> Mapping[str, Formula]:
        """Of every link that has inertia, by its name, and of springs."""
        return {name: self._made.formula(self._pulled(x.element)) for name, x in self.whole.potential_energies.items()}

    def pose(self, frame: str | Frame) -> FormulaMatrix:
        """The frame's 4x4 homogeneous matrix in the world."""
        return self._made.matrix("T", [[self._pulled(x.element) for x in row] for row in self.whole.pose(frame).rows])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """J, 6 x n: (angular velocity, velocity of the origin) = J q', along the world's axes."""
        return self._made.matrix("J", [self.along([x.element for x in row]) for row in self.whole.jacobian(frame).rows])

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
        >>> print(lg.derive("parallelogram").reduced().all_coordinates([0.5]).round(3))
        [ 0.5 -0.5  0.5 -0.5  0.5]
        """
        b = np.array(self.reduction.quarters) * (np.pi / 2)
        given = array(q, "q")
        if given.ndim not in (1, 2) or given.shape[-1] != self.n:
            raise ArgumentError(f"has shape {given.shape}", argument="q", remedy=f"({self.n},) or (rows, {self.n}) is needed")
        return given @ np.array(self.reduction.A, dtype=float).reshape(self.whole.n, self.n).T + b

    def prove(self, progress: Callable[[float, float], object] | None = None) -> Certificate:
        """Prove the equations of the whole; that the solution closes its loops exactly was proved when they were reduced."""
        return self.whole.prove(progress)

    def sections(self, full: bool = False) -> list[Section]:
        """What `show` and `latex` write, the solution of the loops first."""
        typeset = tuple(typeset_words(line) for line in self.solution)
        return [
            Section("solution", Title("Dependent coordinates"), words=self.solution, typeset=typeset),
            *super().sections(full),
        ]

    def __reduce__(self) -> Any:
        return ReducedEquations, (self.whole, self.reduction.independent, self._at)


class ReducedTerms(Terms):
    """Springs, friction and rotors, along the independent coordinates."""

    def __init__(self, eom: ReducedEquations, whole: Terms) -> None:
        super().__init__(eom.system, eom.derived)
        self._eom, self._whole = eom, whole

    @cached_property
    def spring_potential(self) -> Element:
        return self._eom._pulled(self._whole.spring_potential)

    @cached_property
    def friction(self) -> list[Element]:
        return self._eom.along(self._whole.friction)

    @cached_property
    def rotors(self) -> list[Element]:
        """What the rotors add to the diagonal of M."""
        A, ring = self._eom.reduction.A, self.system.ring
        moved = [self._eom._pulled(x) for x in self._whole.rotors]
        return [ring(sum((x * A[k][a] ** 2 for k, x in enumerate(moved)), ring.zero)) for a in range(self.system.n)]


class _ExactLoops:
    """Loops in exact equations, evaluated in numbers for Newton's method: nothing need be compiled."""

    def __init__(self, system: System, rows: Sequence[Row]) -> None:
        self.mechanism, self._system, self._rows = system.mechanism, system, rows

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        eta = [row.eta for row in self._rows if row.eta is not None]
        return np.array([reduced.numeric(self._system, eta, one) for one in q])

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.array([reduced.jacobian(self._system, self._rows, one) for one in q])


def _closed(system: System, rows: Sequence[Row], dependent: Sequence[int], q: np.ndarray) -> np.ndarray:
    """q with the loops closed by the dependent coordinates alone."""
    free = np.zeros(system.n)
    free[list(dependent)] = 1.0
    found = Newton(_ExactLoops(system, rows), free).solve(q[None])
    if found.miss[0] > CLOSED:
        raise MechanismError(
            f"{system.mechanism.name}: the loops could not be closed for these independent coordinates; the nearest pose found "
            f"misses by {found.miss[0]:.2g}. Give another pose to start from: `at`"
        )
    closed: np.ndarray = found.q[0]
    return closed
