"""Exact arithmetic: polynomials over the rationals in sines, cosines, coordinates, rates and parameters.

Every entry of the equations of motion is such a polynomial, and derivatives of such are again (python-flint's `fmpq_mpoly`
does the work). Elements are kept in a normal form, by `s^2 -> 1 - c^2` and the like, so that "is it zero" has an exact
answer: equality of two elements is a proof, not a test.

A generator is a number to the ring; what it means, and how it is written, its `Symbol` says. Functions of the coordinates
(`sin`, `cos`, a length `sqrt(x)`, `1/x`) are generators with a relation between them and with their derivatives.
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

Polynomial = Any  # flint.fmpq_mpoly


@dataclass(frozen=True)
class Symbol:
    """A generator. `kind` says what it stands for; `name` is how plain text writes it.

    Kinds: sine, cosine (of a joint's angle), constant_sine, constant_cosine, coordinate, time, speed, acceleration, sign,
    parameter, inertial (a parameter the equations are linear in), root, inverse, function, load.
    """

    kind: str
    name: str
    value: float | None = None  # of a constant
    angle: tuple[tuple[int, int], ...] = ()  # of a sine or cosine: (coordinate, sign) of the angles it adds up
    index: int = -1  # of a coordinate, speed, acceleration or sign
    meaning: str = ""


class TimeUp(Exception):
    """A ring's deadline has passed."""


@dataclass
class Ring:
    """The polynomial ring over given symbols, with its relations and derivations."""

    symbols: Sequence[Symbol]
    number: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        # lexicographic, so that a generator earlier in the list is rewritten by later ones and never the other way round
        self.context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(self.symbols))], "lex")
        self.generators = self.context.gens()
        self.number = {symbol.name: k for k, symbol in enumerate(self.symbols)}
        if len(self.number) != len(self.symbols):
            raise AssertionError("two generators of one name")
        self.zero = Element(self, self.context.constant(0))
        self.one = Element(self, self.context.constant(1))
        self._squares: list[tuple[int, Polynomial]] = []  # generators whose square is rewritten
        self._inverses: list[tuple[int, Polynomial, Polynomial]] = []  # generator, its denominator, relation
        # for each coordinate: the generators that change with it, and how fast
        self._rates: dict[int, list[tuple[int, Polynomial]]] = {}
        self._deadline = math.inf

    # -- making elements ---------------------------------------------------------------------------------------------

    def __call__(self, x: Any) -> Element:
        """A number or element as an element."""
        if isinstance(x, Element):
            return x
        return Element(self, self.context.constant(rational(x)))

    def generator(self, name: str) -> Element:
        return Element(self, self.generators[self.number[name]])

    # -- relations and derivatives -----------------------------------------------------------------------------------

    def relate_square(self, name: str, square: Element) -> None:
        """Rewrite the square of a generator by an element of later generators."""
        k = self.number[name]
        self._squares.append((k, self.generators[k] ** 2 - square.poly))
        self._squares.sort(key=lambda pair: pair[0])

    def relate_inverse(self, name: str, of: Element) -> None:
        """Make a generator the inverse of an element of later generators."""
        k = self.number[name]
        self._inverses.append((k, of.poly, self.generators[k] * of.poly - 1))
        self._inverses.sort(key=lambda triple: triple[0])

    def set_rate(self, name: str, coordinate: int, rate: Any) -> None:
        """The derivative of a generator with respect to a coordinate."""
        rate = self(rate)
        if rate:
            self._rates.setdefault(coordinate, []).append((self.number[name], rate.poly))

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Within it, products after a time that time.perf_counter() tells raise TimeUp."""
        before, self._deadline = self._deadline, deadline
        try:
            yield
        finally:
            self._deadline = before

    def check_deadline(self) -> None:
        if time.perf_counter() > self._deadline:
            raise TimeUp

    def reduce(self, p: Polynomial) -> Polynomial:
        """The normal form."""
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
        """Exactly zero, as a function. Inverses are cleared: their relations alone need not give a unique normal form."""
        if p.is_zero():
            return True
        for k, denominator, _ in self._inverses:
            top = p.degrees()[k]
            if top > 0:
                total = self.context.constant(0)
                for power, part in split(p, k).items():
                    total = total + part * denominator ** (top - power)
                p = self.reduce(total)
        return bool(p.is_zero())

    def derivative(self, x: Element, coordinate: int) -> Element:
        """With respect to a coordinate, through every generator that depends on it."""
        p, total = x.poly, None
        degrees = p.degrees()
        for k, rate in self._rates.get(coordinate, ()):
            if degrees[k] > 0:
                part = p.derivative(k) * rate
                total = part if total is None else total + part
        return self.zero if total is None else Element(self, self.reduce(total))

    def partial(self, x: Element, name: str) -> Element:
        """With respect to one generator alone."""
        return Element(self, x.poly.derivative(self.number[name]))

    def substitute(self, x: Element, values: Mapping[int, Any]) -> Element:
        """Generators, by number, replaced by elements or numbers."""
        degrees = x.poly.degrees()
        if not any(degrees[k] > 0 for k in values):
            return x
        replaced = [self(values[k]).poly if k in values else g for k, g in enumerate(self.generators)]
        return Element(self, self.reduce(x.poly.compose(*replaced, ctx=self.context)))


class Element:
    """An element in normal form. Arithmetic with numbers is exact: a float is taken as the decimal it is written as."""

    __slots__ = ("poly", "ring")

    def __init__(self, ring: Ring, poly: Polynomial) -> None:
        self.ring = ring
        self.poly = poly

    def __add__(self, other: Any) -> Element:
        if other.__class__ is Element:
            return Element(self.ring, self.poly + other.poly)
        return self if other == 0 else Element(self.ring, self.poly + rational(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Element:
        if other.__class__ is Element:
            return Element(self.ring, self.poly - other.poly)
        return self if other == 0 else Element(self.ring, self.poly - rational(other))

    def __rsub__(self, other: Any) -> Element:
        return Element(self.ring, -self.poly if other == 0 else rational(other) - self.poly)

    def __neg__(self) -> Element:
        return Element(self.ring, -self.poly)

    def __pos__(self) -> Element:
        return self

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is Element:
            product = self.poly * other.poly
            return Element(self.ring, self.ring.reduce(product))
        if other == 0:
            return 0
        return self if other == 1 else Element(self.ring, self.poly * rational(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Element:
        """By a number; other divisions leave the ring."""
        if isinstance(other, Element):
            if not other.poly.is_constant():
                raise TypeError("division by what is not a number leaves the ring")
            other = other.poly.leading_coefficient()
        return Element(self.ring, self.poly / rational(other))

    def __pow__(self, exponent: int) -> Element:
        result: Element = self.ring.one
        for _ in range(exponent):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float, Fraction)):
            other = self.ring(other)
        return isinstance(other, Element) and self.ring.is_zero(self.poly - other.poly)

    def __hash__(self) -> int:
        return hash(str(self.poly))

    def __bool__(self) -> bool:
        return not self.ring.is_zero(self.poly)

    def __repr__(self) -> str:
        return f"Element({spelled(self)})"

    @property
    def terms(self) -> int:
        return len(self.poly)


def rational(x: Any) -> Any:
    """A number as an exact rational; a float as the decimal that is written, 0.1 as 1/10."""
    if isinstance(x, (int, fmpq)):
        return x
    if isinstance(x, float):
        x = int(x) if x.is_integer() and abs(x) < 1e15 else Fraction(repr(float(x)))
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    if isinstance(x, int) or type(x).__name__ == "fmpz":
        return x
    raise TypeError(f"no exact number: {x!r}")


def fraction(x: Any) -> Fraction:
    """A flint number as a Python fraction."""
    return Fraction(int(x.numerator), int(x.denominator)) if hasattr(x, "numerator") else Fraction(int(x))


def content(p: Polynomial) -> Fraction:
    """The positive number without which its coefficients are whole and have no common factor."""
    top, bottom = 0, 1
    for c in map(fraction, p.coeffs()):
        top, bottom = gcd(top, c.numerator), lcm(bottom, c.denominator)
    return Fraction(top, bottom)


def split(p: Polynomial, k: int) -> dict[int, Polynomial]:
    """By powers of generator k: {power: what it multiplies}."""
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for monomial, c in p.terms():
        power = int(monomial[k])
        rest = (*monomial[:k], 0, *monomial[k + 1 :])
        parts.setdefault(power, {})[rest] = c
    return {power: p.context().from_dict(terms) for power, terms in parts.items()}


def spelled(x: Element) -> str:
    """The distributed polynomial, generators by name; to debug."""
    words = []
    for monomial, c in x.poly.terms():
        factors = [f"{x.ring.symbols[k].name}^{e}" if e > 1 else x.ring.symbols[k].name for k, e in enumerate(monomial) if e]
        words.append("*".join([str(c), *factors]))
    return " + ".join(words) or "0"


def total(elements: Iterable[Any], zero: Any = 0) -> Any:
    """Their sum."""
    result = zero
    for x in elements:
        result = result + x
    return result
