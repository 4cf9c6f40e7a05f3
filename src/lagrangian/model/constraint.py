"""Constraints that are not joints between two frames: equations, prescribed motion, rolling, knife edges, Pfaffian forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lagrangian.errors import DescriptionError, MechanismError, Part, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.entries import direction
from lagrangian.model.expression import FUNCTIONS, Scalar, parse, symbol

GROUND = "ground"
SIDES = re.compile(r"(?<![<>])=")  # what stands between the sides of an equation; <= and >= are conditions


@dataclass(frozen=True, slots=True)
class Pfaffian:
    """`phi(t) + sum_i coefficient_i(q, t) qd_i = 0`; speeds by their names, coefficients as expressions of coordinates."""

    name: str
    coefficients: tuple[tuple[str, Scalar], ...]
    phi: Scalar = 0

    def __post_init__(self) -> None:
        given = self.coefficients
        pairs = tuple(given.items() if isinstance(given, Mapping) else given if isinstance(given, (list, tuple)) else ())
        with placed(Part("constraint", self.name)):
            coerce.keep(self, coerce.text, "name")
            named = (isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs)
            if not pairs or not all(named):
                needed = "speeds with what multiplies them are needed: (('x', 1),)"
                raise MechanismError(f"is {given!r:.60}", argument="coefficients", remedy=needed)
            kept = tuple((speed, expression(x, f"the coefficient of {speed!r}")) for speed, x in pairs)
            object.__setattr__(self, "coefficients", kept)
            object.__setattr__(self, "phi", expression(self.phi, "phi"))

    @property
    def equations(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Holonomic:
    """`equation(q, t) = 0`: gears and couplings between joints, prescribed motion `q_i - f(t)`, curves to follow.

    With `unilateral` it is a contact, which keeps the equation's left side from becoming negative and cannot hold it back from
    becoming positive: its multiplier is not negative, and a run says where it would have to be.
    """

    name: str
    equation: Scalar
    unilateral: bool = False

    def __post_init__(self) -> None:
        with placed(Part("constraint", self.name)):
            coerce.keep(self, coerce.text, "name")
            coerce.keep(self, expression, "equation")
            coerce.keep(self, coerce.flag, "unilateral")

    @property
    def equations(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class KnifeEdge:
    """A point of body `body` does not move along `direction`, which is fixed to that body: a skate, a wheel's side, a blade."""

    name: str
    body: str
    direction: v.Vector
    point: v.Vector = v.ZERO

    def __post_init__(self) -> None:
        with placed(Part("constraint", self.name)):
            coerce.keep(self, coerce.text, "name", "body")
            coerce.keep(self, direction, "direction")
            coerce.keep(self, coerce.point, "point")

    @property
    def equations(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Rolling:
    """A sphere, or with `axis` a thin disc or wheel, of body `body` rolls without slipping on a plane of body `on`.

    `center` and `axis` are given in the frame of `body`, the plane by a `normal` and a `point` in the frame of `on`. Three
    equations: the distance of the centre from the plane, and no slip along two directions of the plane. The plane only pushes: a
    run says where it would have to pull, unless `unilateral` is False.
    """

    name: str
    body: str
    radius: Scalar
    center: v.Vector = v.ZERO
    axis: v.Vector | None = None
    on: str = GROUND
    normal: v.Vector = v.Z
    point: v.Vector = v.ZERO
    unilateral: bool = True

    def __post_init__(self) -> None:
        with placed(Part("constraint", self.name)):
            coerce.keep(self, coerce.text, "name", "body", "on")
            coerce.keep(self, coerce.number, "radius")
            coerce.keep(self, coerce.flag, "unilateral")
            if float(self.radius) <= 0:
                raise MechanismError(f"is {float(self.radius):g} m", argument="radius", remedy="it must be positive")
            if self.body == self.on:
                raise MechanismError(f"body {self.body!r} cannot roll on itself")
            coerce.keep(self, coerce.point, "center", "point")
            coerce.keep(self, direction, "normal", *(() if self.axis is None else ("axis",)))

    @property
    def equations(self) -> int:
        return 3


@dataclass(frozen=True)
class PfaffianFunction:
    """`function(t, q, qd) = 0`, a Python function that is linear in the speeds: a number, or a list of `equations` numbers.

    It is called once with symbols for its arguments, to be compiled: it may use arithmetic, numpy's sin, cos, sqrt, exp, log,
    tanh, arctan and so on, but must not branch on values.
    """

    name: str
    function: Callable[[Any, Any, Any], Any]
    equations: int = 1

    def __post_init__(self) -> None:
        where = Part("constraint", self.name)
        if not callable(self.function):
            needed = "a function of (t, q, qd) is needed"
            raise MechanismError(f"is {self.function!r:.60}", where=where, argument="function", remedy=needed)
        if isinstance(self.equations, bool) or not isinstance(self.equations, int) or self.equations < 1:
            needed = "their number is needed, at least 1"
            raise MechanismError(f"is {self.equations!r}", where=where, argument="equations", remedy=needed)


Constraint = Pfaffian | Holonomic | KnifeEdge | Rolling | PfaffianFunction


def expression(given: Any, name: str) -> Scalar:
    """A number, an expression, or text with `left = right` or an expression: any name in it is a coordinate, or t."""
    if not isinstance(given, str):
        return coerce.scalar(given, name)
    try:
        left, *right = (parse(side, _AnyName()) for side in SIDES.split(given))
    except DescriptionError as error:
        raise MechanismError(error.what, where=(name, *error.where), remedy=error.remedy) from None
    if len(right) > 1:
        raise MechanismError(f"{given!r} has more than one '='", where=name)
    return left - right[0] if right else left


class _AnyName(dict[str, Scalar]):
    """Which names there are is for the mechanism to say: it checks them."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name not in ("pi", *FUNCTIONS)

    def __getitem__(self, name: str) -> Scalar:
        return symbol(name)
