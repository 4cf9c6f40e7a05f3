"""A revolute joint: the child turns about the axis."""

from __future__ import annotations

from typing import Any

from lagrangian.model.joints.joint_type import Inertia, JointLook, JointState
from lagrangian.model.joints.screw import Screw


class Revolute(Screw):
    name = "revolute"
    slides = (False,)
    units = ("rad",)
    look = JointLook.PIN
    turns = True

    def advance(self, state: JointState) -> Any:
        return 0

    def advance_slope(self, state: JointState) -> Any:
        return 0

    def advance_curvature(self, state: JointState) -> Any:
        return 0

    def regroupable_inertia(self, body: Inertia) -> Inertia:
        # a mass at the origin, a first moment along the axis, and an inertia diag(a, a, 0)
        mass, h, I = body
        return mass, (0, 0, h[2]), (I[3], 0, 0, I[3], 0, 0)
