"""Joints of one coordinate, whose child turns about the axis, advances along it, or both."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from lagrangian.model import vector as v
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import Column, Combination, JointType, State, Step
from lagrangian.model.joints.plain import PlainCoordinates
from lagrangian.model.joints.turn import AboutZ, NoTurn, Turn

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

AXIS = Entry("axis", Kind.AXIS, v.Z)


class Screw(PlainCoordinates, JointType):
    """A type says whether it turns, and how far it advances along its axis as a function of its coordinate."""

    coordinates = ("",)
    speeds = ("",)
    entries: ClassVar[tuple[Entry, ...]] = (AXIS,)
    refuses = ()

    @abstractmethod
    def advance(self, state: State) -> Any:
        """How far the child has moved along the axis."""

    @abstractmethod
    def rise(self, state: State) -> Any:
        """The derivative of `advance` by the coordinate."""

    @abstractmethod
    def rise_slope(self, state: State) -> Any:
        """The derivative of `rise` by the coordinate: the number 0 where `rise` is constant."""

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[Step, ...]:
        return (Step("", self, joint.axis),)

    def single_steps(self, joint: Joint) -> tuple[Step, ...]:
        return self.steps(joint)

    def speeds_by_steps(self, joint: Joint) -> dict[str, Combination]:
        return {joint.name: ((joint.name, 1),)}

    def own(self, joint: Joint) -> Scalar:
        return 0

    def words(self, joint: Joint) -> list[str]:
        return []

    def turn(self, state: State) -> Turn:
        return AboutZ(state.c, state.s) if self.turns else NoTurn()

    def shift(self, state: State) -> v.Vector:
        advance = self.advance(state)
        return v.ZERO if _is_number(advance, 0) else (0, 0, advance)

    def columns(self, state: State) -> tuple[Column, ...]:
        rise = self.rise(state)
        linear = v.ZERO if _is_number(rise, 0) else v.Z if _is_number(rise, 1) else (0, 0, rise)
        return ((v.Z if self.turns else v.ZERO, linear),)

    def column_rates(self, state: State) -> tuple[Column, ...]:
        slope = self.rise_slope(state)
        return () if _is_number(slope, 0) else ((v.ZERO, (0, 0, slope * state.qd[0])),)


def _is_number(x: Any, number: int) -> bool:
    return isinstance(x, (int, float)) and x == number
