"""Cosines and sines of angles as elements of a ring: sums are expanded, quarter turns are exact, joints' angles are added up."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import (
    ANGLE_TOLERANCE,
    ROUNDING_DENOMINATOR,
    CosineSine,
    Symbol,
    angle_label,
    angle_sum,
    multiple_text,
    number_text,
    quarter_turns,
)
from lagrangian.model.expression import PI, Expression, Scalar, call, parameters
from lagrangian.model.expression.linear import linear_coefficients
from lagrangian.model.expression.turns import nearest_quarter_turns

if TYPE_CHECKING:
    from lagrangian.equations.reading.scalars import RingReader

# terms of an angle with a larger multiple of a name, or with a fraction of it, are not expanded
MAX_MULTIPLE = 3
# up to this number, constant angles that are no multiples of 15 degrees stay names; more become fractions
MAX_ODD_ANGLES = 3


class AngleReader:
    """Reads angles into the ring of `scalars`.

    The joints' absolute angles are sums of coordinates, each with its sign. A coordinate's own cosine and sine come from two of
    them (`coordinate_pair`).
    """

    def __init__(self, scalars: RingReader) -> None:
        self.scalars = scalars
        self.absolute_angles: list[tuple[tuple[int, int], ...]] = []
        self.angle_index: dict[int, int] = {}  # the absolute angle a coordinate is the last part of
        self.previous_angle: dict[int, int | None] = {}  # the absolute angle it is added to
        self.constant_angles: dict[str, Scalar] = {}  # the angle of every constant sine and cosine
        self._odd_angles: set[float] = set()  # constant angles that are no multiples of 15 degrees
        self.max_odd_angles: float = MAX_ODD_ANGLES
        self.described_angles: set[Fraction] = set()  # numbers of radians in the description

    @property
    def uses_fractions(self) -> bool:
        """Whether odd angles have become fractions, which grow with every product."""
        return len(self._odd_angles) > self.max_odd_angles

    def declare_absolute_angles(
        self,
        absolute_angles: list[tuple[tuple[int, int], ...]],
        angle_index: dict[int, int],
        previous_angle: dict[int, int | None],
    ) -> None:
        """Declare the joints' absolute angles, each a pair of generators."""
        self.absolute_angles, self.angle_index, self.previous_angle = absolute_angles, angle_index, previous_angle
        s, c = self.scalars.prefixes
        for angle in absolute_angles:
            label = angle_label(angle)
            self.scalars.declare(Symbol("sine", s + label, angle=angle))
            self.scalars.declare(Symbol("cosine", c + label, angle=angle))
        self.scalars.rebuild_ring()

    def pair(self, angle: Scalar) -> CosineSine:
        """Cosine and sine of an angle: sums are expanded, quarter turns are exact."""
        for name, value in parameters(angle).items():
            self.scalars.check_single_value(name, value)
            self.scalars.parameter_values[name] = value
        terms = linear_coefficients(angle)
        if terms is None:
            return self._undivided_pair(angle)
        result: CosineSine = (1, 0)
        for name, factor in terms.items():
            result = angle_sum(result, self._term_pair(name, factor))
        return result

    def _term_pair(self, name: str, factor: Fraction) -> CosineSine:
        if name == "pi":
            quarter_count = round(factor * 2)
            remainder = factor - Fraction(quarter_count, 2)
            result = quarter_turns(quarter_count)
            return (
                angle_sum(
                    result,
                    self._named_constant_pair(multiple_text("pi", remainder), remainder.numerator * PI / remainder.denominator),
                )
                if remainder
                else result
            )
        if name == "":
            self.described_angles.add(factor)
            return self.constant_angle(float(factor))
        is_small_integer = factor.denominator == 1 and abs(factor) <= MAX_MULTIPLE
        if not is_small_integer:
            scaled = abs(factor.numerator) * self._angle_symbol(name) / factor.denominator
            c, s = self._undivided_pair(scaled)
            return (c, s) if factor > 0 else (c, -s)
        result = (1, 0)
        unit_pair = (
            self.coordinate_pair(self.scalars.coordinates[name])
            if name in self.scalars.coordinates
            else self._undivided_pair(self._angle_symbol(name))
        )
        unit_pair = unit_pair if factor > 0 else (unit_pair[0], -unit_pair[1])
        for _ in range(abs(factor.numerator)):
            result = angle_sum(result, unit_pair)
        return result

    def _angle_symbol(self, name: str) -> Any:
        """The expression of a name that stands in an angle."""
        return Expression("symbol", (), self.scalars.parameter_values.get(name), name)

    def decimal_pair(self, angle: Fraction) -> CosineSine:
        """Cosine and sine of a decimal number of radians in a text, which is a multiple of pi only if the description has it."""
        value = float(angle)
        parts = value / (math.pi / 12)
        is_plain_decimal = (
            abs(value) < math.pi / 4 and abs(parts - round(parts)) > ANGLE_TOLERANCE and Fraction(f"{value:.15g}") == angle
        )
        if angle in self.described_angles or is_plain_decimal:
            return self.constant_angle(value)
        c, s = self._named_constant_pair(number_text(abs(angle)).strip("()"), abs(value))
        return c, s if angle > 0 else -s

    def constant_angle(self, angle: float) -> CosineSine:
        """Cosine and sine of a number of radians: exact for multiples of 15 degrees.

        Others are constants of their own, sin(0.7), as long as there are few of them; many would multiply the terms, and become
        rational points on the circle instead.
        """
        quarter_count, remainder = nearest_quarter_turns(angle)
        parts = round(remainder / (math.pi / 12))
        if abs(remainder - parts * math.pi / 12) <= ANGLE_TOLERANCE:
            return (
                angle_sum(
                    quarter_turns(quarter_count),
                    self._named_constant_pair(multiple_text("pi", Fraction(parts, 12)), parts * PI / 12),
                )
                if parts
                else quarter_turns(quarter_count)
            )
        key = round(abs(remainder), 12)
        if key not in self._odd_angles:
            self._odd_angles.add(key)
            self.scalars.incomplete = True  # whether there are few is known when all are
        if len(self._odd_angles) <= self.max_odd_angles:
            c, s = self._named_constant_pair(f"{abs(remainder):.15g}", abs(remainder))
            return angle_sum(quarter_turns(quarter_count), (c, s if remainder > 0 else -s))
        t = Fraction(round(math.tan(remainder / 2) * ROUNDING_DENOMINATOR), ROUNDING_DENOMINATOR)
        return angle_sum(quarter_turns(quarter_count), ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)))

    def _named_constant_pair(self, name: str, angle: Scalar) -> CosineSine:
        if name.startswith("-"):
            c, s = self._named_constant_pair(name[1:], -angle)
            return c, -s
        if name == "pi/6":
            return self.scalars.read(call("sqrt", 3)) / 2, Fraction(1, 2)
        if name == "pi/4":
            half = self.scalars.read(call("sqrt", 2)) / 2
            return half, half
        value = float(angle)
        self.constant_angles[f"cos({name})"] = self.constant_angles[f"sin({name})"] = angle
        # the sine first: its square is rewritten by the cosine's, which must stand after it
        sine = self.scalars.generator(Symbol("constant_sine", f"sin({name})", math.sin(value), meaning=f"sin({name})"))
        return self.scalars.generator(Symbol("constant_cosine", f"cos({name})", math.cos(value), meaning=f"cos({name})")), sine

    def _undivided_pair(self, angle: Scalar) -> CosineSine:
        """Cosine and sine of an angle that is not expanded: a parameter, or a function of coordinates and time."""
        name = str(angle)
        if not isinstance(angle, Expression) or angle.value is not None:
            return self._named_constant_pair(name, angle)
        for operation in ("sin", "cos"):
            self.scalars.function_generators.setdefault(f"{operation}({name})", ("function", call(operation, angle)))
        sine = self.scalars.generator(Symbol("constant_sine", f"sin({name})", meaning=f"sin({name})"))
        return self.scalars.generator(Symbol("constant_cosine", f"cos({name})", meaning=f"cos({name})")), sine

    def coordinate_pair(self, k: int) -> CosineSine:
        """Cosine and sine of a coordinate, the difference of the absolute angle that it ends and the one that it is added to."""
        if k not in self.angle_index:  # a length, of which someone takes the cosine
            s, c = self.scalars.prefixes
            label = angle_label(((k, 1),))
            sine = self.scalars.generator(Symbol("sine", s + label, angle=((k, 1),)))
            return self.scalars.generator(Symbol("cosine", c + label, angle=((k, 1),))), sine
        c, s = self.absolute_pair(self.angle_index[k])
        start = self.previous_angle[k]
        if start is not None:
            c0, s0 = self.absolute_pair(start)
            c, s = c * c0 + s * s0, s * c0 - c * s0
        sign = dict(self.absolute_angles[self.angle_index[k]])[k]
        return (c, s) if sign > 0 else (c, -s)

    def absolute_pair(self, number: int) -> CosineSine:
        """Cosine and sine of an absolute angle."""
        s, c = self.scalars.prefixes
        label = angle_label(self.absolute_angles[number])
        return self.scalars.ring.generator(c + label), self.scalars.ring.generator(s + label)
