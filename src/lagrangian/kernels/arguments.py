"""Arguments of compiled functions: checked, and brought into the rows of doubles that machine code reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError

Wrenches = Mapping[str, ArrayLike] | None


def rows_of(
    where: str, names: Sequence[str], sizes: Sequence[int], arguments: Sequence[Any]
) -> tuple[list[np.ndarray], int | None]:
    """Arguments as contiguous float64 rows, and the batch size; None for a single state."""
    if len(arguments) != len(names):
        raise ArgumentError(f"{where} takes {len(names)} arguments ({', '.join(names)}), not {len(arguments)}")
    arrays: list[np.ndarray] = []
    batch: int | None = None
    for name, n, given in zip(names, sizes, arguments, strict=True):
        array = given if type(given) is np.ndarray and given.dtype == np.float64 else _as_float(where, name, given)
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            needed = f"({n},) for one state or (batch, {n}) for many is needed"
            raise ArgumentError(f"has shape {array.shape}", where=where, argument=name, remedy=needed)
        if array.ndim == 2:
            if batch not in (None, 1, len(array)) and len(array) != 1:
                several = f"has {len(array)} rows where another argument has {batch}"
                raise ArgumentError(several, where=where, argument=name, remedy="they must agree")
            batch = len(array) if batch in (None, 1) else batch
        arrays.append(array)
    rows = 1 if batch is None else batch
    return [a if a.ndim == 2 and len(a) == rows and a.flags.c_contiguous else _rows(a, rows) for a in arrays], batch


def _rows(array: np.ndarray, rows: int) -> np.ndarray:
    """Contiguous rows; a single one is repeated."""
    if array.ndim == 2 and len(array) == rows:
        return np.ascontiguousarray(array)
    return np.ascontiguousarray(
        array.reshape(1, -1) if array.ndim == 1 and rows == 1 else np.broadcast_to(array, (rows, array.shape[-1]))
    )


def _as_float(where: str, name: str, given: Any) -> np.ndarray:
    try:
        return floats(given)
    except TypeError as error:
        raise ArgumentError(str(error), where=where, argument=name, remedy="real numbers (float64) are needed") from None


def wrenches_of(given: Wrenches) -> Mapping[str, ArrayLike]:
    """Wrenches as a mapping from frames; anything else is refused."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        example = '{"tool": (mx, my, mz, fx, fy, fz)}'
        raise ArgumentError(
            f"is a {type(given).__name__}",
            argument="wrenches",
            remedy=f"a mapping from frames to moment and force is needed: {example}",
        )
    return given


def result_rows(where: str, count: int, size: int) -> np.ndarray:
    """Room for the results of `count` states. It starts a cache line: whole vectors then never straddle two."""
    try:
        if count * size <= 64:
            return np.empty((count, size))
        room = np.empty(count * size + 8)
    except MemoryError:
        gigabytes = count * size * 8 / 1e9
        raise ArgumentError(f"{where}: the result would take {gigabytes:.0f} GB; there is not that much memory") from None
    start = (-room.ctypes.data // 8) % 8
    return room[start : start + count * size].reshape(count, size)
