"""A prismatic joint: the child slides along the axis."""

from __future__ import annotations

from typing import Any

from lagrangian.model import vector as v
from lagrangian.model.joints.joint_type import Inertia, JointLook, JointState
from lagrangian.model.joints.screw import Screw


class Prismatic(Screw):
    name = "prismatic"
    slides = (True,)
    units = ("m",)
    look = JointLook.SLIDE
    turns = False

    def advance(self, state: JointState) -> Any:
        return state.q[0]

    def advance_slope(self, state: JointState) -> Any:
        return 1

    def advance_curvature(self, state: JointState) -> Any:
        return 0

    def regroupable_inertia(self, body: Inertia) -> Inertia:
        return 0, v.ZERO, body[2]  # the whole inertia tensor: parent and child turn as one
