"""Lengths that are roots: generators whose square is a polynomial, with their inverses and derivatives.

A spring between points, or every piece of one that runs over several points, has such a length; so has the height of a rolling
disc's centre above its plane where the root is no polynomial (`equations.rolling`).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lagrangian.equations.algebra.ring import RingElement, Symbol, sum_elements
from lagrangian.equations.kinematics import point_position
from lagrangian.model import vector as v
from lagrangian.model.spring import BodyPoint, PointSpring

if TYPE_CHECKING:
    from lagrangian.equations.reading.scalars import RingReader
    from lagrangian.equations.reading.system import SymbolicSystem


class LengthDefinition(NamedTuple):
    """A length that is a root: whose it is, its square, and whether it is a spring's length or a disc's height."""

    owner: str
    square: RingElement
    quantity: str = "length"


def relate_length(scalars: RingReader, definition: LengthDefinition) -> None:
    """Relate a length and its inverse to the square, with the derivatives that follow: length' = (length^2)' / (2 length)."""
    ring, square = scalars.ring, definition.square
    length_name = f"{definition.quantity}({definition.owner})"
    inverse_name = f"1/{length_name}"
    scalars.lengths[length_name] = scalars.lengths[inverse_name] = definition
    ring.relate_square(length_name, square)
    ring.relate_inverse(inverse_name, ring.generator(length_name))
    reciprocal = ring.generator(inverse_name)
    for k in range(len(scalars.coordinates)):
        slope = ring.derivative(square, k) * Fraction(1, 2)
        ring.set_derivative(length_name, k, slope * reciprocal)
        ring.set_derivative(inverse_name, k, -(slope * (reciprocal * reciprocal * reciprocal)))


def spring_length(system: SymbolicSystem, spring: PointSpring) -> RingElement:
    """The whole length of a spring between points."""
    return system.ring(
        sum_elements((system.ring.generator(segment.name) for segment in spring_segments(spring)), system.ring.zero)
    )


def spring_segments(spring: PointSpring) -> list[SpringSegment]:
    """The straight parts of a spring, in the order of its points."""
    ends = list(pairwise(spring.points))
    if len(ends) == 1:
        return [SpringSegment(spring.name, *ends[0], f"distance between the ends of spring {spring.name}")]
    title = f"spring {spring.name}"
    return [SpringSegment(f"{spring.name}.{k}", a, b, f"length of piece {k} of {title}") for k, (a, b) in enumerate(ends, 1)]


class SpringSegment(NamedTuple):
    """The straight part of a spring between two of its points; the only one is called like the spring."""

    label: str
    a: BodyPoint
    b: BodyPoint
    meaning: str

    @property
    def name(self) -> str:
        return f"length({self.label})"

    @property
    def inverse_name(self) -> str:
        return f"1/length({self.label})"


def declare_lengths(system: SymbolicSystem) -> None:
    """Declare a generator for the length of every piece of a spring between points, and one for its inverse."""
    for segment in (segment for spring in system.point_springs for segment in spring_segments(spring)):
        system.scalars.declare(Symbol("root", segment.name, meaning=segment.meaning))
        system.scalars.declare(Symbol("inverse", segment.inverse_name, meaning=f"1 / ({segment.meaning})"))


def relate_lengths(system: SymbolicSystem) -> None:
    """Relate every length to its square, d.d with d from one end to the other."""
    for segment in (segment for spring in system.point_springs for segment in spring_segments(spring)):
        d = v.sub(point_position(system, *segment.b), point_position(system, *segment.a))
        relate_length(system.scalars, LengthDefinition(segment.label, system.ring(v.dot(d, d))))
