"""A fixed loop joint: the bodies are welded together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import (
    LabelledEquations,
    LoopLook,
    LoopType,
    MultiplierWrenches,
    PlacedFrame,
    coincident_origins,
    unit_forces,
    unit_moments,
)

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class FixedLoop(LoopType):
    name = "fixed"
    entries = ()
    look = LoopLook.NOTHING
    keeps_orientation = True
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def equation_count(self, loop: LoopJoint) -> int:
        return 6

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        xa, ya, _ = a.triad(v.Z)
        xb, _, zb = b.triad(v.Z)
        return [*coincident_origins(a, b), ("xz", v.dot(xa, zb)), ("yz", v.dot(ya, zb)), ("xy", v.dot(ya, xb))]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        x, y, z = a.triad(v.Z)
        return [*unit_forces(*v.IDENTITY), *unit_moments(v.neg(y), x, v.neg(z))]
