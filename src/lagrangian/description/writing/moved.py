"""The same mechanism with the frames of some bodies elsewhere on them, as a format needs them: every part follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import Constraint, KnifeEdge, Rolling
from lagrangian.model.loop import Frame, LoopJoint, Spring, Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import PointSpring


def moved(m: Mechanism, frames: Mapping[str, Placement]) -> Mechanism:
    """Each body's frame where `frames` has it in its old one; the joints' frames, and all else, stay where they are."""
    back = {body: at.inverse() for body, at in frames.items() if not at.is_identity}
    if not back:
        return m
    joints = []
    for joint in m.joints:
        at_parent, at_child = back.get(joint.parent), back.get(joint.child)
        changes: dict[str, Any] = {} if at_parent is None else {"placement": at_parent @ joint.placement}
        if at_child is not None:
            changes["child_placement"] = at_child @ joint.child_placement
        joints.append(replace(joint, **changes) if changes else joint)
    return m.replace(
        bodies=tuple(_body(body, back[body.name]) if body.name in back else body for body in m.bodies),
        joints=tuple(joints),
        loops=tuple(_loop(loop, back) for loop in m.loops),
        frames=tuple(_frame(frame, back) for frame in m.frames),
        springs=tuple(_spring(spring, back) for spring in m.springs),
        constraints=tuple(_constraint(constraint, back) for constraint in m.constraints),
    )


Back = Mapping[str, Placement]


def point(at: Placement, p: v.Vector) -> v.Vector:
    """A point of a frame that stands at a placement."""
    return v.add(at.position, v.mat_vec(at.rotation, p))


def _body(body: Body, at: Placement) -> Body:
    inertia = body.inertia if at.rotation == v.IDENTITY else v.sym_rotate(at.rotation, body.inertia)
    visuals = tuple(replace(x, placement=at @ x.placement) for x in body.visuals)
    # rounding may leave an inertia on the border of what is real beyond it
    return replace(body, center=point(at, body.center), inertia=inertia, visuals=visuals, effective=True)


def _loop(loop: LoopJoint, back: Back) -> LoopJoint:
    a, b = back.get(loop.a, Placement()), back.get(loop.b, Placement())
    return replace(loop, a_placement=a @ loop.a_placement, b_placement=b @ loop.b_placement)


def _frame(frame: Frame, back: Back) -> Frame:
    return replace(frame, placement=back[frame.body] @ frame.placement) if frame.body in back else frame


def _spring(spring: Spring, back: Back) -> Spring:
    def on(body: str, p: v.Vector) -> v.Vector:
        return point(back[body], p) if body in back else p

    if isinstance(spring, PointSpring):
        via = tuple((body, on(body, p)) for body, p in spring.via)
        return replace(spring, a_point=on(spring.a, spring.a_point), b_point=on(spring.b, spring.b_point), via=via)
    if isinstance(spring, Wall):
        normal = v.mat_vec(back[spring.on].rotation, spring.normal) if spring.on in back else spring.normal
        at, position = on(spring.body, spring.point), on(spring.on, spring.position)
        return replace(spring, point=at, position=position, normal=normal)
    return spring


def _constraint(constraint: Constraint, back: Back) -> Constraint:
    """Only those that stand on bodies; no format has them yet, but a mechanism that is moved is whole."""
    if isinstance(constraint, KnifeEdge) and constraint.body in back:
        at = back[constraint.body]
        return replace(constraint, direction=v.mat_vec(at.rotation, constraint.direction), point=point(at, constraint.point))
    if isinstance(constraint, Rolling):
        here, there = back.get(constraint.body, Placement()), back.get(constraint.on, Placement())
        axis = None if constraint.axis is None else v.mat_vec(here.rotation, constraint.axis)
        normal = v.mat_vec(there.rotation, constraint.normal)
        return replace(
            constraint, center=point(here, constraint.center), axis=axis, normal=normal, point=point(there, constraint.point)
        )
    return constraint
