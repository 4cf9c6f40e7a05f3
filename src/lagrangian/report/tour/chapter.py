"""A chapter of the tour: what was done, in a few lines of Python, what came of it, and whether it is what others found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lagrangian.errors import ReportWarning, warn
from lagrangian.motion.motion import Motion
from lagrangian.report.html import Html, code, element, figure, framed, image, joined, paragraph, table
from lagrangian.report.subject import Part, Subject, made
from lagrangian.report.tour.reporter import Reporter
from lagrangian.report.write import animated, png


@dataclass(frozen=True)
class Place:
    """Where the chapters' files go, and who writes reports of runs."""

    folder: Path
    reporter: Reporter


@dataclass(frozen=True)
class Check:
    """Something that was found, beside what it should be. `good` is whether it is."""

    what: str
    found: str
    expected: str
    good: bool


@dataclass
class Chapter:
    """`figure` is the one number worth telling; `body` is what the page shows; `files` lie beside the page."""

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
            (element("b", "✓" if c.good else "✗", class_="good" if c.good else "bad"), c.what, c.found, c.expected)
            for c in self.checks
        ]
        links = [element("a", label, href=path.name) for path, label in self.files]
        parts: list[Any] = [paragraph(self.lead, kind="lead"), code(self.snippet), self.body]
        if rows:
            parts.append(table(("", "check", "found", "expected"), rows, left=(0, 1, 2, 3), kind="checks"))
        if links:
            between = [x for link in links for x in (" · ", link)][1:]
            parts.append(paragraph("Files: ", *between, kind="files"))
        return joined(parts)


def stage(motion: Motion, picture: bytes, speed: float = 1) -> Html:
    """The motion, to be played; on paper, the picture."""
    printed = image(picture, "png", f"{motion.name} at the start", class_="print") if picture else Html("")
    subject = Subject(motion)

    def part(given: Subject) -> Html:
        computes = given.computing is not None and given.computing.data is not None
        return animated(given if computes else Subject(motion, sliders=False), "420px", printed, speed)

    found = made(Part("stage", "animation", part), subject) or Html("")
    subject.warn()
    return found


def plotted(picture: Any, alt: str, caption: str = "") -> Html:
    return figure(picture, alt, caption)


def still(model: Any, q: Any, size: tuple[int, int] = (720, 480)) -> bytes:
    """A small picture for the first page; none, with a warning, if it cannot be drawn."""
    try:
        return png(model, q, size)
    except Exception as error:
        warn(f"no picture of {model.name}: {type(error).__name__}: {error}", ReportWarning)
        return b""


def shown(data: bytes, alt: str, caption: str = "") -> Html:
    return framed(image(data, "png", alt), caption) if data else Html("")


def kept(motion: Motion, place: Place, stem: str, plot: Any) -> list[tuple[Path, str]]:
    """The run's files: its report, its rows, and its plot."""
    run = motion.save(place.folder / f"{stem}.nc")
    page = place.reporter.write(run, place.folder / f"{stem}-report.html")
    picture = place.folder / f"{stem}.png"
    plot.savefig(picture)
    return [(page, "report of the run"), (run, "rows and mechanism (netCDF)"), (picture, "plot")]
