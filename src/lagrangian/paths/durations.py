"""How long a path takes: as was said, or as limits of speed and acceleration need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, shown
from lagrangian.paths.curves import Line
from lagrangian.paths.orientation import Slerp
from lagrangian.paths.path import Run
from lagrangian.paths.timing import Timing, quickest, timed

GRID = 4001  # points at which the fastest and the strongest are looked for


def given(timing: str, duration: Any, ramp: Any, *limits: Any) -> Timing:
    """A timing of a duration, if no limits are given besides."""
    if any(x is not None for x in limits):
        raise ArgumentError("give a duration, or limits of speed and acceleration, not both", concerns="duration")
    return timed(timing, duration, ramp)


def within(parts: Sequence[tuple[Any, Any, Any]], timing: str, ramp: float | None = None, each: bool = False) -> Timing:
    """The timing of curves that are run through together, each with its limits of speed and acceleration.

    Limits are of every coordinate if `each`, else of the speed as a whole. It is the quickest for straight lines; curved ones
    keep the timing's shape, and it is drawn out until the limits are kept.
    """
    timed(timing, 1.0)
    if ramp is not None:
        raise ArgumentError(
            "`ramp` needs a duration; with limits of speed and acceleration the ramp follows from them", concerns="ramp"
        )
    shape, straight = timed(timing, 1.0), True
    fastest = strongest = math.inf  # of s, on a straight line
    longest, moves, bound = 0.0, False, False
    for curve, speed, acceleration in parts:
        v, a = _most(Run(curve, shape), shape.breaks, each)
        _, slope, _ = curve(np.array([0.0]))
        length = np.abs(slope[0]) if each else np.array([np.linalg.norm(slope[0])])
        v_max, a_max = _limit(speed, len(v), "speed"), _limit(acceleration, len(v), "acceleration")
        moving = v > 0
        bound |= bool(np.isfinite(np.concatenate([v_max[moving], a_max[moving]])).any())
        moves |= bool(moving.any())
        straight &= isinstance(curve, (Line, Slerp))
        if moving.any():
            longest = max(longest, float((v / v_max).max()), math.sqrt(float((a / a_max).max())))
            fastest = min(fastest, float((v_max[moving] / length[moving]).min())) if straight else fastest
            strongest = min(strongest, float((a_max[moving] / length[moving]).min())) if straight else strongest
    if not moves:
        raise ArgumentError(
            "the path does not move, so limits give no duration; give a duration, or use paths.dwell", concerns="duration"
        )
    if not bound:
        raise ArgumentError("the path has no duration; give one, or limits of speed and acceleration", concerns="duration")
    return quickest(timing, fastest, strongest) if straight else timed(timing, longest)


def _most(run: Run, breaks: Sequence[float], each: bool) -> tuple[np.ndarray, np.ndarray]:
    """The largest speeds and accelerations on the way, looked for ever closer around the largest that were seen."""

    def sizes(t: np.ndarray) -> np.ndarray:
        _, v, a = run(t)
        return np.abs(np.hstack([v, a])) if each else np.column_stack([np.linalg.norm(x, axis=1) for x in (v, a)])

    grid = np.linspace(0.0, 1.0, GRID)
    grid = np.union1d(grid, [np.nextafter(x, side) for x in breaks for side in (0.0, 1.0)])
    seen = sizes(grid)
    most = seen.max(axis=0)
    for c, at in enumerate(grid[np.argmax(seen, axis=0)]):
        width = 1 / (GRID - 1)
        for _ in range(4):
            near = np.clip(np.linspace(at - width, at + width, 41), 0.0, 1.0)
            found = sizes(near)[:, c]
            at, most[c], width = near[np.argmax(found)], max(most[c], found.max()), width / 20
    return most[: len(most) // 2], most[len(most) // 2 :]


def _limit(given: Any, n: int, what: str) -> np.ndarray:
    if given is None:
        return np.full(n, math.inf)
    try:
        x = np.broadcast_to(floats(given), (n,))
    except (TypeError, ValueError):
        x = np.zeros(n)
    if not (x > 0).all():
        raise ArgumentError(
            f"is {shown(given)}", argument=what, remedy=f"a positive number{f', or {n} of them,' * (n > 1)} is needed"
        )
    return x
