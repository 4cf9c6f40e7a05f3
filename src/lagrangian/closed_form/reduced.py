"""Equations of a closed mechanism in independent coordinates, as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.configuration.loops import CLOSED
from lagrangian.configuration.newton import Newton
from lagrangian.equations import reduced
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.constraints import Row
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.reading.system import System
from lagrangian.errors import MechanismError

if TYPE_CHECKING:
    from lagrangian.closed_form.parts.basis import Basis
    from lagrangian.closed_form.terms import Terms


class ReducedEquations:
    """M q'' + C q' + G + F = tau in the independent coordinates alone; `solution` says what the others are.

    `tau` is what acts along the independent coordinates, of forces at every joint: A^T tau.
    """

    def __init__(self, whole: Basis, terms: Terms, independent: Sequence[int], at: Sequence[float]) -> None:
        system = whole.system
        self.whole = whole
        found = reduced.solve(system, whole._rows_of_constraints, independent, at, _closed)
        self.independent = tuple(whole.coordinates[k] for k in independent)
        self.solution = tuple(found.text(whole.coordinates))
        pulled = reduced.Pullback(system, found)
        A = found.A
        n, m = system.n, len(independent)
        M, ring = terms.derived.M, system.ring
        moved = [[pulled(x) for x in row] for row in M]
        self._M = [
            [ring(sum((moved[i][j] * (A[i][a] * A[j][b]) for i in range(n) for j in range(n)), ring.zero)) for b in range(m)]
            for a in range(m)
        ]
        self._at = list(independent)
        self.M = self._matrix("M", self._M, symmetric=True)
        rates = [system.speed(k) for k in independent]
        C = [[sum((self._christoffel(a, b, c) * rates[c] for c in range(m)), ring.zero) for b in range(m)] for a in range(m)]
        self.C = self._matrix("C", C)
        self.G = self._pull("G", terms.slopes, A, pulled)
        self.F = self._pull("F", terms.friction, A, pulled)

    def _christoffel(self, a: int, b: int, c: int) -> Element:
        ring, at, M = self.whole.system.ring, self._at, self._M
        twice = ring.derivative(M[a][b], at[c]) + ring.derivative(M[a][c], at[b]) - ring.derivative(M[b][c], at[a])
        return twice / 2

    def christoffel(self, a: int, b: int, c: int) -> Formula:
        """c_abc of the independent coordinates, indices from 0."""
        return Formula(self.whole.writer, self._christoffel(a, b, c))

    def _matrix(self, name: str, rows: Sequence[Sequence[Any]], symmetric: bool = False) -> FormulaMatrix:
        ring, writer = self.whole.system.ring, self.whole.writer
        return FormulaMatrix(name, [[Formula(writer, ring(x)) for x in row] for row in rows], symmetric)

    def _pull(self, name: str, elements: list[Element], A: Any, pulled: reduced.Pullback) -> FormulaMatrix:
        """A^T x."""
        ring, writer = self.whole.system.ring, self.whole.writer
        moved = [pulled(x) for x in elements]
        made = [ring(sum((x * A[k][a] for k, x in enumerate(moved)), ring.zero)) for a in range(len(self._at))]
        return FormulaMatrix(name, [[Formula(writer, x)] for x in made], vector=True)

    def __str__(self) -> str:
        lines = [f"{self.whole.mechanism.name} in {', '.join(self.independent)}", *self.solution, str(self.M)]
        for part in (self.C, self.G, self.F):
            if any(not x.is_zero for row in part.rows for x in row):
                lines.append(str(part))
        return "\n".join(lines)

    __repr__ = __str__


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
            f"{system.mechanism.name}: from the pose to start from, its own unless `at` gives one, no pose was found that closes "
            f"the loops for these independent coordinates; they miss by {found.miss[0]:.2g}"
        )
    closed: np.ndarray = found.q[0]
    return closed
