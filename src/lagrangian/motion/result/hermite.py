"""Interpolation between rows of a motion whose integrator is not there."""

from __future__ import annotations

import numpy as np


def hermite(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Between rows, when nothing else is known: the cubic through values and slopes, of q and of qd."""
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    x = ((times - t[k]) / (t[k + 1] - t[k]))[:, None]

    def cubic(y: np.ndarray, slope: np.ndarray) -> np.ndarray:
        rise = y[k + 1] - y[k]
        return y[k] + x * (
            h * slope[k] + x * (3 * rise - h * (2 * slope[k] + slope[k + 1]) + x * (h * (slope[k] + slope[k + 1]) - 2 * rise))
        )

    rates = qd if q.shape[1] == qd.shape[1] else np.gradient(q, t, axis=0)
    return cubic(q, rates), cubic(qd, qdd)
