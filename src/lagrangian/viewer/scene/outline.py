"""What of each body matters to how it looks: where the joint that carries it sits, and where other things hang on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lagrangian.model.body import Body
from lagrangian.model.constraint import KnifeEdge, Rolling
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import Look
from lagrangian.model.loop import Wall
from lagrangian.model.loops.loop_type import Look as LoopLook
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import PointSpring

TURNING = (Look.PIN, Look.SCREW)
FLOATING = (Look.NOTHING, Look.PLANE)  # a joint of these looks holds nothing


@dataclass(frozen=True, eq=False)
class Place:
    """A point of a body where something hangs, with the axis of the joint there if it has one."""

    point: np.ndarray
    axis: np.ndarray | None
    kind: str  # "joint", "loop", "spring" or "frame"
    slides: bool = False


@dataclass(eq=False)
class Outline:
    """A body, or the ground if it has none, in its own frame."""

    name: str
    body: Body | None
    joint: Joint | None  # the one that carries it
    depth: int
    places: list[Place] = field(default_factory=list)
    virtual: bool = False  # massless and at one point: it carries a coordinate, and nothing is to be seen of it

    @property
    def at(self) -> np.ndarray:
        """Where the joint that carries it sits."""
        return np.array(self.joint.child_placement.position, dtype=float) if self.joint else np.zeros(3)

    @property
    def axis(self) -> np.ndarray | None:
        return along(self.joint.child_placement, self.joint.axis) if self.joint and self.joint.axes else None

    @property
    def center(self) -> np.ndarray:
        return np.array(self.body.center, dtype=float) if self.body else np.zeros(3)

    @property
    def floats(self) -> bool:
        """Carried by a joint at which nothing sits."""
        return self.joint is not None and self.joint.kind.look in FLOATING


def along(placement: Placement, axis: tuple[float, ...]) -> np.ndarray:
    """An axis of a placed frame in the frame it is placed in."""
    return placement.matrix()[:3, :3] @ np.array(axis, dtype=float)


def outlines(mechanism: Mechanism) -> dict[str, Outline]:
    """Of the ground and of all bodies."""
    carried = {j.child: j for j in mechanism.joints}
    found = {GROUND: Outline(GROUND, None, None, 0)}
    for joint in mechanism.outward():
        found[joint.child] = Outline(
            joint.child, mechanism.body(joint.child), carried[joint.child], found[joint.parent].depth + 1
        )
    for joint in mechanism.joints:
        axis = along(joint.placement, joint.axis) if joint.axes else None
        if joint.kind.look not in FLOATING:
            slides = joint.kind.look is Look.SLIDE
            found[joint.parent].places.append(Place(_point(joint.placement.position), axis, "joint", slides))
    for loop in mechanism.loops:
        look = loop.kind.look
        axis = along(loop.a_placement, loop.axis) if look in (LoopLook.PIN, LoopLook.SLEEVE) else None
        kind = "spring" if look is LoopLook.ROD else "loop"  # a rod is a strut, as a spring is
        found[loop.a].places.append(Place(_point(loop.a_placement.position), axis, kind))
        found[loop.b].places.append(Place(_point(loop.b_placement.position), None, kind))
    for spring in mechanism.springs:
        if isinstance(spring, PointSpring):
            for body, at in spring.points:
                found[body].places.append(Place(_point(at), None, "spring"))
        elif isinstance(spring, Wall):
            found[spring.body].places.append(Place(_point(spring.point), None, "frame"))
    for constraint in mechanism.constraints:
        if isinstance(constraint, Rolling):
            found[constraint.body].places.append(Place(_point(constraint.center), None, "frame"))
        elif isinstance(constraint, KnifeEdge):
            found[constraint.body].places.append(Place(_point(constraint.point), None, "frame"))
    for frame in mechanism.frames:
        found[frame.body].places.append(Place(_point(frame.placement.position), None, "frame"))
    for outline in found.values():
        outline.virtual = _virtual(outline, mechanism)
    return found


def _virtual(outline: Outline, mechanism: Mechanism) -> bool:
    body, joint = outline.body, outline.joint
    if body is None or joint is None or float(body.mass) != 0 or body.visuals or joint.kind.look not in (Look.SLIDE, Look.PLANE):
        return False
    carries = [j for j in mechanism.joints if j.parent == outline.name]
    return len(carries) == 1 == len(outline.places) and bool(np.allclose(outline.places[0].point, outline.at))


def hidden(joint: Joint, found: dict[str, Outline]) -> bool:
    """Whether nothing is to be seen of a joint: it does not hold, or stands between coordinates only."""
    if joint.kind.look in (*FLOATING, Look.WELD):
        return True
    return found[joint.child].virtual or found[joint.parent].virtual


def _point(given: tuple[float, ...]) -> np.ndarray:
    return np.array(given, dtype=float)
