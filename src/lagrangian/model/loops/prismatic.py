"""A prismatic loop joint: one common axis, along which the bodies slide without turning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import (
    AxisLoop,
    Equations,
    Forces,
    Look,
    PlacedFrame,
    in_line,
    keeping_from_turning,
    keeping_parallel,
    not_turned,
    parallel,
    pushes,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Prismatic(AxisLoop):
    name = "prismatic"
    look = Look.SLEEVE
    keeps_orientation = True
    size = 5
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return [*in_line(loop, a, b), *parallel(loop, a, b), *not_turned(loop, a, b)]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        x, y, _ = a.triad(loop.axis)
        return [*pushes(x, y), *keeping_parallel(loop, a), *keeping_from_turning(loop, a)]
