"""A bar with the time left, once work has taken a while, and a spinner where nothing tells how far it is; on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lagrangian.cli import output

PATIENCE = 0.5  # seconds before a bar is shown


def watched() -> bool:
    """Whether somebody looks: colours can be forced on a file, a bar there would only be litter."""
    return sys.stderr.isatty()


class Bar:
    """Told now and then how much of how much is done."""

    def __init__(self, what: str) -> None:
        self.what, self.started = what, time.perf_counter()
        self.console = output.stderr()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: float, total: float) -> None:
        if not watched():
            return
        share = done / total if total else 1.0
        if self._bar is None:
            if time.perf_counter() - self.started < PATIENCE or share >= 1.0:
                return
            self._begin()
        self._bar.update(self._task, completed=min(max(share, 0.0), 1.0))

    def _begin(self) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
        self._bar = Progress(*columns, console=self.console, transient=True)
        self._task = self._bar.add_task(self.what, total=1.0)
        self._bar.tasks[0].start_time = time.monotonic() - (time.perf_counter() - self.started)
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def bar(what: str) -> Iterator[Bar]:
    made = Bar(what)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def spinner(what: str) -> Iterator[None]:
    """Beside work whose share is not known."""
    if not watched():
        yield
        return
    with output.stderr().status(what):
        yield
