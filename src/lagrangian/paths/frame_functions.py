"""Paths of a frame whose columns are functions of time: x, y, z and an orientation, with exact derivatives.

An orientation is given by Euler angles (alpha, beta, gamma of a sequence), a quaternion (qw, qx, qy, qz) or the entries of a
rotation matrix (r11 ... r33); a column that is not named is zero. The angular velocity and acceleration follow from derivatives:

    angles:      w = E phi',      w' = E phi'' + E' phi'
    quaternion:  w = 2 u' u*,     w' = 2 u'' u*                (the parts beside the first)
    matrix:      [w] = R' R^T,    [w'] = R'' R^T + R' R'^T
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, unknown_direction_message
from lagrangian.model.frame import ANGULAR_COMPONENTS, TWIST_COMPONENTS
from lagrangian.model.rotation import quaternion
from lagrangian.model.rotation.euler import ANGLE_NAMES, EulerSequence
from lagrangian.paths.curves import ValuesAndDerivatives
from lagrangian.paths.path import CartesianPath, TimeFunction

POSITION = TWIST_COMPONENTS[3:]
QUATERNION = ("qw", "qx", "qy", "qz")
MATRIX = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
ORIENTATION_COLUMNS = {"Euler angles": ANGLE_NAMES, "a quaternion": QUATERNION, "a rotation matrix": MATRIX}
COLUMN_NAMES = (*POSITION, *ANGLE_NAMES, *QUATERNION, *MATRIX)
ROTATION_TOLERANCE = 1e-6  # how far a quaternion's length, or a matrix times its transpose, may be from one
CHECKED_TIMES = 1001  # times at which the orientation is checked


def frame_path(
    motion: TimeFunction, names: Sequence[str], duration: float, start: float, frame: str, euler: str | None
) -> CartesianPath:
    """The path of a frame of which `motion` gives the columns called `names`, with their two derivatives."""
    for name in names:
        if name not in COLUMN_NAMES:
            raise ArgumentError(f"a formula of frame {frame!r}: {unknown_direction_message(name, COLUMN_NAMES)}")
    representations = {
        representation: column_names
        for representation, column_names in ORIENTATION_COLUMNS.items()
        if set(column_names) & set(names)
    }
    if len(representations) > 1:
        raise ArgumentError(
            f"the orientation of frame {frame!r} is given by {' and by '.join(representations)}; give only one of them"
        )
    if (euler is not None) != ("Euler angles" in representations):
        if euler is not None:
            raise ArgumentError(
                f"is {euler!r}, the sequence of alpha, beta and gamma, but none of these angles is given", argument="euler"
            )
        raise ArgumentError(
            f"alpha, beta and gamma are Euler angles: their sequence is needed, such as {ArgumentName('euler', 'ZYX')}",
            concerns="euler",
        )
    orientation = None
    if representations:
        ((representation, column_names),) = representations.items()
        sequence = None if euler is None else EulerSequence.from_name(euler)
        orientation = OrientationFunction(SelectedColumns(motion, tuple(names), column_names), sequence, representation, start)
        orientation(np.linspace(0.0, duration, CHECKED_TIMES))
    return CartesianPath(
        duration,
        position=SelectedColumns(motion, tuple(names), POSITION),
        orientation=orientation,
        frame=frame,
        directions=(*(ANGULAR_COMPONENTS if orientation is not None else ()), *(d for d in POSITION if d in names)),
        start=start,
    )


@dataclass(frozen=True, eq=False)
class SelectedColumns:
    """Selected columns of a motion, in another order; those that it does not have are zero."""

    motion: TimeFunction
    names: tuple[str, ...]
    selected: tuple[str, ...]

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        values = self.motion(t)
        selection = [np.zeros((len(t), len(self.selected))) for _ in values]
        for k, name in enumerate(self.selected):
            if name in self.names:
                for target, source in zip(selection, values, strict=True):
                    target[:, k] = source[:, self.names.index(name)]
        return selection[0], selection[1], selection[2]


@dataclass(frozen=True, eq=False)
class OrientationFunction:
    """An orientation over time: quaternions, angular velocity and angular acceleration, along the axes of the world."""

    columns: SelectedColumns
    sequence: EulerSequence | None
    representation: str
    start: float

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        x, first, second = self.columns(t)
        if self.sequence is not None:
            E, w = self.sequence.rates_matrix(x), self.sequence.rates_matrix_bias(x, first)
            quaternions = quaternion.from_matrix(self.sequence.rotation(x))
            return quaternions, (E @ first[:, :, None])[:, :, 0], (E @ second[:, :, None])[:, :, 0] + w
        if self.columns.selected == QUATERNION:
            self._check_is_rotation(np.abs(np.linalg.norm(x, axis=1) - 1), t, "its length is not one")
            inverse = quaternion.conjugate(x)
            return x, 2 * quaternion.product(first, inverse)[:, 1:], 2 * quaternion.product(second, inverse)[:, 1:]
        R, dR, ddR = (y.reshape(-1, 3, 3) for y in (x, first, second))
        inverse = np.swapaxes(R, 1, 2)
        self._check_is_rotation(
            np.abs(R @ inverse - np.eye(3)).max(axis=(1, 2)), t, "its rows are not perpendicular and of length one"
        )
        self._check_is_rotation(np.where(np.linalg.det(R) > 0, 0.0, 1.0), t, "its columns are left-handed")
        return quaternion.from_matrix(R), _axial(dR @ inverse), _axial(ddR @ inverse + dR @ np.swapaxes(dR, 1, 2))

    def _check_is_rotation(self, deviation: np.ndarray, t: np.ndarray, reason: str) -> None:
        if len(deviation) and deviation.max() > ROTATION_TOLERANCE:
            time = float(t[int(np.argmax(deviation > ROTATION_TOLERANCE))]) + self.start
            raise ArgumentError(f"the orientation, {self.representation}, is not a rotation at t = {time:g} s: {reason}")


def _axial(W: np.ndarray) -> Any:
    """The vector w of the skew part of W, which is the matrix of the cross product with w."""
    return 0.5 * np.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], axis=1)
