"""Bounds of a function of time and of its slope over intervals of time: many intervals at once, by interval arithmetic.

Moore, Kearfott and Cloud, Introduction to Interval Analysis (2009). Bounds are widened by what rounding may take away. The slope
is carried along by the chain rule; where a function may jump, or is not defined, it is not bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDING = 4 * np.finfo(float).eps
IntervalBounds = tuple[np.ndarray, np.ndarray]


class DualInterval:
    """Bounds of a value and of its slope, in every interval."""

    def __init__(self, value: IntervalBounds, slope: IntervalBounds) -> None:
        self.value, self.slope = value, slope

    @staticmethod
    def from_times(low: np.ndarray, high: np.ndarray) -> DualInterval:
        one = np.ones_like(low)
        return DualInterval((low, high), (one, one))

    def _as_interval(self, x: Any) -> DualInterval:
        if isinstance(x, DualInterval):
            return x
        values = np.broadcast_to(np.asarray(x, dtype=float), self.value[0].shape)
        return DualInterval((values, values), (np.zeros_like(values), np.zeros_like(values)))

    def __add__(self, x: Any) -> DualInterval:
        x = self._as_interval(x)
        (a, b), (c, d), (e, f), (g, h) = self.value, self.slope, x.value, x.slope
        return DualInterval(_round_outward(a + e, b + f), _round_outward(c + g, d + h))

    __radd__ = __add__

    def __neg__(self) -> DualInterval:
        return DualInterval((-self.value[1], -self.value[0]), (-self.slope[1], -self.slope[0]))

    def __sub__(self, x: Any) -> DualInterval:
        return self + (-self._as_interval(x))

    def __rsub__(self, x: Any) -> DualInterval:
        return -self + x

    def __mul__(self, x: Any) -> DualInterval:
        if x is self:
            return self.chain(_product(self.value, self.value), (2 * self.value[0], 2 * self.value[1]))
        x = self._as_interval(x)
        parts = _product(self.slope, x.value), _product(self.value, x.slope)
        slope = _round_outward(parts[0][0] + parts[1][0], parts[0][1] + parts[1][1])
        return DualInterval(_product(self.value, x.value), slope)

    __rmul__ = __mul__

    def chain(self, value: IntervalBounds, slope: IntervalBounds) -> DualInterval:
        """g(x), from bounds of g and of g'."""
        return DualInterval(_round_outward(*value), _product(slope, self.slope))

    def _inverse(self) -> DualInterval:
        low, high = self.value
        is_nonzero = (low > 0) | (high < 0)
        ends = (
            np.where(is_nonzero, 1 / np.where(is_nonzero, high, 1.0), -np.inf),
            np.where(is_nonzero, 1 / np.where(is_nonzero, low, 1.0), np.inf),
        )
        square = _product(ends, ends)
        return self.chain(ends, (-square[1], -square[0]))

    def __truediv__(self, x: Any) -> DualInterval:
        return self * x._inverse() if isinstance(x, DualInterval) else self * (1.0 / x)

    def __rtruediv__(self, x: Any) -> DualInterval:
        return self._inverse() * x

    def _increasing(self, function: Any, slope: Any, domain: tuple[float, float] = (-math.inf, math.inf)) -> DualInterval:
        """Apply a function that rises, with bounds of its slope at bounds of x; outside its domain the slope is not bounded."""
        low, high = (np.clip(x, *domain) for x in self.value)
        return self.chain((function(low), function(high)), slope(low, high))

    def sin(self) -> DualInterval:
        return self.chain(_periodic_bounds(self.value, np.sin, math.pi / 2), _periodic_bounds(self.value, np.cos, 0.0))

    def cos(self) -> DualInterval:
        low, high = _periodic_bounds(self.value, np.sin, math.pi / 2)
        return self.chain(_periodic_bounds(self.value, np.cos, 0.0), (-high, -low))

    def exp(self) -> DualInterval:
        return self._increasing(np.exp, lambda a, b: (np.exp(a), np.exp(b)))

    def log(self) -> DualInterval:
        return self._increasing(np.log, lambda a, b: (1 / b, 1 / a), (0.0, math.inf))

    def sqrt(self) -> DualInterval:
        return self._increasing(np.sqrt, lambda a, b: (0.5 / np.sqrt(b), 0.5 / np.sqrt(a)), (0.0, math.inf))

    def tanh(self) -> DualInterval:
        return self._increasing(np.tanh, lambda a, b: _bell_bounds(lambda x: 1 / np.cosh(np.clip(x, -350, 350)) ** 2, a, b))

    def atan(self) -> DualInterval:
        return self._increasing(np.arctan, lambda a, b: _bell_bounds(lambda x: 1 / (1 + x * x), a, b))

    def asin(self) -> DualInterval:
        return self._increasing(np.arcsin, lambda a, b: (np.ones_like(a), np.full_like(a, np.inf)), (-1.0, 1.0))

    def acos(self) -> DualInterval:
        return -self.asin() + math.pi / 2

    def floor(self) -> DualInterval:
        low, high = (np.floor(x) for x in self.value)
        return DualInterval((low, high), _jump_slope(low != high))

    def atan2(self, x: Any) -> DualInterval:
        return self._unbounded(math.pi)

    def atan2_of(self, y: Any) -> DualInterval:
        return self._unbounded(math.pi)

    def _unbounded(self, maximum: float) -> DualInterval:
        size = np.full_like(self.value[0], maximum)
        return DualInterval((-size, size), (np.full_like(size, -np.inf), np.full_like(size, np.inf)))

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> DualInterval:
        a, b, x, y = (self._as_interval(g) for g in (a, b, x, y))
        less, not_less = a.value[1] < b.value[0], a.value[0] >= b.value[1]
        hull, jump = _hull(x.value, y.value), _jump_slope(~(less | not_less))
        value = (np.where(less, x.value[k], np.where(not_less, y.value[k], hull[k])) for k in (0, 1))
        slope = (np.where(less, x.slope[k], np.where(not_less, y.slope[k], jump[k])) for k in (0, 1))
        return DualInterval(tuple(value), tuple(slope))  # type: ignore[arg-type]


