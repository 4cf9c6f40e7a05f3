"""`lagrangian plot`, `animate`, `view`, `report`, `tour`: runs and mechanisms to look at."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json
from lagrangian.cli.given import Recorded, complete_mechanism, few_remarks, file_for, mechanism_of
from lagrangian.cli.progress import spinner
from lagrangian.cli.reading import Reading
from lagrangian.cli.results import animated, browse, reported
from lagrangian.errors import ArgumentError
from lagrangian.files import checked_target
from lagrangian.model.expression import quantity

PLOT = """
lagrangian plot run.nc
lagrangian plot run.nc coordinates torques --joints theta1
lagrangian plot two_r --frames tip
lagrangian plot two_r --path tip -o path.png
"""
ANIMATE = """
lagrangian animate run.nc
lagrangian animate four_bar -o four_bar.gif --speed 0.5
"""
VIEW = """
lagrangian view stewart
lagrangian view run.nc --port 8080 --no-browser
"""
REPORT = "lagrangian report run.nc --open"
TOUR = "lagrangian tour"
Out = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to; by default it is named after the run.")
]
Open = Annotated[bool, typer.Option("--open", metavar="", help="Open it in the browser.")]


def plot(
    given: Recorded,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="coordinates, speeds, torques, energy, drift ...; by default what there is.",
            show_default=False,
        ),
    ] = None,
    joints: Annotated[
        str | None, typer.Option("--joints", metavar="NAME,NAME", help="Only of these: names, or numbers from 1.")
    ] = None,
    frames: Annotated[str | None, typer.Option("--frames", metavar="NAME,NAME", help="x, y and z of these over time.")] = None,
    angles: Annotated[str, typer.Option("--angles", metavar="UNIT", help="degrees or radians.")] = "degrees",
    scale: Annotated[
        str, typer.Option("--scale", metavar="NAME", help="Of multipliers and reactions: auto, linear, log.")
    ] = "auto",
    phase: Annotated[bool, typer.Option("--phase", metavar="", help="Speeds over coordinates, instead.")] = False,
    path: Annotated[str | None, typer.Option("--path", metavar="NAME,NAME", help="The way of frames, instead.")] = None,
    plane: Annotated[str | None, typer.Option("--plane", metavar="NAME", help="In which the way is seen: xy, xz, yz.")] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Plot a run: over time, as phases, or the way of a frame.

    As .png, .svg or .pdf, by the ending of the file.
    """
    if sum(bool(x) for x in (what or frames, phase, path)) > 1:
        raise ArgumentError("WHAT, --phase and --path are one at a time: each is a figure of its own; --frames goes with WHAT")
    target = _target(out, given.stem, "phase" if phase else "path" if path else "", ".png", (".png", ".svg", ".pdf"))
    _check_what(what, joints, path)
    motion = given.load()
    chosen = _chosen(joints, motion) if joints else None
    if chosen and what and set(what) & {*motion.speed_names, *motion.coordinate_names}:
        raise ArgumentError(f"names of joints have commas between them, and no blanks: --joints {','.join([*chosen, *what])}")

    def draw(place: Path) -> None:
        with spinner("plotting"):
            if phase:
                motion.phase_portrait(*(chosen or ()), path=place, angles=angles)
            elif path:
                motion.plot_path(*quantity.parts(path), path=place, plane=plane)
            else:
                of = quantity.parts(frames) if frames else None
                motion.plot(*(what or ()), path=place, joints=chosen, frames=of, angles=angles, scale=scale)

    _make(target, "the plot", json, draw)


def _check_what(what: list[str] | None, joints: str | None, path: str | None) -> None:
    if joints and path:
        raise ArgumentError("--joints does not go with --path: the way of a frame is of all joints")
    if joints and what and set(what) <= {"energy", "drift"}:
        raise ArgumentError(f"--joints changes nothing in a plot of {' and '.join(what)}, which is of the whole; leave it out")


