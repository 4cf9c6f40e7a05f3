"""A prismatic joint: the child slides along the axis."""

from __future__ import annotations

from typing import Any

from lagrangian.model import vector as v
from lagrangian.model.joints.joint_type import Inertia, Look, State
from lagrangian.model.joints.screw import Screw


class Prismatic(Screw):
    name = "prismatic"
    slides = (True,)
    units = ("m",)
    look = Look.SLIDE
    turns = False

    def advance(self, state: State) -> Any:
        return state.q[0]

    def rise(self, state: State) -> Any:
        return 1

    def rise_slope(self, state: State) -> Any:
        return 0

    def indistinct(self, body: Inertia) -> Inertia:
        return 0, v.ZERO, body[2]  # the whole inertia tensor: parent and child turn as one
