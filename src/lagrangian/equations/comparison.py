"""Whether two formulas are equal, by proof; and the hash that equal ones share."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.numbers import CONSTANTS, value
from lagrangian.equations.algebra.ring import Element, fraction, split
from lagrangian.equations.reading.system import NUMBER
from lagrangian.errors import ArgumentError
from lagrangian.model.expression.linear import exact

if TYPE_CHECKING:
    from lagrangian.equations.formula import Formula
    from lagrangian.equations.writing.writer import Writer

# generators between which there may be relations that the ring does not know
_OPEN = ("root", "function", "constant_sine", "constant_cosine")
_DECIMAL = re.compile(r"(?:sin|cos)\((\d+(?:\.\d+)?(?:/\d+)?)\)")
POINTS = 3  # at which a difference that is not zero in the ring is looked at in numbers
ROUNDING = 1e-12


def equal(a: Formula, b: Formula) -> bool:
    """Whether the difference is zero, which the ring decides; where functions of functions are in it, numbers must agree."""
    both = a._together(b)
    if both is None:
        return False
    writer, above, below, c, d = both
    ring = above.ring
    difference, _ = _normal(writer, ring(above * d) - ring(c * below))
    if not difference:
        return True
    functions = {s.name for s, e in zip(ring.symbols, difference.poly.degrees(), strict=True) if e > 0 and s.kind in _OPEN}
    if functions and not _of_one_decimal(functions) and _vanishes_in_numbers(writer, difference):
        raise ArgumentError(
            f"whether {a} is equal to {b} cannot be decided: they agree numerically, but the proof needs an identity of their "
            f"functions that is not implemented"
        )
    return False


def _of_one_decimal(functions: set[str]) -> bool:
    """Whether they are the sine and the cosine of one decimal: these are transcendental, and no identity is missing."""
    found = {match[1] if (match := _DECIMAL.fullmatch(name)) else "" for name in functions}
    return len(found) == 1 and found != {""}


def _normal(writer: Writer, x: Element) -> tuple[Element, Element]:
    """Over what is not zero, with cos^2(a/2) = (1 + cos a)/2 and sin(a/2) = sin(a) cos(a/2)/(1 + cos a) put in."""
    x = numbers_put_in(x)
    scalars, ring = writer.system.scalars, x.ring
    below = ring.one
    for name, k in scalars.coordinates.items():
        cosine, sine = (ring.number.get(f"{f}({name}/2)") for f in ("cos", "sin"))
        if cosine is None or sine is None or max(x.poly.degrees()[cosine], x.poly.degrees()[sine]) <= 0:
            continue
        c, s = (ring(part) for part in scalars.angles.coordinate_pair(k))
        half = ring.generator(ring.symbols[cosine].name)
        without, with_sine = (Element(ring, split(x.poly, sine).get(power, ring.context.constant(0))) for power in (0, 1))
        x = ring(without * (1 + c)) + ring(with_sine * s * half)
        below = ring(below * (1 + c))
        total = ring.zero
        for power, part in split(x.poly, cosine).items():
            total = total + ring(Element(ring, part) * ((1 + c) / 2) ** (power // 2) * half ** (power % 2))
        x = total
    return x, below


def numbers_put_in(x: Element) -> Element:
    """Generators that stand for numbers, such as lengths among inertial symbols, replaced by these."""
    values = {k: exact(s.value) for k, s in enumerate(x.ring.symbols) if s.meaning == NUMBER and s.value is not None}
    return x.ring.substitute(x, values) if values else x


def _vanishes_in_numbers(writer: Writer, x: Element) -> bool:
    """Whether it is zero, but for rounding, at a few points."""
    chance = random.Random(1)
    n, symbols = writer.system.n, x.ring.symbols
    for _ in range(POINTS):
        names = {s.name for s in symbols if s.kind in CONSTANTS and s.name != "pi"} | set(writer.system.scalars.values) | {"t"}
        given = {name: chance.uniform(0.5, 2.0) for name in sorted(names)}
        q, qd, qdd = ([chance.uniform(0.1, 1.4) for _ in range(n)] for _ in range(3))
        try:
            values = writer.values(q, qd, qdd, given)
        except (ValueError, ZeroDivisionError, OverflowError):
            return False
        size = sum(abs(value(Element(x.ring, x.ring.context.from_dict({m: c})), values)) for m, c in x.poly.terms())
        if not math.isfinite(size) or abs(value(x, values)) > ROUNDING * size:
            return False
    return True


def hashed(x: Formula) -> int:
    """Of the quotient in a form that is the same for equal ones: without inverses, and without sines and roots below the line."""
    ring = x.element.ring
    above, below = _plain(x.writer, x.element)
    if x.denominator is not None:
        c, d = _plain(x.writer, x.denominator)
        above, below = ring(above * d), ring(below * c)
    for k, _ in ring._squares:
        if below.poly.degrees()[k] > 0:
            parts, zero = split(below.poly, k), ring.context.constant(0)
            other = Element(ring, parts.get(0, zero) - parts.get(1, zero) * ring.generators[k])  # (a + b s)(a - b s) has no s
            above, below = ring(above * other), ring(below * other)
    if not above:
        return hash(0)
    shared = above.poly.gcd(below.poly)
    tops = [divmod(p.poly, shared)[0] for p in (above, below)]
    lead = tops[1].leading_coefficient()
    top, bottom = (Element(ring, p / lead) for p in tops)
    if top.poly.is_constant() and bottom.poly.is_constant():
        return hash(fraction(top.poly.leading_coefficient()))
    return hash((_terms(top), _terms(bottom)))


def _plain(writer: Writer, x: Element) -> tuple[Element, Element]:
    """As a quotient, without inverses and angles halved below the line."""
    above, first = _normal(writer, x)
    above, second = _without_inverses(above)
    return above, x.ring(first * second)


def _without_inverses(x: Element) -> tuple[Element, Element]:
    """Generators that are inverses, as denominators."""
    ring = x.ring
    below = ring.one
    for k, denominator, _ in ring._inverses:
        top = x.poly.degrees()[k]
        if top > 0:
            total = ring.context.constant(0)
            for power, part in split(x.poly, k).items():
                total = total + part * denominator ** (top - power)
            x = Element(ring, ring.reduce(total))
            below = ring(below * Element(ring, denominator) ** top)
    return x, below


def _terms(x: Element) -> frozenset[object]:
    names = [s.name for s in x.ring.symbols]
    return frozenset((frozenset((names[k], int(e)) for k, e in enumerate(m) if e), fraction(c)) for m, c in x.poly.terms())
