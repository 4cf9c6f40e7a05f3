"""Where one frame stands in another: a rotation and a position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import MechanismError, error_location
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, cos, keep_symbolic, sin, sqrt
from lagrangian.model.rotation import quaternion
from lagrangian.model.vector import Matrix, Vector, VectorLike

ROUNDING = 1e-14  # rad


@dataclass(frozen=True, slots=True)
class Transform:
    """The rotation and the position of a frame B in a frame A.

    Placements are composed by `@`: if `ab` is the placement of B in A and `bc` that of C in B, `ab @ bc` is that of C in A.

    Parameters
    ----------
    rotation : array_like, optional
        The 3x3 rotation matrix R_AB, whose columns are the axes of B in A. The default is the identity.
    position : array_like, optional
        The position p_AB of the origin of B in A, in m. The default is zero.

    Examples
    --------
    >>> import math
    >>> import lagrangian as lg
    >>> ab = lg.Transform(position=(1, 0, 0))
    >>> bc = lg.Transform.from_rpy((0, 2, 0), (0, 0, math.pi / 2))
    >>> (ab @ bc).position
    (1, 2, 0)
    """

    rotation: Matrix = v.IDENTITY
    position: Vector = v.ZERO

    @staticmethod
    def from_value(value: TransformLike, name: str) -> Transform:
        """Make a placement, and check it.

        Parameters
        ----------
        value : Transform or array_like
            A placement, three numbers for a position in m, or a 4x4 homogeneous matrix.
        name : str
            What an error calls it.

        Returns
        -------
        Transform
            The placement.

        Raises
        ------
        MechanismError
            If it is none of these, or if the rotation is not a rotation matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Transform.from_value((0, 0, 0.5), "base").position
        (0, 0, 0.5)
        """
        if isinstance(value, Transform):
            if type(value.rotation) is tuple and type(value.position) is tuple and value.is_identity:
                return value
            with error_location(name):
                R = checks.rotation(value.rotation)
                p = checks.vector(value.position, "the position", "(0, 0, 0.5)")
                checks.check_finite(p, "the position", checks.MAX_DISTANCE)
            return value if R is value.rotation and p is value.position else Transform(R, p)
        if getattr(value, "shape", None) == (4, 4):
            return Transform.from_value(Transform.from_matrix(value), name)
        if checks.sequence_length(value) == 3 and all(checks.sequence_length(x) < 0 for x in value):
            return Transform.from_value(Transform(position=tuple(value)), name)
        raise MechanismError(
            f"is {value!r:.60}",
            argument=name,
            remedy="a Transform is needed, such as Transform(position=(0, 0, 0.5)) or Transform.from_rpy(xyz, rpy), "
            "or three numbers for a position",
        )

    def __matmul__(self, other: Transform) -> Transform:
        if self.is_identity:
            return other
        if other.is_identity:
            return self
        return Transform(
            v.mat_mat(self.rotation, other.rotation),
            v.add(self.position, v.mat_vec(self.rotation, other.position)),
        )

    def inverse(self) -> Transform:
        """Return the placement of A in B.

        Returns
        -------
        Transform
            The inverse: `p @ p.inverse()` is the identity.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Transform(position=(1, 0, 0)).inverse().position
        (-1, 0, 0)
        """
        if self.is_identity:
            return self
        return Transform(v.transpose(self.rotation), v.neg(v.mat_t_vec(self.rotation, self.position)))

    def matrix(self) -> np.ndarray:
        """Return the 4x4 homogeneous matrix.

        Returns
        -------
        numpy.ndarray
            The matrix that takes coordinates in B to coordinates in A.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Transform(position=(1, 0, 0)).matrix()[0]
        array([1., 0., 0., 1.])
        """
        T = np.eye(4)
        T[:3, :3] = np.array(self.rotation, dtype=float)
        T[:3, 3] = np.array(self.position, dtype=float)
        return T

    @property
    def is_identity(self) -> bool:
        """Whether the two frames are the same."""
        return self.rotation == v.IDENTITY and self.position == v.ZERO

    @staticmethod
    def from_rpy(xyz: VectorLike = v.ZERO, rpy: VectorLike = v.ZERO) -> Transform:
        """Make a placement from roll, pitch and yaw about the fixed axes x, y and z, as in URDF.

        Parameters
        ----------
        xyz : array_like, optional
            The position in m; the default is zero.
        rpy : array_like, optional
            Roll, pitch and yaw in rad; the default is zero. The rotation is R = Rz(yaw) Ry(pitch) Rx(roll).

        Returns
        -------
        Transform
            The placement.

        Examples
        --------
        >>> import math
        >>> import lagrangian as lg
        >>> lg.Transform.from_rpy(rpy=(0, 0, math.pi / 2)).matrix()[:3, 0].round(12)
        array([0., 1., 0.])
        """
        angles = checks.vector(rpy, "rpy", "(0, 0, 1.57)")
        checks.check_finite(angles, "rpy")
        roll, pitch, yaw = keep_symbolic(*angles)
        rotation = v.mat_mat(v.mat_mat(rotation_z(yaw), rotation_y(pitch)), rotation_x(roll))
        return Transform(rotation, checks.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_quaternion(xyz: VectorLike, wxyz: Sequence[Scalar] | np.ndarray) -> Transform:
        """Make a placement from a quaternion.

        Parameters
        ----------
        xyz : array_like
            The position in m.
        wxyz : array_like
            The quaternion (w, x, y, z), the scalar first. It need not have length one.

        Returns
        -------
        Transform
            The placement.

        Raises
        ------
        MechanismError
            If the quaternion is zero.

        Examples
        --------
        Half a turn about x:

        >>> import lagrangian as lg
        >>> lg.Transform.from_quaternion((0, 0, 0), (0, 1, 0, 0)).rotation
        ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
        """
        if checks.sequence_length(wxyz) != 4:
            actual = f", not {checks.sequence_length(wxyz)}" if checks.sequence_length(wxyz) >= 0 else ""
            raise MechanismError(f"a quaternion has four numbers (w, x, y, z){actual}")
        w, x, y, z = scalars = tuple(checks.scalar(c, "a number of the quaternion") for c in wxyz)
        length: Scalar = math.hypot(*map(float, scalars))  # which neither overflows nor underflows on the way
        if not 0 < float(length) < math.inf:
            raise MechanismError(f"the quaternion {tuple(wxyz)} has length zero; the identity is (1, 0, 0, 0)")
        if any(isinstance(c, Expression) for c in scalars):  # which follow their parameters
            length = sqrt(w * w + x * x + y * y + z * z)
        rotation = quaternion.rotation((w / length, x / length, y / length, z / length))
        return Transform(rotation, checks.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_matrix(T: ArrayLike) -> Transform:
        """Make a placement from a 4x4 homogeneous matrix.

        Parameters
        ----------
        T : array_like
            The 4x4 matrix with the rotation and the position in m.

        Returns
        -------
        Transform
            The placement.

        Raises
        ------
        MechanismError
            If the matrix is not 4x4.

        Examples
        --------
        >>> import numpy as np
        >>> import lagrangian as lg
        >>> lg.Transform.from_matrix(np.eye(4)).is_identity
        True
        """
        try:
            T = floats(T)
        except TypeError:
            T = np.zeros(0)
        if T.shape != (4, 4):
            raise MechanismError(f"a homogeneous matrix has the shape (4, 4), not {T.shape}")
        return Transform(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]


TransformLike = Transform | VectorLike
"""Where something is: a `Transform`, three numbers for a position in m, or a 4x4 homogeneous matrix as an array."""


def rotation_x(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((1, 0, 0), (0, c, -s), (0, s, c))


def rotation_y(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((c, 0, s), (0, 1, 0), (-s, 0, c))


def rotation_z(angle: Scalar) -> v.Matrix:
    c, s = _cos_and_sin(angle)
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def rotation_z_to(axis: v.Vector) -> v.Matrix:
    """A rotation whose z column is the unit vector `axis`: exact permutations for the coordinate axes."""
    exact_rotation = {
        (0, 0, 1): v.IDENTITY,
        (0, 0, -1): ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
        (1, 0, 0): ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
        (-1, 0, 0): ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
        (0, 1, 0): ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        (0, -1, 0): ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    }.get(axis)
    if exact_rotation is not None:
        return exact_rotation
    # the coordinate axis least along `axis` gives a well-conditioned x direction
    smallest = min(range(3), key=lambda k: abs(float(axis[k])))
    u = v.cross((v.X, v.Y, v.Z)[smallest], axis)
    length = sqrt(v.dot(u, u))
    x = (u[0] / length, u[1] / length, u[2] / length)
    return v.transpose((x, v.cross(axis, x), axis))


def _cos_and_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """The cosine and the sine of an angle; one that is nothing but rounding, as 1.2e-16 of a CAD program, counts as zero."""
    if isinstance(angle, (int, float)) and abs(angle) < ROUNDING:
        return 1, 0
    return cos(angle), sin(angle)
