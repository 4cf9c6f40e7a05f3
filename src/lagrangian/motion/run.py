"""A run from beginning to end: solvers started and changed, torques supplied, events acted on, singularities watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.expression import symbol
from lagrangian.motion import loop
from lagrangian.motion.events import DIRECTIONS, RESTART, Event, Happening, Lock, SetTorque, Unlock
from lagrangian.motion.inputs import HELD, HIGH, LOW, STUCK, Holdable
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.modes import REST, Modes, frictional, limited
from lagrangian.motion.passing import SINGULAR, pass_singular
from lagrangian.motion.problem import Problem
from lagrangian.motion.record import Settings, Stretch
from lagrangian.motion.solver import Run, Solver
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.stopped import runs_away, too_small
from lagrangian.motion.supply import Supplied
from lagrangian.motion.torque import Torque


class Course(Supplied):
    """One run. `go` takes it to its end, or to where it stops; what was computed is there whatever happens."""

    def __init__(
        self,
        dyn: Dynamics,
        source: Torque,
        events: Sequence[Event],
        settings: Settings,
        t0: float,
        y0: np.ndarray,
        grid: np.ndarray,
        watch: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(dyn, source, settings, t0, y0, grid)
        self.watch = watch
        self.events = sorted(events, key=lambda e: callable(e.when))  # those of Python last
        self.error: BaseException | None = None
        self.samples: list[tuple[float, np.ndarray]] = []
        self._origin = t0
        self._recent: list[float] = []
        self.run: Any = None
        self._views: dict[tuple[int, int], np.ndarray] = {}
        self._kept: list[Any] = []  # callbacks and arrays that stretches of the run point to
        mechanism = dyn.mechanism
        self._limits = limited(mechanism) if settings.limits else {}
        self._limits = {k: x for k, x in self._limits.items() if x[1] <= y0[x[0]] <= x[2]}
        locked = {j for e in events if isinstance(e.action, (Lock, Unlock)) for j in e.action.joints}
        holdable = {h.speed: h for h in frictional(mechanism)}
        for name in sorted(locked):
            speed = mechanism.speed_names.index(name)
            holdable.setdefault(speed, Holdable(speed))
        if any(isinstance(e.action, SetTorque) for e in events):
            self.source = replace(self.source, adjustable=True)
        self._prepare(list(holdable.values()))
        self.u = np.zeros(self.problem.inputs.size)
        self._addresses()

    # -- setting up --------------------------------------------------------------------------------------------------

    def _prepare(self, holdable: list[Holdable]) -> None:
        """The problem with these joints holdable, compiled. Limits that were not yet met are events only."""
        compiled = [e.when for e in self.events if not callable(e.when)]
        self._met = {h.speed for h in holdable if np.isfinite(h.lower) or np.isfinite(h.upper)}
        self._stops: list[tuple[int, int]] = []
        q = [symbol(name) for name in self.dyn.mechanism.coordinate_names]
        for speed, (coordinate, lower, upper) in self._limits.items():
            if speed in self._met:
                continue
            for what, limit in ((LOW, lower), (HIGH, upper)):
                if np.isfinite(limit):
                    compiled.append(q[coordinate] - limit if what == LOW else limit - q[coordinate])
                    self._stops.append((speed, what))
        called = [e.when for e in self.events if callable(e.when)]
        redundant = self.settings.redundant or (bool(holdable) and bool(self.dyn.mechanism.equations or len(holdable) > 1))
        self.problem = Problem(
            self.dyn.mechanism,
            self.dyn.tree,
            self.source,
            self.settings.stabilisation,
            compiled,  # type: ignore[arg-type]
            len(called),
            holdable,
            redundant,
        )
        self.solver = solver_of(self.problem, self.settings.method, self.source.asks)
        outputs = self.solver.kernel("outputs")  # compiled when first used

        def evaluate(q: np.ndarray, qd: np.ndarray, u: np.ndarray, t: np.ndarray) -> np.ndarray:
            """The problem's outputs at one state, the torques of a Python function among them."""
            stretch = Stretch(self.solver, u, np.zeros((0, 0)), float(t[0]))
            found: np.ndarray = outputs(q, qd, self.inputs_at(stretch, float(t[0]), np.concatenate([q, qd])), t)
            return found

        self.modes = Modes(self.dyn, self.problem, evaluate, REST * self.settings.atol)
        self._functions = called

    def _begin(self) -> None:
        """Inputs at the start: torques, and who sticks."""
        self._supply()
        if self.problem.holdable:
            for j, h in enumerate(self.problem.holdable):
                if h.friction is not None:
                    self.u[self.modes.place(j, HELD)] = 0.0
            self.modes.settle_friction(self.u, self.y, self.t)

    # -- going -------------------------------------------------------------------------------------------------------

    def go(self, end: float) -> Ending:
        """To `end`, or to where it stops: how it ended."""
        self._end = end
        try:
            self._begin()
        except Exception as error:
            self.error = error
            return self._failed()
        self._start(self.settings.step or 0.0)
        last = self.t
        while True:
            try:
                until = self._supply_again(last)
            except Exception as error:
                self.take_over()
                self.error = error
                return self._failed()
            last = self.t
            if self.error is not None:  # interrupted between two calls
                self.take_over()
                return self._failed()
            status = self.run.to(min(until, end), self.watch, self.settings.max_steps)
            self.t = self.run.t
            if status == loop.DONE:
                if self.t >= end:
                    self.take_over()
                    return Ending(Status.FINISHED, end)
                self.y = self.run.y
                continue
            if status == loop.FAILURE:
                self.take_over()
                return self._failed()
            if status == loop.TOO_SMALL:
                self.take_over()
                return too_small(self)
            if status == loop.TOO_MANY:
                self.take_over()
                return self.ended(Status.TOO_MANY_STEPS, f"{self.settings.max_steps} steps were made", "max_steps allows more")
            if status == loop.RUNS_AWAY:
                self.take_over()
                return runs_away(self)
            if status == loop.IS_STIFF:
                self._change_method()
                continue
            if status == loop.NEAR_SINGULAR:
                ending = pass_singular(self)
                if ending is not None:
                    self.take_over()
                    return ending
                continue
            ending = self._act()
            if ending is not None:
                return ending

    def _change_method(self) -> None:
        """The explicit method's steps are bounded by stability: go on with one for stiff systems."""
        self.take_over()
        assert self.settings.stiff is not None
        self.settings = replace(self.settings, method=self.settings.stiff, stiff=None)
        self.statistics["stiff_since"] = self.t
        self._prepare(list(self.problem.holdable))
        self._start(0.0)

    def _failed(self) -> Ending:
        return self.ended(Status.FAILED, str(self.error))

    def ended(self, status: Status, reason: str, remedy: str = "", place: str = "") -> Ending:
        """An ending here and now."""
        return Ending(status, float(self.t), reason=reason, remedy=remedy, place=place)

    def _start(self, first: float) -> None:
        kinds = [(DIRECTIONS[e.direction], _kind(e)) for e in self.events if not callable(e.when)]
        kinds += [(-1, loop.GUARD)] * len(self._stops)
        kinds += [(0, loop.STOP) if what == STUCK else (-1, loop.GUARD) for what, _ in self.problem.mode_events]
        kinds += [(DIRECTIONS[e.direction], _kind(e)) for e in self.events if callable(e.when)]
        s = self.settings
        # at rest steps grow without bound, and what depends on time alone would be passed over
        largest = min(s.largest, (self._end - self._origin) / LOOKED_AT) if kinds else s.largest
        self.run = Run(
            self.solver, self.t, self.y, self.u, self.grid[self.filled :], s.rtol, s.atol, first, largest, SINGULAR, kinds
        )
        self.run.c[loop.WATCH] = int(s.stiff is not None and not self.problem.large)
        self.run.horizon = self._end
        self._views.clear()

    def _supply_again(self, last: float) -> float:
        """New torques, where they change: a new segment begins there."""
        if self.source.table is None and self.source.sampled is None and not self.source.breaks:
            return np.inf
        self.y = self.run.y
        before, jumped = self.u.copy(), self._jump <= self.t
        until = self._supply()
        if jumped or not np.array_equal(before, self.u, equal_nan=True) or self.t == last:
            if self.problem.holdable:  # torques that jump may overcome what holds
                self.modes.settle(self.u, self.y, self.t)
            self.run.change(u=self.u, y=self.y)
        return until

    def take_over(self) -> None:
        """Take over what a solver has computed."""
        found = self.run.solution(0)
        self.rows[self.filled : self.filled + len(found.rows)] = found.rows
        self.filled += len(found.rows)
        for k, segment in enumerate(found.segments):
            after = found.segments[k + 1].steps[0, 0] if k + 1 < len(found.segments) else found.end
            self.stretches.append(Stretch(self.solver, segment.u, segment.steps, after))
        self.t, self.y = found.end, found.state
        self.statistics["accepted"] += found.accepted
        self.statistics["rejected"] += found.rejected
        self.ratio = min(self.ratio, found.ratio)
        nq, count = self.problem.nq, len([e for e in self.events if not callable(e.when)])
        others = len(self._stops) + len(self.problem.mode_events)
        self._at_the_end = [int(row[0]) for row in found.events if abs(row[1] - found.end) <= 1e-14 * max(1.0, abs(found.end))]
        for row in found.events:
            k = int(row[0])
            event = k if k < count else k - others
            name = self.events[event].name if k < count or k >= count + others else self._mode_name(k - count)
            if not name:
                continue
            self.happenings.append(Happening(name, float(row[1]), row[2 : 2 + nq].copy(), row[2 + nq :].copy()))

    def _mode_name(self, k: int) -> str:
        names = self.dyn.mechanism.speed_names
        if k < len(self._stops):
            speed, what = self._stops[k]
            return f"{names[speed]} meets its {'lower' if what == LOW else 'upper'} limit"
        what, j = self.problem.mode_events[k - len(self._stops)]
        name = names[self.problem.holdable[j].speed]
        if what == STUCK:
            stuck = self.u[self.modes.place(j, STUCK)] > 0.5
            return f"{name} slips" if stuck else f"{name} comes to rest"
        side = "lower" if what == LOW else "upper"
        return f"{name} leaves its {side} limit" if self.u[self.modes.place(j, what)] > 0.5 else f"{name} meets its {side} limit"

    # -- events ------------------------------------------------------------------------------------------------------

    def _act(self) -> Ending | None:
        """Do what the event says, and go on; or how the run ends."""
        which = int(self.run.c[loop.WHICH])
        step = float(self.run.s[loop.H])
        compiled = len([e for e in self.events if not callable(e.when)])
        stops, modes = len(self._stops), len(self.problem.mode_events)
        self.take_over()
        before = self._energy()
        happened: int | None = which
        smooth = False  # a kink is no jump: what holds goes on holding, and the steps as they were
        self._happened: list[int] = []
        if compiled <= which < compiled + stops:
            self._meet(*self._stops[which - compiled])
            happened = None
        elif compiled + stops <= which < compiled + stops + modes:
            if self._change_mode(*self.problem.mode_events[which - compiled - stops]):
                happened = None
        else:
            # others may happen at the same instant
            together = [which, *(k for k in self._at_the_end if k != which and not compiled <= k < compiled + stops + modes)]
            acting = [self.events[k if k < compiled else k - stops - modes] for k in together]
            smooth = all(event.action == RESTART for event in acting)
            for event in acting:
                if event.action == "stop":
                    return Ending(Status.STOPPED_BY_EVENT, self.t, event=event.name)
                self._do(event)
            for k in together:
                self._happened.append(k)
        if (
            self.problem.holdable
            and happened is not None
            and not smooth
            and not compiled + stops <= which < compiled + stops + modes
        ):
            self.modes.settle(self.u, self.y, self.t)
        change = self._energy() - before
        if change:
            self.impacts.append((self.t, change))
        if self._without_end():
            return self.ended(
                Status.CHATTERING,
                "joints stick and slip, or meet their stops, without end; dry friction at joints that a loop couples may have no "
                "solution",
                "viscous friction beside it helps",
            )
        self._start(min(step, 1e-3 * max(step, 1e-3)) if self.settings.method.adaptive and not smooth else step)
        for k in {*self._happened, *([] if happened is None else [happened])}:
            if k < self.problem.event_count:
                self.run.kinds[3 * k + 2] = 1
        return None

    def _without_end(self) -> bool:
        """Whether hundreds of events came within no time."""
        self._recent = [*self._recent[-299:], self.t]
        return len(self._recent) == 300 and self._recent[-1] - self._recent[0] < 1e-6 * (self._end - self._origin)

    def _energy(self) -> float:
        q, qd = self.y[: self.problem.nq], self.y[self.problem.nq :]
        return float(self.dyn.kinetic_energy(q, qd) + self.dyn.potential_energy(q))

    def _do(self, event: Event) -> None:
        names, action = self.dyn.mechanism.speed_names, event.action
        if isinstance(action, Lock):
            self.modes.hold(self.u, self.y, self.t, [names.index(j) for j in action.joints])
        elif isinstance(action, Unlock):
            self.modes.let_go(self.u, [names.index(j) for j in action.joints])
        elif isinstance(action, SetTorque):
            for name, value in action.torques.items():
                self.u[self.problem.inputs.added + names.index(name)] = float(value)

    def _meet(self, speed: int, what: int) -> None:
        """A limit met for the first time: from now on the joint can be held there."""
        coordinate, lower, upper = self._limits[speed]
        holdable = {h.speed: h for h in self.problem.holdable}
        old = {
            h.speed: self.u[self.modes.place(j, 0) : self.modes.place(j, 0) + 5].copy()
            for j, h in enumerate(self.problem.holdable)
        }
        friction = holdable[speed].friction if speed in holdable else None
        holdable[speed] = Holdable(speed, friction, coordinate, lower, upper)
        torques = self.u[: self.problem.inputs.joint(0)].copy()
        self._prepare(list(holdable.values()))
        self.u = np.zeros(self.problem.inputs.size)
        self.u[: len(torques)] = torques
        for k, values in old.items():
            at = self.modes.place(self.modes.number(k), 0)
            self.u[at : at + 5] = values
        self._addresses()
        self.modes.at_stop(self.u, self.y, self.t, speed, what, self.settings.restitution)

    def _change_mode(self, what: int, j: int) -> bool:
        """Act on what tells of a joint; whether from now on it tells something else, of which nothing has happened yet."""
        holdable = self.problem.holdable[j]
        if what == STUCK:
            released = [j] if self.u[self.modes.place(j, STUCK)] > 0.5 else []
            if not released:
                self.y[self.problem.nq + holdable.speed] = 0.0
            self.modes.settle_friction(self.u, self.y, self.t, released)
            # where it sticks, or sticks again, a torque that jumps, as a controller's where a path turns, may overcome it at once
            return bool(self.u[self.modes.place(j, STUCK)] > 0.5)
        elif self.u[self.modes.place(j, what)] > 0.5:
            self.modes.let_go(self.u, [holdable.speed])
            self.modes.settle_friction(self.u, self.y, self.t)
        else:
            self.modes.at_stop(self.u, self.y, self.t, holdable.speed, what, self.settings.restitution)
        return False

    # -- singular configurations -------------------------------------------------------------------------------------

    def configuration(self, q: np.ndarray) -> str:
        names = self.dyn.mechanism.coordinate_names
        return ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False)) + (" ..." if len(names) > 8 else "")


# steps a run with events has at least
LOOKED_AT = 256

_SOLVERS: dict[Any, Solver] = {}


def _kind(event: Event) -> int:
    return {"record": loop.TOLD, RESTART: loop.KINK}.get(event.action, loop.STOP) if isinstance(event.action, str) else loop.STOP


def solver_of(problem: Problem, method: Method, callback: bool) -> Solver:
    """A solver made before for the same problem, or a new one."""
    key = (problem.key, repr(method.key), callback)
    found = _SOLVERS.get(key)
    if found is None:
        if len(_SOLVERS) > 64:
            _SOLVERS.clear()
        found = _SOLVERS[key] = Solver(problem, method, callback)
    return found
