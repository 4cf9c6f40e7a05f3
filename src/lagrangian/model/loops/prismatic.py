"""A prismatic loop joint: one common axis, along which the bodies slide without turning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import (
    AxisLoop,
    LabelledEquations,
    LoopLook,
    MultiplierWrenches,
    PlacedFrame,
    axial_moment,
    no_axial_rotation,
    origin_on_axis,
    parallel_axes,
    parallel_axes_moments,
    unit_forces,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class PrismaticLoop(AxisLoop):
    name = "prismatic"
    look = LoopLook.SLEEVE
    keeps_orientation = True
    constrained_freedoms = 5
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        return [*origin_on_axis(loop, a, b), *parallel_axes(loop, a, b), *no_axial_rotation(loop, a, b)]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        x, y, _ = a.triad(loop.axis)
        return [*unit_forces(x, y), *parallel_axes_moments(loop, a), *axial_moment(loop, a)]
