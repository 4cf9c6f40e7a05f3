"""A cylindrical loop joint: one common axis, along which and about which the bodies move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import (
    AxisLoop,
    Equations,
    Forces,
    Look,
    PlacedFrame,
    in_line,
    keeping_parallel,
    parallel,
    pushes,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Cylindrical(AxisLoop):
    name = "cylindrical"
    look = Look.PIN
    size = 4
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return [*in_line(loop, a, b), *parallel(loop, a, b)]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        x, y, _ = a.triad(loop.axis)
        return [*pushes(x, y), *keeping_parallel(loop, a)]
