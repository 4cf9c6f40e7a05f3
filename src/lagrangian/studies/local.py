"""Chunks computed by processes of this machine.

Each has a thread here that hands it one chunk at a time. A process that dies is replaced, and its chunk is tried again; a chunk
whose process died several times is left out, and the others go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from lagrangian.errors import ArgumentError
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.job import StudyJob
from lagrangian.studies.worker import compute, pack_job

MAX_TRIES = 3  # of a chunk whose process dies

ChunkOutcome = tuple[int, str]  # a chunk, and why it could not be computed, or ""


def core_count() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compute_locally(job: StudyJob, folder: StudyFolder, chunks: Iterable[int], workers: int) -> Iterator[ChunkOutcome]:
    """Compute chunks, and yield the outcome of each when it is done. One worker means that this process computes them."""
    if workers <= 1:
        for chunk in chunks:
            compute(job, folder, chunk)
            yield chunk, ""
        return
    environment = {"folder": str(folder.path.resolve()), "path": sys.path, "argv": sys.argv, "main": _main_program(job)}
    header = pickle.dumps({"job": pack_job(job), **environment})
    pool = WorkerPool(header, iter(chunks))
    try:
        yield from pool.run(workers)
    finally:
        pool.stop()


def _main_program(job: StudyJob) -> str:
    """The file of the main program if something of the job is defined in it, else ""."""
    if b"__main__" not in pack_job(job):
        return ""
    file = getattr(sys.modules["__main__"], "__file__", None)
    if file is None:
        raise ArgumentError(
            "a function that was typed at a prompt or in a notebook cannot be found by other processes",
            remedy="write it into a module and import it, or compute with workers=1",
        )
    return os.path.abspath(file)


class WorkerPool:
    """Worker processes, and the threads that feed them."""

    def __init__(self, header: bytes, chunks: Iterator[int]) -> None:
        self.header, self.chunks = header, chunks
        self.results: queue.Queue[ChunkOutcome | BaseException | None] = queue.Queue()
        self.lock = threading.Lock()
        self.stopped = False
        self.running: set[subprocess.Popen[bytes]] = set()

    def run(self, workers: int) -> Iterator[ChunkOutcome]:
        threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        running_threads = workers
        while running_threads:
            try:
                outcome = self.results.get(timeout=0.5)  # so that Ctrl-C takes effect
            except queue.Empty:
                continue
            if outcome is None:
                running_threads -= 1
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome

    def stop(self) -> None:
        """End all processes. The chunks that they were computing are computed when the study continues."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()
        for process in list(self.running):
            process.wait()

    def _next_chunk(self) -> int | None:
        with self.lock:
            return None if self.stopped else next(self.chunks, None)

    def _feed(self) -> None:
        """Feed chunks to one process after the other until there are no more; this runs in a thread."""
        try:
            chunk, tries = self._next_chunk(), 0
            while chunk is not None:
                with self._start_process() as process:
                    while chunk is not None:
                        answer = self._compute_chunk(process, chunk)
                        if answer is None:
                            break
                        self.results.put((chunk, answer.get("error", "")))
                        chunk, tries = self._next_chunk(), 0
                    self._end_process(process)
                if self.stopped:
                    break
                if chunk is not None:
                    tries += 1
                    if tries >= MAX_TRIES:
                        message = (
                            f"the process that computed it died {MAX_TRIES} times, by {_exit_description(process.returncode)}"
                        )
                        self.results.put((chunk, message))
                        chunk, tries = self._next_chunk(), 0
            self.results.put(None)
        except BaseException as error:
            self.results.put(error)

    def _start_process(self) -> subprocess.Popen[bytes]:
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                [sys.executable, "-m", "lagrangian.studies.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C ends this process, which then ends the others
            )
            self.running.add(process)
        assert process.stdin is not None
        try:
            process.stdin.write(self.header)
            process.stdin.flush()
        except OSError:
            pass  # it died: its answer says so
        answer = self._read_answer(process)
        if answer is not None and "error" in answer:
            process.kill()
            raise ArgumentError(f"a worker process could not begin: {answer['error']}")
        return process

    def _compute_chunk(self, process: subprocess.Popen[bytes], chunk: int) -> dict[str, Any] | None:
        """Give a chunk to a process and return its answer; None if the process died."""
        assert process.stdin is not None
        try:
            process.stdin.write(f"{chunk}\n".encode())
            process.stdin.flush()
        except OSError:
            return None
        answer = self._read_answer(process)
        if answer is not None and "error" in answer:
            raise ArgumentError(
                answer["error"] if answer["is_user_error"] else f"chunk {chunk} could not be kept: {answer['error']}"
            )
        return answer

    def _read_answer(self, process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
        assert process.stdout is not None
        line = process.stdout.readline()
        answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        return answer

    def _end_process(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()
        with self.lock:
            self.running.discard(process)


def _exit_description(code: int | None) -> str:
    import signal

    try:
        return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    except ValueError:
        return f"signal {-(code or 0)}"
