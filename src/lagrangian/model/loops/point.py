"""A point: the two origins are kept together along `directions` of the frame on a.

A planar linkage closes with `directions = ("x", "y")` and no redundant equation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.loops.loop_type import Equations, Forces, Look, LoopType, PlacedFrame, gap, pushes

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class Point(LoopType):
    name = "point"
    entries = (Entry("directions", Kind.DIRECTIONS, ("x", "y", "z")),)
    look = Look.POINT
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def count(self, loop: LoopJoint) -> int:
        return len(loop.directions)

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Equations:
        return along(loop.directions, a, b)

    def forces(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> Forces:
        if len(loop.directions) == 3:
            return pushes(*v.IDENTITY)
        return pushes(*(a.direction(axis) for axis, label in zip(v.IDENTITY, "xyz", strict=True) if label in loop.directions))


def along(directions: tuple[str, ...], a: PlacedFrame, b: PlacedFrame) -> Equations:
    """Along the world's axes if these hold the same directions, else along those of the frame on a, which turn with it."""
    apart = gap(a, b)
    free = [k for k in range(3) if "xyz"[k] not in directions]
    kept = [k for k in range(3) if k not in free]
    axes = [a.direction(axis) for axis in v.IDENTITY]
    # an axis that stays along one of the world's: the other two parts of it are zero by structure
    world = {k: row for k in range(3) for row in range(3) if all(a.vanishes(x) for r, x in enumerate(axes[k]) if r != row)}
    if all(k in world for k in free):
        taken = {world[k] for k in free}
        return [("xyz"[row], apart[row]) for row in range(3) if row not in taken]
    if all(k in world for k in kept):
        return [("xyz"[world[k]], apart[world[k]]) for k in kept]
    return [("xyz"[k], v.dot(axes[k], apart)) for k in kept]
