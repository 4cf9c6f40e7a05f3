"""`lagrangian tour`: equations, proofs and motions of several mechanisms, and one page that shows them, within a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli.command import FAILURE, SUCCESS
from lagrangian.cli.output import stdout
from lagrangian.cli.result_options import open_in_browser
from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.files import write

if TYPE_CHECKING:
    from rich.console import Console

    from lagrangian.report.tour.tour import Chapter, TourOutput

TOUR_EXAMPLES = "lagrangian tour"
CHAPTER_ORDER = ("two_r", "puma560", "circle", "double_pendulum", "four_bar", "stewart")  # on the page


def tour(
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="The folder for the files of the tour. Default: tour.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", metavar="", help="Open the page in the browser, or do not.")] = True,
) -> int:
    """Take a tour of the program in one minute.

    The tour derives and proves equations, simulates mechanisms, and writes one page that shows all results.
    """
    return make_tour(out, open_)


def make_tour(folder: Path | None = None, browser: bool = False) -> int:
    """Make the folder of the tour, `tour` by default, and return 0 if every chapter was made and passed its checks."""
    from lagrangian.report.tour.tour import tour_page

    folder = _create_folder(Path("tour") if folder is None else Path(folder))
    console = stdout()
    start = time.perf_counter()
    chapters, failures = _make_chapters(console, folder)
    chapters.sort(key=lambda chapter: CHAPTER_ORDER.index(chapter.id) if chapter.id in CHAPTER_ORDER else len(CHAPTER_ORDER))
    page = folder / "index.html"
    write(page, tour_page(chapters, failures, time.perf_counter() - start))
    _print_summary(console, chapters, page, time.perf_counter() - start)
    if browser:
        open_in_browser(page)
    return SUCCESS if not failures and all(chapter.good for chapter in chapters) else FAILURE


def chapter_makers() -> list[tuple[str, Callable[[TourOutput], Chapter]]]:
    """The titles and makers of the chapters. The longest comes early: its report is written while others are computed."""
    from lagrangian.report.tour import chapters

    return [
        ("Two links: equations and proof", chapters.two_r),
        ("Stewart platform", chapters.stewart),
        ("Two links: torques for a circle", chapters.circle),
        ("Double pendulum", chapters.pendulum),
        ("Deployable four-bar linkage", chapters.four_bar),
        ("PUMA 560: equations and proof", chapters.puma),
    ]


def _create_folder(folder: Path) -> Path:
    """Create the folder of the tour unless it exists."""
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"{folder} is a file; the tour needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{folder}: the folder cannot be created: {error.strerror or error}") from None
    return folder


def _make_chapters(console: Console, folder: Path) -> tuple[list[Chapter], list[tuple[str, str]]]:
    """The chapters that were made, and the titles of those that failed with the reasons."""
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
            start = time.perf_counter()
            try:
                chapter = make(TourOutput(folder, reporter))
            except Exception as error:
                reason = str(error) if isinstance(error, LagrangianError) else f"{type(error).__name__}: {error}"
                failures.append((title, reason))
                console.print(_progress_line("✗", "red", title, time.perf_counter() - start, reason))
            else:
                chapter.seconds = time.perf_counter() - start
                chapters.append(chapter)
                mark, colour = ("✓", "green") if chapter.good else ("✗", "red")
                console.print(_progress_line(mark, colour, title, chapter.seconds, _plain_text(chapter.figure)))
            progress.advance(task)
        start = time.perf_counter()
        progress.update(task, description="Reports of the runs")
        reporter.finish()
        console.print(
            _progress_line("✓", "green", "Reports of the runs", time.perf_counter() - start, "plots, forces, energy, motors")
        )
    return chapters, failures


def _progress_line(mark: str, colour: str, title: str, seconds: float, figure: str) -> Any:
    """A chapter with its mark, its time, and a figure from it or the reason why it failed."""
    from rich.text import Text

    return Text.assemble((mark, colour), f" {title:<32}", (f"{seconds:5.1f} s  ", "dim"), figure)


def _print_summary(console: Console, chapters: list[Chapter], page: Path, seconds: float) -> None:
    """Print the checks and files of each chapter, and the page to open."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("chapter", "checks", "files"):
        table.add_column(column, overflow="fold")
    for chapter in chapters:
        passed_count = sum(check.good for check in chapter.checks)
        result = Text(f"{passed_count} of {len(chapter.checks)} passed", "green" if chapter.good else "red")
        table.add_row(chapter.title, result, ", ".join(path.name for path, _ in chapter.files))
        for check in chapter.checks:
            if not check.good:
                failure = f"{check.name}: {_plain_text(check.result)}, expected {_plain_text(check.expected)}"
                table.add_row("", Text("✗", "red"), Text(failure))
    console.print()
    console.print(table)
    console.print()
    console.print(Text.assemble(f"The tour took {seconds:.1f} s. Open ", (str(page), "bold cyan")), soft_wrap=True)


def _plain_text(words: str) -> str:
    """The text of a page without its markup; any other text stays as it is."""
    from lagrangian.plots.style import SUPERSCRIPTS
    from lagrangian.report.html import Html, html_to_text

    if not isinstance(words, Html):
        return words
    return html_to_text(words, lambda power: power.replace("−", "-").translate(SUPERSCRIPTS)).replace("\u00a0", " ")


if __name__ == "__main__":
    raise SystemExit(make_tour())
