"""Poses of bodies, and equations of loops that hold in all positions, so that files need not have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.model.joint import Joint
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.loop import LoopJoint, loop_residual
from lagrangian.model.mechanism import GROUND, Mechanism

Numbers = Sequence[float] | np.ndarray
_SAMPLES = 3
_ZERO = 1e-9  # m
AXIS_SPACING = 0.1  # m: between two points that determine an axis


def q_slices(m: Mechanism) -> dict[str, slice]:
    """The slice of q of each joint."""
    slices, start = {}, 0
    for joint in m.joints:
        slices[joint.name] = slice(start, start + joint.kind.nq)
        start += joint.kind.nq
    return slices


def joint_displacement(joint: Joint, q: Numbers) -> np.ndarray:
    """The pose of the joint's frame on the child in its frame on the parent."""
    return displacement(joint, np.array([q], dtype=float).reshape(1, joint.kind.nq))[0]


def body_poses(m: Mechanism, q: Numbers) -> dict[str, np.ndarray]:
    """The poses of the ground and all bodies in the world, as homogeneous matrices."""
    transforms = {GROUND: np.eye(4)}
    slices = q_slices(m)
    for joint in m.outward_joints():
        step = (
            joint.placement.matrix() @ joint_displacement(joint, q[slices[joint.name]]) @ joint.child_placement.inverse().matrix()
        )
        transforms[joint.child] = transforms[joint.parent] @ step
    return transforms


class SampledLoops:
    """The loops of one mechanism, examined in a few random positions of its open tree."""

    def __init__(self, m: Mechanism) -> None:
        self._samples = _sample_poses(m) if m.loops else []

    def effective_type(self, loop: LoopJoint) -> str:
        """The type of a loop; a `point` loop is a ball if it holds all directions, or if the others cannot open."""
        is_ball = loop.type == "point" and (len(loop.directions) == 3 or self.stays_in_plane(loop))
        return "ball" if is_ball else loop.type

    def stays_in_plane(self, loop: LoopJoint) -> bool:
        """Whether the origins of the two frames stay together along the directions that a `point` loop does not hold."""
        free = [k for k in range(3) if "xyz"[k] not in loop.directions]
        for sample in self._samples:
            A, B = sample[loop.a] @ loop.a_placement.matrix(), sample[loop.b] @ loop.b_placement.matrix()
            offset = A[:3, :3].T @ (A[:3, 3] - B[:3, 3])
            if any(abs(offset[k]) > _ZERO for k in free):
                return False
        return True

    def has_parallel_axes(self, loop: LoopJoint) -> bool:
        """Whether the axes of a revolute loop are parallel in all positions."""
        return all(max(map(abs, loop_residual(loop, poses[loop.a], poses[loop.b])[3:])) < _ZERO for poses in self._samples)


def loop_error(m: Mechanism, q: Numbers) -> float:
    """The largest residual of all loops at q."""
    transforms = body_poses(m, q)
    return max((abs(x) for loop in m.loops for x in loop_residual(loop, transforms[loop.a], transforms[loop.b])), default=0.0)


def _sample_poses(m: Mechanism) -> list[dict[str, np.ndarray]]:
    """Poses of the open tree at random coordinates within 1 rad and 1 m, whatever the limits."""
    rng = np.random.default_rng(7)
    samples = []
    for _ in range(_SAMPLES):
        q = np.concatenate([np.zeros(0), *(_random_coordinates(joint, rng) for joint in m.joints)])
        samples.append(body_poses(m, q))
    return samples


def _random_coordinates(joint: Joint, rng: np.random.Generator) -> np.ndarray:
    if joint.kind.quaternion:
        return np.array(joint.kind.random(joint, rng))
    return rng.uniform(-1.0, 1.0, joint.kind.nq)
