"""The jobs that the studio runs in a process of its own: each kind of job is a function of a request, imported when needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lagrangian.studio.models import StudioModel


@dataclass(frozen=True)
class TaskRequest:
    """What a job works on: a model, the options of the job, and the folder to write in.

    The job reports by `progress(done, total, text)`, and sends parts of its result early by `partial(...)`.
    """

    model: StudioModel
    options: dict[str, Any]
    folder: str
    progress: Callable[..., None]
    partial: Callable[[dict[str, Any]], None]


def _lazy_task(module: str, function: str) -> Callable[[TaskRequest], dict[str, Any]]:
    def run(request: TaskRequest) -> dict[str, Any]:
        result: dict[str, Any] = getattr(import_module(module), function)(request)
        return result

    return run


# by the kind of job, which is also the name of its function
_MODULES = {
    "equations": "tasks.equations",
    "motion": "tasks.motion",
    "inverse": "tasks.inverse",
    "study": "tasks.study",
    "checks": "tasks.checks",
    "report": "tasks.export",
    "export": "tasks.export",
    "linkage": "drawing.routes",
}
TASKS: dict[str, Callable[[TaskRequest], dict[str, Any]]] = {
    kind: _lazy_task(f"lagrangian.studio.{module}", kind) for kind, module in _MODULES.items()
}
