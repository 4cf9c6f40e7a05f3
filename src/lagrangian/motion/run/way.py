"""What lies ahead of a run beside a singular configuration, and a long step along it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import brentq

from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.configuration.mobility import SINGULAR_TOLERANCE
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.kernels.least_squares import scaled_minimum_norm_solution
from lagrangian.motion.integrators.method import TURN
from lagrangian.motion.run.collocation import Bridge, bridge
from lagrangian.motion.solver import places
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.system.inputs import HELD

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# how independent the constraints are to be where the way ahead is judged from: clear of rounding, and not far away
CLEAR, NEAR = 0.01, 0.15
# how independent the constraints are to be where the long step begins, in the order in which they are tried
FAR = (0.15, 0.05, 0.015, 0.005, 0.0015)
# below this a motion begins beside the place
BESIDE = 0.015
# rows of Psi are scaled to the same size, but for those below this part of the largest
SMALL_ROW = 0.01
# steps before now that are looked at for such a beginning
BEFORE = 100
# places in each of them
WITHIN = 9
# rad/s or m/s: what moves no faster rests, and the place is not passed
REST = 1e-9
# of its speeds from those on a branch, as a part of them: a start may have speeds of none
SPEEDS_OFF = 1e-6
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
        self.end = min(run.until, run.end)
        self.segment = Segment(run.solver, run.stepper.u, np.zeros((0, len(self.y) + 2)), self.t)
        inputs, u = run.system.inputs, self.segment.u
        held = [joint.speed for j, joint in enumerate(run.system.holdable) if u[inputs.joint(j) + HELD]]
        self._held = np.eye(run.system.nv)[held]
        self.rank = 0
        self._steps = np.vstack([run.stepper.recent(BEFORE), [self.t, 0.0, *self.y]])
        self._scale = self._row_scale()
        self._apart = self._falling()
        clear = np.flatnonzero((self._apart >= CLEAR) & (self._apart <= NEAR))
        self._base = self._steps[clear[-1] if clear.size else -1]
        self.acceleration = self.slopes(self._base[:1], self._base[None, 2:])[0, self.nq :]
        self._bend = (
            self.acceleration if self._apart[-1] > SINGULAR_TOLERANCE else 0 * self.acceleration
        )  # at the place it is not known

    def _falling(self) -> np.ndarray:
        """How independent the constraints were at the last steps, as far back as it falls; others are forgotten."""
        values = self._singular_values(self._steps[:, 2:], self._steps[:, 0])
        known = self.run.settings.rank + len(self._held) if self.run.settings.rank else 0
        self.rank = max(known, int((values > SINGULAR_TOLERANCE).sum(axis=1).max()))
        apart = values[:, self.rank - 1]
        first = len(apart) - 1
        while first and apart[first - 1] > apart[first] and self._falls_within(first - 1):
            first -= 1
        self._steps = self._steps[first:]
        return apart[first:]

    def _falls_within(self, k: int) -> bool:
        """Whether it falls all through a step. A long step may have passed another such place, and leads nowhere from there."""
        t, q, qd = self._steps[k : k + 2, 0], self._steps[k : k + 2, 2 : 2 + self.nq], self._steps[k : k + 2, 2 + self.nq :]
        within = np.linspace(t[0], t[1], WITHIN)
        apart = self.independence(CubicHermiteSpline(t, q, self._rates(q, qd))(within), within)
        return bool((np.diff(apart) < 0).all())

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
        """Where the motion leads with its last acceleration that is clear."""
        q, qd, dt = self._base[2 : 2 + self.nq], self._base[2 + self.nq :], t[:, None] - self._base[0]
        moved = self._rates(np.tile(q, (len(dt), 1)), qd + 0.5 * dt * self._bend)
        return np.hstack([q + dt * moved, qd + dt * self._bend])

    # -- how independent the constraints are -------------------------------------------------------------------------

    def psi(self, y: np.ndarray, t: float | np.ndarray) -> np.ndarray:
        """Of states, with a row for every joint that is held."""
        psi = finite_jacobian(self.run.dyn, y[:, : self.nq], np.broadcast_to(t, len(y)))
        return np.concatenate([psi, np.broadcast_to(self._held, (len(psi), *self._held.shape))], axis=1)

    def _singular_values(self, y: np.ndarray, t: float | np.ndarray) -> np.ndarray:
        """Of Psi, its rows scaled, as parts of the largest."""
        found: np.ndarray = np.linalg.svd(self._scale * self.psi(y, t), compute_uv=False)
        return found / np.where(found[:, :1] > 0, found[:, :1], 1.0)  # where all slopes are zero, none is independent

    def _row_scale(self) -> np.ndarray:
        """What makes rows about as large as each other, whatever their units: millimetres are not less independent than radians.

        It is that of the steps before, not of every state: a row that vanishes at the place is to be seen to.
        """
        sizes = np.linalg.norm(self.psi(self._steps[:, 2:], self._steps[:, 0]), axis=2).max(axis=0, initial=0.0)
        floor = SMALL_ROW * sizes.max(initial=0.0)
        found: np.ndarray = 1 / np.maximum(sizes, floor if floor > 0 else 1.0)
        return found[:, None]

    def rank_at(self, y: np.ndarray, t: float) -> int:
        """At a state."""
        return int((self._singular_values(y, t) > SINGULAR_TOLERANCE).sum())

    def is_led_away(self) -> bool:
        """Whether constraints that change with time lead what is at rest out of a singular configuration."""
        dyn = self.run.dyn
        if not dyn.depends_on_time or not np.isfinite(self.end):
            return False
        t = np.linspace(self.t, self.end, LOOKS)
        states = np.tile(self.y, (LOOKS, 1))
        rates = dyn.constraint_rate(states[:, : self.nq], 0 * states[:, self.nq :], t)
        speeds = scaled_minimum_norm_solution(dyn.constraint_jacobian(states[:, : self.nq], t), -rates)
        size = np.abs(speeds).max(axis=1)
        moves = size > REST
        states[moves, : self.nq] += NEAR * self._rates(states[moves, : self.nq], speeds[moves] / size[moves, None])
        return bool(
            (self._singular_values(states, t) > SINGULAR_TOLERANCE).sum(axis=1).max() > self.rank_at(self.y[None], self.t)
        )

    def independence(self, y: np.ndarray, t: float | np.ndarray) -> np.ndarray:
        """The least singular value of Psi of those that are not zero everywhere, as a part of the largest."""
        found: np.ndarray = self._singular_values(y, t)[:, self.rank - 1]
        return found

    def nearest(self, path: Callable[[np.ndarray], np.ndarray], since: float, until: float) -> float:
        """When the constraints are the least independent on a path."""
        low, high = since, until
        for _ in range(7):
            t = np.linspace(low, high, 21)
            k = int(np.argmin(self.independence(path(t), t)))
            low, high = t[max(0, k - 1)], t[min(20, k + 1)]
        return float(t[k])

    def expected(self) -> float | None:
        """When the place will be passed, or was if the motion begins beside it; None if it does not come nearer."""
        t, y = float(self._base[0]), self._base[2:]
        speed = float(np.abs(y[self.nq :]).max())
        if speed < REST:
            return None
        apart = float(self.independence(y[None], t)[0])
        soon = 1e-4 * apart / speed
        fall = apart - float(self.independence(self.ahead(np.array([t + soon])), t + soon)[0])
        if soon > 0 and fall > 0:
            return self.nearest(self.ahead, t, t + 3 * soon * apart / fall)
        return t if apart < BESIDE else None

    # -- the step ----------------------------------------------------------------------------------------------------

    def starts(self) -> Iterator[np.ndarray]:
        """Where a long step may begin, as t, h, y: rather before, where rounding is smaller, the furthest first; at last now."""
        tried = -1
        for far in FAR:
            enough = np.flatnonzero(self._apart >= far)
            k = int(enough[-1]) if enough.size else 0
            if k != tried:
                yield self._steps[k]
            tried = k
        if tried < len(self._steps) - 1 and self._apart[tried] > NEAR:
            yield self._steps[-1]

    def over(self, t: float, y: np.ndarray, undefined: float) -> Bridge | None:
        """A step from a state before, with the time of the singular configuration in its middle if the run goes on so long."""
        until = min(max(2 * undefined - t, self._leaves(t, y)), self.end)
        return bridge(t, until - t, y, self.slopes, self.ahead, undefined) if until > self.t else None

    def _leaves(self, t: float, y: np.ndarray) -> float:
        """When a step that begins beside the place is clear of it; at once if it begins elsewhere."""
        if self.independence(y[None], t)[0] >= BESIDE:
            return self.t
        speed = float(np.abs(self.y[self.nq :]).max())
        return self.t + FAR[0] / speed

    def error(self, step: Bridge) -> float:
        """How well it is resolved, in units of what the tolerances allow; endless if it leaves the constraints.

        Where branches come near each other but do not meet, the motion turns, and a step over the place does not keep them.
        """
        settings, run = self.run.settings, self.run
        size, angles = np.abs(step.y), list(run.system.angles)
        size[angles] = np.minimum(size[angles], TURN)
        size[self.nq :] = size[self.nq :].max()  # beside the place the rounding of every speed is a part of the largest
        t = np.linspace(step.t, step.t + step.h, LOOKS)
        if run.trajectory.violations(t, step.states(t)).max() > ROUNDING + 10 * step.rest.max():
            return np.inf
        if self._speeds_off(step) > SPEEDS_OFF * size.max() + 10 * step.rest.max():
            return np.inf
        found: np.ndarray = step.rest / (settings.atol + settings.rtol * size)
        return float(found.max())

    def _speeds_off(self, step: Bridge) -> float:
        """How far its last speeds are from those that the constraints allow, if it ends clear of the place."""
        t = np.array([step.t + step.h])
        y = step.states(t)
        if self.independence(y, t)[0] < CLEAR:
            return 0.0
        allowed = self.run.trajectory.settled_in(self.segment, t, y)
        return float(np.abs(allowed - y)[:, self.nq :].max())

    def events(self, step: Bridge) -> tuple[np.ndarray, float, int]:
        """Those in the step from now on (which, t, y), until when it can be taken, and the number of the one that ends it, or -1.

        As within ordinary steps: a change of sign that counts is located, and the first that asks for an action ends it.
        """
        until, table = step.t + step.h, self.run.table
        found: list[tuple[float, int]] = []
        if len(table):
            t = np.linspace(self.t, until, LOOKS)
            values = self._event_values(step, t)
            kinds = np.array(table.kinds)
            before, after, direction = values[:-1], values[1:], kinds[:, 0]
            rising, falling = (before < 0) & (after >= 0) & (direction >= 0), (before > 0) & (after <= 0) & (direction <= 0)
            through = (kinds[:, 1] == places.GUARD) & (before <= 0) & (after < 0)
            for k, e in zip(*np.nonzero(rising | falling | through), strict=True):
                found.append((self._located(step, float(t[k]), float(t[k + 1]), int(e)), int(e)))
        found.sort()
        acting = next((x for x in found if table.kinds[x[1]][1] != places.TOLD), (until, -1))
        told = [x for x in found if x[0] <= acting[0]]
        rows = [[e, at, *step.states(np.array([at]))[0]] for at, e in told]
        return np.array(rows).reshape(-1, len(step.y) + 2), acting[0], acting[1]

    def _event_values(self, step: Bridge, t: np.ndarray) -> np.ndarray:
        return self.run.trajectory.event_values(self.segment, t, step.states(t))

    def _located(self, step: Bridge, low: float, high: float, e: int) -> float:
        def value(t: float) -> float:
            return float(self._event_values(step, np.array([t]))[0, e])

        return low if value(low) * value(high) >= 0 else float(brentq(value, low, high, xtol=1e-15, rtol=1e-15))

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
