"""The time loop around an integrator's step, as compiled code: step size, dense rows, events, and reasons to return to Python.

    i64 integrate(ptr s, ptr c, ptr y, ptr u, ptr work, ptr grid, ptr rows, ptr steps, ptr found, ptr kinds)

All that a run needs to go on is in the arrays: it returns when its budget of steps is used, so that the caller can show progress
and be interrupted, and is called again. `s` holds real numbers and `c` counters, at the places named below.
"""

from __future__ import annotations

from typing import Any

from lagrangian.kernels.llvm.builder import DOUBLE, INTEGER, TRUTH, Array, Builder, Value
from lagrangian.motion.integrators.method import Method, Module

# places in s
T, END, H, RTOL, ATOL, LARGEST, SINGULAR, RATIO, LEAST, RATIO_NOW, RATIO_BEFORE, T_BEFORE = range(12)
REALS = 12
# places in c
(BUDGET, ACCEPTED, REJECTED, ROW, ROWS, STORED, FOUND, ROOM, FRESH, AGAIN, WHICH, FAILED, STEPS_ROOM, WATCH, STIFF) = range(15)
COUNTERS = 15

DONE, BUSY, EVENT, TOO_SMALL, FAILURE, NEAR_SINGULAR, IS_STIFF, TOO_MANY, RUNS_AWAY = range(9)

REPLAY_ARGUMENTS = ["s", "c", "steps", "u", "work", "which", "theta", "rows"]
LOOP_ARGUMENTS = ["s", "c", "y", "u", "work", "grid", "rows", "steps", "found", "kinds"]
# kinds of events: told; ending the run; also when it starts at zero and goes on below; where the equations have a kink
TOLD, STOP, GUARD, KINK = range(4)
# the part of a step beside which a kink is at its end
BESIDE = 1e-4
SAFETY, SHRINK, GROW = 0.8, 0.2, 8.0
# places within a step at which event functions are looked at, so that one that crosses twice is not missed
LOOKS = 2


