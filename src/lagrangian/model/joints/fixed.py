"""A fixed joint: the child is welded to its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import Column, Combination, JointType, Look, State, Step
from lagrangian.model.joints.plain import PlainCoordinates
from lagrangian.model.joints.turn import NoTurn, Turn

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
    look = Look.WELD
    turns = False

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[Step, ...]:
        return (Step("", self),)

    def single_steps(self, joint: Joint) -> tuple[Step, ...]:
        return self.steps(joint)

    def speeds_by_steps(self, joint: Joint) -> dict[str, Combination]:
        return {}

    def own(self, joint: Joint) -> Scalar:
        return 0

    def words(self, joint: Joint) -> list[str]:
        return []

    def turn(self, state: State) -> Turn:
        return NoTurn()

    def shift(self, state: State) -> v.Vector:
        return v.ZERO

    def columns(self, state: State) -> tuple[Column, ...]:
        return ()

    def column_rates(self, state: State) -> tuple[Column, ...]:
        return ()
