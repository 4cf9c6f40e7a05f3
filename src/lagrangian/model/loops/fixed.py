"""A fixed loop joint: the bodies are welded together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.loops.loop_type import Equations, Forces, Look, LoopType, PlacedFrame, moments, pushes, together

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Fixed(LoopType):
    name = "fixed"
    entries = ()
    look = Look.NOTHING
    keeps_orientation = True
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def count(self, loop: LoopJoint) -> int:
        return 6

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        xa, ya, _ = a.triad(v.Z)
        xb, _, zb = b.triad(v.Z)
        return [*together(a, b), ("xz", v.dot(xa, zb)), ("yz", v.dot(ya, zb)), ("xy", v.dot(ya, xb))]

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        x, y, z = a.triad(v.Z)
        return [*pushes(*v.IDENTITY), *moments(v.neg(y), x, v.neg(z))]
