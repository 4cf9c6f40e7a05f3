"""A point: the two origins are kept together along `directions` of the frame on a.

A planar linkage closes with `directions = ("x", "y")` and no redundant equation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
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


class PointLoop(LoopType):
    name = "point"
    entries = (TypeEntry("directions", EntryKind.DIRECTIONS, ("x", "y", "z")),)
    look = LoopLook.POINT
    holds_point = True

    def check(self, loop: LoopJoint) -> None:
        return

    def equation_count(self, loop: LoopJoint) -> int:
        return len(loop.directions)

    def equations(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        return point_equations(loop.directions, a, b)

    def multiplier_wrenches(self, loop: LoopJoint, a: PlacedFrame, b: PlacedFrame) -> MultiplierWrenches:
        if len(loop.directions) == 3:
            return unit_forces(*v.IDENTITY)
        return unit_forces(
            *(a.direction(axis) for axis, label in zip(v.IDENTITY, "xyz", strict=True) if label in loop.directions)
        )


def point_equations(directions: tuple[str, ...], a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
    """The equations that keep two origins together in some directions.

    They are along the world's axes if these hold the same directions, else along those of the frame on a, which turn with it.
    """
    difference = origin_difference(a, b)
    free = [k for k in range(3) if "xyz"[k] not in directions]
    constrained = [k for k in range(3) if k not in free]
    axes = [a.direction(axis) for axis in v.IDENTITY]
    # an axis that stays along one of the world's: the other two parts of it are zero by structure
    world = {k: row for k in range(3) for row in range(3) if all(a.vanishes(x) for r, x in enumerate(axes[k]) if r != row)}
    if all(k in world for k in free):
        free_axes = {world[k] for k in free}
        return [("xyz"[row], difference[row]) for row in range(3) if row not in free_axes]
    if all(k in world for k in constrained):
        return [("xyz"[world[k]], difference[world[k]]) for k in constrained]
    return [("xyz"[k], v.dot(axes[k], difference)) for k in constrained]
