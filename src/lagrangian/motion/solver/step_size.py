"""How long a step is, and the next one after it (Hairer, Norsett and Wanner I, II.4): of one motion, or of one in every lane."""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.kernels.llvm.builder import Array, Builder, Value
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.solver.places import END, LARGEST, H, T

SHRINK, GROW = 0.2, 8.0


@dataclass(frozen=True)
class Attempt:
    """A step that was tried: its length, whether it ends the run, and by what the next should be longer."""

    h: Value
    last: Value
    factor: Value | float

    def following(self, b: Builder, again: Value, h: Value) -> Value:
        """The length of the step after this one, which was accepted; `h` is what was wanted of it.

        Not longer right `again` after a rejection; and a step cut short by the end says nothing about the next.
        """
        found = b.select(again, b.minimum(self.factor, 1.0), self.factor) * self.h
        return b.select(self.last, b.maximum(h, found), found)

    def shorter(self, b: Builder) -> Value:
        """The length of the step to try instead of this one."""
        return self.h * b.minimum(self.factor, 1.0)


def length(b: Builder, s: Array) -> tuple[Value, Value]:
    """Of the step to try, and whether it is the last."""
    rest = s[END] - s[T]
    wanted = b.minimum(s[H], s[LARGEST])
    last = rest <= wanted * (1 + 1e-8)  # no step of rounding alone is left over
    return b.select(last, rest, wanted), last


def squared_error(b: Builder, method: Method, end: Array, estimate: Value, n: int) -> Value:
    """The squared error of a step; without an estimate, zero, but of a state that is not a number, which must not go on."""
    if method.adaptive:
        return estimate
    total = b.variable(0.0)
    b.each(n, lambda i: total.set(b.fma(end[i], 0.0, total.get())))
    return estimate + total.get()


def factor(b: Builder, method: Method, error: Value) -> Value | float:
    """By what the next step should be longer."""
    if not method.adaptive:
        return 1.0
    raw = method.safety * b.power(b.maximum(error, 1e-30), method.exponent)
    return b.select(error.equals(error), b.minimum(b.maximum(raw, SHRINK), GROW), SHRINK)
