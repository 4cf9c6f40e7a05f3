"""Warnings, heard by the thread that asked for them: Python's own recording is of a whole process."""

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
    """The warnings of this thread, each once, in their order; `everywhere` must hold around it."""
    before = getattr(_COLLECTORS, "heard", None)
    collected: list[LagrangianWarning] = []
    _COLLECTORS.heard = collected
    try:
        yield collected
    finally:
        _COLLECTORS.heard = before


@contextmanager
def route_warnings_by_thread() -> Iterator[None]:
    """While it holds, warnings go to the thread that listens, and nowhere else."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        collected = getattr(_COLLECTORS, "heard", None)
        if collected is not None and isinstance(message, LagrangianWarning) and str(message) not in {str(x) for x in collected}:
            collected.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LagrangianWarning)
        warnings.showwarning = show
        yield
