"""Rigorous bounds of the defect of a polynomial p in y' = f(t, y): of f(t, p) - p'.

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

from lagrangian.validated_integration.balls import working_precision
from lagrangian.validated_integration.error_set import abs_upper
from lagrangian.validated_integration.first_order_system import FirstOrderSystem
from lagrangian.validated_integration.taylor import Coefficients, input_series, series_coefficients

BOUND_BITS = 64  # bits of bounds, of which a few digits matter
MAX_SPLITS = 2  # how often a sector is split before a disc is given up


def disc_bounds(equations: FirstOrderSystem, t: fmpq, y: list[Majorant], width: list[Any], radius: Any) -> list[Any] | None:
    """Bounds M of every entry of f, then of df/dy, on the disc of this radius about t; None where none are found.

    They hold not only on p, but as far from it as `width` says.

    The upper half of the disc is covered by smaller discs, the smaller where f is not bounded on larger ones. The lower half
    needs none: f and p are real where their arguments are, so that values there are conjugate.
    """
    bounds = [arb(0)] * len(equations.rates_and_jacobian.outputs)
    with working_precision(BOUND_BITS):
        pending: list[tuple[Sector, int]] = [(sector, 0) for sector in SECTOR_COVER]
        while pending:
            sector, depth = pending.pop()
            values = _sector_bounds(equations, t, y, width, sector, radius)
            if all(m.is_finite() for m in values):
                bounds = [a.max(b) for a, b in zip(bounds, values, strict=True)]
            elif depth == MAX_SPLITS:
                return None
            else:
                pending += [(part, depth + 1) for part in sector.split()]
    return bounds


def _sector_bounds(
    equations: FirstOrderSystem, t: fmpq, y: list[Majorant], width: list[Any], sector: Sector, radius: Any
) -> list[Any]:
    """Bounds of |f| and |df/dy| on a sector of a disc."""
    z, size, reach = sector.disc(radius)
    spread = arb(0, abs_upper(reach))
    inputs = {key: p.complex_ball(z, p.spread(size, reach) + w) for key, p, w in zip(equations.inputs, y, width, strict=False)}
    inputs["t", 0] = acb(arb(t)) + z + acb(spread, spread)
    return [abs_upper(x) for x in equations.rates_and_jacobian(inputs)]


def defect_coefficients(equations: FirstOrderSystem, t: fmpq, y: Coefficients, precision: int) -> Coefficients:
    """The coefficients of f(t, p) - p' below the order of p."""
    order = len(y[0]) - 1
    with working_precision(precision, order):
        rates = [series_coefficients(x, order) for x in equations.rates(input_series(equations, t, y, order))]
        return [[x - (k + 1) * c[k + 1] for k, x in enumerate(r)] for r, c in zip(rates, y, strict=True)]


def defect_bounds(coefficients: Coefficients, M: list[Any], radius: Any, h: Any) -> list[Any]:
    """Bounds of |f(t, p) - p'| over a step h, shorter than the radius within which f is at most M."""
    order, ratio = len(coefficients[0]), h / radius
    tail = ratio**order / (1 - ratio)
    return [abs_upper(arb_poly([abs_upper(x) for x in c])(h) + m * tail) for c, m in zip(coefficients, M, strict=True)]


class Majorant:
    """A polynomial with real coefficients over balls: its value at the centre, and bounds of the difference elsewhere in a ball.

    |p(c + w) - p(c)| <= P(|c| + |w|) - P(|c|), where P has the absolute values of p's coefficients.
    """

    def __init__(self, coefficients: list[Any]) -> None:
        self.p = arb_poly(coefficients)
        self.P = arb_poly([abs(x) for x in coefficients])

    def spread(self, size: Any, radius: Any) -> Any:
        return abs_upper(self.P(size + radius) - self.P(size))

    def complex_ball(self, center: Any, spread: Any) -> Any:
        r = arb(0, spread)
        return self.p(center) + acb(r, r)

    def real_ball(self, center: Any, radius: Any) -> Any:
        return self.p(center) + arb(0, self.spread(abs(center), radius))


def majorants(y: Coefficients) -> list[Majorant]:
    return [Majorant([+x for x in c]) for c in y]


@dataclass(frozen=True)
class Sector:
    """The points between two circles and two angles; angles are in half turns, sizes in parts of a radius."""

    inner: Fraction
    outer: Fraction
    first: Fraction
    last: Fraction

    def split(self) -> list[Sector]:
        size, angle = (self.inner + self.outer) / 2, (self.first + self.last) / 2
        angles = ((self.first, angle), (angle, self.last))
        return [Sector(a, b, *c) for a, b in ((self.inner, size), (size, self.outer)) for c in angles]

    def disc(self, radius: Any) -> tuple[Any, Any, Any]:
        """A disc that contains the sector: its centre, the centre's absolute value, and its radius."""
        if self.inner == 0 and self.last - self.first == 1:
            return acb(0), arb(0), radius * _ball(self.outer)
        size = radius * _ball((self.inner + self.outer) / 2)
        sine, cosine = arb.sin_cos_pi_fmpq(_fmpq((self.first + self.last) / 2))
        _, half = arb.sin_cos_pi_fmpq(_fmpq((self.last - self.first) / 2))
        # the corners are the furthest from the centre
        edges = [radius * _ball(edge) for edge in (self.inner, self.outer)]
        inner, outer = (abs_upper((size * size + edge * edge - 2 * size * edge * half).sqrt()) for edge in edges)
        return acb(size * cosine, size * sine), size, inner.max(outer)


SECTOR_COVER = [
    Sector(Fraction(0), Fraction(1, 2), Fraction(0), Fraction(1)),
    *(Sector(Fraction(1, 2), Fraction(1), Fraction(k, 8), Fraction(k + 1, 8)) for k in range(8)),
]


def _fmpq(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _ball(x: Fraction) -> Any:
    return arb(_fmpq(x))
