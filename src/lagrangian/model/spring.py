"""Springs: between points of bodies, of coordinates, and what carries a part of a body's weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lagrangian.errors import MechanismError, Part, one_of, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.constraint import expression
from lagrangian.model.expression import Scalar, free_symbols

Point = tuple[str, v.Vector]  # of a body, in its frame


@dataclass(frozen=True, slots=True)
class PointSpring:
    """A spring and damper in line between a point on body `a` and a point on body `b`, through the points `via` if there are any.

    `via` are pairs (body, point), along which it slides without friction. The spring's tension is stiffness (length - rest), the
    damper's damping * d length / dt. A spring with `slack` has no tension from rest to rest + slack, and beyond stiffness times
    what is more: a rope, or a tendon with play.
    """

    name: str
    a: str
    b: str
    a_point: v.Vector = v.ZERO
    b_point: v.Vector = v.ZERO
    stiffness: Scalar = 0
    rest: Scalar = 0
    damping: Scalar = 0
    slack: Scalar = 0
    via: tuple[Point, ...] = ()

    def __post_init__(self) -> None:
        with placed(Part("spring", self.name)):
            coerce.keep(self, coerce.text, "name", "a", "b")
            coerce.keep(self, coerce.point, "a_point", "b_point")
            object.__setattr__(self, "via", _points(self.via))
            _numbers(self, ("stiffness", "rest", "damping", "slack"), "stiffness, rest length, damping and slack")

    @property
    def points(self) -> tuple[Point, ...]:
        """All of them, from one end to the other."""
        return ((self.a, self.a_point), *self.via, (self.b, self.b_point))


@dataclass(frozen=True, slots=True)
class CoordinateSpring:
    """A spring and damper whose `length` is an expression of coordinates, such as "theta1 - 2*theta2".

    V = 1/2 stiffness (length - rest)^2. A tendon over pulleys, a spring between two joints. `slack` is as of a `PointSpring`.
    """

    name: str
    length: Scalar
    stiffness: Scalar = 0
    rest: Scalar = 0
    damping: Scalar = 0
    slack: Scalar = 0

    def __post_init__(self) -> None:
        with placed(Part("spring", self.name)):
            coerce.keep(self, coerce.text, "name")
            coerce.keep(self, expression, "length")
            coerce.keep(self, coerce.number, "rest")  # which may be negative, as the length may
            if not free_symbols(self.length):
                raise MechanismError(f"is {self.length}", argument="length", remedy="an expression of coordinates is needed")
            _numbers(self, ("stiffness", "damping", "slack"), "stiffness, damping and slack")


@dataclass(frozen=True, slots=True)
class GravityCompensation:
    """A force at a body's centre of mass that carries `factor` of its weight: 1 all of it, as if it felt no gravity."""

    name: str
    body: str
    factor: Scalar = 1
    damping: ClassVar[Scalar] = 0

    def __post_init__(self) -> None:
        with placed(Part("gravity compensation", self.name)):
            coerce.keep(self, coerce.text, "name", "body")
            coerce.keep(self, coerce.number, "factor")


def _numbers(spring: Any, names: tuple[str, ...], told: str) -> None:
    coerce.keep(spring, coerce.number, *names)
    for name in names:
        if float(getattr(spring, name)) < 0:
            raise MechanismError(f"is {float(getattr(spring, name)):g}", argument=name, remedy=f"{told} cannot be negative")


def _points(given: Any) -> tuple[Point, ...]:
    found = []
    for item in given if isinstance(given, (tuple, list)) else (given,):
        if not isinstance(item, (tuple, list)) or len(item) != 2 or not isinstance(item[0], str):
            raise MechanismError(f"has {item!r:.60}", argument="via", remedy="pairs of a body and a point are needed")
        found.append((item[0], coerce.point(item[1], "via")))
    return tuple(found)


def check_place(spring: Any, bodies: Mapping[str, int], coordinates: tuple[str, ...]) -> None:
    """Whether the bodies or coordinates of a spring, or of a wall, exist."""
    if isinstance(spring, CoordinateSpring):
        for name in sorted(free_symbols(spring.length) - set(coordinates)):
            raise MechanismError(one_of("coordinate", name, coordinates), where=Part("spring", spring.name))
        return
    what, named = "wall", [getattr(spring, key) for key in ("body", "on") if hasattr(spring, key)]
    if isinstance(spring, PointSpring):
        what, named = "spring", [body for body, _ in spring.points]
    elif isinstance(spring, GravityCompensation):
        what = "gravity compensation"
        bodies = {name: k for name, k in bodies.items() if k >= 0}  # the ground has no weight
    for body in named:
        if body not in bodies:
            raise MechanismError(one_of("body", body, bodies), where=Part(what, spring.name))
