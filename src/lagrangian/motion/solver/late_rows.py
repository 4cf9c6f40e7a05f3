"""Rows of several steps at once, as compiled code: their interpolants' further stages are computed in the lanes of a vector.

    void late_rows(ptr c, ptr u, ptr work, ptr grid, ptr rows, ptr dense)

Nothing in a run waits for its rows. So a step that only rows want the interpolant of is put aside, and when there are as many as
a vector has lanes, or the run returns to its caller, the stages of all of them cost little more than those of one. The results
are bit for bit what each step by itself gives.
"""

from __future__ import annotations

from lagrangian.kernels.llvm.ir import INTEGER, Array, FunctionBuilder, Value
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver.interpolant import Interpolant
from lagrangian.motion.solver.lane import Lane
from lagrangian.motion.solver.places import (
    FIRST_ROW,
    KEEP,
    LAST_ROW,
    LATE,
    ROW,
    ROWS,
    STEP,
    STEPS_ROOM,
    STORED,
    Memory,
    SolverWorkspace,
    T,
)

ARGUMENTS = ["c", "u", "work", "grid", "rows", "dense"]
SUFFIX = ".late"
FEW = 24  # numbers of a state up to which loops over them are written out


def lanes(method: Method, n: int, width: int) -> int:
    """How many steps wait for each other at most: none where the interpolant needs no stages of its own, or the state is long."""
    return width if isinstance(method, ExplicitMethod) and not method.free_interpolant and 0 < n <= FEW else 0


class LateRows:
    """Writes `late_rows`, and the code of the time loop that puts steps aside for it."""

    def __init__(self, module: Module, method: ExplicitMethod, width: int, workspace: SolverWorkspace) -> None:
        self.module, self.method, self.width, self.workspace, self.n = module, method, width, workspace, module.size

    def emit(self) -> None:
        module, method, n = self.module, self.method, self.n
        wide = Module(module.lines, module.declared, module.fma, n, (), False, False, self.width, SUFFIX)
        method.emit_dense(wide)
        b = module.function("late_rows", ARGUMENTS)
        m = Memory(b, ARGUMENTS, self.workspace)
        with b.if_then(m.c[LATE] > 0):
            b.call("dense" + SUFFIX, m.late_clock, m.late_y, m.u, m.late_slopes, m.late_end, m.late_F)
            with b.for_range(m.c[LATE]) as k:
                self._rows(b, m, k)
            m.c[LATE] = 0
        b.return_status()
        module.add(b)

    def _rows(self, b: FunctionBuilder, m: Memory, k: Value) -> None:
        """Of one step, and its interpolant if it is kept."""
        n, size = self.n, self.method.degree * self.n
        clock, y, F, rows = (Lane(x, self.width, k) for x in (m.late_clock, m.late_y, m.late_F, m.late_rows.as_type(INTEGER)))
        inverse = 1.0 / clock[1]
        with b.for_range(rows[LAST_ROW], rows[FIRST_ROW]) as row:
            theta = (m.grid[row] - clock[0]) * inverse
            Interpolant.horner(b, theta, y, F, self.method.degree, n, m.rows.offset(row * n))
        with b.if_then(rows[STEP] >= 0):
            there = m.dense.offset(rows[STEP] * size)
            b.for_each(size, lambda i: there.__setitem__(i, F[i]))

    def put_aside(self, b: FunctionBuilder, m: Memory, h: Value, until: Value) -> None:
        """The step at hand, if there are rows in it until that time."""
        c, n = m.c, self.n
        first = c[ROW]

        def more() -> Value:
            inside = c[ROW] < c[ROWS]
            return inside & (m.grid[b.select(inside, c[ROW], 0, INTEGER)] <= until)

        with b.while_loop(more):
            c[ROW] = c[ROW] + 1
        with b.if_then(c[ROW] > first):
            k = c[LATE]
            clock, rows = Lane(m.late_clock, self.width, k), Lane(m.late_rows.as_type(INTEGER), self.width, k)
            clock[0], clock[1] = m.s[T], h
            self._copy(b, m.y, Lane(m.late_y, self.width, k), n)
            self._copy(b, m.end, Lane(m.late_end, self.width, k), n)
            self._copy(b, m.slopes, Lane(m.late_slopes, self.width, k), (self.method.last + 1) * n)
            kept = (c[STORED] < c[STEPS_ROOM]) & c[KEEP].differs(0)
            rows[FIRST_ROW], rows[LAST_ROW], rows[STEP] = first, c[ROW], b.select(kept, c[STORED], -1, INTEGER)
            c[LATE] = k + 1

    @staticmethod
    def _copy(b: FunctionBuilder, source: Array, target: Lane, size: int) -> None:
        b.for_each(size, lambda i: target.__setitem__(i, source[i]), unroll=size)

    def make(self, b: FunctionBuilder, m: Memory) -> None:
        """The rows of all steps that were put aside."""
        b.call("late_rows", m.c, m.u, b.array("work"), m.grid, m.rows, m.dense)
