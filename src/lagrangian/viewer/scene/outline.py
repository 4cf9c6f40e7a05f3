"""The outline of each body, from which its look is made: where the joint that carries it is, and where others are attached."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lagrangian.model.body import Body
from lagrangian.model.constraint import KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.loops.loop_type import LoopLook
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import PointSpring, Wall

ROTARY_LOOKS = (JointLook.PIN, JointLook.SCREW)
FLOATING_LOOKS = (JointLook.NOTHING, JointLook.PLANE)  # of joints that hold nothing


@dataclass(frozen=True, eq=False)
class Attachment:
    """A point of a body at which something is attached, with the axis of the joint there if it has one."""

    point: np.ndarray
    axis: np.ndarray | None
    kind: str  # "joint", "loop", "spring" or "frame"
    slides: bool = False


@dataclass(eq=False)
class BodyOutline:
    """A body, or the ground if it has none, in its own frame."""

    name: str
    body: Body | None
    joint: Joint | None  # the one that carries it
    depth: int
    attachments: list[Attachment] = field(default_factory=list)
    virtual: bool = False  # massless and at one point: it only carries a coordinate, and is not drawn

    @property
    def joint_position(self) -> np.ndarray:
        """The position of the joint that carries it."""
        return np.array(self.joint.child_placement.position, dtype=float) if self.joint else np.zeros(3)

    @property
    def axis(self) -> np.ndarray | None:
        return axis_in_parent(self.joint.child_placement, self.joint.axis) if self.joint and self.joint.axes else None

    @property
    def center(self) -> np.ndarray:
        return np.array(self.body.center, dtype=float) if self.body else np.zeros(3)

    @property
    def is_floating(self) -> bool:
        """Whether the joint that carries it holds nothing."""
        return self.joint is not None and self.joint.kind.look in FLOATING_LOOKS


def axis_in_parent(placement: Transform, axis: tuple[float, ...]) -> np.ndarray:
    """An axis of a placed frame in the frame it is placed in."""
    return placement.matrix()[:3, :3] @ np.array(axis, dtype=float)


def body_outlines(mechanism: Mechanism) -> dict[str, BodyOutline]:
    """The outlines of the ground and of all bodies."""
    carrying_joints = {j.child: j for j in mechanism.joints}
    outlines = {GROUND: BodyOutline(GROUND, None, None, 0)}
    for joint in mechanism.outward_joints():
        outlines[joint.child] = BodyOutline(
            joint.child, mechanism.body(joint.child), carrying_joints[joint.child], outlines[joint.parent].depth + 1
        )
    for joint in mechanism.joints:
        axis = axis_in_parent(joint.placement, joint.axis) if joint.axes else None
        if joint.kind.look not in FLOATING_LOOKS:
            slides = joint.kind.look is JointLook.SLIDE
            outlines[joint.parent].attachments.append(Attachment(_position(joint.placement.position), axis, "joint", slides))
    for loop in mechanism.loops:
        look = loop.kind.look
        axis = axis_in_parent(loop.a_placement, loop.axis) if look in (LoopLook.PIN, LoopLook.SLEEVE) else None
        kind = "spring" if look is LoopLook.ROD else "loop"  # a rod is a strut, as a spring is
        outlines[loop.a].attachments.append(Attachment(_position(loop.a_placement.position), axis, kind))
        outlines[loop.b].attachments.append(Attachment(_position(loop.b_placement.position), None, kind))
    for spring in mechanism.springs:
        if isinstance(spring, PointSpring):
            for body, at in spring.points:
                outlines[body].attachments.append(Attachment(_position(at), None, "spring"))
        elif isinstance(spring, Wall):
            outlines[spring.body].attachments.append(Attachment(_position(spring.point), None, "frame"))
    for constraint in mechanism.constraints:
        if isinstance(constraint, RollingConstraint):
            outlines[constraint.body].attachments.append(Attachment(_position(constraint.center), None, "frame"))
        elif isinstance(constraint, KnifeEdgeConstraint):
            outlines[constraint.body].attachments.append(Attachment(_position(constraint.point), None, "frame"))
    for frame in mechanism.frames:
        outlines[frame.body].attachments.append(Attachment(_position(frame.placement.position), None, "frame"))
    for outline in outlines.values():
        outline.virtual = _is_virtual(outline, mechanism)
    return outlines


def _is_virtual(outline: BodyOutline, mechanism: Mechanism) -> bool:
    body, joint = outline.body, outline.joint
    if (
        body is None
        or joint is None
        or float(body.mass) != 0
        or body.visuals
        or joint.kind.look not in (JointLook.SLIDE, JointLook.PLANE)
    ):
        return False
    carries = [j for j in mechanism.joints if j.parent == outline.name]
    return len(carries) == 1 == len(outline.attachments) and bool(
        np.allclose(outline.attachments[0].point, outline.joint_position)
    )


def is_hidden(joint: Joint, outlines: dict[str, BodyOutline]) -> bool:
    """Whether a joint is not drawn: it holds nothing, or only stands between coordinates."""
    if joint.kind.look in (*FLOATING_LOOKS, JointLook.WELD):
        return True
    return outlines[joint.child].virtual or outlines[joint.parent].virtual


def _position(values: tuple[float, ...]) -> np.ndarray:
    return np.array(values, dtype=float)
