"""What lies ahead of a run beside a singular configuration, and a long step along it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.algorithms.closed.constraints import coordinate_rates
from lagrangian.configuration.mobility import SINGULAR
from lagrangian.motion.integrators.method import TURN
from lagrangian.motion.run.collocation import Bridge, bridge
from lagrangian.motion.solver import places
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.system.inputs import HELD

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# how independent the constraints are to be where the long step begins, in the order in which they are tried
FAR = (0.15, 0.05, 0.015)
# steps before now that are looked at for such a beginning
BEFORE = 100
# places in the long step at which events and constraints are looked at
LOOKS = 49
# pieces in which its interpolant is kept, which is of a lower degree
PIECES = 6
# rounding of constraints
ROUNDING = 1e-11


class Way:
    """The motion from where a run is, with its modes and torques as they are."""

    def __init__(self, run: Run) -> None:
        self.run, self.nq = run, run.system.nq
        self.t, self.y = run.stepper.t, run.stepper.y.copy()
        self.end = float(run.stepper.s[places.END])
        self.segment = Segment(run.solver, run.stepper.u, np.zeros((0, len(self.y) + 2)), self.t)
        inputs, u = run.system.inputs, self.segment.u
        held = [joint.speed for j, joint in enumerate(run.system.holdable) if u[inputs.joint(j) + HELD]]
        self._held = np.eye(run.system.nv)[held]
        self._rank = int((self._singular_values(self.y[None], self.t) > SINGULAR).sum())
        self._acceleration = self.slopes(np.array([self.t]), self.y[None])[:, self.nq :]

    # -- states ------------------------------------------------------------------------------------------------------

    def slopes(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of states, each moved onto the constraints before."""
        trajectory, nq = self.run.trajectory, self.nq
        for _ in range(2):
            y = trajectory.settled_in(self.segment, t, y)
        qdd = trajectory.outputs_in(self.segment, t, y)["qdd"]
        return np.hstack([self._rates(y[:, :nq], y[:, nq:]), qdd])

    def _rates(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        found = coordinate_rates(self.run.dyn.mechanism, list(q.T), list(qd.T))
        return np.array(np.broadcast_arrays(*found)).T

    def ahead(self, t: np.ndarray) -> np.ndarray:
        """Where the motion leads with its acceleration of now."""
        q, qd, dt = self.y[: self.nq], self.y[self.nq :], t[:, None] - self.t
        moved = self._rates(np.tile(q, (len(dt), 1)), qd + 0.5 * dt * self._acceleration)
        return np.hstack([q + dt * moved, qd + dt * self._acceleration])

    # -- how independent the constraints are -------------------------------------------------------------------------

    def _singular_values(self, y: np.ndarray, t: float | np.ndarray) -> np.ndarray:
        """Of Psi, as parts of the largest."""
        psi = self.run.dyn.constraint_jacobian(y[:, : self.nq], np.broadcast_to(t, len(y)))
        held = np.broadcast_to(self._held, (len(psi), *self._held.shape))
        found: np.ndarray = np.linalg.svd(np.concatenate([psi, held], axis=1), compute_uv=False)
        return found / found[:, :1]

    def independence(self, y: np.ndarray, t: float | np.ndarray) -> np.ndarray:
        """The least singular value of Psi of those that are not zero everywhere, as a part of the largest."""
        found: np.ndarray = self._singular_values(y, t)[:, self._rank - 1]
        return found

    def nearest(self, path: Callable[[np.ndarray], np.ndarray], until: float) -> float:
        """When, from now on, the constraints are the least independent on a path."""
        low, high = self.t, until
        for _ in range(5):
            t = np.linspace(low, high, 21)
            k = int(np.argmin(self.independence(path(t), t)))
            low, high = t[max(0, k - 1)], t[min(20, k + 1)]
        return float(t[k])

    # -- the step ----------------------------------------------------------------------------------------------------

    def starts(self) -> Iterator[tuple[float, np.ndarray]]:
        """Where a long step may begin: now, or rather before, where rounding is smaller; the furthest first."""
        steps = self.run.stepper.recent(BEFORE)
        steps = np.vstack([steps, [self.t, 0.0, *self.y]])
        apart = self.independence(steps[:, 2:], steps[:, 0])
        falling = len(apart) - 1
        while falling and apart[falling - 1] > apart[falling]:
            falling -= 1
        tried = -1
        for far in FAR:
            enough = np.flatnonzero(apart[falling:] >= far)
            k = falling + int(enough[-1]) if enough.size else falling
            if k != tried:
                yield float(steps[k, 0]), steps[k, 2:]
            tried = k

    def over(self, t: float, y: np.ndarray, undefined: float) -> Bridge | None:
        """A step from a state before, with the time of the singular configuration in its middle if the run goes on so long."""
        until = min(2 * undefined - t, self.end)
        return bridge(t, until - t, y, self.slopes, self.ahead, undefined) if until > self.t else None

    def error(self, step: Bridge) -> float:
        """How well it is resolved, in units of what the tolerances allow; endless if it leaves the constraints.

        Where branches come near each other but do not meet, the motion turns, and a step over the place does not keep them.
        """
        settings, run = self.run.settings, self.run
        size, angles = np.abs(step.y), list(run.system.angles)
        size[angles] = np.minimum(size[angles], TURN)
        t = np.linspace(step.t, step.t + step.h, LOOKS)
        if run.trajectory.violations(t, step.states(t)).max() > ROUNDING + 10 * step.rest.max():
            return np.inf
        found: np.ndarray = step.rest / (settings.atol + settings.rtol * size)
        return float(found.max())

    def before_event(self, step: Bridge) -> tuple[float, bool]:
        """Until when to take it: to its end, or to before its first event, and whether there is one."""
        until = step.t + step.h
        if not len(self.run.table):
            return until, False
        t = np.linspace(self.t, until, LOOKS)
        values = self.run.trajectory.event_values(self.segment, t, step.states(t))
        direction = np.array([direction for direction, _ in self.run.table.kinds])
        before, after = values[:-1], values[1:]
        rising, falling = (before < 0) & (after >= 0) & (direction >= 0), (before > 0) & (after <= 0) & (direction <= 0)
        seen = np.flatnonzero((rising | falling).any(axis=1))
        return (float(t[seen[0]]), True) if seen.size else (until, False)

    def pieces(self, step: Bridge, until: float) -> tuple[Segment, np.ndarray]:
        """The step from now to a time in it, as pieces with interpolants, and the state at its end."""
        degree, n = self.run.solver.method.degree, len(step.y)
        local = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
        powers = np.linalg.inv(local[1:, None] ** np.arange(1, degree + 1))
        h = (until - self.t) / PIECES
        steps, dense = np.empty((PIECES, n + 2)), np.empty((PIECES, degree * n))
        for k, begin in enumerate(self.t + h * np.arange(PIECES)):
            states = step.states(begin + local * h)
            steps[k] = [begin, h, *states[0]]
            dense[k] = (powers @ (states[1:] - states[0])).ravel()
        after = self.run.trajectory.settled_in(self.segment, np.array([until]), states[-1:])[0]
        return Segment(self.run.solver, self.run.stepper.u, steps, until, dense), after
