"""What every integrator is given, and what it gives: a module of compiled functions with a step and its dense output in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from lagrangian.kernels.llvm.emit import hexadecimal
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder, Value

# an angle counts as large as this at most: after a thousand turns it is to be as accurate as after one
TURN = 3.2

ARGUMENTS = ["clock", "y", "u", "slopes", "end", "report"]


class Module:
    """The functions of one problem: `rates` and `project` are there, integrators add theirs.

    `size` is the length of the state, `angles` the entries that are angles: what is allowed of their error does not grow with
    the number of turns.
    """

    def __init__(
        self,
        lines: list[str],
        declared: set[str],
        fma: bool,
        size: int,
        angles: Sequence[int],
        projects: bool,
        callback: bool,
        width: int = 1,
        suffix: str = "",
    ) -> None:
        self.width = width  # motions that are integrated at once, each in a lane
        self.suffix = suffix  # of the names of all functions
        self.lines, self.declared, self.fma = lines, declared, fma
        self.size, self.projects, self.callback = size, projects, callback
        self.second_order = False  # whether the first half of the rates is the second half of the state
        self.open = False  # whether nothing constrains the motion, so that errors vary smoothly from step to step
        turning = set(angles)
        each = [f"double {hexadecimal(TURN if i in turning else math.inf)}" for i in range(size) for _ in range(width)]
        lines.append(f"@caps{suffix} = internal constant [{size * width} x double] [{', '.join(each)}], align {8 * width}")

    def function(self, name: str, arguments: list[str], internal: bool = True) -> FunctionBuilder:
        return FunctionBuilder(name + self.suffix, arguments, self.declared, self.fma, internal, self.width)

    def add(self, builder: FunctionBuilder) -> None:
        self.lines += builder.text()

    def rates(self, b: FunctionBuilder, time: Array, state: Array, u: Array, slope: Array) -> None:
        """slope = f(t, y), the torques asked for first if they come from Python."""
        if self.callback:
            b.call("ask", time, state, u)
        b.call("rates" + self.suffix, time, state, u, slope)

    def settle(self, b: FunctionBuilder, time: Array, state: Array, u: Array, slope: Array, report: Array) -> None:
        """Bring a state back onto the constraints, and give its slope; again while the correction was not small.

        A correction c leaves about c^2 of the distance, and c qd of the rate, behind.
        """
        n = self.size
        if not self.projects:
            self.rates(b, time, state, u, slope)
            report[1] = 1.0
            return
        out = b.local_array(2 * n + 2)
        passes = b.variable(0, "i64")
        again = b.variable(True, b.mask)
        with b.while_loop(lambda: b.any(again.get()) & (passes.get() < 4)):
            if self.callback:
                b.call("ask", time, state, u)
            b.call("project", time, state, u, out)
            b.copy_where(again.get(), out, state, n)
            b.copy_where(again.get(), out.offset(n), slope, n)
            # how independent the constraints still are, and by how much the state was moved
            report[1] = b.select(again.get(), out[2 * n + 1], report[1])
            report[2] = b.select(again.get(), out[2 * n], report[2])
            passes.set(passes.get() + 1)
            again.set(again.get() & (out[2 * n] > 1e-13))

    def weight(self, b: FunctionBuilder, i: Any, y: Array, end: Array, clock: Array) -> Value:
        """1 / (atol + rtol |y|), by comparisons, one instruction each: what is not a number spoils the estimate itself."""
        before, after, cap = b.absolute(y[i]), b.absolute(end[i]), Array(b, "@caps" + self.suffix)[i]
        large = b.select(before > after, before, after)
        return 1.0 / b.fma(clock[2], b.select(large < cap, large, cap), clock[3])


class Method(Protocol):
    """An integrator: `emit` adds `step` and `dense` to a module."""

    name: str
    exponent: float
    slopes: int
    last: int
    degree: int
    adaptive: bool
    safety: float  # the part of the step that the error estimate allows which is made
    smooths: bool  # whether steps gain from looking at the error of the step before, too
    stiff_beyond: float
    canonical: bool  # whether the step is in coordinates and momenta
    jacobian: bool  # whether the step needs the derivatives of the rates
    free_interpolant: bool  # whether the interpolant costs next to nothing beside the step

    @property
    def key(self) -> str: ...  # what tells its code from that of others

    def emit(self, module: Module) -> None: ...


def finish_interpolant(b: FunctionBuilder, n: int, degree: int, y: Array, end: Array, F: Array) -> None:
    """Add what the end was moved by (projection) to the interpolant, smoothly: 3 theta^2 - 2 theta^3 of it."""

    def entry(i: object) -> None:
        reached = y[i]
        for power in range(degree):
            reached = reached + F.offset(power * n)[i]
        moved = end[i] - reached
        F.offset(n)[i] = b.fma(3.0, moved, F.offset(n)[i])
        F.offset(2 * n)[i] = b.fma(-2.0, moved, F.offset(2 * n)[i])

    b.for_each(n, entry)
