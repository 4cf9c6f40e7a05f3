"""A run from beginning to end: solvers started and changed, torques supplied, events acted on, singularities watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lagrangian.errors import ArgumentError, ArgumentName, LagrangianError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.event import DEAD_CENTRE, Event, LockJoints, SetPayload, SetTorque, UnlockJoints
from lagrangian.motion.events import Happening
from lagrangian.motion.run.acting import act_at_jump, act_on_event, name_of
from lagrangian.motion.run.contacts import changed_at_jump, which_pull
from lagrangian.motion.run.crawling import crawls
from lagrangian.motion.run.impacts import Impacts
from lagrangian.motion.run.jumping import follow_jump
from lagrangian.motion.run.modes import REST, Modes
from lagrangian.motion.run.passing import SINGULAR, begin_singular, pass_singular
from lagrangian.motion.run.rest import settle
from lagrangian.motion.run.stopped import runs_away, too_many, too_small
from lagrangian.motion.run.supply import Supply
from lagrangian.motion.run.telling import Before, Rest
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.settings import Settings
from lagrangian.motion.solver import places
from lagrangian.motion.solver.solver import solver_of
from lagrangian.motion.solver.stepper import KEPT, Stepper
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.event_table import EventTable
from lagrangian.motion.system.holdable import Holdable, outside
from lagrangian.motion.system.prepared import Prepared, prepared
from lagrangian.motion.torque import Torque

LOOKED_AT = 512  # places at which a run looks for events at least
MEMORY = 10**9  # bytes of steps, which are kept so that a motion can be asked at any time
PIECE = 1500  # bytes that are kept of every piece of a run with torques of its own, as of every sample, besides its inputs
INSTANT = 1e-12  # part of the time within which an event does not happen twice
# so many steps of an explicit method take a tenth of the time for which the code of a stiff one is compiled, whatever the
# mechanism; and so many stiff ones go by before it is thought of again
WORTHWHILE, AGAIN = 15_000, 500


class Run:
    """One run. `go` takes it to its end, or to where it stops; what was computed is in its trajectory whatever happens.

    Its parts: the `supply` of inputs, the `table` of events, the `modes` of joints that can be held, the `stepper` that is at
    work, and the `trajectory`, which grows.
    """

    def __init__(
        self,
        dyn: Dynamics,
        source: Torque,
        events: Sequence[Event],
        settings: Settings,
        t0: float,
        y0: np.ndarray,
        grid: np.ndarray,
        watch: Callable[[float], object] | None = None,
    ) -> None:
        self.known = prepared(dyn)
        self.dyn, self.settings = self.known.dyn, settings
        self.events = list(events)
        self.unloaded = self.dyn.mechanism  # without what events have gripped
        self.payloads: dict[str, SetPayload] = {}  # by the frames that hold them
        self.t, self.y = t0, np.array(y0, dtype=float)
        self.origin = self.end = self.until = t0  # the last: until when inputs hold
        limits = self.known.limits if settings.limits else {}
        within = {k: x for k, x in limits.items() if not outside(y0[x.coordinate], x.lower, x.upper)}
        self.limits = {k: x for k, x in within.items() if not x.leaves_no_room}
        self.locked = [k for k, x in within.items() if x.leaves_no_room]  # from the beginning on
        self._refuse_unlocking()
        if any(isinstance(e.action, SetTorque) for e in events):
            source = replace(source, adjustable=True)
        supply = self.supply = Supply(source, [e.when for e in events if callable(e.when)], t0)
        self.watch = None if watch is None else lambda t: supply.call(watch, t)
        self.trajectory = Trajectory(self.dyn, self.supply, settings, t0, y0, grid)
        self.trajectory.watches_dead_centres = any(e.when is DEAD_CENTRE for e in events)
        self.impacts = Impacts()
        self.rests: dict[int, Rest] = {}  # the last one of each speed
        self.recent: list[float] = []  # when the last events were acted on
        self.at_jump: list[Event] = []  # events that happen because torques jump
        self.stepper: Stepper
        self._taken = True  # whether the trajectory has all that the stepper computed
        self.prepare(self._holdable())

    # -- setting up --------------------------------------------------------------------------------------------------

    def _refuse_unlocking(self) -> None:
        """Of a joint whose limits leave it no room: they would not be kept then."""
        locked = {self.dyn.mechanism.speed_names[k] for k in self.locked}
        for event in self.events:
            if isinstance(event.action, UnlockJoints) and (met := locked.intersection(event.action.joints)):
                remedy = f"{ArgumentName('limits', False)} leaves limits out"
                problem = f"an event unlocks {min(met)!r}, whose limits leave it no room"
                raise ArgumentError(problem, where=self.dyn.mechanism.name, remedy=remedy)

    def _holdable(self) -> list[Holdable]:
        return self.holdable_of(self.known)

    def holdable_of(self, known: Prepared) -> list[Holdable]:
        """Joints with dry friction or limits, and those that are locked, or that events lock; of this or a similar mechanism."""
        found = {h.speed: h for h in known.frictional}
        for speed, x in known.limits.items():
            if speed in self.limits:
                before = found.get(speed, Holdable(speed))
                found[speed] = replace(before, coordinate=x.coordinate, lower=x.lower, upper=x.upper)
        locked = {j for e in self.events if isinstance(e.action, (LockJoints, UnlockJoints)) for j in e.action.joints}
        for speed in [*self.locked, *(self.dyn.mechanism.speed_names.index(name) for name in sorted(locked))]:
            found[speed] = replace(found.get(speed, Holdable(speed)), lockable=True)
        return list(found.values())

    def prepare(self, holdable: list[Holdable]) -> None:
        """The system with these joints holdable, compiled."""
        settings = self.settings
        self.table = EventTable(self.events, holdable)
        # what is held takes freedom from the constraints, which may then depend on each other
        redundant = settings.redundant or (bool(holdable) and bool(self.dyn.mechanism.equation_count))
        self.system = self.known.system(
            self.supply.source, settings.stabilisation, self.table, holdable, redundant, settings.ranks
        )
        self.solver = solver_of(self.system, settings.method, self.supply.source.asks)
        self.supply.serve(self.solver)
        self.modes = Modes(self.dyn, self.solver, self.supply, REST * settings.atol)
        if holdable:  # all that modes need is compiled before the run begins
            self.dyn.mass_matrix(self.y[: self.system.nq])
            self.modes.rows(self.y, self.t, ())

    def start(self, first: float) -> None:
        """A new stepper from here, whose first step has this length."""
        s, kinds, trajectory = self.settings, self.table.kinds, self.trajectory
        # at rest steps grow without bound, and what depends on time alone would be passed over
        looks = kinds and not self.table.only_contacts
        largest = min(s.largest, (self.end - self.origin) * self.table.looks / LOOKED_AT) if looks else s.largest
        self.stepper = Stepper(
            self.solver,
            self.t,
            self.y,
            self.supply.u,
            trajectory.grid[trajectory.filled :],
            s.rtol,
            s.atol,
            first=first,
            largest=largest,
            singular=SINGULAR,
            kinds=kinds,
            keep=max(0, KEPT - trajectory.kept),
            rows=trajectory.rows[trajectory.filled :],
        )
        self.stepper.c[places.WATCH] = int(s.stiff is not None and not self.system.large)
        self.stepper.horizon = self.end
        self.supply.watch(self.stepper.c)
        self._taken = False

    def _begin(self) -> None:
        """Inputs at the start: torques, and who sticks."""
        self.until = self.supply.from_now(self.t, self.y)
        if self.locked:
            self.impacts.lock(self.modes, self.supply.u, self.y, self.t, self.locked)
        if self.system.holdable:
            settle(self.modes, self.supply.u, self.y, self.t)

    @property
    def room(self) -> int:
        """How many steps fit into the memory that a run may take for them, beside the pieces they are in."""
        pieces = len(self.trajectory.segments) + len(self.stepper.segments)
        return max(0, MEMORY - pieces * (PIECE + self.supply.u.nbytes)) // (8 * (self.system.size + 2))

    @property
    def tried(self) -> int:
        """How many steps were, until the trajectory took over from a stepper."""
        return self.trajectory.accepted + self.trajectory.rejected

    # -- going -------------------------------------------------------------------------------------------------------

    def go(self, end: float) -> Ending:
        """To `end`, or to where it stops: how it ended."""
        self.end = self.supply.end = end
        try:
            self._begin()
        except Exception as error:
            self.supply.error = error
            return self.failed()
        self.start(self.settings.step or 0.0)
        if self.settings.rank:
            ending = begin_singular(self)
            self.t = self.stepper.t
            if ending is not None:
                return ending
        last = self.t
        while True:
            try:
                self.until = self._supply_again(last)
            except Exception as error:
                self.supply.error = error
                return self.failed()
            last = self.t
            if self.supply.error is not None:  # interrupted between two calls
                return self.failed()
            ending = act_at_jump(self, self.at_jump) if self.at_jump else None
            if ending is not None:
                return ending
            status = self.stepper.to(min(self.until, end), self.watch, min(self.settings.max_steps, self.room) - self.tried)
            self.t = self.stepper.t
            if status == places.DONE and self.t < end:
                self.y = self.stepper.y
                continue
            ending = self._after(status)
            if ending is not None:
                return ending

    def _after(self, status: int) -> Ending | None:
        """What follows when compiled code has returned: how the run ends, or nothing if it goes on."""
        if status == places.EVENT:
            return act_on_event(self)
        if status == places.NEAR_SINGULAR:
            return pass_singular(self)
        if status == places.IS_STIFF:
            self._consider_stiff()
            return None
        if status in (places.CRAWLS, places.TOO_SMALL) and self.supply.source.asks and self.settings.method.adaptive:
            ending = crawls(self)
            if ending is not None or status == places.CRAWLS:
                return ending
        self.take_over()
        if status == places.DONE:
            return Ending(Status.FINISHED, self.end)
        if status == places.TOO_SMALL:
            return too_small(self)
        if status == places.RUNS_AWAY:
            return runs_away(self)
        if status == places.TOO_MANY:
            return too_many(self)
        return self.failed()

    def _consider_stiff(self) -> None:
        """The explicit method's steps are bounded by stability: go on with one for stiff systems, if there are many to make."""
        allowed = self.settings.max_steps - self.tried - self.stepper.tried  # more would not be made at all
        if self.end - self.t > min(WORTHWHILE, allowed) * self.stepper.next_step:
            self._change_method()
        else:
            self.stepper.c[places.STIFF] = -2 * AGAIN

    def _change_method(self) -> None:
        self.take_over()
        assert self.settings.stiff is not None
        self.settings = self.trajectory.settings = replace(self.settings, method=self.settings.stiff, stiff=None)
        self.trajectory.stiff_since = self.t
        modes = self.modes.of_speeds(self.supply.u)
        self.prepare(list(self.system.holdable))
        self.modes.set_speeds(self.supply.u, modes)
        self.start(0.0)

    def _supply_again(self, last: float) -> float:
        """New torques, where they change: a new segment begins there."""
        if not self.supply.changes:
            return np.inf
        self.y = self.stepper.y
        u = self.supply.u
        before, jumped, pulled = u.copy(), self.supply.jump <= self.t, which_pull(self)
        until = self.supply.from_now(self.t, self.y)
        if jumped:
            follow_jump(self)
        if jumped or not np.array_equal(before, u, equal_nan=True) or self.t == last:
            if self.system.holdable:  # torques that jump may overcome what holds
                modes = Before(self)
                settle(self.modes, u, self.y, self.t)
                modes.tell(self)
            self.stepper.change(u, self.y)
            self.at_jump = changed_at_jump(self, pulled)
            self.mark_events(self.at_jump)
        return until

    def mark_events(self, acted_on: Sequence[Event] = ()) -> None:
        """Before going on from here: events of this instant are not seen a second time, and those still to come are not lost."""
        if not self.table.watched:
            return
        now = INSTANT * max(1.0, abs(self.t))
        told = {x.name for x in self.trajectory.happenings[-2 * len(self.table) :] if self.t - x.t <= now}
        found = self.stepper.found_since(self.t - now)
        for k, event in self.table.watched:
            if any(event is x for x in acted_on) or event.name in told or k in found:
                self.stepper.mark(k, places.JUST_NOW)
            elif self.table[k].kind in (places.TOLD, places.STOP):
                self.stepper.mark(k, places.TO_COME)

    def take_over(self) -> list[int]:
        """Give the trajectory what the stepper has computed; the numbers of the events at its end."""
        if self._taken:
            return []
        self._taken = True
        found, nq = self.stepper.events(), self.system.nq
        self.trajectory.take(self.stepper)
        self.t, self.y = self.trajectory.t, self.trajectory.y.copy()
        for row in found:
            name = name_of(self, int(row[0]))
            if name:
                happening = Happening(name, float(row[1]), row[2 : 2 + nq].copy(), row[2 + nq :].copy())
                self.trajectory.happenings.append(happening)
        return [int(row[0]) for row in found if abs(row[1] - self.t) <= 1e-14 * max(1.0, abs(self.t))]

    # -- ending ------------------------------------------------------------------------------------------------------

    def failed(self) -> Ending:
        """An ending by what a function raised, or by an interrupt."""
        self.take_over()
        error = self.supply.error
        if isinstance(error, KeyboardInterrupt):
            return self.ended(Status.INTERRUPTED)
        if self.supply.failing and not isinstance(error, LagrangianError):
            return self.ended(Status.FAILED, f"{self.supply.failing} raised {type(error).__name__}: {error}")
        return self.ended(Status.FAILED, str(error))

    def ended(self, status: Status, reason: str = "", remedy: str = "", place: str = "") -> Ending:
        """An ending here and now."""
        return Ending(status, float(self.t), reason=reason, remedy=remedy, place=place)

    def note_impact(self, before: np.ndarray) -> None:
        """By how much the kinetic energy changes where speeds have changed at once; before that, the state was this."""
        if not np.array_equal(before, self.y):
            nq, mass = self.system.nq, self.dyn.mass_matrix(self.y[: self.system.nq])
            was, now = (0.5 * float(qd @ mass @ qd) for qd in (before[nq:], self.y[nq:]))
            self.trajectory.impacts.append((self.t, now - was))

    def configuration(self, q: np.ndarray) -> str:
        names = self.dyn.mechanism.coordinate_names
        return ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q, strict=False)) + (" ..." if len(names) > 8 else "")
