"""How far a polynomial is from solving y' = f(t, y), rigorously.

The defect f(t, p) - p' is a power series. Its first coefficients are balls; the others are bounded by Cauchy's estimate: where
f(t, p) is analytic and at most M on the disc |z| <= R, the coefficient of z^k is at most M / R^k. f is evaluated over complex
balls that cover the disc, so that M holds everywhere, and so does analyticity: a ball that meets a pole or a branch cut gives no
finite M.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import acb, arb, arb_poly, fmpq

from lagrangian.proven_digits.equations import Equations
from lagrangian.proven_digits.parallelepiped import upper
from lagrangian.proven_digits.precision import bits
from lagrangian.proven_digits.taylor import Coefficients, coefficients, series

LOW = 64  # bits of bounds, of which a few digits matter


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


def largest(equations: Equations, t: fmpq, y: list[Majorised], width: list[Any], radius: Any) -> list[Any] | None:
    """M of every entry of f, then of df/dy, on the disc of this radius about t; None where none is found.

    They hold not only on p, but as far from it as `width` says.

    The upper half of the disc is covered by smaller discs, the smaller where f is not bounded on larger ones. The lower half
    needs none: f and p are real where their arguments are, so that values there are conjugate.
    """
    found = [arb(0)] * len(equations.rates_and_slopes.outputs)
    with bits(LOW):
        left: list[tuple[Sector, int]] = [(sector, 0) for sector in COVER]
        while left:
            sector, depth = left.pop()
            values = _over(equations, t, y, width, sector, radius)
            if all(m.is_finite() for m in values):
                found = [a.max(b) for a, b in zip(found, values, strict=True)]
            elif depth == SPLITS:
                return None
            else:
                left += [(part, depth + 1) for part in sector.parts()]
    return found


@dataclass(frozen=True)
class Sector:
    """The points between two circles and two angles; angles are in half turns, sizes in parts of a radius."""

    inner: Fraction
    outer: Fraction
    first: Fraction
    last: Fraction

    def parts(self) -> list[Sector]:
        size, angle = (self.inner + self.outer) / 2, (self.first + self.last) / 2
        angles = ((self.first, angle), (angle, self.last))
        return [Sector(a, b, *c) for a, b in ((self.inner, size), (size, self.outer)) for c in angles]

    def disc(self, radius: Any) -> tuple[Any, Any, Any]:
        """A disc that has all its points: its centre, the centre's size, and its radius."""
        if self.inner == 0 and self.last - self.first == 1:
            return acb(0), arb(0), radius * _ball(self.outer)
        size = radius * _ball((self.inner + self.outer) / 2)
        sine, cosine = arb.sin_cos_pi_fmpq(_fmpq((self.first + self.last) / 2))
        _, half = arb.sin_cos_pi_fmpq(_fmpq((self.last - self.first) / 2))
        # the corners are the furthest from the centre
        edges = [radius * _ball(edge) for edge in (self.inner, self.outer)]
        inner, outer = (upper((size * size + edge * edge - 2 * size * edge * half).sqrt()) for edge in edges)
        return acb(size * cosine, size * sine), size, inner.max(outer)


def _fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _ball(x: Fraction) -> Any:
    return arb(_fmpq(x))


COVER = [
    Sector(Fraction(0), Fraction(1, 2), Fraction(0), Fraction(1)),
    *(Sector(Fraction(1, 2), Fraction(1), Fraction(k, 8), Fraction(k + 1, 8)) for k in range(8)),
]
SPLITS = 2  # how often a sector is split before a disc is given up


def _over(equations: Equations, t: fmpq, y: list[Majorised], width: list[Any], sector: Sector, radius: Any) -> list[Any]:
    """Bounds of |f| and |df/dy| on a sector of a disc."""
    z, size, reach = sector.disc(radius)
    spread = arb(0, upper(reach))
    near = zip(equations.inputs, y, width, strict=False)
    inputs = {key: p.complex_ball(z, p.spread(size, reach) + w) for key, p, w in near}
    inputs["t", 0] = acb(arb(t)) + z + acb(spread, spread)
    return [upper(x) for x in equations.rates_and_slopes(inputs)]


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
