"""The viewpoint from which a mechanism is looked at: its upward direction, its direction of view, and the size of the scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.mechanism import Mechanism
from lagrangian.viewer.scene.outline import ROTARY_LOOKS
from lagrangian.viewer.scene.scene import ScenePart

# evenly over the sphere, along a spiral
_K = np.arange(64) + 0.5
_Z, _TURN = 1 - _K / 32, np.pi * (1 + 5**0.5) * _K
_DIRECTIONS = np.stack([np.cos(_TURN) * np.sqrt(1 - _Z**2), np.sin(_TURN) * np.sqrt(1 - _Z**2), _Z], axis=1)


def up_direction(mechanism: Mechanism, normal: np.ndarray | None) -> np.ndarray:
    """The upward direction in a picture: against gravity; without any, z, or y for what moves in the x-y plane."""
    g = np.array(mechanism.gravity, dtype=float)
    if np.linalg.norm(g) > 0:
        return 0.0 - g / np.linalg.norm(g)
    if normal is not None and abs(normal[2]) > 0.9:
        return np.array([0.0, 1.0, 0.0])
    return np.array([0.0, 0.0, 1.0])


def motion_plane_normal(mechanism: Mechanism, poses: dict[str, np.ndarray]) -> np.ndarray | None:
    """The normal of the plane in which all of the mechanism moves; None if there is none. `poses` are (4, 4)."""
    turning, sliding = [], []
    for joint in mechanism.joints:
        if not joint.kind.nv:
            continue
        if not joint.axes:
            return None
        axis = poses[joint.parent][:3, :3] @ joint.placement.matrix()[:3, :3] @ np.array(joint.axis, dtype=float)
        if joint.kind.look in (*ROTARY_LOOKS, JointLook.PLANE):
            turning.append(axis)
        elif joint.kind.look is JointLook.SLIDE:
            sliding.append(axis)
        else:
            return None
    if turning:
        normal = turning[0]
    elif len(sliding) > 1:
        crossed = max((np.cross(a, b) for a in sliding for b in sliding), key=lambda x: float(np.linalg.norm(x)))
        if np.linalg.norm(crossed) > 1e-6:
            normal = crossed / np.linalg.norm(crossed)
        else:
            normal = _view_across(sliding[0])
    elif sliding:
        normal = _view_across(sliding[0])
    else:
        return None
    if any(abs(float(normal @ a)) < 1 - 1e-6 for a in turning) or any(abs(float(normal @ a)) > 1e-6 for a in sliding):
        return None
    return np.asarray(normal, dtype=float)


def _view_across(axis: np.ndarray) -> np.ndarray:
    """A view of a single slide: along -y if it can be, else along z."""
    for view in ((0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)):
        if abs(float(np.dot(view, axis))) < 0.5:
            n = np.array(view) - np.dot(view, axis) * axis
            return n / np.linalg.norm(n)
    return np.array([0.0, 0.0, 1.0])


def front_direction(up: np.ndarray, normal: np.ndarray | None) -> np.ndarray:
    """The level direction towards a camera in front: a planar upright mechanism has its face there, else x is to the right."""
    if normal is not None and abs(float(normal @ up)) < 0.3:
        face = normal - (normal @ up) * up
        face /= np.linalg.norm(face)
        right = np.cross(up, face)
        return np.asarray(-face if right[int(np.argmax(np.abs(right)))] < 0 else face)
    side = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = side - (side @ up) * up
    return np.cross(side / np.linalg.norm(side), up)


def view_direction(up: np.ndarray, normal: np.ndarray | None) -> np.ndarray:
    """The direction towards the camera: a planar upright mechanism is seen face on, a little from the side to show depth."""
    ahead = front_direction(up, normal)
    side = np.cross(up, ahead)
    if normal is not None and abs(float(normal @ up)) < 0.3:
        look = ahead + 0.30 * side + 0.24 * up
    elif normal is not None and abs(float(normal @ up)) > 0.9:
        look = 0.45 * side + 0.9 * ahead + 0.85 * up
    else:
        look = 0.75 * side + 1.0 * ahead + 0.55 * up
    return look / np.linalg.norm(look)


def outermost_points(parts: Sequence[ScenePart], poses: np.ndarray) -> np.ndarray:
    """The outermost points of all parts in the world, over all rows of poses: a view with these shows nearly all."""
    points = []
    for part in parts:
        ends = part.vertices[np.unique((part.vertices @ _DIRECTIONS.T).argmax(axis=0))].astype(float)
        T = poses[:, part.frame]
        points.append((ends @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]).reshape(-1, 3))
    return np.concatenate(points) if points else np.zeros((0, 3))


def box_corners(parts: Sequence[ScenePart], poses: np.ndarray) -> np.ndarray:
    """The corners of all parts' boxes over all rows of poses (rows, frames, 4, 4), in the world."""
    points = []
    for part in parts:
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        box = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        T = poses[:, part.frame]
        points.append((box @ T[:, :3, :3].transpose(0, 2, 1) + T[:, None, :3, 3]).reshape(-1, 3))
    return np.concatenate(points) if points else np.zeros((0, 3))
