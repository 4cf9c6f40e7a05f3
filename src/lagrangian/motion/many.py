"""`simulate` with arrays: many motions, in lanes and threads, watched and interruptible."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from lagrangian.arguments import count, texts
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import (
    ArgumentError,
    ArgumentName,
    EndedEarlyWarning,
    LagrangianError,
    SimulationWarning,
    unknown_name_message,
    warn,
)
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.kernel import available_cores
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.batch.batch import Batch
from lagrangian.motion.batch.chunk import Chunk
from lagrangian.motion.batch.given import Given, Reader
from lagrangian.motion.batch.kept import Kept
from lagrangian.motion.finish import on_interrupt
from lagrangian.motion.motions import Motions
from lagrangian.motion.recipe import Recipe
from lagrangian.motion.status import Status
from lagrangian.motion.system.following import Following
from lagrangian.types import Progress

KEEP = ("end", "extremes", "events", "rows")
CHUNK = 8192  # motions that a thread takes at a time
MEMORY = 2 * 10**9  # bytes of rows
PICKS = (0.5, 0.0, 1.0)  # which motion stands for all, as a part of the way from the first to the last: one that can begin
LOOKED_AT = 3  # motions of doubtful energy that are made again to be looked at
MANY = 100  # motions beside which it costs little to look at as many of those that are driven; of fewer, one


def simulate_many(
    mechanism: MechanismLike | Dynamics,
    recipe: Recipe,
    starts: tuple[Any, Any],
    parameters: Any,
    keep: Collection[str],
    t_eval: Any,
    progress: Progress,
    threads: int,
) -> Motions:
    """The motions from all starts, with all parameters and torques."""
    model = as_dynamics(mechanism).mechanism
    given = _given(model, starts, recipe, parameters)
    start, end = arguments.span(recipe.t_span, given.mechanism)
    if recipe.t_span is None and Following(given.mechanism, given.parameters).depends(given.mechanism.initial.t_span):
        raise ArgumentError(
            "depends on a parameter that varies, but motions that are simulated together have one time span",
            where=(model.name, "[initial]"),
            argument="t_span",
            remedy=f"give {ArgumentName('t_span')} as numbers; an event may end each motion at its own time",
        )
    times = arguments.grid(t_eval, start, end)
    grid = times if "rows" in keep else np.zeros(0)
    _check_memory(given.count, len(grid), model.nq + model.nv)
    batch = Batch(given, recipe, grid, "extremes" in keep)
    kept = Kept.room(len(batch), model.nq + model.nv, len(grid), keep)
    y, told = _Work(batch, kept, progress, threads).go()
    motions = Motions(batch, kept, y, (start, end), times)
    _tell(motions, told)
    _tell_of_energy(motions, batch, kept)
    return motions


def _given(model: Mechanism, starts: tuple[Any, Any], recipe: Recipe, parameters: Any) -> Given:
    """What is given, with a motion that stands for all: one that can begin, if there is one among a few."""
    first: Given | LagrangianError | None = None
    for pick in PICKS:
        try:
            given = Reader(model, pick).read(*starts, recipe.torque, parameters)
            if Batch(given, recipe, np.zeros(0)).begins is not None:
                return given
        except LagrangianError as error:  # such as of parameters that a mechanism cannot have
            first = first or error
        else:
            first = given if not isinstance(first, Given) else first
    if isinstance(first, Given):
        return first
    assert first is not None
    raise first


def kept(given: Any, t_eval: Any, default: int) -> tuple[str, ...]:
    """What `keep` names; rows are kept as well where their times are given."""
    names = ("end",) if given is None else texts(given, "keep")
    for name in names:
        if name not in KEEP:
            raise ArgumentError(unknown_name_message("quantity", name, KEEP), where=ArgumentName("keep"))
    asked = not (isinstance(t_eval, int) and t_eval == default)
    return (*names, "rows") if asked and "rows" not in names else names


def thread_count(given: Any) -> int:
    return available_cores() if given is None else count(given, "threads", most=1024)


def _check_memory(motions: int, rows: int, numbers: int) -> None:
    if 8 * motions * rows * numbers > MEMORY:
        raise ArgumentError(
            f"{rows} rows of {motions} motions take {8e-9 * motions * rows * numbers:.3g} GB",
            where=ArgumentName("keep"),
            remedy=f"give fewer rows, {ArgumentName('t_eval', 11)}, or {ArgumentName('keep', 'end')}; "
            "motions[i] has all rows of one",
        )


class _Work:
    """The motions of a batch, chunk by chunk."""

    def __init__(self, batch: Batch, kept: Kept, progress: Progress, threads: int) -> None:
        self.batch, self.kept, self.progress, self.threads = batch, kept, progress, threads
        self.stopped = threading.Event()
        self.y = np.full(kept.y.shape, np.nan)  # where each begins
        self.left: list[int] = []
        self._caller = threading.current_thread()
        self._ended: dict[int, int] = {}  # by the chunk's first motion
        self.failure: BaseException | None = None  # of the user's progress function

    def go(self) -> tuple[np.ndarray, list[str]]:
        told: list[str] = []
        try:
            with on_interrupt(self.stopped.set):
                self._lanes()
            if self.failure is not None:
                raise self.failure
            self.left = [] if self.stopped.is_set() else sorted(self.left)
            for k, i in enumerate(self.left):
                told += self.batch.alone(i, self.y[i], self.kept)
                self.y[i] = self.batch.found.pop(i, self.y[i])
                if self.kept.status[i] is Status.INTERRUPTED:
                    break
                self._show(len(self.batch) - len(self.left) + k + 1)
        except KeyboardInterrupt:
            pass  # what is finished is returned
        return self.y, told

    def _lanes(self) -> None:
        size, total = self.batch.given.count, min(CHUNK, -(-self.batch.given.count // self.threads))
        pieces = [(a, min(a + total, size)) for a in range(0, size, total)]
        nominal = self.batch.nominal
        if nominal is not None:
            nominal.prepare()  # before threads ask for it
        if self.threads == 1 or len(pieces) == 1 or nominal is None:
            for piece in pieces:
                self._take(self._chunk(*piece))
            return
        with ThreadPoolExecutor(self.threads, thread_name_prefix="lagrangian") as pool:
            waiting: set[Future[Chunk]] = {pool.submit(self._chunk, *piece) for piece in pieces}
            while waiting:
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(future.result())
                self._show_safely()

    def _chunk(self, first: int, last: int) -> Chunk:
        def goes_on(ended: int) -> bool:
            self._ended[first] = ended
            if threading.current_thread() is self._caller:
                self._show_safely()
            return not self.stopped.is_set()

        if self.stopped.is_set():
            chunk = Chunk(self.batch, first, last)
            chunk.left[:] = False
            return chunk
        return self.batch.chunk(first, last, self.kept, goes_on)

    def _take(self, chunk: Chunk) -> None:
        self.y[chunk.first : chunk.last] = chunk.y
        self.left += (chunk.first + np.flatnonzero(chunk.left)).tolist()
        self._ended[chunk.first] = int((~chunk.left).sum())

    def _show_safely(self) -> None:
        """What the user's function raises ends the work, and comes after it."""
        try:
            self._show(sum(list(self._ended.values())))
        except BaseException as error:
            self.failure = self.failure or error
            self.stopped.set()

    def _show(self, ended: int) -> None:
        if self.progress is not None:
            self.progress(float(ended), float(len(self.batch)))


