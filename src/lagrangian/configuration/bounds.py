"""The limits of all joints of a mechanism, and configurations that keep within them."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates, single_coordinates
from lagrangian.model.mechanism import Mechanism

EDGE = 1e-9  # rad or m: by how much rounding may pass a limit


class Bounds:
    """`low` and `high` of every coordinate in `iq`, those with a speed of their own, which stands at `iv` in qd.

    Quaternions have no limits. With `kept` False no joint has any.
    """

    def __init__(self, mechanism: Mechanism, kept: bool = True) -> None:
        places = single_coordinates(mechanism)
        self.names = list(places)
        self.iq, self.iv = [q for q, _ in places.values()], [v for _, v in places.values()]
        limits = {name: joint.limits for joint in mechanism.joints for name in joint.coordinate_names}
        self.low = np.array([float(limits[name].lower) if kept else -np.inf for name in places])
        self.high = np.array([float(limits[name].upper) if kept else np.inf for name in places])
        periodic = set(periodic_coordinates(mechanism))
        self._turns = np.array([k in periodic for k in self.iq], dtype=bool)

    @property
    def finite(self) -> bool:
        """Whether any coordinate has a limit."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())

    def outside(self, q: np.ndarray) -> np.ndarray:
        """Which coordinates of one configuration, or of rows of them, are past their limits, in the order of `names`."""
        at = q[..., self.iq]
        past: np.ndarray = (at < self.low - EDGE) | (at > self.high + EDGE)
        return past

    def clipped(self, q: np.ndarray) -> np.ndarray:
        """Rows of configurations with each coordinate at the nearest value within its limits."""
        q = q.copy()
        q[:, self.iq] = np.clip(q[:, self.iq], self.low, self.high)
        return q

    def turned_inside(self, q: np.ndarray) -> np.ndarray:
        """Rows with angles outside their limits moved by the fewest whole turns that bring them in; left where none do."""
        q, at, turn = q.copy(), q[:, self.iq], 2 * np.pi
        up, down = np.ceil((self.low - EDGE - at) / turn), np.floor((self.high + EDGE - at) / turn)
        turns = np.where(at < self.low - EDGE, up, np.where(at > self.high + EDGE, down, 0.0))
        there = at + turn * np.where(self._turns, turns, 0.0)
        inside = (there >= self.low - EDGE) & (there <= self.high + EDGE)
        q[:, self.iq] = np.where(inside, there, at)
        return q

    def redrawn(self, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rows whose coordinates outside are drawn again between their limits: few places are reached from a limit itself."""
        at, bounded = q[:, self.iq], np.isfinite(self.high - self.low)
        outside = bounded & ((at < self.low) | (at > self.high))
        drawn = rng.uniform(np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0), at.shape)
        q[:, self.iq] = np.where(outside, drawn, at)
        return q
