"""`lagrangian plot`, `animate`, `view`, `report`, `tour`: runs and mechanisms to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json
from lagrangian.cli.given import Recorded, complete_mechanism, few_remarks, file_for, mechanism_of
from lagrangian.cli.motors import Motors
from lagrangian.cli.picture import size_of
from lagrangian.cli.progress import spinner
from lagrangian.cli.reading import Reading
from lagrangian.cli.results import animated, browse, reported
from lagrangian.cli.sliding import Sliding
from lagrangian.errors import ArgumentError
from lagrangian.files import checked_target
from lagrangian.model.expression import quantity

PLOT = """
lagrangian plot run.nc
lagrangian plot run.nc coordinates torques --joints theta1
lagrangian plot two_r tip energy
lagrangian plot run.nc coordinates --with damped.nc,stiff.nc
lagrangian plot two_r --path tip -o path.png
"""
ANIMATE = """
lagrangian animate run.nc
lagrangian animate four_bar -o four_bar.gif --speed 0.5
lagrangian animate two_r --slider l1=0.5:1.5 --slider q0.theta2
"""
VIEW = """
lagrangian view stewart
lagrangian view run.nc --port 8080 --no-browser
"""
REPORT = """
lagrangian report run.nc --open
lagrangian report run.nc --title "Arm, second draft" --author "A. Engineer" --notes notes.md --margin 1.5
"""
TOUR = "lagrangian tour"
Out = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write. Default: a name made from RUN.")
]
Open = Annotated[bool, typer.Option("--open", metavar="", help="Open the file in the browser.")]


def plot(
    given: Recorded,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="The quantities to plot: coordinates, speeds, torques, energy, drift and others, or a frame for its x, y and z. "
            "Default: everything that the run has.",
            show_default=False,
        ),
    ] = None,
    joints: Annotated[
        str | None,
        typer.Option("--joints", metavar="NAME,NAME", help="Plot these joints only: names, or numbers that count from 1."),
    ] = None,
    others: Annotated[str | None, typer.Option("--with", metavar="RUN,RUN", help="Draw other runs over this one.")] = None,
    frames: Annotated[
        str | None, typer.Option("--frames", metavar="NAME,NAME", help="Plot x, y and z of these frames over time, too.")
    ] = None,
    angles: Annotated[str, typer.Option("--angles", metavar="UNIT", help="The unit of angles: degrees or radians.")] = "degrees",
    scale: Annotated[
        str,
        typer.Option("--scale", metavar="NAME", help="The scale of multipliers and reactions: auto, linear or log."),
    ] = "auto",
    phase: Annotated[
        bool, typer.Option("--phase", metavar="", help="Plot a phase portrait, speeds over coordinates, instead.")
    ] = False,
    path: Annotated[
        str | None, typer.Option("--path", metavar="NAME,NAME", help="Plot the paths of these frames instead.")
    ] = None,
    plane: Annotated[
        str | None,
        typer.Option(
            "--plane", metavar="NAME", help="The plane of --path: xy, xz or yz. Default: the plane of the motion, or space."
        ),
    ] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Plot a run over time, as a phase portrait, or as the path of a frame.

    The ending of the output file sets the format: .png, .svg or .pdf.
    """
    if sum(bool(x) for x in (what or frames, phase, path)) > 1:
        raise ArgumentError(
            "WHAT, --phase and --path exclude each other: each is a separate figure; --frames can be combined with WHAT"
        )
    target = _target(out, given.stem, "phase" if phase else "path" if path else "", ".png", (".png", ".svg", ".pdf"))
    _check_what(what, joints, path)
    if others and (phase or path):
        raise ArgumentError("--with applies to plots over time, not to --phase or --path")
    motion = given.load()
    over: dict[str, Any] = {"others": _others(others, given), "label": given.stem} if others else {}
    chosen = _chosen(joints, motion) if joints else None
    if chosen and what and set(what) & {*motion.speed_names, *motion.coordinate_names}:
        raise ArgumentError(f"separate the names of joints by commas, without blanks: --joints {','.join([*chosen, *what])}")

    def draw(place: Path) -> None:
        with spinner("plotting"):
            if phase:
                motion.phase_portrait(*(chosen or ()), path=place, angles=angles)
            elif path:
                motion.plot_path(*quantity.parts(path), path=place, plane=plane)
            else:
                of = quantity.parts(frames) if frames else None
                motion.plot(*(what or ()), path=place, joints=chosen, frames=of, angles=angles, scale=scale, **over)

    _make(target, "the plot", json, draw)


def _others(names: str, given: Recorded) -> dict[str, Any]:
    """Runs, or mechanisms that move as long and with the same values as the first, by what their files are called."""
    found: dict[str, Any] = {}
    for name in quantity.parts(names):
        one = replace(given, run=name)
        if one.stem == given.stem or one.stem in found:
            raise ArgumentError(f"--with: another run is also called {one.stem}; the runs need files with different names")
        found[one.stem] = one.load() if Path(given.run).suffix != ".nc" else Recorded(name, None).load()
    return found


