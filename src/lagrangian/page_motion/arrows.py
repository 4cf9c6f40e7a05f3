"""The forces that a page draws as arrows, traced: torques of joints, reactions, forces of loops.

They have the names and the points that `viewer.scene.force_arrows` gives those of a recorded motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.functions.constraints import reactions
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.kernels.programs.constraints import constraint_wrench_program
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.model import vector as v
from lagrangian.model.frame import Frame
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.loop import LoopJoint
from lagrangian.model.placement import Transform

MAX_JOINTS = 40  # joints whose forces are drawn


@dataclass(frozen=True)
class Arrow:
    """An arrow as six numbers on a graph: its point, and its vector along the world's axes."""

    name: str
    group: str
    unit: str
    point: list[Any]
    vector: list[Any]


def arrows(model: MechanismGraph, driven: list[bool], has_wrenches: bool) -> list[Arrow]:
    """All arrows of a page: torques of `driven` speeds, forces of loops, and reactions unless external wrenches act."""
    mechanism = model.mechanism
    if len(mechanism.joints) > MAX_JOINTS:
        return []
    drawn = _torque_arrows(model, driven)
    if not has_wrenches:
        drawn += _reaction_arrows(model)
    return drawn + _loop_arrows(model)


def _pose(model: MechanismGraph, body: str, placement: Transform) -> tuple[v.Matrix, v.Vector]:
    """The rotation and the origin of a placement on a body."""
    T = model.record(TreeProgram(kinematics.POSE_OF_FRAME, model.path_to_frame(Frame("", body, placement))))
    return (tuple(T[0:3]), tuple(T[4:7]), tuple(T[8:11])), (T[3], T[7], T[11])


def _torque_arrows(model: MechanismGraph, driven: list[bool]) -> list[Arrow]:
    drawn, speed = [], 0
    for joint in model.mechanism.joints:
        first_speed, speed = speed, speed + joint.kind.nv
        steps = joint.kind.steps(joint)
        if joint.kind.nv != 1 or len(steps) != 1 or not driven[first_speed]:
            continue
        R, _ = _pose(model, joint.parent, joint.placement)
        _, point = _pose(model, joint.child, joint.child_placement)
        axis = v.mat_vec(R, tuple(float(x) for x in steps[0].axis))  # type: ignore[arg-type]
        word, unit = ("force", "N") if joint.slides[0] else ("torque", "N m")
        tau = model.graph.input("tau", first_speed)
        drawn.append(Arrow(f"{word} of {joint.name}", "torques", unit, list(point), [tau * x for x in axis]))
    return drawn


def _reaction_arrows(model: MechanismGraph) -> list[Arrow]:
    drawn, local = [], reactions(model)
    for k, joint in enumerate(model.mechanism.joints):
        if joint.kind.look is JointLook.NOTHING:
            continue
        R, point = _pose(model, joint.child, joint.child_placement)
        moment, force = (v.mat_vec(R, tuple(local[6 * k + i : 6 * k + i + 3])) for i in (0, 3))
        drawn.append(Arrow(f"reaction of {joint.name}", "reactions", "N", list(point), list(force)))
        drawn.append(Arrow(f"reaction moment of {joint.name}", "reactions", "N m", list(point), list(moment)))
    return drawn


def _loop_arrows(model: MechanismGraph) -> list[Arrow]:
    """The force of each loop joint on its body `a`."""
    mechanism, tree, drawn, first = model.mechanism, model.full_tree, [], 0
    for loop in mechanism.loops:
        multipliers: list[Any] = [0.0] * model.equation_count
        multipliers[first : first + loop.equation_count] = [
            model.graph.input("multipliers", first + k) for k in range(loop.equation_count)
        ]
        first += loop.equation_count
        if not isinstance(loop, LoopJoint):
            continue
        body, sign = (loop.a, 1.0) if tree.body_places[loop.a][0] >= 0 else (loop.b, -1.0)
        link = tree.body_places[body][0]
        if link < 0:
            continue
        load = model.record(constraint_wrench_program(mechanism, tree), multipliers=multipliers)[6 * link : 6 * link + 6]
        body_and_placement = (loop.a, loop.a_placement) if loop.kind.holds_point else (loop.b, loop.b_placement)
        _, point = _pose(model, *body_and_placement)
        force = tuple(sign * x for x in load[3:])
        moment = v.sub(tuple(sign * x for x in load[:3]), v.cross(point, force))
        drawn.append(Arrow(f"force of {loop.name}", "constraints", "N", list(point), list(force)))
        drawn.append(Arrow(f"moment of {loop.name}", "constraints", "N m", list(point), list(moment)))
    return drawn
