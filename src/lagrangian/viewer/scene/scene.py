"""The scene of a mechanism: meshes that its bodies carry, struts between them, and how all of it moves.

All who draw it share this description: the offline page, the live viewer, and the renderer of pictures and films.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Colour = tuple[float, float, float]  # red, green, blue, each 0 to 1


@dataclass(frozen=True, eq=False)
class ScenePart:
    """A triangle mesh fixed to a frame."""

    name: str
    frame: int  # its row in Scene.frames
    vertices: np.ndarray  # (n, 3) float32, m, in the frame
    normals: np.ndarray  # (n, 3) float32, unit, outward
    faces: np.ndarray  # (m, 3) int32, counter-clockwise seen from outside
    color: Colour
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Strut:
    """A rod, spring or rope between two points that move with their frames."""

    name: str
    kind: str  # "rod" or "spring"
    a: int
    a_point: tuple[float, float, float]
    b: int
    b_point: tuple[float, float, float]
    radius: float
    color: Colour


@dataclass(frozen=True, eq=False)
class Scene:
    """A mechanism as it looks. `frames` are the ground, the bodies in the mechanism's order, then its named frames."""

    name: str
    frames: tuple[str, ...]
    bodies: int  # how many of the frames, from row 1 on, are bodies
    parts: tuple[ScenePart, ...]
    struts: tuple[Strut, ...]
    size: float  # m, a length that spans the mechanism: what axes, arrows and the camera's distance are measured by
    center: tuple[float, float, float]  # what the camera looks at
    up: tuple[float, float, float]  # against gravity
    view_direction: tuple[float, float, float]  # unit, from the centre to the camera: a planar mechanism is seen face on
    floor: float  # along `up`, where a grid is drawn
    front: tuple[float, float, float] = (0.0, -1.0, 0.0)  # unit, level, from the centre to a camera in front


@dataclass(frozen=True, eq=False)
class Arrows:
    """A force or a torque over time, drawn at a point that moves."""

    name: str  # such as "reaction of elbow"
    group: str  # "torques", "reactions", "constraints" or "wrenches": shown and hidden together
    unit: str  # "N" or "N m"
    points: np.ndarray  # (rows, 3) m, world
    vectors: np.ndarray  # (rows, 3) in the unit, along the world's axes
    scale: float  # m per unit: one for each group and unit, so that lengths can be compared


@dataclass(frozen=True, eq=False)
class Track:
    """Where every frame of the scene is over time, and the forces. A still picture is a track of one row."""

    scene: Scene
    t: np.ndarray  # (rows,) s
    positions: np.ndarray  # (rows, frames, 3) m, world
    quaternions: np.ndarray  # (rows, frames, 4), (w, x, y, z), of a continuous sign
    arrows: tuple[Arrows, ...] = ()
    traces: tuple[int, ...] = field(default=())  # frames whose path is drawn
