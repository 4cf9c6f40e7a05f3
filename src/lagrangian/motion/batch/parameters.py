"""The numbers that compiled code reads, of motions whose parameters and torques vary; and which motions it can serve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.expression.lanes import Lanes, LaneValues
from lagrangian.motion.system.system import System

FEW = 16  # motions that are not divided further in search of those that have another structure

Arrays = Mapping[str, np.ndarray]


def column(values: LaneValues, x: Scalar) -> Any:
    """A scalar of a description for every motion, or for all."""
    found = values.of(x)
    return found.value if isinstance(found, Lanes) else found


def numbers_of(system: System, varied: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Of every motion its numbers; and whether it has the system's structure, so that the same code serves.

    Samples of another structure are an error for all of a batch: the batch is divided until they are found.
    """
    count = len(next(iter(varied.values())))
    try:
        rows = system.sampled(varied).rows
        return rows, np.isfinite(rows).all(axis=1)
    except (MechanismError, ValueError, ZeroDivisionError, OverflowError):
        if count <= FEW:
            return np.zeros((count, len(system.numbers))), np.zeros(count, dtype=bool)
    half = count // 2
    parts = [numbers_of(system, {name: x[part] for name, x in varied.items()}) for part in (slice(half), slice(half, None))]
    return np.vstack([rows for rows, _ in parts]), np.concatenate([fits for _, fits in parts])
