"""The Taylor polynomial of a solution, by Newton's method on power series (Brent and Kung 1978).

Each pass doubles the terms that are right: with y right to n terms, the rest e solves e' = J e + f(y) - y' to 2 n + 1 terms,
where J = df/dy along y. The products of series are FLINT's. The result is an approximation, whose coefficients are taken as
exact numbers; `bounds` and `tube` find afterwards how far it is from the solution.
"""

from __future__ import annotations

from operator import mul
from typing import Any

from flint import arb, arb_series, fmpq

from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.first_order_system import FirstOrderSystem

Coefficients = list[list[Any]]  # of each entry of y, the constant term first
GUARD_BITS = 30  # by which the matrix of a pass is more precise than its result


def taylor_polynomial(equations: FirstOrderSystem, t: fmpq, start: list[Any], order: int, precision: int) -> Coefficients:
    """The coefficients of y about t, up to the power `order`, where y(t) = start; all are exact numbers."""
    y: Coefficients = [[x.mid()] for x in start]
    while len(y[0]) <= order:
        n = len(y[0])
        term_count = min(2 * n + 1, order + 1)
        with working_precision(precision, term_count - 1):
            rates = equations.rates(input_series(equations, t, y, term_count - 1))
            residual = [series_coefficients(x, term_count - 1)[n - 1 :] for x in rates]
        # the remainder is as small as the n-th term, and need be no more precise than that
        with working_precision(max(64, precision * (order - n) // order) + GUARD_BITS, max(1, term_count - 1 - n)):
            e = _solve_linear(equations, _jacobian_series(equations, t, y, term_count - 1 - n), residual, n)
        for row, more in zip(y, e, strict=True):
            row += [x.mid() for x in more]
    return y


def _jacobian_series(equations: FirstOrderSystem, t: fmpq, y: Coefficients, terms: int) -> list[tuple[int, int, Any]]:
    """df/dy along y: row, column, and the coefficients, or a number where it is one."""
    if terms < 1:
        return []
    entries = equations.jacobian(input_series(equations, t, [c[:terms] for c in y], terms))
    return [
        (i, j, series_coefficients(x, terms) if constant is None else constant)
        for (i, j), constant, x in zip(equations.jacobian_indices, equations.constant_entries, entries, strict=True)
    ]


def _solve_linear(
    equations: FirstOrderSystem, slopes: list[tuple[int, int, Any]], residual: Coefficients, n: int
) -> Coefficients:
    """The coefficients of e' = J e + r from the n-th on, where r begins with the power n - 1."""
    e: Coefficients = [[] for _ in residual]
    for k in range(len(residual[0])):
        new = [r[k] for r in residual]
        for i, j, slope in slopes:
            if not k:
                continue
            if isinstance(slope, list):
                new[i] += sum(map(mul, slope[:k], reversed(e[j])), arb(0))
            else:
                new[i] += slope * e[j][k - 1]
        for row, x in zip(e, new, strict=True):
            row.append(x / (n + k))
    return e


def input_series(equations: FirstOrderSystem, t: fmpq, y: Coefficients, terms: int) -> dict[tuple[str, int], Any]:
    """The inputs of a tape, as series in the time after t."""
    inputs = {key: arb_series(c, terms) for key, c in zip(equations.inputs, y, strict=False)}
    inputs["t", 0] = arb_series([arb(t), arb(1)], terms)
    return inputs


def series_coefficients(x: Any, terms: int) -> list[Any]:
    """The coefficients of a series, or of a number, as many as `terms`."""
    if not isinstance(x, arb_series):
        return [x, *[arb(0)] * (terms - 1)]
    known_terms = x.coeffs()
    return known_terms + [arb(0)] * (terms - len(known_terms))
