"""Poses of the bodies in one configuration or many, by numpy, without compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.model.joints.displacement import displacement
from lagrangian.model.mechanism import GROUND, Mechanism


def body_poses(mechanism: Mechanism, q: Any) -> dict[str, np.ndarray]:
    """The homogeneous matrices (rows, 4, 4) of the ground and all bodies at configurations (rows, nq)."""
    q = np.atleast_2d(np.asarray(q, dtype=float))
    first = np.cumsum([0, *(j.kind.nq for j in mechanism.joints)])
    start = {j.name: int(k) for j, k in zip(mechanism.joints, first, strict=False)}
    poses = {GROUND: np.broadcast_to(np.eye(4), (len(q), 4, 4))}
    for joint in mechanism.outward_joints():
        k = start[joint.name]
        transform = displacement(joint, q[:, k : k + joint.kind.nq])
        poses[joint.child] = poses[joint.parent] @ joint.placement.matrix() @ transform @ joint.child_placement.inverse().matrix()
    return poses
