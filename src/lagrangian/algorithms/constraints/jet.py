"""Jets: quantities with their derivatives along a motion, in which constraints are written.

A `Jet` is a function of the configuration (and time): its value, its rate, its second derivative when all accelerations are
zero (`bias`), and its slope along every speed, so that

    x' = sum slopes_k qd_k + (dx/dt),    x'' = sum slopes_k qdd_k + bias.

A `Rate` is linear in the speeds, such as a velocity: its value, its derivative when all accelerations are zero, its slopes.
Sums and products follow the rules of calculus, so that an equation in jets has its rows of Psi and Psi' qd, too.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.link import is_zero
from lagrangian.model.expression import functions as f

Slopes = dict[Any, Any]


class Jet:
    """A quantity that depends on the configuration, and on time."""

    __slots__ = ("bias", "rate", "slopes", "value")

    def __init__(self, value: Any, rate: Any = 0, bias: Any = 0, slopes: Slopes | None = None) -> None:
        self.value, self.rate, self.bias, self.slopes = value, rate, bias, slopes or {}

    @property
    def as_rate(self) -> Rate:
        return Rate(self.rate, self.bias, self.slopes)

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.rate, self.bias, self.slopes)
        return Jet(
            self.value + other.value, self.rate + other.rate, self.bias + other.bias, _add_slopes(self.slopes, other.slopes)
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value - other, self.rate, self.bias, self.slopes)
        slopes = _add_slopes(self.slopes, other.slopes, -1)
        return Jet(self.value - other.value, self.rate - other.rate, self.bias - other.bias, slopes)

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.bias, {k: -x for k, x in self.slopes.items()})

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Rate):
            return other * self
        if not isinstance(other, Jet):
            if is_zero(other):
                return 0
            return Jet(self.value * other, self.rate * other, self.bias * other, _scale_slopes(other, self.slopes))
        a, b = self, other
        bias = a.bias * b.value + a.value * b.bias + 2 * (a.rate * b.rate)
        slopes = _add_slopes(_scale_slopes(b.value, a.slopes), _scale_slopes(a.value, b.slopes))
        return Jet(a.value * b.value, a.rate * b.value + a.value * b.rate, bias, slopes)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / other)

    def __rtruediv__(self, other: Any) -> Any:
        if is_zero(other):
            return 0
        inverse = 1 / self.value
        square = inverse * inverse
        return self._chain(inverse, -square, 2 * square * inverse) * other

    def __pow__(self, n: Any) -> Any:
        return f.power(self, n)

    def __rpow__(self, x: Any) -> Any:
        return f.power(x, self)

    def __abs__(self) -> Any:
        return f.absolute(self)

    def _chain(self, value: Any, slope: Any, second: Any) -> Jet:
        """g(x), from g, g' and g'' at x."""
        bias = second * (self.rate * self.rate) + slope * self.bias
        return Jet(value, slope * self.rate, bias, _scale_slopes(slope, self.slopes))

    def sin(self) -> Jet:
        s, c = f.sin(self.value), f.cos(self.value)
        return self._chain(s, c, -s)

    def cos(self) -> Jet:
        s, c = f.sin(self.value), f.cos(self.value)
        return self._chain(c, -s, -c)

    def tan(self) -> Jet:
        return self.sin() / self.cos()

    def sqrt(self) -> Jet:
        root = f.sqrt(self.value)
        slope = 0.5 / root
        return self._chain(root, slope, -0.5 * slope / self.value)

    def exp(self) -> Jet:
        e = f.exp(self.value)
        return self._chain(e, e, e)

    def log(self) -> Jet:
        inverse = 1 / self.value
        return self._chain(f.log(self.value), inverse, -(inverse * inverse))

    def tanh(self) -> Jet:
        value = f.apply("tanh", self.value)
        slope = 1 - value * value
        return self._chain(value, slope, -2 * value * slope)

    def atan(self) -> Jet:
        slope = 1 / (1 + self.value * self.value)
        return self._chain(f.apply("atan", self.value), slope, -2 * self.value * slope * slope)

    def asin(self) -> Jet:
        slope = 1 / f.sqrt(1 - self.value * self.value)
        return self._chain(f.apply("asin", self.value), slope, self.value * slope * slope * slope)

    def acos(self) -> Jet:
        slope = -1 / f.sqrt(1 - self.value * self.value)
        return self._chain(f.apply("acos", self.value), slope, self.value * slope * slope * slope)

    def atan2(self, x: Any) -> Jet:
        """The angle of the point (x, self): its rate is (x y' - y x') / (x^2 + y^2)."""
        y, x = self, x if isinstance(x, Jet) else Jet(x)
        inverse = 1 / (x.value * x.value + y.value * y.value)
        rate = (x.value * y.rate - y.value * x.rate) * inverse
        growth = 2 * (x.value * x.rate + y.value * y.rate)
        bias = (x.value * y.bias - y.value * x.bias - growth * rate) * inverse
        slopes = _add_slopes(_scale_slopes(x.value * inverse, y.slopes), _scale_slopes(y.value * inverse, x.slopes), -1)
        return Jet(f.atan2(y.value, x.value), rate, bias, slopes)

    def atan2_of(self, y: Any) -> Jet:
        return Jet(y).atan2(self)

    def floor(self) -> Jet:
        return Jet(f.apply("floor", self.value))

    # as numpy calls them
    arctan, arcsin, arccos, arctan2 = atan, asin, acos, atan2

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Jet:
        a, b = (g.value if isinstance(g, Jet) else g for g in (a, b))
        x, y = (g if isinstance(g, Jet) else Jet(g) for g in (x, y))
        keys = sorted({*x.slopes, *y.slopes})
        slopes = {k: f.choose(a, b, x.slopes.get(k, 0), y.slopes.get(k, 0)) for k in keys}
        value, rate, bias = (f.choose(a, b, getattr(x, part), getattr(y, part)) for part in ("value", "rate", "bias"))
        return Jet(value, rate, bias, slopes)


