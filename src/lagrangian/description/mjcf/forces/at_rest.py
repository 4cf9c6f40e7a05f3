"""The mass matrix of an MJCF model in the pose in which it is written: MuJoCo finds dampings by it that a file does not give.

Rows are in MuJoCo's order: three translations along the world's axes before the three turns of a free joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description.mjcf.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.placement import Placement

_SIZES = {"free": 6, "ball": 3, "fixed": 0}


@dataclass(frozen=True)
class AtRest:
    """The mass matrix, armatures included, and which of its rows are each joint's."""

    M: np.ndarray
    rows: dict[str, slice]

    @staticmethod
    def of(tree: Tree, more: Mapping[str, float] = MappingProxyType({})) -> AtRest:
        """Of a tree, with more armature at some joints."""
        rows, n = {}, 0
        for joint in tree.joints:
            size = _SIZES.get(joint.type, 1)
            rows[joint.name] = slice(n, n + size)
            n += size
        turns, moves = {"ground": np.zeros((3, n))}, {"ground": np.zeros((3, n))}  # of each body, and of its origin
        armature = np.zeros(n)
        for joint in tree.joints:  # parents come before children
            (R, x), (_, before) = _placed(tree.poses[joint.child]), _placed(tree.poses[joint.parent])
            turn = turns[joint.parent].copy()
            move = moves[joint.parent] + np.cross(turn, x - before, axisa=0, axisb=0, axisc=0)
            angular, linear = _columns(joint, R, x)
            turn[:, rows[joint.name]], move[:, rows[joint.name]] = angular, linear
            turns[joint.child], moves[joint.child] = turn, move
            armature[rows[joint.name]] = float(joint.rotor.reflected) + more.get(joint.name, 0.0)
        M = np.diag(armature)
        for body in tree.bodies:
            R, x = _placed(tree.poses[body.name])
            center = R @ np.array([float(c) for c in body.center])
            inertia = R @ np.array(v.sym_full(body.inertia), dtype=float) @ R.T
            moving = np.flatnonzero(np.any(turns[body.name], axis=0) | np.any(moves[body.name], axis=0))
            turn = turns[body.name][:, moving]
            move = moves[body.name][:, moving] + np.cross(turn, center, axisa=0, axisb=0, axisc=0)
            M[np.ix_(moving, moving)] += float(body.mass) * move.T @ move + turn.T @ inertia @ turn
        return AtRest(M, rows)

    @cached_property
    def _inverse(self) -> np.ndarray:
        try:
            np.linalg.cholesky(self.M)
            return np.linalg.inv(self.M)
        except np.linalg.LinAlgError:  # links without mass
            return np.linalg.pinv(self.M)

    def mass(self, levers: Iterable[tuple[Joint, float]]) -> float:
        """1 / (J M^-1 J^T) of a row J that has these levers."""
        J = np.zeros(len(self.M))
        for joint, lever in levers:
            J[self.rows[joint.name].start] += lever
        return float(1 / max(1e-15, J @ self._inverse @ J))

    def inertia(self, joint: Joint) -> float:
        """1 / (M^-1)_ii, averaged over the rows of the joint."""
        rows = self.rows[joint.name]
        return float((rows.stop - rows.start) / max(1e-15, np.trace(self._inverse[rows, rows])))


def _placed(pose: Placement) -> tuple[np.ndarray, np.ndarray]:
    T = pose.matrix()
    return T[:3, :3], T[:3, 3]


def _columns(joint: Joint, R: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How a body, in the world at R and x, turns and moves with its joint's speeds."""
    if joint.type == "fixed":
        return np.zeros((3, 0)), np.zeros((3, 0))
    if joint.type == "free":
        return np.hstack([np.zeros((3, 3)), R]), np.hstack([np.eye(3), np.zeros((3, 3))])
    turned, anchor = _placed(joint.child_placement)
    axes = R @ turned @ (np.eye(3) if joint.type == "ball" else np.array([[float(c)] for c in joint.axis]))
    if joint.type == "prismatic":
        return np.zeros((3, 1)), axes
    return axes, np.cross(axes, -R @ anchor, axisa=0, axisb=0, axisc=0)
