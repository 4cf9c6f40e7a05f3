"""The process that runs the studio's jobs: it reads requests from one pipe, sends events by another, and ends with the studio."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any, BinaryIO

from lagrangian.errors import LagrangianError
from lagrangian.studio.diagnostics import problem_entry
from lagrangian.studio.models import ModelCache
from lagrangian.studio.tasks import TASKS, TaskRequest
from lagrangian.studio.thread_warnings import route_warnings_by_thread

PERIOD = 0.1  # s between two events of progress


class EventPipe:
    """The pipe to the studio: each event is JSON behind its length."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.lock, self.last = stream, threading.Lock(), 0.0

    def send(self, event: dict[str, Any]) -> None:
        data = json.dumps(event, allow_nan=False, default=_json_default).encode()
        with self.lock:
            self.stream.write(len(data).to_bytes(4, "little") + data)
            self.stream.flush()

    def progress(self, number: str, done: float, total: float, text: str = "") -> None:
        now = time.monotonic()
        if now - self.last > PERIOD or text:
            self.last = now
            self.send({"id": number, "progress": {"done": float(done), "total": float(total), "text": text}})


def _json_default(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def run_job(request: dict[str, Any], models: ModelCache, pipe: EventPipe) -> None:
    """Run a job, and send its result or its error."""
    number = request["id"]
    model = None
    try:
        model = models.get_or_read(request["text"], request["format"])
        task_request = TaskRequest(
            model,
            request["options"],
            request["folder"],
            lambda done, total, text="": pipe.progress(number, done, total, text),
            lambda part: pipe.send({"id": number, "partial": part}),
        )
        result = TASKS[request["kind"]](task_request)
        pipe.send({"id": number, "result": result})
    except LagrangianError as error:
        line = problem_entry(model.text, model.format, error)["line"] if model is not None and error is model.error else None
        remedy, error.remedy = error.remedy, ""
        pipe.send({"id": number, "error": {"message": str(error), "remedy": remedy, "line": line}})
    except Exception as error:  # the process goes on with the next job
        problem = f"an unexpected error occurred: {type(error).__name__}: {error}"
        pipe.send({"id": number, "error": {"message": problem, "remedy": "", "line": None}})


def main() -> None:
    pipe = EventPipe(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the library prints is no event
    jobs: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_read_jobs, args=(sys.stdin.buffer, jobs), daemon=True).start()
    models = ModelCache()
    _import_early()
    with route_warnings_by_thread():
        while True:
            run_job(jobs.get(), models, pipe)


def _read_jobs(stream: BinaryIO, jobs: queue.Queue[dict[str, Any]]) -> None:
    """Read jobs until the studio is gone, however it ended; then this process ends too."""
    while len(head := stream.read(4)) == 4:
        jobs.put(json.loads(stream.read(int.from_bytes(head, "little"))))
    os._exit(0)


def _import_early() -> None:
    """Import what most jobs need before the first job comes."""
    import lagrangian.motion.simulate
    import lagrangian.plots.quantities
    import lagrangian.viewer.scene.track  # noqa: F401


if __name__ == "__main__":
    main()
