"""Whether two formulas are equal, by proof; and the hash that equal ones share."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.numbers import PARAMETER_KINDS, evaluate_element
from lagrangian.equations.algebra.ring import RingElement, as_fraction, coefficients_by_power
from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.errors import ArgumentError
from lagrangian.model.expression.linear import exact_decimal

if TYPE_CHECKING:
    from lagrangian.equations.formula import Formula
    from lagrangian.equations.writing.writer import FormulaWriter

# generators between which there may be relations that the ring does not know
_UNDECIDED_KINDS = ("root", "function", "constant_sine", "constant_cosine")
_DECIMAL_ANGLE = re.compile(r"(?:sin|cos)\((\d+(?:\.\d+)?(?:/\d+)?)\)")
TEST_POINTS = 3  # at which a difference that is not zero in the ring is looked at in numbers
ROUNDING_TOLERANCE = 1e-12


def are_equal(a: Formula, b: Formula) -> bool:
    """Whether the difference is zero, which the ring decides; where functions of functions are in it, numbers must agree."""
    common = a._over_common_ring(b)
    if common is None:
        return False
    writer, numerator, denominator, other_numerator, other_denominator = common
    ring = numerator.ring
    difference, _ = _normal_form(writer, ring(numerator * other_denominator) - ring(other_numerator * denominator))
    if not difference:
        return True
    functions = {
        s.name for s, e in zip(ring.symbols, difference.poly.degrees(), strict=True) if e > 0 and s.kind in _UNDECIDED_KINDS
    }
    if functions and not _is_one_decimal_angle(functions) and _vanishes_numerically(writer, difference):
        raise ArgumentError(
            f"whether {a} is equal to {b} cannot be decided: they agree numerically, but the proof needs an identity of their "
            f"functions that is not implemented"
        )
    return False


def _is_one_decimal_angle(functions: set[str]) -> bool:
    """Whether they are the sine and the cosine of one decimal: these are transcendental, and no identity is missing."""
    decimals = {match[1] if (match := _DECIMAL_ANGLE.fullmatch(name)) else "" for name in functions}
    return len(decimals) == 1 and decimals != {""}


def _normal_form(writer: FormulaWriter, x: RingElement) -> tuple[RingElement, RingElement]:
    """Return the numerator and the nonzero denominator of x, with its half angles replaced.

    The replacements are cos^2(a/2) = (1 + cos a)/2 and sin(a/2) = sin(a) cos(a/2)/(1 + cos a).
    """
    x = substitute_numbers(x)
    scalars, ring = writer.system.scalars, x.ring
    denominator = ring.one
    for name, k in scalars.coordinates.items():
        cosine, sine = (ring.generator_index.get(f"{f}({name}/2)") for f in ("cos", "sin"))
        if cosine is None or sine is None or max(x.poly.degrees()[cosine], x.poly.degrees()[sine]) <= 0:
            continue
        c, s = (ring(part) for part in scalars.angles.coordinate_pair(k))
        half_cosine = ring.generator(ring.symbols[cosine].name)
        without, with_sine = (
            RingElement(ring, coefficients_by_power(x.poly, sine).get(power, ring.context.constant(0))) for power in (0, 1)
        )
        x = ring(without * (1 + c)) + ring(with_sine * s * half_cosine)
        denominator = ring(denominator * (1 + c))
        total = ring.zero
        for power, part in coefficients_by_power(x.poly, cosine).items():
            total = total + ring(RingElement(ring, part) * ((1 + c) / 2) ** (power // 2) * half_cosine ** (power % 2))
        x = total
    return x, denominator


def substitute_numbers(x: RingElement) -> RingElement:
    """Generators that stand for numbers, such as lengths among inertial symbols, replaced by these."""
    values = {
        k: exact_decimal(s.value) for k, s in enumerate(x.ring.symbols) if s.meaning == NUMBER_MEANING and s.value is not None
    }
    return x.ring.substitute(x, values) if values else x


def _vanishes_numerically(writer: FormulaWriter, x: RingElement) -> bool:
    """Whether it is zero, but for rounding, at a few points."""
    rng = random.Random(1)
    n, symbols = writer.system.n, x.ring.symbols
    for _ in range(TEST_POINTS):
        names = (
            {s.name for s in symbols if s.kind in PARAMETER_KINDS and s.name != "pi"}
            | set(writer.system.scalars.parameter_values)
            | {"t"}
        )
        parameter_values = {name: rng.uniform(0.5, 2.0) for name in sorted(names)}
        q, qd, qdd = ([rng.uniform(0.1, 1.4) for _ in range(n)] for _ in range(3))
        try:
            values = writer.values(q, qd, qdd, parameter_values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return False
        magnitude = sum(
            abs(evaluate_element(RingElement(x.ring, x.ring.context.from_dict({m: c})), values)) for m, c in x.poly.terms()
        )
        if not math.isfinite(magnitude) or abs(evaluate_element(x, values)) > ROUNDING_TOLERANCE * magnitude:
            return False
    return True


def canonical_hash(x: Formula) -> int:
    """The hash of a formula, from a form of its quotient that equal formulas share.

    That form has no inverses, and no sines and roots in its denominator.
    """
    ring = x.element.ring
    numerator, denominator = _plain_quotient(x.writer, x.element)
    if x.denominator is not None:
        c, d = _plain_quotient(x.writer, x.denominator)
        numerator, denominator = ring(numerator * d), ring(denominator * c)
    for k, _ in ring._squares:
        if denominator.poly.degrees()[k] > 0:
            parts, zero = coefficients_by_power(denominator.poly, k), ring.context.constant(0)
            conjugate = RingElement(
                ring, parts.get(0, zero) - parts.get(1, zero) * ring.generators[k]
            )  # (a + b s)(a - b s) has no s
            numerator, denominator = ring(numerator * conjugate), ring(denominator * conjugate)
    if not numerator:
        return hash(0)
    shared = numerator.poly.gcd(denominator.poly)
    reduced = [divmod(p.poly, shared)[0] for p in (numerator, denominator)]
    leading_coefficient = reduced[1].leading_coefficient()
    reduced_numerator, reduced_denominator = (RingElement(ring, p / leading_coefficient) for p in reduced)
    if reduced_numerator.poly.is_constant() and reduced_denominator.poly.is_constant():
        return hash(as_fraction(reduced_numerator.poly.leading_coefficient()))
    return hash((_named_terms(reduced_numerator), _named_terms(reduced_denominator)))


def _plain_quotient(writer: FormulaWriter, x: RingElement) -> tuple[RingElement, RingElement]:
    """Return the numerator and the denominator of x, without inverses, and without half angles in the denominator."""
    numerator, half_angle_denominator = _normal_form(writer, x)
    numerator, inverse_denominator = _without_inverses(numerator)
    return numerator, x.ring(half_angle_denominator * inverse_denominator)


def _without_inverses(x: RingElement) -> tuple[RingElement, RingElement]:
    """Generators that are inverses, as denominators."""
    ring = x.ring
    denominator_product = ring.one
    for k, denominator, _ in ring._inverses:
        degree = x.poly.degrees()[k]
        if degree > 0:
            total = ring.context.constant(0)
            for power, part in coefficients_by_power(x.poly, k).items():
                total = total + part * denominator ** (degree - power)
            x = RingElement(ring, ring.reduce(total))
            denominator_product = ring(denominator_product * RingElement(ring, denominator) ** degree)
    return x, denominator_product


def _named_terms(x: RingElement) -> frozenset[object]:
    names = [s.name for s in x.ring.symbols]
    return frozenset((frozenset((names[k], int(e)) for k, e in enumerate(m) if e), as_fraction(c)) for m, c in x.poly.terms())
