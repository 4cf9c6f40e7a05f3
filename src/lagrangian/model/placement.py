"""Where one frame stands in another: a rotation and a position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import MechanismError, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, Scalar, cos, kept, sin, sqrt
from lagrangian.model.rotation import quaternion
from lagrangian.model.vector import Matrix, Vector, VectorLike

ROUNDING = 1e-14  # rad


@dataclass(frozen=True, slots=True)
class Placement:
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
    >>> ab = lg.Placement(position=(1, 0, 0))
    >>> bc = lg.Placement.from_rpy((0, 2, 0), (0, 0, math.pi / 2))
    >>> (ab @ bc).position
    (1, 2, 0)
    """

    rotation: Matrix = v.IDENTITY
    position: Vector = v.ZERO

    @staticmethod
    def of(given: PlacementLike, name: str) -> Placement:
        """Make a placement, and check it.

        Parameters
        ----------
        given : Placement or array_like
            A placement, three numbers for a position in m, or a 4x4 homogeneous matrix.
        name : str
            What an error calls it.

        Returns
        -------
        Placement
            The placement.

        Raises
        ------
        MechanismError
            If it is none of these, or if the rotation is not a rotation matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Placement.of((0, 0, 0.5), "base").position
        (0, 0, 0.5)
        """
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
            return Placement.of(Placement(position=tuple(given)), name)
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
        """Return the placement of A in B.

        Returns
        -------
        Placement
            The inverse: `p @ p.inverse()` is the identity.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Placement(position=(1, 0, 0)).inverse().position
        (-1, 0, 0)
        """
        if self.is_identity:
            return self
        return Placement(v.transpose(self.rotation), v.neg(v.mat_t_vec(self.rotation, self.position)))

    def matrix(self) -> np.ndarray:
        """Return the 4x4 homogeneous matrix.

        Returns
        -------
        numpy.ndarray
            The matrix that takes coordinates in B to coordinates in A.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Placement(position=(1, 0, 0)).matrix()[0]
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
    def from_rpy(xyz: VectorLike = v.ZERO, rpy: VectorLike = v.ZERO) -> Placement:
        """Make a placement from roll, pitch and yaw about the fixed axes x, y and z, as in URDF.

        Parameters
        ----------
        xyz : array_like, optional
            The position in m; the default is zero.
        rpy : array_like, optional
            Roll, pitch and yaw in rad; the default is zero. The rotation is R = Rz(yaw) Ry(pitch) Rx(roll).

        Returns
        -------
        Placement
            The placement.

        Examples
        --------
        >>> import math
        >>> import lagrangian as lg
        >>> lg.Placement.from_rpy(rpy=(0, 0, math.pi / 2)).matrix()[:3, 0].round(12)
        array([0., 1., 0.])
        """
        angles = coerce.vector(rpy, "rpy", "(0, 0, 1.57)")
        coerce.finite(angles, "rpy")
        roll, pitch, yaw = kept(*angles)
        turn = v.mat_mat(v.mat_mat(about_z(yaw), about_y(pitch)), about_x(roll))
        return Placement(turn, coerce.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_quaternion(xyz: VectorLike, wxyz: Sequence[Scalar] | np.ndarray) -> Placement:
        """Make a placement from a quaternion.

        Parameters
        ----------
        xyz : array_like
            The position in m.
        wxyz : array_like
            The quaternion (w, x, y, z), the scalar first. It need not have length one.

        Returns
        -------
        Placement
            The placement.

        Raises
        ------
        MechanismError
            If the quaternion is zero.

        Examples
        --------
        Half a turn about x:

        >>> import lagrangian as lg
        >>> lg.Placement.from_quaternion((0, 0, 0), (0, 1, 0, 0)).rotation
        ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
        """
        if coerce.count(wxyz) != 4:
            has = f", not {coerce.count(wxyz)}" if coerce.count(wxyz) >= 0 else ""
            raise MechanismError(f"a quaternion has four numbers (w, x, y, z){has}")
        w, x, y, z = scalars = tuple(coerce.scalar(c, "a number of the quaternion") for c in wxyz)
        length: Scalar = math.hypot(*map(float, scalars))  # which neither overflows nor underflows on the way
        if not 0 < float(length) < math.inf:
            raise MechanismError(f"the quaternion {tuple(wxyz)} has length zero; the identity is (1, 0, 0, 0)")
        if any(isinstance(c, Expression) for c in scalars):  # which follow their parameters
            length = sqrt(w * w + x * x + y * y + z * z)
        turn = quaternion.rotation((w / length, x / length, y / length, z / length))
        return Placement(turn, coerce.vector(xyz, "xyz", "(0, 0, 0.5)"))

    @staticmethod
    def from_matrix(T: ArrayLike) -> Placement:
        """Make a placement from a 4x4 homogeneous matrix.

        Parameters
        ----------
        T : array_like
            The 4x4 matrix with the rotation and the position in m.

        Returns
        -------
        Placement
            The placement.

        Raises
        ------
        MechanismError
            If the matrix is not 4x4.

        Examples
        --------
        >>> import numpy as np
        >>> import lagrangian as lg
        >>> lg.Placement.from_matrix(np.eye(4)).is_identity
        True
        """
        try:
            T = floats(T)
        except TypeError:
            T = np.zeros(0)
        if T.shape != (4, 4):
            raise MechanismError(f"a homogeneous matrix has the shape (4, 4), not {T.shape}")
        return Placement(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]


PlacementLike = Placement | VectorLike
"""Where something is: a `Placement`, three numbers for a position in m, or a 4x4 homogeneous matrix as an array."""


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
