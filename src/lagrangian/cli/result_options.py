"""Options for the files that are made of a run: its rows, plot, animation and report, with the sliders of its pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.mechanism_options import output_path
from lagrangian.cli.output import progress_bar, spinner
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.files import as_target_path
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

FILES_PANEL = "Files to write"
SLIDERS_PANEL = "Sliders in pages"
TABLE_SUFFIXES = (".nc", ".csv")  # endings of files with the rows of a run, or the samples of a sweep


@dataclass(frozen=True)
class SliderOptions:
    """The values that a reader can change in a page, and their ranges."""

    slider: Annotated[
        list[str] | None,
        typer.Option(
            "--slider",
            metavar="NAME=X:Y",
            help="Add a slider for a parameter, a start value (q0.theta1) or a gain; l1=0.2:0.5 sets its range, too. "
            "You can repeat this option.",
            rich_help_panel=SLIDERS_PANEL,
        ),
    ] = None
    no_sliders: Annotated[
        bool,
        typer.Option("--no-sliders", metavar="", help="Write a page that only plays the run.", rich_help_panel=SLIDERS_PANEL),
    ] = False

    @property
    def is_set(self) -> bool:
        """Whether any of these options is given."""
        return bool(self.slider) or self.no_sliders

    def options(self) -> dict[str, Any]:
        """The keyword arguments of `Motion.animate` and `Motion.report`."""
        if self.no_sliders and self.slider:
            raise ArgumentError("--slider and --no-sliders exclude each other; use one of them")
        if self.no_sliders:
            return {"sliders": False}
        return {"sliders": [_parse_slider(text) for text in self.slider]} if self.slider else {}


@dataclass(frozen=True)
class ResultOptions:
    """The files to make of a run. All of them take the name of --output, or that of the mechanism."""

    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The file for the run: .nc (complete) or .csv (rows only); the other files take its name. For a sweep, the name "
            "of its folder. Default: the name of MECH.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None
    angles: Annotated[
        str | None,
        typer.Option(
            "--angles",
            metavar="UNIT",
            help="The unit of angles: degrees or radians. Default: degrees in plots, radians in .csv files.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = None
    plot: Annotated[
        bool, typer.Option("--plot", metavar="", help="Write a plot of the run (.png).", rich_help_panel=FILES_PANEL)
    ] = False
    animate: Annotated[
        bool,
        typer.Option(
            "--animate", metavar="", help="Write an animation: one page (.html) that works offline.", rich_help_panel=FILES_PANEL
        ),
    ] = False
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            metavar="",
            help="Write a report: one page (-report.html) that works offline.",
            rich_help_panel=FILES_PANEL,
        ),
    ] = False
    open_pages: Annotated[
        bool, typer.Option("--open", metavar="", help="Open the pages in the browser.", rich_help_panel=FILES_PANEL)
    ] = False
    slider_options: SliderOptions = field(default_factory=SliderOptions)

    def check(self, sweep: bool = False) -> None:
        """Check the options before a long run. A sweep may have a folder where a run has a file."""
        if self.angles not in (None, "degrees", "radians"):
            raise ArgumentError(f"--angles: {unknown_name_message('unit', self.angles, ('degrees', 'radians'))}")
        if self.slider_options.is_set and not (self.animate or self.report):
            raise ArgumentError("--slider and --no-sliders need --animate or --report: they change the pages that these write")
        self.slider_options.options()
        if self.out is None or (sweep and self.out.suffix not in TABLE_SUFFIXES):
            return
        if self.out.suffix not in TABLE_SUFFIXES:
            raise ArgumentError(f"{self.out}: a run is written to a .nc file (netCDF, complete) or a .csv file (rows only)")
        as_target_path(self.out)

    def write(self, motion: Motion, stem: str, quiet: bool) -> list[str]:
        """Write the files and return their names; each is printed unless `quiet`."""
        target = self.out if self.out is not None else Path(f"{stem}.nc")
        written_files: list[str] = []

        def write_file(path: Path, content: str, hint: str, write_to: Callable[[Path], Any]) -> None:
            replaced = path.exists()
            write_to(path)
            written_files.append(str(path))
            if not quiet:
                output.print_written_file(path, content, hint, replaced=replaced)
            if self.open_pages and path.suffix == ".html":
                open_in_browser(path)

        report_hint = f"`lagrangian report {target}` writes a report" if target.suffix == ".nc" and not self.report else ""
        page_hint = "" if self.open_pages else "open it in a browser"
        sliders = self.slider_options.options()
        angle_unit = (self.angles or "radians") if target.suffix == ".csv" else "radians"
        write_file(target, "the run", report_hint, lambda path: motion.save(path, angle_unit))
        if self.plot:
            write_file(
                target.with_suffix(".png"), "the plot", "", lambda path: write_plot(motion, path, self.angles or "degrees")
            )
        if self.animate:
            write_file(
                target.with_suffix(".html"), "the animation", page_hint, lambda path: write_animation(motion, path, **sliders)
            )
        if self.report:
            page = target.parent / output_path(target.stem, "report", ".html")
            angles = self.angles or "degrees"
            write_file(page, "the report", page_hint, lambda path: write_motion_report(motion, path, angles=angles, **sliders))
        return written_files


def write_plot(motion: Motion, path: Path, angles: str = "degrees") -> None:
    """Plot a run to a file, beside a spinner."""
    with spinner("plotting"):
        motion.plot(path=path, angles=angles)


def write_animation(motion: Motion, path: Path, **options: Any) -> None:
    """Animate a run in a page or a film, with a progress bar."""
    with progress_bar("animating") as progress:
        motion.animate(path, progress=progress, **options)


def write_motion_report(motion: Motion, path: Path, **options: Any) -> None:
    """Write a report on a run, with a progress bar."""
    with progress_bar("reporting") as progress:
        motion.report(path, progress=progress, **options)


def open_in_browser(page: Path) -> None:
    """Open a page in the browser, if there is one."""
    import webbrowser

    webbrowser.open(page.resolve().as_uri())


def parse_size(text: str | None) -> tuple[int, int] | None:
    """The width and the height of a picture in pixels, as in 960x720."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{2,5})[x,](\d{2,5})", text)
    if not match:
        raise ArgumentError(f"--size is {text!r}; a width and a height in pixels are needed, such as 960x720")
    return int(match[1]), int(match[2])


def _parse_slider(text: str) -> Any:
    """The name of a slider, as in `l1`, or its name and both ends of its range, as in `l1=0.2:0.5`."""
    if "=" not in text:
        return quantity.unquote(text)
    name, span = quantity.split_assignment(text, "--slider")
    ends = quantity.split_list(span, ":")
    if len(ends) != 2:
        raise ArgumentError(
            f"--slider {text}: {span!r} is not a range",
            remedy=f"give the smallest and the largest value, such as {name}=0.2:0.5",
        )
    lower, upper = (quantity.parse_quantity(x, f"--slider {name}") for x in ends)
    return name, lower, upper
