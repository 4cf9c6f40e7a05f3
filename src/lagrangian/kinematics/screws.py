"""A serial arm of revolute joints as screws: each joint's axis and a point on it, in the world, where every angle is zero.

The pose of the frame is then the product of exponentials exp(S1 q1) ... exp(Sn qn) T0 (Brockett 1984; Murray, Li and Sastry
1994), whatever the description it came from: no link frames are left in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.algorithms.tree import build_tree
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.frame import Frame
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.mechanism import Mechanism

CONVERGENCE_TOLERANCE = 1e-13  # a pose with a smaller deviation is not refined further
MAX_STEPS = 6


@dataclass(frozen=True, eq=False)
class SerialChain:
    """Axes and points on them, from the ground outwards, the frame's pose at q = 0, and where each angle stands in q."""

    axes: tuple[v.Vector, ...]
    points: tuple[v.Vector, ...]
    home: np.ndarray
    coordinate_indices: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.axes)

    def reverse(self) -> SerialChain:
        """The same arm seen from its frame: the chain of the same angles that carries the world's pose in it."""
        inverse_home = np.linalg.inv(self.home)
        axes: np.ndarray = np.array(self.axes[::-1]) @ -inverse_home[:3, :3].T
        points: np.ndarray = np.array(self.points[::-1]) @ inverse_home[:3, :3].T + inverse_home[:3, 3]
        return SerialChain(
            tuple(map(tuple, axes.tolist())), tuple(map(tuple, points.tolist())), inverse_home, self.coordinate_indices[::-1]
        )

    @cached_property
    def _twists(self) -> tuple[np.ndarray, np.ndarray]:
        """S and S^2 of every joint, 4x4: exp(S q) = 1 + S sin q + S^2 (1 - cos q)."""
        S = np.zeros((len(self), 4, 4))
        for twist, w, p in zip(S, self.axes, self.points, strict=True):
            twist[:3, :3], twist[:3, 3] = v.skew(w), v.cross(p, w)
        return S, S @ S

    def exponential_products(self, angles: np.ndarray) -> np.ndarray:
        """exp(S1 q1) ... exp(Sk qk) for k = 0 to n, of rows of angles in the chain's order: (rows, n + 1, 4, 4)."""
        S, SS = self._twists
        step = np.eye(4) + np.sin(angles)[..., None, None] * S + (1 - np.cos(angles))[..., None, None] * SS
        E = np.empty((len(angles), len(self) + 1, 4, 4))
        E[:, 0] = np.eye(4)
        for k in range(len(self)):
            E[:, k + 1] = E[:, k] @ step[:, k]
        return E

    def refine(self, angles: np.ndarray, pose: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
        """Newton's method from angles near the pose: the best angles on the way, and the deviation of each row from the pose.

        The deviation is the larger of the remaining distance, in units of `size`, and the remaining rotation in radians.
        """
        angles = np.array(angles)
        E = self.exponential_products(angles)
        error, deviation = _error(E[:, -1] @ self.home, pose, size)
        for _ in range(MAX_STEPS):
            open_rows = np.flatnonzero(deviation > CONVERGENCE_TOLERANCE)
            if not open_rows.size:
                break
            # least squares: at a singular configuration there is no step along the direction that is lost
            J = self._jacobian(E[open_rows], size)
            trial = angles[open_rows] + (np.linalg.pinv(J, rcond=1e-9) @ error[open_rows, :, None])[..., 0]
            F = self.exponential_products(trial)
            trial_error, trial_deviation = _error(F[:, -1] @ self.home, pose, size)
            better = trial_deviation < deviation[open_rows]
            if not better.any():
                break
            improved = open_rows[better]
            angles[improved], E[improved], error[improved], deviation[improved] = (
                trial[better],
                F[better],
                trial_error[better],
                trial_deviation[better],
            )
        return angles, deviation

    def _jacobian(self, E: np.ndarray, size: float) -> np.ndarray:
        """(angular velocity, velocity of the frame's origin / size) by the angles, for each row."""
        w = np.einsum("rkij,kj->rki", E[:, :-1, :3, :3], np.array(self.axes))
        p = np.einsum("rkij,kj->rki", E[:, :-1, :3, :3], np.array(self.points)) + E[:, :-1, :3, 3]
        x = (E[:, -1] @ self.home)[:, None, :3, 3]
        return np.concatenate([w, np.cross(w, x - p) / size], axis=2).swapaxes(1, 2)


def _error(T: np.ndarray, pose: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """The remaining motion from each T to the pose, as (rotation vector, distance / size), and the larger of the two."""
    D = pose[:3, :3] @ T[:, :3, :3].swapaxes(1, 2)
    rotation = 0.5 * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=1)
    translation = (pose[:3, 3] - T[:, :3, 3]) / size
    # the vector is of the sine, which is zero at half a turn too: the difference of the matrices is not
    rotation_size = np.sqrt(0.5 * np.sum((pose[:3, :3] - T[:, :3, :3]) ** 2, axis=(1, 2)))
    return np.concatenate([rotation, translation], axis=1), np.maximum(
        rotation_size, np.sqrt(np.sum(translation * translation, axis=1))
    )


def serial_chain(mechanism: Mechanism, frame: Frame) -> SerialChain | None:
    """The chain from the ground to the frame; None if not all that moves is revolute joints in a row up to it.

    Loops, other constraints, slides, balls, and joints beside or beyond the frame's body all leave a configuration open.
    """
    tree = build_tree(mechanism)
    if frame.body not in tree.body_places:
        raise ArgumentError(f"frame {frame.name!r}: {unknown_name_message('body', frame.body, tree.body_places)}")
    link, body_placement = tree.body_places[frame.body]
    links = tree.path_to_root(link)
    if mechanism.equation_count or len(links) != len(tree) or any(kind != Revolute() for kind in tree.kind):
        return None
    T = np.eye(4)
    axes, points = [], []
    for k in links:
        joint_pose = np.eye(4)
        joint_pose[:3, :3], joint_pose[:3, 3] = tree.constants["R"][k].reshape(3, 3), tree.constants["p"][k]
        T = T @ joint_pose
        axes.append(tuple((T[:3, 2] / np.linalg.norm(T[:3, 2])).tolist()))
        points.append(tuple(T[:3, 3].tolist()))
    home = T @ body_placement.matrix() @ frame.placement.matrix()
    return SerialChain(tuple(axes), tuple(points), home, tuple(tree.iq[k] for k in links))


# -- rotations of vectors, as tuples: faster than arrays for three numbers --------------------------------------------


def rotate_vector(w: v.Vector, angle: float, x: v.Vector) -> v.Vector:
    """x turned about the unit vector w (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    k = (1 - c) * v.dot(w, x)
    y = v.cross(w, x)
    return (c * x[0] + s * y[0] + k * w[0], c * x[1] + s * y[1] + k * w[1], c * x[2] + s * y[2] + k * w[2])


def perpendicular_part(w: v.Vector, x: v.Vector) -> v.Vector:
    """The part of x across the unit vector w."""
    return v.sub(x, v.scale(v.dot(w, x), w))


def length(x: v.Vector) -> float:
    return math.hypot(*x)


def angle_about(w: v.Vector, x: v.Vector, y: v.Vector) -> float:
    """The angle about w that brings x, seen along w, into the direction of y (subproblem 1 of Paden and Kahan)."""
    x, y = perpendicular_part(w, x), perpendicular_part(w, y)
    return math.atan2(v.dot(w, v.cross(x, y)), v.dot(x, y))