def _tell_of_energy(motions: Motions, batch: Batch, kept: Kept) -> None:
    """Say what single runs of some motions find that were made in lanes.

    Where nothing drives them and nothing is lost, those are looked at whose energies at their ends do not agree. Elsewhere the
    work on the way is not known, and a few stand for all.
    """
    conserved = batch.conserves
    looked_at = sorted(kept.doubtful)[:LOOKED_AT] if conserved else _samples(motions, kept)
    for i in looked_at:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            motion = batch.motion(i, motions.y0[i], np.array(motions.span))
        if told and motion.success:
            checked = f"one of {len(looked_at)} that were checked"
            of = f"{len(kept.doubtful)} of {len(motions)} motions may be affected" if conserved else checked
            warn(f"{told[0].message} (motion {i}; {of})", SimulationWarning)
            return


def _samples(motions: Motions, kept: Kept) -> list[int]:
    """Some that ended as they were asked to; none where each was made by itself, and looked at then."""
    good = np.flatnonzero(motions.success)
    if kept.alone == len(motions) or not good.size:
        return []
    picks = PICKS if len(motions) >= MANY else PICKS[:1]
    return sorted({int(good[round(pick * (good.size - 1))]) for pick in picks})


def _tell(motions: Motions, told: list[str]) -> None:
    """One warning for all motions that did not end as they were asked to, and one for what single runs warned of."""
    early = np.flatnonzero(~motions.success)
    if early.size:
        i = int(early[0])
        more = f" and {early.size - 1} more" if early.size > 1 else ""
        warn(f"{motions.name}: motion {i}{more} of {len(motions)} ended early: {motions.message(i)}", EndedEarlyWarning)
    if told:
        more = f" (and {len(told) - 1} more warnings of single motions)" if len(told) > 1 else ""
        warn(f"{told[0]}{more}", SimulationWarning)
