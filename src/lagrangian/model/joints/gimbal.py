"""A gimbal: three successive turns, about `axis`, `axis2` and `axis3`, each about an axis that the turns before it carry along.

With the default axes z, y, x the angles are yaw, pitch and roll; where the second is a quarter turn, the first and the third axis
are in line and the angles do not determine every velocity, as with any three angles. A ball joint has no such place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model import vector as v
from lagrangian.model.checks import check_perpendicular
from lagrangian.model.joints.compound import Compound
from lagrangian.model.joints.joint_type import JointLook, JointStep
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.joints.screw import AXIS
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Gimbal(Compound):
    name = "gimbal"
    coordinates = ("1", "2", "3")
    speeds = ("1", "2", "3")
    slides = (False, False, False)
    units = ("rad", "rad", "rad")
    entries = (AXIS, TypeEntry("axis2", EntryKind.AXIS, v.Y), TypeEntry("axis3", EntryKind.AXIS, v.X))
    look = JointLook.CROSS

    def check(self, joint: Joint) -> None:
        for first, second in (("axis", "axis2"), ("axis2", "axis3")):
            a, b = getattr(joint, first), getattr(joint, second)
            check_perpendicular(a, b, f"{first} and {second} of a gimbal must be perpendicular")

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        axes = (joint.axis, joint.axis2, joint.axis3)
        return tuple(JointStep(label, Revolute(), axis) for label, axis in zip(self.coordinates, axes, strict=True))
