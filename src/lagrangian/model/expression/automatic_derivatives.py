"""Expressions of many samples at once, with their derivatives by parameters: automatic differentiation in forward mode.

A scalar has one value for every sample of a parameter, and its slopes along the parameters. Every operation is done on each value
as on a float alone, so that a sample has the same bits by itself and among others: functions that numpy rounds otherwise than
Python are taken from Python. Slopes follow the rules of calculus (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lagrangian.model.expression import functions as f
from lagrangian.model.expression.scalar import Expression, NumberWithSource, Scalar

Array = np.ndarray

# functions of floats, and their slopes from argument and value
_FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[Array, Array], Any]]] = {
    "sin": (math.sin, lambda x, y: np.cos(x)),
    "cos": (math.cos, lambda x, y: -np.sin(x)),
    "tan": (math.tan, lambda x, y: 1 + y * y),
    "asin": (math.asin, lambda x, y: 1 / np.sqrt(1 - x * x)),
    "acos": (math.acos, lambda x, y: -1 / np.sqrt(1 - x * x)),
    "atan": (math.atan, lambda x, y: 1 / (1 + x * x)),
    "sqrt": (math.sqrt, lambda x, y: 0.5 / y),
    "exp": (math.exp, lambda x, y: y),
    "log": (math.log, lambda x, y: 1 / x),
    "tanh": (math.tanh, lambda x, y: 1 - y * y),
    "floor": (lambda x: float(math.floor(x)), lambda x, y: 0.0),
}


class DualArray:
    """A scalar of many samples: `value` has an entry for each, `slopes` has a row for each parameter, or is None."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Array, slopes: Array | None = None) -> None:
        self.value, self.slopes = value, slopes

    def _propagate(self, value: Array, own_slope: Any, other: Any = None, other_slope: Any = None) -> DualArray:
        """Return a result with a value, and with slopes by the chain rule for this scalar and another one."""
        if self.slopes is None:
            return DualArray(value)
        slopes = self.slopes * own_slope
        return DualArray(value, slopes if other is None else slopes + other.slopes * other_slope)

    def constant(self, x: float) -> DualArray:
        """Return a number as a scalar of this kind, the same in every sample."""
        return DualArray(np.full_like(self.value, x), _zero_slopes(self.slopes))

    def differs_from(self, value: float) -> bool:
        """Whether it is not this number in some sample, or would not be for other parameters."""
        return bool((self.value != value).any()) or (self.slopes is not None and bool(self.slopes.any()))

    def snap_to(self, numbers: tuple[float, ...], distance: float) -> DualArray:
        """Return the same, but exactly one of some numbers where it is nearer to it than a distance."""
        value = self.value
        for x in numbers:
            value = np.where(np.abs(value - x) < distance, x, value)
        return DualArray(value, self.slopes)

    def __add__(self, other: Any) -> DualArray:
        if isinstance(other, DualArray):
            return self._propagate(self.value + other.value, 1.0, other, 1.0)
        return self._propagate(self.value + other, 1.0)

    __radd__ = __add__

    def __sub__(self, other: Any) -> DualArray:
        if isinstance(other, DualArray):
            return self._propagate(self.value - other.value, 1.0, other, -1.0)
        return self._propagate(self.value - other, 1.0)

    def __rsub__(self, other: Any) -> DualArray:
        return self._propagate(other - self.value, -1.0)

    def __neg__(self) -> DualArray:
        return self._propagate(-self.value, -1.0)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, DualArray):
            return self._propagate(self.value * other.value, other.value, other, self.value)
        if isinstance(other, (int, float)):
            return 0 if other == 0 else self._propagate(self.value * other, other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> DualArray:
        if isinstance(other, DualArray):
            quotient = self.value / other.value
            return self._propagate(quotient, 1 / other.value, other, -quotient / other.value)
        return self._propagate(self.value / other, 1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        quotient = other / self.value
        return 0 if isinstance(other, (int, float)) and other == 0 else self._propagate(quotient, -quotient / self.value)

    def power(self, n: Any) -> DualArray:
        """x^n as Python computes it, sample by sample."""
        if isinstance(n, DualArray):
            value = _map_floats(math.pow, self.value, n.value)
            return self._propagate(value, n.value * _map_floats(math.pow, self.value, n.value - 1), n, value * np.log(self.value))
        return self._propagate(_map_floats(lambda x: x**n, self.value), n * self.value ** (n - 1))

    def apply(self, name: str) -> DualArray:
        """A function of one argument by its name."""
        function, slope = _FUNCTIONS[name]
        value = _map_floats(function, self.value)
        return self._propagate(value, 0.0 if self.slopes is None else slope(self.value, value))

    def atan2(self, x: Any) -> DualArray:
        x = x if isinstance(x, DualArray) else self.constant(x)
        square = self.value**2 + x.value**2
        return self._propagate(_map_floats(math.atan2, self.value, x.value), x.value / square, x, -self.value / square)

    def atan2_of(self, y: float) -> DualArray:
        return self.constant(y).atan2(self)

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> DualArray:
        """x where a < b, else y."""
        condition = _value(a) < _value(b)
        value = np.broadcast_to(np.where(condition, _value(x), _value(y)), self.value.shape).copy()
        if self.slopes is None:
            return DualArray(value)
        none = np.zeros_like(self.slopes)
        x_slopes, y_slopes = (z.slopes if isinstance(z, DualArray) and z.slopes is not None else none for z in (x, y))
        return DualArray(value, np.where(condition, x_slopes, y_slopes))

    def sin(self) -> DualArray:
        return self.apply("sin")

    def cos(self) -> DualArray:
        return self.apply("cos")

    def sqrt(self) -> DualArray:
        return self.apply("sqrt")


class SampleEvaluator:
    """Evaluates expressions in which some names, or whole expressions known by their id, have a value for every sample.

    An expression that depends on none of them is a float.
    """

    def __init__(self, names: Mapping[str, DualArray], by_id: Mapping[int, DualArray] | None = None) -> None:
        self.names, self._by_id = names, by_id or {}
        self._evaluated: dict[int, tuple[Expression, Any]] = {}

    def evaluate(self, x: Scalar) -> Any:
        if isinstance(x, NumberWithSource):
            x = x.source
        if not isinstance(x, Expression):
            return float(x)
        entry = self._evaluated.get(id(x))
        if entry is None:
            entry = self._evaluated[id(x)] = (x, self._evaluate_node(x))  # which keeps x, so that no other object has its id
        return entry[1]

    def _evaluate_node(self, x: Expression) -> Any:
        if id(x) in self._by_id:
            return self._by_id[id(x)]
        if x.operation == "symbol" and x.name in self.names:
            return self.names[x.name]
        arguments = [self.evaluate(a) for a in x.arguments]
        if not any(isinstance(a, DualArray) for a in arguments):
            return float(x)
        return _OPERATIONS[x.operation](*arguments)


def _zero_slopes(slopes: Array | None) -> Array | None:
    return None if slopes is None else np.zeros_like(slopes)


def _map_floats(function: Callable[..., float], *arrays: Array) -> Array:
    """Apply a function of floats value by value."""
    return np.array([function(*values) for values in zip(*(a.tolist() for a in arrays), strict=True)], dtype=float)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, DualArray) else x


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a.power(b) if isinstance(a, DualArray) else b.constant(a).power(b),
    "neg": lambda a: -a,
    "atan2": f.atan2,
    "min": f.minimum,
    "max": f.maximum,
    "abs": f.absolute,
    "sign": f.sign,
    "piecewise": lambda c, x, y: f.choose(0.0, c, x, y),
    **{name: (lambda x, name=name: x.apply(name)) for name in _FUNCTIONS},
}
