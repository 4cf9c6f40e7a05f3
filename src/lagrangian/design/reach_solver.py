"""Which positions a frame can reach: Newton's method for many positions at once, within joint limits and with loops closed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lagrangian.configuration.coordinates import CoordinateBounds
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism

POSITION_TOLERANCE = 1e-11  # of the Jacobian's size: positions that are missed by less are reached
ITERATIONS, NEARBY_ITERATIONS = 30, 18  # of Newton's method, from far away and from a position nearby
HALVINGS = 30  # of the way from a position that is reached to one that is not
AT_LIMIT_TOLERANCE = 1e-7  # rad or m: a joint nearer to its limit is at it


@dataclass(eq=False)
class ReachSolver:
    """Brings a frame's origin to positions, in coordinates along `basis` (k, 3) about `origin`: equations for Newton's method."""

    dyn: Dynamics
    frame: str
    basis: np.ndarray
    origin: np.ndarray
    bounds: CoordinateBounds
    _targets: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), init=False)

    def __post_init__(self) -> None:
        self._loops = LoopClosure(self.dyn)
        self._newton = Newton(self, bounds=self.bounds, iterations=ITERATIONS)
        self._nearby = Newton(self, bounds=self.bounds, iterations=NEARBY_ITERATIONS)

    @property
    def mechanism(self) -> Mechanism:
        return self.dyn.mechanism

    def positions(self, q: np.ndarray) -> np.ndarray:
        """The positions of the frame at rows of configurations."""
        positions: np.ndarray = (np.asarray(self.dyn.pose(q, self.frame))[:, :3, 3] - self.origin) @ self.basis.T
        return positions

    def to_world(self, positions: np.ndarray) -> np.ndarray:
        """Positions as points (x, y, z) in the world."""
        points: np.ndarray = positions @ self.basis + self.origin
        return points

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        error = self.positions(q) - self._targets[rows]
        return np.hstack([self.dyn.closure(q), error]) if self._loops else error

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        J: np.ndarray = self.basis @ np.asarray(self.dyn.jacobian(q, self.frame))[:, 3:]
        return np.concatenate([self.dyn.constraint_jacobian(q)[:, self.dyn.holonomic], J], axis=1) if self._loops else J

    def solve(self, targets: np.ndarray, guess: np.ndarray, nearby: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Configurations that bring the frame to targets, from guesses, and which of them do."""
        if not len(targets):
            return guess, np.zeros(0, dtype=bool)
        self._targets = targets
        solution = (self._nearby if nearby else self._newton).solve(guess)
        converged = solution.violation <= POSITION_TOLERANCE
        return solution.q, converged & self._loops.alignment.is_aligned(solution.q) if self._loops else converged

    def limit_corners(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations with the joints at the limits that hold in the neighbours a or b, and which of them exist.

        Where the boundary passes from one limit to another, it has a corner in which both hold.
        """
        iq, low, high = self.bounds.iq, self.bounds.low, self.bounds.high

        def reached_limits(q: np.ndarray) -> np.ndarray:
            """The limit at which each joint is; NaN for a joint that is at none."""
            is_low, is_high = (np.abs(q[:, iq] - x) < AT_LIMIT_TOLERANCE for x in (low, high))
            return np.where(is_low, low, np.where(is_high, high, np.nan))

        limit = [reached_limits(q) for q in (a, b)]
        gained, lost = np.isnan(limit[0]) & ~np.isnan(limit[1]), ~np.isnan(limit[0]) & np.isnan(limit[1])
        change = np.asarray(gained.any(axis=1) & lost.any(axis=1))
        limit_values = np.where(np.isnan(limit[0]), limit[1], limit[0])
        q, is_corner = a.copy(), change.copy()
        q[:, iq] = np.where(np.isnan(limit_values) | ~change[:, None], q[:, iq], limit_values)
        for k in np.flatnonzero(change) if self._loops else ():
            names = [n for n, x in zip(self.bounds.names, limit_values[k], strict=True) if not np.isnan(x)]
            closed = LoopClosure(self.dyn, 0.0, names).nearest(q[k])
            q[k], is_corner[k] = (
                closed.q[0],
                closed.violation[0] <= POSITION_TOLERANCE and not self.bounds.is_outside(closed.q[0]).any(),
            )
        return q, is_corner

    def solve_from_both(
        self, targets: np.ndarray, a: np.ndarray, b: np.ndarray, nearby: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same from two guesses for each target, which may be on different branches."""
        n = len(targets)
        q, converged = self.solve(np.vstack([targets, targets]), np.vstack([a, b]), nearby)
        return np.where(converged[:n, None], q[:n], q[n:]), converged[:n] | converged[n:]

    def furthest_reachable(
        self, a: np.ndarray, b: np.ndarray, inside: np.ndarray, outside: np.ndarray, halvings: int = HALVINGS
    ) -> tuple[np.ndarray, np.ndarray]:
        """The furthest positions that can be reached on the lines from inside to outside, from configurations a or b."""
        low, high, configurations = np.zeros(len(a)), np.ones(len(a)), a.copy()
        for _ in range(halvings):
            middle = (low + high) / 2
            q, converged = self.solve_from_both(inside + middle[:, None] * (outside - inside), configurations, b, nearby=True)
            configurations = np.where(converged[:, None], q, configurations)
            low, high = np.where(converged, middle, low), np.where(converged, high, middle)
        return inside + low[:, None] * (outside - inside), configurations
