"""What closes loops of the tree, and what else stands between two bodies: loop joints, walls, frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lagrangian.errors import MechanismError, Part, placed
from lagrangian.model import coerce, loops
from lagrangian.model import vector as v
from lagrangian.model.entries import Typed, direction, settled
from lagrangian.model.expression import Scalar
from lagrangian.model.loops.loop_type import Equations, LoopType, PlacedFrame
from lagrangian.model.placement import Placement
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring

# of a frame, along the world's axes: turning about them, and moving
DIRECTIONS = ("wx", "wy", "wz", "x", "y", "z")
TURNS = DIRECTIONS[:3]


@dataclass(frozen=True, slots=True, init=False)
class LoopJoint(Typed):
    """Joins a frame on body `a` to a frame on body `b` of the tree.

    What else it has depends on its type, and is given by name: `axis`, in the frame on `a`, of those about or along one; `axis2`
    of a universal joint; `directions` of a point, along which the two origins are kept together; `length` of a distance. The
    types are in `model.loops`.
    """

    name: str
    type: str
    a: str
    b: str
    a_placement: Placement
    b_placement: Placement
    own: tuple[tuple[str, Any], ...]  # the entries of its type, by name

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        a: str,
        b: str,
        a_placement: Any = None,
        b_placement: Any = None,
        *,
        own: Iterable[tuple[str, Any]] = (),
        **entries: Any,
    ) -> None:
        with placed(Part("loop", name)):
            kind = loops.named(coerce.text(type, "type"))
            for key, named in {"name": name, "a": a, "b": b}.items():
                coerce.text(named, key)
            if a == b:
                raise MechanismError(f"it joins body {a!r} to itself", remedy="it needs two bodies")
            given = {**coerce.pairs(own, "own"), **entries}
            values = {
                "name": name,
                "type": type,
                "a": a,
                "b": b,
                "a_placement": Placement.of(Placement() if a_placement is None else a_placement, "a_placement"),
                "b_placement": Placement.of(Placement() if b_placement is None else b_placement, "b_placement"),
                "own": settled(kind, given, f"a {type} loop", loops.TYPES.values(), self.__slots__),
            }
            for key, value in values.items():
                object.__setattr__(self, key, value)
            kind.check(self)

    @property
    def kind(self) -> LoopType:
        return loops.TYPES[self.type]

    @property
    def equations(self) -> int:
        """The number of equations that it adds."""
        return self.kind.count(self)

    def closure(self, a: PlacedFrame, b: PlacedFrame) -> Equations:
        """What must be zero for the loop to be closed, with a label each, over frames of any scalar."""
        found = self.kind.equations(self, a, b)
        if len(found) != self.equations:
            raise MechanismError(
                f"its type {self.type!r} gives {len(found)} equations, and says that it has {self.equations}",
                where=Part("loop", self.name),
            )
        return found


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
        with placed(Part("wall", self.name)):
            coerce.keep(self, coerce.text, "name", "body", "on")
            coerce.keep(self, coerce.point, "point", "position")
            coerce.keep(self, direction, "normal")
            coerce.keep(self, coerce.number, "stiffness", "damping")
            if float(self.stiffness) <= 0:
                needed = "it must be positive, such as 1e5"
                raise MechanismError(f"is {float(self.stiffness):g} N/m", argument="stiffness", remedy=needed)
            if float(self.damping) < 0:
                raise MechanismError(f"is {float(self.damping):g} N s/m^2", argument="damping", remedy="it cannot be negative")
            if self.body == self.on:
                same = f"it is fixed to body {self.on!r} and stops a point of the same body"
                raise MechanismError(same, remedy="it needs two bodies")


Spring = PointSpring | CoordinateSpring | GravityCompensation | Wall  # what may stand in `Mechanism.springs`


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body."""

    name: str
    body: str
    placement: Placement = field(default_factory=Placement)

    def __post_init__(self) -> None:
        with placed(Part("frame", self.name)):
            coerce.keep(self, coerce.text, "name", "body")
            object.__setattr__(self, "placement", Placement.of(self.placement, "placement"))
