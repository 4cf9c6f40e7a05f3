"""A perspective camera that takes all of a scene in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.viewer.render.view import View
from lagrangian.viewer.scene.framing import outermost
from lagrangian.viewer.scene.scene import Track

FILLED = 0.92  # of the picture


@dataclass(frozen=True, eq=False)
class Camera:
    """At `eye`, its axes (right, up, backward) in the rows of `axes`; `focal` is in pixels."""

    eye: np.ndarray
    axes: np.ndarray
    focal: float
    width: int
    height: int

    def seen(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where points are in the picture, x to the right and y down in pixels, and how deep."""
        local = (points - self.eye) @ self.axes.T
        depth = -local[..., 2]
        scale = self.focal / np.where(np.abs(depth) > 1e-30, depth, 1e-30)
        return self.width / 2 + scale * local[..., 0], self.height / 2 - scale * local[..., 1], depth

    def finer(self, factor: float) -> Camera:
        """The same view with more pixels."""
        return Camera(self.eye, self.axes, self.focal * factor, round(self.width * factor), round(self.height * factor))


def camera_of(track: Track, width: int, height: int, view: View | None = None) -> Camera:
    """As the scene wants to be looked at, or as is said, as near as all of it stays in the picture throughout."""
    view = view or View()
    axes = view.axes(track.scene)
    points = _extent(track)
    local = points @ axes.T
    focal = min(width, height) / 2 / math.tan(math.radians(view.field) / 2)
    sides = FILLED * np.array([width, height]) / 2 / focal
    middle = (local.min(axis=0) + local.max(axis=0)) / 2
    distance = 0.0
    for _ in range(20):  # what is near looks larger, and moves the middle
        off = local - middle
        distance = float((np.abs(off[:, :2]) / sides + off[:, 2:]).max())
        flat = off[:, :2] / (distance - off[:, 2:])
        middle[:2] += (flat.min(axis=0) + flat.max(axis=0)) / 2 * distance
    distance = max(distance, 1e-6)
    if view.target is not None:
        middle[:2] = (axes @ np.array(view.target))[:2]
    return Camera(axes.T @ (middle + np.array([0, 0, distance])), axes, view.zoom * focal, width, height)


def _extent(track: Track) -> np.ndarray:
    from lagrangian.model.rotation import quaternion

    every = max(1, len(track.t) // max(8, min(100, 10_000 // max(1, len(track.scene.parts)))))
    T = np.zeros((*track.positions[::every].shape[:2], 4, 4))
    T[..., :3, :3] = quaternion.matrix(track.quaternions[::every])
    T[..., :3, 3] = track.positions[::every]
    points = outermost(track.scene.parts, T)
    if not len(points):
        points = np.array(track.scene.center) + track.scene.size * np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
    return points
