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
Bounds = tuple[np.ndarray, np.ndarray]


def _widened(low: np.ndarray, high: np.ndarray) -> Bounds:
    """With room for rounding; what is not a number is not known."""
    low, high = low - ROUNDING * np.abs(low), high + ROUNDING * np.abs(high)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _product(a: Bounds, b: Bounds) -> Bounds:
    if a is b:  # a square
        high = np.maximum(a[0] ** 2, a[1] ** 2)
        least = np.minimum(a[0] ** 2, a[1] ** 2)
        return _widened(np.where((a[0] <= 0) & (a[1] >= 0), 0.0, least), high)
    corners = np.array([x * y for x in a for y in b])
    corners[np.isnan(corners)] = 0.0  # zero times a bound that is infinite
    return _widened(corners.min(axis=0), corners.max(axis=0))


def _hull(a: Bounds, b: Bounds) -> Bounds:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def _turning(value: Bounds, function: Callable[[np.ndarray], np.ndarray], highest: float) -> Bounds:
    """Of a function of period 2 pi between -1 and 1, which is 1 at `highest` and falls to -1 half a period later."""
    low, high = value
    ends = np.array([function(low), function(high)])
    whole = ~(high - low < 2 * math.pi)

    def passes(angle: float) -> np.ndarray:
        found: np.ndarray = np.floor((high - angle) / (2 * math.pi)) != np.floor((low - angle) / (2 * math.pi))
        return found | whole

    top = np.where(passes(highest), 1.0, ends.max(axis=0))
    bottom = np.where(passes(highest + math.pi), -1.0, ends.min(axis=0))
    room = ROUNDING * (1 + np.maximum(np.abs(low), np.abs(high)))  # beside its peaks, roundings decide whether one is passed
    return bottom - room * (bottom > -1), top + room * (top < 1)


