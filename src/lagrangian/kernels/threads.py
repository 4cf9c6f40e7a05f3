"""Threads for large batches: how many there are, and how the states are divided among them."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import or_

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.llvm import helpers, target

# states times operations below which threads cost more than they bring
WORK = 8_000_000


@dataclass
class Threads:
    """How many threads a large batch, or one state of a long chain, may use; shared by the kernels of one mechanism."""

    count: int = 1
    _gate: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=np.int64))

    def change(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ArgumentError(f"is {count!r}; a whole number of at least 1 is needed", argument="threads")
        self.count = int(count)
        self._gate[1] = self.count - 1

    def gate(self) -> np.ndarray:
        """Where code for one state finds who helps it, and how many may; helpers begin to wait. In a process that others started
        to share their work there are none.
        """
        if not self._gate[0] and multiprocessing.parent_process() is None:
            found = helpers.started(min(cores() - 1, helpers.MOST), target.current())
            self._gate[:] = (0 if found is None else found.ctypes.data), self.count - 1
        return self._gate

    def share(self, run: Callable[[int, int], int], count: int, operations: int) -> int:
        """`run(first, last)` over `count` states, in one piece or in several; the flags of all pieces.

        Machine code is called through ctypes, which lets go of Python's lock meanwhile.
        """
        if self.count == 1 or count * operations <= WORK or count < 16 * self.count:
            return run(0, count)
        step = -(-count // self.count)
        step += -step % 8
        pieces = [(a, min(a + step, count)) for a in range(0, count, step)]
        try:
            jobs = [_pool(self.count).submit(run, a, b) for a, b in pieces[1:]]
        except RuntimeError:  # the interpreter is shutting down and starts no more threads
            return run(0, count)
        flags = [run(*pieces[0])]
        return reduce(or_, [*flags, *(job.result() for job in jobs)])


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="lagrangian")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked child has none of its parent's threads
