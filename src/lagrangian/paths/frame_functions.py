"""Paths of a frame whose columns are functions of time: x, y, z and an orientation, with exact derivatives.

An orientation is given by Euler angles (alpha, beta, gamma of a sequence), a quaternion (qw, qx, qy, qz) or the entries of a
rotation matrix (r11 ... r33); what is not named is zero. Its angular velocity and acceleration follow from its derivatives:

    angles:      w = E phi',             w' = E phi'' + E' phi'
    quaternion:  w = 2 u' u*,            w' = 2 u'' u*          (the parts beside the first)
    matrix:      [w] = R' R^T,           [w'] = R'' R^T + R' R'^T
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.model.loop import DIRECTIONS, TURNS
from lagrangian.model.rotation import quaternion
from lagrangian.model.rotation.euler import ANGLES, Sequence
from lagrangian.paths.path import CartesianPath, Motion, Values

POSITION = DIRECTIONS[3:]
QUATERNION = ("qw", "qx", "qy", "qz")
MATRIX = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
KINDS = {"Euler angles": ANGLES, "a quaternion": QUATERNION, "a rotation matrix": MATRIX}
NAMES = (*POSITION, *ANGLES, *QUATERNION, *MATRIX)
OFF = 1e-6  # what a quaternion's length, or a matrix times its transpose, may be off one
LOOKS = 1001  # places at which a whole path is looked at


def frame_path(
    motion: Motion, names: Several[str], duration: float, start: float, frame: str, euler: str | None
) -> CartesianPath:
    """The path of a frame of which `motion` gives the columns called `names`, with their two derivatives."""
    for name in names:
        if name not in NAMES:
            raise ArgumentError(f"a formula of frame {frame!r}: {one_of('direction', name, NAMES)}")
    given = {what: known for what, known in KINDS.items() if set(known) & set(names)}
    if len(given) > 1:
        raise ArgumentError(f"the orientation of frame {frame!r} is given by {' and by '.join(given)}; give only one of them")
    if (euler is not None) != ("Euler angles" in given):
        if euler is not None:
            raise ArgumentError(
                f"is {euler!r}, the sequence of alpha, beta and gamma, but none of these angles is given", argument="euler"
            )
        raise ArgumentError(
            f"alpha, beta and gamma are Euler angles: their sequence is needed, such as {Argument('euler', 'ZYX')}",
            concerns="euler",
        )
    turning = None
    if given:
        ((what, known),) = given.items()
        sequence = None if euler is None else Sequence.named(euler)
        turning = Turning(Columns(motion, tuple(names), known), sequence, what, start)
        turning(np.linspace(0.0, duration, LOOKS))
    return CartesianPath(
        duration,
        position=Columns(motion, tuple(names), POSITION),
        orientation=turning,
        frame=frame,
        directions=(*(TURNS if turning is not None else ()), *(d for d in POSITION if d in names)),
        start=start,
    )


@dataclass(frozen=True, eq=False)
class Columns:
    """Some of a motion's columns, in another order; those that it does not have are zero."""

    motion: Motion
    names: tuple[str, ...]
    wanted: tuple[str, ...]

    def __call__(self, t: np.ndarray) -> Values:
        found = self.motion(t)
        chosen = [np.zeros((len(t), len(self.wanted))) for _ in found]
        for k, name in enumerate(self.wanted):
            if name in self.names:
                for made, x in zip(chosen, found, strict=True):
                    made[:, k] = x[:, self.names.index(name)]
        return chosen[0], chosen[1], chosen[2]


@dataclass(frozen=True, eq=False)
class Turning:
    """An orientation over time as a path has it: quaternions, angular velocity and acceleration, along the world's axes."""

    columns: Columns
    sequence: Sequence | None
    what: str
    start: float

    def __call__(self, t: np.ndarray) -> Values:
        x, first, second = self.columns(t)
        if self.sequence is not None:
            E, w = self.sequence.rates_matrix(x), self.sequence.drift(x, first)
            turn = quaternion.from_matrix(self.sequence.rotation(x))
            return turn, (E @ first[:, :, None])[:, :, 0], (E @ second[:, :, None])[:, :, 0] + w
        if self.columns.wanted == QUATERNION:
            self._check(np.abs(np.linalg.norm(x, axis=1) - 1), t, "its length is not one")
            back = quaternion.conjugate(x)
            return x, 2 * quaternion.product(first, back)[:, 1:], 2 * quaternion.product(second, back)[:, 1:]
        R, dR, ddR = (y.reshape(-1, 3, 3) for y in (x, first, second))
        back = np.swapaxes(R, 1, 2)
        self._check(np.abs(R @ back - np.eye(3)).max(axis=(1, 2)), t, "its rows are not perpendicular and of length one")
        self._check(np.where(np.linalg.det(R) > 0, 0.0, 1.0), t, "its columns are left-handed")
        return quaternion.from_matrix(R), _axial(dR @ back), _axial(ddR @ back + dR @ np.swapaxes(dR, 1, 2))

    def _check(self, off: np.ndarray, t: np.ndarray, why: str) -> None:
        if len(off) and off.max() > OFF:
            when = float(t[int(np.argmax(off > OFF))]) + self.start
            raise ArgumentError(f"the orientation, {self.what}, is not a rotation at t = {when:g} s: {why}")


def _axial(W: np.ndarray) -> Any:
    """w of the matrix of w x, of the part of W that is skew."""
    return 0.5 * np.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], axis=1)
