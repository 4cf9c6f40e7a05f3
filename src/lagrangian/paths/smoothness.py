"""Whether speeds and accelerations that are given are the derivatives of what they belong to, and nothing jumps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError

INTERVALS, HALVINGS, WORST = 400, 12, 8
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
OFF = 1e-3  # of the largest speed: what differences may be off, since functions may come from tables


def check_derivatives(motion: Any, duration: float, start: float, what: Sequence[str] | Callable[[int], str]) -> None:
    """By Gauss's quadrature x(b) - x(a) is the integral of x'. Where it is not, the interval is halved until it is, or is tiny.

    A jump of x stays as large as it is, and what is no derivative stays wrong in proportion; a jump of x' alone is no mistake.
    `what` are the names of the columns, as messages begin with them.
    """
    ends = np.linspace(0.0, duration, INTERVALS + 1)
    _, off, allowed = _off(motion, ends[:-1], ends[1:])
    found = np.argwhere(off > allowed)
    for order, k, column in found[np.lexsort((-off[off > allowed], found[:, 0]))][:WORST]:  # those of q first
        a, b, first = ends[k], ends[k + 1], off[order, k, column]
        for _ in range(HALVINGS):
            low, high = np.array([a, (a + b) / 2]), np.array([(a + b) / 2, b])
            values, halves, may = _off(motion, low, high)
            half = int(np.argmax(halves[order, :, column]))
            a, b = low[half], high[half]
        missing, x, slopes = halves[order, half, column], *(values[order + d][half, :, column] for d in (0, 1))
        if missing <= may[order, half, column] + (b - a) * np.ptp(slopes):
            continue
        name = what[column] if not callable(what) else what(int(column))
        when = f"t = {start + (a + b) / 2:.6g} s"
        if missing > 0.5 * first:
            jumps = "its speed jumps" if order else "its value jumps"
            before, after = motion(np.clip([2 * a - b, 2 * b - a], 0.0, duration))[order][:, column]
            raise ArgumentError(
                f"{name}: {jumps} from {before:.6g} to {after:.6g} at {when}; the position and the speed of a path must be "
                f"continuous"
            )
        of, by = ("q", "qd") if not order else ("qd", "qdd")
        raise ArgumentError(
            f"{name}: {by} is not the derivative of {of}: at {when} it is {slopes[0]:.6g}, and {of} changes by "
            f"{(x[-1] - x[0]) / (b - a):.6g} per second"
        )


def _off(motion: Any, a: np.ndarray, b: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Of q, qd and qdd the values in each interval, (intervals, nodes, columns); and of q and qd what is missing, and may be."""
    width = (b - a)[:, None]
    times = np.hstack([a[:, None], a[:, None] + width * (NODES + 1) / 2, b[:, None]])
    values = [x.reshape(*times.shape, -1) for x in motion(times.ravel())]
    missing, allowed = [], []
    for x, slope in pairwise(values):
        missing.append(np.abs(x[:, -1] - x[:, 0] - width / 2 * np.einsum("snc,n->sc", slope[:, 1:-1], WEIGHTS)))
        largest, fastest = (np.abs(y).max(axis=(0, 1)) for y in (x, slope))
        rounding = np.finfo(float).eps * (8 * largest + 4 * np.abs(b).max() * fastest)
        allowed.append(OFF * width * fastest + rounding)
    return values, np.array(missing), np.array(allowed)
