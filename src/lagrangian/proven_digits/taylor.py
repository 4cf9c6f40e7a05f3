"""The Taylor polynomial of a solution, by Newton's method on power series (Brent and Kung 1978).

Each pass doubles the terms that are right: with y right to n terms, the rest e solves e' = J e + f(y) - y' to 2 n + 1 terms,
where J = df/dy along y. The products of series are FLINT's. What comes out is an approximation, whose coefficients are taken as
exact numbers; how far it is from the solution is found afterwards, by `defect` and `tube`.
"""

from __future__ import annotations

from operator import mul
from typing import Any

from flint import arb, arb_series, fmpq

from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.precision import bits

Coefficients = list[list[Any]]  # of each entry of y, the constant term first
GUARD = 30  # bits by which the matrix of a pass is more precise than what it gives


def series(equations: Equations, t: fmpq, y: Coefficients, terms: int) -> dict[tuple[str, int], Any]:
    """The inputs of a tape, as series in the time after t."""
    found = {key: arb_series(c, terms) for key, c in zip(equations.inputs, y, strict=False)}
    found["t", 0] = arb_series([arb(t), arb(1)], terms)
    return found


def coefficients(x: Any, terms: int) -> list[Any]:
    """Of a series, or of a number, as many as `terms`."""
    if not isinstance(x, arb_series):
        return [x, *[arb(0)] * (terms - 1)]
    found = x.coeffs()
    return found + [arb(0)] * (terms - len(found))


def polynomial(equations: Equations, t: fmpq, start: list[Any], order: int, precision: int) -> Coefficients:
    """The coefficients of y about t, up to the power `order`, where y(t) = start; all are exact numbers."""
    y: Coefficients = [[x.mid()] for x in start]
    while len(y[0]) <= order:
        n = len(y[0])
        wanted = min(2 * n + 1, order + 1)
        with bits(precision, wanted - 1):
            rates = equations.rates(series(equations, t, y, wanted - 1))
            residual = [coefficients(x, wanted - 1)[n - 1 :] for x in rates]
        # what is left is as small as the n-th term, and need be no more precise than that
        with bits(max(64, precision * (order - n) // order) + GUARD, max(1, wanted - 1 - n)):
            e = _linear(equations, _slopes(equations, t, y, wanted - 1 - n), residual, n)
        for mine, more in zip(y, e, strict=True):
            mine += [x.mid() for x in more]
    return y


def _slopes(equations: Equations, t: fmpq, y: Coefficients, terms: int) -> list[tuple[int, int, Any]]:
    """df/dy along y: row, column, and the coefficients, or a number where it is one."""
    if terms < 1:
        return []
    found = equations.slopes(series(equations, t, [c[:terms] for c in y], terms))
    return [
        (i, j, coefficients(x, terms) if fixed is None else fixed)
        for (i, j), fixed, x in zip(equations.places, equations.steady, found, strict=True)
    ]


def _linear(equations: Equations, slopes: list[tuple[int, int, Any]], residual: Coefficients, n: int) -> Coefficients:
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
        for mine, x in zip(e, new, strict=True):
            mine.append(x / (n + k))
    return e
