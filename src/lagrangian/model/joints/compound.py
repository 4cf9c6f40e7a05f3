"""Joints that consist of other joints, one after the other, without mass between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import Column, Combination, JointType, State, Step
from lagrangian.model.joints.plain import PlainCoordinates
from lagrangian.model.joints.turn import Turn

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Compound(PlainCoordinates, JointType):
    """A type says its steps, each of one coordinate; its coordinates and speeds are theirs."""

    refuses = ()
    turns = False

    def single_steps(self, joint: Joint) -> tuple[Step, ...]:
        return self.steps(joint)

    def speeds_by_steps(self, joint: Joint) -> dict[str, Combination]:
        steps = self.single_steps(joint)
        return {name: ((f"{joint.name}.{step.label}", 1),) for name, step in zip(joint.speed_names, steps, strict=True)}

    def own(self, joint: Joint) -> Scalar:
        return 0

    def words(self, joint: Joint) -> list[str]:
        return []

    def turn(self, state: State) -> Turn:
        self._not_elementary()

    def shift(self, state: State) -> v.Vector:
        self._not_elementary()

    def columns(self, state: State) -> tuple[Column, ...]:
        self._not_elementary()

    def column_rates(self, state: State) -> tuple[Column, ...]:
        self._not_elementary()

    def _not_elementary(self) -> NoReturn:
        raise TypeError(f"a {self.name} joint has no motion of its own: its steps move")
