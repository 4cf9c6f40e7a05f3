"""How far a polynomial is from solving y' = f(t, y), rigorously.

The defect f(t, p) - p' is a power series. Its first coefficients are balls; the others are bounded by Cauchy's estimate: where f(t, p) is
analytic and at most M on the disc |z| <= R, the coefficient of z^k is at most M / R^k. f is evaluated over complex balls that
cover the disc, so that M holds everywhere, and so does analyticity: a ball that meets a pole or a branch cut gives no finite M.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from flint import acb, arb, arb_poly, fmpq

from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.precision import bits
from lagrangian.proven_digits.taylor import Coefficients, coefficients, series

LOW = 64  # bits of bounds, of which a few digits matter
EDGES = (0.0, 0.4, 0.6, 0.75, 0.875, 1.0)  # of the rings that cover a disc


def upper(x: Any) -> Any:
    """The largest absolute value in a ball, as an exact number."""
    return arb(x.abs_upper())


class Majorised:
    """A polynomial with real coefficients over balls: the value at the centre, and how far it can be elsewhere in the ball.

    |p(c + w) - p(c)| <= P(|c| + |w|) - P(|c|), where P has the absolute values of p's coefficients.
    """

    def __init__(self, coefficients: list[Any]) -> None:
        self.p = arb_poly(coefficients)
        self.P = arb_poly([abs(x) for x in coefficients])

    def spread(self, size: Any, radius: Any) -> Any:
        return upper(self.P(size + radius) - self.P(size))

    def complex_ball(self, center: Any, spread: Any) -> Any:
        r = arb(0, spread)
        return self.p(center) + acb(r, r)

    def real_ball(self, center: Any, radius: Any) -> Any:
        return self.p(center) + arb(0, self.spread(abs(center), radius))


def majorised(y: Coefficients) -> list[Majorised]:
    return [Majorised([+x for x in c]) for c in y]


def largest(equations: Equations, t: fmpq, y: list[Majorised], radius: Any) -> list[Any] | None:
    """M of every entry of f on the disc of this radius about t; None where a ball gives none."""
    found = [arb(0)] * equations.size
    with bits(LOW):
        for size, reach, centers in _cover(radius):
            spreads = [p.spread(size, reach) for p in y]
            at = arb(0, upper(reach))
            for z in centers:
                inputs = {key: p.complex_ball(z, s) for key, p, s in zip(equations.inputs, y, spreads, strict=False)}
                inputs["t", 0] = acb(arb(t)) + z + acb(at, at)
                for i, x in enumerate(equations.rates(inputs)):
                    m = upper(x)
                    if not m.is_finite():
                        return None
                    found[i] = found[i].max(m)
    return found


def _cover(radius: Any) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Discs that cover the upper half of a disc, in rings: size of their centres, their radius, their centres.

    The lower half needs none: f and p are real where their arguments are, so that values there are conjugate.
    """
    yield arb(0), radius * arb(EDGES[1]), [acb(0)]
    for inner, outer in zip(EDGES[1:], EDGES[2:], strict=False):
        count = math.ceil(math.pi * outer / (outer - inner))
        size, half = radius * (arb(inner) + arb(outer)) / 2, arb.pi() / (2 * count)
        # the corners of a sector are the furthest from its centre
        reach = max(
            (upper((size * size + edge * edge - 2 * size * edge * half.cos()).sqrt()) for edge in (radius * inner, radius * outer)),
            key=float,
        )
        yield size, reach, [acb(size * a.cos(), size * a.sin()) for a in (half * (2 * k + 1) for k in range(count))]


def known_defect(equations: Equations, t: fmpq, y: Coefficients, precision: int) -> Coefficients:
    """The coefficients of f(t, p) - p' below the order of p."""
    order = len(y[0]) - 1
    with bits(precision, order):
        rates = [coefficients(x, order) for x in equations.rates(series(equations, t, y, order))]
        return [[x - (k + 1) * c[k + 1] for k, x in enumerate(r)] for r, c in zip(rates, y, strict=True)]


def defect(known: Coefficients, M: list[Any], radius: Any, h: Any) -> list[Any]:
    """Bounds of |f(t, p) - p'| over a step h, shorter than the radius within which f is at most M."""
    order, ratio = len(known[0]), h / radius
    tail = ratio**order / (1 - ratio)
    return [upper(arb_poly([upper(x) for x in c])(h) + m * tail) for c, m in zip(known, M, strict=True)]
