"""Lengths of springs between points: generators whose square is a polynomial."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.kinematics import point
from lagrangian.equations.reading.scalars import Length, Scalars
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
        relate_one(system.scalars, Length(spring.name, system.ring(v.dot(d, d))))


def relate_one(scalars: Scalars, of: Length) -> None:
    """Relate a length and its inverse to the square, with the derivatives that follow: length' = (length^2)' / (2 length)."""
    ring, square, length, inverse = scalars.ring, of.square, f"{of.word}({of.of})", f"1/{of.word}({of.of})"
    scalars.lengths[length] = scalars.lengths[inverse] = of
    ring.relate_square(length, square)
    ring.relate_inverse(inverse, ring.generator(length))
    over = ring.generator(inverse)
    for k in range(len(scalars.coordinates)):
        slope = ring.derivative(square, k) * Fraction(1, 2)
        ring.set_rate(length, k, slope * over)
        ring.set_rate(inverse, k, -(slope * (over * over * over)))
