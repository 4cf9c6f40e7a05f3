"""Triangles of the polygons in OBJ files, cut as MuJoCo's loader, tinyobjloader, cuts them.

A face of a real mesh is seldom flat, and then the volume depends on where it is cut. So the loader's rules hold here, with its
single precision, even where they are odd. Whether a corner is an ear is decided by a product that depends on the origin of the
coordinates. The rest of a polygon in which no ear is found is dropped.
"""

from __future__ import annotations

import numpy as np

_EPSILON = float(np.finfo(np.float32).eps)
_MAX_CORNERS = 500  # of a face


def triangulate(face: list[int], points: np.ndarray) -> list[list[int]]:
    """The triangles of a face; `points` are of single precision."""
    if len(face) < 3:
        return []
    if len(face) == 3:
        return [face]
    if len(face) > _MAX_CORNERS:
        raise ValueError(f"a face has {len(face)} corners; at most {_MAX_CORNERS} are supported")
    if len(face) == 4:
        return _split_quadrilateral(face, points)
    plane_points = points[:, _projection_axes(face, points)]
    remaining, ears = list(face), []
    position, previous_count, tries = 0, len(face), len(face)
    while len(remaining) > 3 and tries > 0:
        # tries are counted anew after each ear, but only in the next round: an ear found by the last try is the last one
        tries, previous_count = (tries - 1 if previous_count == len(remaining) else len(remaining)), len(remaining)
        position %= len(remaining)
        ear = [remaining[(position + k) % len(remaining)] for k in range(3)]
        other_corners = [remaining[(position + k) % len(remaining)] for k in range(3, len(remaining))]
        if _is_ear(plane_points[ear], plane_points[other_corners]):
            ears.append(ear)
            del remaining[(position + 1) % len(remaining)]
        else:
            position += 1
    return [*ears, remaining] if len(remaining) == 3 else ears


def _split_quadrilateral(face: list[int], points: np.ndarray) -> list[list[int]]:
    """The two triangles on both sides of the shorter diagonal."""
    a, b, c, d = face
    first, second = points[c] - points[a], points[d] - points[b]
    if _squared_length(first) < _squared_length(second):
        return [[a, b, c], [a, c, d]]
    return [[a, b, d], [b, c, d]]


def _squared_length(x: np.ndarray) -> np.floating:
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]


def _projection_axes(face: list[int], points: np.ndarray) -> list[int]:
    """The two axes of the plane onto which the face is projected, by the first corner that is not straight."""
    for k in range(len(face)):
        a, b, c = (points[face[(k + j) % len(face)]] for j in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > _EPSILON:
            if x > y and x > z:
                return [1, 2]
            return [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _is_ear(corner: np.ndarray, other_points: np.ndarray) -> bool:
    """Whether the triangle of a corner is cut off: the corner is convex, and no other point is inside."""
    (ax, ay), (bx, by), (cx, cy) = corner
    turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    if turn * ((ax * by - ay * bx) * np.float32(0.5)) < 0:
        return False
    return not _are_inside(corner, other_points[:, 0], other_points[:, 1]).any()


def _are_inside(corner: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """For each point, whether a ray from it crosses the outline an odd number of times."""
    odd = np.zeros(len(x), dtype=bool)
    for k in range(3):
        (ax, ay), (bx, by) = corner[k], corner[k - 1]
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd
