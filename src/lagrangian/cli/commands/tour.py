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

    from lagrangian.report.tour.tour import Chapter, TourOutput

FINE, FAILED = 0, 1
CHAPTER_ORDER = ("two_r", "puma560", "circle", "double_pendulum", "four_bar", "stewart")  # of the page


def chapter_makers() -> list[tuple[str, Callable[[TourOutput], Chapter]]]:
    """What is done, the longest early: its report is written while the others are computed. Equations need no report."""
    from lagrangian.report.tour import chapters as in_motion
    from lagrangian.report.tour import chapters as on_paper

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
    folder = _create_folder(Path("tour") if output is None else Path(output))
    console = stdout()
    began = time.perf_counter()
    chapters, failures = _make_chapters(console, folder)
    from lagrangian.report.tour.tour import tour_page

    chapters.sort(key=lambda chapter: CHAPTER_ORDER.index(chapter.id) if chapter.id in CHAPTER_ORDER else len(CHAPTER_ORDER))
    page = folder / "index.html"
    write(page, tour_page(chapters, failures, time.perf_counter() - began))
    _print_summary(console, chapters, page, time.perf_counter() - began)
    if browser:
        webbrowser.open(page.resolve().as_uri())
    return FINE if not failures and all(c.good for c in chapters) else FAILED


def _create_folder(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"{folder} is a file; the tour needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{folder}: the folder cannot be created: {error.strerror or error}") from None
    return folder


def _make_chapters(console: Console, folder: Path) -> tuple[list[Chapter], list[tuple[str, str]]]:
    """Every chapter; one that fails leaves the others standing."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from lagrangian.report.tour.tour import ReportProcess, TourOutput

    chapters: list[Chapter] = []
    failures: list[tuple[str, str]] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress, ReportProcess() as reporter:
        makers = chapter_makers()
        task = progress.add_task("", total=len(makers) + 1)
        for title, make in makers:
            progress.update(task, description=title)
            began = time.perf_counter()
            try:
                chapter = make(TourOutput(folder, reporter))
            except Exception as error:
                reason = str(error) if isinstance(error, LagrangianError) else f"{type(error).__name__}: {error}"
                failures.append((title, reason))
                console.print(_progress_line("✗", "red", title, time.perf_counter() - began, reason))
            else:
                chapter.seconds = time.perf_counter() - began
                chapters.append(chapter)
                mark, colour = ("✓", "green") if chapter.good else ("✗", "red")
                console.print(_progress_line(mark, colour, title, chapter.seconds, _plain_text(chapter.figure)))
            progress.advance(task)
        began = time.perf_counter()
        progress.update(task, description="Reports of the runs")
        reporter.finish()
        console.print(
            _progress_line("✓", "green", "Reports of the runs", time.perf_counter() - began, "plots, forces, energy, motors")
        )
    return chapters, failures


def _progress_line(mark: str, colour: str, title: str, seconds: float, figure: str) -> Any:
    from rich.text import Text

    return Text.assemble((mark, colour), f" {title:<32}", (f"{seconds:5.1f} s  ", "dim"), figure)


def _print_summary(console: Console, chapters: list[Chapter], page: Path, seconds: float) -> None:
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
                failure = f"{check.name}: {_plain_text(check.result)}, expected {_plain_text(check.expected)}"
                table.add_row("", Text("✗", "red"), Text(failure))
    console.print()
    console.print(table)
    console.print()
    console.print(Text.assemble(f"The tour took {seconds:.1f} s. Open ", (str(page), "bold cyan")), soft_wrap=True)


def _plain_text(words: str) -> str:
    """Without the markup of a page; text that is none stays as it is."""
    import html
    import re

    from lagrangian.plots.style import SUPERSCRIPTS
    from lagrangian.report.html import Html

    if not isinstance(words, Html):
        return words
    without_superscripts = re.sub(r"<sup>(.*?)</sup>", lambda match: match[1].replace("−", "-").translate(SUPERSCRIPTS), words)
    return html.unescape(re.sub(r"<[^>]+>", "", without_superscripts)).replace("\u00a0", " ")


if __name__ == "__main__":
    raise SystemExit(tour())
