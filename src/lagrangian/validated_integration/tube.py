"""The growth of errors along a polynomial p: a tube about it that no solution leaves, and the matrix that multiplies errors.

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

from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.bounds import BOUND_BITS, Majorant
from lagrangian.validated_integration.error_set import ErrorSet, abs_upper, abs_uppers, column, identity, matrix_bounds
from lagrangian.validated_integration.first_order_system import FirstOrderSystem
from lagrangian.validated_integration.taylor import Coefficients, series_coefficients

GROWTH_BITS = 48  # bits of the matrix by which errors are multiplied
PIECES = 4  # of a step, in each of which |J| is bounded
MIN_WIDTH_BITS = 52  # a tube is at least as wide as one part in 2 to this power
MAX_WIDTH_BITS = 16  # and never as wide as one part in 2 to this power
WIDTH_MARGIN = 1024  # by which errors have room to grow


class Tube:
    """The bounds of one step from t to t + h; `finite` says whether there are any."""

    def __init__(self, equations: FirstOrderSystem, t: fmpq, y: list[Majorant], width: list[Any], h: fmpq) -> None:
        self.equations, self.t, self.width, self._y = equations, t, width, y
        n = equations.size
        with working_precision(BOUND_BITS):
            self.h = arb(h)
            jacobian_bounds = arb_mat(n, n)
            for time, box in self.boxes(PIECES):
                inputs = dict(zip(equations.inputs, box, strict=False))
                inputs["t", 0] = arb(t) + time
                for (i, j), x in zip(equations.jacobian_indices, equations.jacobian(inputs), strict=True):
                    jacobian_bounds[i, j] = jacobian_bounds[i, j].max(abs_upper(x))
            self.finite = all(x.is_finite() for x in jacobian_bounds.entries())
            # vectors that are multiplied by J over the step grow at most by this
            self.growth_bound = (jacobian_bounds * self.h).exp() if self.finite else jacobian_bounds

    def boxes(self, pieces: int) -> Iterator[tuple[Any, list[Any]]]:
        """Boxes that contain y in each piece of the step: the times after t, and the box."""
        with working_precision(BOUND_BITS):
            piece = self.h / pieces
            for k in range(pieces):
                center, radius = piece * (2 * k + 1) / 2, abs_upper(piece / 2)
                box = [p.real_ball(center, radius) + arb(0, w) for p, w in zip(self._y, self.width, strict=True)]
                yield center + arb(0, radius), box

    def propagate_errors(self, errors: ErrorSet, defect: list[Any], growth: Any) -> ErrorSet | None:
        """The errors at the end of the step; None if they do not stay within the tube."""
        with working_precision(BOUND_BITS):
            added = self.growth_bound * column(defect) * self.h
            errors_in_step = abs_uppers(self.growth_bound * column(errors.box) + added)
            if not all(x < w for x, w in zip(errors_in_step, self.width, strict=True)):
                return None
            return errors.propagate(growth, abs_uppers(added))

    def error_growth(self, y: Coefficients, M: list[Any], radius: Any) -> Any:
        """The matrix by which the step multiplies errors, as balls; M bounds the entries of J on the disc of this radius."""
        n = self.equations.size
        with working_precision(BOUND_BITS):
            ratio = self.h / radius
            bits_needed = GROWTH_BITS + math.log2(max(1.0, *(float(m) for m in M)))
            terms = min(len(y[0]) - 1, math.ceil(bits_needed / math.log2(1 / float(ratio))))
            J = self._jacobian_series(y, terms)
            X, residual_bounds = _fundamental_matrix(J, self.h)
            # the products beyond the last power, and Cauchy's estimate of the terms of J that are not known
            tail_bounds = arb_mat(n, n)
            for (i, j), m in zip(self.equations.jacobian_indices, M, strict=True):
                tail_bounds[i, j] = abs_upper(m * ratio**terms / (1 - ratio))
            for i in range(terms + 1):
                if i:
                    tail_bounds += matrix_bounds(J[terms - i]) * self.h ** (terms - i)
                residual_bounds += tail_bounds * matrix_bounds(X[i]) * self.h**i
            value = arb_mat(n, n)
            for x in reversed(X):
                value = value * self.h + x
            error_bounds = self.growth_bound * residual_bounds * self.h
            balls = [x + arb(0, abs_upper(r)) for x, r in zip(value.entries(), error_bounds.entries(), strict=True)]
            return arb_mat(n, n, balls)

    def _jacobian_series(self, y: Coefficients, terms: int) -> list[Any]:
        """The coefficients of J as matrices of balls, for all y within the tube."""
        eq, n = self.equations, self.equations.size
        with working_precision(BOUND_BITS, terms):
            inputs = {
                key: arb_series([c[0] + arb(0, w), *(+x for x in c[1:terms])], terms)
                for key, c, w in zip(eq.inputs, y, self.width, strict=False)
            }
            inputs["t", 0] = arb_series([arb(self.t), arb(1)], terms)
            matrices = [arb_mat(n, n) for _ in range(terms)]
            for (i, j), x in zip(eq.jacobian_indices, eq.jacobian(inputs), strict=True):
                for k, c in enumerate(series_coefficients(x, terms)):
                    matrices[k][i, j] = c
            return matrices


def _fundamental_matrix(J: list[Any], h: Any) -> tuple[list[Any], Any]:
    """The polynomial X with X' = J X and X(0) = 1, and bounds of J X - X' over a step h in the powers that J has."""
    n = J[0].nrows()
    X, residual_bounds, power = [identity(n)], arb_mat(n, n), arb(1)
    for k in range(len(J)):
        rate = arb_mat(n, n)
        for j in range(k + 1):
            rate += J[j] * X[k - j]
        X.append((rate * arb(fmpq(1, k + 1))).mid())
        residual_bounds += matrix_bounds(rate - X[-1] * (k + 1)) * power
        power *= h
    return X, residual_bounds


def tube_widths(y: list[Any], error: list[Any]) -> list[Any] | None:
    """The widths of a tube in which errors have room to grow; None if it would be too wide."""
    with working_precision(BOUND_BITS):
        largest_error = max(error, key=lambda e: -math.inf if e == 0 else float(e.log()), default=arb(0))
        tube_width = [abs_upper((1 + abs(x)) * arb(2) ** -MIN_WIDTH_BITS + largest_error * WIDTH_MARGIN) for x in y]
        return (
            tube_width if all(w < (1 + abs(x)) * arb(2) ** -MAX_WIDTH_BITS for w, x in zip(tube_width, y, strict=True)) else None
        )
