"""A revolute loop joint: one common point and one common axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import (
    AxisLoop,
    LabelledEquations,
    LoopLook,
    MultiplierWrenches,
    PlacedFrame,
    coincident_origins,
    parallel_axes,
    parallel_axes_moments,
    unit_forces,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class RevoluteLoop(AxisLoop):
    name = "revolute"
    look = LoopLook.PIN
    constrained_freedoms = 5

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        return [*coincident_origins(a, b), *parallel_axes(loop, a, b)]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        return [*unit_forces(*v.IDENTITY), *parallel_axes_moments(loop, a)]
