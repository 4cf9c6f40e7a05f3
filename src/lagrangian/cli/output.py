"""What the commands print: results on stdout; errors, warnings, notes and progress on stderr."""

from __future__ import annotations

import codecs
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lagrangian.errors import make_visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PATIENCE = 0.5  # seconds before a progress bar is shown
# spellings of letters and signs that a terminal without Unicode cannot show
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho s sigma tau upsilon phi chi psi omega"
_ASCII_SPELLINGS = {
    **{chr(0x3B1 + k): name for k, name in enumerate(_GREEK.split())},
    **{chr(0x391 + k): name.capitalize() for k, name in enumerate(_GREEK.split())},
    **{chr(0x2080 + k): str(k) for k in range(10)},
    **dict(
        zip(
            "─│–’·°²³∞→…•×±−", ("-", "|", "-", "'", ".", " deg", "^2", "^3", "inf", "->", "...", "*", "x", "+-", "-"), strict=True
        )
    ),
}


def print_text(text: str = "", style: str = "") -> None:
    """Print a text as it stands: it has no markup, and the terminal wraps long lines."""
    from rich.text import Text

    stdout().print(Text(text, style=style), soft_wrap=True)


def print_source(text: str) -> None:
    """Print a text for other programs, such as LaTeX: without colours, and without line breaks of the terminal."""
    sys.stdout.write(make_visible(text) + "\n")


def print_message(kind: str, text: str, colour: str) -> None:
    """Print a line to stderr that begins with its kind, such as `note:`."""
    from rich.text import Text

    stderr().print(Text.assemble((f"{kind}:", f"bold {colour}"), " ", text), soft_wrap=True)


def print_error(text: str) -> None:
    print_message("error", text, "red")


def print_warning(text: str) -> None:
    print_message("warning", text, "yellow")


def print_written_file(path: Any, content: str, hint: str = "", *, replaced: bool = False) -> None:
    """Print that a file was written or replaced, its content, and a hint such as how to open it."""
    from rich.text import Text

    line = Text.assemble("replaced " if replaced else "wrote ", (str(path), "bold cyan"), f"  {content}")
    if hint:
        line.append(f"; {hint}", style="dim")
    stdout().print(line, soft_wrap=True)


