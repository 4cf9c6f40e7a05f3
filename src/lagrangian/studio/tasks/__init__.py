"""What the studio does in a process of its own: each kind of job is a function of what is asked, imported when it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lagrangian.studio.models import StudioModel


@dataclass(frozen=True)
class TaskRequest:
    """A model, the options of the job, the folder to write in; `progress(done, total, text)` and `partial(...)` tell of it."""

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


TASKS: dict[str, Callable[[TaskRequest], dict[str, Any]]] = {
    name: _lazy_task(f"lagrangian.studio.tasks.{name}", name)
    for name in ("equations", "motion", "inverse", "study", "checks", "report", "export", "linkage")
}