def _chosen(joints: str, motion: Any) -> list[str]:
    """Names of joints, coordinates or speeds; a number is that of a joint that moves, from 1."""
    names = [j.name for j in motion.mechanism.joints if j.kind.nv]
    found = []
    for name in quantity.parts(joints):
        if not name.isdigit():
            found.append(name)
        elif 1 <= int(name) <= len(names):
            found.append(names[int(name) - 1])
        else:
            raise ArgumentError(f"--joints: there is no joint {name}; they are 1 to {len(names)}: {', '.join(names[:12])}")
    return found


def animate(
    given: Recorded,
    out: Out = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="0.5 is slow motion.")] = 1.0,
    trace: Annotated[str | None, typer.Option("--trace", metavar="NAME,NAME", help="Draw the paths of frames.")] = None,
    size: Annotated[str | None, typer.Option("--size", metavar="WxH", help="Of a film, in pixels, such as 960x720.")] = None,
    open_: Open = False,
    json: Json = False,
) -> None:
    """Animate a run, as an offline page or as a film.

    One page for any browser (.html), or a film: .gif, or .mp4 where ffmpeg is installed.
    """
    target = _target(out, given.stem, "", ".html", (".html", ".gif", ".mp4"))
    options: dict[str, Any] = {"speed": speed, "trace": quantity.parts(trace) if trace else None}
    if size is not None:
        found = re.fullmatch(r"(\d{2,5})[x,](\d{2,5})", size)
        if not found:
            raise ArgumentError(f"--size is {size!r}; width and height in pixels are needed, such as 960x720")
        options["size"] = (int(found[1]), int(found[2]))
    motion = given.load()
    _make(target, "the animation", json, lambda place: animated(motion, place, **options), open_)


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MECH|RUN",
            help="A mechanism; or a run (.nc), which is played.",
            show_default=False,
            autocompletion=complete_mechanism,
        ),
    ],
    reading: Reading,
    pose: Annotated[str | None, typer.Option("--pose", metavar="STATE", help="A pose's name, numbers, or name=value.")] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="Of the page; a free one by default.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", metavar="", help="Open the browser.")] = True,
) -> None:
    """View a mechanism or a run in the browser.

    A mechanism has sliders for its joints, and loops stay closed; a run is played. Ctrl-C ends it.
    """
    if Path(what).suffix.lower() == ".nc":
        if pose is not None:
            raise ArgumentError("--pose is for a mechanism; a run is where it is")
        Recorded(what, None, reading).load().view(port=port, browser=browser)
        return
    with few_remarks(what):
        m = mechanism_of(what, reading)
    m.view(q=pose, port=port, browser=browser)


def report(given: Recorded, out: Out = None, open_: Open = False, json: Json = False) -> None:
    """Report on a run, as one offline page.

    The mechanism, its equations, plots, animation, energy and drift, actuators.
    """
    target = _target(out, given.stem, "report", ".html", (".html",))
    motion = given.load()
    _make(target, "the report", json, lambda place: reported(motion, place), open_)


def tour(
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="DIR", help="The folder to write in.")] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", metavar="", help="Open the report in the browser.")] = True,
) -> Any:
    """See in a minute what there is.

    Equations derived and proved, mechanisms in motion, one report to open.
    """
    from lagrangian.cli.commands.tour import tour as run

    return run(out, open_)


def _target(given: Path | None, stem: str, what: str, ending: str, allowed: tuple[str, ...]) -> Path:
    if given is None:
        return file_for(stem, what, ending)
    if given.suffix.lower() not in allowed:
        raise ArgumentError(f"{given}: it is written as {', '.join(allowed)}")
    return checked_target(given)


def _make(target: Path, what: str, json: bool, draw: Callable[[Path], Any], open_: bool = False) -> None:
    again = target.exists()
    draw(target)
    if json:
        output.document({"files": [str(target)]})
    else:
        page = target.suffix == ".html" and not open_
        output.wrote(target, what, "open it in a browser" if page else "", again=again)
    if open_:
        browse(target)
