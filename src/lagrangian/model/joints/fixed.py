"""A fixed joint: the child is welded to its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_rotation import IdentityRotation, JointRotation
from lagrangian.model.joints.joint_type import Combination, JointLook, JointState, JointStep, JointType, UnitTwist
from lagrangian.model.joints.plain_coordinates import PlainCoordinates

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Fixed(PlainCoordinates, JointType):
    name = "fixed"
    coordinates = ()
    speeds = ()
    slides = ()
    units = ()
    entries = ()
    refuses = ("friction", "rotor", "spring", "limits", "actuated")
    look = JointLook.WELD
    turns = False

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", self),)

    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return self.steps(joint)

    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        return {}

    def type_constant(self, joint: Joint) -> Scalar:
        return 0

    def table_notes(self, joint: Joint) -> list[str]:
        return []

    def rotation(self, state: JointState) -> JointRotation:
        return IdentityRotation()

    def translation(self, state: JointState) -> v.Vector:
        return v.ZERO

    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        return ()

    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        return ()
