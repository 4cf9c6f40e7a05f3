"""Constraints that are not joints between two frames: equations, prescribed motion, rolling, knife edges, Pfaffian forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lagrangian.errors import DescriptionError, MechanismError
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.entries import unit
from lagrangian.model.expression import FUNCTIONS, Scalar, parse, symbol

GROUND = "ground"


@dataclass(frozen=True, slots=True)
class Pfaffian:
    """`phi(t) + sum_i coefficient_i(q, t) qd_i = 0`; speeds by their names, coefficients as expressions of coordinates."""

    name: str
    coefficients: tuple[tuple[str, Scalar], ...]
    phi: Scalar = 0

    def __post_init__(self) -> None:
        where = f"constraint {self.name!r}"
        given = self.coefficients
        pairs = tuple(given.items() if isinstance(given, Mapping) else given)
        if not pairs or any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
            raise MechanismError(
                f"{where}: coefficients is {given!r:.60}; speeds with what multiplies them are needed: (('x', 1),)"
            )
        kept = tuple((speed, _expression(x, f"{where}: the coefficient of {speed!r}")) for speed, x in pairs)
        object.__setattr__(self, "coefficients", kept)
        object.__setattr__(self, "phi", _expression(self.phi, f"{where}: phi"))

    @property
    def equations(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Holonomic:
    """`equation(q, t) = 0`: gears and couplings between joints, prescribed motion `q_i - f(t)`, curves to follow."""

    name: str
    equation: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "equation", _expression(self.equation, f"constraint {self.name!r}: equation"))

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
        where = f"constraint {self.name!r}"
        object.__setattr__(self, "direction", unit(coerce.axis(self.direction, f"{where}: direction"), f"{where}: direction"))
        object.__setattr__(self, "point", _point(self.point, where, "point"))

    @property
    def equations(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Rolling:
    """A sphere, or with `axis` a thin disc or wheel, of body `body` rolls without slipping on a plane of body `on`.

    `center` and `axis` are given in the frame of `body`, the plane by a `normal` and a `point` in the frame of `on`. Three
    equations: the distance of the centre from the plane, and no slip along two directions of the plane.
    """

    name: str
    body: str
    radius: Scalar
    center: v.Vector = v.ZERO
    axis: v.Vector | None = None
    on: str = GROUND
    normal: v.Vector = v.Z
    point: v.Vector = v.ZERO

    def __post_init__(self) -> None:
        where = f"constraint {self.name!r}"
        coerce.finite((coerce.scalar(self.radius, f"{where}: radius"),), where, "radius")
        if float(self.radius) <= 0:
            raise MechanismError(f"{where}: the radius is {float(self.radius):g} m; it must be positive")
        if self.body == self.on:
            raise MechanismError(f"{where}: body {self.body!r} cannot roll on itself")
        for what in ("center", "point"):
            object.__setattr__(self, what, _point(getattr(self, what), where, what))
        object.__setattr__(self, "normal", unit(coerce.axis(self.normal, f"{where}: normal"), f"{where}: normal"))
        if self.axis is not None:
            object.__setattr__(self, "axis", unit(coerce.axis(self.axis, f"{where}: axis"), f"{where}: axis"))

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
        if not callable(self.function):
            raise MechanismError(f"constraint {self.name!r}: a function of (t, q, qd) is needed, not {self.function!r}")
        if isinstance(self.equations, bool) or not isinstance(self.equations, int) or self.equations < 1:
            raise MechanismError(f"constraint {self.name!r}: the number of equations is {self.equations!r}; at least 1 is needed")


Constraint = Pfaffian | Holonomic | KnifeEdge | Rolling | PfaffianFunction


def _expression(given: Any, where: str) -> Scalar:
    """A number, an expression, or text with `left = right` or an expression: any name in it is a coordinate, or t."""
    if not isinstance(given, str):
        return coerce.scalar(given, where)
    try:
        left, *right = (parse(side, _AnyName()) for side in given.split("="))
    except DescriptionError as error:
        raise MechanismError(f"{where}: {error}") from None
    if len(right) > 1:
        raise MechanismError(f"{where}: {given!r} has more than one '='")
    return left - right[0] if right else left


class _AnyName(dict[str, Scalar]):
    """Which names there are is for the mechanism to say: it checks them."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name not in ("pi", *FUNCTIONS)

    def __getitem__(self, name: str) -> Scalar:
        return symbol(name)


def _point(given: Any, where: str, what: str) -> v.Vector:
    point = coerce.vector(given, f"{where}: {what}", "(0.1, 0, 0)")
    coerce.finite(point, where, what)
    return point
