"""Lengths of springs between points: generators whose square is a polynomial."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.kinematics import point
from lagrangian.equations.reading.scalars import Length
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
    """length^2 = d.d, and the derivatives that follow: length' = (d.d)' / (2 length)."""
    ring = system.ring
    for spring in system.springs:
        length, inverse = name(spring.name), inverse_name(spring.name)
        d = v.sub(point(system, spring.b, spring.b_point), point(system, spring.a, spring.a_point))
        square = ring(v.dot(d, d))
        system.scalars.lengths[length] = system.scalars.lengths[inverse] = Length(spring.name, square)
        ring.relate_square(length, square)
        ring.relate_inverse(inverse, ring.generator(length))
        over = ring.generator(inverse)
        for k in range(system.n):
            slope = ring.derivative(square, k) * Fraction(1, 2)
            ring.set_rate(length, k, slope * over)
            ring.set_rate(inverse, k, -(slope * (over * over * over)))
