"""A revolute joint: the child turns about the axis."""

from __future__ import annotations

from typing import Any

from lagrangian.model.joints.joint_type import Inertia, Look, State
from lagrangian.model.joints.screw import Screw


class Revolute(Screw):
    name = "revolute"
    slides = (False,)
    units = ("rad",)
    look = Look.PIN
    turns = True

    def advance(self, state: State) -> Any:
        return 0

    def rise(self, state: State) -> Any:
        return 0

    def rise_slope(self, state: State) -> Any:
        return 0

    def indistinct(self, body: Inertia) -> Inertia:
        # a mass at the origin, a first moment along the axis, and an inertia diag(a, a, 0)
        mass, h, I = body
        return mass, (0, 0, h[2]), (I[3], 0, 0, I[3], 0, 0)
