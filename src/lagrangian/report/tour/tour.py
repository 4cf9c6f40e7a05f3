"""The page of the tour, and its chapters: what was done, in a few lines of Python, the result, and checks against published
values.

`tour_page` makes the page of chapters. A `ReportProcess` writes the reports of runs in a process of its own while the next
chapter is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

from lagrangian.errors import ReportWarning, warn
from lagrangian.motion.motion import Motion
from lagrangian.report.html import Html, code_block, element, image, join_html, paragraph, table
from lagrangian.report.method_section import software_versions
from lagrangian.report.page import PageSection, render_page
from lagrangian.report.subject import ReportSection, ReportSubject, section_body
from lagrangian.report.write import animation_html, png

FIRST_EXAMPLE = """
import lagrangian as lg

arm = lg.load("arm.toml")    # or URDF, MJCF, a DH table, lg.library("puma560")
lg.derive(arm).show()        # equations of motion
lg.simulate(arm).report()    # a report like this page
"""
NEXT_COMMANDS = """
lagrangian new arm.toml          # writes a commented description to change
lagrangian show arm.toml
lagrangian derive arm.toml
lagrangian simulate arm.toml
"""


def tour_page(chapters: Sequence[Chapter], failures: Sequence[tuple[str, str]], seconds: float) -> str:
    """Make the whole page; `failures` are the chapters that failed, each with the reason."""
    sections = [PageSection(c.id, c.title, c.html()) for c in chapters]
    if failures:
        failure_paragraphs = [paragraph(f"{title}: {reason}", css_class="missing") for title, reason in failures]
        sections.append(PageSection("missing", "Chapters that failed", join_html(failure_paragraphs)))
    sections.append(PageSection("next", "Your own mechanism", _next_steps()))
    foot = f"Made in {seconds:.0f} s by {', '.join(software_versions())}."
    return render_page("lagrangian: the tour", _head(chapters, seconds), sections, foot)


def _head(chapters: Sequence[Chapter], seconds: float) -> Html:
    checks = [check for c in chapters for check in c.checks]
    good = sum(check.good for check in checks)
    figures = [
        (f"{len(chapters)}", "chapters"),
        (f"{good} of {len(checks)}", "checks passed"),
        (f"{seconds:.0f} s", "total time on this machine"),
    ]
    numbers = [element("div", element("b", figure), " ", label) for figure, label in figures]
    lead = (
        "lagrangian derives the equations of motion of mechanisms with and without closed loops, in closed form and with a "
        "proof. It compiles them to machine code and checks the energy and the constraints of every run. Your machine computed "
        "everything on this page."
    )
    return join_html(
        [
            element("h1", "A tour of lagrangian"),
            paragraph(lead, css_class="lead"),
            code_block(FIRST_EXAMPLE),
            element("div", *numbers, class_="numbers"),
            element("div", *(_card(c) for c in chapters), class_="cards"),
        ]
    )


def _card(chapter: Chapter) -> Html:
    picture = image(chapter.picture, "png", "", loading="lazy") if chapter.picture else Html("")
    words = [element("b", chapter.title), element("span", chapter.figure)]
    return element("a", picture, element("span", *words, class_="words"), href=f"#{chapter.id}", class_="card")


def _next_steps() -> Html:
    introduction = paragraph("A mechanism is a text file with joints and bodies. You can also load URDF, MJCF and SDF files.")
    return join_html([introduction, code_block(NEXT_COMMANDS)])


@dataclass
class Chapter:
    """A chapter of the tour: `figure` is its most telling number, `body` what the page shows, and `files` lie beside the page."""

    id: str
    title: str
    lead: str
    snippet: str
    figure: str
    checks: Sequence[Check]
    body: Html
    picture: bytes = b""
    files: list[tuple[Path, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return all(check.good for check in self.checks)

    def html(self) -> Html:
        rows = [
            (element("b", "✓" if c.good else "✗", class_="good" if c.good else "bad"), c.name, c.result, c.expected)
            for c in self.checks
        ]
        links = [element("a", label, href=path.name) for path, label in self.files]
        parts: list[Any] = [paragraph(self.lead, css_class="lead"), code_block(self.snippet), self.body]
        if rows:
            parts.append(table(("", "check", "found", "expected"), rows, left_aligned=(0, 1, 2, 3), css_class="checks"))
        if links:
            between = [x for link in links for x in (" · ", link)][1:]
            parts.append(paragraph("Files: ", *between, css_class="files"))
        return join_html(parts)


@dataclass(frozen=True)
class Check:
    """A result beside the expected one; `good` says whether they agree."""

    name: str
    result: str
    expected: str
    good: bool


@dataclass(frozen=True)
class TourOutput:
    """The folder of the tour's files, and the process that writes reports of runs."""

    folder: Path
    reporter: ReportProcess


