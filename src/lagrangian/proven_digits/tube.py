"""How errors grow along a polynomial p: a tube about it that no solution leaves, and the matrix by which a step multiplies them.

The error e = y - p has e' = J e + d, where d is the defect, and J is df/dy between p and y, the mean along the line. J lies in a
power series of balls, as long as y is within the tube: its coefficients are computed with the tube's width, and Cauchy's estimate
bounds those that are not. An approximate solution X of X' = J X is found from their midpoints; by how much it misses bounds how
far it is from the true one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from flint import arb, arb_mat, arb_series, fmpq

from lagrangian.proven_digits.bounds import LOW, Majorised
from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.parallelepiped import Errors, absolute, column, identity, upper, uppers
from lagrangian.proven_digits.precision import bits
from lagrangian.proven_digits.taylor import Coefficients, coefficients

ACCURACY = 48  # bits of the matrix by which errors are multiplied
PIECES = 4  # of a step, in each of which |J| is bounded
# a tube is as wide as one part in 2 to NARROW, and errors have room to grow by so much; but never as wide as one in 2 to WIDE
NARROW, ROOM, WIDE = 52, 1024, 16


def widths(y: list[Any], error: list[Any]) -> list[Any] | None:
    """Of a tube in which errors have room to grow; None if it would be too wide."""
    with bits(LOW):
        most = max(error, key=lambda e: -math.inf if e == 0 else float(e.log()), default=arb(0))
        found = [upper((1 + abs(x)) * arb(2) ** -NARROW + most * ROOM) for x in y]
        return found if all(w < (1 + abs(x)) * arb(2) ** -WIDE for w, x in zip(found, y, strict=True)) else None


class Tube:
    """The bounds of one step from t to t + h; `finite` says whether there are any."""

    def __init__(self, equations: Equations, t: fmpq, y: list[Majorised], width: list[Any], h: fmpq) -> None:
        self.equations, self.t, self.width, self._y = equations, t, width, y
        n = equations.size
        with bits(LOW):
            self.h = arb(h)
            most = arb_mat(n, n)
            for time, box in self.boxes(PIECES):
                inputs = dict(zip(equations.inputs, box, strict=False))
                inputs["t", 0] = arb(t) + time
                for (i, j), x in zip(equations.places, equations.slopes(inputs), strict=True):
                    most[i, j] = most[i, j].max(upper(x))
            self.finite = all(x.is_finite() for x in most.entries())
            # what is multiplied by J over the step grows at most by this
            self.risen = (most * self.h).exp() if self.finite else most

    def boxes(self, pieces: int) -> Iterator[tuple[Any, list[Any]]]:
        """Where y is in each of so many pieces of the step: times after t, and y."""
        with bits(LOW):
            piece = self.h / pieces
            for k in range(pieces):
                center, radius = piece * (2 * k + 1) / 2, upper(piece / 2)
                box = [p.real_ball(center, radius) + arb(0, w) for p, w in zip(self._y, self.width, strict=True)]
                yield center + arb(0, radius), box

    def carried(self, errors: Errors, defect: list[Any], growth: Any) -> Errors | None:
        """The errors at the end of the step; None if they do not stay within the tube."""
        with bits(LOW):
            added = self.risen * column(defect) * self.h
            on_the_way = uppers(self.risen * column(errors.box) + added)
            if not all(x < w for x, w in zip(on_the_way, self.width, strict=True)):
                return None
            return errors.after(growth, uppers(added))

    def growth(self, y: Coefficients, M: list[Any], radius: Any) -> Any:
        """The matrix by which the step multiplies errors, as balls; M bounds the entries of J on the disc of this radius."""
        n = self.equations.size
        with bits(LOW):
            ratio = self.h / radius
            wanted = ACCURACY + math.log2(max(1.0, *(float(m) for m in M)))
            terms = min(len(y[0]) - 1, math.ceil(wanted / math.log2(1 / float(ratio))))
            J = self._series(y, terms)
            X, missed = _approximate(J, self.h)
            # what is multiplied beyond the last power, and Cauchy's estimate of the terms of J that are not known
            rest = arb_mat(n, n)
            for (i, j), m in zip(self.equations.places, M, strict=True):
                rest[i, j] = upper(m * ratio**terms / (1 - ratio))
            for i in range(terms + 1):
                if i:
                    rest += absolute(J[terms - i]) * self.h ** (terms - i)
                missed += rest * absolute(X[i]) * self.h**i
            value = arb_mat(n, n)
            for x in reversed(X):
                value = value * self.h + x
            off = self.risen * missed * self.h
            balls = [x + arb(0, upper(r)) for x, r in zip(value.entries(), off.entries(), strict=True)]
            return arb_mat(n, n, balls)

    def _series(self, y: Coefficients, terms: int) -> list[Any]:
        """The coefficients of J as matrices of balls, for all y within the tube."""
        eq, n = self.equations, self.equations.size
        with bits(LOW, terms):
            inputs = {
                key: arb_series([c[0] + arb(0, w), *(+x for x in c[1:terms])], terms)
                for key, c, w in zip(eq.inputs, y, self.width, strict=False)
            }
            inputs["t", 0] = arb_series([arb(self.t), arb(1)], terms)
            found = [arb_mat(n, n) for _ in range(terms)]
            for (i, j), x in zip(eq.places, eq.slopes(inputs), strict=True):
                for k, c in enumerate(coefficients(x, terms)):
                    found[k][i, j] = c
            return found


def _approximate(J: list[Any], h: Any) -> tuple[list[Any], Any]:
    """X with X' = J X and X(0) = 1 as a polynomial, and bounds of J X - X' over a step h in the powers that J has."""
    n = J[0].nrows()
    X, missed, power = [identity(n)], arb_mat(n, n), arb(1)
    for k in range(len(J)):
        rate = arb_mat(n, n)
        for j in range(k + 1):
            rate += J[j] * X[k - j]
        X.append((rate * arb(fmpq(1, k + 1))).mid())
        missed += absolute(rate - X[-1] * (k + 1)) * power
        power *= h
    return X, missed
