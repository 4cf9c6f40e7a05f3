"""The ground as one sees it: pedestals, plates and brackets where the first joints are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.links import hull
from lagrangian.viewer.scene.primitives import Mesh


def base(points: list[np.ndarray], up: np.ndarray, normal: np.ndarray | None, below: float, hangs: bool, r: float) -> list[Mesh]:
    """What holds the joints at these points of the world. `below` is the height of the floor, along up; `hangs` says that the
    mechanism is below its joints.
    """
    points = _once(points, r)
    if not points:
        return []
    if normal is not None and abs(float(normal @ up)) < 0.3:
        return _backing(points, normal, r)
    flat = hull(np.array(points)) if len(points) > 2 else None
    if flat is not None and abs(float(flat[1][:, 2] @ up)) > 0.95:
        return _table(flat, up, hangs, r)
    return [mesh for point in points for mesh in _pedestal(point, up, below, r)]


def _once(points: list[np.ndarray], r: float) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > r for other in kept):
            kept.append(point)
    return kept


def _backing(points: list[np.ndarray], normal: np.ndarray, r: float) -> list[Mesh]:
    """Behind a linkage in an upright plane: a boss for every pin, and a bar that joins them."""
    behind = [point - 2.6 * r * normal for point in points]
    turn = p.turn_z_to(normal)
    meshes = [p.cylinder(2.6 * r, 1.6 * r, 0.3 * r).moved(turn, point) for point in behind]
    order = sorted(range(len(points)), key=lambda k: tuple(np.round(points[k], 9)))
    for a, b in pairwise(order):
        meshes.append(p.bar(behind[a] - 0.2 * r * normal, behind[b] - 0.2 * r * normal, 0.75 * r, 0.75 * r))
    return meshes


def _table(flat: tuple[np.ndarray, np.ndarray, np.ndarray], up: np.ndarray, hangs: bool, r: float) -> list[Mesh]:
    """A plate under, or over, joints that stand around in a level plane."""
    outline, rotation, middle = flat
    reach = np.linalg.norm(outline, axis=1, keepdims=True)
    wider = outline * (1 + 3 * r / np.maximum(reach, 1e-12))
    off = up * (2.4 * r if hangs else -2.4 * r)
    return [p.plate(wider, 1.6 * r).moved(rotation, middle + off)]


def _pedestal(point: np.ndarray, up: np.ndarray, below: float, r: float) -> list[Mesh]:
    height = max(float(point @ up) - below, 2 * r)
    foot = point - height * up
    column = p.frustum(2.4 * r, 1.9 * r, height)
    plate = p.cylinder(4.5 * r, 0.8 * r, 0.2 * r).moved(np.eye(3), np.array([0, 0, 0.4 * r]))
    return [mesh.moved(p.turn_z_to(up), foot) for mesh in (column, plate)]
