"""The mass matrix of an MJCF model in the pose in which it is written: MuJoCo derives dampings from it that a file leaves open.

Rows are in MuJoCo's order: the three translations of a free joint, along the axes of the world, come before its three rotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description.mjcf.tree import MjcfTree
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Transform

_SPEED_COUNTS = {"free": 6, "ball": 3, "fixed": 0}


@dataclass(frozen=True)
class WrittenMassMatrix:
    """The mass matrix with armatures, and the rows of each joint."""

    M: np.ndarray
    rows: dict[str, slice]

    @staticmethod
    def from_tree(tree: MjcfTree, added_armature: Mapping[str, float] = MappingProxyType({})) -> WrittenMassMatrix:
        """The mass matrix of a tree, with additional armature at some joints."""
        rows, n = {}, 0
        for joint in tree.joints:
            size = _SPEED_COUNTS.get(joint.type, 1)
            rows[joint.name] = slice(n, n + size)
            n += size
        # of the angular velocity of each body, and of the velocity of its origin
        angular_jacobians, linear_jacobians = {GROUND: np.zeros((3, n))}, {GROUND: np.zeros((3, n))}
        armature = np.zeros(n)
        for joint in tree.joints:  # parents come before children
            (R, x), (_, parent_origin) = (
                _rotation_and_origin(tree.poses[joint.child]),
                _rotation_and_origin(tree.poses[joint.parent]),
            )
            angular = angular_jacobians[joint.parent].copy()
            linear = linear_jacobians[joint.parent] + np.cross(angular, x - parent_origin, axisa=0, axisb=0, axisc=0)
            joint_angular, joint_linear = _jacobian_columns(joint, R, x)
            angular[:, rows[joint.name]], linear[:, rows[joint.name]] = joint_angular, joint_linear
            angular_jacobians[joint.child], linear_jacobians[joint.child] = angular, linear
            armature[rows[joint.name]] = float(joint.rotor.reflected_inertia) + added_armature.get(joint.name, 0.0)
        M = np.diag(armature)
        for body in tree.bodies:
            R, x = _rotation_and_origin(tree.poses[body.name])
            center = R @ np.array([float(c) for c in body.center])
            inertia = R @ np.array(v.sym_full(body.inertia), dtype=float) @ R.T
            moving_columns = np.flatnonzero(
                np.any(angular_jacobians[body.name], axis=0) | np.any(linear_jacobians[body.name], axis=0)
            )
            angular = angular_jacobians[body.name][:, moving_columns]
            linear = linear_jacobians[body.name][:, moving_columns] + np.cross(angular, center, axisa=0, axisb=0, axisc=0)
            M[np.ix_(moving_columns, moving_columns)] += float(body.mass) * linear.T @ linear + angular.T @ inertia @ angular
        return WrittenMassMatrix(M, rows)

    @cached_property
    def _inverse(self) -> np.ndarray:
        try:
            np.linalg.cholesky(self.M)
            return np.linalg.inv(self.M)
        except np.linalg.LinAlgError:  # links without mass
            return np.linalg.pinv(self.M)

    def effective_mass(self, levers: Iterable[tuple[Joint, float]]) -> float:
        """The mass 1 / (J M^-1 J^T) that a force feels, for a row J of these levers."""
        J = np.zeros(len(self.M))
        for joint, lever in levers:
            J[self.rows[joint.name].start] += lever
        return float(1 / max(1e-15, J @ self._inverse @ J))

    def effective_inertia(self, joint: Joint) -> float:
        """The inertia 1 / (M^-1)_ii that a joint feels, averaged over its rows."""
        rows = self.rows[joint.name]
        return float((rows.stop - rows.start) / max(1e-15, np.trace(self._inverse[rows, rows])))


def _rotation_and_origin(pose: Transform) -> tuple[np.ndarray, np.ndarray]:
    T = pose.matrix()
    return T[:3, :3], T[:3, 3]


def _jacobian_columns(joint: Joint, R: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of a body's rotation and origin for the speeds of its own joint; R and x are the body's pose in the world."""
    if joint.type == "fixed":
        return np.zeros((3, 0)), np.zeros((3, 0))
    if joint.type == "free":
        return np.hstack([np.zeros((3, 3)), R]), np.hstack([np.eye(3), np.zeros((3, 3))])
    joint_rotation, anchor = _rotation_and_origin(joint.child_placement)
    axes = R @ joint_rotation @ (np.eye(3) if joint.type == "ball" else np.array([[float(c)] for c in joint.axis]))
    if joint.type == "prismatic":
        return np.zeros((3, 1)), axes
    return axes, np.cross(axes, -R @ anchor, axisa=0, axisb=0, axisc=0)
