"""Some of many motions, made in lanes: those that begin as a single run does without Python's help, until one needs it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.errors import LagrangianError
from lagrangian.motion.batch.closing import ClosedStarts
from lagrangian.motion.batch.kept import Kept
from lagrangian.motion.batch.lanes import Ends, Lanes
from lagrangian.motion.batch.parameters import numbers_of
from lagrangian.motion.batch.solver import LaneSolver, has_lanes
from lagrangian.motion.events import Happening
from lagrangian.motion.run.modes import TOUCH
from lagrangian.motion.run.run import Run
from lagrangian.motion.solver import places
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.balance import moves_constraints
from lagrangian.motion.system.event_table import EventTable, Watched
from lagrangian.motion.system.following import Following
from lagrangian.motion.system.holdable import outside

if TYPE_CHECKING:
    from lagrangian.motion.batch.batch import Batch


@dataclass
class Nominal:
    """A single run that has not begun and stands for all motions: their lanes have its code, its events and its settings."""

    batch: Batch
    run: Run

    @staticmethod
    def of(batch: Batch) -> Nominal | None:
        made = batch.made
        if batch.begins is None:
            return None  # each motion says by itself what is wrong
        try:
            run = made.run(batch.begins, batch.grid)
        except LagrangianError:
            return None
        frictional = any(h.friction is not None for h in run.system.holdable)
        if not has_lanes(run.solver) or run.supply.changes or run.locked or frictional or run.settings.rank:
            return None
        run.end = run.supply.end = made.span[1]
        run.supply.from_now(run.t, run.y)
        run.start(run.settings.step or 0.0)
        found = Nominal(batch, run)
        return found if found._is_known() else None

    def _is_known(self) -> bool:
        """Whether the numbers of all motions can be computed: those of some, with the extremes of what varies, are compared."""
        given = self.batch.given
        if given.varied and (self.run.system.weighted or self._follows()):
            return False
        for i in sorted({int(k(x)) for x in given.varied.values() for k in (np.argmin, np.argmax)}):
            numbers, fits = numbers_of(self.run.system, {name: x[i : i + 1] for name, x in given.varied.items()})
            if not fits[0]:
                continue
            try:
                own = self.batch.made_of(i)
                holdable, settings = self.run.holdable_of(own.known), self.run.settings
                table, redundant = EventTable(own.watched, holdable), self.run.system.redundant
                system = own.known.system(own.source, settings.stabilisation, table, holdable, redundant, settings.ranks)
            except LagrangianError:
                continue
            if not np.array_equal(system.numbers.values, numbers[0]):
                return False
        return True

    def _follows(self) -> bool:
        """Whether something of a run follows what varies otherwise than by numbers: then each motion is made by itself."""
        found, source = Following(self.batch.given.mechanism, self.batch.given.varied), self.run.supply.source
        return any(True for part in (found.code(), found.modes(), found.jumps(source)) for _ in part)

    @cached_property
    def lanes(self) -> LaneSolver:
        return LaneSolver(self.run.solver, extremes=self.batch.extremes)

    def prepare(self) -> None:
        """Compile all that motions need, once."""
        _ = self.lanes, self.closes

    @cached_property
    def closes(self) -> bool:
        """Whether starts are found for all motions at once: loops that can be closed the wrong way round need a search."""
        made, model = self.batch.made, self.batch.given.mechanism
        return not (made.settings.off_constraint or moves_constraints(model) or LoopClosure(made.known.dyn).alignment)


class Chunk:
    """The motions from `first` to before `last`. What lanes cannot do of them is `left`, with the states they begin from."""

    def __init__(self, batch: Batch, first: int, last: int) -> None:
        self.batch, self.first, self.last = batch, first, last
        starts, part = batch.starts, slice(first, last)
        self.start, self.qd = starts.rows.part(part), starts.qd[part]
        self.y = np.full((last - first, self.start.q.shape[1] + self.qd.shape[1]), np.nan)
        if not batch.given.mechanism.equation_count:
            self.y[:] = np.hstack([self.start.q, self.qd])
        self.left = np.ones(last - first, dtype=bool)

    def go(self, nominal: Nominal, kept: Kept, goes_on: Callable[[int], bool]) -> None:
        run, batch, part = nominal.run, self.batch, slice(self.first, self.last)
        numbers, fits = None, np.ones(self.last - self.first, dtype=bool)
        if batch.given.varied:
            numbers, fits = numbers_of(run.system, {name: x[part] for name, x in batch.given.varied.items()})
        if batch.given.mechanism.equation_count:
            fits &= self._close(nominal, numbers)
        chosen = np.flatnonzero(fits & np.isfinite(self.y).all(axis=1) & self._free_of_limits(run))
        if not chosen.size:
            return
        inputs = np.repeat(run.supply.u[None], chosen.size, axis=0)
        lanes = Lanes(nominal.lanes, run.stepper, run.settings, batch.made.span[1])
        ends = lanes.run(self.y[chosen], inputs, None if numbers is None else numbers[chosen], goes_on)
        self._keep(run, ends, chosen, kept)

    def _close(self, nominal: Nominal, numbers: np.ndarray | None) -> np.ndarray:
        """Close the loops of all starts; those of which that is known, and that are regular."""
        system, starts = nominal.run.system, self.batch.starts
        if not nominal.closes:
            return np.zeros(len(self.y), dtype=bool)
        varied = {name: x[self.first : self.last] for name, x in self.batch.given.varied.items()}
        loops = ClosedStarts(system, self.batch.made.span[0], numbers, varied)
        try:
            q, closed = loops.closed(self.start)
        except LagrangianError:  # what they are reached from does not close: each motion says so by itself
            return np.zeros(len(self.y), dtype=bool)
        known = closed & loops.kept_by(np.where(closed[:, None], q, nominal.run.y[: system.nq]), self.qd)
        self.y[known] = np.hstack([q, self.qd])[known]
        if not self.batch.given.varied:  # the speeds of others are found one by one
            for k in np.flatnonzero(closed & ~known):
                with contextlib.suppress(LagrangianError):
                    i = self.first + int(k)
                    self.y[k] = self.batch.made.start(starts.q0_of(i), starts.qd0_of(i))
                    q[k], known[k] = self.y[k, : system.nq], True
        return known & loops.regular(q, nominal.run.y[: system.nq])

    def _free_of_limits(self, run: Run) -> np.ndarray:
        """Motions that begin within the same limits as the run that stands for all, and touch none."""
        found = np.ones(len(self.y), dtype=bool)
        for speed, limit in run.known.limits.items() if run.settings.limits else ():
            q = self.y[:, limit.coordinate]
            beyond = np.array([outside(float(x), limit.lower, limit.upper) for x in q])
            found &= beyond == (speed not in run.limits and speed not in run.locked)
            for bound in (limit.lower, limit.upper):
                if np.isfinite(bound):
                    found &= beyond | (np.abs(q - bound) > TOUCH * (1 + abs(bound)))
        return found

    # -- what came of it ---------------------------------------------------------------------------------------------

    def _keep(self, run: Run, ends: Ends, chosen: np.ndarray, kept: Kept) -> None:
        done = ends.status == places.DONE
        stops = self._stops(run, ends)
        for k, ending in stops.items():
            kept.ended(self.first + int(chosen[k]), ending)
            done[k] = True
        who = self.first + chosen[done]
        kept.y[who], kept.t[who] = ends.y[done], ends.t[done]
        kept.steps[who] = np.column_stack([ends.accepted, ends.rejected])[done]
        if self.batch.conserves:
            kept.doubtful += (self.first + chosen[done & self._unbalanced(run, ends)]).tolist()
        finished = done & (ends.status == places.DONE)
        kept.status[self.first + chosen[finished]] = Status.FINISHED
        if kept.rows is not None:
            kept.rows[who] = ends.rows[done]
        if kept.extremes is not None:
            kept.extremes[who] = ends.extremes[done]
        if kept.events is not None:
            self._events(run, ends, chosen, done, kept.events)
        self.left[chosen[done]] = False
        self.left[chosen[ends.status < 0]] = False  # they were interrupted

    @staticmethod
    def _unbalanced(run: Run, ends: Ends) -> np.ndarray:
        """Motions without driving and loss whose energies at both ends differ by more than the tolerance promises.

        What was moved on the way is not known here, but only at the ends: a single run decides.
        """
        kinetic, potential = ends.energies[:, [0, 2]], ends.energies[:, [1, 3]]
        off = np.abs((kinetic + potential) @ [-1.0, 1.0]) - 1e-10 * (kinetic.max(axis=1) + np.abs(potential).max(axis=1))
        scale = np.maximum(kinetic.max(axis=1), np.abs(potential @ [-1.0, 1.0]))
        allowed = run.settings.rtol * np.maximum(100, ends.accepted)
        return np.isfinite(off) & (off > allowed * scale)

    def _stops(self, run: Run, ends: Ends) -> dict[int, Ending]:
        """The endings of motions that an event stopped, by their numbers among those in lanes; see `acting._ending`."""
        found: dict[int, Ending] = {}
        stopped = np.flatnonzero(ends.status == places.EVENT)
        if not stopped.size:
            return found
        of, rows = ends.events
        for k in stopped.tolist():
            t = float(ends.t[k])
            mine = rows[of == k]
            together = mine[np.abs(mine[:, 1] - t) <= 1e-14 * max(1.0, abs(t)), 0].astype(int).tolist()
            which = int(ends.which[k])
            entries = [run.table[e] for e in (which, *(e for e in together if e != which))]
            names = [x.event.name for x in entries if isinstance(x, Watched) and x.event.action == "stop"]
            if names:
                found[k] = Ending(Status.STOPPED_BY_EVENT, t, event=names[0])
        return found

    def _events(self, run: Run, ends: Ends, chosen: np.ndarray, done: np.ndarray, kept: dict[int, list[Happening]]) -> None:
        of, rows = ends.events
        nq = run.system.nq
        for k, row in zip(of.tolist(), rows, strict=True):
            entry = run.table[int(row[0])]
            if done[k] and isinstance(entry, Watched) and entry.event.name:
                happening = Happening(entry.event.name, float(row[1]), row[2 : 2 + nq].copy(), row[2 + nq :].copy())
                kept.setdefault(self.first + int(chosen[k]), []).append(happening)
