"""One step of the motions in all lanes, as compiled code: each has its own time and step, and goes on or tries again by itself.

    void attempt(ptr s, ptr y, ptr u, ptr work, ptr kinds, ptr flags, ptr c, ptr grid, ptr rows, ptr row, ptr motion)

It does what the time loop of a single run does in a step where nothing happens, with the same operations. Where something does,
an event above all, the lane is left as it was before the step, and the single run's own code makes that step.
"""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, Array, Value
from lagrangian.motion.batch import extremes
from lagrangian.motion.batch import places as lane
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver import places, step_size
from lagrangian.motion.solver.crossings import Crossings
from lagrangian.motion.solver.interpolant import Interpolant
from lagrangian.motion.solver.places import (
    END,
    ERROR_BEFORE,
    LEAST,
    RATIO,
    RATIO_BEFORE,
    RATIO_NOW,
    SINGULAR,
    T_BEFORE,
    WATCHED,
    H,
    Memory,
    T,
)
from lagrangian.motion.solver.step_size import Attempt


class LaneStep:
    """Writes `attempt` for one integrator and one system."""

    def __init__(self, module: Module, method: Method, events: int, workspace: places.SolverWorkspace, extremes: bool) -> None:
        self.extremes = extremes  # whether they are kept
        self.module, self.method, self.events, self.n = module, method, events, module.size
        b = self.b = module.function("attempt", lane.ATTEMPT_ARGUMENTS)
        m = self.m = Memory(b, ["s", "y", "u"], workspace)
        self.flags, m.kinds = b.array("flags", INTEGER), b.array("kinds", INTEGER)
        self.slope_after = m.slopes.offset(method.last * self.n)
        interpolant = Interpolant(b, method, m, self.n)
        self.crossings = Crossings(module, b, m, interpolant, (events, workspace.looks), self.slope_after)

    def emit(self) -> None:
        b, m, s = self.b, self.m, self.m.s
        h, last = step_size.length(b, s)
        m.clock[0], m.clock[1] = s[T], h
        b.call("step", m.clock, m.y, m.u, m.slopes, m.end, m.report)
        error = step_size.squared_error(b, self.method, m.end, m.report[0], self.n)
        step = step_size.attempt(b, self.method, error, s, (h, last), self.module.open)
        active = s[lane.ACTIVE] > 0.0
        accepted, rejected = active & (error <= 1.0), active & ~(error <= 1.0)
        what = b.value(float(lane.NOTHING), DOUBLE)
        if self.events:
            alone = accepted & self._happens(step)
            accepted = accepted & ~alone
            what = b.select(alone, float(lane.ALONE), what)
            b.copy_where(accepted, m.looks.offset(self.crossings.looks * self.events), m.g, self.events)
        s[lane.UNTIL] = b.select(step.last, s[END], s[T] + step.h)
        self._rows(accepted)
        what = self._advance(step, accepted, what)
        what = self._again(step, rejected, what)
        tried = s[lane.ACCEPTED] + s[lane.REJECTED]
        what = b.select(active & (what.equals(float(lane.NOTHING))) & (tried >= s[lane.MOST]), float(places.TOO_MANY), what)
        s[lane.WHAT] = what
        self.flags[lane.CALLED] = b.bits(what.differs(float(lane.NOTHING)))
        b.return_status()
        self.module.add(b)

    def _happens(self, step: Attempt) -> Value:
        """Whether something crosses zero within the step, or seems to; see `TimeLoop._accepted`."""
        b = self.b
        self.crossings.look(step.h, b.local_array(1))
        seen = self.crossings.seen()
        if not self.method.adaptive:
            return seen
        return seen | ((self.crossings.dip() > 0.0) & self.m.s[lane.AGAIN].equals(0.0))

    def _rows(self, accepted: Value) -> None:
        """Rows and extremes within the step: the interpolants of all lanes at once, then rows lane by lane."""
        b, m = self.b, self.m
        wanted = accepted & (m.s[lane.NEXT_ROW] <= m.s[lane.UNTIL])
        if self.extremes:
            b.call("dense", m.clock, m.y, m.u, m.slopes, m.end, m.F)
            step = extremes.Step(m.s[T], m.clock[1], b.value(1.0, DOUBLE), m.y, m.F, self.method.degree, self.n)
            extremes.emit_extremes(b, step, accepted, b.array("found"))
        with b.if_then(b.any(wanted)):
            self.flags[lane.ROWS_OF] = b.bits(wanted)
            if not self.extremes:
                b.call("dense", m.clock, m.y, m.u, m.slopes, m.end, m.F)
            given = (m.s, m.y, m.F, m.clock, *(Array(b, f"%{name}") for name in FILL_ARGUMENTS[4:]))
            b.call("fill_rows", *given)

    def _advance(self, step: Attempt, accepted: Value, what: Value) -> Value:
        """Go on from the end of the step, in lanes where it was accepted."""
        b, m, s = self.b, self.m, self.m.s

        def put(place: int, x: Value) -> None:
            s[place] = b.select(accepted, x, s[place])

        if self.method.adaptive:
            put(H, step.following(b, s[lane.AGAIN].differs(0.0), s[H]))
        if step.error is not None:
            put(ERROR_BEFORE, step.error)
        put(lane.AGAIN, b.value(0.0, DOUBLE))
        put(lane.ACCEPTED, s[lane.ACCEPTED] + 1.0)
        put(T_BEFORE, s[T])
        put(T, s[lane.UNTIL])
        b.copy_where(accepted, m.end, m.y, self.n)
        b.copy_where(accepted, self.slope_after, m.slopes, self.n)
        goes = accepted
        if self.module.projects:  # elsewhere nothing depends on each other
            ratio = m.report[1]
            put(RATIO, b.minimum(s[RATIO], ratio))
            put(RATIO_BEFORE, s[RATIO_NOW])
            put(RATIO_NOW, ratio)
            near = accepted & (ratio < s[SINGULAR]) & (ratio <= s[RATIO_BEFORE])
            what = b.select(near, float(places.NEAR_SINGULAR), what)
            goes = accepted & ~near
            s[SINGULAR] = b.select(goes & (ratio > s[WATCHED]), s[WATCHED], s[SINGULAR])
        if self.method.stiff_beyond:
            stiff = m.report[3] > 0.0
            before = s[lane.STIFF]
            counted = b.select(stiff, before + 2.0, b.select(before > 4.0, before - 5.0, 0.0))
            s[lane.STIFF] = b.select(goes, counted, before)
            is_stiff = goes & s[lane.WATCH].differs(0.0) & (s[lane.STIFF] > 30.0)
            what = b.select(is_stiff, float(places.IS_STIFF), what)
            goes = goes & ~is_stiff
        return b.select(goes & (s[T] >= s[END]), float(places.DONE), what)

    def _again(self, step: Attempt, rejected: Value, what: Value) -> Value:
        """Try a shorter step, in lanes where it was not."""
        b, s = self.b, self.m.s
        s[lane.AGAIN] = b.select(rejected, 1.0, s[lane.AGAIN])
        s[lane.REJECTED] = b.select(rejected, s[lane.REJECTED] + 1.0, s[lane.REJECTED])
        if not self.method.adaptive:
            return b.select(rejected, float(places.TOO_SMALL), what)
        s[H] = b.select(rejected, step.shorter(b), s[H])
        return b.select(rejected & (s[H] < s[LEAST]), float(places.TOO_SMALL), what)


FILL_ARGUMENTS = ["s", "y", "F", "clock", "flags", "c", "grid", "rows", "row", "motion"]
