"""Loops in numbers: how far one is open, with its bodies at given places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.placement import turn_z_to

if TYPE_CHECKING:
    from lagrangian.model.loop import LoopJoint


class NumericFrame:
    """A frame of plain numbers, from its homogeneous matrix in the world."""

    def __init__(self, T: np.ndarray) -> None:
        self.T = T

    @property
    def origin(self) -> v.Vector:
        return tuple(self.T[:3, 3].tolist())

    def direction(self, axis: v.Vector) -> v.Vector:
        return tuple((self.T[:3, :3] @ np.array(axis, dtype=float)).tolist())

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        x, y, z = v.transpose(turn_z_to(tuple(float(c) for c in axis)))  # type: ignore[arg-type]
        return self.direction(x), self.direction(y), self.direction(z)

    def number(self, scalar: Scalar) -> float:
        return float(scalar)

    def vanishes(self, x: float) -> bool:
        return False  # a number says nothing about other configurations: equations go along the axes of frame a


def closure(loop: LoopJoint, a: np.ndarray, b: np.ndarray) -> list[float]:
    """The values of a loop's equations, with its bodies a and b at homogeneous matrices in the world."""
    A, B = NumericFrame(a @ loop.a_placement.matrix()), NumericFrame(b @ loop.b_placement.matrix())
    return [float(eta) for _, eta in loop.closure(A, B)]
