"""Joints of the tree, what sits at them, and the degrees of freedom each type has."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from lagrangian.errors import MechanismError, one_of
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, sqrt
from lagrangian.model.placement import Placement


@dataclass(frozen=True, slots=True)
class JointType:
    """`nq` coordinates and `nv` speeds; the labels tell several coordinates of one joint apart."""

    name: str
    nq: int
    nv: int
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    needs_axis: bool = False


TYPES: dict[str, JointType] = {
    t.name: t
    for t in (
        JointType("revolute", 1, 1, ("",), ("",), True),
        JointType("continuous", 1, 1, ("",), ("",), True),
        JointType("prismatic", 1, 1, ("",), ("",), True),
        JointType("helical", 1, 1, ("",), ("",), True),
        JointType("universal", 2, 2, ("1", "2"), ("1", "2"), True),
        JointType("ball", 4, 3, ("w", "x", "y", "z"), ("wx", "wy", "wz")),
        JointType("planar", 3, 3, ("x", "y", "angle"), ("vx", "vy", "w"), True),
        JointType("free", 7, 6, ("w", "x", "y", "z", "px", "py", "pz"), ("wx", "wy", "wz", "vx", "vy", "vz")),
        JointType("fixed", 0, 0, (), ()),
    )
}


@dataclass(frozen=True, slots=True)
class Friction:
    """Viscous plus Coulomb friction, the latter possibly different in the two directions.

    F = viscous * qd + (coulomb if qd > 0, -coulomb_negative if qd < 0); both Coulomb values are positive, and the second is the
    first unless it is given.
    """

    viscous: Scalar = 0
    coulomb: Scalar = 0
    coulomb_negative: Scalar | None = None

    def __post_init__(self) -> None:
        if self.coulomb_negative is None:
            object.__setattr__(self, "coulomb_negative", self.coulomb)
        for name in ("viscous", "coulomb", "coulomb_negative"):
            x = float(coerce.scalar(getattr(self, name), f"friction: {name}"))
            if not (math.isfinite(x) and x >= 0):
                raise MechanismError(
                    f"friction: {name} is {x:g}; it must be finite and not negative, or it would drive the joint"
                )


@dataclass(frozen=True, slots=True)
class Rotor:
    """A motor's rotor of inertia J_m behind a gear of ratio r: it adds r^2 J_m, and the motor drives with r times its torque."""

    inertia: Scalar = 0
    ratio: Scalar = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(float(self.inertia)) and float(self.inertia) >= 0):
            raise MechanismError(f"rotor: inertia is {float(self.inertia):g} kg m^2; it must be finite and not negative")
        if not math.isfinite(float(self.ratio)) or float(self.ratio) == 0:
            raise MechanismError(f"rotor: gear ratio is {float(self.ratio):g}; it must be finite and not 0")

    @property
    def reflected(self) -> Scalar:
        return self.ratio * self.ratio * self.inertia


@dataclass(frozen=True, slots=True)
class JointSpring:
    """A linear spring at the joint: V = 1/2 stiffness (q - rest)^2."""

    stiffness: Scalar = 0
    rest: Scalar = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Of position, speed and force, for each of the joint's coordinates."""

    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "speed", "effort"):
            x = float(coerce.scalar(getattr(self, name), f"limits: {name}"))
            if math.isnan(x) or (name in ("speed", "effort") and x < 0):
                raise MechanismError(f"limits: {name} is {x:g}; a number is needed, and speed and effort cannot be negative")
        if self.lower > self.upper:
            raise MechanismError(f"limits: the lower limit {self.lower:g} is above the upper {self.upper:g}")


@dataclass(frozen=True, slots=True)
class Joint:
    """Connects `child` to `parent`.

    `placement` is the joint's frame in the parent body's frame, `child_placement` the joint's frame in the child body's frame:
    at q = 0 the two coincide. Axes are given in the joint's frame. A helical joint advances `pitch` metres per radian;
    a universal joint turns about `axis`, then about `axis2`; a planar joint slides along the x and y axes of a frame whose z is
    `axis`, then turns about it; a ball's and a free joint's speeds are the child's, in the child's joint frame.
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Placement = field(default_factory=Placement)
    child_placement: Placement = field(default_factory=Placement)
    axis: v.Vector = v.Z
    axis2: v.Vector = v.Y
    pitch: Scalar = 0
    friction: Friction = field(default_factory=Friction)
    rotor: Rotor = field(default_factory=Rotor)
    spring: JointSpring = field(default_factory=JointSpring)
    limits: Limits = field(default_factory=Limits)
    actuated: bool = True

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if self.type not in TYPES:
            raise MechanismError(f"{where}: {one_of('joint type', self.type, TYPES)}")
        settle(self, where, ("axis", "axis2"), ("placement", "child_placement"))
        if isinstance(self.limits, (tuple, list)) and len(self.limits) == 2:
            object.__setattr__(self, "limits", Limits(*self.limits))
        for what, kind in (("friction", Friction), ("rotor", Rotor), ("spring", JointSpring), ("limits", Limits)):
            object.__setattr__(self, what, coerce.part(kind, getattr(self, what), f"{where}: {what}"))
        if self.type == "helical" and float(self.pitch) == 0:
            raise MechanismError(f"{where}: a helical joint needs a pitch, in metres per radian, that is not 0")
        coerce.finite((self.pitch, self.spring.stiffness, self.spring.rest), where, "pitch or spring")
        if self.type in ("ball", "free") and float(self.spring.stiffness) != 0:
            raise MechanismError(f"{where}: a {self.type} joint has no single angle for a spring; use a spring between points")

    @property
    def kind(self) -> JointType:
        return TYPES[self.type]

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.coordinates)

    @property
    def speed_names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.speeds)

    @property
    def slides(self) -> tuple[bool, ...]:
        """Whether each of its speeds is of a length, not of an angle: its force is in N then, not in N m."""
        return tuple(self.type == "prismatic" or speed in ("vx", "vy", "vz") for speed in self.kind.speeds)


def settle(item: Any, where: str, axes: tuple[str, ...], placements: tuple[str, ...]) -> None:
    """Make a frozen item's axes unit vectors and its placements checked ones; the axes of a universal joint are perpendicular."""
    for what in axes:
        given = coerce.axis(getattr(item, what), f"{where}: {what}")
        object.__setattr__(item, what, unit(given, f"{where}: {what}"))
    for what in placements:
        object.__setattr__(item, what, Placement.of(getattr(item, what), f"{where}: {what}"))
    if item.type == "universal" and abs(float(v.dot(item.axis, item.axis2))) > 1e-9:
        raise MechanismError(f"{where}: the two axes of a universal joint must be perpendicular")


def unit(axis: v.Vector, where: str) -> v.Vector:
    """The axis at length one; left alone, and so exact, where it already has it, but for the rounding of a division."""
    length2 = float(v.dot(axis, axis))
    if not (math.isfinite(length2) and length2 > 1e-20):
        raise MechanismError(f"{where} is {tuple(float(x) for x in axis)}; it needs a finite direction, such as (0, 0, 1)")
    if abs(length2 - 1.0) < 1e-15:
        return axis
    length = sqrt(v.dot(axis, axis))
    return (axis[0] / length, axis[1] / length, axis[2] / length)
