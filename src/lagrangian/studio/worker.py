"""The process that does the studio's longer work: asked by one pipe, it tells by another, and ends with the studio."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any, BinaryIO

from lagrangian.errors import LagrangianError
from lagrangian.studio.heard import everywhere
from lagrangian.studio.kinds import KINDS, Asked
from lagrangian.studio.models import Models
from lagrangian.studio.problems import problem

PERIOD = 0.1  # s between two words of progress


class Pipe:
    """Where events go."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.lock, self.last = stream, threading.Lock(), 0.0

    def tell(self, event: dict[str, Any]) -> None:
        data = json.dumps(event, allow_nan=False, default=_plain).encode()
        with self.lock:
            self.stream.write(len(data).to_bytes(4, "little") + data)
            self.stream.flush()

    def progress(self, number: str, done: float, total: float, text: str = "") -> None:
        now = time.monotonic()
        if now - self.last > PERIOD or text:
            self.last = now
            self.tell({"id": number, "progress": {"done": float(done), "total": float(total), "text": text}})


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def answer(asked: dict[str, Any], models: Models, pipe: Pipe) -> None:
    """Do a job, and tell its result or its error."""
    number = asked["id"]
    model = None
    try:
        model = models.model(asked["text"], asked["format"])
        given = Asked(
            model,
            asked["options"],
            asked["folder"],
            lambda done, total, text="": pipe.progress(number, done, total, text),
            lambda part: pipe.tell({"id": number, "partial": part}),
        )
        result = KINDS[asked["kind"]](given)
        pipe.tell({"id": number, "result": result})
    except LagrangianError as error:
        line = problem(model.text, model.format, error)["line"] if model is not None and error is model.error else None
        remedy, error.remedy = error.remedy, ""
        pipe.tell({"id": number, "error": {"message": str(error), "remedy": remedy, "line": line}})
    except Exception as error:  # whatever it is, the next job is not to suffer from it
        told = f"an unexpected error occurred: {type(error).__name__}: {error}"
        pipe.tell({"id": number, "error": {"message": told, "remedy": "", "line": None}})


def main() -> None:
    pipe = Pipe(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no event
    jobs: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, jobs), daemon=True).start()
    models = Models()
    _warm()
    with everywhere():
        while True:
            answer(jobs.get(), models, pipe)


def _read(stream: BinaryIO, jobs: queue.Queue[dict[str, Any]]) -> None:
    """Jobs, until the studio is gone, however it ended: then this process ends too."""
    while len(head := stream.read(4)) == 4:
        jobs.put(json.loads(stream.read(int.from_bytes(head, "little"))))
    os._exit(0)


def _warm() -> None:
    """What most jobs need is imported before the first."""
    import lagrangian.motion.simulate
    import lagrangian.pictures.quantities
    import lagrangian.viewer.scene.track  # noqa: F401


if __name__ == "__main__":
    main()
