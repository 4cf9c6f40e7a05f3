"""The loop in Python around compiled code, which can be watched and interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from lagrangian.kernels.kernel import address
from lagrangian.motion.solver import places
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.solver.solver import Solver

# how long compiled code runs before Python may look at signals and show progress
PATIENCE = 0.05
STEPS = 1024
EVENTS = 256
MERGED = 64  # blocks of steps without interpolants that become one
RUNAWAY = 1e6  # rad/s or m/s that no machine has: with more steps to the end than these, the motion grows without bound
NOWHERE = 1_000_000
PACE = 2_000  # steps by which it is told how many more there are to the end
# numbers up to which a run keeps the interpolants of its steps, and of one step: beyond, steps are made again when asked for
KEPT, KEPT_OF_STEP = 4_000_000, 512


class Stepper:
    """Compiled code at work on one state: it can be taken to a time, changed, and taken on."""

    def __init__(
        self,
        solver: Solver,
        t0: float,
        y0: np.ndarray,
        u: np.ndarray,
        grid: np.ndarray,
        rtol: float,
        atol: float,
        *,
        first: float = 0.0,
        largest: float = np.inf,
        singular: float = 0.0,
        kinds: Sequence[tuple[int, int]] = (),
        keep: int = KEPT,
        rows: np.ndarray | None = None,
    ) -> None:
        """From t0 and y0 on, with states at the times of `grid` in `rows`, which are its own if none are given."""
        self.solver = solver
        n, events, size = solver.n, len(solver.system.table), solver.n * solver.method.degree
        reals = [0.0] * places.REALS
        reals[places.T], reals[places.H], reals[places.RTOL], reals[places.ATOL] = t0, first, rtol, atol
        reals[places.LARGEST], reals[places.RATIO] = largest, 1.0
        reals[places.SINGULAR] = reals[places.WATCHED] = singular
        counters = [0] * places.COUNTERS
        counters[places.ROWS], counters[places.FRESH], counters[places.WHICH] = len(grid), 1, -1
        room = EVENTS + 2 * solver.workspace.looks * events
        counters[places.ROOM], counters[places.STEPS_ROOM] = room, STEPS
        self._keep = keep if size <= KEPT_OF_STEP else 0
        self.s, self.c = np.array(reals, dtype=float), np.array(counters, dtype=np.int64)
        self.y, self.u = np.array(y0, dtype=float), np.array(u, dtype=float)
        self.grid = np.ascontiguousarray(grid, dtype=float)
        self.rows = np.empty((len(grid), n)) if rows is None else rows
        self.work = np.zeros(solver.workspace.size)
        self.steps, self.found = np.empty((STEPS, n + 2)), np.empty((room if events else 1, n + 2))
        self.dense = np.empty((STEPS, size) if self._keep else (1, size))
        self.kinds = np.array([x for direction, kind in kinds for x in (direction, kind, 0)] or [0], dtype=np.int64)
        self.segments: list[Segment] = []
        self._events: list[np.ndarray] = []
        self._blocks: list[tuple[np.ndarray, np.ndarray | None]] = []  # steps since the last change, and their interpolants
        self._budget = 8 if solver.callback else 512  # Python takes its time
        self._paced = (0, t0)  # steps tried, and the time, when the pace was told
        self.horizon = -np.inf  # where the whole run ends
        # in the order of places.LOOP_ARGUMENTS
        arrays = (
            *(self.s, self.c, self.y, self.u, self.work, self.grid, self.rows),
            *(self.steps, self.dense, self.found, self.kinds),
        )
        self._pointers = [address(a) for a in arrays]

    @property
    def t(self) -> float:
        return float(self.s[places.T])

    @property
    def rows_filled(self) -> int:
        return int(self.c[places.ROW])

    @property
    def event(self) -> int:
        """The number of the event that stopped it."""
        return int(self.c[places.WHICH])

    @property
    def tried(self) -> int:
        """How many steps it made, those that were rejected too."""
        return int(self.c[places.ACCEPTED] + self.c[places.REJECTED])

    @property
    def next_step(self) -> float:
        """How long the next step would be."""
        return float(self.s[places.H])

    @property
    def speed(self) -> float:
        """The largest."""
        return float(np.abs(self.y[self.solver.system.nq :]).max(initial=0.0))

    def least(self, end: float) -> float:
        """The shortest step on the way to `end`: that of rounding."""
        return 16 * float(np.finfo(float).eps) * max(abs(self.t), abs(end), 1e-6)

    def to(self, end: float, watch: Callable[[float], None] | None = None, most: float = np.inf) -> int:
        """Go on until `end`, or until something stops it; the reason."""
        s, c = self.s, self.c
        s[places.END] = end
        s[places.LEAST] = self.least(end)
        status = places.BUSY
        while status == places.BUSY:
            left = most - self.tried
            if left < 1:
                return places.TOO_MANY
            c[places.BUDGET], c[places.KEEP] = min(self._budget, left), self._keep > 0
            began = time.perf_counter()
            try:
                status = self.solver.integrate(*self._pointers)
            finally:  # also when an interrupt was waiting for compiled code to return
                self._collect()
            spent = time.perf_counter() - began
            if status == places.BUSY and spent < PATIENCE / 2:
                self._budget = min(STEPS, 2 * self._budget)
            elif spent > 2 * PATIENCE:
                self._budget = max(1, self._budget // 2)
            if watch is not None:
                watch(self.t)
            if status == places.BUSY and self.speed > RUNAWAY and NOWHERE * s[places.H] < self.horizon - self.t:
                return places.RUNS_AWAY
            if status == places.BUSY and self.solver.callback and self._crawls(most - self.tried):
                return places.CRAWLS
        return int(status)

    def _crawls(self, left: float) -> bool:
        """Whether the last steps were so short that those which are `left` would not come to the end of the run."""
        tried, t = self._paced
        if self.tried - tried < PACE:
            return False
        self._paced = (self.tried, self.t)
        return left * (self.t - t) < (self.horizon - self.t) * (self.tried - tried)

    def _collect(self) -> None:
        """Keep the steps and events of the last call."""
        c = self.c
        stored = int(c[places.STORED])
        if stored:
            dense = self.dense[:stored].copy() if c[places.KEEP] else None
            self._keep -= dense.size if dense is not None else 0
            self._blocks.append((self.steps[:stored].copy(), dense))
            self._merge()
        if c[places.FOUND]:
            self._events.append(self.found[: c[places.FOUND]].copy())
        c[places.STORED] = c[places.FOUND] = 0

    def _merge(self) -> None:
        """Make one block of many small ones: steps by the million would be held twice while they are joined."""
        last = self._blocks[-MERGED:]
        if len(last) == MERGED and all(dense is None and len(steps) <= STEPS for steps, dense in last):
            self._blocks[-MERGED:] = [(np.vstack([steps for steps, _ in last]), None)]

    def leap(self, segment: Segment, after: np.ndarray, events: np.ndarray, which: int) -> None:
        """Steps that were made elsewhere, with interpolants and events, to the state after them; `which` event ends them."""
        first = self.rows_filled
        last = first + int(np.searchsorted(self.grid[first:], segment.until, side="right"))
        if last > first:
            times, begins = self.grid[first:last], segment.steps[:, 0]
            of = np.searchsorted(begins, times, side="right") - 1
            theta = (times - begins[of]) / segment.steps[of, 1]
            self.rows[first:last] = self.solver.replay(segment, of, theta, self.s[places.RTOL], self.s[places.ATOL])
        self.c[places.ROW] = last
        self._blocks.append((segment.steps, segment.dense))
        if len(events):
            self._events.append(events)
        self.c[places.WHICH] = which
        self.y[:] = after
        self.s[places.T] = segment.until
        self.c[places.ACCEPTED] += len(segment.steps)
        self.c[places.FRESH] = 1

    def recent(self, most: int) -> np.ndarray:
        """The last steps since inputs changed: t, h and y at the beginning of each."""
        found: list[np.ndarray] = [np.empty((0, self.solver.n + 2))]
        for steps, _ in reversed(self._blocks):
            found.insert(1, steps[-most:])
            most -= len(found[1])
            if most <= 0:
                break
        return np.vstack(found)

    def change(self, u: np.ndarray, y: np.ndarray) -> None:
        """Other inputs, and another state, from here on."""
        self.close()
        self.u[:], self.y[:] = u, y
        self.c[places.FRESH] = 1

    def mark(self, event: int, as_what: int) -> None:
        """An event happened just now, and is not to be seen a second time; or it is to come, however near it is."""
        self.kinds[places.PER_EVENT * event + places.HAPPENED] = as_what

    def found_since(self, t: float) -> set[int]:
        """The numbers of the events that the last calls found, from this time on."""
        return {int(e) for block in self._events[-2:] for e in block[block[:, 1] >= t, 0]}

    def close(self) -> None:
        """Make segments of the steps since the last change: those with interpolants beside those without."""
        blocks, self._blocks = self._blocks, []
        first = 0
        for k in range(1, len(blocks) + 1):
            if k < len(blocks) and (blocks[k][1] is None) == (blocks[first][1] is None):
                continue
            until = float(blocks[k][0][0, 0]) if k < len(blocks) else self.t
            steps, dense = [block for block, _ in blocks[first:k]], [x for _, x in blocks[first:k] if x is not None]
            blocks[first:k] = [(_NONE, None)] * (k - first)
            self.segments.append(Segment(self.solver, self.u.copy(), _joined(steps), until, _joined(dense) if dense else None))
            first = k

    def events(self) -> np.ndarray:
        """All events that were found, in the order of time: (which, t, y)."""
        found = _joined(list(self._events)) if self._events else np.zeros((0, self.solver.n + 2))
        return found[np.argsort(found[:, 1], kind="stable")] if len(found) > 1 else found


_NONE = np.empty((0, 0))


def _joined(blocks: list[np.ndarray]) -> np.ndarray:
    """Blocks as one. They are taken from the list on the way, so that what nobody else holds is not held twice."""
    if len(blocks) == 1:
        return blocks[0]
    end = sum(map(len, blocks))
    whole = np.empty((end, blocks[0].shape[1]))
    while blocks:
        block = blocks.pop()
        whole[end - len(block) : end] = block
        end -= len(block)
    return whole
