"""Lengths of springs between points: generators whose square is a polynomial."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lagrangian.equations.algebra.ring import Element, Symbol, total
from lagrangian.equations.kinematics import point
from lagrangian.equations.reading.scalars import Length, Scalars
from lagrangian.model import vector as v
from lagrangian.model.spring import Point, PointSpring

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System


class Piece(NamedTuple):
    """The straight part of a spring between two of its points; the only one is called like the spring."""

    of: str
    a: Point
    b: Point
    meaning: str

    @property
    def name(self) -> str:
        return f"length({self.of})"

    @property
    def inverse_name(self) -> str:
        return f"1/length({self.of})"


def pieces(spring: PointSpring) -> list[Piece]:
    found = list(pairwise(spring.points))
    if len(found) == 1:
        return [Piece(spring.name, *found[0], f"distance between the ends of spring {spring.name}")]
    whole = f"spring {spring.name}"
    return [Piece(f"{spring.name}.{k}", a, b, f"length of piece {k} of {whole}") for k, (a, b) in enumerate(found, 1)]


def length(system: System, spring: PointSpring) -> Element:
    """The whole length of a spring between points."""
    return system.ring(total((system.ring.generator(piece.name) for piece in pieces(spring)), system.ring.zero))


def declare(system: System) -> None:
    """A generator for the length of every spring between points, or of every piece, and one for its inverse."""
    for piece in (piece for spring in system.springs for piece in pieces(spring)):
        system.scalars.declare(Symbol("root", piece.name, meaning=piece.meaning))
        system.scalars.declare(Symbol("inverse", piece.inverse_name, meaning=f"1 / ({piece.meaning})"))


def relate(system: System) -> None:
    """Find the squares of the lengths, d.d between the ends, and relate the lengths to them."""
    for piece in (piece for spring in system.springs for piece in pieces(spring)):
        d = v.sub(point(system, *piece.b), point(system, *piece.a))
        relate_one(system.scalars, Length(piece.of, system.ring(v.dot(d, d))))


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