# -- tables ------------------------------------------------------------------------------------------------------------


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right_aligned: Iterable[int] = (),
    wrapped: Iterable[int] = (),
    optional: Iterable[int] = (),
) -> RenderableType:
    """Rows under a header, without empty columns.

    Long texts in `wrapped` columns are broken between words. Names and numbers with their units are never broken: if the columns
    do not fit beside each other, the `optional` ones are left out; if that is not enough, each row becomes several lines.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    rows, numeric, wrapped_columns = [tuple(row) for row in rows], set(right_aligned), set(wrapped)
    visible = [k for k in range(len(columns)) if any(row[k] for row in rows)]
    head = Text(title, style="bold") if title else None
    min_widths = {k: _min_column_width(columns[k], [row[k] for row in rows], k in wrapped_columns) for k in visible}
    if _free_width(min_widths, visible) < 0:
        required = [k for k in visible if k not in set(optional)]
        if _free_width(min_widths, required) < 0:
            return _stacked_rows(columns, rows, visible, head)
        visible = required
    rich_table = Table(
        box=box.SIMPLE_HEAD,
        title=head,
        title_justify="left",
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    extra_widths = {k: max(cell_len(columns[k]), *(cell_len(row[k]) for row in rows)) - min_widths[k] for k in visible}
    share = min(1.0, _free_width(min_widths, visible) / max(1, sum(extra_widths.values())))
    for k in visible:
        side: Any = "right" if k in numeric else "left"
        rich_table.add_column(
            Text(columns[k], style="dim"), justify=side, overflow="fold", width=min_widths[k] + int(share * extra_widths[k])
        )
    for row in rows:
        rich_table.add_row(*(Text(row[k]) for k in visible))
    return rich_table


def _free_width(widths: dict[int, int], visible: Sequence[int]) -> int:
    """The width that columns leave in the terminal, with two blanks between them; it is negative if they do not fit."""
    return stdout().width - sum(widths[k] + 2 for k in visible) + 2


def _min_column_width(head: str, cells: Sequence[str], wraps: bool) -> int:
    """The smallest width of a column; its header and, if it `wraps`, its cells are broken only between words."""
    from rich.cells import cell_len

    pieces = [word for cell in cells for word in cell.split()] if wraps else cells
    return max(cell_len(x) for x in (*head.split(), *pieces, ""))


def _stacked_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], visible: Sequence[int], head: Any) -> RenderableType:
    """Each row as several lines, for terminals that are too narrow for a table."""
    from rich.console import Group
    from rich.text import Text

    lines = [head] if head is not None else []
    first = next((i for i, k in enumerate(visible) if columns[k]), 0)  # a number before the name has no header
    for row in rows:
        lines.append(Text(" ".join(row[k] for k in visible[: first + 1] if row[k]), style="bold"))
        lines += [Text.assemble((f"  {columns[k]}: ", "dim"), row[k]) for k in visible[first + 1 :] if row[k]]
    return Group(*lines)


# -- JSON --------------------------------------------------------------------------------------------------------------


def print_json(content: Any) -> None:
    """Print one JSON document to stdout."""
    text = json.dumps(to_json_data(content), indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(make_visible(text, lambda c: f"\\u{ord(c):04x}") + "\n")


def to_json_data(x: Any) -> Any:
    """A value that JSON can hold: arrays become lists, paths become texts, and numbers that are not finite become null."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, dict):
        return {str(key): to_json_data(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [to_json_data(item) for item in x]
    if isinstance(x, (bool, str, type(None))):
        return x
    if isinstance(x, Path):
        return str(x)
    if isinstance(x, int):
        return int(x)
    try:
        number = float(x)
    except (TypeError, ValueError):
        return str(x)
    return number if math.isfinite(number) else None


# -- progress ----------------------------------------------------------------------------------------------------------


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressBar]:
    """A progress bar that is removed at the end of the context."""
    progress = ProgressBar(label)
    try:
        yield progress
    finally:
        progress.close()


@contextmanager
def spinner(label: str) -> Iterator[None]:
    """Show a spinner on a terminal, for work that does not report its progress."""
    if not is_terminal():
        yield
        return
    with stderr().status(label):
        yield


class ProgressBar:
    """A bar with the time left, which appears on a terminal once work has taken a while.

    Call it now and then with the amount of work that is done and the total.
    """

    def __init__(self, label: str) -> None:
        self.label, self.started = label, time.perf_counter()
        self.console = stderr()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: float, total: float) -> None:
        if not is_terminal():
            return
        share = done / total if total else 1.0
        if self._bar is None:
            if time.perf_counter() - self.started < PATIENCE or share >= 1.0:
                return
            self._start()
        self._bar.update(self._task, completed=min(max(share, 0.0), 1.0))

    def _start(self) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
        self._bar = Progress(*columns, console=self.console, transient=True)
        self._task = self._bar.add_task(self.label, total=1.0)
        self._bar.tasks[0].start_time = time.monotonic() - (time.perf_counter() - self.started)
        self._bar.start()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


def is_terminal() -> bool:
    """Whether stderr is a terminal. Colours can be forced on a file, where a progress bar would be litter."""
    return sys.stderr.isatty()


# -- streams -----------------------------------------------------------------------------------------------------------


def stdout() -> Console:
    """The console for results."""
    return _console(False)


def stderr() -> Console:
    """The console for errors, warnings, notes and progress."""
    return _console(True)


def _console(stderr: bool) -> Console:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """The segments of a text, in which nothing from a file can command the terminal."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(make_visible(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            """End without a failure: a reader such as `head` has read enough."""
            discard_stdout()
            raise SystemExit(0)

    return SafeConsole(stderr=stderr, highlight=False)


def configure_streams() -> None:
    """Let streams of any encoding print any text: characters that they cannot show are spelled in ASCII."""

    def transliterate(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(_ASCII_SPELLINGS.get(c, "?") for c in error.object[error.start : error.end]), error.end

    codecs.register_error("spelled", transliterate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spelled")


def discard_stdout() -> None:
    """Discard what is still buffered for a closed pipe, of which Python would complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
