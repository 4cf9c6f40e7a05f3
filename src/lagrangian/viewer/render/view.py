"""From where a picture is taken, as people say it: from the front, from above, or by two angles; how near, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, is_number, one_of, shown
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
FAR = 6.0  # degrees, the field of view of the named ones: from far away, nearly as in a drawing
ZOOM = (0.01, 100.0)


@dataclass(frozen=True)
class View:
    """`direction` has the azimuth, from the front counter-clockwise about what is up, and the elevation above the level, in
    degrees; None is as the scene wants to be looked at. `target` is in the middle of the picture, if it is said.
    """

    direction: tuple[float, float] | None = None
    zoom: float = 1.0
    target: tuple[float, float, float] | None = None
    field: float = 30.0  # of view in degrees, along the shorter side

    def axes(self, scene: Scene) -> np.ndarray:
        """Right, up and towards the camera, as rows."""
        up, front = (np.array(x, dtype=float) for x in (scene.up, scene.front))
        if self.direction is None:
            back = np.array(scene.look, dtype=float)
            right = np.cross(up, back)
            right /= np.linalg.norm(right)
            return np.stack([right, np.cross(back, right), back])
        azimuth, elevation = np.radians(self.direction)
        side = np.cross(up, front)
        level = np.cos(azimuth) * front + np.sin(azimuth) * side
        back = np.cos(elevation) * level + np.sin(elevation) * up
        right = np.cos(azimuth) * side - np.sin(azimuth) * front
        return np.stack([right, np.cross(back, right), back])


def view_of(track: Track, view: Any = None, zoom: Any = 1.0, target: Any = None) -> View:
    """As it is given, checked: a name or two angles; a factor; a point, or the name of a frame or body."""
    if not is_number(zoom) or not ZOOM[0] <= zoom <= ZOOM[1]:
        raise ArgumentError(
            f"is {shown(zoom)}",
            argument="zoom",
            remedy=f"a factor from {ZOOM[0]:g} to {ZOOM[1]:g} is needed; 2 draws everything twice as large",
        )
    field = FAR if isinstance(view, str) else View.field
    return View(_direction(view), float(zoom), _target(track, target), field)


def _direction(view: Any) -> tuple[float, float] | None:
    if view is None:
        return None
    if isinstance(view, str):
        if view not in VIEWS:
            raise ArgumentError(one_of("view", view, VIEWS), concerns="view")
        return VIEWS[view]
    angles = _numbers(view, 2)
    if angles is None:
        raise ArgumentError(
            f"is {shown(view)}",
            argument="view",
            remedy=f"a name ({', '.join(VIEWS)}), or azimuth and elevation in degrees are needed, such as (30, 20)",
        )
    if abs(angles[1]) > 90:
        raise ArgumentError(f"has an elevation of {angles[1]:g} degrees", argument="view", remedy="it must be from -90 to 90")
    return angles[0], angles[1]


def _target(track: Track, target: Any) -> tuple[float, float, float] | None:
    if target is None:
        return None
    if isinstance(target, str):
        frames = track.scene.frames
        if target not in frames:
            raise ArgumentError(one_of("frame or body", target, frames), concerns="target")
        x, y, z = track.positions[0, frames.index(target)].tolist()
        return x, y, z
    point = _numbers(target, 3)
    if point is None:
        raise ArgumentError(
            f"is {shown(target)}", argument="target", remedy="a point in metres, or the name of a frame or body is needed"
        )
    return point[0], point[1], point[2]


def _numbers(given: Any, count: int) -> list[float] | None:
    """So many numbers; None if they are not."""
    try:
        found = list(given)
    except TypeError:
        return None
    return [float(x) for x in found] if len(found) == count and all(map(is_number, found)) else None
