"""The time loop around an integrator's step, as compiled code: step size, dense rows, events, and reasons to return to Python.

    i64 integrate(ptr s, ptr c, ptr y, ptr u, ptr work, ptr grid, ptr rows, ptr steps, ptr dense, ptr found, ptr kinds)

All that a run needs to go on is in the arrays: it returns when its budget of steps is used, so that the caller can show progress
and be interrupted, and is called again. `s` holds real numbers and `c` counters, at the places that `places` names.
"""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, TRUTH, Value
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver import step_size
from lagrangian.motion.solver.crossings import Crossings
from lagrangian.motion.solver.interpolant import Interpolant
from lagrangian.motion.solver.late_rows import LateRows
from lagrangian.motion.solver.places import (
    ACCEPTED,
    AGAIN,
    ATOL,
    BUDGET,
    BUSY,
    DONE,
    END,
    ERROR_BEFORE,
    EVENT,
    FAILED,
    FAILURE,
    FOUND,
    FRESH,
    HAPPENED,
    IS_STIFF,
    KIND,
    KINK,
    LATE,
    LEAST,
    LOOP_ARGUMENTS,
    NEAR_SINGULAR,
    PER_EVENT,
    RATIO,
    RATIO_BEFORE,
    RATIO_NOW,
    REJECTED,
    ROOM,
    ROW,
    ROWS,
    RTOL,
    SINGULAR,
    STIFF,
    STORED,
    T_BEFORE,
    TO_COME,
    TOO_SMALL,
    UNKNOWN,
    WATCH,
    WATCHED,
    WHICH,
    H,
    Index,
    Memory,
    SolverWorkspace,
    T,
)
from lagrangian.motion.solver.step_size import Attempt

# the part of a step beside which a kink is at its end
BESIDE = 1e-4


