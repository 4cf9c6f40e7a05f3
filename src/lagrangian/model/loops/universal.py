"""A universal loop joint: one common point; `axis` on a and `axis2` on b stay perpendicular."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.entries import Entry, Kind, perpendicular
from lagrangian.model.loops.loop_type import AXIS, AxisLoop, Equations, Forces, Look, PlacedFrame, moments, pushes, together

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Universal(AxisLoop):
    name = "universal"
    entries = (AXIS, Entry("axis2", Kind.AXIS, v.Y))
    look = Look.BALL
    size = 4

    def check(self, loop: LoopJoint) -> None:
        perpendicular(loop.axis, loop.axis2, "the two axes of a universal joint must be perpendicular")

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        _, _, z = a.triad(loop.axis)
        return [*together(a, b), ("axes", v.dot(z, b.direction(loop.axis2)))]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        _, _, z = a.triad(loop.axis)
        return [*pushes(*v.IDENTITY), *moments(v.cross(z, b.direction(loop.axis2)))]