class Workspace:
    """How the scratch memory of a run is divided."""

    def __init__(self, n: int, method: Method, events: int) -> None:
        self._size = 0
        self.slopes = self._take(method.slopes * n)
        self.F = self._take(method.degree * n)
        self.end = self._take(n)
        self.state = self._take(n)
        self.clock = self._take(8)
        self.report = self._take(8)
        self.g = self._take(events)  # at the beginning of the step: kept between calls
        self.looks = self._take((LOOKS + 1) * events)
        self.value = self._take(max(1, events))
        self.theta = self._take(LOOKS * events)
        self.size = self._size

    def _take(self, count: int) -> int:
        start = self._size
        self._size += -(-count // 8) * 8
        return start


class TimeLoop:
    """Writes `integrate` for one integrator and one problem."""

    def __init__(self, module: Module, method: Method, events: int) -> None:
        self.module, self.method, self.events = module, method, events
        self.n = module.size
        self.places = Workspace(self.n, method, events)
        self.b: Builder
        self.last_slope = method.last

    def emit(self) -> None:
        module = self.module
        b = self.b = module.function("integrate", LOOP_ARGUMENTS, internal=False)
        self.s, self.y, self.u, self.grid, self.rows, self.steps, self.found = (
            b.array(name) for name in ("s", "y", "u", "grid", "rows", "steps", "found")
        )
        self.c, self.kinds = b.array("c", INTEGER), b.array("kinds", INTEGER)
        work = b.array("work")
        for name in ("slopes", "F", "end", "state", "clock", "report", "g", "looks", "value", "theta"):
            setattr(self, name, work.part(getattr(self.places, name)))
        self.prepared = b.variable(False, TRUTH)
        self._start()
        with b.loop(lambda: self.s[T] < self.s[END]):
            full = self.c[FOUND] + LOOKS * self.events > self.c[ROOM] if self.events else b.value(False, TRUTH)
            with b.when((self.c[BUDGET] <= 0) | full):
                b.leave(BUSY)
            self.c[BUDGET] = self.c[BUDGET] - 1
            self._attempt()
        b.leave(DONE)
        module.add(b)

    s: Array
    y: Array
    slopes: Array
    F: Array
    end: Array
    state: Array
    clock: Array
    report: Array
    g: Array
    looks: Array
    value: Array
    theta: Array

    # -- beginning ---------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        b, s, c = self.b, self.s, self.c
        self.clock[2], self.clock[3] = s[RTOL], s[ATOL]
        with b.when(c[FRESH].differs(0)):
            self.clock[0] = s[T]
            self.module.rates(b, self.clock, self.y, self.u, self.slopes)
            c[FRESH] = 0
            if self.events:
                # an event that has just happened starts from zero, as its caller left it: it is not seen a second time
                b.call("events", self.clock, self.y, self.u, self.value)
                for e in range(self.events):
                    # so does one that rounding alone keeps from zero
                    counts = self.kinds[3 * e + 2].equals(0) & (b.absolute(self.value[e]) > 1e-13)
                    self.g[e] = b.select(counts, self.value[e], 0.0)
                    self.kinds[3 * e + 2] = 0
            with b.when(s[H] <= 0.0):
                self._first_step()

    def _first_step(self) -> None:
        """Hairer, Norsett and Wanner I, II.4: so that an Euler step of it changes little."""
        b, s, n = self.b, self.s, self.n
        d0, d1, d2 = (b.variable(0.0) for _ in range(3))

        def sizes(i: Any) -> None:
            w = self.module.weight(b, i, self.y, self.y, self.clock)
            a, f = self.y[i] * w, self.slopes[i] * w
            d0.set(b.fma(a, a, d0.get()))
            d1.set(b.fma(f, f, d1.get()))

        b.each(n, sizes)
        small = (d0.get() < 1e-10 * n) | (d1.get() < 1e-10 * n)
        h0 = b.select(small, 1e-6, 0.01 * b.sqrt(d0.get() / b.maximum(d1.get(), 1e-300)))
        h0 = b.minimum(h0, s[END] - s[T])
        b.each(n, lambda i: self.state.__setitem__(i, b.fma(h0, self.slopes[i], self.y[i])))
        self.clock[0] = s[T] + h0
        self.module.rates(b, self.clock, self.state, self.u, self.end)

        def bend(i: Any) -> None:
            w = self.module.weight(b, i, self.y, self.y, self.clock)
            a = (self.end[i] - self.slopes[i]) * w
            d2.set(b.fma(a, a, d2.get()))

        b.each(n, bend)
        most = b.maximum(b.sqrt(d1.get() / float(n)), b.sqrt(d2.get() / float(n)) / h0)
        order = -0.5 / self.method.exponent
        h1 = b.select(most <= 1e-15, b.maximum(1e-6, h0 * 1e-3), b.power(0.01 / b.maximum(most, 1e-300), 1.0 / order))
        h1 = b.minimum(h0 * 100.0, h1)
        s[H] = b.select(h1 > 0.0, h1, 1e-6)

    # -- one step ----------------------------------------------------------------------------------------------------

    def _attempt(self) -> None:
        b, s, c = self.b, self.s, self.c
        rest = s[END] - s[T]
        wanted = b.minimum(s[H], s[LARGEST])
        last = rest <= wanted * (1 + 1e-8)  # no step of rounding alone is left over
        h = b.select(last, rest, wanted)
        self.clock[0], self.clock[1] = s[T], h
        b.call("step", self.clock, self.y, self.u, self.slopes, self.end, self.report)
        with b.when(c[FAILED].differs(0)):
            b.leave(FAILURE)
        error = self.report[0]
        if not self.method.adaptive:
            # no estimate; but a state that is not a number must not go on
            total = b.variable(0.0)
            b.each(self.n, lambda i: total.set(b.fma(self.end[i], 0.0, total.get())))
            error = error + total.get()
        known = error.equals(error)
        factor: Any = 1.0
        if self.method.adaptive:
            raw = SAFETY * b.power(b.maximum(error, 1e-30), self.method.exponent)
            factor = b.select(known, b.minimum(b.maximum(raw, SHRINK), GROW), SHRINK)

        def accepted() -> None:
            self.prepared.set(False)
            ratio = self.report[1]
            after = b.select(last, s[END], s[T] + h)
            if not self.events:
                advance(b.value(after, DOUBLE), ratio)
                return
            before = c[FOUND]
            until = self._events(h, after)
            if not self.method.adaptive:
                advance(until, ratio)
                return

            def again() -> None:
                """A step to where the kink is takes the place of the one over it."""
                c[FOUND] = before
                b.copy(self.looks, self.g, self.events)
                c[AGAIN], c[REJECTED] = 1, c[REJECTED] + 1
                s[H] = until - s[T]

            b.either(self._over_a_kink(h, until), again, lambda: advance(until, ratio))

        def advance(until: Value, ratio: Value) -> None:
            if self.method.adaptive:
                # not larger right after a rejection; and a step cut short by the end says nothing about the next
                following = b.select(c[AGAIN].differs(0), b.minimum(factor, 1.0), factor) * h
                s[H] = b.select(last, b.maximum(s[H], following), following)
            c[AGAIN], c[ACCEPTED] = 0, c[ACCEPTED] + 1
            s[RATIO] = b.minimum(s[RATIO], ratio)
            s[RATIO_BEFORE], s[RATIO_NOW], s[T_BEFORE] = s[RATIO_NOW], ratio, s[T]
            self._store_step(h)
            self._rows(h, until)
            b.copy(self.end, self.y, self.n)
            b.copy(self.slopes.part(self.last_slope * self.n), self.slopes, self.n)
            s[T] = until
            if self.events:
                with b.when(c[WHICH] >= 0):
                    b.leave(EVENT)
            with b.when(self.report[1] < s[SINGULAR]):
                b.leave(NEAR_SINGULAR)
            if self.method.stiff_beyond:
                # for fifteen steps in a row, nearly, the step is what stability allows
                stiff = self.report[3] > self.method.stiff_beyond**2
                c[STIFF] = b.select(stiff, c[STIFF] + 2, b.select(c[STIFF] > 4, c[STIFF] - 5, 0, INTEGER), INTEGER)
                with b.when(c[WATCH].differs(0) & (c[STIFF] > 30)):
                    b.leave(IS_STIFF)

        def rejected() -> None:
            c[AGAIN], c[REJECTED] = 1, c[REJECTED] + 1
            if not self.method.adaptive:
                b.leave(TOO_SMALL)
                return
            s[H] = h * b.minimum(factor, 1.0)
            with b.when(s[H] < s[LEAST]):
                b.leave(TOO_SMALL)

        b.either(error <= 1.0, accepted, rejected)

    def _over_a_kink(self, h: Value, until: Value) -> Value:
        """Whether the step's first event is a kink of the equations, neither at its beginning nor at its end.

        The error estimate answers for the end of a step over a kink, but not for its interpolation, nor for integrals along it.
        """
        b, which = self.b, self.c[WHICH]
        kind = self.kinds[b.select(which >= 0, which, 0, INTEGER) * 3 + 1]
        part = (until - self.s[T]) / h
        return (which >= 0) & kind.equals(KINK) & (part > BESIDE) & (part < 1 - BESIDE)

    def _store_step(self, h: Value) -> None:
        b, c, width = self.b, self.c, self.n + 2
        with b.when(c[STORED] < c[STEPS_ROOM]):
            here = self.steps.part(c[STORED] * width)
            here[0], here[1] = self.s[T], h
            b.copy(self.y, here.part(2), self.n)
            c[STORED] = c[STORED] + 1

    def _prepare(self) -> None:
        b = self.b
        with b.when(~self.prepared.get()):
            b.call("dense", self.clock, self.y, self.u, self.slopes, self.end, self.F)
            self.prepared.set(True)

    def emit_replay(self) -> None:
        """Rows of steps that were made before: `which` step and `theta` in it for each, those of one step side by side."""
        module, n = self.module, self.n
        b = self.b = module.function("replay", REPLAY_ARGUMENTS, internal=False)
        s, steps, u, theta, rows, work = (b.array(name) for name in ("s", "steps", "u", "theta", "rows", "work"))
        c, which = b.array("c", INTEGER), b.array("which", INTEGER)
        for name in ("slopes", "F", "end", "clock", "report", "state"):
            setattr(self, name, work.part(getattr(self.places, name)))
        self.y = self.state
        self.clock[2], self.clock[3] = s[RTOL], s[ATOL]
        last = b.variable(-1, INTEGER)
        with b.count(c[0]) as k:
            with b.when(which[k].differs(last.get())):
                here = steps.part(which[k] * (n + 2))
                self.clock[0], self.clock[1] = here[0], here[1]
                b.copy(here.part(2), self.y, n)
                module.rates(b, self.clock, self.y, u, self.slopes)
                b.call("step", self.clock, self.y, u, self.slopes, self.end, self.report)
                b.call("dense", self.clock, self.y, u, self.slopes, self.end, self.F)
                last.set(which[k])
            self._interpolate(theta[k], rows.part(k * n))
        b.leave(0)
        module.add(b)

    def _interpolate(self, theta: Value, target: Array) -> None:
        b, n, degree = self.b, self.n, self.method.degree

        def entry(i: Any) -> None:
            total = self.F.part((degree - 1) * n)[i]
            for power in range(degree - 2, -1, -1):
                total = b.fma(total, theta, self.F.part(power * n)[i])
            target[i] = b.fma(total, theta, self.y[i])

        b.each(n, entry)

    def _rows(self, h: Value, until: Value) -> None:
        """Rows wanted within the step."""
        b, c = self.b, self.c
        inverse = 1.0 / h

        def more() -> Value:
            inside = c[ROW] < c[ROWS]
            at = self.grid[b.select(inside, c[ROW], 0, INTEGER)]
            return inside & (at <= until)

        with b.loop(more):
            self._prepare()
            k = c[ROW]
            self._interpolate((self.grid[k] - self.s[T]) * inverse, self.rows.part(k * self.n))
            c[ROW] = k + 1

    # -- events ------------------------------------------------------------------------------------------------------

    def _events(self, h: Value, after: Value) -> Value:
        """Find, and write down, the zeros in the step; where the run goes on from: its end, or an event that stops it."""
        b, c, ne = self.b, self.c, self.events
        c[WHICH] = -1
        time = b.local(1)
        for e in range(ne):
            self.looks[e] = self.g[e]
        # between the ends a cubic through both states and slopes is enough to see that something happens
        for look in range(1, LOOKS + 1):
            theta = look / LOOKS
            time[0] = b.fma(h, theta, self.s[T])
            if look < LOOKS:
                self._hermite(h, theta)
                b.call("events", time, self.state, self.u, self.looks.part(look * ne))
            else:
                b.call("events", time, self.end, self.u, self.looks.part(look * ne))
        until = b.variable(after)
        anything = b.variable(False, TRUTH)
        with b.count(LOOKS) as look, b.count(ne) as e:
            k = look * ne + e
            crossed = self._crossed(self.looks[k], self.looks[k + ne], e)
            self.theta[k] = 2.0
            with b.when(crossed):
                anything.set(True)
                self._prepare()
                self._locate(look, e, k, h, time, until)
        with b.when(anything.get()):
            with b.count(LOOKS * ne) as k:
                at = self.s[T] + self.theta[k] * h
                with b.when((self.theta[k] <= 1.0) & (at <= until.get())):
                    self._write_down(k - (k / ne) * ne, at)
            with b.when(c[WHICH] >= 0):
                self._interpolate((until.get() - self.s[T]) / h, self.end)
                time[0] = until.get()
                last = self.slopes.part(self.last_slope * self.n)
                self.module.settle(b, time, self.end, self.u, last, self.report)
        b.copy(self.looks.part(LOOKS * ne), self.g, ne)
        return until.get()

    def _hermite(self, h: Value, theta: float) -> None:
        b = self.b
        last = self.slopes.part(self.last_slope * self.n)
        a, d = theta * (1 - theta) ** 2, -(theta**2) * (1 - theta)
        mix = theta**2 * (3 - 2 * theta)

        def entry(i: Any) -> None:
            level = b.fma(self.end[i] - self.y[i], mix, self.y[i])
            self.state[i] = b.fma(h, b.fma(self.slopes[i], a, last[i] * d), level)

        b.each(self.n, entry)

    def _crossed(self, before: Value, after: Value, e: Value) -> Value:
        """A change of sign in a direction that counts: kinds holds +1, -1 or 0 for each event."""
        direction = self.kinds[e * 3]
        rising = (before < 0.0) & (after >= 0.0) & (direction >= 0)
        falling = (before > 0.0) & (after <= 0.0) & (direction <= 0)
        # a stop must not be passed, not even by what has just left it
        through = self.kinds[e * 3 + 1].equals(GUARD) & (before <= 0.0) & (after < 0.0)
        return rising | falling | through

    def _locate(self, look: Value, e: Value, k: Value, h: Value, time: Array, until: Any) -> None:
        """The Illinois method on the interpolant (Dowell and Jarratt 1971)."""
        b = self.b
        piece = b.real(look) * (1.0 / LOOKS)
        left, right = b.variable(piece), b.variable(piece + 1.0 / LOOKS)

        def value_at(theta: Value) -> Value:
            self._interpolate(theta, self.state)
            time[0] = b.fma(h, theta, self.s[T])
            b.call("events", time, self.state, self.u, self.value)
            return self.value[e]

        gl, gr = b.variable(value_at(left.get())), b.variable(value_at(right.get()))
        with b.when(self._crossed(gl.get(), gr.get(), e) | (gl.get() * gr.get() < 0.0)):
            side, turns = b.variable(0, INTEGER), b.variable(0, INTEGER)
            tiny = 4e-16 * b.maximum(b.absolute(self.s[T]), h)

            def unfinished() -> Value:
                apart = (right.get() - left.get()) * h > tiny
                return apart & (turns.get() < 100) & gr.get().differs(0.0)

            with b.loop(unfinished):
                guess = (left.get() * gr.get() - right.get() * gl.get()) / (gr.get() - gl.get())
                middle = 0.5 * (left.get() + right.get())
                theta = b.select((guess > left.get()) & (guess < right.get()) & (turns.get() < 50), guess, middle)
                g = value_at(theta)

                def to_right(g: Value = g, theta: Value = theta) -> None:
                    right.set(theta)
                    gr.set(g)
                    gl.set(gl.get() * b.select(side.get().equals(1), 0.5, 1.0))
                    side.set(1)

                def to_left(g: Value = g, theta: Value = theta) -> None:
                    left.set(theta)
                    gl.set(g)
                    gr.set(gr.get() * b.select(side.get().equals(-1), 0.5, 1.0))
                    side.set(-1)

                b.either((g * gr.get() > 0.0) | g.equals(0.0), to_right, to_left)
                turns.set(turns.get() + 1)
            self.theta[k] = right.get()
            at = self.s[T] + right.get() * h
            with b.when(self.kinds[e * 3 + 1].differs(0) & (at <= until.get())):
                until.set(at)
                self.c[WHICH] = e

    def _write_down(self, e: Value, at: Value) -> None:
        b, c, width = self.b, self.c, self.n + 2
        with b.when(c[FOUND] < c[ROOM]):
            here = self.found.part(c[FOUND] * width)
            here[0] = b.real(e)
            here[1] = at
            self._interpolate((at - self.s[T]) / self.clock[1], here.part(2))
            c[FOUND] = c[FOUND] + 1
