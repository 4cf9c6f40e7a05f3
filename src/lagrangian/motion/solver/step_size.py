"""How long a step is, and the next one after it (Hairer, Norsett and Wanner I, II.4): of one motion, or of one in every lane."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lagrangian.kernels.llvm import math as power
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder, Value
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.solver.places import END, ERROR_BEFORE, LARGEST, H, T

SHRINK, GROW = 0.2, 8.0
# shares of the logarithms of the error, and of that of the step before, which is taken to be as large as this at least (log2)
INTEGRAL, PROPORTIONAL, LEAST_ERROR = 0.7, 0.4, math.log2(1e-4)


@dataclass(frozen=True)
class Attempt:
    """A step that was tried: its length, whether it ends the run, and by what the next should be longer.

    `error` is what the next step is to know of this one's: the logarithm, if it is accepted.
    """

    h: Value
    last: Value
    factor: Value | float
    error: Value | None = None

    def following(self, b: FunctionBuilder, again: Value, h: Value) -> Value:
        """The length of the step after this one, which was accepted; `h` is what was wanted of it.

        Not longer right `again` after a rejection; and a step cut short by the end says nothing about the next.
        """
        found = b.select(again, b.minimum(self.factor, 1.0), self.factor) * self.h
        return b.select(self.last, b.maximum(h, found), found)

    def shorter(self, b: FunctionBuilder) -> Value:
        """The length of the step to try instead of this one."""
        return self.h * b.minimum(self.factor, 1.0)


def length(b: FunctionBuilder, s: Array) -> tuple[Value, Value]:
    """Of the step to try, and whether it is the last."""
    rest = s[END] - s[T]
    wanted = b.minimum(s[H], s[LARGEST])
    last = rest <= wanted * (1 + 1e-8)  # no step of rounding alone is left over
    return b.select(last, rest, wanted), last


def squared_error(b: FunctionBuilder, method: Method, end: Array, estimate: Value, n: int) -> Value:
    """The squared error of a step; without an estimate, zero, but of a state that is not a number, which must not go on."""
    if method.adaptive:
        return estimate
    total = b.variable(0.0)
    b.for_each(n, lambda i: total.set(b.fma(end[i], 0.0, total.get())))
    return estimate + total.get()


def attempt(b: FunctionBuilder, method: Method, error: Value, s: Array, step: tuple[Value, Value], smooth: bool) -> Attempt:
    """What follows from the squared error of a step that was tried, of this length, and the last one or not.

    Where errors vary smoothly from step to step, as they do without loops, a step that was accepted is followed by none that is
    longer than a proportional-integral controller allows (Gustafsson 1991): fewer are rejected. With loops the errors have
    peaks, after which steps are to grow at once.
    """
    h, last = step
    if not method.adaptive:
        return Attempt(h, last, 1.0)
    found = power.emit_log2(b, b.maximum(error, 1e-30))
    allowed = b.fma(found, method.exponent, math.log2(method.safety))
    if not (smooth and method.smooths):
        return Attempt(h, last, _factor(b, error, power.emit_exp2(b, allowed)))
    change = b.fma(found, INTEGRAL, s[ERROR_BEFORE] * -PROPORTIONAL)
    calm = b.fma(change, method.exponent, (INTEGRAL - PROPORTIONAL) * math.log2(method.safety))
    wanted = b.select(error <= 1.0, b.minimum(allowed, calm), allowed)
    # a step that was cut short by the end says nothing about the next
    known = b.select(last, 0.0, b.maximum(found, LEAST_ERROR))
    return Attempt(h, last, _factor(b, error, power.emit_exp2(b, wanted)), known)


def _factor(b: FunctionBuilder, error: Value, raw: Value) -> Value:
    """By what the next step should be longer, within limits."""
    return b.select(error.equals(error), b.minimum(b.maximum(raw, SHRINK), GROW), SHRINK)
