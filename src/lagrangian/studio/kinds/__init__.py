"""What the studio does in a process of its own: each kind of job is a function of what is asked, imported when it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lagrangian.studio.models import Model


@dataclass(frozen=True)
class Asked:
    """A model, the options of the job, the folder to write in; `progress(done, total, text)` and `partial(...)` tell of it."""

    model: Model
    options: dict[str, Any]
    folder: str
    progress: Callable[..., None]
    partial: Callable[[dict[str, Any]], None]


def _later(module: str, function: str) -> Callable[[Asked], dict[str, Any]]:
    def run(asked: Asked) -> dict[str, Any]:
        found: dict[str, Any] = getattr(import_module(module), function)(asked)
        return found

    return run


KINDS: dict[str, Callable[[Asked], dict[str, Any]]] = {
    name: _later(f"lagrangian.studio.kinds.{name}", name)
    for name in ("equations", "motion", "inverse", "study", "checks", "report", "export", "linkage")
}
