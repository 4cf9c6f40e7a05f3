"""A revolute loop joint: one common point and one common axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import AxisLoop, Equations, Look, PlacedFrame, parallel, together

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Revolute(AxisLoop):
    name = "revolute"
    look = Look.PIN
    size = 5

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return [*together(a, b), *parallel(loop, a, b)]
