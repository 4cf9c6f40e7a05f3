"""Coordinates of joint types that are plain numbers, whose rates are the speeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class PlainCoordinates:
    """The coordinates of types with as many coordinates as speeds: dq/dt is qd, and a step is added."""

    units: ClassVar[tuple[str, ...]]

    @property
    def neutral(self) -> tuple[float, ...]:
        return (0.0,) * len(self.units)

    def random(self, joint: Joint, rng: np.random.Generator) -> list[float]:
        """Random coordinates within the limits; without any, angles over the circle and lengths within a metre."""
        coordinates = []
        for unit in self.units:
            span = math.pi if unit == "rad" else 1.0
            low = joint.limits.lower if math.isfinite(joint.limits.lower) else -span
            high = joint.limits.upper if math.isfinite(joint.limits.upper) else span
            coordinates.append(float(rng.uniform(low, high)))
        return coordinates

    def normalise_coordinates(self, q: Sequence[Any]) -> list[Any]:
        return list(q)

    def integrate(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return q + step

    def displacement_transport(self, qd: np.ndarray) -> np.ndarray:
        return np.zeros((len(self.units), len(self.units)))

    def coordinate_rates(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        return list(qd)

    def coordinate_biases(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        return [0] * len(self.units)
