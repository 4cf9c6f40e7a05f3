"""Cosines and sines of angles as elements of a ring: sums are expanded, quarter turns are exact, joints' angles are added up."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.exact import (
    PARTS,
    ROUNDING,
    Pair,
    angle_label,
    multiple,
    quarter,
    turned,
    written_number,
)
from lagrangian.equations.algebra.ring import Symbol
from lagrangian.model.expression import PI, Expression, Scalar, call, parameters
from lagrangian.model.expression.linear import linear
from lagrangian.model.expression.turns import quarters

if TYPE_CHECKING:
    from lagrangian.equations.reading.scalars import Scalars

# terms of an angle with more than this many turns, or a fraction of one, are not expanded
MULTIPLE = 3
# as many odd angles stay names; more become fractions
FEW = 3


class Angles:
    """Reads angles into the ring of `scalars`.

    `sums` are the joints' absolute angles: for each, the coordinates it adds up, with their signs. A coordinate's own cosine
    and sine come from two of them (`coordinate_pair`).
    """

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self.sums: list[tuple[tuple[int, int], ...]] = []
        self.angle_of: dict[int, int] = {}  # the absolute angle a coordinate is the last part of
        self.before: dict[int, int | None] = {}  # the absolute angle it is added to
        self.constants: dict[str, Scalar] = {}  # the angle of every constant sine and cosine
        self._rough: set[float] = set()  # odd constant angles
        self.few: float = FEW
        self.given: set[Fraction] = set()  # numbers of radians in the description

    @property
    def fractions(self) -> bool:
        """Whether odd angles have become fractions, which grow with every product."""
        return len(self._rough) > self.few

    def add_up(self, sums: list[tuple[tuple[int, int], ...]], angle_of: dict[int, int], before: dict[int, int | None]) -> None:
        """Declare the joints' absolute angles, each a pair of generators."""
        self.sums, self.angle_of, self.before = sums, angle_of, before
        s, c = self.scalars.prefixes
        for angle in sums:
            label = angle_label(angle)
            self.scalars.declare(Symbol("sine", s + label, angle=angle))
            self.scalars.declare(Symbol("cosine", c + label, angle=angle))
        self.scalars.rebuild()

    def pair(self, angle: Scalar) -> Pair:
        """Cosine and sine of an angle: sums are expanded, quarter turns are exact."""
        for name, value in parameters(angle).items():
            self.scalars.one_value(name, value)
            self.scalars.values[name] = value
        terms = linear(angle)
        if terms is None:
            return self._whole(angle)
        result: Pair = (1, 0)
        for name, factor in terms.items():
            result = turned(result, self._term(name, factor))
        return result

    def _term(self, name: str, factor: Fraction) -> Pair:
        if name == "pi":
            quarters = round(factor * 2)
            rest = factor - Fraction(quarters, 2)
            result = quarter(quarters)
            return (
                turned(result, self._constant(multiple("pi", rest), rest.numerator * PI / rest.denominator)) if rest else result
            )
        if name == "":
            self.given.add(factor)
            return self.constant_angle(float(factor))
        whole = factor.denominator == 1 and abs(factor) <= MULTIPLE
        if not whole:
            scaled = abs(factor.numerator) * self._named(name) / factor.denominator
            c, s = self._whole(scaled)
            return (c, s) if factor > 0 else (c, -s)
        result = (1, 0)
        one = (
            self.coordinate_pair(self.scalars.coordinates[name])
            if name in self.scalars.coordinates
            else self._whole(self._named(name))
        )
        one = one if factor > 0 else (one[0], -one[1])
        for _ in range(abs(factor.numerator)):
            result = turned(result, one)
        return result

    def _named(self, name: str) -> Any:
        """The expression of a name met in an angle."""
        return Expression("symbol", (), self.scalars.values.get(name), name)

    def decimal(self, angle: Fraction) -> Pair:
        """Of a number of radians in a text, where only pi is pi: one that is not in the description is no multiple of it."""
        value = float(angle)
        parts = value / (math.pi / 12)
        plain = abs(value) < math.pi / 4 and abs(parts - round(parts)) > ROUNDING and Fraction(f"{value:.15g}") == angle
        if angle in self.given or plain:
            return self.constant_angle(value)
        c, s = self._constant(written_number(abs(angle)).strip("()"), abs(value))
        return c, s if angle > 0 else -s

    def constant_angle(self, angle: float) -> Pair:
        """Cosine and sine of a number of radians: exact for multiples of 15 degrees.

        Others are constants of their own, sin(0.7), as long as there are few of them; many would multiply the terms, and become
        rational points on the circle instead.
        """
        whole, rest = quarters(angle)
        parts = round(rest / (math.pi / 12))
        if abs(rest - parts * math.pi / 12) <= ROUNDING:
            return (
                turned(quarter(whole), self._constant(multiple("pi", Fraction(parts, 12)), parts * PI / 12))
                if parts
                else quarter(whole)
            )
        key = round(abs(rest), 12)
        if key not in self._rough:
            self._rough.add(key)
            self.scalars.unsettled = True  # whether there are few is known when all are
        if len(self._rough) <= self.few:
            c, s = self._constant(f"{abs(rest):.15g}", abs(rest))
            return turned(quarter(whole), (c, s if rest > 0 else -s))
        t = Fraction(round(math.tan(rest / 2) * PARTS), PARTS)
        return turned(quarter(whole), ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)))

    def _constant(self, name: str, angle: Scalar) -> Pair:
        if name.startswith("-"):
            c, s = self._constant(name[1:], -angle)
            return c, -s
        if name == "pi/6":
            return self.scalars.of(call("sqrt", 3)) / 2, Fraction(1, 2)
        if name == "pi/4":
            half = self.scalars.of(call("sqrt", 2)) / 2
            return half, half
        value = float(angle)
        self.constants[f"cos({name})"] = self.constants[f"sin({name})"] = angle
        # the sine first: its square is rewritten by the cosine's, which must stand after it
        sine = self.scalars.generator(Symbol("constant_sine", f"sin({name})", math.sin(value), meaning=f"sin({name})"))
        return self.scalars.generator(Symbol("constant_cosine", f"cos({name})", math.cos(value), meaning=f"cos({name})")), sine

    def _whole(self, angle: Scalar) -> Pair:
        """Of an angle that stays in one piece: a parameter, or a function of coordinates and time."""
        name = str(angle)
        if not isinstance(angle, Expression) or angle.value is not None:
            return self._constant(name, angle)
        for operation in ("sin", "cos"):
            self.scalars.atoms.setdefault(f"{operation}({name})", ("function", call(operation, angle)))
        sine = self.scalars.generator(Symbol("constant_sine", f"sin({name})", meaning=f"sin({name})"))
        return self.scalars.generator(Symbol("constant_cosine", f"cos({name})", meaning=f"cos({name})")), sine

    def coordinate_pair(self, k: int) -> Pair:
        """Of a coordinate: the difference of the absolute angle it ends and the one it starts from."""
        if k not in self.angle_of:  # a length, of which someone takes the cosine
            s, c = self.scalars.prefixes
            label = angle_label(((k, 1),))
            sine = self.scalars.generator(Symbol("sine", s + label, angle=((k, 1),)))
            return self.scalars.generator(Symbol("cosine", c + label, angle=((k, 1),))), sine
        c, s = self.absolute(self.angle_of[k])
        start = self.before[k]
        if start is not None:
            c0, s0 = self.absolute(start)
            c, s = c * c0 + s * s0, s * c0 - c * s0
        sign = dict(self.sums[self.angle_of[k]])[k]
        return (c, s) if sign > 0 else (c, -s)

    def absolute(self, number: int) -> Pair:
        """Cosine and sine of an absolute angle."""
        s, c = self.scalars.prefixes
        label = angle_label(self.sums[number])
        return self.scalars.ring.generator(c + label), self.scalars.ring.generator(s + label)
