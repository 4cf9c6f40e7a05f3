"""Joints of one coordinate, whose child turns about the axis, advances along it, or both."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_rotation import IdentityRotation, JointRotation, RotationAboutZ
from lagrangian.model.joints.joint_type import Combination, JointState, JointStep, JointType, UnitTwist
from lagrangian.model.joints.plain_coordinates import PlainCoordinates
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

AXIS = TypeEntry("axis", EntryKind.AXIS, v.Z)


class Screw(PlainCoordinates, JointType):
    """A type says whether it turns, and how far it advances along its axis as a function of its coordinate."""

    coordinates = ("",)
    speeds = ("",)
    entries: ClassVar[tuple[TypeEntry, ...]] = (AXIS,)
    refuses = ()

    @abstractmethod
    def advance(self, state: JointState) -> Any:
        """How far the child has moved along the axis."""

    @abstractmethod
    def advance_slope(self, state: JointState) -> Any:
        """The derivative of `advance` by the coordinate."""

    @abstractmethod
    def advance_curvature(self, state: JointState) -> Any:
        """The derivative of `advance_slope` by the coordinate: the number 0 where the slope is constant."""

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", self, joint.axis),)

    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return self.steps(joint)

    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        return {joint.name: ((joint.name, 1),)}

    def type_constant(self, joint: Joint) -> Scalar:
        return 0

    def table_notes(self, joint: Joint) -> list[str]:
        return []

    def rotation(self, state: JointState) -> JointRotation:
        return RotationAboutZ(state.c, state.s) if self.turns else IdentityRotation()

    def translation(self, state: JointState) -> v.Vector:
        advance = self.advance(state)
        return v.ZERO if _is_constant(advance, 0) else (0, 0, advance)

    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        slope = self.advance_slope(state)
        linear = v.ZERO if _is_constant(slope, 0) else v.Z if _is_constant(slope, 1) else (0, 0, slope)
        return ((v.Z if self.turns else v.ZERO, linear),)

    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        curvature = self.advance_curvature(state)
        return () if _is_constant(curvature, 0) else ((v.ZERO, (0, 0, curvature * state.qd[0])),)


def _is_constant(x: Any, number: int) -> bool:
    return isinstance(x, (int, float)) and x == number
