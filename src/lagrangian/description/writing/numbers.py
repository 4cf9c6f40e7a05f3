"""Inertias and rotations as numbers of a file.

Simulators accept the inertia of a real body only, and none that is 0. Rotations are roll, pitch and yaw, or quaternions, which
give the same matrix to the last bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.description.notes import WriterNotes
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.rotation import quaternion

_NEGLIGIBLE = 1e-13  # of the largest mass
_ROUNDING = 1e-9  # of moments against each other
_QUARTER_TURN = math.pi / 2
_DIGITS = 12  # of angles, after the point


@dataclass(frozen=True)
class PrincipalInertia:
    """Mass, principal moments, and the quaternion of the principal axes, which is () if they are the body's own."""

    mass: float
    moments: tuple[float, float, float]
    orientation: tuple[float, ...] = ()


def principal_inertia(body: Body) -> PrincipalInertia:
    """The principal inertia of a body, without changes."""
    xx, xy, xz, yy, yz, zz = (float(x) for x in body.inertia)
    if xy == xz == yz == 0:
        return PrincipalInertia(float(body.mass), (xx, yy, zz))
    moments, axes = body.principal_inertia()
    orientation = quaternion_wxyz(tuple(map(tuple, axes.tolist())))  # type: ignore[arg-type]
    return PrincipalInertia(float(body.mass), tuple(moments.tolist()), orientation)


def minimum_mass(m: Mechanism, minimum: float) -> float:
    """A mass that is negligible beside the heaviest body, but not lost in numbers of 16 digits."""
    return max(minimum, _NEGLIGIBLE * max((float(body.mass) for body in m.bodies), default=0.0))


def with_minimum_inertia(body: Body, min_moment: float, min_mass: float, remarks: WriterNotes) -> PrincipalInertia:
    """The principal inertia with at least these moments (kg m^2) and mass (kg), so that simulators accept it; notes say so."""
    inertia = principal_inertia(body)
    mass = min_mass if 0 <= inertia.mass < min_mass else inertia.mass
    moments = [x if x > min_moment else min_moment if x >= -_ROUNDING * max(inertia.moments) else x for x in inertia.moments]
    if mass != inertia.mass or min(inertia.moments) < min_moment:
        replacement = f"{min_mass:g} kg or {min_moment:g} kg m^2 is written instead"
        meaning = f"{{has}} no mass, or no inertia about some axis, which simulators refuse; {replacement}"
        remarks.add("body", meaning, body.name)
    moments, increase = _satisfy_triangle_inequality(moments)
    if mass < 0 or increase > _ROUNDING * max(moments):
        meaning = "{has} an inertia that no real body can have and that simulators refuse; the smaller moments are increased"
        remarks.add("body", meaning, body.name, warn=True)
    return PrincipalInertia(mass, tuple(moments), inertia.orientation)  # type: ignore[arg-type]


def inertia_tensor(principal: PrincipalInertia) -> v.Symmetric:
    """The six entries of an inertia along the body's axes."""
    if not principal.orientation:
        x, y, z = principal.moments
        return (x, 0.0, 0.0, y, 0.0, z)
    R = quaternion.matrix(np.array(principal.orientation))
    I = R @ np.diag(principal.moments) @ R.T
    return tuple(float(I[a, b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))  # type: ignore[return-value]


def _satisfy_triangle_inequality(moments: list[float]) -> tuple[list[float], float]:
    """Moments of which none exceeds the sum of the other two, and by how much that raised two of them."""
    k = int(np.argmax(moments))
    i, j = (x for x in range(3) if x != k)
    deficit = moments[k] - (moments[i] + moments[j])
    if deficit <= 0:
        return moments, 0.0
    raised_moments = list(moments)
    raised_moments[i], raised_moments[j] = moments[i] + deficit / 2, moments[j] + deficit / 2
    while raised_moments[i] + raised_moments[j] < raised_moments[k]:  # in the last bit
        raised_moments[i] = float(np.nextafter(raised_moments[i], np.inf))
    return raised_moments, deficit


# -- rotations and placements --------------------------------------------------------------------------------------------


def roll_pitch_yaw(R: v.Matrix) -> tuple[float, float, float]:
    """Angles about the fixed x, y, z axes; the yaw is computed from the roll, so that it is exact at a vertical pitch."""
    r = [[float(x) for x in row] for row in R]
    pitch = math.atan2(-r[2][0], math.hypot(r[0][0], r[1][0]))
    roll = math.atan2(r[2][1], r[2][2])
    s, c = math.sin(roll), math.cos(roll)
    yaw = math.atan2(s * r[0][2] - c * r[0][1], c * r[1][1] - s * r[1][2])
    angles = (_snap_to_quarter(roll), _snap_to_quarter(pitch), _snap_to_quarter(yaw))
    # rounded angles are probably those of the source, if they give exactly the same matrix
    rounded_angles = tuple(round(angle, _DIGITS) for angle in angles)
    return rounded_angles if Transform.from_rpy(rpy=rounded_angles).rotation == R else angles  # type: ignore[return-value]


def quaternion_wxyz(R: v.Matrix) -> tuple[float, ...]:
    """The quaternion (w, x, y, z) of a rotation."""
    if R == v.IDENTITY:
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(float(x) for x in quaternion.from_matrix(np.array(R, dtype=float)))


def numeric_placement(placement: Transform) -> Transform:
    """A placement with floats in place of expressions."""
    rotation = (
        placement.rotation
        if placement.rotation == v.IDENTITY
        else tuple(tuple(float(x) for x in row) for row in placement.rotation)
    )
    return Transform(rotation, tuple(float(x) for x in placement.position))  # type: ignore[arg-type]


def _snap_to_quarter(angle: float) -> float:
    """The nearest multiple of a quarter turn if only rounding is between, else the angle."""
    turns = round(angle / _QUARTER_TURN)
    return turns * _QUARTER_TURN if abs(angle - turns * _QUARTER_TURN) < 1e-15 else angle
