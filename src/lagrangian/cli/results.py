"""Files that a run leaves: its rows, plot, animation and report, named after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.given import file_for
from lagrangian.cli.progress import bar, spinner
from lagrangian.cli.sliding import Sliding
from lagrangian.errors import ArgumentError, one_of
from lagrangian.files import checked_target

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

PANEL = "Files to write"
TABLES = (".nc", ".csv")  # endings of files with the rows of a run, or the samples of a sweep


@dataclass(frozen=True)
class Results:
    """What to make of a run. All files are named after `output`, or after the mechanism."""

    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The file for the run: .nc (complete) or .csv (rows only); the other files take its name. For a sweep, the name "
            "of its folder. Default: the name of MECH.",
            rich_help_panel=PANEL,
        ),
    ] = None
    angles: Annotated[
        str | None,
        typer.Option(
            "--angles",
            metavar="UNIT",
            help="The unit of angles: degrees or radians. Default: degrees in plots, radians in .csv files.",
            rich_help_panel=PANEL,
        ),
    ] = None
    plot: Annotated[bool, typer.Option("--plot", metavar="", help="Write a plot of the run (.png).", rich_help_panel=PANEL)] = (
        False
    )
    animate: Annotated[
        bool,
        typer.Option(
            "--animate", metavar="", help="Write an animation: one page (.html) that works offline.", rich_help_panel=PANEL
        ),
    ] = False
    report: Annotated[
        bool,
        typer.Option(
            "--report", metavar="", help="Write a report: one page (-report.html) that works offline.", rich_help_panel=PANEL
        ),
    ] = False
    browse: Annotated[bool, typer.Option("--open", metavar="", help="Open the pages in the browser.", rich_help_panel=PANEL)] = (
        False
    )
    sliding: Sliding = field(default_factory=Sliding)

    def check(self, sweep: bool = False) -> None:
        """Before a long run, not after it. A sweep may have a folder where a run has a file."""
        if self.angles not in (None, "degrees", "radians"):
            raise ArgumentError(f"--angles: {one_of('unit', self.angles, ('degrees', 'radians'))}")
        if self.sliding.given and not (self.animate or self.report):
            raise ArgumentError("--slider and --no-sliders need --animate or --report: they change the pages that these write")
        self.sliding.options()
        if self.out is None or (sweep and self.out.suffix not in TABLES):
            return
        if self.out.suffix not in TABLES:
            raise ArgumentError(f"{self.out}: a run is written to a .nc file (netCDF, complete) or a .csv file (rows only)")
        checked_target(self.out)

    def write(self, motion: Motion, stem: str, quiet: bool) -> list[str]:
        """Write what was asked for; the files, each told of unless `quiet`."""
        target = self.out if self.out is not None else Path(f"{stem}.nc")
        made: list[str] = []

        def write(path: Path, what: str, how: str, make: Callable[[Path], Any]) -> None:
            again = path.exists()
            make(path)
            made.append(str(path))
            if not quiet:
                output.wrote(path, what, how, again=again)
            if self.browse and path.suffix == ".html":
                browse(path)

        more = f"`lagrangian report {target}` writes a report" if target.suffix == ".nc" and not self.report else ""
        page = "" if self.browse else "open it in a browser"
        sliders = self.sliding.options()
        rows = (self.angles or "radians") if target.suffix == ".csv" else "radians"
        write(target, "the run", more, lambda place: motion.save(place, rows))
        if self.plot:
            write(target.with_suffix(".png"), "the plot", "", lambda place: plotted(motion, place, self.angles or "degrees"))
        if self.animate:
            write(target.with_suffix(".html"), "the animation", page, lambda x: animated(motion, x, **sliders))
        if self.report:
            place = target.parent / file_for(target.stem, "report", ".html")
            angles = self.angles or "degrees"
            write(place, "the report", page, lambda x: reported(motion, x, angles=angles, **sliders))
        return made


def plotted(motion: Motion, place: Path, angles: str = "degrees") -> None:
    with spinner("plotting"):
        motion.plot(path=place, angles=angles)


def animated(motion: Motion, place: Path, **options: Any) -> None:
    with bar("animating") as shown:
        motion.animate(place, progress=shown, **options)


def reported(motion: Motion, place: Path, **options: Any) -> None:
    with bar("reporting") as shown:
        motion.report(place, progress=shown, **options)


def browse(page: Path) -> None:
    """Open a file in the browser, if there is one."""
    import webbrowser

    webbrowser.open(page.resolve().as_uri())
