"""Exact arithmetic: polynomials over the rationals in sines, cosines, coordinates, rates and parameters.

Every entry of the equations of motion is such a polynomial, and derivatives of such are again (python-flint's `fmpq_mpoly`
does the work). Elements are kept in a normal form, by `s^2 -> 1 - c^2` and the like, so that "is it zero" has an exact
answer: equality of two elements is a proof, not a test.

A generator is a number to the ring; its `Symbol` says what it means and how it is written. Functions of the coordinates
(`sin`, `cos`, a length `sqrt(x)`, `1/x`) are generators with a relation between them and with their derivatives. Constants are
exact too: decimals are fractions, and angles are sums of named parts, whose cosines and sines are expanded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from lagrangian.model.expression.linear import exact_decimal

Polynomial = Any  # flint.fmpq_mpoly
CosineSine = tuple[Any, Any]  # cosine and sine of one angle

# an angle this near to a multiple of 15 degrees is taken as that multiple, without a note
ANGLE_TOLERANCE = 1e-11

# tangents of half angles, and quaternions, are rounded to this many parts where they become fractions
ROUNDING_DENOMINATOR = 1 << 56


@dataclass
class Ring:
    """The polynomial ring over given symbols, with its relations and derivations."""

    symbols: Sequence[Symbol]
    generator_index: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        # lexicographic, so that a generator earlier in the list is rewritten by later ones and never the other way round
        self.context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(self.symbols))], "lex")
        self.generators = self.context.gens()
        self.generator_index = {symbol.name: k for k, symbol in enumerate(self.symbols)}
        if len(self.generator_index) != len(self.symbols):
            raise AssertionError("two generators of one name")
        self.zero = RingElement(self, self.context.constant(0))
        self.one = RingElement(self, self.context.constant(1))
        self._squares: list[tuple[int, Polynomial]] = []  # generators whose square is rewritten
        self._inverses: list[tuple[int, Polynomial, Polynomial]] = []  # generator, its denominator, relation
        # for each coordinate: the generators that change with it, and how fast
        self._derivatives: dict[int, list[tuple[int, Polynomial]]] = {}
        self._deadline = math.inf

    # -- making elements ---------------------------------------------------------------------------------------------

    def __call__(self, x: Any) -> RingElement:
        """A number or element as an element."""
        if isinstance(x, RingElement):
            return x
        return RingElement(self, self.context.constant(rational(x)))

    def generator(self, name: str) -> RingElement:
        return RingElement(self, self.generators[self.generator_index[name]])

    # -- relations and derivatives -----------------------------------------------------------------------------------

    def relate_square(self, name: str, square: RingElement) -> None:
        """Rewrite the square of a generator by an element of later generators."""
        k = self.generator_index[name]
        self._squares.append((k, self.generators[k] ** 2 - square.poly))
        self._squares.sort(key=lambda pair: pair[0])

    def relate_inverse(self, name: str, denominator: RingElement) -> None:
        """Make a generator the inverse of an element of later generators."""
        k = self.generator_index[name]
        self._inverses.append((k, denominator.poly, self.generators[k] * denominator.poly - 1))
        self._inverses.sort(key=lambda triple: triple[0])

    def set_derivative(self, name: str, coordinate: int, derivative: Any) -> None:
        """Set the derivative of a generator with respect to a coordinate."""
        derivative = self(derivative)
        if derivative:
            self._derivatives.setdefault(coordinate, []).append((self.generator_index[name], derivative.poly))

    @contextmanager
    def time_limit(self, deadline: float) -> Iterator[None]:
        """A context in which products raise DeadlineError once `time.perf_counter()` has passed the deadline."""
        previous, self._deadline = self._deadline, deadline
        try:
            yield
        finally:
            self._deadline = previous

    def check_deadline(self) -> None:
        if time.perf_counter() > self._deadline:
            raise DeadlineError

    def reduce(self, p: Polynomial) -> Polynomial:
        """The normal form of a polynomial."""
        self.check_deadline()
        while True:
            degrees = p.degrees()
            for k, _, relation in self._inverses:
                if degrees[k] > 0:  # of the zero polynomial they are -1
                    p = divmod(p, relation)[1]
                    degrees = p.degrees()
            squared = False
            for k, relation in self._squares:
                if degrees[k] > 1:
                    p, squared = divmod(p, relation)[1], True
            if not (squared and self._inverses):  # a square, 1 - cos^2 for sin^2, may have met the inverse of what it is made of
                return p

    def is_zero(self, p: Polynomial) -> bool:
        """Whether a polynomial is zero as a function. Inverses are cleared: with them the normal form need not be unique."""
        if p.is_zero():
            return True
        for k, denominator, _ in self._inverses:
            degree = p.degrees()[k]
            if degree > 0:
                total = self.context.constant(0)
                for power, part in coefficients_by_power(p, k).items():
                    total = total + part * denominator ** (degree - power)
                p = self.reduce(total)
        return bool(p.is_zero())

    def derivative(self, x: RingElement, coordinate: int) -> RingElement:
        """The derivative with respect to a coordinate, through every generator that depends on it."""
        p, total = x.poly, None
        degrees = p.degrees()
        for k, generator_derivative in self._derivatives.get(coordinate, ()):
            if degrees[k] > 0:
                part = p.derivative(k) * generator_derivative
                total = part if total is None else total + part
        return self.zero if total is None else RingElement(self, self.reduce(total))

    def partial_derivative(self, x: RingElement, name: str) -> RingElement:
        """The derivative with respect to one generator alone."""
        return RingElement(self, x.poly.derivative(self.generator_index[name]))

    def substitute(self, x: RingElement, values: Mapping[int, Any]) -> RingElement:
        """An element with other elements or numbers in place of generators, by the index of these."""
        degrees = x.poly.degrees()
        if not any(degrees[k] > 0 for k in values):
            return x
        images = [self(values[k]).poly if k in values else g for k, g in enumerate(self.generators)]
        return RingElement(self, self.reduce(x.poly.compose(*images, ctx=self.context)))


class RingElement:
    """An element in normal form. Arithmetic with numbers is exact: a float is taken as the decimal it is written as."""

    __slots__ = ("poly", "ring")

    def __init__(self, ring: Ring, poly: Polynomial) -> None:
        self.ring = ring
        self.poly = poly

    def __add__(self, other: Any) -> RingElement:
        if other.__class__ is RingElement:
            return RingElement(self.ring, self.poly + other.poly)
        return self if other == 0 else RingElement(self.ring, self.poly + rational(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> RingElement:
        if other.__class__ is RingElement:
            return RingElement(self.ring, self.poly - other.poly)
        return self if other == 0 else RingElement(self.ring, self.poly - rational(other))

    def __rsub__(self, other: Any) -> RingElement:
        return RingElement(self.ring, -self.poly if other == 0 else rational(other) - self.poly)

    def __neg__(self) -> RingElement:
        return RingElement(self.ring, -self.poly)

    def __pos__(self) -> RingElement:
        return self

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is RingElement:
            product = self.poly * other.poly
            return RingElement(self.ring, self.ring.reduce(product))
        if other == 0:
            return 0
        return self if other == 1 else RingElement(self.ring, self.poly * rational(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> RingElement:
        """Division by a number; other divisions leave the ring."""
        if isinstance(other, RingElement):
            if not other.poly.is_constant():
                raise TypeError("division by what is not a number leaves the ring")
            other = other.poly.leading_coefficient()
        return RingElement(self.ring, self.poly / rational(other))

    def __pow__(self, exponent: int) -> RingElement:
        result: RingElement = self.ring.one
        for _ in range(exponent):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float, Fraction)):
            other = self.ring(other)
        return isinstance(other, RingElement) and self.ring.is_zero(self.poly - other.poly)

    def __hash__(self) -> int:
        return hash(str(self.poly))

    def __bool__(self) -> bool:
        return not self.ring.is_zero(self.poly)

    def __repr__(self) -> str:
        return f"RingElement({debug_string(self)})"

    @property
    def term_count(self) -> int:
        return len(self.poly)


RationalFunction = tuple[RingElement, RingElement]  # numerator and denominator


@dataclass(frozen=True)
class Symbol:
    """What a generator stands for: its `kind`, and its `name` in plain text.

    Kinds: sine, cosine (of a joint's angle), constant_sine, constant_cosine, coordinate, time, speed, acceleration, sign,
    parameter, inertial (a parameter the equations are linear in), root, inverse, function, load, drive (a rate phi'(t)).
    """

    kind: str
    name: str
    value: float | None = None  # of a constant
    angle: tuple[tuple[int, int], ...] = ()  # of a sine or cosine: (coordinate, sign) of the angles it adds up
    index: int = -1  # of a coordinate, speed, acceleration or sign
    meaning: str = ""


class DeadlineError(Exception):
    """A ring's deadline has passed."""


def rational(x: Any) -> Any:
    """A number as an exact rational; a float as the decimal that is written, 0.1 as 1/10."""
    if isinstance(x, (int, fmpq)):
        return x
    if isinstance(x, float):
        x = exact_decimal(x)
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    if isinstance(x, int) or type(x).__name__ == "fmpz":
        return x
    raise TypeError(f"no exact number: {x!r}")


def as_fraction(x: Any) -> Fraction:
    """A flint number as a Python fraction."""
    return Fraction(int(x.numerator), int(x.denominator)) if hasattr(x, "numerator") else Fraction(int(x))


def content(p: Polynomial) -> Fraction:
    """The content of a polynomial: divided by it, the coefficients are whole and have no common factor."""
    numerator, denominator = 0, 1
    for c in map(as_fraction, p.coeffs()):
        numerator, denominator = gcd(numerator, c.numerator), lcm(denominator, c.denominator)
    return Fraction(numerator, denominator)


def coefficients_by_power(p: Polynomial, k: int) -> dict[int, Polynomial]:
    """A polynomial as one in generator k: {power: coefficient, a polynomial in the other generators}."""
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for monomial, c in p.terms():
        power = int(monomial[k])
        other_powers = (*monomial[:k], 0, *monomial[k + 1 :])
        parts.setdefault(power, {})[other_powers] = c
    return {power: p.context().from_dict(terms) for power, terms in parts.items()}


def debug_string(x: RingElement) -> str:
    """The polynomial as a sum of terms with the names of generators, for debugging and for reports of differences."""
    words = []
    for monomial, c in x.poly.terms():
        factors = [f"{x.ring.symbols[k].name}^{e}" if e > 1 else x.ring.symbols[k].name for k, e in enumerate(monomial) if e]
        words.append("*".join([str(c), *factors]))
    return " + ".join(words) or "0"


def sum_elements(elements: Iterable[Any], zero: Any = 0) -> Any:
    """The sum of elements, or `zero` if there are none."""
    result = zero
    for x in elements:
        result = result + x
    return result


def terminating_decimal(c: Fraction) -> str:
    """A fraction as a decimal if that ends, else an empty text."""
    bottom, twos, fives = c.denominator, 0, 0
    while bottom % 2 == 0:
        bottom, twos = bottom // 2, twos + 1
    while bottom % 5 == 0:
        bottom, fives = bottom // 5, fives + 1
    if bottom != 1:
        return ""
    places = max(twos, fives)
    digits = str(c.numerator * 10**places // c.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def angle_sum(a: CosineSine, b: CosineSine) -> CosineSine:
    """Cosine and sine of the sum of two angles."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


def quarter_turns(n: int) -> CosineSine:
    """Cosine and sine of n quarter turns."""
    return ((1, 0), (0, 1), (-1, 0), (0, -1))[n % 4]


def angle_label(angle: tuple[tuple[int, int], ...]) -> str:
    """The label of a sum of coordinates: 23 is q2 + q3, 2m3 is q2 - q3, 223 is 2 q2 + q3; _9_10 if numbers have two digits."""
    wide = any(k >= 9 for k, _ in angle)
    label = ""
    for k, times in sorted(angle):  # joints may be listed before those that they stand on
        for _ in range(abs(times)):
            mark = "m" if times < 0 else "_" if wide else ""
            label += f"{mark}{k + 1}"
    return label


def multiple_text(name: str, factor: Fraction) -> str:
    sign, factor = ("-", -factor) if factor < 0 else ("", factor)
    top = name if factor.numerator == 1 else f"{factor.numerator}*{name}"
    return sign + (top if factor.denominator == 1 else f"{top}/{factor.denominator}")


def number_text(x: int | Fraction) -> str:
    """A number as a decimal if that ends, else as a fraction in brackets."""
    return terminating_decimal(Fraction(x)) or f"({x})"
