"""The queue of jobs and the processes that run them: jobs report while they run, and can be stopped at once."""

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

from lagrangian.studio.request_error import RequestError

MAX_PROCESSES = 2  # at a time; further jobs wait
MAX_KNOWN_JOBS = 32  # jobs whose events can be asked for
MAX_WAITING_JOBS = 16
ABANDON_AFTER = 5.0  # s after which a job without a listener is stopped: its page was closed, or its browser died
END_EVENTS = ("result", "error", "stopped")


class StudioJob:
    """The events of a job in their order; whoever listens, however late, gets all of them."""

    def __init__(self, number: str, request: dict[str, Any]) -> None:
        self.id, self.request = number, request
        self.events: list[dict[str, Any]] = []
        self.ended = False
        self.listeners = 0
        self._change_event = asyncio.Event()

    def publish(self, event: dict[str, Any]) -> None:
        if self.ended:
            return
        if "progress" in event and self.events and "progress" in self.events[-1]:
            self.events[-1] = event  # of progress only the latest counts
        else:
            self.events.append(event)
        self.ended = any(key in event for key in END_EVENTS)
        change_event, self._change_event = self._change_event, asyncio.Event()
        change_event.set()

    async def listen(self) -> AsyncIterator[dict[str, Any]]:
        sent, last = 0, None
        while True:
            change_event = self._change_event
            if sent and sent <= len(self.events) and self.events[sent - 1] is not last:
                sent -= 1  # a newer progress has taken the place of the last event that was sent
            while sent < len(self.events):
                last = self.events[sent]
                sent += 1
                yield last
            if self.ended:
                return
            await change_event.wait()


class Worker:
    """A process that does one job after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.is_new = True

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

    async def send(self, request: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps(request).encode()
        self.process.stdin.write(len(data).to_bytes(4, "little") + data)
        await self.process.stdin.drain()

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        size = int.from_bytes(await self.process.stdout.readexactly(4), "little")
        event: dict[str, Any] = json.loads(await self.process.stdout.readexactly(size))
        return event

    def kill(self) -> None:
        """Kill the process, and all that it has started itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    async def kill_and_wait(self) -> None:
        """Kill the process, and wait until it has ended."""
        self.kill()
        await asyncio.shield(self.process.wait())
        self.process._transport.close()  # type: ignore[attr-defined]  # its pipes, before the loop is closed


class JobQueue:
    """The jobs that wait, those that run, and the processes that run them."""

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, StudioJob] = OrderedDict()
        self.waiting: deque[StudioJob] = deque()
        self.idle: list[Worker] = []
        self.busy: dict[str, Worker] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    def start(self, request: dict[str, Any]) -> StudioJob:
        if len(self.waiting) >= MAX_WAITING_JOBS:
            raise RequestError(429, "too many jobs are waiting", "wait until a job ends, or stop one")
        job = StudioJob(str(next(self._numbers)), request)
        self.jobs[job.id] = job
        while len(self.jobs) > MAX_KNOWN_JOBS and next(iter(self.jobs.values())).ended:
            self.jobs.popitem(last=False)
        self.waiting.append(job)
        self._start_waiting_jobs()
        return job

    def job(self, number: str) -> StudioJob:
        if number not in self.jobs:
            raise RequestError(404, f"there is no job {number[:20]!r}")
        return self.jobs[number]

    async def listen(self, number: str) -> AsyncGenerator[dict[str, Any]]:
        """The events of a job. When the last listener leaves and nobody comes back, the job is stopped."""
        job = self.job(number)
        job.listeners += 1
        try:
            async for event in job.listen():
                yield event
        finally:
            job.listeners -= 1
            if not (job.ended or job.listeners or self.closed):
                self._create_task(self._stop_if_abandoned(job))

    def stop(self, number: str) -> None:
        """Stop a job at once: its process is killed, and another one takes its place."""
        job = self.job(number)
        if job in self.waiting:
            self.waiting.remove(job)
        job.publish({"stopped": True})
        worker = self.busy.get(number)
        if worker is not None:
            worker.kill()

    def written_files(self) -> set[str]:
        """The names of the files that jobs have written into the folder."""
        last_results = (job.events[-1].get("result") for job in self.jobs.values() if job.events)
        return {name for result in last_results if isinstance(result, dict) for name in result.get("files", [])}

    def ensure_idle_worker(self) -> None:
        """Start a process that waits for work, if there is none."""
        if not self.idle and not self.closed:
            self._create_task(self._start_idle_worker())

    async def close(self) -> None:
        """End all processes, and wait until they have ended."""
        self.closed = True
        for worker in (*self.idle, *self.busy.values()):
            worker.kill()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.kill_and_wait() for worker in self.idle))

    # -- running jobs ----------------------------------------------------------------------------------------------------------

    def _start_waiting_jobs(self) -> None:
        while self.waiting and len(self.busy) < MAX_PROCESSES and not self.closed:
            job = self.waiting.popleft()
            self.busy[job.id] = _PENDING
            self._create_task(self._run(job))

    async def _start_idle_worker(self) -> None:
        worker = await Worker.start()
        if self.closed or self.idle:
            await worker.kill_and_wait()
        else:
            self.idle.append(worker)

    async def _stop_if_abandoned(self, job: StudioJob) -> None:
        await asyncio.sleep(ABANDON_AFTER)
        if not (job.ended or job.listeners):
            self.stop(job.id)

    async def _run(self, job: StudioJob) -> None:
        try:
            # a process that waited for work may have died meanwhile: then another one is asked
            while not job.ended and not await self._run_on(await self._acquire_worker(job), job):
                pass
        finally:
            self.busy.pop(job.id, None)
            if not self.closed:
                self._start_waiting_jobs()
                self.ensure_idle_worker()

    async def _acquire_worker(self, job: StudioJob) -> Worker:
        is_new = not self.idle
        worker = await Worker.start() if is_new else self.idle.pop()
        worker.is_new = is_new
        self.busy[job.id] = worker
        return worker

    async def _run_on(self, worker: Worker, job: StudioJob) -> bool:
        """Run a job on a process; whether the job has ended, which it has not if the process was dead before it began."""
        has_begun = worker.is_new
        try:
            if not job.ended:  # it may have been stopped before it began
                await worker.send({"id": job.id, **job.request})
            while not job.ended:
                event = await worker.receive()
                if event.pop("id", None) == job.id:
                    has_begun = True
                    job.publish(event)
        except (asyncio.IncompleteReadError, ConnectionError, OSError, ValueError):
            if has_begun and not job.ended:
                problem = "the process of this job ended unexpectedly, perhaps because memory ran out"
                job.publish(
                    {"error": {"message": problem, "remedy": "try again with fewer values or a shorter motion", "line": None}}
                )
            return has_begun or job.ended
        finally:
            # a process whose job was stopped may still be at work on it
            reusable = job.ended and "stopped" not in job.events[-1] and worker.process.returncode is None
            if reusable and not self.closed and not self.idle:
                self.idle.append(worker)
            else:
                await worker.kill_and_wait()
        return True

    def _create_task(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _PendingWorker:
    """Stands in for a process that is about to start."""

    def kill(self) -> None:
        pass


_PENDING: Any = _PendingWorker()
