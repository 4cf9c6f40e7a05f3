"""Rotations as numbers: unit quaternions (w, x, y, z), matrices, rotation vectors; one, or arrays of them with these last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The turn b, then the turn a."""
    w = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(axis=-1, keepdims=True)
    return np.concatenate([w, a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])], axis=-1)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The turn back."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def exponential(w: np.ndarray) -> np.ndarray:
    """The turn by a rotation vector: about its direction, by its length."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * w], axis=-1)


def logarithm(q: np.ndarray) -> np.ndarray:
    """The rotation vector of a turn, at most half a turn long."""
    q = np.where(q[..., :1] < 0, -q, q)
    length = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, q[..., :1])
    return np.where(length > 1e-150, angle / np.where(length > 1e-150, length, 1.0), 2.0) * q[..., 1:]


def shortest_rotation_vector(q: Sequence[Any]) -> tuple[Any, ...]:
    """`logarithm` over any scalar, of a quaternion that need not be of length one. Where it is half a turn, it jumps."""
    w, x, y, z = q
    # below the square root of rounding the length of (x, y, z) does not count: angle and length have the ratio 2 / w there
    length = f.sqrt(f.maximum(x * x + y * y + z * z, 1e-30))
    factor = 2 * f.atan2(length, f.absolute(w)) / length
    factor = f.choose(w, 0.0, -factor, factor)
    return factor * x, factor * y, factor * z


def rotation(q: Sequence[Any]) -> v.Matrix:
    """The rotation of a quaternion, which need not be of length one. Over any scalar, arrays included."""
    w, x, y, z = q
    k = 1 / (w * w + x * x + y * y + z * z)
    # with u = k (x, y, z) every entry of the unit-quaternion formula is linear in u
    ux, uy, uz = k * x, k * y, k * z
    return (
        (1 - 2 * (uy * y + uz * z), 2 * (ux * y - uz * w), 2 * (ux * z + uy * w)),
        (2 * (ux * y + uz * w), 1 - 2 * (ux * x + uz * z), 2 * (uy * z - ux * w)),
        (2 * (ux * z - uy * w), 2 * (uy * z + ux * w), 1 - 2 * (ux * x + uy * y)),
    )


def rate(q: Sequence[Any], w: Sequence[Any]) -> list[Any]:
    """q' = q (0, w) / 2, w the angular velocity along the turned axes. Over any scalar."""
    a, x, y, z = q
    p, r, s = (0.5 * c for c in w)
    return [-(x * p + y * r + z * s), a * p + y * s - z * r, a * r + z * p - x * s, a * s + x * r - y * p]


def matrix(q: np.ndarray) -> np.ndarray:
    """The rotation matrices (..., 3, 3) of quaternions (..., 4); their length does not matter."""
    rows = rotation(tuple(np.moveaxis(np.asarray(q, dtype=float), -1, 0)))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(R: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation matrix, with w >= 0.

    It is computed from the largest of its four numbers, which is never small (Shepperd 1978).
    """
    R = np.asarray(R, dtype=float)
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1], R[..., 0, 2], R[..., 1, 0]
    d, e, f = R[..., 1, 2], R[..., 2, 0], R[..., 0, 1]
    forms = np.stack(
        [
            np.stack([1 + xx + yy + zz, a - d, b - e, c - f], axis=-1),
            np.stack([a - d, 1 + xx - yy - zz, f + c, b + e], axis=-1),
            np.stack([b - e, f + c, 1 - xx + yy - zz, d + a], axis=-1),
            np.stack([c - f, b + e, d + a, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.stack([forms[..., k, k] for k in range(4)], axis=-1), axis=-1)
    q = np.take_along_axis(forms, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0, -q, q)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """The rotation vector of one rotation matrix: the same as logarithm(from_matrix(R)), in a twentieth of the time."""
    v = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = math.sqrt(v @ v), 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1)
    if sine > 1e-6:
        return v * (math.atan2(sine, cosine) / sine)
    return v if cosine > 0 else logarithm(from_matrix(R))  # near half a turn the axis is not in v


def skew(v: np.ndarray) -> np.ndarray:
    """The matrix of v x."""
    zero = np.zeros_like(v[..., 0])
    rows = [[zero, -v[..., 2], v[..., 1]], [v[..., 2], zero, -v[..., 0]], [-v[..., 1], v[..., 0], zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
