"""Files that a run leaves: its rows, plot, animation and report, named after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.given import file_for
from lagrangian.cli.progress import bar, spinner
from lagrangian.errors import ArgumentError, one_of
from lagrangian.files import checked_target

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

PANEL = "What to write"
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
            help="The rows: .nc (all of it) or .csv; other files take its name. Of a sweep: its folder. Default: after MECH.",
            rich_help_panel=PANEL,
        ),
    ] = None
    angles: Annotated[
        str | None,
        typer.Option("--angles", metavar="UNIT", help="Of the plot and of .csv rows: degrees or radians.", rich_help_panel=PANEL),
    ] = None
    plot: Annotated[bool, typer.Option("--plot", metavar="", help="Plot it, as .png.", rich_help_panel=PANEL)] = False
    animate: Annotated[
        bool, typer.Option("--animate", metavar="", help="Animate it, as one offline page (.html).", rich_help_panel=PANEL)
    ] = False
    report: Annotated[
        bool,
        typer.Option("--report", metavar="", help="Report on it, as one offline page (-report.html).", rich_help_panel=PANEL),
    ] = False
    browse: Annotated[bool, typer.Option("--open", metavar="", help="Open the pages in the browser.", rich_help_panel=PANEL)] = (
        False
    )

    def check(self, sweep: bool = False) -> None:
        """Before a long run, not after it. A sweep may have a folder where a run has a file."""
        if self.angles not in (None, "degrees", "radians"):
            raise ArgumentError(f"--angles: {one_of('unit', self.angles, ('degrees', 'radians'))}")
        if self.out is None or (sweep and self.out.suffix not in TABLES):
            return
        if self.out.suffix not in TABLES:
            raise ArgumentError(f"{self.out}: a run is written as .nc (netCDF, all of it) or .csv (its rows)")
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

        more = f"lagrangian report {target}" if target.suffix == ".nc" and not self.report else ""
        page = "" if self.browse else "open it in a browser"
        rows = (self.angles or "radians") if target.suffix == ".csv" else "radians"
        write(target, "the run", more, lambda place: motion.save(place, rows))
        if self.plot:
            write(target.with_suffix(".png"), "its plot", "", lambda place: plotted(motion, place, self.angles or "degrees"))
        if self.animate:
            write(target.with_suffix(".html"), "its animation", page, lambda place: animated(motion, place))
        if self.report:
            write(target.parent / file_for(target.stem, "report", ".html"), "its report", page, lambda x: reported(motion, x))
        return made


def plotted(motion: Motion, place: Path, angles: str = "degrees") -> None:
    with spinner("plotting"):
        motion.plot(path=place, angles=angles)


def animated(motion: Motion, place: Path, **options: Any) -> None:
    with bar("animating") as shown:
        motion.animate(place, progress=shown, **options)


def reported(motion: Motion, place: Path) -> None:
    with bar("reporting") as shown:
        motion.report(place, progress=shown)


def browse(page: Path) -> None:
    """Open a file in the browser, if there is one."""
    import webbrowser

    webbrowser.open(page.resolve().as_uri())
