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

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

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
    "\u0307": "'",  # dots above, of rates
    "\u0308": "''",
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
    from rich.console import Console

    class Ending(Console):
        def on_broken_pipe(self) -> None:
            """Who reads has read enough, as `head` does: that is no failure."""
            no_more()
            raise SystemExit(0)

    return Ending(highlight=False)


def no_more() -> None:
    """What is still buffered has nowhere to go, and Python would complain of it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def plain(text: str = "", style: str = "") -> None:
    """A text as it stands: no markup is read in it, and the terminal wraps what is long."""
    from rich.text import Text

    stdout().print(Text(text, style=style), soft_wrap=True)


def said(kind: str, text: str, colour: str) -> None:
    """A line on stderr that begins with what it is."""
    from rich.text import Text

    stderr().print(Text.assemble((f"{kind}:", f"bold {colour}"), " ", text), soft_wrap=True)


def error(text: str) -> None:
    said("error", text, "red")


def warning(text: str) -> None:
    said("warning", text, "yellow")


def wrote(path: Any, what: str, how: str = "") -> None:
    """A file was written: what it holds, and what opens it."""
    from rich.text import Text

    line = Text.assemble("wrote ", (str(path), "bold cyan"), f"  {what}")
    if how:
        line.append(f"; {how}", style="dim")
    stdout().print(line, soft_wrap=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", right: Iterable[int] = ()) -> Table:
    """Rows under a header, without the columns in which nothing stands; what is too long for its column goes on below."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows, numeric = [tuple(row) for row in rows], set(right)
    kept = [k for k in range(len(columns)) if any(row[k] for row in rows)]
    head = Text(title, style="bold") if title else None
    made = Table(
        box=box.SIMPLE_HEAD,
        title=head,
        title_justify="left",
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    for k in kept:
        made.add_column(Text(columns[k], style="dim"), justify="right" if k in numeric else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(row[k]) for k in kept))
    return made


def document(content: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(jsonable(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


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