class TimeLoop:
    """Writes `integrate` for one integrator and one system."""

    def __init__(
        self, module: Module, method: Method, events: int, workspace: SolverWorkspace, late: LateRows | None = None
    ) -> None:
        """With `late`, rows are made for several steps at once."""
        self.module, self.method, self.events, self.late = module, method, events, late
        self.n = module.size
        b = self.b = module.function("integrate", LOOP_ARGUMENTS, internal=False)
        m = self.m = Memory(b, LOOP_ARGUMENTS, workspace)
        self.interpolant = Interpolant(b, method, m, self.n)
        self.slope_after = m.slopes.offset(method.last * self.n)  # the slope at the end of the step
        self.crossings = Crossings(module, b, m, self.interpolant, (events, workspace.looks), self.slope_after)

    def emit(self) -> None:
        b, s, c = self.b, self.m.s, self.m.c
        self._start()
        with b.while_loop(lambda: s[T] < s[END]):
            full = c[FOUND] + self.crossings.looks * self.events > c[ROOM] if self.events else b.value(False, TRUTH)
            with b.if_then((c[BUDGET] <= 0) | full):
                self._leave(BUSY)
            c[BUDGET] = c[BUDGET] - 1
            self._attempt()
        self._leave(DONE)
        self.module.add(b)

    def _leave(self, status: int) -> None:
        """Return to the caller, who finds all rows made."""
        if self.late is not None:
            self.late.make(self.b, self.m)
        self.b.return_status(status)

    # -- beginning ---------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        b, m, s, c = self.b, self.m, self.m.s, self.m.c
        m.clock[2], m.clock[3] = s[RTOL], s[ATOL]
        with b.if_then(c[FRESH].differs(0)):
            m.clock[0] = s[T]
            self.module.rates(b, m.clock, m.y, m.u, m.slopes)
            c[FRESH], s[ERROR_BEFORE] = 0, 0.0
            if self.events:
                # an event that has just happened starts from zero, as its caller left it: it is not seen a second time
                b.call("events", m.clock, m.y, m.u, m.value)
                b.for_each(self.events, self._begin_event)
            with b.if_then(s[H] <= 0.0):
                self._first_step()

    def _begin_event(self, e: Index) -> None:
        """So does one that rounding alone keeps from zero, unless it is known to be still to come."""
        b, m = self.b, self.m
        happened = m.kinds[PER_EVENT * e + HAPPENED]
        away = happened.equals(UNKNOWN) & (b.absolute(m.value[e]) > 1e-13)
        m.g[e] = b.select(away | happened.equals(TO_COME), m.value[e], 0.0)
        m.kinds[PER_EVENT * e + HAPPENED] = UNKNOWN

    def _first_step(self) -> None:
        """Hairer, Norsett and Wanner I, II.4: so that an Euler step of it changes little."""
        b, m, s, n = self.b, self.m, self.m.s, self.n
        d0, d1, d2 = (b.variable(0.0) for _ in range(3))

        def sizes(i: Index) -> None:
            w = self.module.weight(b, i, m.y, m.y, m.clock)
            a, f = m.y[i] * w, m.slopes[i] * w
            d0.set(b.fma(a, a, d0.get()))
            d1.set(b.fma(f, f, d1.get()))

        b.for_each(n, sizes)
        small = (d0.get() < 1e-10 * n) | (d1.get() < 1e-10 * n)
        h0 = b.select(small, 1e-6, 0.01 * b.sqrt(d0.get() / b.maximum(d1.get(), 1e-300)))
        h0 = b.minimum(h0, s[END] - s[T])
        b.for_each(n, lambda i: m.state.__setitem__(i, b.fma(h0, m.slopes[i], m.y[i])))
        m.clock[0] = s[T] + h0
        self.module.rates(b, m.clock, m.state, m.u, m.end)

        def bend(i: Index) -> None:
            w = self.module.weight(b, i, m.y, m.y, m.clock)
            a = (m.end[i] - m.slopes[i]) * w
            d2.set(b.fma(a, a, d2.get()))

        b.for_each(n, bend)
        most = b.maximum(b.sqrt(d1.get() / float(n)), b.sqrt(d2.get() / float(n)) / h0)
        order = -0.5 / self.method.exponent
        h1 = b.select(most <= 1e-15, b.maximum(1e-6, h0 * 1e-3), b.power(0.01 / b.maximum(most, 1e-300), 1.0 / order))
        h1 = b.minimum(h0 * 100.0, h1)
        s[H] = b.select(h1 > 0.0, h1, 1e-6)

    # -- one step ----------------------------------------------------------------------------------------------------

    def _attempt(self) -> None:
        b, m, s, c = self.b, self.m, self.m.s, self.m.c
        h, last = step_size.length(b, s)
        m.clock[0], m.clock[1] = s[T], h
        b.call("step", m.clock, m.y, m.u, m.slopes, m.end, m.report)
        with b.if_then(c[FAILED].differs(0)):
            self._leave(FAILURE)
        error = step_size.squared_error(b, self.method, m.end, m.report[0], self.n)
        step = step_size.attempt(b, self.method, error, s, (h, last), self.module.open)
        b.if_else(error <= 1.0, lambda: self._accepted(step), lambda: self._rejected(step))

    def _accepted(self, step: Attempt) -> None:
        """Its events are looked for, and the run goes on from its end, or from the first event that stops it."""
        b, m, s, c = self.b, self.m, self.m.s, self.m.c
        self.interpolant.prepared.set(False)
        ratio = m.report[1]
        after = b.select(step.last, s[END], s[T] + step.h)
        before = c[FOUND]
        if not self.events:
            self._advance(step, b.value(after, DOUBLE), ratio, before)
            return
        until = self.crossings.in_step(step.h, after)
        if not self.method.adaptive:
            self._advance(step, until, ratio, before)
            return

        # once for every step: what was seen by a guess is not sought for by ever shorter steps
        dip = b.select(c[AGAIN].equals(0) & (c[WHICH] < 0), self.crossings.dip(), 0.0)
        end = b.select(dip > 0.0, b.fma(dip, step.h, s[T]), until)

        def again() -> None:
            """A step to where the kink is takes the place of the one over it."""
            c[FOUND] = before
            b.copy(m.looks, m.g, self.events)
            c[AGAIN], c[REJECTED] = 1, c[REJECTED] + 1
            s[H] = end - s[T]

        b.if_else((dip > 0.0) | self._over_a_kink(step.h, until), again, lambda: self._advance(step, until, ratio, before))

    def _advance(self, step: Attempt, until: Value, ratio: Value, found: Value) -> None:
        """Keep what is wanted of the step, and go on from `until`; before it, as many events were `found`."""
        b, m, s, c = self.b, self.m, self.m.s, self.m.c
        row, stored = c[ROW], c[STORED]
        self._rows(step.h, until)
        self.interpolant.store(step.h)
        if self.late is not None:
            with b.if_then(c[LATE] >= self.late.width):
                self.late.make(b, m)
        with b.if_then(c[FAILED].differs(0)):  # a function was asked within the step, and did not say: the step is not made
            c[ROW], c[STORED], c[FOUND] = row, stored, found
            self._leave(FAILURE)
        if self.method.adaptive:
            s[H] = step.following(b, c[AGAIN].differs(0), s[H])
        if step.error is not None:
            s[ERROR_BEFORE] = step.error
        c[AGAIN], c[ACCEPTED] = 0, c[ACCEPTED] + 1
        s[RATIO] = b.minimum(s[RATIO], ratio)
        s[RATIO_BEFORE], s[RATIO_NOW], s[T_BEFORE] = s[RATIO_NOW], ratio, s[T]
        b.copy(m.end, m.y, self.n)
        b.copy(self.slope_after, m.slopes, self.n)
        s[T] = until
        if self.events:
            with b.if_then(c[WHICH] >= 0):
                self._leave(EVENT)
        with b.if_then((ratio < s[SINGULAR]) & (ratio <= s[RATIO_BEFORE])):
            self._leave(NEAR_SINGULAR)
        s[SINGULAR] = b.select(ratio > s[WATCHED], s[WATCHED], s[SINGULAR])
        if self.method.stiff_beyond:
            # for fifteen steps in a row, nearly, the step is what stability allows
            stiff = m.report[3] > 0.0
            c[STIFF] = b.select(stiff, c[STIFF] + 2, b.select(c[STIFF] > 4, c[STIFF] - 5, 0, INTEGER), INTEGER)
            with b.if_then(c[WATCH].differs(0) & (c[STIFF] > 30)):
                self._leave(IS_STIFF)

    def _rejected(self, step: Attempt) -> None:
        """Try a shorter one."""
        b, s, c = self.b, self.m.s, self.m.c
        c[AGAIN], c[REJECTED] = 1, c[REJECTED] + 1
        if not self.method.adaptive:
            self._leave(TOO_SMALL)
            return
        s[H] = step.shorter(b)
        with b.if_then(s[H] < s[LEAST]):
            self._leave(TOO_SMALL)

    def _over_a_kink(self, h: Value, until: Value) -> Value:
        """Whether the step's first event is a kink of the equations, neither at its beginning nor at its end.

        The error estimate answers for the end of a step over a kink, but not for its interpolation, nor for integrals along it.
        """
        b, m, which = self.b, self.m, self.m.c[WHICH]
        kind = m.kinds[b.select(which >= 0, which, 0, INTEGER) * PER_EVENT + KIND]
        part = (until - m.s[T]) / h
        return (which >= 0) & kind.equals(KINK) & (part > BESIDE) & (part < 1 - BESIDE)

    def _rows(self, h: Value, until: Value) -> None:
        """Rows wanted within the step: at once, or, where nobody else needs its interpolant, later."""
        if self.late is None:
            self._rows_now(h, until)
            return
        late, b, m = self.late, self.b, self.m
        if not self.events:
            late.put_aside(b, m, h, until)
            return
        prepared = self.interpolant.prepared.get()
        b.if_else(prepared, lambda: self._rows_now(h, until), lambda: late.put_aside(b, m, h, until))

    def _rows_now(self, h: Value, until: Value) -> None:
        b, m, c = self.b, self.m, self.m.c
        inverse = 1.0 / h

        def more() -> Value:
            inside = c[ROW] < c[ROWS]
            at = m.grid[b.select(inside, c[ROW], 0, INTEGER)]
            return inside & (at <= until)

        with b.while_loop(more):
            self.interpolant.prepare()
            k = c[ROW]
            self.interpolant.at((m.grid[k] - m.s[T]) * inverse, m.rows.offset(k * self.n))
            c[ROW] = k + 1
