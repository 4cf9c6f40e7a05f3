"""Newton's method for configurations that solve equations, such as those of closed loops or of a frame's pose.

    q <- q moved by x,    x = -A^T (A A^T + d s I)^-1 r,    r = residual(q),  A = its slopes along the speeds

With the smallest damping d, that is Newton's step: the smallest x with A x = -r, by least squares where equations depend on each
other (Ben-Israel 1966). A step that does not reduce the residual is rejected, and tried again with more damping (Levenberg 1944,
Marquardt 1963; for inverse kinematics Nakamura and Hanafusa 1986, Wampler 1986). s is the rows' mean square: d has no units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lagrangian.configuration.coordinates import CoordinateBounds, integrate
from lagrangian.kernels.kernel import suppress_finite_checks
from lagrangian.model.mechanism import Mechanism

RESIDUAL_TOLERANCE = 1e-14  # of the largest slope: smaller residuals are rounding
STEP_TOLERANCE = 1e-8  # rad or m: after a full step this short the next one would be rounding
MAX_STEP = 1.0  # rad or m, in a step
MIN_DAMPING, RAISED_DAMPING, MAX_DAMPING = 1e-13, 1e-6, 1e8  # first damping, damping after a rejected step, last damping


class ConfigurationEquations(Protocol):
    """Equations of coordinates, for rows of configurations at their times.

    `rows` are the indices of these configurations among all that are solved, for equations that differ between them.
    """

    @property
    def mechanism(self) -> Mechanism: ...

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The residual of each equation: (n, equations)."""
        ...

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The slopes of the residuals along the speeds: (n, equations, nv)."""
        ...


@dataclass(frozen=True, eq=False)
class NewtonResult:
    """Rows of final configurations, the largest residual of each over its largest slope, and the distance from the start."""

    q: np.ndarray
    violation: np.ndarray
    distance: np.ndarray

    def row(self, k: int) -> NewtonResult:
        """The result of one configuration."""
        return NewtonResult(self.q[k : k + 1], self.violation[k : k + 1], self.distance[k : k + 1])


@dataclass(frozen=True, eq=False)
class Newton:
    """Newton's method on one set of equations.

    `free` is 1 for speeds that may change and 0 for fixed ones. `units` is a unit for each speed, such as a mechanism's size for
    lengths. The solution stays within `bounds`. With `damped`, it is safe from afar. Without, every step is accepted, and the
    method stops for configurations further away than `max_distance`.
    """

    equations: ConfigurationEquations
    free: np.ndarray | None = None
    units: np.ndarray | None = None
    bounds: CoordinateBounds | None = None
    damped: bool = True
    iterations: int = 150
    max_distance: float = np.inf

    @suppress_finite_checks()
    def solve(self, q: np.ndarray, t: float | np.ndarray = 0.0) -> NewtonResult:
        """Solve from rows of configurations, all at once."""
        equations, model, n = self.equations, self.equations.mechanism, len(q)
        q = self.bounds.clip(q) if self.bounds is not None else q.copy()
        times, all_rows = np.broadcast_to(t, (n,)), np.arange(n)
        r = equations.residual(q, times, all_rows)
        error, damping, size, distance = (r * r).sum(axis=1), np.full(n, MIN_DAMPING), np.ones(n), np.zeros(n)
        is_active = np.full(n, bool(r.shape[1]))
        for _ in range(self.iterations):
            is_active &= np.abs(r).max(axis=1, initial=0.0) > RESIDUAL_TOLERANCE * size
            k = np.flatnonzero(is_active)
            if not k.size:
                break
            A = equations.jacobian(q[k], times[k], k)
            size[k] = np.maximum(1.0, np.abs(A).max(axis=(1, 2), initial=0.0))
            x = self._step(q[k], A, r[k], damping[k])
            trial = integrate(model, q[k], x if self.units is None else x * self.units)
            trial_r = equations.residual(trial, times[k], k)
            trial_error, length = (trial_r * trial_r).sum(axis=1), np.abs(x).max(axis=1, initial=0.0)
            is_better = trial_error < error[k] if self.damped else np.ones(len(k), dtype=bool)
            accepted = k[is_better]
            q[accepted], r[accepted], error[accepted] = trial[is_better], trial_r[is_better], trial_error[is_better]
            distance[accepted] += length[is_better]
            is_solved = is_better & (length < STEP_TOLERANCE) & (damping[k] <= MIN_DAMPING)
            is_stuck = ~is_better & ((damping[k] > MAX_DAMPING) | (error[k] < 1e-26))
            damping[k] = np.where(
                is_better, np.maximum(damping[k] / 10, MIN_DAMPING), np.maximum(RAISED_DAMPING, 10 * damping[k])
            )
            is_active[k] = ~(is_solved | is_stuck | (distance[k] > self.max_distance))
        return NewtonResult(q, np.abs(r).max(axis=1, initial=0.0) / size, distance)

    def _step(self, q: np.ndarray, A: np.ndarray, r: np.ndarray, damping: np.ndarray) -> np.ndarray:
        """Steps of at most MAX_STEP; joints stop at their limits, and the others compensate."""
        A = A if self.units is None else A * self.units
        free = np.ones((len(A), A.shape[2])) * (1.0 if self.free is None else self.free)
        x = _damped_step(A * free[:, None, :], r, damping)
        if self.bounds is None:
            return x
        bounds, limited_step = self.bounds, np.zeros_like(x)
        values = q[:, bounds.iq]
        for _ in range(2):
            reached = values + x[:, bounds.iv]
            is_past = (free[:, bounds.iv] > 0) & ((reached < bounds.low) | (reached > bounds.high))
            if not is_past.any():
                break
            limited_step[:, bounds.iv] = np.where(
                is_past, np.clip(reached, bounds.low, bounds.high) - values, limited_step[:, bounds.iv]
            )
            free[:, bounds.iv] *= ~is_past
            x = limited_step + _damped_step(A * free[:, None, :], r + np.einsum("nij,nj->ni", A, limited_step), damping)
        x[:, bounds.iv] = np.clip(values + x[:, bounds.iv], bounds.low, bounds.high) - values
        return x


def _damped_step(A: np.ndarray, r: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """The damped step of each row, none longer than MAX_STEP."""
    gram = A @ np.swapaxes(A, 1, 2)
    m = A.shape[1]
    scale = np.maximum(np.trace(gram, axis1=1, axis2=2) / max(1, m), 1e-30)
    gram += (damping * scale)[:, None, None] * np.eye(m)
    x = -np.einsum("nij,ni->nj", A, np.linalg.solve(gram, r[..., None])[..., 0])
    x *= np.minimum(1.0, MAX_STEP / np.maximum(np.abs(x).max(axis=1, keepdims=True, initial=0.0), 1e-300))
    return x