class Enclosure:
    """Bounds of a value and of its slope, in every interval."""

    def __init__(self, value: Bounds, slope: Bounds) -> None:
        self.value, self.slope = value, slope

    @staticmethod
    def of_time(low: np.ndarray, high: np.ndarray) -> Enclosure:
        one = np.ones_like(low)
        return Enclosure((low, high), (one, one))

    def _other(self, x: Any) -> Enclosure:
        if isinstance(x, Enclosure):
            return x
        at = np.broadcast_to(np.asarray(x, dtype=float), self.value[0].shape)
        return Enclosure((at, at), (np.zeros_like(at), np.zeros_like(at)))

    def __add__(self, x: Any) -> Enclosure:
        x = self._other(x)
        (a, b), (c, d), (e, f), (g, h) = self.value, self.slope, x.value, x.slope
        return Enclosure(_widened(a + e, b + f), _widened(c + g, d + h))

    __radd__ = __add__

    def __neg__(self) -> Enclosure:
        return Enclosure((-self.value[1], -self.value[0]), (-self.slope[1], -self.slope[0]))

    def __sub__(self, x: Any) -> Enclosure:
        return self + (-self._other(x))

    def __rsub__(self, x: Any) -> Enclosure:
        return -self + x

    def __mul__(self, x: Any) -> Enclosure:
        if x is self:
            return self.through(_product(self.value, self.value), (2 * self.value[0], 2 * self.value[1]))
        x = self._other(x)
        parts = _product(self.slope, x.value), _product(self.value, x.slope)
        slope = _widened(parts[0][0] + parts[1][0], parts[0][1] + parts[1][1])
        return Enclosure(_product(self.value, x.value), slope)

    __rmul__ = __mul__

    def through(self, value: Bounds, slope: Bounds) -> Enclosure:
        """g(x), from bounds of g and of g'."""
        return Enclosure(_widened(*value), _product(slope, self.slope))

    def _inverse(self) -> Enclosure:
        low, high = self.value
        safe = (low > 0) | (high < 0)
        ends = np.where(safe, 1 / np.where(safe, high, 1.0), -np.inf), np.where(safe, 1 / np.where(safe, low, 1.0), np.inf)
        square = _product(ends, ends)
        return self.through(ends, (-square[1], -square[0]))

    def __truediv__(self, x: Any) -> Enclosure:
        return self * x._inverse() if isinstance(x, Enclosure) else self * (1.0 / x)

    def __rtruediv__(self, x: Any) -> Enclosure:
        return self._inverse() * x

    def _rising(self, function: Any, slope: Any, domain: tuple[float, float] = (-math.inf, math.inf)) -> Enclosure:
        """Of a function that rises, with bounds of its slope at bounds of x; outside its domain nothing is known."""
        low, high = (np.clip(x, *domain) for x in self.value)
        return self.through((function(low), function(high)), slope(low, high))

    def sin(self) -> Enclosure:
        return self.through(_turning(self.value, np.sin, math.pi / 2), _turning(self.value, np.cos, 0.0))

    def cos(self) -> Enclosure:
        low, high = _turning(self.value, np.sin, math.pi / 2)
        return self.through(_turning(self.value, np.cos, 0.0), (-high, -low))

    def exp(self) -> Enclosure:
        return self._rising(np.exp, lambda a, b: (np.exp(a), np.exp(b)))

    def log(self) -> Enclosure:
        return self._rising(np.log, lambda a, b: (1 / b, 1 / a), (0.0, math.inf))

    def sqrt(self) -> Enclosure:
        return self._rising(np.sqrt, lambda a, b: (0.5 / np.sqrt(b), 0.5 / np.sqrt(a)), (0.0, math.inf))

    def tanh(self) -> Enclosure:
        return self._rising(np.tanh, lambda a, b: _bell(lambda x: 1 / np.cosh(np.clip(x, -350, 350)) ** 2, a, b))

    def atan(self) -> Enclosure:
        return self._rising(np.arctan, lambda a, b: _bell(lambda x: 1 / (1 + x * x), a, b))

    def asin(self) -> Enclosure:
        return self._rising(np.arcsin, lambda a, b: (np.ones_like(a), np.full_like(a, np.inf)), (-1.0, 1.0))

    def acos(self) -> Enclosure:
        return -self.asin() + math.pi / 2

    def floor(self) -> Enclosure:
        low, high = (np.floor(x) for x in self.value)
        return Enclosure((low, high), _jump(low != high))

    def atan2(self, x: Any) -> Enclosure:
        return self._unknown(math.pi)

    def atan2_of(self, y: Any) -> Enclosure:
        return self._unknown(math.pi)

    def _unknown(self, most: float) -> Enclosure:
        size = np.full_like(self.value[0], most)
        return Enclosure((-size, size), (np.full_like(size, -np.inf), np.full_like(size, np.inf)))

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Enclosure:
        a, b, x, y = (self._other(g) for g in (a, b, x, y))
        less, more = a.value[1] < b.value[0], a.value[0] >= b.value[1]
        between, jump = _hull(x.value, y.value), _jump(~(less | more))
        value = (np.where(less, x.value[k], np.where(more, y.value[k], between[k])) for k in (0, 1))
        slope = (np.where(less, x.slope[k], np.where(more, y.slope[k], jump[k])) for k in (0, 1))
        return Enclosure(tuple(value), tuple(slope))  # type: ignore[arg-type]


def _jump(where: np.ndarray) -> Bounds:
    """The slope of what jumps there, and is constant elsewhere."""
    return np.where(where, -np.inf, 0.0), np.where(where, np.inf, 0.0)


def _bell(function: Any, low: np.ndarray, high: np.ndarray) -> Bounds:
    """Of a function that rises to 1 at 0 and falls from there."""
    ends = np.array([function(low), function(high)])
    return ends.min(axis=0), np.where((low <= 0) & (high >= 0), 1.0, ends.max(axis=0))
