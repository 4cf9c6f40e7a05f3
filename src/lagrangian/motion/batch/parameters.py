"""The numbers that compiled code reads, of motions whose parameters and torques vary; and which motions it can serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lagrangian.algorithms.samples import sample_evaluator
from lagrangian.errors import MechanismError
from lagrangian.model.expression import Scalar
from lagrangian.model.expression.automatic_derivatives import DualArray
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.batch.possible import impossible
from lagrangian.motion.system.system import System

FEW = 16  # motions among which those that have another structure are not looked for: these take longer to read than to run

Arrays = Mapping[str, np.ndarray]


Compute = Callable[[Arrays], np.ndarray]


def divided(compute: Compute, varied: Arrays, width: int, few: int = 1) -> np.ndarray:
    """Rows of so many numbers for every motion; NaN where they cannot be computed, which are found by dividing the motions.

    What cannot be computed for one, or only for others than the rest, is an error for all that are computed together.
    """
    count = len(next(iter(varied.values())))
    try:
        return compute(varied)
    except (MechanismError, ValueError, ZeroDivisionError, OverflowError):
        if count <= few:
            return np.full((count, width), np.nan)
    parts = ({name: x[part] for name, x in varied.items()} for part in (slice(count // 2), slice(count // 2, None)))
    return np.vstack([divided(compute, part, width, few) for part in parts])


def numbers_of(system: System, varied: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Of every motion its numbers; and whether it has the system's structure, so that the same code serves."""

    def rows_of(some: Arrays) -> np.ndarray:
        over = system.sampled(some)
        if over.key != system.key:
            raise MechanismError("these samples have another structure")
        return over.numbers.sample_rows

    rows = divided(rows_of, varied, len(system.numbers), FEW)
    served = np.isfinite(rows).all(axis=1)
    if varied and served.any():
        some = {name: x[served] for name, x in varied.items()}
        served[served] = ~impossible(*sample_evaluator(system.mechanism, some), int(served.sum()))
    return rows, served


def columns_of(mechanism: Mechanism, row: Sequence[Scalar], varied: Arrays, count: int) -> np.ndarray:
    """A row of a description, whose entries may be written with parameters, of all motions."""

    def compute(some: Arrays) -> np.ndarray:
        values = sample_evaluator(mechanism, some)[1]
        found = np.empty((len(next(iter(some.values()))), len(row)))
        for k, x in enumerate(row):
            value = values.evaluate(x)
            found[:, k] = value.value if isinstance(value, DualArray) else value
        return found

    return divided(compute, varied, len(row)) if varied else np.repeat(np.array([row], dtype=float), count, axis=0)
