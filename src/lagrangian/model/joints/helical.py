"""A helical joint: a screw that advances `pitch` metres along its axis per radian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.joints.joint_type import JointLook, JointState
from lagrangian.model.joints.screw import AXIS, Screw
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Helical(Screw):
    name = "helical"
    slides = (False,)
    units = ("rad",)
    entries = (AXIS, TypeEntry("pitch", EntryKind.NUMBER, None, "`pitch`, its advance in metres per radian"))
    look = JointLook.SCREW
    turns = True

    def check(self, joint: Joint) -> None:
        if float(joint.pitch) == 0:
            raise MechanismError("the pitch of a helical joint, in metres per radian, cannot be 0")

    def type_constant(self, joint: Joint) -> Scalar:
        pitch: Scalar = joint.pitch
        return pitch

    def table_notes(self, joint: Joint) -> list[str]:
        return [f"{float(joint.pitch):.4g} m/rad"]

    def advance(self, state: JointState) -> Any:
        return state.type_constant * state.q[0]

    def advance_slope(self, state: JointState) -> Any:
        return state.type_constant

    def advance_curvature(self, state: JointState) -> Any:
        return 0
