"""A track made by hand: a box that slides and turns, a rod and a spring to it, a force and a torque on it."""

from __future__ import annotations

import numpy as np

from lagrangian.viewer.scene.scene import Arrows, Scene, ScenePart, Strut, Track

CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def box(name: str, frame: int, half: tuple[float, float, float], color: tuple[float, float, float]) -> ScenePart:
    points = CORNERS[SIDES] * half
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    faces = np.concatenate([[(4 * k, 4 * k + 1, 4 * k + 2), (4 * k, 4 * k + 2, 4 * k + 3)] for k in range(6)])
    return ScenePart(
        name, frame, points.reshape(-1, 3).astype("f4"), np.repeat(normals, 4, axis=0).astype("f4"), faces.astype("i4"), color
    )


def slider(rows: int = 61, name: str = "slider", duration: float = 2.0) -> Track:
    """The box goes from x = -0.4 to 0.4 m and turns by half a turn about z, with constant speed."""
    scene = Scene(
        name,
        ("ground", "box"),
        1,
        (box("base", 0, (0.5, 0.1, 0.02), (0.6, 0.62, 0.65)), box("body", 1, (0.1, 0.05, 0.05), (0.0, 0.45, 0.7))),
        (
            Strut("rod", "rod", 0, (-0.5, 0, 0.4), 1, (0, 0, 0), 0.01, (0.3, 0.3, 0.3)),
            Strut("spring", "spring", 0, (0.5, 0, 0.4), 1, (0, 0, 0), 0.03, (0.9, 0.6, 0.0)),
        ),
        1.0,
        (0.0, 0.0, 0.2),
        (0.0, 0.0, 1.0),
        (0.4, -0.8, 0.4472136),
        0.0,
    )
    t = np.linspace(0, duration, rows) if rows > 1 else np.zeros(1)
    part = t / duration
    positions = np.zeros((rows, 2, 3))
    positions[:, 1] = np.stack([0.8 * part - 0.4, 0 * part, 0.2 + 0 * part], axis=1)
    quaternions = np.zeros((rows, 2, 4))
    quaternions[:, 0, 0] = 1
    quaternions[:, 1, 0], quaternions[:, 1, 3] = np.cos(np.pi / 2 * part), np.sin(np.pi / 2 * part)
    up = np.tile((0.0, 0.0, 10.0), (rows, 1))
    arrows = (
        Arrows("weight", "reactions", "N", positions[:, 1], up, 0.03),
        Arrows("motor", "torques", "N m", positions[:, 1], up, 0.02),
    )
    return Track(scene, t, positions, quaternions, arrows, (1,))


def chain(links: int) -> Track:
    """Boxes in a line from x = -0.5 to 0.5 m, that rises by 0.2 m in a second."""
    long = 1 / links
    names = ("ground", *(f"l{k}" for k in range(links)))
    parts = tuple(box(name, k, (0.4 * long, 0.01, 0.01), (0.0, 0.45, 0.7)) for k, name in enumerate(names) if k)
    scene = Scene("chain", names, links, parts, (), 1.0, (0.0, 0.0, 0.2), (0.0, 0.0, 1.0), (0.4, -0.8, 0.4472136), 0.0)
    t = np.linspace(0, 1, 31)
    positions = np.zeros((31, links + 1, 3))
    positions[:, 1:, 0] = (np.arange(links) + 0.5) * long - 0.5
    positions[:, 1:, 2] = 0.2 + 0.2 * t[:, None]
    quaternions = np.zeros((31, links + 1, 4))
    quaternions[..., 0] = 1
    return Track(scene, t, positions, quaternions)