def _round_outward(low: np.ndarray, high: np.ndarray) -> IntervalBounds:
    """Widen bounds by rounding; a bound that is not a number becomes infinite."""
    low, high = low - ROUNDING * np.abs(low), high + ROUNDING * np.abs(high)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _product(a: IntervalBounds, b: IntervalBounds) -> IntervalBounds:
    if a is b:  # a square
        high = np.maximum(a[0] ** 2, a[1] ** 2)
        low = np.minimum(a[0] ** 2, a[1] ** 2)
        return _round_outward(np.where((a[0] <= 0) & (a[1] >= 0), 0.0, low), high)
    corners = np.array([x * y for x in a for y in b])
    corners[np.isnan(corners)] = 0.0  # zero times a bound that is infinite
    return _round_outward(corners.min(axis=0), corners.max(axis=0))


def _periodic_bounds(value: IntervalBounds, function: Callable[[np.ndarray], np.ndarray], peak: float) -> IntervalBounds:
    """Return bounds of a function of period 2 pi between -1 and 1, which is 1 at `peak` and falls to -1 half a period later."""
    low, high = value
    ends = np.array([function(low), function(high)])
    covers_period = ~(high - low < 2 * math.pi)

    def passes(angle: float) -> np.ndarray:
        crosses: np.ndarray = np.floor((high - angle) / (2 * math.pi)) != np.floor((low - angle) / (2 * math.pi))
        return crosses | covers_period

    top = np.where(passes(peak), 1.0, ends.max(axis=0))
    bottom = np.where(passes(peak + math.pi), -1.0, ends.min(axis=0))
    room = ROUNDING * (1 + np.maximum(np.abs(low), np.abs(high)))  # beside its peaks, roundings decide whether one is passed
    return bottom - room * (bottom > -1), top + room * (top < 1)


def _bell_bounds(function: Any, low: np.ndarray, high: np.ndarray) -> IntervalBounds:
    """Return bounds of a function that rises to 1 at 0 and falls from there."""
    ends = np.array([function(low), function(high)])
    return ends.min(axis=0), np.where((low <= 0) & (high >= 0), 1.0, ends.max(axis=0))


def _jump_slope(where: np.ndarray) -> IntervalBounds:
    """Return the slope of a function that jumps in some intervals, and is constant elsewhere."""
    return np.where(where, -np.inf, 0.0), np.where(where, np.inf, 0.0)


def _hull(a: IntervalBounds, b: IntervalBounds) -> IntervalBounds:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])
