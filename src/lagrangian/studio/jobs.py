"""Work that takes its time, in processes of its own: told of while it runs, and stopped at once when it is no longer wanted."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

from lagrangian.studio.refused import Refused

PROCESSES = 2  # at a time; what comes beside waits
KEPT = 32  # jobs whose events can be asked for
WAITING = 16
ABANDONED = 5.0  # s after which a job is stopped that nobody listens to any more: its page was closed, or its browser died
ENDS = ("result", "error", "stopped")


class Job:
    """What is told of it, in order; whoever listens, and however late, hears all of it."""

    def __init__(self, number: str, asked: dict[str, Any]) -> None:
        self.id, self.asked = number, asked
        self.events: list[dict[str, Any]] = []
        self.ended = False
        self.listeners = 0
        self._news = asyncio.Event()

    def tell(self, event: dict[str, Any]) -> None:
        if self.ended:
            return
        if "progress" in event and self.events and "progress" in self.events[-1]:
            self.events[-1] = event  # of progress only the latest counts
        else:
            self.events.append(event)
        self.ended = any(key in event for key in ENDS)
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def listen(self) -> AsyncIterator[dict[str, Any]]:
        said, last = 0, None
        while True:
            news = self._news
            if said and said <= len(self.events) and self.events[said - 1] is not last:
                said -= 1  # a newer progress stands in place of the last that was said
            while said < len(self.events):
                last = self.events[said]
                said += 1
                yield last
            if self.ended:
                return
            await news.wait()


class Worker:
    """A process that does one job after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.fresh = True

    @classmethod
    async def start(cls) -> Worker:
        # the same package as this one, wherever it was found
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH", "")])])
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lagrangian.studio.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
        )  # fmt: skip
        return cls(process)

    async def send(self, asked: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps(asked).encode()
        self.process.stdin.write(len(data).to_bytes(4, "little") + data)
        await self.process.stdin.drain()

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        size = int.from_bytes(await self.process.stdout.readexactly(4), "little")
        found: dict[str, Any] = json.loads(await self.process.stdout.readexactly(size))
        return found

    def kill(self) -> None:
        """With whatever it has started itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    async def end(self) -> None:
        """Kill it, and wait until it has ended."""
        self.kill()
        await asyncio.shield(self.process.wait())
        self.process._transport.close()  # type: ignore[attr-defined]  # its pipes, before the loop is closed


class Jobs:
    """Those that wait, those that run, and the processes that do them."""

    def __init__(self) -> None:
        self.known: OrderedDict[str, Job] = OrderedDict()
        self.waiting: deque[Job] = deque()
        self.idle: list[Worker] = []
        self.busy: dict[str, Worker] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    def start(self, asked: dict[str, Any]) -> Job:
        if len(self.waiting) >= WAITING:
            raise Refused(429, "too many jobs are waiting", "wait until a job ends, or stop one")
        job = Job(str(next(self._numbers)), asked)
        self.known[job.id] = job
        while len(self.known) > KEPT and next(iter(self.known.values())).ended:
            self.known.popitem(last=False)
        self.waiting.append(job)
        self._go()
        return job

    def job(self, number: str) -> Job:
        if number not in self.known:
            raise Refused(404, f"there is no job {number[:20]!r}")
        return self.known[number]

    async def listen(self, number: str) -> AsyncGenerator[dict[str, Any]]:
        """What is told of a job. If the last one who listens goes, and nobody comes, the job is stopped."""
        job = self.job(number)
        job.listeners += 1
        try:
            async for event in job.listen():
                yield event
        finally:
            job.listeners -= 1
            if not (job.ended or job.listeners or self.closed):
                self._task(self._abandon(job))

    def stop(self, number: str) -> None:
        """At once: its process is killed, and another one takes its place."""
        job = self.job(number)
        if job in self.waiting:
            self.waiting.remove(job)
        job.tell({"stopped": True})
        worker = self.busy.get(number)
        if worker is not None:
            worker.kill()

    def files(self) -> set[str]:
        """What jobs have written into the folder, by name."""
        last = (job.events[-1].get("result") for job in self.known.values() if job.events)
        return {name for result in last if isinstance(result, dict) for name in result.get("files", [])}

    def warm(self) -> None:
        """Have a process that waits for work."""
        if not self.idle and not self.closed:
            self._task(self._warm())

    async def close(self) -> None:
        """End all processes, and wait until they have ended."""
        self.closed = True
        for worker in (*self.idle, *self.busy.values()):
            worker.kill()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self.idle))

    # -- within ----------------------------------------------------------------------------------------------------------

    def _go(self) -> None:
        while self.waiting and len(self.busy) < PROCESSES and not self.closed:
            job = self.waiting.popleft()
            self.busy[job.id] = _NONE
            self._task(self._do(job))

    async def _warm(self) -> None:
        worker = await Worker.start()
        if self.closed or self.idle:
            await worker.end()
        else:
            self.idle.append(worker)

    async def _abandon(self, job: Job) -> None:
        await asyncio.sleep(ABANDONED)
        if not (job.ended or job.listeners):
            self.stop(job.id)

    async def _do(self, job: Job) -> None:
        try:
            # a process that waited for work may have died meanwhile: then another one is asked
            while not job.ended and not await self._done_by(await self._worker(job), job):
                pass
        finally:
            self.busy.pop(job.id, None)
            if not self.closed:
                self._go()
                self.warm()

    async def _worker(self, job: Job) -> Worker:
        fresh = not self.idle
        worker = await Worker.start() if fresh else self.idle.pop()
        worker.fresh = fresh
        self.busy[job.id] = worker
        return worker

    async def _done_by(self, worker: Worker, job: Job) -> bool:
        """Whether the process has ended the job, by whatever end; not if it had died before it began."""
        begun = worker.fresh
        try:
            if not job.ended:  # it may have been stopped before it began
                await worker.send({"id": job.id, **job.asked})
            while not job.ended:
                event = await worker.receive()
                if event.pop("id", None) == job.id:
                    begun = True
                    job.tell(event)
        except (asyncio.IncompleteReadError, ConnectionError, OSError, ValueError):
            if begun and not job.ended:
                told = "the process of this job ended unexpectedly, perhaps because memory ran out"
                job.tell({"error": {"message": told, "remedy": "try again with fewer values or a shorter motion", "line": None}})
            return begun or job.ended
        finally:
            # of a job that was stopped, what the process still does is of no use
            done = job.ended and "stopped" not in job.events[-1] and worker.process.returncode is None
            if done and not self.closed and not self.idle:
                self.idle.append(worker)
            else:
                await worker.end()
        return True

    def _task(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Starting:
    """In place of a process that is about to be there."""

    def kill(self) -> None:
        pass


_NONE: Any = _Starting()
