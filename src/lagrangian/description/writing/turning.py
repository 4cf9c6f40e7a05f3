"""Rotations as files have them: roll, pitch and yaw, or quaternions, to the last bits of the matrix."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.placement import Placement
from lagrangian.model.rotation import quaternion

_QUARTER = math.pi / 2
_DIGITS = 12


def rpy(R: v.Matrix) -> tuple[float, float, float]:
    """Angles about the fixed x, y, z axes. The yaw fits the roll, so that nothing is lost where the pitch is upright."""
    r = [[float(x) for x in row] for row in R]
    pitch = math.atan2(-r[2][0], math.hypot(r[0][0], r[1][0]))
    roll = math.atan2(r[2][1], r[2][2])
    s, c = math.sin(roll), math.cos(roll)
    yaw = math.atan2(s * r[0][2] - c * r[0][1], c * r[1][1] - s * r[1][2])
    found = (_near(roll), _near(pitch), _near(yaw))
    short = tuple(round(angle, _DIGITS) for angle in found)  # as it was written, if it gives the very same matrix
    return short if Placement.from_rpy(rpy=short).rotation == R else found  # type: ignore[return-value]


def _near(angle: float) -> float:
    """A quarter of a turn where rounding has left it a little off."""
    turns = round(angle / _QUARTER)
    return turns * _QUARTER if abs(angle - turns * _QUARTER) < 1e-15 else angle


def wxyz(R: v.Matrix) -> tuple[float, ...]:
    """The quaternion of a rotation."""
    if R == v.IDENTITY:
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(float(x) for x in quaternion.from_matrix(np.array(R, dtype=float)))


def floats(at: Placement) -> Placement:
    """A placement in numbers, where it may have had names."""
    rotation = at.rotation if at.rotation == v.IDENTITY else tuple(tuple(float(x) for x in row) for row in at.rotation)
    return Placement(rotation, tuple(float(x) for x in at.position))  # type: ignore[arg-type]
