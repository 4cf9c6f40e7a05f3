"""Warnings collected by the thread that caused them: Python's own `catch_warnings` is for a whole process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lagrangian.errors import LagrangianWarning

_COLLECTORS = threading.local()


@contextmanager
def collect_warnings() -> Iterator[list[LagrangianWarning]]:
    """Collect the warnings of this thread, each once, in their order, inside of `route_warnings_by_thread`."""
    before = getattr(_COLLECTORS, "warnings", None)
    collected: list[LagrangianWarning] = []
    _COLLECTORS.warnings = collected
    try:
        yield collected
    finally:
        _COLLECTORS.warnings = before


@contextmanager
def route_warnings_by_thread() -> Iterator[None]:
    """A context in which a warning goes to the collector of its thread, and nowhere else."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        collected = getattr(_COLLECTORS, "warnings", None)
        if collected is not None and isinstance(message, LagrangianWarning) and str(message) not in {str(x) for x in collected}:
            collected.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LagrangianWarning)
        warnings.showwarning = show
        yield
