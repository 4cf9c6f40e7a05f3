"""A planar loop joint: the bodies share a plane, whose normal is `axis`, and move in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import (
    AxisLoop,
    LabelledEquations,
    LoopLook,
    MultiplierWrenches,
    PlacedFrame,
    origin_difference,
    parallel_axes,
    parallel_axes_moments,
    unit_forces,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class PlanarLoop(AxisLoop):
    name = "planar"
    look = LoopLook.NOTHING
    constrained_freedoms = 3
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        _, _, z = a.triad(loop.axis)
        return [("z", v.dot(z, origin_difference(a, b))), *parallel_axes(loop, a, b)]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        _, _, z = a.triad(loop.axis)
        return [*unit_forces(z), *parallel_axes_moments(loop, a)]
