"""Shells in the shape of MuJoCo's geoms (`shellinertia`): their area, and their principal moments for a mass of 1."""

from __future__ import annotations

import math

_SKIN = 1e-6  # m: MuJoCo takes an ellipsoid's shell as this thick, and its area by Thomsen's formula
_THOMSEN = 1.6075

Moments = tuple[float, float, float]


def shell(kind: str, size: tuple[float, ...]) -> tuple[float, Moments]:
    """Of a geom's type and MuJoCo's size, which has half-lengths."""
    if kind == "sphere":
        r = size[0]
        return 4 * math.pi * r * r, (2 * r * r / 3,) * 3
    if kind == "box":
        return _box(*(2 * x for x in size))
    if kind == "ellipsoid":
        return _ellipsoid(size)
    radius, half = size
    return (_capsule if kind == "capsule" else _cylinder)(radius, half)


def _capsule(r: float, h: float) -> tuple[float, Moments]:
    caps, tube = 4 * math.pi * r * r, 4 * math.pi * r * h
    area = caps + tube
    a, b = caps / area, tube / area
    side = b * (6 * r * r + 4 * h * h) / 12 + a * (2 * r * r / 3 + h * h + h * r)  # half a sphere's centre is r/2 out
    return area, (side, side, b * r * r + a * 2 * r * r / 3)


def _cylinder(r: float, h: float) -> tuple[float, Moments]:
    discs, tube = 2 * math.pi * r * r, 4 * math.pi * r * h
    area = discs + tube
    a, b = discs / area, tube / area
    side = b * (6 * r * r + 4 * h * h) / 12 + a * (r * r / 4 + h * h)
    return area, (side, side, b * r * r + a * r * r / 2)


def _box(x: float, y: float, z: float) -> tuple[float, Moments]:
    areas = {(0, 1, 2): x * y, (1, 2, 0): y * z, (2, 0, 1): z * x}  # two sides, and the axis across
    total = sum(areas.values())
    lengths, squares = (x, y, z), [0.0, 0.0, 0.0]  # of the mean square of each coordinate
    for (i, j, k), area in areas.items():
        squares[i] += area / total * lengths[i] ** 2 / 12
        squares[j] += area / total * lengths[j] ** 2 / 12
        squares[k] += area / total * lengths[k] ** 2 / 4
    a, b, c = squares
    return 2 * total, (b + c, a + c, a + b)


def _ellipsoid(size: tuple[float, ...]) -> tuple[float, Moments]:
    a, b, c = size
    p = _THOMSEN
    area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
    inner, outer = a * b * c, (a + _SKIN) * (b + _SKIN) * (c + _SKIN)

    def square(x: float) -> float:
        return (outer * (x + _SKIN) ** 2 - inner * x * x) / (outer - inner) / 5

    return area, (square(b) + square(c), square(a) + square(c), square(a) + square(b))
