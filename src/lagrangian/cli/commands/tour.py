"""`lagrangian tour`: from nothing to equations, proofs, motions and one page to open, in less than a minute."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lagrangian.cli.output import stdout
from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.files import write

if TYPE_CHECKING:
    from rich.console import Console

    from lagrangian.report.tour.chapter import Chapter, Place

FINE, FAILED = 0, 1
ORDER = ("two_r", "puma560", "circle", "double_pendulum", "four_bar", "stewart")  # of the page


def steps() -> list[tuple[str, Callable[[Place], Chapter]]]:
    """What is done, the longest early: its report is written while the others are computed. Equations need no report."""
    from lagrangian.report.tour import in_motion, on_paper

    return [
        ("Two links: equations and proof", on_paper.two_r),
        ("Stewart platform", in_motion.stewart),
        ("Two links: torques for a circle", in_motion.circle),
        ("Double pendulum", in_motion.pendulum),
        ("Deployable four-bar linkage", in_motion.four_bar),
        ("PUMA 560: equations and proof", on_paper.puma),
    ]


def tour(output: Path | None = None, browser: bool = False) -> int:
    """Make the tour's folder, `tour` unless given, and say what was found; 0 if every chapter was made and every check holds."""
    folder = _folder(Path("tour") if output is None else Path(output))
    console = stdout()
    began = time.perf_counter()
    chapters, failures = _made(console, folder)
    from lagrangian.report.tour.index import index

    chapters.sort(key=lambda chapter: ORDER.index(chapter.id) if chapter.id in ORDER else len(ORDER))
    page = folder / "index.html"
    write(page, index(chapters, failures, time.perf_counter() - began))
    _summary(console, chapters, page, time.perf_counter() - began)
    if browser:
        webbrowser.open(page.resolve().as_uri())
    return FINE if not failures and all(c.good for c in chapters) else FAILED


def _folder(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"{folder} is a file; the tour needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{folder}: the folder cannot be created: {error.strerror or error}") from None
    return folder


def _made(console: Console, folder: Path) -> tuple[list[Chapter], list[tuple[str, str]]]:
    """Every chapter; one that fails leaves the others standing."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from lagrangian.report.tour.chapter import Place
    from lagrangian.report.tour.reporter import Reporter

    chapters: list[Chapter] = []
    failures: list[tuple[str, str]] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress, Reporter() as reporter:
        todo = steps()
        task = progress.add_task("", total=len(todo) + 1)
        for title, make in todo:
            progress.update(task, description=title)
            began = time.perf_counter()
            try:
                chapter = make(Place(folder, reporter))
            except Exception as error:
                why = str(error) if isinstance(error, LagrangianError) else f"{type(error).__name__}: {error}"
                failures.append((title, why))
                console.print(_line("✗", "red", title, time.perf_counter() - began, why))
            else:
                chapter.seconds = time.perf_counter() - began
                chapters.append(chapter)
                mark, colour = ("✓", "green") if chapter.good else ("✗", "red")
                console.print(_line(mark, colour, title, chapter.seconds, _plain(chapter.figure)))
            progress.advance(task)
        began = time.perf_counter()
        progress.update(task, description="Reports of the runs")
        reporter.finish()
        console.print(_line("✓", "green", "Reports of the runs", time.perf_counter() - began, "plots, forces, energy, motors"))
    return chapters, failures


def _line(mark: str, colour: str, title: str, seconds: float, figure: str) -> Any:
    from rich.text import Text

    return Text.assemble((mark, colour), f" {title:<32}", (f"{seconds:5.1f} s  ", "dim"), figure)


def _summary(console: Console, chapters: list[Chapter], page: Path, seconds: float) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("chapter", "checks", "files"):
        table.add_column(column, overflow="fold")
    for c in chapters:
        good = sum(check.good for check in c.checks)
        colour = "green" if c.good else "red"
        table.add_row(c.title, Text(f"{good} of {len(c.checks)} passed", colour), ", ".join(path.name for path, _ in c.files))
        for check in c.checks:
            if not check.good:
                told = f"{check.what}: {_plain(check.found)}, expected {_plain(check.expected)}"
                table.add_row("", Text("✗", "red"), Text(told))
    console.print()
    console.print(table)
    console.print()
    console.print(Text.assemble(f"The tour took {seconds:.1f} s. Open ", (str(page), "bold cyan")), soft_wrap=True)


def _plain(words: str) -> str:
    """Without the markup of a page; text that is none stays as it is."""
    import html
    import re

    from lagrangian.pictures.style import RAISED
    from lagrangian.report.html import Html

    if not isinstance(words, Html):
        return words
    raised = re.sub(r"<sup>(.*?)</sup>", lambda found: found[1].replace("−", "-").translate(RAISED), words)
    return html.unescape(re.sub(r"<[^>]+>", "", raised)).replace("\u00a0", " ")


if __name__ == "__main__":
    raise SystemExit(tour())
