"""The loop in Python around compiled lanes, which can be watched and interrupted."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lagrangian.kernels.code import address
from lagrangian.motion.batch import places as lane
from lagrangian.motion.batch.solver import LaneSolver
from lagrangian.motion.settings import Settings
from lagrangian.motion.solver import places
from lagrangian.motion.solver.stepper import NOWHERE, PATIENCE, RUNAWAY, Stepper

EVENTS = 4096  # that are found before Python collects them


@dataclass
class Ends:
    """Where motions ended: states, times, why (a status of `integrate`), by which event, and the steps that were made.

    `found` are the events on the way: the motion of each, its number, time and state.
    """

    y: np.ndarray
    t: np.ndarray
    independence: np.ndarray
    status: np.ndarray
    which: np.ndarray
    accepted: np.ndarray
    rejected: np.ndarray
    rows: np.ndarray
    owners: list[np.ndarray] = field(default_factory=list)
    found: list[np.ndarray] = field(default_factory=list)


class Lanes:
    """Motions of one solver from one time on, each with its own state and inputs, taken to their ends in lanes."""

    def __init__(self, solver: LaneSolver, begin: Stepper, settings: Settings, end: float) -> None:
        """`begin` is the stepper of a single run that has not begun: what is the same for all motions is taken from it."""
        self.solver, self.end, self.grid = solver, end, begin.grid
        self.template = begin
        self.most = settings.max_steps
        begin.s[places.END] = end
        begin.s[places.LEAST] = begin.least(end)

    def run(
        self, y: np.ndarray, u: np.ndarray, goes_on: Callable[[int], bool] = lambda done: True
    ) -> Ends:
        """All motions, from states y with inputs u. `goes_on` is told now and then how many have ended, and may stop it."""
        n, width, solver, begin = self.solver.n, self.solver.width, self.solver.solver, self.template
        count, rows, events = len(y), len(self.grid), len(solver.system.table)
        room = EVENTS + 2 * places.LOOKS * events * width if events else 1
        c = np.zeros(lane.COUNTERS, dtype=np.int64)
        c[lane.COUNT], c[lane.ROWS], c[lane.ROOM], c[lane.LIMIT] = count, rows, room if events else 0, self.most
        c0 = begin.c.copy()
        c0[places.FRESH], c0[places.KEEP] = 1, 0
        s, lanes_y = np.zeros((lane.REALS, width)), np.zeros((n, width))
        s[[places.END, places.RTOL, places.ATOL]] = begin.s[[places.END, places.RTOL, places.ATOL], None]
        s[places.T] = self.end
        work = np.zeros((solver.workspace.size, width))
        clock = solver.workspace.starts["clock"]
        work[clock + 2], work[clock + 3] = begin.s[places.RTOL], begin.s[places.ATOL]
        ends, times = np.full((count, n), np.nan), np.full((count, 2), np.nan)
        codes = np.full((count, lane.CODES), -1, dtype=np.int64)
        kept = np.full((count, rows, n), np.nan)
        found, owner = np.empty((room, n + 2)), np.zeros(room, dtype=np.int64)
        integrate = np.array([ctypes.cast(solver.integrate, ctypes.c_void_p).value], dtype=np.int64)
        arrays = {
            **{"s": s, "y": lanes_y, "u": np.zeros((solver.system.inputs.size, width)), "work": work, "kinds": begin.kinds},
            **{"flags": np.zeros(lane.FLAGS, dtype=np.int64), "c": c, "grid": self.grid if rows else np.zeros(1), "rows": kept},
            **{"row": np.zeros(width, dtype=np.int64), "motion": np.zeros(width, dtype=np.int64)},
            **{"starts": np.ascontiguousarray(y, dtype=float), "inputs": np.ascontiguousarray(u, dtype=float)},
            **{"ends": ends, "times": times, "codes": codes, "s1": begin.s.copy(), "c1": c0.copy(), "y1": np.zeros(n)},
            **{"work1": np.zeros(solver.workspace.size), "steps1": np.zeros(1), "dense1": np.zeros(1)},
            **{"found1": found, "owner": owner, "s0": begin.s, "c0": c0, "integrate": integrate},
        }
        pointers = [address(arrays[name]) for name in lane.GO_ARGUMENTS]
        result = Ends(ends, times[:, 0], times[:, 1], *codes.T, kept)
        status, budget = places.BUSY, 1024
        while status == places.BUSY:
            c[lane.BUDGET] = budget
            began = time.perf_counter()
            status = self.solver.go(*pointers)
            spent = time.perf_counter() - began
            budget = min(2 * budget, 1 << 20) if spent < PATIENCE / 2 else max(16, budget // 2) if spent > 2 * PATIENCE else budget
            if c[lane.FOUND]:
                result.owners.append(owner[: c[lane.FOUND]].copy())
                result.found.append(found[: c[lane.FOUND]].copy())
                c[lane.FOUND] = 0
            self._give_up_runaways(s, lanes_y)
            if not goes_on(int(c[lane.TAKEN] - c[lane.WORKING])):
                break
        self.steps = int(c[lane.STEPS])
        return result

    def _give_up_runaways(self, s: np.ndarray, y: np.ndarray) -> None:
        """Motions that grow without bound make no more steps here: a single run says so of them."""
        fast = np.abs(y[self.solver.system.nq :]).max(axis=0, initial=0.0) > RUNAWAY
        nowhere = NOWHERE * s[places.H] < self.end - s[places.T]
        s[lane.MOST, fast & nowhere] = 0.0
