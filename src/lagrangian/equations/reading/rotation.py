"""Constant rotations, read exactly.

A rotation given by names is read entry by entry. One given by numbers is only as orthogonal as rounding leaves it, and proofs
need more. So it is read as turns about coordinate axes: multiples of 15 degrees are exact, with roots, and any other angle
becomes a rational point on the circle. Where three such angles would be needed, it is read as a rational quaternion. Either is
exactly a rotation, and is within rounding of the numbers that were given.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from lagrangian.equations.algebra.ring import ANGLE_TOLERANCE, ROUNDING_DENOMINATOR, CosineSine
from lagrangian.equations.reading.scalars import RingReader
from lagrangian.model import vector as v
from lagrangian.model.expression import Expression, parameters
from lagrangian.model.rotation import quaternion

# an angle this near to a multiple of a quarter turn is taken as that multiple: 1.5708 is pi/2
SNAP_TOLERANCE = 1e-5


class RotationReader:
    """Reads rotation matrices into the ring of `scalars`, whose notes say what was not taken as it stands."""

    def __init__(self, scalars: RingReader) -> None:
        self.scalars = scalars
        self._turns: dict[bytes, list[tuple[str, float]]] = {}

    def read(self, R: v.Matrix, where: str) -> v.Matrix:
        if v.IDENTITY == R:
            return R
        if any(isinstance(x, Expression) and parameters(x) for row in R for x in row):
            matrix = tuple(tuple(self.scalars.read(x) for x in row) for row in R)
            if self._is_orthogonal(matrix):
                return matrix  # type: ignore[return-value]
            self._add_note(f"{where}: a rotation of names and rounded numbers; its names were replaced by their values")
        return self._read_numbers(np.array([[float(x) for x in row] for row in R]), where)

    def _is_orthogonal(self, R: Any) -> bool:
        ring = self.scalars.ring
        pairs = [(i, j) for i in range(3) for j in range(i, 3)]
        return self.scalars.incomplete or all(ring(v.dot(R[i], R[j])) == int(i == j) for i, j in pairs)

    def _read_numbers(self, R: np.ndarray, where: str) -> v.Matrix:
        key = R.tobytes()
        if key not in self._turns:
            self._turns[key] = self._choose_turns(R, where)
        turns = self._turns[key]
        if _count_inexact(turns) == 3:
            return _rational_rotation(R)
        result = v.IDENTITY
        for axis, angle in turns:
            self.scalars.angles.described_angles.add(Fraction(f"{angle:.15g}"))
            result = v.mat_mat(result, _rotation_about(axis, self.scalars.angles.constant_angle(angle)))
        return result

    def _choose_turns(self, R: np.ndarray, where: str) -> list[tuple[str, float]]:
        """The turns with the fewest angles that are not multiples of 15 degrees, then of 90; near multiples of 90 made exact."""
        best = min(
            (_euler_angles(R, order) for order in permutations("xyz")),
            key=lambda turns: (_count_inexact(turns), _count_oblique(turns)),
        )
        largest_offset = max(
            (abs(_offset_from_mark(a, 1)) for _, a in best if abs(_offset_from_mark(a, 1)) <= SNAP_TOLERANCE), default=0.0
        )
        if largest_offset > ANGLE_TOLERANCE:
            self._add_note(f"{where}: an angle {largest_offset:.1g} rad from a multiple of 90 degrees was taken as that multiple")
        return [(axis, a - _offset_from_mark(a, 1) if abs(_offset_from_mark(a, 1)) <= SNAP_TOLERANCE else a) for axis, a in best]

    def _add_note(self, note: str) -> None:
        if note not in self.scalars.notes:
            self.scalars.notes.append(note)


def _offset_from_mark(angle: float, parts: int) -> float:
    """The difference between an angle and the nearest mark, of which a quarter turn has `parts`."""
    mark = math.pi / 2 / parts
    return angle - round(angle / mark) * mark


def _count_oblique(turns: list[tuple[str, float]]) -> int:
    return sum(abs(_offset_from_mark(angle, 1)) > SNAP_TOLERANCE for _, angle in turns)


def _count_inexact(turns: list[tuple[str, float]]) -> int:
    return sum(
        abs(_offset_from_mark(angle, 1)) > SNAP_TOLERANCE and abs(_offset_from_mark(angle, 6)) > ANGLE_TOLERANCE
        for _, angle in turns
    )


def _euler_angles(R: np.ndarray, order: tuple[str, ...]) -> list[tuple[str, float]]:
    """The three angles of R as turns about the axes of `order`, one after the other."""
    i, j, k = ("xyz".index(axis) for axis in order)
    sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    middle = math.atan2(sign * R[i, k], math.hypot(R[i, i], R[i, j]))
    if math.hypot(R[i, i], R[i, j]) > 1e-9:
        first = math.atan2(-sign * R[j, k], R[k, k])
        last = math.atan2(-sign * R[i, j], R[i, i])
    else:  # the first and last axes coincide: one of the two angles is free
        first, last = math.atan2(sign * R[k, j], R[j, j]), 0.0
    return list(zip(order, (first, middle, last), strict=True))


def _rotation_about(axis: str, pair: CosineSine) -> v.Matrix:
    c, s = pair
    match axis:
        case "x":
            return ((1, 0, 0), (0, c, -s), (0, s, c))
        case "y":
            return ((c, 0, s), (0, 1, 0), (-s, 0, c))
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def _rational_rotation(R: np.ndarray) -> v.Matrix:
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
    w, x, y, z = (Fraction(round(float(c) * ROUNDING_DENOMINATOR / float(np.linalg.norm(q)))) for c in q)
    return quaternion.rotation((w, x, y, z))
