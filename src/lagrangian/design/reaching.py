"""Whether places can be reached: Newton's method for many places at once, within the joints' limits and with loops closed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.newton import Newton
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism

MET = 1e-11  # of the slopes' size: places that are missed by less are reached
TRIES, NEARBY = 30, 18  # steps of Newton's method, from afar and from the place before
HALVINGS = 30
AT_LIMIT = 1e-7  # rad or m


@dataclass(eq=False)
class Reaching:
    """Places of a frame's origin, in coordinates along `basis` (k, 3) about `origin`, as equations for Newton's method."""

    dyn: Dynamics
    frame: str
    basis: np.ndarray
    origin: np.ndarray
    bounds: Bounds
    _wanted: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), init=False)

    def __post_init__(self) -> None:
        self._loops = Loops(self.dyn)
        self._newton = Newton(self, bounds=self.bounds, iterations=TRIES)
        self._nearby = Newton(self, bounds=self.bounds, iterations=NEARBY)

    @property
    def mechanism(self) -> Mechanism:
        return self.dyn.mechanism

    def places(self, q: np.ndarray) -> np.ndarray:
        """Where the frame is at rows of configurations."""
        found: np.ndarray = (np.asarray(self.dyn.pose(q, self.frame))[:, :3, 3] - self.origin) @ self.basis.T
        return found

    def world(self, places: np.ndarray) -> np.ndarray:
        """Places as points (x, y, z)."""
        found: np.ndarray = places @ self.basis + self.origin
        return found

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        off = self.places(q) - self._wanted[rows]
        return np.hstack([self.dyn.closure(q), off]) if self._loops else off

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        J: np.ndarray = self.basis @ np.asarray(self.dyn.jacobian(q, self.frame))[:, 3:]
        return np.concatenate([self.dyn.constraint_jacobian(q)[:, self.dyn.holonomic], J], axis=1) if self._loops else J

    def reached(self, places: np.ndarray, guess: np.ndarray, nearby: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Configurations that bring the frame to places, from rows to begin with; and which of them do."""
        if not len(places):
            return guess, np.zeros(0, dtype=bool)
        self._wanted = places
        found = (self._nearby if nearby else self._newton).solve(guess)
        good = found.miss <= MET
        return found.q, good & self._loops.alignment.met(found.q) if self._loops else good

    def corners(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations in which the joints are at limits that have them in neighbours a or b; and which there are.

        Where the boundary passes from one limit to another, it has a corner in which both hold.
        """
        iq, low, high = self.bounds.iq, self.bounds.low, self.bounds.high
        limit = [
            np.where(np.abs(q[:, iq] - low) < AT_LIMIT, low, np.where(np.abs(q[:, iq] - high) < AT_LIMIT, high, np.nan))
            for q in (a, b)
        ]
        new, old = np.isnan(limit[0]) & ~np.isnan(limit[1]), ~np.isnan(limit[0]) & np.isnan(limit[1])
        change = np.asarray(new.any(axis=1) & old.any(axis=1))
        both = np.where(np.isnan(limit[0]), limit[1], limit[0])
        q, found = a.copy(), change.copy()
        q[:, iq] = np.where(np.isnan(both) | ~change[:, None], q[:, iq], both)
        for k in np.flatnonzero(change) if self._loops else ():
            names = [n for n, x in zip(self.bounds.names, both[k], strict=True) if not np.isnan(x)]
            near = Loops(self.dyn, 0.0, names).nearest(q[k])
            q[k], found[k] = near.q[0], near.miss[0] <= MET and not self.bounds.outside(near.q[0]).any()
        return q, found

    def reached_from(
        self, places: np.ndarray, a: np.ndarray, b: np.ndarray, nearby: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same from two rows to begin with for each place, which may be of different branches."""
        n = len(places)
        q, good = self.reached(np.vstack([places, places]), np.vstack([a, b]), nearby)
        return np.where(good[:n, None], q[:n], q[n:]), good[:n] | good[n:]

    def furthest(
        self, a: np.ndarray, b: np.ndarray, inside: np.ndarray, outside: np.ndarray, halvings: int = HALVINGS
    ) -> tuple[np.ndarray, np.ndarray]:
        """The last places that can be reached on the ways from places inside to places outside, from configurations a or b."""
        low, high, found = np.zeros(len(a)), np.ones(len(a)), a.copy()
        for _ in range(halvings):
            middle = (low + high) / 2
            q, good = self.reached_from(inside + middle[:, None] * (outside - inside), found, b, nearby=True)
            found = np.where(good[:, None], q, found)
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return inside + low[:, None] * (outside - inside), found