def _check_what(what: list[str] | None, joints: str | None, path: str | None) -> None:
    if joints and path:
        raise ArgumentError("--joints cannot be used with --path: the path of a frame depends on all joints")
    if joints and what and set(what) <= {"energy", "drift"}:
        raise ArgumentError(
            f"--joints changes nothing in a plot of {' and '.join(what)}, which concerns the whole mechanism; leave it out"
        )


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
            raise ArgumentError(
                f"--joints: there is no joint {name}; joints are numbered 1 to {len(names)}: {', '.join(names[:12])}"
            )
    return found


def animate(
    given: Recorded,
    out: Out = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="The speed of playback; 0.5 is slow motion.")] = 1.0,
    trace: Annotated[str | None, typer.Option("--trace", metavar="NAME,NAME", help="Draw the paths of these frames.")] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="WxH", help="The width and height of a film in pixels, such as 960x720."),
    ] = None,
    *,
    sliding: Sliding,
    open_: Open = False,
    json: Json = False,
) -> None:
    """Animate a run, as a page that works offline or as a film.

    The ending of the output file sets the format: a page for any browser (.html), or a film (.gif, or .mp4 if ffmpeg is
    installed).
    """
    target = _target(out, given.stem, "", ".html", (".html", ".gif", ".mp4"))
    options: dict[str, Any] = {"speed": speed, "trace": quantity.parts(trace) if trace else None, **sliding.options()}
    if size is not None:
        options["size"] = size_of(size)
    motion = given.load()
    _make(target, "the animation", json, lambda place: animated(motion, place, **options), open_)


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MECH|RUN",
            help="A mechanism to move with sliders, or a run (.nc) to play.",
            show_default=False,
            autocompletion=complete_mechanism,
        ),
    ],
    reading: Reading,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose",
            metavar="STATE",
            help="The configuration to show first: a pose, all values, or some by name. Default: the start in the description.",
        ),
    ] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="The port of the page. Default: a free port.")] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page in the browser, or do not.")
    ] = True,
) -> None:
    """View a mechanism or a run in the browser.

    For a mechanism, the page shows sliders for the joints and keeps loops closed. For a run, it plays the motion. Ctrl-C stops
    the viewer.
    """
    if Path(what).suffix.lower() == ".nc":
        if pose is not None:
            raise ArgumentError("--pose applies to a mechanism; a run has its own configurations")
        Recorded(what, None, reading).load().view(port=port, browser=browser)
        return
    with few_remarks(what):
        m = mechanism_of(what, reading)
    m.view(q=pose, port=port, browser=browser)


def report(
    given: Recorded,
    sliding: Sliding,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="The title of the report. Default: the name of the mechanism.")
    ] = None,
    author: Annotated[str | None, typer.Option("--author", metavar="NAME", help="The author of the report.")] = None,
    date: Annotated[str | None, typer.Option("--date", metavar="TEXT", help="The date on the report. Default: none.")] = None,
    notes: Annotated[
        str | None,
        typer.Option("--notes", metavar="TEXT|FILE", help="Add a paragraph of notes, or the text of a .txt or .md file."),
    ] = None,
    angles: Annotated[
        str, typer.Option("--angles", metavar="UNIT", help="The unit of angles in plots: degrees or radians.")
    ] = "degrees",
    out: Out = None,
    open_: Open = False,
    *,
    motors: Motors,
    json: Json = False,
) -> None:
    """Write a report on a run: one page that works offline.

    The report shows the mechanism, its equations, plots, an animation, the energy balance, the drift of constraints, and
    actuators.
    """
    import lagrangian as lg

    target = _target(out, given.stem, "report", ".html", (".html",))
    said: dict[str, Any] = {
        "title": title,
        "author": author,
        "date": date,
        "notes": _text(notes),
        "angles": angles,
        **sliding.options(),
    }
    motion = given.load()
    if motors.given:
        with spinner("choosing motors"):
            said["sizing"] = lg.size_actuators(motion.model(), motion, **motors.options())
    _make(target, "the report", json, lambda place: reported(motion, place, **said), open_)


def _text(notes: str | None) -> str | None:
    """A text, or what a text file has."""
    if notes is None or "\n" in notes or Path(notes).suffix.lower() not in (".txt", ".md"):
        return notes
    try:
        return Path(notes).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ArgumentError(f"--notes: {notes} cannot be read: {why}") from None


def tour(
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="The folder for the files of the tour. Default: tour.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", metavar="", help="Open the page in the browser, or do not.")] = True,
) -> Any:
    """Take a tour of the program in one minute.

    The tour derives and proves equations, simulates mechanisms, and writes one page that shows all results.
    """
    from lagrangian.cli.commands.tour import tour as run

    return run(out, open_)


def _target(given: Path | None, stem: str, what: str, ending: str, allowed: tuple[str, ...]) -> Path:
    if given is None:
        return file_for(stem, what, ending)
    if given.suffix.lower() not in allowed:
        raise ArgumentError(f"{given}: the file name must end in {', '.join(allowed)}")
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
