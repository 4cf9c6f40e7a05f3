"""The least and greatest values of all coordinates and speeds over a motion, and when: found in every step, as compiled code.

The interpolant of a step is a polynomial: it is looked at in a few places, and from the best of them Newton's method goes on to
where its slope is zero. `found` holds the least values, the greatest, and the times of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lagrangian.kernels.llvm.ir import FunctionBuilder, Value

PLACES, TURNS = 8, 3  # in a step, and of Newton's method
LOW, HIGH, T_LOW, T_HIGH = range(4)
PARTS = 4


@dataclass(frozen=True)
class Step:
    """A step from state `y` at time t: its interpolant, and the part of it that counts, of one motion or of one in every lane."""

    t: Value
    h: Value
    part: Value | float
    y: Any
    F: Any
    degree: int
    n: int

    def value(self, b: FunctionBuilder, i: Any, theta: Value) -> Value:
        total = self.F[(self.degree - 1) * self.n + i]
        for power in range(self.degree - 2, -1, -1):
            total = b.fma(total, theta, self.F[power * self.n + i])
        return b.fma(total, theta, self.y[i])

    def slope(self, b: FunctionBuilder, i: Any, theta: Value, order: int) -> Value:
        """The first or second derivative with respect to the part of the step."""
        factor: Callable[[int], int] = (lambda k: k) if order == 1 else (lambda k: k * (k - 1))
        total = self.F[(self.degree - 1) * self.n + i] * float(factor(self.degree))
        for power in range(self.degree - 1, order - 1, -1):
            total = b.fma(total, theta, self.F[(power - 1) * self.n + i] * float(factor(power)))
        return total


def emit_extremes(b: FunctionBuilder, step: Step, where: Value, found: Any) -> None:
    """Take a step into account, in lanes in which `where` is true."""
    with b.for_range(step.n) as i:
        places = [step.part * (k / PLACES) for k in range(1, PLACES + 1)]
        values = [step.value(b, i, b.value(theta, "double")) for theta in places]
        for best, at, above in ((LOW, T_LOW, False), (HIGH, T_HIGH, True)):
            _look(b, step, i, where, (places, values), (found, best, at), above)


def _look(b: FunctionBuilder, step: Step, i: Any, where: Value, seen: Any, kept: Any, above: bool) -> None:
    def better(x: Value, y: Value) -> Value:
        return x > y if above else x < y

    value, theta = step.y[i], b.value(0.0, "double")
    for place, x in zip(*seen, strict=True):
        wins = better(x, value)
        value, theta = b.select(wins, x, value), b.select(wins, b.value(place, "double"), theta)
    width = step.part * (1.0 / PLACES)
    low, high = b.maximum(theta - width, 0.0), b.minimum(theta + width, step.part)
    near = theta
    for _ in range(TURNS):
        moved = near - step.slope(b, i, near, 1) / step.slope(b, i, near, 2)
        near = b.select(moved.equals(moved), b.minimum(b.maximum(moved, low), high), near)
    there = step.value(b, i, near)
    wins = better(there, value)
    value, theta = b.select(wins, there, value), b.select(wins, near, theta)
    update(b, kept, i, step.n, where & better(value, kept[0][kept[1] * step.n + i]), value, b.fma(theta, step.h, step.t))


def update(b: FunctionBuilder, kept: Any, i: Any, n: int, wins: Value, value: Value, time: Value) -> None:
    found, best, at = kept
    found[best * n + i] = b.select(wins, value, found[best * n + i])
    found[at * n + i] = b.select(wins, time, found[at * n + i])


def begin(b: FunctionBuilder, n: int, y: Any, t: Value, found: Any) -> None:
    """At the beginning the state is all there is."""
    with b.for_range(n) as i:
        found[LOW * n + i], found[HIGH * n + i] = y[i], y[i]
        found[T_LOW * n + i], found[T_HIGH * n + i] = t, t


def end_of_step(b: FunctionBuilder, n: int, y: Any, t: Value, found: Any) -> None:
    """The state at the end of a step of one motion."""
    with b.for_range(n) as i:
        for best, at, above in ((LOW, T_LOW, False), (HIGH, T_HIGH, True)):
            old = found[best * n + i]
            update(b, (found, best, at), i, n, y[i] > old if above else y[i] < old, y[i], t)
