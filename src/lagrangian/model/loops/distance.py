"""A distance: the two origins are kept `length` apart, as by a massless rod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.expression import call
from lagrangian.model.loops.loop_type import (
    LabelledEquations,
    LoopLook,
    LoopType,
    MultiplierWrenches,
    PlacedFrame,
    origin_difference,
    unit_forces,
)
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class DistanceLoop(LoopType):
    name = "distance"
    entries = (TypeEntry("length", EntryKind.NUMBER, None, "`length`, the distance in metres"),)
    look = LoopLook.ROD
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        if float(loop.length) <= 0:
            raise MechanismError(f"is {float(loop.length):g} m", argument="length", remedy="the distance must be positive")

    def equation_count(self, loop: LoopJoint) -> int:
        return 1

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        # (d.d - l^2) / 2l is d - l to first order, smooth, and a polynomial: its multiplier is the force along the line
        difference, length = origin_difference(a, b), a.number(loop.length)
        return [("length", (v.dot(difference, difference) - length * length) * a.number(call("/", 1, call("*", 2, loop.length))))]

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        return unit_forces(a.direction(v.X))

    def gap_when_closed(self, loop: LoopJoint) -> v.Vector:
        return (loop.length, 0, 0)
