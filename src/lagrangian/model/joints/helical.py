"""A helical joint: a screw that advances `pitch` metres along its axis per radian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import Look, State
from lagrangian.model.joints.screw import AXIS, Screw

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Helical(Screw):
    name = "helical"
    slides = (False,)
    units = ("rad",)
    entries = (AXIS, Entry("pitch", Kind.NUMBER, None, "`pitch`, its advance in metres per radian"))
    look = Look.SCREW
    turns = True

    def check(self, joint: Joint) -> None:
        if float(joint.pitch) == 0:
            raise MechanismError("the pitch of a helical joint, in metres per radian, cannot be 0")

    def own(self, joint: Joint) -> Scalar:
        pitch: Scalar = joint.pitch
        return pitch

    def words(self, joint: Joint) -> list[str]:
        return [f"{float(joint.pitch):.4g} m/rad"]

    def advance(self, state: State) -> Any:
        return state.own * state.q[0]

    def rise(self, state: State) -> Any:
        return state.own

    def rise_slope(self, state: State) -> Any:
        return 0
