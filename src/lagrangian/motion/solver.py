"""A problem and an integrator as machine code, and the loop in Python around it that can be watched and interrupted."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.llvm import cache, jit, target
from lagrangian.motion import loop
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.large import RolledRates
from lagrangian.motion.problem import Problem

# how long compiled code runs before Python may look at signals and show progress
PATIENCE = 0.05
STEPS = 1024
RUNAWAY = 1e6  # rad/s or m/s that no machine has: with more steps to the end than these, the motion grows without bound
NOWHERE = 1_000_000
EVENTS = 256
# lines of code past which the compiler is asked to do less: its time grows faster than the code
LONG = 8000


@dataclass
class Segment:
    """A stretch of a run with one set of inputs: its steps as (t, h, y at the beginning)."""

    u: np.ndarray
    steps: np.ndarray


@dataclass
class Solution:
    """What a run gave: rows at the wanted times, steps, events as (which, t, y), and how it ended."""

    t: np.ndarray
    rows: np.ndarray
    end: float
    state: np.ndarray
    segments: list[Segment] = field(default_factory=list)
    events: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    accepted: int = 0
    rejected: int = 0
    ratio: float = 1.0
    status: int = loop.DONE


class Solver:
    """Compiled when made, or taken from the cache."""

    def __init__(self, problem: Problem, method: Method, callback: bool = False) -> None:
        self.problem, self.method, self.callback = problem, method, callback
        self.n = problem.size
        self._kernels: dict[str, Kernel] = {}
        chosen = target.current()
        name = cache.key("motion", *problem.key, repr(method.key), str(callback), chosen.key)
        self.rolled = RolledRates(problem, chosen) if problem.large else None
        if self.rolled is not None and (method.jacobian or method.canonical):
            raise ArgumentError(
                f"method {method.name!r} needs derivatives written out, and {problem.mechanism.name} is too large for that; "
                f"use dop853, dp5, verner9 or rk4"
            )
        self.data = self.rolled.data() if self.rolled is not None else []

        def compiled() -> tuple[dict[str, object], bytes]:
            text = self._module(chosen.fma)
            passes = jit.UNROLLING if self.rolled is None else None  # many coordinates: their loops stay, and gain from more
            return {}, jit.compile_object(text, chosen, 2 if text.count("\n") < LONG else 1, passes)

        _, code = cache.kept(name, compiled)
        self._code = jit.Code(code, chosen)
        pointers = len(loop.LOOP_ARGUMENTS)
        self._integrate = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * pointers)(self._code.address("integrate"))
        pointers = len(loop.REPLAY_ARGUMENTS)
        self._replay = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * pointers)(self._code.address("replay"))
        self._places = loop.Workspace(self.n, method, problem.event_count)

    def _module(self, fma: bool) -> str:
        declared: set[str] = set()
        lines = self.problem.functions(declared, fma, self.method.jacobian, self.method.canonical, self.rolled)
        module = Module(lines, declared, fma, self.n, self.problem.angles, self.problem.projects, self.callback)
        module.second_order = self.problem.second_order
        if self.callback:
            self._ask(module)
        if self.problem.event_count:
            self._events(module)
        self.method.emit(module)
        time_loop = loop.TimeLoop(module, self.method, self.problem.event_count)
        time_loop.emit()
        time_loop.emit_replay()
        return "\n".join([*lines, *sorted(declared)])

    def _ask(self, module: Module) -> None:
        """Torques from Python: the address of the function is in u."""
        b = module.function("ask", ["time", "state", "u"])
        u = b.array("u")
        b.call_through(u.part(self.problem.inputs.torque_function), b.array("time"), b.array("state"), u)
        b.leave()
        module.add(b)

    def _events(self, module: Module) -> None:
        """Event functions: those that are compiled, then those of Python."""
        b = module.function("events", ["time", "state", "u", "output"])
        time, state, u, output = (b.array(name) for name in b.arguments)
        compiled = len(self.problem.events) + len(self.problem.mode_events)
        if compiled:
            if self.callback and self.problem.mode_events:
                b.call("ask", time, state, u)
            b.call("event_values", time, state, u, output)
        if self.problem.called_events:
            b.call_through(u.part(self.problem.inputs.event_function), time, state, output.part(compiled))
        b.leave()
        module.add(b)

    def kernel(self, name: str) -> Kernel:
        """One of the problem's programs, compiled for many states."""
        if name not in self._kernels:
            self._kernels[name] = Kernel(getattr(self.problem, name)())
        return self._kernels[name]

    def replay(
        self, steps: np.ndarray, u: np.ndarray, which: np.ndarray, theta: np.ndarray, rtol: float, atol: float
    ) -> np.ndarray:
        """States within steps made before: `theta` of step `which`, for each."""
        s = np.zeros(loop.REALS)
        s[[loop.RTOL, loop.ATOL]] = rtol, atol
        c = np.array([len(which)])
        steps, u = np.ascontiguousarray(steps), np.array(u)
        which, theta = np.ascontiguousarray(which, dtype=np.int64), np.ascontiguousarray(theta, dtype=float)
        rows, work = np.empty((len(which), self.n)), np.zeros(self._places.size)
        self._replay(*(a.ctypes.data for a in (s, c, steps, u, work, which, theta, rows)))
        return rows


