"""A revolute loop joint: one common point and one common axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import (
    AxisLoop,
    Equations,
    Forces,
    Look,
    PlacedFrame,
    keeping_parallel,
    parallel,
    pushes,
    together,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Revolute(AxisLoop):
    name = "revolute"
    look = Look.PIN
    size = 5

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return [*together(a, b), *parallel(loop, a, b)]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        return [*pushes(*v.IDENTITY), *keeping_parallel(loop, a)]
