"""Lengths of springs between points: generators whose square is a polynomial."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Element, Symbol
from lagrangian.equations.kinematics import point
from lagrangian.equations.reading.scalars import Scalars, SpringLength
from lagrangian.model import vector as v

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System


def name(spring: str) -> str:
    return f"length({spring})"


def inverse_name(spring: str) -> str:
    return f"1/length({spring})"


def declare(system: System) -> None:
    """A generator for the length of every spring between points, and one for its inverse."""
    for spring in system.springs:
        meaning = f"distance between the ends of spring {spring.name}"
        system.scalars.declare(Symbol("root", name(spring.name), meaning=meaning))
        system.scalars.declare(Symbol("inverse", inverse_name(spring.name), meaning=f"1 / ({meaning})"))


def relate(system: System) -> None:
    """Find the squares of the lengths, d.d between the ends, and relate the lengths to them."""
    for spring in system.springs:
        d = v.sub(point(system, spring.b, spring.b_point), point(system, spring.a, spring.a_point))
        relate_one(system.scalars, spring.name, system.ring(v.dot(d, d)))


def relate_one(scalars: Scalars, spring: str, square: Element) -> None:
    """length^2 = d.d, and the derivatives that follow: length' = (d.d)' / (2 length)."""
    ring, length, inverse = scalars.ring, name(spring), inverse_name(spring)
    scalars.lengths[length] = scalars.lengths[inverse] = SpringLength(spring, square)
    ring.relate_square(length, square)
    ring.relate_inverse(inverse, ring.generator(length))
    over = ring.generator(inverse)
    for k in range(len(scalars.coordinates)):
        slope = ring.derivative(square, k) * Fraction(1, 2)
        ring.set_rate(length, k, slope * over)
        ring.set_rate(inverse, k, -(slope * (over * over * over)))
