"""A scalar with many values at once, one for every sample of a parameter, and with its slopes along the parameters.

Every operation is done on each value as on a float alone, so that a sample has the same bits by itself and among others:
functions that numpy rounds otherwise than Python are taken from Python. Slopes follow the rules of calculus (forward mode;
Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lagrangian.model.expression import functions as f
from lagrangian.model.expression.scalar import Expression, Scalar
from lagrangian.model.expression.written import Written

Array = np.ndarray


class Lanes:
    """`value` has one entry a sample; `slopes` one row a parameter, or is None where no slopes are wanted."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Array, slopes: Array | None = None) -> None:
        self.value, self.slopes = value, slopes

    def _with(self, value: Array, own: Any, other: Any = None, slope: Any = None) -> Lanes:
        """A result whose slopes are `own` times these, and `slope` times those of another."""
        if self.slopes is None:
            return Lanes(value)
        slopes = self.slopes * own
        return Lanes(value, slopes if other is None else slopes + other.slopes * slope)

    def constant(self, x: float) -> Lanes:
        """A number that is the same in every sample, as a scalar of this kind."""
        return Lanes(np.full_like(self.value, x), _none(self.slopes))

    def varies(self, value: float) -> bool:
        """Whether it is another number than this in some sample, or would be for other parameters."""
        return bool((self.value != value).any()) or (self.slopes is not None and bool(self.slopes.any()))

    def near(self, numbers: tuple[float, ...], distance: float) -> Lanes:
        """The same, but exactly one of the numbers where it is as near to it as this."""
        value = self.value
        for x in numbers:
            value = np.where(np.abs(value - x) < distance, x, value)
        return Lanes(value, self.slopes)

    def __add__(self, other: Any) -> Lanes:
        if isinstance(other, Lanes):
            return self._with(self.value + other.value, 1.0, other, 1.0)
        return self._with(self.value + other, 1.0)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Lanes:
        if isinstance(other, Lanes):
            return self._with(self.value - other.value, 1.0, other, -1.0)
        return self._with(self.value - other, 1.0)

    def __rsub__(self, other: Any) -> Lanes:
        return self._with(other - self.value, -1.0)

    def __neg__(self) -> Lanes:
        return self._with(-self.value, -1.0)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Lanes):
            return self._with(self.value * other.value, other.value, other, self.value)
        if isinstance(other, (int, float)):
            return 0 if other == 0 else self._with(self.value * other, other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Lanes:
        if isinstance(other, Lanes):
            found = self.value / other.value
            return self._with(found, 1 / other.value, other, -found / other.value)
        return self._with(self.value / other, 1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        found = other / self.value
        return 0 if isinstance(other, (int, float)) and other == 0 else self._with(found, -found / self.value)

    def power(self, n: Any) -> Lanes:
        """As Python's own, sample by sample."""
        if isinstance(n, Lanes):
            found = _each(math.pow, self.value, n.value)
            return self._with(found, n.value * _each(math.pow, self.value, n.value - 1), n, found * np.log(self.value))
        return self._with(_each(lambda x: x**n, self.value), n * self.value ** (n - 1))

    def apply(self, name: str) -> Lanes:
        """A function of one argument by its name."""
        function, slope = _FUNCTIONS[name]
        found = _each(function, self.value)
        return self._with(found, 0.0 if self.slopes is None else slope(self.value, found))

    def atan2(self, x: Any) -> Lanes:
        x = x if isinstance(x, Lanes) else self.constant(x)
        square = self.value**2 + x.value**2
        return self._with(_each(math.atan2, self.value, x.value), x.value / square, x, -self.value / square)

    def atan2_of(self, y: float) -> Lanes:
        return self.constant(y).atan2(self)

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Lanes:
        """x where a < b, else y."""
        first = _value(a) < _value(b)
        value = np.broadcast_to(np.where(first, _value(x), _value(y)), self.value.shape).copy()
        if self.slopes is None:
            return Lanes(value)
        none = np.zeros_like(self.slopes)
        own, other = (z.slopes if isinstance(z, Lanes) and z.slopes is not None else none for z in (x, y))
        return Lanes(value, np.where(first, own, other))

    def sin(self) -> Lanes:
        return self.apply("sin")

    def cos(self) -> Lanes:
        return self.apply("cos")

    def sqrt(self) -> Lanes:
        return self.apply("sqrt")


def _each(function: Callable[..., float], *arrays: Array) -> Array:
    """A function of floats, value by value."""
    return np.array([function(*values) for values in zip(*(a.tolist() for a in arrays), strict=True)], dtype=float)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Lanes) else x


def _none(slopes: Array | None) -> Array | None:
    return None if slopes is None else np.zeros_like(slopes)


# a function of floats, and its slope from its argument and its value
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

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a.power(b) if isinstance(a, Lanes) else b.constant(a).power(b),
    "neg": lambda a: -a,
    "atan2": f.angle,
    "min": f.minimum,
    "max": f.maximum,
    "abs": f.absolute,
    "sign": f.sign,
    "piecewise": lambda c, x, y: f.choose(0.0, c, x, y),
    **{name: (lambda x, name=name: x.apply(name)) for name in _FUNCTIONS},
}


class LaneValues:
    """The values of expressions where some names have many values, parameters or others; and expressions known by their id.

    What depends on none of them is a float.
    """

    def __init__(self, names: Mapping[str, Lanes], others: Mapping[int, Lanes] | None = None) -> None:
        self.names, self._others = names, others or {}
        self._known: dict[int, tuple[Expression, Any]] = {}

    def of(self, x: Scalar) -> Any:
        if isinstance(x, Written):
            x = x.scalar
        if not isinstance(x, Expression):
            return float(x)
        found = self._known.get(id(x))
        if found is None:
            found = self._known[id(x)] = (x, self._computed(x))  # which keeps x, so that no other object has its id
        return found[1]

    def _computed(self, x: Expression) -> Any:
        if id(x) in self._others:
            return self._others[id(x)]
        if x.operation == "symbol" and x.name in self.names:
            return self.names[x.name]
        arguments = [self.of(a) for a in x.arguments]
        if not any(isinstance(a, Lanes) for a in arguments):
            return float(x)
        return _OPERATIONS[x.operation](*arguments)
