"""The loop in Python around compiled lanes, which can be watched and interrupted."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.kernels.kernel import address
from lagrangian.motion.batch import extremes
from lagrangian.motion.batch import places as lane
from lagrangian.motion.batch.solver import LaneSolver
from lagrangian.motion.settings import Settings
from lagrangian.motion.solver import places
from lagrangian.motion.solver.stepper import NOWHERE, PATIENCE, RUNAWAY, Stepper

EVENTS = 4096  # that are found before Python collects them
FIRST, MOST = 256, 1 << 20  # steps of all lanes before Python looks at signals


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
    energies: np.ndarray  # kinetic and potential, at the beginning and at the end
    extremes: np.ndarray  # least and greatest values of the state, and the times of each
    owners: list[np.ndarray] = field(default_factory=list)
    found: list[np.ndarray] = field(default_factory=list)

    @cached_property
    def events(self) -> tuple[np.ndarray, np.ndarray]:
        """The motions of the events, and the events, those of each motion in the order of time."""
        if not self.found:
            return np.zeros(0, dtype=np.int64), np.zeros((0, self.y.shape[1] + 2))
        owners, found = np.concatenate(self.owners), np.concatenate(self.found)
        order = np.lexsort((found[:, 1], owners))
        return owners[order], found[order]


class Lanes:
    """Motions of one solver from one time on, each with its own state, inputs and numbers, taken to their ends in lanes."""

    def __init__(self, solver: LaneSolver, begin: Stepper, settings: Settings, end: float) -> None:
        """`begin` is the stepper of a single run that has not begun: what is the same for all motions is taken from it."""
        self.solver, self.end, self.grid = solver, end, begin.grid
        self.begin, self.most = begin, settings.max_steps
        begin.s[places.END], begin.s[places.LEAST] = end, begin.least(end)

    def run(
        self,
        y: np.ndarray,
        u: np.ndarray,
        numbers: np.ndarray | None = None,
        goes_on: Callable[[int], bool] = lambda ended: True,
    ) -> Ends:
        """All motions, from states y with inputs u, and with numbers of the description where these are not the same for all.

        `goes_on` is told now and then how many have ended, and may stop it.
        """
        arrays, result = self._arrays(y, u, numbers)
        c, found, owner = arrays["c"], arrays["found1"], arrays["owner"]
        pointers = [address(arrays[name]) for name in lane.GO_ARGUMENTS]
        status, budget = places.BUSY, FIRST
        while status == places.BUSY:
            c[lane.BUDGET] = budget
            began = time.perf_counter()
            status = self.solver.go(*pointers)
            spent = time.perf_counter() - began
            if spent < PATIENCE / 2:
                budget = min(2 * budget, MOST)
            elif spent > 2 * PATIENCE:
                budget = max(1, budget // 2)
            if c[lane.FOUND]:
                result.owners.append(owner[: c[lane.FOUND]].copy())
                result.found.append(found[: c[lane.FOUND]].copy())
                c[lane.FOUND] = 0
            self._give_up_runaways(arrays["s"], arrays["y"])
            if not goes_on(int(c[lane.TAKEN] - c[lane.WORKING])):
                break
        self.steps = int(c[lane.STEPS])
        return result

    def _arrays(self, y: np.ndarray, u: np.ndarray, numbers: np.ndarray | None) -> tuple[dict[str, np.ndarray], Ends]:
        """What `go` works on."""
        n, width, solver, begin = self.solver.n, self.solver.width, self.solver.solver, self.begin
        count, rows, events = len(y), len(self.grid), len(solver.system.table)
        room = EVENTS + 2 * solver.workspace.looks * events * width if events else 1
        c = np.zeros(lane.COUNTERS, dtype=np.int64)
        c[lane.COUNT], c[lane.ROWS], c[lane.LIMIT], c[lane.VARIES] = count, rows, self.most, numbers is not None
        c[lane.ROOM] = room if events else 0
        c0 = begin.c.copy()
        c0[places.FRESH], c0[places.KEEP] = 1, 0
        s = np.zeros((lane.REALS, width))
        s[places.T] = s[places.END] = self.end  # lanes that are free stand at the end
        work, clock = np.zeros((solver.workspace.size, width)), solver.workspace.starts["clock"]
        work[clock + 2], work[clock + 3] = begin.s[places.RTOL], begin.s[places.ATOL]
        times, codes = np.full((count, 2), np.nan), np.full((count, lane.CODES), -1, dtype=np.int64)
        ends, kept = np.full((count, n), np.nan), np.full((count, rows, n), np.nan)
        table = np.repeat(solver.numbers[:, None], width, axis=1)
        arrays = {
            "s": s,
            "y": np.zeros((n, width)),
            "u": np.zeros((solver.system.inputs.size, width)),
            "work": work,
            "kinds": begin.kinds,
            "flags": np.zeros(lane.FLAGS, dtype=np.int64),
            "c": c,
            "rows": kept,
            "grid": self.grid if rows else np.zeros(1),
            "row": np.zeros(width, dtype=np.int64),
            "motion": np.zeros(width, dtype=np.int64),
            "starts": _contiguous(y),
            "inputs": np.array(u, dtype=float, order="C"),
            "numbers": np.zeros(1) if numbers is None else _contiguous(numbers),
            "table": table,
            "tables": np.zeros((width, len(solver.numbers))),
            "prepare": _address_of(solver.prepare),
            "ends": ends,
            "times": times,
            "codes": codes,
            "s1": begin.s.copy(),
            "c1": c0.copy(),
            "y1": np.zeros(n),
            "work1": np.zeros(solver.workspace.size),
            "steps1": np.zeros(n + 2),
            "dense1": np.zeros(n * self.solver.method.degree),
            "found1": np.empty((room, n + 2)),
            "owner": np.zeros(room, dtype=np.int64),
            "s0": begin.s,
            "c0": c0,
            "integrate": _address_of(solver.integrate),
        }
        status, which, accepted, rejected = codes.T
        size = extremes.PARTS * n
        arrays["found"] = np.zeros((size, width))
        arrays["extremes"] = np.full((count, extremes.PARTS, n) if self.solver.extremes else (1, 1, 1), np.nan)
        arrays["energies"] = energies = np.full((count, 4), np.nan)
        return arrays, Ends(ends, times[:, 0], times[:, 1], status, which, accepted, rejected, kept, energies, arrays["extremes"])

    def _give_up_runaways(self, s: np.ndarray, y: np.ndarray) -> None:
        """Motions that grow without bound make no more steps here: a single run says so of them."""
        fast = np.abs(y[self.solver.system.nq :]).max(axis=0, initial=0.0) > RUNAWAY
        nowhere = NOWHERE * s[places.H] < self.end - s[places.T]
        s[lane.MOST, fast & nowhere] = 0.0


def _contiguous(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, dtype=float)


def _address_of(function: Any) -> np.ndarray:
    """The address of a compiled function, for compiled code to call it."""
    return np.array([ctypes.cast(function, ctypes.c_void_p).value], dtype=np.int64)
