"""The forces that a page draws as arrows, traced: torques of joints, reactions, forces of loops.

They have the names and the points that `viewer.scene.arrows` gives those of a recorded motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.exports.functions.constraints import reactions
from lagrangian.exports.model import Model
from lagrangian.kernels.programs.closed import wrenches
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.model import vector as v
from lagrangian.model.joints.joint_type import Look
from lagrangian.model.loop import Frame, LoopJoint
from lagrangian.model.placement import Placement

MOST = 40  # joints whose forces are drawn


@dataclass(frozen=True)
class Arrow:
    """Six numbers on a graph: the point, and the vector along the world's axes."""

    name: str
    group: str
    unit: str
    point: list[Any]
    vector: list[Any]


def arrows(model: Model, driven: list[bool], loaded: bool) -> list[Arrow]:
    """All that can be drawn: torques of the speeds that are `driven`; reactions, unless wrenches from outside act (`loaded`)."""
    mechanism = model.mechanism
    if len(mechanism.joints) > MOST:
        return []
    found = _torques(model, driven)
    if not loaded:
        found += _reactions(model)
    return found + _loops(model)


def _pose(model: Model, body: str, at: Placement) -> tuple[v.Matrix, v.Vector]:
    """Rotation and origin of a place on a body."""
    T = model.of(Sweeps(kinematics.POSE_OF_FRAME, model.path(Frame("", body, at))))
    return (tuple(T[0:3]), tuple(T[4:7]), tuple(T[8:11])), (T[3], T[7], T[11])


def _torques(model: Model, driven: list[bool]) -> list[Arrow]:
    found, speed = [], 0
    for joint in model.mechanism.joints:
        own, speed = speed, speed + joint.kind.nv
        steps = joint.kind.steps(joint)
        if joint.kind.nv != 1 or len(steps) != 1 or not driven[own]:
            continue
        R, _ = _pose(model, joint.parent, joint.placement)
        _, point = _pose(model, joint.child, joint.child_placement)
        axis = v.mat_vec(R, tuple(float(x) for x in steps[0].axis))  # type: ignore[arg-type]
        what, unit = ("force", "N") if joint.slides[0] else ("torque", "N m")
        tau = model.graph.input("tau", own)
        found.append(Arrow(f"{what} of {joint.name}", "torques", unit, list(point), [tau * x for x in axis]))
    return found


def _reactions(model: Model) -> list[Arrow]:
    found, local = [], reactions(model)
    for k, joint in enumerate(model.mechanism.joints):
        if joint.kind.look is Look.NOTHING:
            continue
        R, point = _pose(model, joint.child, joint.child_placement)
        moment, force = (v.mat_vec(R, tuple(local[6 * k + i : 6 * k + i + 3])) for i in (0, 3))
        found.append(Arrow(f"reaction of {joint.name}", "reactions", "N", list(point), list(force)))
        found.append(Arrow(f"reaction moment of {joint.name}", "reactions", "N m", list(point), list(moment)))
    return found


def _loops(model: Model) -> list[Arrow]:
    """The force of each loop joint on its body `a`."""
    mechanism, tree, found, first = model.mechanism, model.full_tree, [], 0
    for loop in mechanism.loops:
        own: list[Any] = [0.0] * model.equations
        own[first : first + loop.equations] = [model.graph.input("multipliers", first + k) for k in range(loop.equations)]
        first += loop.equations
        if not isinstance(loop, LoopJoint):
            continue
        body, sign = (loop.a, 1.0) if tree.place[loop.a][0] >= 0 else (loop.b, -1.0)
        link = tree.place[body][0]
        if link < 0:
            continue
        load = model.of(wrenches(mechanism, tree), multipliers=own)[6 * link : 6 * link + 6]
        at = (loop.a, loop.a_placement) if loop.kind.holds_point else (loop.b, loop.b_placement)
        _, point = _pose(model, *at)
        force = tuple(sign * x for x in load[3:])
        moment = v.sub(tuple(sign * x for x in load[:3]), v.cross(point, force))
        found.append(Arrow(f"force of {loop.name}", "constraints", "N", list(point), list(force)))
        found.append(Arrow(f"moment of {loop.name}", "constraints", "N m", list(point), list(moment)))
    return found
