"""A universal joint: the child turns about `axis`, then about `axis2`, which is perpendicular to it and turns along."""

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


class Universal(Compound):
    name = "universal"
    coordinates = ("1", "2")
    speeds = ("1", "2")
    slides = (False, False)
    units = ("rad", "rad")
    entries = (AXIS, TypeEntry("axis2", EntryKind.AXIS, v.Y))
    look = JointLook.CROSS

    def check(self, joint: Joint) -> None:
        check_perpendicular(joint.axis, joint.axis2, "the two axes of a universal joint must be perpendicular")

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("1", Revolute(), joint.axis), JointStep("2", Revolute(), joint.axis2))
