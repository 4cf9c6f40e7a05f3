"""A cylindrical loop joint: one common axis, along which and about which the bodies move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.loops.loop_type import (
    AxisLoop,
    LabelledEquations,
    LoopLook,
    MultiplierWrenches,
    PlacedFrame,
    origin_on_axis,
    parallel_axes,
    parallel_axes_moments,
    unit_forces,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class CylindricalLoop(AxisLoop):
    name = "cylindrical"
    look = LoopLook.PIN
    constrained_freedoms = 4
    holds_point = False

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        return [*origin_on_axis(loop, a, b), *parallel_axes(loop, a, b)]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        x, y, _ = a.triad(loop.axis)
        return [*unit_forces(x, y), *parallel_axes_moments(loop, a)]
