"""Where one frame stands in another: a rotation and a position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import MechanismError, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, cos, kept, sin, sqrt
from lagrangian.model.rotation import quaternion

ROUNDING = 1e-14  # rad


@dataclass(frozen=True, slots=True)
class Placement:
    """Frame B in frame A: `R_AB`, whose columns are B's axes in A, and `p_AB`, B's origin in A."""

    rotation: v.Matrix = v.IDENTITY
    position: v.Vector = v.ZERO

    @staticmethod
    def of(given: Any, name: str) -> Placement:
        """A checked placement from one, from three numbers (a position), or from a 4x4 homogeneous matrix."""
        if isinstance(given, Placement):
            if type(given.rotation) is tuple and type(given.position) is tuple and given.is_identity:
                return given
            with placed(name):
                R = coerce.rotation(given.rotation)
                p = coerce.vector(given.position, "the position", "(0, 0, 0.5)")
                coerce.finite(p, "the position", coerce.LONGEST)
            return given if R is given.rotation and p is given.position else Placement(R, p)
        if getattr(given, "shape", None) == (4, 4):
            return Placement.of(Placement.from_matrix(given), name)
        if coerce.count(given) == 3 and all(coerce.count(x) < 0 for x in given):
            return Placement.of(Placement(position=given), name)
        raise MechanismError(
            f"is {given!r:.60}",
            argument=name,
            remedy="a Placement is needed, such as Placement(position=(0, 0, 0.5)) or Placement.from_rpy(xyz, rpy), "
            "or three numbers for a position",
        )

    def __matmul__(self, other: Placement) -> Placement:
        if self.is_identity:
            return other
        if other.is_identity:
            return self
        return Placement(
            v.mat_mat(self.rotation, other.rotation),
            v.add(self.position, v.mat_vec(self.rotation, other.position)),
        )

    def inverse(self) -> Placement:
        if self.is_identity:
            return self
        return Placement(v.transpose(self.rotation), v.neg(v.mat_t_vec(self.rotation, self.position)))

    def matrix(self) -> np.ndarray:
        """The 4x4 homogeneous matrix."""
        T = np.eye(4)
        T[:3, :3] = np.array(self.rotation, dtype=float)
        T[:3, 3] = np.array(self.position, dtype=float)
        return T

    @property
    def is_identity(self) -> bool:
        return self.rotation == v.IDENTITY and self.position == v.ZERO

    @staticmethod
    def from_rpy(xyz: Sequence[Scalar] = v.ZERO, rpy: Sequence[Scalar] = v.ZERO) -> Placement:
        """Roll, pitch, yaw about the fixed x, y, z axes, as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll)."""
        angles = coerce.vector(rpy, "rpy", "(0, 0, 1.57)")
        coerce.finite(angles, "rpy")
        roll, pitch, yaw = kept(*angles)
        turn = v.mat_mat(v.mat_mat(about_z(yaw), about_y(pitch)), about_x(roll))
        return Placement(turn, coerce.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_quaternion(xyz: Sequence[Scalar], wxyz: Sequence[Scalar]) -> Placement:
        """From a quaternion (w, x, y, z); its length does not matter."""
        if coerce.count(wxyz) != 4:
            has = f", not {coerce.count(wxyz)}" if coerce.count(wxyz) >= 0 else ""
            raise MechanismError(f"a quaternion has four numbers (w, x, y, z){has}")
        w, x, y, z = scalars = tuple(coerce.scalar(c, "a number of the quaternion") for c in wxyz)
        length: Scalar = math.hypot(*map(float, scalars))  # which neither overflows nor underflows on the way
        if not 0 < float(length) < math.inf:
            raise MechanismError(f"the quaternion {tuple(wxyz)} has no direction; (1, 0, 0, 0) is no rotation")
        if any(isinstance(c, Expression) for c in scalars):  # which follow their parameters
            length = sqrt(w * w + x * x + y * y + z * z)
        turn = quaternion.rotation((w / length, x / length, y / length, z / length))
        return Placement(turn, coerce.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_matrix(T: Any) -> Placement:
        """From a 4x4 homogeneous matrix."""
        try:
            T = floats(T)
        except TypeError:
            T = np.zeros(0)
        if T.shape != (4, 4):
            raise MechanismError(f"a homogeneous matrix is 4x4, not of shape {T.shape}")
        return Placement(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]


def _cos_and_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """What a rotation is made of; an angle that is nothing but rounding, as 1.2e-16 of a CAD program, is none."""
    if isinstance(angle, (int, float)) and abs(angle) < ROUNDING:
        return 1, 0
    return cos(angle), sin(angle)


def about_x(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((1, 0, 0), (0, c, -s), (0, s, c))


def about_y(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((c, 0, s), (0, 1, 0), (-s, 0, c))


def about_z(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def turn_z_to(axis: v.Vector) -> v.Matrix:
    """A rotation whose z column is the unit vector `axis`: exact permutations for the coordinate axes."""
    exact = {
        (0, 0, 1): v.IDENTITY,
        (0, 0, -1): ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
        (1, 0, 0): ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
        (-1, 0, 0): ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
        (0, 1, 0): ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        (0, -1, 0): ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    }.get(axis)
    if exact is not None:
        return exact
    # the coordinate axis least along `axis` gives a well-conditioned x direction
    least = min(range(3), key=lambda k: abs(float(axis[k])))
    u = v.cross((v.X, v.Y, v.Z)[least], axis)
    length = sqrt(v.dot(u, u))
    x = (u[0] / length, u[1] / length, u[2] / length)
    return v.transpose((x, v.cross(axis, x), axis))
