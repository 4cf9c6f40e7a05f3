"""A planar loop joint: the bodies share a plane, whose normal is `axis`, and move in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import (
    AxisLoop,
    Equations,
    Forces,
    Look,
    PlacedFrame,
    gap,
    keeping_parallel,
    parallel,
    pushes,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Planar(AxisLoop):
    name = "planar"
    look = Look.NOTHING
    size = 3
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        _, _, z = a.triad(loop.axis)
        return [("z", v.dot(z, gap(a, b))), *parallel(loop, a, b)]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        _, _, z = a.triad(loop.axis)
        return [*pushes(z), *keeping_parallel(loop, a)]
