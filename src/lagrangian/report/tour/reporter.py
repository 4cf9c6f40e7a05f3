"""Reports of runs, written by a process of its own while the next chapter is computed."""

from __future__ import annotations

import warnings
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

from lagrangian.errors import ReportWarning, warn


def report_of(run: str, page: str) -> list[str]:
    """Write the report of a saved run; what there was to warn of."""
    from lagrangian.motion.files import read
    from lagrangian.report.write import write_report

    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", UserWarning)
        write_report(read(run), page)
    return [str(warning.message) for warning in met if issubclass(warning.category, UserWarning)]


def ready() -> None:
    """Import what a report needs, while there is none to write."""
    import matplotlib.backends.backend_svg  # noqa: F401

    import lagrangian.pictures.motion_plot
    import lagrangian.report.write  # noqa: F401


class Reporter:
    """`write` returns at once; at the end of the `with` block all reports are there."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._asked: list[tuple[Path, Path, Future[list[str]] | None]] = []

    def __enter__(self) -> Reporter:
        try:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._pool.submit(ready)
        except (OSError, ImportError, NotImplementedError, RuntimeError):  # where there are no processes to be had
            self._pool = None
        return self

    def write(self, run: Path, page: Path) -> Path:
        future = None
        if self._pool is not None:
            try:
                future = self._pool.submit(report_of, str(run), str(page))
            except RuntimeError:  # the process has died
                self._pool = None
        self._asked.append((run, page, future))
        return page

    def finish(self) -> None:
        """Until all are there: those that were not begun, or failed, are written here."""
        begun = []
        met: list[str] = []
        for run, page, future in reversed(self._asked):
            if future is None or future.cancel():
                met += report_of(str(run), str(page))
            else:
                begun.append((run, page, future))
        self._asked.clear()
        for run, page, future in begun:
            try:
                met += future.result()
            except Exception:  # whatever happened there, here it is told
                met += report_of(str(run), str(page))
        for told in met:
            warn(told, ReportWarning)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
