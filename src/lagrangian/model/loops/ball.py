"""A ball: the two origins are kept together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import Equations, Forces, Look, LoopType, PlacedFrame, pushes
from lagrangian.model.loops.point import along

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Ball(LoopType):
    name = "ball"
    entries = ()
    look = Look.BALL
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def count(self, loop: LoopJoint) -> int:
        return 3

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return along(("x", "y", "z"), a, b)

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        return pushes(*v.IDENTITY)
