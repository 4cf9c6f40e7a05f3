"""Joints that consist of other joints, one after the other, without mass between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_rotation import JointRotation
from lagrangian.model.joints.joint_type import Combination, JointState, JointStep, JointType, UnitTwist
from lagrangian.model.joints.plain_coordinates import PlainCoordinates

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Compound(PlainCoordinates, JointType):
    """A type says its steps, each of one coordinate; its coordinates and speeds are theirs."""

    refuses = ()
    turns = False

    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return self.steps(joint)

    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        steps = self.single_steps(joint)
        return {name: ((f"{joint.name}.{step.label}", 1),) for name, step in zip(joint.speed_names, steps, strict=True)}

    def type_constant(self, joint: Joint) -> Scalar:
        return 0

    def table_notes(self, joint: Joint) -> list[str]:
        return []

    def rotation(self, state: JointState) -> JointRotation:
        self._raise_not_elementary()

    def translation(self, state: JointState) -> v.Vector:
        self._raise_not_elementary()

    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        self._raise_not_elementary()

    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        self._raise_not_elementary()

    def _raise_not_elementary(self) -> NoReturn:
        raise TypeError(f"a {self.name} joint has no motion of its own: its steps move")
