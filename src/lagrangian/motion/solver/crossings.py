"""Events within a step, as compiled code: their functions looked at, their zeros located on the interpolant and written down."""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import DOUBLE, INTEGER, TRUTH, Array, FunctionBuilder, LocalVariable, Value
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.solver.interpolant import Interpolant
from lagrangian.motion.solver.places import (
    DIRECTION,
    FOUND,
    GUARD,
    KIND,
    KINK,
    PER_EVENT,
    ROOM,
    STOP,
    WHICH,
    Index,
    Memory,
    T,
)

# a dip is looked into where it leaves less than this part of the least value seen, and not beside the ends of a step
SHALLOW, NEAR_ENDS = 0.1, 0.02
AGAIN = 3  # places at which a step that is ended by an event is looked at once more
INSTANT = 1e-14  # part of the time within which events happen together


class Crossings:
    """The zeros of the event functions in one step."""

    def __init__(
        self,
        module: Module,
        b: FunctionBuilder,
        memory: Memory,
        interpolant: Interpolant,
        events: tuple[int, int],
        slope_after: Array,
    ) -> None:
        """`events` is how many there are, and at how many places in a step they are looked at."""
        self.module, self.b, self.m, self.interpolant = module, b, memory, interpolant
        (self.events, self.looks), self.slope_after, self.n = events, slope_after, module.size

    def in_step(self, h: Value, after: Value) -> Value:
        """Find, and write down, the zeros in the step; where the run goes on from: its end, or an event that stops it."""
        b, m, c, ne = self.b, self.m, self.m.c, self.events
        c[WHICH] = -1
        time = b.local_array(1)
        self.look(h, time)
        with b.if_then(self.seen()):
            self._look_closely(h, time)
        until = b.variable(after)
        anything = b.variable(False, TRUTH)
        with b.for_range(self.looks) as look, b.for_range(ne) as e:
            k = look * ne + e
            crossed = self._crossed(m.looks[k], m.looks[k + ne], e)
            m.theta[k] = 2.0
            with b.if_then(crossed):
                anything.set(True)
                self.interpolant.prepare()
                piece = b.to_double(look) * (1.0 / self.looks)
                self._locate(piece, piece + 1.0 / self.looks, e, k, h, time, until)
        with b.if_then(anything.get()):
            with b.if_then(c[WHICH] >= 0):
                self._look_again(h, time, until)
            instant = INSTANT * b.maximum(1.0, b.absolute(until.get()))
            with b.for_range(self.looks * ne) as k:
                e, at = k - (k / ne) * ne, m.s[T] + m.theta[k] * h
                # what the user watches, and rounding alone puts behind the event that ends the step, happens with it
                late = b.select(m.kinds[e * PER_EVENT + KIND] <= STOP, instant, 0.0)
                with b.if_then((m.theta[k] <= 1.0) & (at <= until.get() + late)):
                    self._write_down(e, b.minimum(at, until.get()))
            with b.if_then(c[WHICH] >= 0):
                self.interpolant.at((until.get() - m.s[T]) / h, m.end)
                time[0] = until.get()
                self.module.settle(b, time, m.end, m.u, self.slope_after, m.report)
        b.copy(m.looks.offset(self.looks * ne), m.g, ne)
        return until.get()

    def look(self, h: Value, time: Array) -> None:
        """Values at the beginning of the step, within it and at its end.

        Between the ends a cubic through both states and slopes is enough to see that something happens.
        """
        b, m, ne = self.b, self.m, self.events
        b.copy(m.g, m.looks, ne)
        for look in range(1, self.looks + 1):
            theta = look / self.looks
            time[0] = b.fma(h, theta, m.s[T])
            if look < self.looks:
                self._hermite(h, theta)
                b.call("events", time, m.state, m.u, m.looks.offset(look * ne))
            else:
                b.call("events", time, m.end, m.u, m.looks.offset(look * ne))

    def _look_closely(self, h: Value, time: Array) -> None:
        """The same on the interpolant, on which zeros are located: beside a zero the cubic may have another sign."""
        b, m, ne = self.b, self.m, self.events
        self.interpolant.prepare()
        with b.for_range(self.looks - 1) as k:
            theta = b.to_double(k + 1) * (1.0 / self.looks)
            time[0] = b.fma(h, theta, m.s[T])
            self.interpolant.at(theta, m.state)
            b.call("events", time, m.state, m.u, m.looks.offset((k + 1) * ne))

    def seen(self) -> Value:
        """Whether anything crosses zero in the step, as far as was looked."""
        b, m, ne = self.b, self.m, self.events
        found = b.variable(False, b.mask)
        with b.for_range(self.looks) as look, b.for_range(ne) as e:
            k = look * ne + e
            found.set(found.get() | self._crossed(m.looks[k], m.looks[k + ne], e))
        return found.get()

    def _look_again(self, h: Value, time: Array, until: LocalVariable) -> None:
        """What ends a step early may hide what crosses zero before and comes back with it, as joints of one freedom do.

        So it is looked at in the middle of what is left of the step, and ever nearer to its end.
        """
        b, m, ne = self.b, self.m, self.events
        end, rest = (until.get() - m.s[T]) / h, b.variable(0.5)
        with b.for_range(AGAIN):
            theta = end * (1.0 - rest.get())
            rest.set(0.25 * rest.get())
            time[0] = b.fma(h, theta, m.s[T])
            self.interpolant.at(theta, m.state)
            b.call("events", time, m.state, m.u, m.looks.offset(ne))
            with b.for_range(ne) as e:
                unknown = b.value(True, TRUTH)
                for look in range(self.looks):
                    unknown = unknown & (m.theta[e + look * ne] > theta)
                with b.if_then(self._crossed(m.looks[e], m.looks[e + ne], e) & unknown):
                    self._locate(b.value(0.0, DOUBLE), theta, e, e, h, time, until)

    def dip(self) -> Value:
        """The part of the step at which a kink's function nearly touches zero, or crosses it twice: 0 if none seems to.

        By the parabola through its values at the three places looked at, none of which shows it.
        """
        b, m, ne = self.b, self.m, self.events
        found = b.variable(0.0)
        with b.for_range(ne) as e:
            g0, g1, g2 = (m.looks[k * ne + e] for k in (0, self.looks // 2, self.looks))
            slope, bend = 4.0 * g1 - 3.0 * g0 - g2, 2.0 * (g0 + g2) - 4.0 * g1
            theta = -0.5 * slope / bend
            least = b.minimum(b.absolute(g0), b.minimum(b.absolute(g1), b.absolute(g2)))
            lowest = (g0 + 0.5 * slope * theta) * b.select(g0 > 0.0, 1.0, -1.0)
            same = (g0 * g1 > 0.0) & (g1 * g2 > 0.0)
            inside = (theta > NEAR_ENDS) & (theta < 1.0 - NEAR_ENDS)
            kink = b.broadcast(m.kinds[e * PER_EVENT + KIND].equals(KINK))
            found.set(b.select(kink & same & inside & (lowest < SHALLOW * least), theta, found.get()))
        return found.get()

    def _hermite(self, h: Value, theta: float) -> None:
        b, m, last = self.b, self.m, self.slope_after
        a, d = theta * (1 - theta) ** 2, -(theta**2) * (1 - theta)
        mix = theta**2 * (3 - 2 * theta)

        def entry(i: Index) -> None:
            level = b.fma(m.end[i] - m.y[i], mix, m.y[i])
            m.state[i] = b.fma(h, b.fma(m.slopes[i], a, last[i] * d), level)

        b.for_each(self.n, entry)

    def _crossed(self, before: Value, after: Value, e: Value) -> Value:
        """A change of sign in a direction that counts: kinds holds +1, -1 or 0 for each event."""
        b, m = self.b, self.m
        direction = m.kinds[e * PER_EVENT + DIRECTION]
        rising = (before < 0.0) & (after >= 0.0) & b.broadcast(direction >= 0)
        falling = (before > 0.0) & (after <= 0.0) & b.broadcast(direction <= 0)
        # a stop must not be passed, not even by what has just left it
        through = b.broadcast(m.kinds[e * PER_EVENT + KIND].equals(GUARD)) & (before <= 0.0) & (after < 0.0)
        return rising | falling | through

    def _locate(self, low: Value, high: Value, e: Value, k: Value, h: Value, time: Array, until: LocalVariable) -> None:
        """The first zero between two parts of the step, by the Illinois method on the interpolant (Dowell and Jarratt 1971).

        What is zero is behind the first: a function may stay there, and bisection finds where it began to.
        """
        b, m = self.b, self.m
        left, right = b.variable(low), b.variable(high)

        def value_at(theta: Value) -> Value:
            self.interpolant.at(theta, m.state)
            time[0] = b.fma(h, theta, m.s[T])
            b.call("events", time, m.state, m.u, m.value)
            return m.value[e]

        gl, gr = b.variable(value_at(left.get())), b.variable(value_at(right.get()))
        with b.if_then(self._crossed(gl.get(), gr.get(), e) | (gl.get() * gr.get() < 0.0)):
            side, turns, zeros = (b.variable(0, INTEGER) for _ in range(3))
            tiny = 4e-16 * b.maximum(b.absolute(m.s[T]), h)

            def unfinished() -> Value:
                apart = (right.get() - left.get()) * h > tiny
                return apart & (turns.get() < 100)

            with b.while_loop(unfinished):
                guess = (left.get() * gr.get() - right.get() * gl.get()) / (gr.get() - gl.get())
                middle = 0.5 * (left.get() + right.get())
                theta = b.select((guess > left.get()) & (guess < right.get()) & (turns.get() < 50), guess, middle)
                # most functions only pass through zero
                zero = gr.get().equals(0.0)
                theta = b.select(zero & zeros.get().equals(0), b.maximum(right.get() - 8.0 * tiny / h, middle), theta)
                zeros.set(b.select(zero, 1, 0, INTEGER))
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

                b.if_else((g * gr.get() > 0.0) | g.equals(0.0), to_right, to_left)
                turns.set(turns.get() + 1)
            m.theta[k] = right.get()
            at = m.s[T] + right.get() * h
            with b.if_then(m.kinds[e * PER_EVENT + KIND].differs(0) & (at <= until.get())):
                until.set(at)
                m.c[WHICH] = e

    def _write_down(self, e: Value, at: Value) -> None:
        b, m, c, width = self.b, self.m, self.m.c, self.n + 2
        with b.if_then(c[FOUND] < c[ROOM]):
            here = m.found.offset(c[FOUND] * width)
            here[0] = b.to_double(e)
            here[1] = at
            self.interpolant.at((at - m.s[T]) / m.clock[1], here.offset(2))
            c[FOUND] = c[FOUND] + 1
