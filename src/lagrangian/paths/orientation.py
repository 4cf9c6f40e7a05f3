"""Orientations along a path: unit quaternions over s from 0 to 1, with angular velocity and acceleration by s, world's axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, shown
from lagrangian.model.rotation import quaternion
from lagrangian.paths.curves import Spline, Values


@dataclass(frozen=True, eq=False)
class Slerp:
    """The shortest turn from quaternion `a` to `b`, about one axis at one speed (Shoemake 1985)."""

    a: np.ndarray
    b: np.ndarray

    def __call__(self, s: np.ndarray) -> Values:
        turn = quaternion.logarithm(quaternion.product(self.b, quaternion.conjugate(self.a)))
        at = quaternion.product(quaternion.exponential(s[:, None] * turn), np.broadcast_to(self.a, (len(s), 4)))
        return at, np.broadcast_to(turn, (len(s), 3)), np.zeros((len(s), 3))


@dataclass(frozen=True, eq=False)
class Turning:
    """Through several orientations: a spline of their quaternions, brought to length one."""

    spline: Spline

    @property
    def knots(self) -> np.ndarray:
        return self.spline.knots

    @staticmethod
    def through(knots: np.ndarray, turns: np.ndarray, degree: int, ends: str) -> Turning:
        turns = turns.copy()
        for k in range(1, len(turns)):  # of the two quaternions of each, the nearer
            if turns[k] @ turns[k - 1] < 0:
                turns[k] = -turns[k]
        if ends == "periodic":
            if np.abs(np.abs(turns[0] @ turns[-1]) - 1) > 1e-9:
                raise ArgumentError(
                    "a periodic spline ends where it begins: its last orientation must be its first", concerns="orientation"
                )
            if turns[0] @ turns[-1] < 0:
                raise ArgumentError(
                    "the orientations make a whole turn, so a periodic spline cannot close them; use ends='clamped'",
                    concerns="orientation",
                )
            turns[-1] = turns[0]
        return Turning(Spline(knots, turns, degree, ends))

    def __call__(self, s: np.ndarray) -> Values:
        raw, slope, curve = self.spline(s)
        # u = raw / |raw|; of its derivatives only what is across u turns
        size = np.linalg.norm(raw, axis=1, keepdims=True)
        u = raw / size
        along = (u * slope).sum(axis=1, keepdims=True) / size
        du = slope / size - along * u
        ddu = curve / size - 2 * along * slope / size  # less what is along u, which turns nothing
        back = quaternion.conjugate(u)
        return u, 2 * quaternion.product(du, back)[:, 1:], 2 * quaternion.product(ddu, back)[:, 1:]


def quaternion_of(given: Any, where: str) -> np.ndarray:
    """From a 3x3 matrix, the turn of a 4x4 one, or four numbers (w, x, y, z)."""
    try:
        x = floats(given)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape == (4, 4):
        x = x[:3, :3]
    if not np.isfinite(x).all() or x.shape not in ((3, 3), (4,)):
        raise ArgumentError(
            f"{where} is {shown(given)}; a 3x3 rotation matrix, a 4x4 pose, or a quaternion (w, x, y, z) is needed"
        )
    if x.shape == (4,):
        if not np.linalg.norm(x) > 1e-12:
            raise ArgumentError(
                f"{where} is a quaternion of zeros, which is not a rotation; (1, 0, 0, 0) leaves the orientation unchanged"
            )
        return x / np.linalg.norm(x)
    if np.abs(x @ x.T - np.eye(3)).max() > 1e-6 or np.linalg.det(x) < 0:
        raise ArgumentError(f"{where} is not a rotation matrix: its columns must be perpendicular, of length one, right-handed")
    return quaternion.from_matrix(x)