class Run:
    """A run in progress: it can be taken to a time, changed, and taken on."""

    def __init__(
        self,
        solver: Solver,
        t0: float,
        y0: np.ndarray,
        u: np.ndarray,
        grid: np.ndarray,
        rtol: float,
        atol: float,
        first: float = 0.0,
        largest: float = np.inf,
        singular: float = 0.0,
        kinds: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.solver = solver
        n, events = solver.n, solver.problem.event_count
        reals = [0.0] * loop.REALS
        reals[loop.T], reals[loop.H], reals[loop.RTOL], reals[loop.ATOL] = t0, first, rtol, atol
        reals[loop.LARGEST], reals[loop.SINGULAR], reals[loop.RATIO] = largest, singular, 1.0
        counters = [0] * loop.COUNTERS
        counters[loop.ROWS], counters[loop.FRESH], counters[loop.WHICH] = len(grid), 1, -1
        room = EVENTS + 2 * loop.LOOKS * events
        counters[loop.ROOM], counters[loop.STEPS_ROOM] = room, STEPS
        self.s, self.c = np.array(reals), np.array(counters, dtype=np.int64)
        self.y, self.u = np.array(y0, dtype=float), np.array(u, dtype=float)
        self.grid = np.ascontiguousarray(grid, dtype=float)
        self.rows = np.empty((len(grid), n))
        self.work = np.zeros(solver._places.size)
        self.steps, self.found = np.empty((STEPS, n + 2)), np.empty((room if events else 1, n + 2))
        self.kinds = np.array([x for direction, stops in kinds for x in (direction, stops, 0)] or [0], dtype=np.int64)
        self.segments: list[Segment] = []
        self.events: list[np.ndarray] = []
        self._kept: list[np.ndarray] = []
        self._budget = 256
        self.horizon = -np.inf  # where the whole run ends
        arrays = (self.s, self.c, self.y, self.u, self.work, self.grid, self.rows, self.steps, self.found, self.kinds)
        self._pointers = [a.ctypes.data for a in arrays]

    @property
    def speed(self) -> float:
        """The largest."""
        return float(np.abs(self.y[self.solver.problem.nq :]).max(initial=0.0))

    @property
    def t(self) -> float:
        return float(self.s[loop.T])

    def to(self, end: float, watch: Callable[[float], None] | None = None, most: float = np.inf) -> int:
        """Go on until `end`, or until something stops it; the reason."""
        s, c = self.s, self.c
        s[loop.END] = end
        s[loop.LEAST] = 16 * np.finfo(float).eps * max(abs(self.t), abs(end), 1e-6)
        status = loop.BUSY
        while status == loop.BUSY:
            c[loop.BUDGET] = self._budget
            began = time.perf_counter()
            try:
                status = self.solver._integrate(*self._pointers)
            finally:  # also when an interrupt was waiting for compiled code to return
                self._collect()
            spent = time.perf_counter() - began
            if status == loop.BUSY and spent < PATIENCE / 2:
                self._budget = min(STEPS, 2 * self._budget)
            elif spent > 2 * PATIENCE:
                self._budget = max(1, self._budget // 2)
            if watch is not None:
                watch(self.t)
            if status == loop.BUSY and c[loop.ACCEPTED] + c[loop.REJECTED] > most:
                return loop.TOO_MANY
            if status == loop.BUSY and self.speed > RUNAWAY and NOWHERE * s[loop.H] < self.horizon - self.t:
                return loop.RUNS_AWAY
        return int(status)

    def _collect(self) -> None:
        """Keep the steps and events of the last call."""
        c = self.c
        if c[loop.STORED]:
            self._kept.append(self.steps[: c[loop.STORED]].copy())
        if c[loop.FOUND]:
            self.events.append(self.found[: c[loop.FOUND]].copy())
        c[loop.STORED] = c[loop.FOUND] = 0

    def leap(self, h: float, after: np.ndarray) -> None:
        """One step of a given length, to a state that `replay` found it leads to."""
        n, t = self.solver.n, self.t
        step = np.concatenate([[t, h], self.y]).reshape(1, -1)
        first = int(self.c[loop.ROW])
        last = first + int(np.searchsorted(self.grid[first:], t + h, side="right"))
        if last > first:
            theta = (self.grid[first:last] - t) / h
            zeros = np.zeros(len(theta), dtype=np.int64)
            self.rows[first:last] = self.solver.replay(step, self.u, zeros, theta, self.s[loop.RTOL], self.s[loop.ATOL])
        self.c[loop.ROW] = last
        self._kept.append(step)
        self.y[:n] = after
        self.s[loop.T] = t + h
        self.c[loop.ACCEPTED] += 1
        self.c[loop.FRESH] = 1

    def change(self, u: np.ndarray | None = None, y: np.ndarray | None = None, happened: int | None = None) -> None:
        """Other inputs, or another state, from here on; `happened` is the event that led to it."""
        self._close()
        if u is not None:
            self.u[:] = u
        if y is not None:
            self.y[:] = y
        if happened is not None:
            self.kinds[3 * happened + 2] = 1
        self.c[loop.FRESH] = 1

    def _close(self) -> None:
        if self._kept:
            self.segments.append(Segment(self.u.copy(), np.vstack(self._kept)))
            self._kept = []

    def solution(self, status: int) -> Solution:
        self._close()
        rows = int(self.c[loop.ROW])
        events = np.vstack(self.events) if self.events else np.zeros((0, self.solver.n + 2))
        return Solution(
            self.grid[:rows],
            self.rows[:rows],
            self.t,
            self.y.copy(),
            self.segments,
            events[np.argsort(events[:, 1], kind="stable")],
            int(self.c[loop.ACCEPTED]),
            int(self.c[loop.REJECTED]),
            float(self.s[loop.RATIO]),
            status,
        )
