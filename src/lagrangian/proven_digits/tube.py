"""How errors grow along a polynomial p: a tube about it that no solution leaves.

With e_i = |y_i - p_i|, J = df/dy and d the bound of the defect, e_i' <= J_ii e_i + sum over j of |J_ij| e_j + d_i: so e stays below the
solution of the linear comparison system e' = A e + d (Walter, Differential and Integral Inequalities, 1970). J is bounded over
a tube of some width about p, and the step is proven when e stays below that width.
"""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, fmpq

from lagrangian.proven_digits.bounds import LOW, Majorised, upper
from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.precision import bits

PIECES = 4  # of a step, in each of which J has bounds of its own
WIDTH = 30  # the tube is as wide as one part in 2 to this


class Tube:
    """The bounds of one step from t to t + h; `finite` says whether there are any."""

    def __init__(self, equations: Equations, t: fmpq, y: list[Majorised], h: fmpq) -> None:
        self.finite = True
        self.boxes: list[list[Any]] = []  # where y is in each piece
        self._growth: list[tuple[Any, Any]] = []  # exp(A tau), and exp(A+ tau), where A+ has nothing that decays
        with bits(LOW):
            self.width = [upper((1 + abs(p.p[0])) * arb(2) ** -WIDTH) for p in y]
            self._piece = arb(h) / PIECES
            for k in range(PIECES):
                center, radius = self._piece * (2 * k + 1) / 2, upper(self._piece / 2)
                box = [p.real_ball(center, radius) + arb(0, w) for p, w in zip(y, self.width, strict=True)]
                inputs = dict(zip(equations.inputs, box, strict=False))
                inputs["t", 0] = arb(t) + center + arb(0, radius)
                A = _comparison(equations, equations.slopes(inputs))
                if A is None:
                    self.finite = False
                    return
                positive = arb_mat([[x.max(arb(0)) for x in row] for row in A.tolist()])
                self.boxes.append(box)
                self._growth.append(((A * self._piece).exp(), (positive * self._piece).exp()))

    def error(self, before: list[Any], defect: list[Any]) -> list[Any] | None:
        """The bounds of e at the end of the step; None if they do not stay within the tube."""
        with bits(LOW):
            e, d = _column(before), _column(defect) * self._piece
            for growth, most in self._growth:
                risen = (most * (e + d)).entries()
                if not all(upper(x) < w for x, w in zip(risen, self.width, strict=True)):
                    return None
                e = growth * e + most * d
            return [upper(x) for x in e.entries()]

    def grown(self, before: Any) -> Any:
        """A matrix of errors, one a column, at the end of the step."""
        with bits(LOW):
            for growth, _ in self._growth:
                before = growth * before
            return before.mid()


def _comparison(equations: Equations, slopes: list[Any]) -> Any:
    """A, with the largest J_ii on its diagonal and the largest |J_ij| beside it; None if it is not finite."""
    n = equations.size
    A = [[arb(0)] * n for _ in range(n)]
    for (i, j), x in zip(equations.places, slopes, strict=True):
        A[i][j] = arb(x.upper()) if i == j else upper(x)
        if not A[i][j].is_finite():
            return None
    return arb_mat(A)


def _column(x: list[Any]) -> Any:
    return arb_mat(len(x), 1, x)
