"""A distance: the two origins are kept `length` apart, as by a massless rod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.expression import call
from lagrangian.model.loops.loop_type import Equations, Forces, Look, LoopType, PlacedFrame, gap, pushes

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Distance(LoopType):
    name = "distance"
    entries = (Entry("length", Kind.NUMBER, None, "`length`, the distance in metres"),)
    look = Look.ROD
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        if float(loop.length) <= 0:
            raise MechanismError(f"is {float(loop.length):g} m", argument="length", remedy="the distance must be positive")

    def count(self, loop: LoopJoint) -> int:
        return 1

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        # (d.d - l^2) / 2l is d - l to first order, smooth, and a polynomial: its multiplier is the force along the line
        apart, length = gap(a, b), a.number(loop.length)
        return [("length", (v.dot(apart, apart) - length * length) * a.number(call("/", 1, call("*", 2, loop.length))))]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        return pushes(a.direction(v.X))

    def gap_when_closed(self, loop: LoopJoint) -> v.Vector:
        return (loop.length, 0, 0)
