"""What the commands print: reports on stdout, everything said beside them on stderr."""

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


# letters and signs that a terminal without Unicode cannot show
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


def configure_streams() -> None:
    """Let streams of any encoding take any text: what they cannot show is spelled."""

    def transliterate(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(_ASCII_SPELLINGS.get(c, "?") for c in error.object[error.start : error.end]), error.end

    codecs.register_error("spelled", transliterate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spelled")


def stdout() -> Console:
    return _console(False)


def discard_stdout() -> None:
    """What is still buffered has nowhere to go, and Python would complain of it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stderr() -> Console:
    return _console(True)


def _console(stderr: bool) -> Console:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """What a file says cannot act on the terminal, whatever it is part of: an error, a table, a note."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(make_visible(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            """Who reads has read enough, as `head` does: that is no failure."""
            discard_stdout()
            raise SystemExit(0)

    return SafeConsole(stderr=stderr, highlight=False)


def print_text(text: str = "", style: str = "") -> None:
    """A text as it stands: no markup is read in it, and the terminal wraps what is long."""
    from rich.text import Text

    stdout().print(Text(text, style=style), soft_wrap=True)


def print_source(text: str) -> None:
    """A text for other programs, such as LaTeX, without a terminal's lines or colours."""
    sys.stdout.write(make_visible(text) + "\n")


def print_message(kind: str, text: str, colour: str) -> None:
    """A line on stderr that begins with what it is."""
    from rich.text import Text

    stderr().print(Text.assemble((f"{kind}:", f"bold {colour}"), " ", text), soft_wrap=True)


def print_error(text: str) -> None:
    print_message("error", text, "red")


def print_warning(text: str) -> None:
    print_message("warning", text, "yellow")


def print_written_file(path: Any, content: str, hint: str = "", *, replaced: bool = False) -> None:
    """A file was written, or written `again`: what it holds, and what opens it."""
    from rich.text import Text

    line = Text.assemble("replaced " if replaced else "wrote ", (str(path), "bold cyan"), f"  {content}")
    if hint:
        line.append(f"; {hint}", style="dim")
    stdout().print(line, soft_wrap=True)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right_aligned: Iterable[int] = (),
    wrapped: Iterable[int] = (),
    optional: Iterable[int] = (),
) -> RenderableType:
    """Rows under a header, without the columns in which nothing stands.

    Columns of `words` go on below where they are too long. Names and numbers with their units are never broken: where they do not
    fit beside each other, columns that can be `spare`d are left out, and where that is not enough they stand under each other.
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
    """What columns leave of a terminal, with two blanks between them."""
    return stdout().width - sum(widths[k] + 2 for k in visible) + 2


def _min_column_width(head: str, cells: Sequence[str], wraps: bool) -> int:
    """The least width of a column: its header, and its cells if they may be, are broken between words alone."""
    from rich.cells import cell_len

    pieces = [word for cell in cells for word in cell.split()] if wraps else cells
    return max(cell_len(x) for x in (*head.split(), *pieces, ""))


def _stacked_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], visible: Sequence[int], head: Any) -> RenderableType:
    """Each row as lines, for terminals too narrow for a table."""
    from rich.console import Group
    from rich.text import Text

    lines = [head] if head is not None else []
    first = next((i for i, k in enumerate(visible) if columns[k]), 0)  # numbers before names have no header
    for row in rows:
        lines.append(Text(" ".join(row[k] for k in visible[: first + 1] if row[k]), style="bold"))
        lines += [Text.assemble((f"  {columns[k]}: ", "dim"), row[k]) for k in visible[first + 1 :] if row[k]]
    return Group(*lines)


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    text = json.dumps(to_json_data(content), indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(make_visible(text, lambda c: f"\\u{ord(c):04x}") + "\n")


def to_json_data(x: Any) -> Any:
    """With lists for arrays, texts for paths, and null for what is not finite."""
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


# MERGED lagrangian.cli.progress: A bar with the time left, once work has taken a while, and a spinner where nothing tells how
# far it is; on terminals only.

PATIENCE = 0.5  # seconds before a bar is shown


def is_terminal() -> bool:
    """Whether somebody looks: colours can be forced on a file, a bar there would only be litter."""
    return sys.stderr.isatty()


class ProgressBar:
    """Told now and then how much of how much is done."""

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
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressBar]:
    progress = ProgressBar(label)
    try:
        yield progress
    finally:
        progress.close()


@contextmanager
def spinner(label: str) -> Iterator[None]:
    """Beside work whose share is not known."""
    if not is_terminal():
        yield
        return
    with stderr().status(label):
        yield