class ReportProcess:
    """A process that writes reports: `write` returns at once, and at the end of the `with` block all reports are there."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._requests: list[tuple[Path, Path, Future[list[str]] | None]] = []

    def __enter__(self) -> ReportProcess:
        try:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._pool.submit(import_early)
        except (OSError, ImportError, NotImplementedError, RuntimeError):  # where there are no processes to be had
            self._pool = None
        return self

    def write(self, run: Path, page: Path) -> Path:
        future = None
        if self._pool is not None:
            try:
                future = self._pool.submit(write_run_report, str(run), str(page))
            except RuntimeError:  # the process has died
                self._pool = None
        self._requests.append((run, page, future))
        return page

    def finish(self) -> None:
        """Wait until all reports are written; those that were not begun, or failed, are written here."""
        running = []
        messages: list[str] = []
        for run, page, future in reversed(self._requests):
            if future is None or future.cancel():
                messages += write_run_report(str(run), str(page))
            else:
                running.append((run, page, future))
        self._requests.clear()
        for run, page, future in running:
            try:
                messages += future.result()
            except Exception:  # an error in the other process is raised again here
                messages += write_run_report(str(run), str(page))
        for message in messages:
            warn(message, ReportWarning)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)


def write_run_report(run: str, page: str) -> list[str]:
    """Write the report of a saved run, and return the texts of its warnings."""
    from lagrangian.motion.files import read
    from lagrangian.report.write import write_report

    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", UserWarning)
        write_report(read(run), page)
    return [str(warning.message) for warning in caught_warnings if issubclass(warning.category, UserWarning)]


def import_early() -> None:
    """Import what a report needs before there is one to write."""
    import matplotlib.backends.backend_svg  # noqa: F401

    import lagrangian.plots.motion
    import lagrangian.report.write  # noqa: F401


def save_run(motion: Motion, output: TourOutput, stem: str, plot: Any) -> list[tuple[Path, str]]:
    """Write the files of a run (its report, its rows and its plot), and return them with their labels."""
    run = motion.save(output.folder / f"{stem}.nc")
    page = output.reporter.write(run, output.folder / f"{stem}-report.html")
    picture = output.folder / f"{stem}.png"
    plot.savefig(picture)
    return [(page, "report of the run"), (run, "rows and mechanism (netCDF)"), (picture, "plot")]


def animation_stage(motion: Motion, picture: bytes, speed: float = 1) -> Html:
    """A player of the motion, which is the picture on paper."""
    printed = image(picture, "png", f"{motion.name} at the start", class_="print") if picture else Html("")
    subject = ReportSubject(motion)

    def part(section_subject: ReportSubject) -> Html:
        computes = section_subject.page_program is not None and section_subject.page_program.data is not None
        return animation_html(section_subject if computes else ReportSubject(motion, sliders=False), "420px", printed, speed)

    html = section_body(ReportSection("stage", "animation", part), subject) or Html("")
    subject.warn()
    return html


def mechanism_picture(model: Any, q: Any, size: tuple[int, int] = (720, 480)) -> bytes:
    """A picture of a mechanism for the head of the page; empty, with a warning, if it cannot be drawn."""
    try:
        return png(model, q, size)
    except Exception as error:
        warn(f"no picture of {model.name}: {type(error).__name__}: {error}", ReportWarning)
        return b""
