"""Faces of an OBJ file cut into triangles the way MuJoCo's loader, tinyobjloader, cuts them.

A face of a real mesh is seldom flat, and then the volume depends on where it is cut. So the loader's rules hold here, and its
single precision, also where they are odd: whether a corner is an ear is decided by a product that depends on where the origin
is, and what is left of a polygon in which no ear is found is dropped.
"""

from __future__ import annotations

import numpy as np

_EPSILON = float(np.finfo(np.float32).eps)
_MOST = 500  # corners of a face


def triangles(face: list[int], points: np.ndarray) -> list[list[int]]:
    """The triangles of a face; `points` are of single precision."""
    if len(face) < 3:
        return []
    if len(face) == 3:
        return [face]
    if len(face) > _MOST:
        raise ValueError(f"a face has {len(face)} corners; at most {_MOST} are supported")
    if len(face) == 4:
        return _shorter_diagonal(face, points)
    flat = points[:, _axes(face, points)]
    left, made = list(face), []
    at, before, tries = 0, len(face), len(face)
    while len(left) > 3 and tries > 0:
        # an ear that is found by the last try of all is the last one: the tries are counted anew at the next
        tries, before = (tries - 1 if before == len(left) else len(left)), len(left)
        at %= len(left)
        ear = [left[(at + k) % len(left)] for k in range(3)]
        others = [left[(at + k) % len(left)] for k in range(3, len(left))]
        if _is_ear(flat[ear], flat[others]):
            made.append(ear)
            del left[(at + 1) % len(left)]
        else:
            at += 1
    return [*made, left] if len(left) == 3 else made


def _shorter_diagonal(face: list[int], points: np.ndarray) -> list[list[int]]:
    a, b, c, d = face
    first, second = points[c] - points[a], points[d] - points[b]
    if _square(first) < _square(second):
        return [[a, b, c], [a, c, d]]
    return [[a, b, d], [b, c, d]]


def _square(x: np.ndarray) -> np.floating:
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]


def _axes(face: list[int], points: np.ndarray) -> list[int]:
    """The two axes of the plane onto which the face is seen, by the first corner that is not straight."""
    for k in range(len(face)):
        a, b, c = (points[face[(k + j) % len(face)]] for j in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > _EPSILON:
            if x > y and x > z:
                return [1, 2]
            return [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _is_ear(corner: np.ndarray, others: np.ndarray) -> bool:
    (ax, ay), (bx, by), (cx, cy) = corner
    turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    if turn * ((ax * by - ay * bx) * np.float32(0.5)) < 0:
        return False
    return not _inside(corner, others[:, 0], others[:, 1]).any()


def _inside(corner: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of each point, whether a ray from it crosses the outline an odd number of times."""
    odd = np.zeros(len(x), dtype=bool)
    for k in range(3):
        (ax, ay), (bx, by) = corner[k], corner[k - 1]
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd
