"""Files that a run leaves: its rows, plot, animation and report, named after it."""

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


# MERGED lagrangian.cli.picture: Pictures on the command line: how large they are, and from where they are taken.


def _option(name: str, metavar: str, about: str) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel="Picture")


@dataclass(frozen=True)
class PictureOptions:
    """A picture of a mechanism: options of `draw` under their own names."""

    picture: Annotated[Path | None, _option("--picture", "FILE", "Draw the mechanism to a .png file.")] = None
    pose: Annotated[str | None, _option("--pose", "NAME", "The pose in the picture. Default: the start in the description.")] = (
        None
    )
    view: Annotated[
        str | None,
        _option(
            "--view",
            "NAME",
            "The direction of view: front, back, left, right, top, bottom, or azimuth and elevation in degrees, such as 30,20.",
        ),
    ] = None
    zoom: Annotated[float | None, _option("--zoom", "X", "The magnification; 2 draws everything twice as large.")] = None
    target: Annotated[
        str | None, _option("--target", "NAME", "The centre of the picture: a frame, a body, or a point x,y,z.")
    ] = None
    size: Annotated[str | None, _option("--size", "WxH", "The width and height of the picture in pixels, such as 960x720.")] = (
        None
    )

    def draw(self, mechanism: Any) -> None:
        """Write it, if it was asked for."""
        options = {
            "q": self.pose,
            "view": _parse_numbers_or_name(self.view, "--view"),
            "zoom": self.zoom,
            "target": _parse_numbers_or_name(self.target, "--target"),
            "size": parse_size(self.size),
        }
        if self.picture is not None:
            mechanism.draw(self.picture, **{name: x for name, x in options.items() if x is not None})
            return
        flags = [f"--{'pose' if name == 'q' else name}" for name, x in options.items() if x is not None]
        if flags:
            raise ArgumentError(f"{' and '.join(flags)} cannot be used without --picture FILE")


def _parse_numbers_or_name(text: str | None, option: str) -> Any:
    """30,20 as numbers; a name as it is."""
    return quantity.parse_quantities(text, option) if text is not None and "," in text else text


def parse_size(text: str | None) -> tuple[int, int] | None:
    """960x720."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{2,5})[x,](\d{2,5})", text)
    if not match:
        raise ArgumentError(f"--size is {text!r}; a width and a height in pixels are needed, such as 960x720")
    return int(match[1]), int(match[2])


# MERGED lagrangian.cli.sliding: Options for the sliders of a page.

SLIDERS_PANEL = "Sliders in pages"


@dataclass(frozen=True)
class SliderOptions:
    """Which values can be changed in a page, and how far."""

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
        """Whether sliders were asked for, or refused."""
        return bool(self.slider) or self.no_sliders

    def options(self) -> dict[str, Any]:
        """Those of `animate` and `report`."""
        if self.no_sliders and self.slider:
            raise ArgumentError("--slider and --no-sliders exclude each other; use one of them")
        if self.no_sliders:
            return {"sliders": False}
        return {"sliders": [_parse_slider(text) for text in self.slider]} if self.slider else {}


def _parse_slider(text: str) -> Any:
    """`l1`, or `l1=0.2:0.5`."""
    if "=" not in text:
        return quantity.unquote(text)
    name, span = quantity.split_assignment(text, "--slider")
    ends = quantity.split_list(span, ":")
    if len(ends) != 2:
        raise ArgumentError(
            f"--slider {text}: {span!r} is not a range",
            remedy=f"give the smallest and the largest value, such as {name}=0.2:0.5",
        )
    least, most = (quantity.parse_quantity(x, f"--slider {name}") for x in ends)
    return name, least, most


FILES_PANEL = "Files to write"
TABLE_SUFFIXES = (".nc", ".csv")  # endings of files with the rows of a run, or the samples of a sweep


@dataclass(frozen=True)
class ResultOptions:
    """What to make of a run. All files are named after `output`, or after the mechanism."""

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
        """Before a long run, not after it. A sweep may have a folder where a run has a file."""
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
        """Write what was asked for; the files, each told of unless `quiet`."""
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
        write_file(target, "the run", report_hint, lambda place: motion.save(place, angle_unit))
        if self.plot:
            write_file(
                target.with_suffix(".png"), "the plot", "", lambda place: write_plot(motion, place, self.angles or "degrees")
            )
        if self.animate:
            write_file(target.with_suffix(".html"), "the animation", page_hint, lambda x: write_animation(motion, x, **sliders))
        if self.report:
            place = target.parent / output_path(target.stem, "report", ".html")
            angles = self.angles or "degrees"
            write_file(place, "the report", page_hint, lambda x: write_motion_report(motion, x, angles=angles, **sliders))
        return written_files


def write_plot(motion: Motion, place: Path, angles: str = "degrees") -> None:
    with spinner("plotting"):
        motion.plot(path=place, angles=angles)


def write_animation(motion: Motion, place: Path, **options: Any) -> None:
    with progress_bar("animating") as progress:
        motion.animate(place, progress=progress, **options)


def write_motion_report(motion: Motion, place: Path, **options: Any) -> None:
    with progress_bar("reporting") as progress:
        motion.report(place, progress=progress, **options)


def open_in_browser(page: Path) -> None:
    """Open a file in the browser, if there is one."""
    import webbrowser

    webbrowser.open(page.resolve().as_uri())
