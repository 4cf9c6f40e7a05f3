"""Constant rotations, made exact.

A rotation given by names is read entry by entry. One given by numbers is only as orthogonal as rounding leaves it, and proofs
need more: it is read as turns about coordinate axes, of which multiples of 15 degrees are exact, with roots, and any other
angle becomes a rational point on the circle; where three such angles would be needed, a rational quaternion. Either is
exactly a rotation and within rounding of what was given.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from lagrangian.equations.algebra.exact import PARTS, ROUNDING, Pair
from lagrangian.equations.reading.scalars import Scalars
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, parameters
from lagrangian.model.rotation import quaternion

# angles this near to a quarter turn were meant to be one: 1.5708 is
SNAP = 1e-5


class Rotations:
    """Reads rotation matrices into the ring of `scalars`; what was not taken as it stands is said in its notes."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self._turns: dict[bytes, list[tuple[str, float]]] = {}

    def of(self, R: v.Matrix, where: str) -> v.Matrix:
        if v.IDENTITY == R:
            return R
        if any(isinstance(x, Expression) and parameters(x) for row in R for x in row):
            made = tuple(tuple(self.scalars.of(x) for x in row) for row in R)
            if self._orthogonal(made):
                return made  # type: ignore[return-value]
            self._note(f"{where}: a rotation of names and rounded numbers; its names were replaced by their values")
        return self._of_numbers(np.array([[float(x) for x in row] for row in R]), where)

    def _orthogonal(self, R: Any) -> bool:
        ring = self.scalars.ring
        pairs = [(i, j) for i in range(3) for j in range(i, 3)]
        return self.scalars.unsettled or all(ring(v.dot(R[i], R[j])) == int(i == j) for i, j in pairs)

    def _of_numbers(self, R: np.ndarray, where: str) -> v.Matrix:
        key = R.tobytes()
        if key not in self._turns:
            self._turns[key] = self._chosen(R, where)
        turns = self._turns[key]
        if _rough(turns) == 3:
            return _rational(R)
        result = v.IDENTITY
        for axis, angle in turns:
            self.scalars.angles.given.add(Fraction(f"{angle:.15g}"))
            result = v.mat_mat(result, _about(axis, self.scalars.angles.constant_angle(angle)))
        return result

    def _chosen(self, R: np.ndarray, where: str) -> list[tuple[str, float]]:
        """The turns with the fewest angles that are not multiples of 15 degrees, then of 90; near multiples of 90 made exact."""
        best = min((_euler(R, order) for order in permutations("xyz")), key=lambda turns: (_rough(turns), _odd(turns)))
        off = max((abs(_beyond(a, 1)) for _, a in best if abs(_beyond(a, 1)) <= SNAP), default=0.0)
        if off > ROUNDING:
            self._note(f"{where}: an angle {off:.1g} rad from a multiple of 90 degrees was taken as that multiple")
        return [(axis, a - _beyond(a, 1) if abs(_beyond(a, 1)) <= SNAP else a) for axis, a in best]

    def _note(self, note: str) -> None:
        if note not in self.scalars.notes:
            self.scalars.notes.append(note)


def _beyond(angle: float, parts: int) -> float:
    """What an angle is beyond the nearest of `parts` marks in a quarter turn."""
    mark = math.pi / 2 / parts
    return angle - round(angle / mark) * mark


def _odd(turns: list[tuple[str, float]]) -> int:
    return sum(abs(_beyond(angle, 1)) > SNAP for _, angle in turns)


def _rough(turns: list[tuple[str, float]]) -> int:
    return sum(abs(_beyond(angle, 1)) > SNAP and abs(_beyond(angle, 6)) > ROUNDING for _, angle in turns)


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


def _rational(R: np.ndarray) -> v.Matrix:
    """The rotation of a quaternion of whole numbers."""
    # the largest of the four components is found first, the others from it (Shepperd 1978)
    squares = np.array([np.trace(R), *(2 * np.diag(R) - np.trace(R))])
    largest = int(np.argmax(squares))
    q = np.zeros(4)
    q[largest] = 1 + squares[largest]
    cross = (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    if largest == 0:
        q[1:] = cross
    else:
        i = largest - 1
        q[0] = cross[i]
        for j in range(3):
            if j != i:
                q[1 + j] = R[i, j] + R[j, i]
    w, x, y, z = (Fraction(round(float(c) * PARTS / float(np.linalg.norm(q)))) for c in q)
    return quaternion.rotation((w, x, y, z))
