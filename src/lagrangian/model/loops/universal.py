"""A universal loop joint: one common point; `axis` on a and `axis2` on b stay perpendicular."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.checks import check_perpendicular
from lagrangian.model.loops.loop_type import (
    AXIS,
    AxisLoop,
    LabelledEquations,
    LoopLook,
    MultiplierWrenches,
    PlacedFrame,
    coincident_origins,
    unit_forces,
    unit_moments,
)
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class UniversalLoop(AxisLoop):
    name = "universal"
    entries = (AXIS, TypeEntry("axis2", EntryKind.AXIS, v.Y))
    look = LoopLook.BALL
    constrained_freedoms = 4

    def check(self, loop: LoopJoint) -> None:
        check_perpendicular(loop.axis, loop.axis2, "the two axes of a universal joint must be perpendicular")

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        _, _, z = a.triad(loop.axis)
        return [*coincident_origins(a, b), ("axes", v.dot(z, b.direction(loop.axis2)))]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        _, _, z = a.triad(loop.axis)
        return [*unit_forces(*v.IDENTITY), *unit_moments(v.cross(z, b.direction(loop.axis2)))]
