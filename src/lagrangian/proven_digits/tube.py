"""How errors grow along a polynomial p: a tube about it that no solution leaves, and what a step does to a set of errors.

The error e = y - p has e' = J e + d, where J = df/dy lies between p and y, and d is the defect. Over a piece of a step J is Jm, a
constant, give or take D; so the errors are multiplied by a matrix that is exp(Jm tau), give or take
exp((|Jm| + D) tau) - exp(|Jm| tau), term by term of the series that the solution is (Peano, Baker). J is bounded over a tube of
some width about p, and the step is proven when |e| stays below that width.

A set of errors is a parallelepiped Q r with Q nearly orthogonal, turned along with the solutions, so that boxes need not be put
around turned boxes step after step (Lohner 1987; Nedialkov, Jackson and Corliss 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq

from lagrangian.proven_digits.bounds import LOW, Majorised, upper
from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.precision import bits

PIECES = 16  # of a step, in each of which J has bounds of its own
WIDTH = 30  # the tube is as wide as one part in 2 to this


@dataclass
class Errors:
    """The vectors Q x with |x_i| <= r_i."""

    Q: Any
    r: list[Any]

    @staticmethod
    def of(radii: list[Any]) -> Errors:
        n = len(radii)
        return Errors(arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)]), radii)

    @property
    def box(self) -> list[Any]:
        """Bounds of the entries."""
        return _upper(_absolute(self.Q) * _column(self.r))

    def after(self, growth: Any, added: list[Any]) -> Errors:
        """The set multiplied by a matrix, with errors of at most `added` besides."""
        moved = growth * self.Q
        Q = _directions(moved, self.r)
        inverse = Q.inv()
        r = _absolute(inverse * moved) * _column(self.r) + _absolute(inverse) * _column(added)
        return Errors(Q, _upper(r))

    def with_more(self, added: list[Any]) -> Errors:
        """The set with errors of at most `added` besides."""
        return Errors(self.Q, _upper(_column(self.r) + _absolute(self.Q.inv()) * _column(added)))


class Tube:
    """The bounds of one step from t to t + h; `finite` says whether there are any."""

    def __init__(self, equations: Equations, t: fmpq, y: list[Majorised], h: fmpq) -> None:
        self.finite = True
        self.boxes: list[list[Any]] = []  # where y is in each piece
        self._pieces: list[tuple[Any, Any]] = []  # by what errors are multiplied, and by how much at most on the way
        n = equations.size
        with bits(LOW):
            self.width = [upper((1 + abs(p.p[0])) * arb(2) ** -WIDTH) for p in y]
            self._tau = arb(h) / PIECES
            for k in range(PIECES):
                center, radius = self._tau * (2 * k + 1) / 2, upper(self._tau / 2)
                box = [p.real_ball(center, radius) + arb(0, w) for p, w in zip(y, self.width, strict=True)]
                inputs = dict(zip(equations.inputs, box, strict=False))
                inputs["t", 0] = arb(t) + center + arb(0, radius)
                mid, most = arb_mat(n, n), arb_mat(n, n)
                for (i, j), x in zip(equations.places, equations.slopes(inputs), strict=True):
                    mid[i, j], most[i, j] = x.mid(), upper(x)
                    if not most[i, j].is_finite():
                        self.finite = False
                        return
                self.boxes.append(box)
                risen = (most * self._tau).exp()
                self._pieces.append((_widened((mid * self._tau).exp(), risen - (_absolute(mid) * self._tau).exp()), risen))

    def carried(self, errors: Errors, defect: list[Any]) -> Errors | None:
        """The errors at the end of the step; None if they do not stay within the tube."""
        with bits(LOW):
            d = _column(defect) * self._tau
            growth = Errors.of(errors.r).Q
            added = _column([arb(0)] * len(defect))
            for piece, most in self._pieces:
                start = _absolute(growth * errors.Q) * _column(errors.r) + added
                on_the_way = _upper(most * (start + d))
                if not all(x < w for x, w in zip(on_the_way, self.width, strict=True)):
                    return None
                added = _absolute(piece) * added + most * d
                growth = piece * growth
            return errors.after(growth, _upper(added))

    def grown(self, errors: Errors) -> Errors:
        """How a set of errors grows, however large it is."""
        with bits(LOW):
            growth = Errors.of(errors.r).Q
            for piece, _ in self._pieces:
                growth = piece * growth
            return errors.after(growth, [arb(0)] * len(errors.r))


def _directions(moved: Any, r: list[Any]) -> Any:
    """A nearly orthogonal matrix whose columns follow those of the moved set, the longest first."""
    with np.errstate(all="ignore"):
        largest = max(r, key=lambda x: float(x.log()) if x > 0 else -np.inf)
        scale = [float(x / largest) if largest > 0 else 1.0 for x in r]
        columns = np.array([[float(x.mid()) for x in row] for row in moved.tolist()]) * np.array(scale)
        order = np.argsort(-np.linalg.norm(columns, axis=0))
        Q, _ = np.linalg.qr(columns[:, order])
    n = len(r)
    return arb_mat(n, n, [float(x) for x in (Q if np.isfinite(Q).all() else np.eye(n)).ravel()])


def _absolute(A: Any) -> Any:
    return arb_mat(A.nrows(), A.ncols(), [upper(x) for x in A.entries()])


def _widened(A: Any, by: Any) -> Any:
    widths = [arb(0, upper(x)) for x in by.entries()]
    return arb_mat(A.nrows(), A.ncols(), [x + w for x, w in zip(A.entries(), widths, strict=True)])


def _upper(column: Any) -> list[Any]:
    return [upper(x) for x in column.entries()]


def _column(x: list[Any]) -> Any:
    return arb_mat(len(x), 1, x)
