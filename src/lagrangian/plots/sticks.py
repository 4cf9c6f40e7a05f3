"""A mechanism as sticks: on every body, lines from the joint that carries it to all else that is attached there."""

from __future__ import annotations

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.mechanism import GROUND, Mechanism

MAX_BODIES = 30  # most that are drawn: each one's pose is a function of its own


def stick_segments(dyn: Dynamics, q: np.ndarray) -> np.ndarray:
    """The ends of every stick in the world for each row of q: (configurations, sticks, 2, 3)."""
    m = dyn.mechanism
    poses = {GROUND: np.broadcast_to(np.eye(4), (len(q), 4, 4))}
    poses |= {b.name: np.asarray(dyn.pose(q, b.name)) for b in m.bodies}

    def world(body: str, point: np.ndarray) -> np.ndarray:
        points: np.ndarray = poses[body][:, :3, :3] @ point + poses[body][:, :3, 3]
        return points

    segments = [[world(*a), world(*b)] for a, b in _stick_ends(m)]
    return np.moveaxis(np.array(segments), 2, 0) if segments else np.zeros((len(q), 0, 2, 3))


def _stick_ends(m: Mechanism) -> list[tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]]:
    """The sticks of a mechanism: pairs of points, each fixed to a body."""
    joint_points: dict[str, np.ndarray] = {}
    attached: dict[str, list[np.ndarray]] = {b.name: [] for b in m.bodies}
    sliding_sticks = []

    def attach(body: str, position: object) -> None:
        if body in attached:
            attached[body].append(_numbers(position))

    for joint in m.joints:
        attach(joint.parent, joint.placement.position)
        joint_points[joint.child] = _numbers(joint.child_placement.position)
        if joint.kind.look in (JointLook.SLIDE, JointLook.SCREW):
            sliding_sticks.append(((joint.parent, _numbers(joint.placement.position)), (joint.child, joint_points[joint.child])))
    for loop in m.loops:
        attach(loop.a, loop.a_placement.position)
        attach(loop.b, loop.b_placement.position)
    for frame in m.frames:
        attach(frame.body, frame.placement.position)
    for body in m.bodies:
        if all(
            np.allclose(p, joint_points[body.name]) for p in attached[body.name]
        ):  # the end of a chain: what it weighs is there
            attached[body.name].append(_numbers(body.center))
    body_sticks = [
        ((b, joint_points[b]), (b, p)) for b, points in attached.items() for p in points if not np.allclose(p, joint_points[b])
    ]
    return [*body_sticks, *sliding_sticks]


def _numbers(position: object) -> np.ndarray:
    return np.array([float(x) for x in position])  # type: ignore[attr-defined]
