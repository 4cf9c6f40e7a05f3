"""What the commands print: reports on stdout, everything said beside them on stderr."""

from __future__ import annotations

import codecs
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lagrangian.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# letters and signs that a terminal without Unicode cannot show
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho s sigma tau upsilon phi chi psi omega"
_PLAIN = {
    **{chr(0x3B1 + k): name for k, name in enumerate(_GREEK.split())},
    **{chr(0x391 + k): name.capitalize() for k, name in enumerate(_GREEK.split())},
    **{chr(0x2080 + k): str(k) for k in range(10)},
    **dict(
        zip(
            "─│–’·°²³∞→…•×±−", ("-", "|", "-", "'", ".", " deg", "^2", "^3", "inf", "->", "...", "*", "x", "+-", "-"), strict=True
        )
    ),
}


def settle_streams() -> None:
    """Let streams of any encoding take any text: what they cannot show is spelled."""

    def spelled(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(_PLAIN.get(c, "?") for c in error.object[error.start : error.end]), error.end

    codecs.register_error("spelled", spelled)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spelled")


def stdout() -> Console:
    return _console(False)


def no_more() -> None:
    """What is still buffered has nowhere to go, and Python would complain of it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stderr() -> Console:
    return _console(True)


def _console(stderr: bool) -> Console:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Shown(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """What a file says cannot act on the terminal, whatever it is part of: an error, a table, a note."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            """Who reads has read enough, as `head` does: that is no failure."""
            no_more()
            raise SystemExit(0)

    return Shown(stderr=stderr, highlight=False)


def plain(text: str = "", style: str = "") -> None:
    """A text as it stands: no markup is read in it, and the terminal wraps what is long."""
    from rich.text import Text

    stdout().print(Text(text, style=style), soft_wrap=True)


def source(text: str) -> None:
    """A text for other programs, such as LaTeX, without a terminal's lines or colours."""
    sys.stdout.write(visible(text) + "\n")


def said(kind: str, text: str, colour: str) -> None:
    """A line on stderr that begins with what it is."""
    from rich.text import Text

    stderr().print(Text.assemble((f"{kind}:", f"bold {colour}"), " ", text), soft_wrap=True)


def error(text: str) -> None:
    said("error", text, "red")


def warning(text: str) -> None:
    said("warning", text, "yellow")


def wrote(path: Any, what: str, how: str = "", *, again: bool = False) -> None:
    """A file was written, or written `again`: what it holds, and what opens it."""
    from rich.text import Text

    line = Text.assemble("replaced " if again else "wrote ", (str(path), "bold cyan"), f"  {what}")
    if how:
        line.append(f"; {how}", style="dim")
    stdout().print(line, soft_wrap=True)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Iterable[int] = (),
    words: Iterable[int] = (),
    spare: Iterable[int] = (),
) -> RenderableType:
    """Rows under a header, without the columns in which nothing stands.

    Columns of `words` go on below where they are too long. Names and numbers with their units are never broken: where they do not
    fit beside each other, columns that can be `spare`d are left out, and where that is not enough they stand under each other.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    rows, numeric, breaking = [tuple(row) for row in rows], set(right), set(words)
    kept = [k for k in range(len(columns)) if any(row[k] for row in rows)]
    head = Text(title, style="bold") if title else None
    least = {k: _width(columns[k], [row[k] for row in rows], k in breaking) for k in kept}
    if _room(least, kept) < 0:
        needed = [k for k in kept if k not in set(spare)]
        if _room(least, needed) < 0:
            return _below(columns, rows, kept, head)
        kept = needed
    made = Table(
        box=box.SIMPLE_HEAD,
        title=head,
        title_justify="left",
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    wanted = {k: max(cell_len(columns[k]), *(cell_len(row[k]) for row in rows)) - least[k] for k in kept}
    share = min(1.0, _room(least, kept) / max(1, sum(wanted.values())))
    for k in kept:
        side: Any = "right" if k in numeric else "left"
        made.add_column(Text(columns[k], style="dim"), justify=side, overflow="fold", width=least[k] + int(share * wanted[k]))
    for row in rows:
        made.add_row(*(Text(row[k]) for k in kept))
    return made


def _room(widths: dict[int, int], kept: Sequence[int]) -> int:
    """What columns leave of a terminal, with two blanks between them."""
    return stdout().width - sum(widths[k] + 2 for k in kept) + 2


def _width(head: str, cells: Sequence[str], breaks: bool) -> int:
    """The least width of a column: its header, and its cells if they may be, are broken between words alone."""
    from rich.cells import cell_len

    pieces = [word for cell in cells for word in cell.split()] if breaks else cells
    return max(cell_len(x) for x in (*head.split(), *pieces, ""))


def _below(columns: Sequence[str], rows: Sequence[Sequence[str]], kept: Sequence[int], head: Any) -> RenderableType:
    """Each row as lines, for terminals too narrow for a table."""
    from rich.console import Group
    from rich.text import Text

    lines = [head] if head is not None else []
    first = next((i for i, k in enumerate(kept) if columns[k]), 0)  # numbers before names have no header
    for row in rows:
        lines.append(Text(" ".join(row[k] for k in kept[: first + 1] if row[k]), style="bold"))
        lines += [Text.assemble((f"  {columns[k]}: ", "dim"), row[k]) for k in kept[first + 1 :] if row[k]]
    return Group(*lines)


def document(content: Any) -> None:
    """One JSON document on stdout."""
    text = json.dumps(jsonable(content), indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(visible(text, lambda c: f"\\u{ord(c):04x}") + "\n")


def jsonable(x: Any) -> Any:
    """With lists for arrays, texts for paths, and null for what is not finite."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, dict):
        return {str(key): jsonable(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [jsonable(item) for item in x]
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
