"""Processes of their own for inputs: a crash, a hang or a lack of memory ends one of them, and is told."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.fuzz.families import examine_input
from tests.fuzz.outcome import CRASH, HANG, MEMORY, Outcome
from tests.processes import processor_time

SECONDS = 10.0  # of the processor's time for an input
PATIENCE = 90.0  # s on the clock, however busy the machine is
BYTES = 2 * 1024**3  # of memory more than an idle worker has
Examine = Callable[[int, int, float], Outcome]
LIFE = 400  # inputs of one worker: machine code is not freed


def work(pipe: Connection, examine: Examine, seed: int, deep: float, log: str) -> None:
    """Examine inputs by their numbers until nothing more comes."""
    sys.stderr = open(log, "w", buffering=1)  # noqa: SIM115  # as long as the process lives
    os.dup2(sys.stderr.fileno(), 2)
    faulthandler.enable(sys.stderr)
    faulthandler.register(signal.SIGUSR1, sys.stderr, all_threads=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send("ready")
    while (number := pipe.recv()) is not None:
        pipe.send(examine(seed, number, deep))


@dataclass
class Worker:
    process: Any
    pipe: Connection
    log: Path
    number: int | None = None  # of the input it has
    began: float = 0.0
    used: float = 0.0  # of the processor's time when it began
    done: int = 0

    @staticmethod
    def start(examine: Examine, seed: int, deep: float, folder: Path) -> Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        descriptor, log = tempfile.mkstemp(".log", dir=folder)
        os.close(descriptor)
        process = context.Process(target=work, args=(theirs, examine, seed, deep, log), daemon=True)
        process.start()
        theirs.close()
        worker = Worker(process, ours, Path(log))
        if not ours.poll(PATIENCE) or ours.recv() != "ready":
            raise RuntimeError(f"a worker did not start: {worker.log_text()}")
        return worker

    def give(self, number: int) -> None:
        self.number, self.began, self.used = number, time.monotonic(), processor_time(self.process.pid)
        self.pipe.send(number)

    @property
    def late(self) -> bool:
        if self.number is None:
            return False
        spent = processor_time(self.process.pid) - self.used
        return spent > SECONDS or time.monotonic() - self.began > PATIENCE

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")[-6000:]

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.log.unlink(missing_ok=True)

    def hung(self) -> Outcome:
        """Where it hangs, as the worker's own traceback says."""
        os.kill(self.process.pid, signal.SIGUSR1)
        time.sleep(0.5)
        outcome, log = Outcome(), self.log_text()
        lines = [line.strip() for line in log.splitlines() if "lagrangian" in line and line.strip().startswith("File")]
        outcome.fault(HANG, lines[0] if lines else "somewhere", log)
        return outcome

    def crash_outcome(self) -> Outcome:
        self.process.join(5)
        outcome, log = Outcome(), self.log_text()
        lack = "bad_alloc" in log or "out of memory" in log.lower() or "MemoryError" in log
        lines = [line.strip() for line in log.splitlines() if "lagrangian" in line and line.strip().startswith("File")]
        outcome.fault(MEMORY if lack else CRASH, f"exit code {self.process.exitcode}; {lines[0] if lines else ''}", log)
        return outcome


def outcomes(
    numbers: Iterable[int], seed: int, deep: float, count: int, examine: Examine = examine_input
) -> Iterator[tuple[int, Outcome]]:
    """The outcome of every input, in the order in which they are done, by so many workers."""
    left = iter(numbers)
    with tempfile.TemporaryDirectory() as folder:
        pool: list[Worker] = []
        try:
            while True:
                while len(pool) < count and (number := next(left, None)) is not None:
                    pool.append(Worker.start(examine, seed, deep, Path(folder)))
                    pool[-1].give(number)
                if not pool:
                    return
                ready = wait([worker.pipe for worker in pool], timeout=0.5)
                for worker in list(pool):
                    if worker.pipe in ready:
                        yield from _receive(worker, pool, left)
                    elif worker.late:
                        yield worker.number or 0, worker.hung()
                        _end(worker, pool)
        finally:
            for worker in pool:
                worker.end()


def _receive(worker: Worker, pool: list[Worker], left: Iterator[int]) -> Iterator[tuple[int, Outcome]]:
    number = worker.number or 0
    try:
        outcome = worker.pipe.recv()
    except (EOFError, ConnectionError):
        yield number, worker.crash_outcome()
        _end(worker, pool)
        return
    worker.number, worker.done = None, worker.done + 1
    yield number, outcome
    following = next(left, None) if worker.done < LIFE else None
    if following is None:
        _end(worker, pool)
    else:
        worker.give(following)


def _end(worker: Worker, pool: list[Worker]) -> None:
    pool.remove(worker)
    worker.end()