class Rate:
    """A quantity linear in the speeds."""

    __slots__ = ("bias", "slopes", "value")

    def __init__(self, value: Any, bias: Any = 0, slopes: Slopes | None = None) -> None:
        self.value, self.bias, self.slopes = value, bias, slopes or {}

    def __add__(self, other: Any) -> Rate:
        if is_zero(other):
            return self
        return Rate(self.value + other.value, self.bias + other.bias, _add_slopes(self.slopes, other.slopes))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Rate:
        if is_zero(other):
            return self
        return Rate(self.value - other.value, self.bias - other.bias, _add_slopes(self.slopes, other.slopes, -1))

    def __rsub__(self, other: Any) -> Rate:
        return -self if is_zero(other) else NotImplemented

    def __neg__(self) -> Rate:
        return Rate(-self.value, -self.bias, {k: -x for k, x in self.slopes.items()})

    def __mul__(self, other: Any) -> Any:
        """The product with a number or a jet x: (x r)' = x' r + x r'."""
        if is_zero(other):
            return 0
        if isinstance(other, Jet):
            bias = other.rate * self.value + other.value * self.bias
            return Rate(other.value * self.value, bias, _scale_slopes(other.value, self.slopes))
        return Rate(other * self.value, other * self.bias, _scale_slopes(other, self.slopes))

    __rmul__ = __mul__


def _add_slopes(a: Slopes, b: Slopes, sign: int = 1) -> Slopes:
    total = dict(a)
    for k, x in b.items():
        total[k] = total.get(k, 0) + (x if sign > 0 else -x)
    return total


def _scale_slopes(a: Any, slopes: Slopes) -> Slopes:
    return {} if is_zero(a) else {k: a * x for k, x in slopes.items()}
