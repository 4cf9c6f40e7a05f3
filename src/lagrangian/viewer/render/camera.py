"""The camera of a picture, and the view that a user asks for: a named side or two angles, how near, and of what."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, format_value, is_number, unknown_name_message
from lagrangian.viewer.scene.framing import outermost_points
from lagrangian.viewer.scene.scene import Scene, Track

# azimuth and elevation in degrees
VIEWS: dict[str, tuple[float, float]] = {
    "front": (0.0, 0.0),
    "right": (90.0, 0.0),
    "back": (180.0, 0.0),
    "left": (-90.0, 0.0),
    "top": (0.0, 90.0),
    "bottom": (0.0, -90.0),
}
NAMED_VIEW_FIELD = 6.0  # degrees, the field of named views: they are taken from far away, nearly as in a drawing
ZOOM_RANGE = (0.01, 100.0)
FILL_SHARE = 0.92  # of the picture that the scene fills


@dataclass(frozen=True, eq=False)
class Camera:
    """A perspective camera at `eye`; the rows of `axes` are right, up and backward, and `focal` is in pixels."""

    eye: np.ndarray
    axes: np.ndarray
    focal: float
    width: int
    height: int

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The points in the picture, x to the right and y down in pixels, and their depths."""
        local = (points - self.eye) @ self.axes.T
        depth = -local[..., 2]
        scale = self.focal / np.where(np.abs(depth) > 1e-30, depth, 1e-30)
        return self.width / 2 + scale * local[..., 0], self.height / 2 - scale * local[..., 1], depth

    def with_more_pixels(self, factor: float) -> Camera:
        """The same view with more pixels."""
        return Camera(self.eye, self.axes, self.focal * factor, round(self.width * factor), round(self.height * factor))


def camera_for_track(track: Track, width: int, height: int, view: CameraView | None = None) -> Camera:
    """The camera for a view, else for the view of the scene, as near as all of the track stays in the picture."""
    view = view or CameraView()
    axes = view.axes(track.scene)
    points = _extent_points(track)
    local = points @ axes.T
    focal = min(width, height) / 2 / math.tan(math.radians(view.field) / 2)
    sides = FILL_SHARE * np.array([width, height]) / 2 / focal
    middle = (local.min(axis=0) + local.max(axis=0)) / 2
    distance = 0.0
    for _ in range(20):  # near parts look larger, and move the middle
        offsets = local - middle
        distance = float((np.abs(offsets[:, :2]) / sides + offsets[:, 2:]).max())
        flat = offsets[:, :2] / (distance - offsets[:, 2:])
        middle[:2] += (flat.min(axis=0) + flat.max(axis=0)) / 2 * distance
    distance = max(distance, 1e-6)
    if view.target is not None:
        middle[:2] = (axes @ np.array(view.target))[:2]
    return Camera(axes.T @ (middle + np.array([0, 0, distance])), axes, view.zoom * focal, width, height)


def _extent_points(track: Track) -> np.ndarray:
    from lagrangian.model.rotation import quaternion

    every = max(1, len(track.t) // max(8, min(100, 10_000 // max(1, len(track.scene.parts)))))
    T = np.zeros((*track.positions[::every].shape[:2], 4, 4))
    T[..., :3, :3] = quaternion.matrix(track.quaternions[::every])
    T[..., :3, 3] = track.positions[::every]
    points = outermost_points(track.scene.parts, T)
    if not len(points):
        points = np.array(track.scene.center) + track.scene.size * np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
    return points


@dataclass(frozen=True)
class CameraView:
    """The direction and the point from which a picture is taken, and how large it shows the scene.

    `direction` has the azimuth, counter-clockwise about `up` from the front, and the elevation above the level, in degrees;
    None is the view of the scene. `target` is in the middle of the picture, if there is one.
    """

    direction: tuple[float, float] | None = None
    zoom: float = 1.0
    target: tuple[float, float, float] | None = None
    field: float = 30.0  # of view in degrees, along the shorter side

    def axes(self, scene: Scene) -> np.ndarray:
        """Right, up and towards the camera, as rows."""
        up, front = (np.array(x, dtype=float) for x in (scene.up, scene.front))
        if self.direction is None:
            back = np.array(scene.view_direction, dtype=float)
            right = np.cross(up, back)
            right /= np.linalg.norm(right)
            return np.stack([right, np.cross(back, right), back])
        azimuth, elevation = np.radians(self.direction)
        side = np.cross(up, front)
        level = np.cos(azimuth) * front + np.sin(azimuth) * side
        back = np.cos(elevation) * level + np.sin(elevation) * up
        right = np.cos(azimuth) * side - np.sin(azimuth) * front
        return np.stack([right, np.cross(back, right), back])


def read_view(track: Track, view: Any = None, zoom: Any = 1.0, target: Any = None) -> CameraView:
    """Check a view that a user asks for: a name or two angles, a factor, and a point or the name of a frame or body."""
    if not is_number(zoom) or not ZOOM_RANGE[0] <= zoom <= ZOOM_RANGE[1]:
        raise ArgumentError(
            f"is {format_value(zoom)}",
            argument="zoom",
            remedy=f"a factor from {ZOOM_RANGE[0]:g} to {ZOOM_RANGE[1]:g} is needed; 2 draws everything twice as large",
        )
    field = NAMED_VIEW_FIELD if isinstance(view, str) else CameraView.field
    return CameraView(_read_direction(view), float(zoom), _read_target(track, target), field)


def _read_direction(view: Any) -> tuple[float, float] | None:
    if view is None:
        return None
    if isinstance(view, str):
        if view not in VIEWS:
            raise ArgumentError(unknown_name_message("view", view, VIEWS), concerns="view")
        return VIEWS[view]
    angles = _read_numbers(view, 2)
    if angles is None:
        raise ArgumentError(
            f"is {format_value(view)}",
            argument="view",
            remedy=f"a name ({', '.join(VIEWS)}), or azimuth and elevation in degrees are needed, such as (30, 20)",
        )
    if abs(angles[1]) > 90:
        raise ArgumentError(f"has an elevation of {angles[1]:g} degrees", argument="view", remedy="it must be from -90 to 90")
    return angles[0], angles[1]


def _read_target(track: Track, target: Any) -> tuple[float, float, float] | None:
    if target is None:
        return None
    if isinstance(target, str):
        frames = track.scene.frames
        if target not in frames:
            raise ArgumentError(unknown_name_message("frame or body", target, frames), concerns="target")
        x, y, z = track.positions[0, frames.index(target)].tolist()
        return x, y, z
    point = _read_numbers(target, 3)
    if point is None:
        raise ArgumentError(
            f"is {format_value(target)}", argument="target", remedy="a point in metres, or the name of a frame or body is needed"
        )
    return point[0], point[1], point[2]


def _read_numbers(values: Any, count: int) -> list[float] | None:
    """The values as so many numbers; None if they are not."""
    try:
        items = list(values)
    except TypeError:
        return None
    return [float(x) for x in items] if len(items) == count and all(map(is_number, items)) else None
