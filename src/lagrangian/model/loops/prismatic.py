"""A prismatic loop joint: one common axis, along which the bodies slide without turning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import AxisLoop, Equations, Look, PlacedFrame, in_line, not_turned, parallel

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Prismatic(AxisLoop):
    name = "prismatic"
    look = Look.SLEEVE
    size = 5
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return [*in_line(loop, a, b), *parallel(loop, a, b), *not_turned(loop, a, b)]
