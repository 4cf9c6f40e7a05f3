"""The meshes that MuJoCo makes itself (`builtin`), with the vertices that it gives them, in single precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lagrangian.description.meshes.file import Triangles

_GOLDEN = (1 + math.sqrt(5)) / 2
_MOST = 500  # the finest that is made


def made(kind: str, parameters: list[float]) -> Triangles:
    """The triangles of a built-in mesh; a ValueError says what is wrong with its parameters. Without faces it is its hull."""
    makers: dict[str, tuple[Callable[..., Triangles], int]] = {
        "sphere": (_sphere, 1),
        "supersphere": (_supersphere, 3),
        "supertorus": (_supertorus, 4),
        "cone": (_cone, 2),
    }
    if kind not in makers:
        raise ValueError(f"the inertia of a builtin {kind} is not computed; give the body an <inertial>")
    maker, count = makers[kind]
    if len(parameters) != count:
        raise ValueError(f"a builtin {kind} needs {count} params, got {len(parameters)}")
    if not 0 <= parameters[0] <= (4 if kind == "sphere" else _MOST) or not all(0 <= x < math.inf for x in parameters):
        raise ValueError(f"params {parameters} of a builtin {kind} are too large or negative")
    return maker(int(parameters[0]), *parameters[1:])


def _sphere(divisions: int) -> Triangles:
    """An icosahedron, each of its triangles divided into four again and again."""
    one, phi = np.float32(1), np.float32(_GOLDEN)
    square = np.array([(-one, phi), (one, phi), (-one, -phi), (one, -phi)], dtype=np.float32)
    zero = np.zeros(4, dtype=np.float32)
    x, y = square.T
    points = np.concatenate([np.stack(p, axis=1) for p in ((x, y, zero), (zero, x, y), (y, zero, x))])
    points = (points / np.linalg.norm(points[0].astype(float))).astype(np.float32)
    # the faces are those of the hull, which has no others
    corners = _icosahedron(points.astype(float))
    for _ in range(divisions):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = _middle(a, b), _middle(b, c), _middle(c, a)
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def _icosahedron(points: np.ndarray) -> np.ndarray:
    """The twenty triangles of three neighbours each, outwards."""
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 1.1
    faces = [
        (i, j, k) if np.linalg.det(points[[i, j, k]]) > 0 else (i, k, j)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if near[i, j] and near[j, k] and near[i, k]
    ]
    return points.astype(np.float32)[np.array(faces)]


def _middle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """On the sphere, half way between two points."""
    m = (a + b) / np.float32(2)
    x, y, z = m.T
    return m / np.sqrt(x * x + y * y + z * z)[:, None]


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    return np.copysign(np.abs(x) ** exponent, x)


def _supersphere(count: int, e: float, n: float) -> Triangles:
    if count < 3:
        raise ValueError("a supersphere has at least 3 vertices around")
    v = (-math.pi / 2 + np.arange(1, count) * math.pi / count)[:, None]
    u = (-math.pi + np.arange(count) * 2 * math.pi / count)[None]
    ring, up = _power(np.cos(v), n), _power(np.sin(v), n)
    sides = np.broadcast_arrays(ring * _power(np.cos(u), e), ring * _power(np.sin(u), e), up)
    points = np.concatenate([[(0, 0, -1)], np.stack(sides, axis=2).reshape(-1, 3), [(0, 0, 1)]])
    top, last = len(points) - 1, 1 + (count - 2) * count
    faces = []
    for j in range(count):
        k = (j + 1) % count
        faces += [(0, 1 + k, 1 + j), (last + j, last + k, top)]
        for i in range(count - 2):
            low = 1 + i * count
            faces += [(low + j, low + k, low + count + j), (low + k, low + count + k, low + count + j)]
    return points, np.array(faces)


def _supertorus(count: int, radius: float, s: float, t: float) -> Triangles:
    if count < 3 or not 0 < radius <= 1 or s == 0 or t == 0:
        raise ValueError("a supertorus has at least 3 vertices around, a radius of at most 1, and positive exponents")
    u, v = np.meshgrid(*(2 * math.pi * np.arange(count) / count,) * 2, indexing="ij")
    ring = 1 + radius * _power(np.cos(v), s)
    sides = (ring * _power(np.cos(u), t), ring * _power(np.sin(u), t), radius * _power(np.sin(v), s))
    i, j = (x.ravel() for x in np.meshgrid(*(np.arange(count),) * 2, indexing="ij"))
    k, m = (i + 1) % count, (j + 1) % count
    a, b, c, d = i * count + j, k * count + j, k * count + m, i * count + m
    faces = np.concatenate([np.stack((a, b, d), axis=1), np.stack((b, c, d), axis=1)])
    return np.stack(sides, axis=2).reshape(-1, 3), faces


def _cone(count: int, radius: float) -> Triangles:
    angles = 2 * np.arange(count) * math.pi / max(count, 1)
    bottom = np.stack((np.cos(angles), np.sin(angles), -np.ones(count)), axis=1)
    top = bottom * (radius, radius, -1) if radius > 0 else np.array([(0.0, 0.0, 1.0)])
    return np.concatenate([bottom, top]), np.zeros((0, 3), dtype=int)
