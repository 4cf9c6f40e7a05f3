"""A ball: the two origins are kept together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import LabelledEquations, LoopLook, LoopType, MultiplierWrenches, PlacedFrame, unit_forces
from lagrangian.model.loops.point import point_equations

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class BallLoop(LoopType):
    name = "ball"
    entries = ()
    look = LoopLook.BALL
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def equation_count(self, loop: LoopJoint) -> int:
        return 3

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        return point_equations(("x", "y", "z"), a, b)

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        return unit_forces(*v.IDENTITY)
