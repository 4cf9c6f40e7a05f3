"""The base class of types of loop joints: their entries, their number of equations, and the equations themselves.

The equations are written over two frames that have an origin and directions in the world. The caller
chooses their numbers: polynomials for the closed form, jets over traced values for compiled code, or plain numbers to test
whether a loop is closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from lagrangian.arguments import check_attribute_names
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint

LabelledEquations = list[tuple[str, Any]]  # a label and what must be zero
MultiplierWrenches = list[tuple[Any, Any]]  # a moment and a force
AXIS = TypeEntry("axis", EntryKind.AXIS, v.Z)


class LoopLook(Enum):
    """What is drawn where a loop joint is."""

    NOTHING = auto()
    ROD = auto()
    PIN = auto()
    SLEEVE = auto()
    BALL = auto()
    POINT = auto()  # a pin where all moves in a plane, else a ball


class PlacedFrame(Protocol):
    """A frame on a body, seen from the world."""

    @property
    def origin(self) -> Any:
        """The origin of the frame, a vector in the world."""

    def direction(self, axis: v.Vector) -> Any:
        """A direction given in the frame."""

    def triad(self, axis: v.Vector) -> tuple[Any, Any, Any]:
        """Two directions across an axis that is given in the frame, and the axis itself."""

    def number(self, scalar: Scalar) -> Any:
        """A constant of the description."""

    def vanishes(self, x: Any) -> bool:
        """Whether a component of a direction is zero in every configuration."""


class LoopType(ABC):
    """A type of loop joint. Signs are `a - b`, so that the multipliers are the forces on body a."""

    name: ClassVar[str]
    entries: ClassVar[tuple[TypeEntry, ...]]
    look: ClassVar[LoopLook]
    holds_point: ClassVar[bool]  # whether it keeps the two origins together, so that its force acts there
    keeps_orientation: ClassVar[bool] = False  # whether the axes of the two frames are the same where it is closed

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, {"forces": "multiplier_wrenches"})

    @abstractmethod
    def check(self, loop: LoopJoint) -> None:
        """Refuse a loop whose entries do not fit together."""

    @abstractmethod
    def equation_count(self, loop: LoopJoint) -> int:
        """The number of its equations."""

    @abstractmethod
    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        """The equations of the loop, as expressions that must be zero, each with a label."""

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches | None:
        """What the multipliers are, in the order of the equations: for unit ones, the moment and the force on body a.

        Both are along the world's axes, the force at the origin of a, in the closed position in which the axes of both frames
        are the same. `prove()` compares them with the equations' derivatives; None leaves that out, and the certificate says so.
        """
        return None

    def gap_when_closed(self, loop: LoopJoint) -> v.Vector:
        """The vector from the origin of b to that of a in the closed position, in the frame on a."""
        return v.ZERO


class AxisLoop(LoopType):
    """Loops about an axis: their equations are some of those below."""

    entries: ClassVar[tuple[TypeEntry, ...]] = (AXIS,)
    holds_point = True
    constrained_freedoms: ClassVar[int]

    def check(self, loop: LoopJoint) -> None:
        return

    def equation_count(self, loop: LoopJoint) -> int:
        return self.constrained_freedoms


def origin_difference(a: PlacedFrame, b: PlacedFrame) -> Any:
    """The vector from the origin of b to that of a."""
    return v.sub(a.origin, b.origin)


def unit_forces(*directions: Any) -> MultiplierWrenches:
    """Forces along directions."""
    return [(v.ZERO, direction) for direction in directions]


def unit_moments(*axes: Any) -> MultiplierWrenches:
    """Moments about axes."""
    return [(axis, v.ZERO) for axis in axes]


def coincident_origins(a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
    """The two origins are one point, along the world's axes."""
    difference = origin_difference(a, b)
    return [(label, difference[k]) for k, label in enumerate("xyz")]


def origin_on_axis(loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
    """The origin of b is on the axis of a."""
    x, y, _ = a.triad(loop.axis)
    difference = origin_difference(a, b)
    return [("x", v.dot(x, difference)), ("y", v.dot(y, difference))]


def parallel_axes(loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
    """The axis on b is parallel to that on a."""
    x, y, _ = a.triad(loop.axis)
    _, _, z = b.triad(loop.axis)
    return [("xz", v.dot(x, z)), ("yz", v.dot(y, z))]


def parallel_axes_moments(loop: LoopJoint, a: PlacedFrame) -> MultiplierWrenches:
    """The moments of `parallel_axes`: turned about y, x moves away from z; turned about x, y moves towards it."""
    x, y, _ = a.triad(loop.axis)
    return unit_moments(v.neg(y), x)


def no_axial_rotation(loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
    """b is not turned about the axis against a."""
    _, y, _ = a.triad(loop.axis)
    x, _, _ = b.triad(loop.axis)
    return [("xy", v.dot(y, x))]


def axial_moment(loop: LoopJoint, a: PlacedFrame) -> MultiplierWrenches:
    """The moment of `no_axial_rotation`: turned about the axis, y moves away from x."""
    return unit_moments(v.neg(a.triad(loop.axis)[2]))
