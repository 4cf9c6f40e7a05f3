"""A cam: a screw whose advance along its axis is any function of its angle, so that its motion subspace changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.model.expression import Scalar, exact_text, parameters
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.joints.joint_type import JointLook, JointState, JointStep
from lagrangian.model.joints.screw import AXIS, Screw
from lagrangian.model.type_entries import EntryKind, TypeEntry

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

ANGLE = "angle"


class Cam(Screw):
    """The child turns by `angle` about the axis and is `advance(angle)` metres along it, such as "0.02*sin(angle)"."""

    name = "cam"
    slides = (False,)
    units = ("rad",)
    entries = (
        AXIS,
        TypeEntry(
            "advance", EntryKind.FUNCTION, None, "`advance`, its displacement in metres as an expression of `angle`", ANGLE
        ),
    )
    look = JointLook.SCREW
    turns = True

    def __init__(self, profile: Scalar = 0) -> None:
        self.profile = profile

    @property
    def key(self) -> str:
        return f"{self.name}({exact_text(self.profile)}, {sorted(parameters(self.profile).items())})"

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", Cam(joint.advance), joint.axis),)

    def table_notes(self, joint: Joint) -> list[str]:
        return [f"{joint.advance} m"]

    def advance(self, state: JointState) -> Any:
        return state.function(self.profile)

    def advance_slope(self, state: JointState) -> Any:
        return state.function(derivative(self.profile, ANGLE))

    def advance_curvature(self, state: JointState) -> Any:
        return state.function(derivative(derivative(self.profile, ANGLE), ANGLE))
