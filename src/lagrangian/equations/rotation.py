"""Constant rotations, made exact.

A rotation given by names is read entry by entry. One given by numbers is only as orthogonal as rounding leaves it; it is read
as a product of turns about coordinate axes instead, of which quarter turns are exact and any other angle is a constant with a
name, whose sine and cosine the ring knows to add up to one.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np

from lagrangian.equations.scalars import Pair, Scalars
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, parameters

# angles this near to a quarter turn were meant to be one: 1.5708 is
SNAP = 1e-5
# what can be said without a note
ROUNDING = 1e-11


class Rotations:
    """Reads rotation matrices into the ring of `scalars`; what was not taken as it stands is said in its notes."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self._angles: dict[bytes, list[tuple[str, float]]] = {}

    def of(self, R: v.Matrix, where: str) -> v.Matrix:
        if v.IDENTITY in (R,):
            return R
        if any(isinstance(x, Expression) and parameters(x) for row in R for x in row):
            made = tuple(tuple(self.scalars.of(x) for x in row) for row in R)
            if self._orthogonal(made):
                return made  # type: ignore[return-value]
            self._note(f"{where}: a rotation of names and rounded numbers; its names were replaced by their values")
        return self._product(np.array([[float(x) for x in row] for row in R]), where)

    def _orthogonal(self, R: Any) -> bool:
        ring = self.scalars.ring
        for i in range(3):
            for j in range(i, 3):
                if ring(v.dot(R[i], R[j])) != (1 if i == j else 0) and not self.scalars.unsettled:
                    return False
        return True

    def _product(self, R: np.ndarray, where: str) -> v.Matrix:
        key = R.tobytes()
        if key not in self._angles:
            self._angles[key] = self._turns(R, where)
        result = v.IDENTITY
        for axis, angle in self._angles[key]:
            result = v.mat_mat(result, _about(axis, self.scalars.constant_angle(angle, SNAP)))
        return result

    def _turns(self, R: np.ndarray, where: str) -> list[tuple[str, float]]:
        """The turns with the fewest angles that are not quarter turns."""
        best = min((_euler(R, order) for order in permutations("xyz")), key=_odd)
        off = max((abs(_beyond_quarter(a)) for _, a in best if abs(_beyond_quarter(a)) <= SNAP), default=0.0)
        if off > ROUNDING:
            self._note(f"{where}: an angle {off:.1g} rad from a multiple of 90 degrees was taken as that multiple")
        return best

    def _note(self, note: str) -> None:
        if note not in self.scalars.notes:
            self.scalars.notes.append(note)


def _beyond_quarter(angle: float) -> float:
    return angle - round(angle / (math.pi / 2)) * (math.pi / 2)


def _odd(turns: list[tuple[str, float]]) -> int:
    return sum(abs(_beyond_quarter(angle)) > SNAP for _, angle in turns)


def _euler(R: np.ndarray, order: tuple[str, ...]) -> list[tuple[str, float]]:
    """Angles of R = turn(order[0]) turn(order[1]) turn(order[2])."""
    i, j, k = ("xyz".index(axis) for axis in order)
    sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    middle = math.atan2(sign * R[i, k], math.hypot(R[i, i], R[i, j]))
    if math.hypot(R[i, i], R[i, j]) > 1e-9:
        first = math.atan2(-sign * R[j, k], R[k, k])
        last = math.atan2(-sign * R[i, j], R[i, i])
    else:  # the first and last axes coincide: one of the two angles is free
        first, last = math.atan2(sign * R[k, j], R[j, j]), 0.0
    return list(zip(order, (first, middle, last), strict=True))


def _about(axis: str, pair: Pair) -> v.Matrix:
    c, s = pair
    match axis:
        case "x":
            return ((1, 0, 0), (0, c, -s), (0, s, c))
        case "y":
            return ((c, 0, s), (0, 1, 0), (-s, 0, c))
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))
