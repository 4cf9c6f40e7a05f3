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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lagrangian.errors import ArgumentError
from lagrangian.studies.compute import compute, packed
from lagrangian.studies.folder import Folder
from lagrangian.studies.job import Job

TRIES = 3  # of a chunk whose process dies

Done = tuple[int, str]  # a chunk, and why it could not be computed, or ""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def computed(job: Job, folder: Folder, chunks: Iterable[int], workers: int) -> Iterator[Done]:
    """Compute chunks, each of which is told when it is done; by this process alone if there is one worker."""
    if workers <= 1:
        for chunk in chunks:
            compute(job, folder, chunk)
            yield chunk, ""
        return
    where = {"folder": str(folder.path.resolve()), "path": sys.path, "argv": sys.argv, "main": _main(job)}
    head = pickle.dumps({"job": packed(job), **where})
    crew = Crew(head, iter(chunks))
    try:
        yield from crew.run(workers)
    finally:
        crew.stop()


def _main(job: Job) -> str:
    """The file of the program that runs, if something of the job is defined in it."""
    if b"__main__" not in packed(job):
        return ""
    file = getattr(sys.modules["__main__"], "__file__", None)
    if file is None:
        raise ArgumentError(
            "a function that was typed at a prompt or in a notebook cannot be found by other processes",
            remedy="write it into a module and import it, or compute with workers=1",
        )
    return os.path.abspath(file)


class Crew:
    """Worker processes, and the threads that feed them."""

    def __init__(self, head: bytes, chunks: Iterator[int]) -> None:
        self.head, self.chunks = head, chunks
        self.results: queue.Queue[Done | BaseException | None] = queue.Queue()
        self.guard = threading.Lock()
        self.stopped = False
        self.running: set[subprocess.Popen[bytes]] = set()

    def run(self, workers: int) -> Iterator[Done]:
        threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        left = workers
        while left:
            try:
                found = self.results.get(timeout=0.5)  # so that Ctrl-C is heard
            except queue.Empty:
                continue
            if found is None:
                left -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                yield found

    def stop(self) -> None:
        """End all processes: chunks that they were computing are computed when the study goes on."""
        with self.guard:
            self.stopped = True
            for process in self.running:
                process.kill()
        for process in list(self.running):
            process.wait()

    def _next(self) -> int | None:
        with self.guard:
            return None if self.stopped else next(self.chunks, None)

    def _feed(self) -> None:
        """What a thread does: one process after the other, until there are no chunks."""
        try:
            chunk, tries = self._next(), 0
            while chunk is not None:
                with self._started() as process:
                    while chunk is not None:
                        answer = self._asked(process, chunk)
                        if answer is None:
                            break
                        self.results.put((chunk, answer.get("error", "")))
                        chunk, tries = self._next(), 0
                    self._ended(process)
                if self.stopped:
                    break
                if chunk is not None:
                    tries += 1
                    if tries >= TRIES:
                        told = f"the process that computed it died {TRIES} times, by {_ending(process.returncode)}"
                        self.results.put((chunk, told))
                        chunk, tries = self._next(), 0
            self.results.put(None)
        except BaseException as error:
            self.results.put(error)

    def _started(self) -> subprocess.Popen[bytes]:
        with self.guard:
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
            process.stdin.write(self.head)
            process.stdin.flush()
        except OSError:
            pass  # it died: its answer says so
        answer = self._answer(process)
        if answer is not None and "error" in answer:
            process.kill()
            raise ArgumentError(f"a worker process could not begin: {answer['error']}")
        return process

    def _asked(self, process: subprocess.Popen[bytes], chunk: int) -> dict[str, Any] | None:
        """What a process answers when it is given a chunk; None if it died."""
        assert process.stdin is not None
        try:
            process.stdin.write(f"{chunk}\n".encode())
            process.stdin.flush()
        except OSError:
            return None
        answer = self._answer(process)
        if answer is not None and "error" in answer:
            raise ArgumentError(answer["error"] if answer["told"] else f"chunk {chunk} could not be kept: {answer['error']}")
        return answer

    def _answer(self, process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
        assert process.stdout is not None
        line = process.stdout.readline()
        found: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        return found

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()
        with self.guard:
            self.running.discard(process)


def _ending(code: int | None) -> str:
    import signal

    try:
        return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    except ValueError:
        return f"signal {-(code or 0)}"


Progress = Callable[[int, int], object]
