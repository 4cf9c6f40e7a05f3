"""The extremes of a motion that was made by itself, from the interpolants of its steps: see `extremes`."""

from __future__ import annotations

import numpy as np

from lagrangian.motion.batch.extremes import PLACES
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.solver.segment import Segment

TURNS = 6  # parabolas, each a tenth as wide as the one before


def extremes_of(trajectory: Trajectory) -> np.ndarray:
    """Least and greatest values of the state, and the times of each: (4, n)."""
    n = len(trajectory.y)
    found = np.array([trajectory.y, trajectory.y, np.full(n, trajectory.t), np.full(n, trajectory.t)])
    for segment in trajectory.segments:
        steps, count = segment.steps, len(segment.steps)
        part = (np.append(steps[1:, 0], segment.until) - steps[:, 0]) / steps[:, 1]
        theta = part[:, None] * (np.arange(PLACES + 1) / PLACES)
        y = trajectory.replayed(segment, np.repeat(np.arange(count), PLACES + 1), theta.ravel()).reshape(count, PLACES + 1, n)
        for i in range(n):
            for row, sign in ((0, -1.0), (1, 1.0)):
                best = np.argmax(sign * y[:, :, i], axis=1)
                value, at = _refined(trajectory, segment, i, sign, theta[np.arange(count), best], part)
                k = int(np.argmax(sign * value))
                if sign * value[k] > sign * found[row, i]:
                    found[row, i], found[row + 2, i] = value[k], steps[k, 0] + at[k] * steps[k, 1]
    return found


def _refined(
    trajectory: Trajectory, segment: Segment, i: int, sign: float, at: np.ndarray, part: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The best of every step near a place in it, and where: by parabolas through three places."""
    which, reach = np.arange(len(at)), part / PLACES

    def values(theta: np.ndarray) -> np.ndarray:
        return trajectory.replayed(segment, which, theta)[:, i]

    best, best_at = values(at), at
    for _ in range(TURNS):
        low, high = np.maximum(0.0, best_at - reach), np.minimum(part, best_at + reach)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        a, b, c = values(low), values(middle), values(high)
        bend = a - 2 * b + c
        with np.errstate(all="ignore"):
            near = np.clip(np.nan_to_num(middle + 0.5 * half * (a - c) / bend, nan=0.0), low, high)
        for place, value in ((middle, b), (low, a), (high, c), (near, values(near))):
            wins = sign * value > sign * best
            best, best_at = np.where(wins, value, best), np.where(wins, place, best_at)
        reach = 0.1 * reach
    return best, best_at
