"""Euler angles: three turns about coordinate axes, in any of the twelve sequences.

A sequence is named by its axes as in SciPy: "ZYX" turns about the axes as they move (yaw, pitch, roll), "xyz" about fixed axes,
which is "ZYX" with the angles the other way round. With R = R_i(alpha) R_j(beta) R_k(gamma) the angular velocity along the
world's axes is w = E (alpha', beta', gamma'), and E has no inverse where the first and the last axis are parallel (gimbal lock):
at beta = 90 degrees for three different axes, at beta = 0 where the first axis is also the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.model.rotation import quaternion

ANGLE_NAMES = ("alpha", "beta", "gamma")
MOVING_SEQUENCES = tuple("".join(axes) for axes in product("XYZ", repeat=3) if axes[0] != axes[1] != axes[2])


@dataclass(frozen=True)
class EulerSequence:
    """Three axes to turn about, by number; `name` is how it was asked for."""

    name: str
    axes: tuple[int, int, int]  # of the turns about moving axes
    fixed: bool  # the angles are those of fixed axes: the other way round

    @staticmethod
    def from_name(name: object) -> EulerSequence:
        """Make the sequence of a name such as "ZYX", or "xyz" for fixed axes."""
        if isinstance(name, str) and name.upper() in MOVING_SEQUENCES and name in (name.upper(), name.lower()):
            fixed = name.islower()
            axes = tuple("XYZ".index(axis) for axis in name.upper())
            return EulerSequence(name, axes[::-1] if fixed else axes, fixed)  # type: ignore[arg-type]
        raise ArgumentError(
            f"is {name!r}; one of {', '.join(MOVING_SEQUENCES)} (about moving axes), or in lower case (about fixed axes), "
            f"is needed",
            argument="euler",
        )

    @property
    def proper(self) -> bool:
        """Whether the first axis is also the last."""
        return self.axes[0] == self.axes[2]

    @property
    def third_axis(self) -> int:
        """The axis beside the first two."""
        return 3 - self.axes[0] - self.axes[1]

    @property
    def handedness(self) -> int:
        """1 if the first two axes and the third are right-handed, else -1."""
        return 1 if (self.axes[1] - self.axes[0]) % 3 == 1 else -1

    @property
    def gimbal_lock_text(self) -> str:
        """Where the angles are singular."""
        return "0 or 180 degrees" if self.proper else "90 or -90 degrees"

    # -- between angles and rotations ----------------------------------------------------------------------------------

    def rotation(self, angles: np.ndarray) -> np.ndarray:
        """The rotation matrices (n, 3, 3) of angles (n, 3)."""
        rotations = [_rotation_about(axis, angles[:, k]) for axis, k in zip(self.axes, self._order, strict=True)]
        return rotations[0] @ rotations[1] @ rotations[2]

    def angles(self, R: np.ndarray) -> np.ndarray:
        """The angles of rotation matrices (n, 3, 3), in rad: (n, 3).

        The middle angle beta is from -90 to 90 degrees, or from 0 to 180 where the first axis is also the last.
        """
        i, j, k, sign = self.axes[0], self.axes[1], self.third_axis, self.handedness
        if self.proper:
            beta = np.arctan2(np.hypot(R[:, i, j], R[:, i, k]), R[:, i, i])
            alpha, gamma = np.arctan2(R[:, j, i], -sign * R[:, k, i]), np.arctan2(R[:, i, j], sign * R[:, i, k])
        else:
            beta = np.arctan2(sign * R[:, i, k], np.hypot(R[:, i, i], R[:, i, j]))
            alpha, gamma = np.arctan2(-sign * R[:, j, k], R[:, k, k]), np.arctan2(-sign * R[:, i, j], R[:, i, i])
        angles = np.stack([alpha, beta, gamma], axis=1)
        return angles[:, list(self._order)]

    @property
    def _order(self) -> tuple[int, int, int]:
        return (2, 1, 0) if self.fixed else (0, 1, 2)

    # -- their rates ---------------------------------------------------------------------------------------------------

    def rates_matrix(self, angles: np.ndarray) -> np.ndarray:
        """E (n, 3, 3) of w = E angles': its columns are the axes turned about, as they stand."""
        columns = self._current_axes(angles)
        return np.stack([columns[k] for k in self._order], axis=2)

    def _current_axes(self, angles: np.ndarray) -> list[np.ndarray]:
        """The axes in the order of the turns: e_i, R_i e_j, R_i R_j e_k."""
        R = np.broadcast_to(np.eye(3), (len(angles), 3, 3))
        axes = []
        for axis, k in zip(self.axes, self._order, strict=True):
            axes.append(R[:, :, axis])
            R = R @ _rotation_about(axis, angles[:, k])
        return axes

    def rates_matrix_bias(self, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """E' angles' (n, 3): the angular acceleration where the angles do not accelerate.

        Every axis is carried along by the turns before it: its rate is their angular velocity times it.
        """
        total, angular_velocity = np.zeros((len(angles), 3)), np.zeros((len(angles), 3))
        for axis, k in zip(self._current_axes(angles), self._order, strict=True):
            contribution = rates[:, k : k + 1] * axis
            total = total + np.cross(angular_velocity, contribution)
            angular_velocity = angular_velocity + contribution
        return total

    def abs_determinant(self, angles: np.ndarray) -> np.ndarray:
        """|det E|: 0 in gimbal lock, 1 where the three axes are perpendicular."""
        beta = angles[:, 1]
        return np.abs(np.sin(beta) if self.proper else np.cos(beta))


def _rotation_about(axis: int, angle: np.ndarray) -> np.ndarray:
    return quaternion.matrix(quaternion.exponential(angle[:, None] * np.eye(3)[axis]))
