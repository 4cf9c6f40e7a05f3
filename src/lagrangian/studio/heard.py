"""Warnings, heard by the thread that asked for them: Python's own recording is of a whole process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lagrangian.errors import LagrangianWarning

_LISTENING = threading.local()


@contextmanager
def hearing() -> Iterator[list[LagrangianWarning]]:
    """The warnings of this thread, each once, in their order; `everywhere` must hold around it."""
    before = getattr(_LISTENING, "heard", None)
    heard: list[LagrangianWarning] = []
    _LISTENING.heard = heard
    try:
        yield heard
    finally:
        _LISTENING.heard = before


@contextmanager
def everywhere() -> Iterator[None]:
    """While it holds, warnings go to the thread that listens, and nowhere else."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        heard = getattr(_LISTENING, "heard", None)
        if heard is not None and isinstance(message, LagrangianWarning) and str(message) not in {str(x) for x in heard}:
            heard.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LagrangianWarning)
        warnings.showwarning = show
        yield
