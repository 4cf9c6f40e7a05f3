"""What closes loops of the tree, and what else stands between two bodies: loop joints, springs, walls, frames."""

from __future__ import annotations

from dataclasses import dataclass, field

from lagrangian.errors import MechanismError, one_of
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joint import settle, unit
from lagrangian.model.placement import Placement

# the number of equations each loop joint adds
LOOP_TYPES: dict[str, int] = {
    "point": 3,
    "ball": 3,
    "universal": 4,
    "cylindrical": 4,
    "revolute": 5,
    "prismatic": 5,
    "fixed": 6,
    "planar": 3,
    "distance": 1,
}

# of a frame, along the world's axes: turning about them, and moving
DIRECTIONS = ("wx", "wy", "wz", "x", "y", "z")


@dataclass(frozen=True, slots=True)
class LoopJoint:
    """Joins a frame on body `a` to a frame on body `b` of the tree.

    Axes are given in the frame on `a`. A `point` keeps the two origins together along `directions` of that frame only: a planar
    linkage closes with `directions = ("x", "y")` and no redundant equation. A `distance` keeps the origins `length` apart, as a
    massless rod does.
    """

    name: str
    type: str
    a: str
    b: str
    placement_a: Placement = field(default_factory=Placement)
    placement_b: Placement = field(default_factory=Placement)
    axis: v.Vector = v.Z
    axis2: v.Vector = v.Y
    directions: tuple[str, ...] = ("x", "y", "z")
    length: Scalar = 0

    def __post_init__(self) -> None:
        where = f"loop {self.name!r}"
        if self.type not in LOOP_TYPES:
            raise MechanismError(f"{where}: {one_of('loop joint type', self.type, LOOP_TYPES)}")
        settle(self, where, ("axis", "axis2"), ("placement_a", "placement_b"))
        object.__setattr__(self, "directions", tuple(self.directions))
        if self.a == self.b:
            raise MechanismError(f"{where}: joins body {self.a!r} to itself; it needs two bodies")
        coerce.finite((coerce.scalar(self.length, f"{where}: length"),), where, "length")
        if self.type == "distance" and float(self.length) <= 0:
            raise MechanismError(f"{where}: the distance kept is {float(self.length):g} m; `length` must be positive")
        bad = [d for d in self.directions if d not in ("x", "y", "z")]
        if bad or len(set(self.directions)) != len(self.directions) or not self.directions:
            raise MechanismError(f"{where}: directions are {self.directions}; they must be different ones of x, y, z")

    @property
    def equations(self) -> int:
        return len(self.directions) if self.type == "point" else LOOP_TYPES[self.type]


@dataclass(frozen=True, slots=True)
class PointSpring:
    """A spring and damper in line between a point on body `a` and a point on body `b`.

    The spring's tension is stiffness (length - rest), the damper's damping * d length / dt.
    """

    name: str
    a: str
    b: str
    point_a: v.Vector = v.ZERO
    point_b: v.Vector = v.ZERO
    stiffness: Scalar = 0
    rest: Scalar = 0
    damping: Scalar = 0

    def __post_init__(self) -> None:
        where = f"spring {self.name!r}"
        for what in ("point_a", "point_b"):
            point = coerce.vector(getattr(self, what), f"{where}: {what}", "(0.1, 0, 0)")
            coerce.finite(point, where, what)
            object.__setattr__(self, what, point)
        for what in ("stiffness", "rest", "damping"):
            coerce.finite((coerce.scalar(getattr(self, what), f"{where}: {what}"),), where, what)
        if float(self.damping) < 0 or float(self.stiffness) < 0 or float(self.rest) < 0:
            raise MechanismError(f"spring {self.name!r}: stiffness, rest length and damping cannot be negative")


@dataclass(frozen=True, slots=True)
class Wall:
    """A compliant plane fixed to body `on`, which a point of `body` can press into but not stick to; without friction.

    `position` is a point of the plane and `normal` its outward normal, both in the frame of `on`. At a depth d > 0 behind the
    plane the point is pushed along the normal by max(0, stiffness d + damping d d'), and `on` by the opposite. The damping, in
    N s/m^2, is Hunt and Crossley's (1975): it grows with the depth, so that the force does not jump where contact begins or ends.
    """

    name: str
    body: str
    point: v.Vector = v.ZERO
    on: str = "ground"
    position: v.Vector = v.ZERO
    normal: v.Vector = v.Z
    stiffness: Scalar = 0
    damping: Scalar = 0

    def __post_init__(self) -> None:
        where = f"wall {self.name!r}"
        for what in ("point", "position"):
            given = coerce.vector(getattr(self, what), f"{where}: {what}", "(0.1, 0, 0)")
            coerce.finite(given, where, what)
            object.__setattr__(self, what, given)
        object.__setattr__(self, "normal", unit(coerce.axis(self.normal, f"{where}: normal"), f"{where}: normal"))
        for what in ("stiffness", "damping"):
            coerce.finite((coerce.scalar(getattr(self, what), f"{where}: {what}"),), where, what)
        if float(self.stiffness) <= 0:
            raise MechanismError(f"{where}: the stiffness is {float(self.stiffness):g} N/m; it must be positive, such as 1e5")
        if float(self.damping) < 0:
            raise MechanismError(f"{where}: the damping is {float(self.damping):g} N s/m^2; it cannot be negative")
        if self.body == self.on:
            raise MechanismError(
                f"{where}: it is fixed to body {self.on!r} and stops a point of the same body; it needs two bodies"
            )


Spring = PointSpring | Wall  # what may stand in `Mechanism.springs`


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body."""

    name: str
    body: str
    placement: Placement = field(default_factory=Placement)

    def __post_init__(self) -> None:
        object.__setattr__(self, "placement", Placement.of(self.placement, f"frame {self.name!r}"))
