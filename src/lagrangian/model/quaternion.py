"""Rotations as numbers: unit quaternions (w, x, y, z), matrices, rotation vectors; one, or arrays of them with these last."""

from __future__ import annotations

import math

import numpy as np


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


def matrix(q: np.ndarray) -> np.ndarray:
    """The rotation matrix; the quaternion's length does not matter."""
    w, v = q[..., 0, None, None], q[..., 1:]
    cross = skew(v)
    size = (q * q).sum(axis=-1)[..., None, None]
    turned: np.ndarray = np.eye(3) + 2 / size * (w * cross + cross @ cross)
    return turned


def from_matrix(R: np.ndarray) -> np.ndarray:
    """Of a rotation matrix, with w >= 0: by the largest of the four, which is never small (Shepperd 1978)."""
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
    """Of one rotation matrix: logarithm(from_matrix(R)), in a twentieth of the time."""
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
