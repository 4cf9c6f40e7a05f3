"""The interpolant of a step as compiled code, and `replay`, which evaluates those of steps that were made before.

    i64 replay(ptr s, ptr c, ptr steps, ptr dense, ptr u, ptr work, ptr which, ptr theta, ptr rows)

Coefficients that the run kept are in `dense`; where it kept none, the step is made again.
"""

from __future__ import annotations

import math
from typing import Any

from lagrangian.kernels.llvm.ir import INTEGER, TRUTH, Array, FunctionBuilder, Value
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver.places import (
    ATOL,
    KEEP,
    REPLAY_ARGUMENTS,
    RTOL,
    STEPS_ROOM,
    STORED,
    Index,
    Memory,
    SolverWorkspace,
    T,
)

UNKNOWN = math.nan  # stands for coefficients that were not kept


class Interpolant:
    """y + theta F1 + theta^2 F2 + ... over the step at hand, `y` being its beginning."""

    def __init__(self, b: FunctionBuilder, method: Method, memory: Memory, n: int) -> None:
        self.b, self.method, self.memory, self.n = b, method, memory, n
        self.prepared = b.variable(False, TRUTH)

    def prepare(self) -> None:
        """Compute the coefficients, once for every step."""
        b, m = self.b, self.memory
        with b.if_then(~self.prepared.get()):
            b.call("dense", m.clock, m.y, m.u, m.slopes, m.end, m.F)
            self.prepared.set(True)

    def at(self, theta: Value, target: Array) -> None:
        """The state at a part of the step."""
        self.horner(self.b, theta, self.memory.y, self.memory.F, self.method.degree, self.n, target)

    @staticmethod
    def horner(b: FunctionBuilder, theta: Value, y: Any, F: Any, degree: int, n: int, target: Array) -> None:
        """The polynomial that has these coefficients."""

        def entry(i: Index) -> None:
            total = F[(degree - 1) * n + i]
            for power in range(degree - 2, -1, -1):
                total = b.fma(total, theta, F[power * n + i])
            target[i] = b.fma(total, theta, y[i])

        b.for_each(n, entry)

    def store(self, h: Value) -> None:
        """Keep the step: its time, length and first state; and its coefficients, if they are wanted and known."""
        b, m, width = self.b, self.memory, self.n + 2
        size = self.method.degree * self.n
        with b.if_then(m.c[STORED] < m.c[STEPS_ROOM]):
            here = m.steps.offset(m.c[STORED] * width)
            here[0], here[1] = m.s[T], h
            b.copy(m.y, here.offset(2), self.n)
            with b.if_then(m.c[KEEP].differs(0)):
                if self.method.free_interpolant:
                    self.prepare()
                there = m.dense.offset(m.c[STORED] * size)
                b.if_else(self.prepared.get(), lambda: b.copy(m.F, there, size), lambda: there.__setitem__(0, UNKNOWN))
            m.c[STORED] = m.c[STORED] + 1


class StoredSteps:
    """Steps that were made before, one of which is at hand: its first state is in `y`, its interpolant in `F`.

    c holds how many rows, or steps, are wanted, and whether `dense` holds coefficients.
    """

    def __init__(self, module: Module, method: Method, b: FunctionBuilder, memory: Memory) -> None:
        self.module, self.method, self.b, self.memory = module, method, b, memory
        memory.y = memory.state
        memory.clock[2], memory.clock[3] = memory.s[RTOL], memory.s[ATOL]
        self.interpolant = Interpolant(b, method, memory, module.size)

    def recall(self, which: Value) -> None:
        """Take up a step: its coefficients as they were kept, or found by making it again."""
        b, m, n = self.b, self.memory, self.module.size
        size = self.method.degree * n
        here, there = m.steps.offset(which * (n + 2)), m.dense.offset(which * size)
        m.clock[0], m.clock[1] = here[0], here[1]
        b.copy(here.offset(2), m.y, n)

        def kept() -> None:
            b.if_else(there[0].equals(there[0]), lambda: b.copy(there, m.F, size), self._again)

        b.if_else(m.c[1].differs(0), kept, self._again)

    def _again(self) -> None:
        b, m = self.b, self.memory
        self.module.rates(b, m.clock, m.y, m.u, m.slopes)
        b.call("step", m.clock, m.y, m.u, m.slopes, m.end, m.report)
        b.call("dense", m.clock, m.y, m.u, m.slopes, m.end, m.F)


def emit_replay(module: Module, method: Method, workspace: SolverWorkspace) -> None:
    """Rows of steps that were made before: `which` step and `theta` in it for each, those of one step side by side."""
    b = module.function("replay", REPLAY_ARGUMENTS, internal=False)
    m = Memory(b, REPLAY_ARGUMENTS, workspace)
    steps = StoredSteps(module, method, b, m)
    last = b.variable(-1, INTEGER)
    with b.for_range(m.c[0]) as k:
        with b.if_then(m.which[k].differs(last.get())):
            steps.recall(m.which[k])
            last.set(m.which[k])
        steps.interpolant.at(m.theta[k], m.rows.offset(k * module.size))
    b.return_status(0)
    module.add(b)
