"""`lagrangian plot`, `lagrangian animate`, `lagrangian view`, `lagrangian report`: pictures of runs and mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import (
    MotionArgument,
    ReaderOptions,
    complete_mechanism,
    load_mechanism,
    output_path,
    summarise_reader_warnings,
)
from lagrangian.cli.output import spinner
from lagrangian.cli.result_options import SliderOptions, open_in_browser, parse_size, write_animation, write_motion_report
from lagrangian.cli.sizing_options import SizingOptions
from lagrangian.errors import ArgumentError
from lagrangian.files import as_target_path
from lagrangian.model.expression import quantity

PLOT_EXAMPLES = """
lagrangian plot run.nc
lagrangian plot run.nc coordinates torques --joints theta1
lagrangian plot two_r tip energy
lagrangian plot run.nc coordinates --with damped.nc,stiff.nc
lagrangian plot two_r --path tip -o path.png
"""
ANIMATE_EXAMPLES = """
lagrangian animate run.nc
lagrangian animate four_bar -o four_bar.gif --speed 0.5
lagrangian animate two_r --slider l1=0.5:1.5 --slider q0.theta2
"""
VIEW_EXAMPLES = """
lagrangian view stewart
lagrangian view run.nc --port 8080 --no-browser
"""
REPORT_EXAMPLES = """
lagrangian report run.nc --open
lagrangian report run.nc --title "Arm, second draft" --author "A. Engineer" --notes notes.md --margin 1.5
"""

OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write. Default: a name made from RUN.")
]
OpenOption = Annotated[bool, typer.Option("--open", metavar="", help="Open the file in the browser.")]


def plot(
    argument: MotionArgument,
    quantities: Annotated[
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
    other_runs: Annotated[str | None, typer.Option("--with", metavar="RUN,RUN", help="Draw other runs over this one.")] = None,
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
    out: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Plot a run over time, as a phase portrait, or as the path of a frame.

    The ending of the output file sets the format: .png, .svg or .pdf.
    """
    if sum(bool(x) for x in (quantities or frames, phase, path)) > 1:
        raise ArgumentError(
            "WHAT, --phase and --path exclude each other: each is a separate figure; --frames can be combined with WHAT"
        )
    target = _target_path(out, argument.stem, "phase" if phase else "path" if path else "", ".png", (".png", ".svg", ".pdf"))
    _check_quantities(quantities, joints, path)
    if other_runs and (phase or path):
        raise ArgumentError("--with applies to plots over time, not to --phase or --path")
    motion = argument.load()
    overlay: dict[str, Any] = {"others": _load_other_runs(other_runs, argument), "label": argument.stem} if other_runs else {}
    joint_names = _joint_names(joints, motion) if joints else None
    if joint_names and quantities and set(quantities) & {*motion.speed_names, *motion.coordinate_names}:
        raise ArgumentError(
            f"separate the names of joints by commas, without blanks: --joints {','.join([*joint_names, *quantities])}"
        )

    def draw(file: Path) -> None:
        with spinner("plotting"):
            if phase:
                motion.phase_portrait(*(joint_names or ()), path=file, angles=angles)
            elif path:
                motion.plot_path(*quantity.split_list(path), path=file, plane=plane)
            else:
                frame_names = quantity.split_list(frames) if frames else None
                motion.plot(
                    *(quantities or ()), path=file, joints=joint_names, frames=frame_names, angles=angles, scale=scale, **overlay
                )

    _write_target(target, "the plot", json, draw)


def animate(
    argument: MotionArgument,
    out: OutputOption = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="The speed of playback; 0.5 is slow motion.")] = 1.0,
    trace: Annotated[str | None, typer.Option("--trace", metavar="NAME,NAME", help="Draw the paths of these frames.")] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", metavar="WxH", help="The width and height of a film in pixels, such as 960x720."),
    ] = None,
    *,
    slider_options: SliderOptions,
    open_: OpenOption = False,
    json: JsonOption = False,
) -> None:
    """Animate a run, as a page that works offline or as a film.

    The ending of the output file sets the format: a page for any browser (.html), or a film (.gif, or .mp4 if ffmpeg is
    installed).
    """
    target = _target_path(out, argument.stem, "", ".html", (".html", ".gif", ".mp4"))
    options: dict[str, Any] = {"speed": speed, "trace": quantity.split_list(trace) if trace else None, **slider_options.options()}
    if size is not None:
        options["size"] = parse_size(size)
    motion = argument.load()
    _write_target(target, "the animation", json, lambda path: write_animation(motion, path, **options), open_)


def view(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MECH|RUN",
            help="A mechanism to move with sliders, or a run (.nc) to play.",
            show_default=False,
            autocompletion=complete_mechanism,
        ),
    ],
    reader_options: ReaderOptions,
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
    if Path(source).suffix.lower() == ".nc":
        if pose is not None:
            raise ArgumentError("--pose applies to a mechanism; a run has its own configurations")
        MotionArgument(source, None, reader_options).load().view(port=port, browser=browser)
        return
    with summarise_reader_warnings(source):
        m = load_mechanism(source, reader_options)
    m.view(q=pose, port=port, browser=browser)


def report(
    argument: MotionArgument,
    slider_options: SliderOptions,
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
    out: OutputOption = None,
    open_: OpenOption = False,
    *,
    motors: SizingOptions,
    json: JsonOption = False,
) -> None:
    """Write a report on a run: one page that works offline.

    The report shows the mechanism, its equations, plots, an animation, the energy balance, the drift of constraints, and
    actuators.
    """
    import lagrangian as lg

    target = _target_path(out, argument.stem, "report", ".html", (".html",))
    report_options: dict[str, Any] = {
        "title": title,
        "author": author,
        "date": date,
        "notes": _notes_text(notes),
        "angles": angles,
        **slider_options.options(),
    }
    motion = argument.load()
    if motors.is_set:
        with spinner("choosing motors"):
            report_options["sizing"] = lg.size_actuators(motion.model(), motion, **motors.options())
    _write_target(target, "the report", json, lambda path: write_motion_report(motion, path, **report_options), open_)


# -- options of plot and report ----------------------------------------------------------------------------------------


def _load_other_runs(names: str, argument: MotionArgument) -> dict[str, Any]:
    """The runs of --with by the names of their files. A mechanism is simulated with the time and the parameters of the first."""
    motions: dict[str, Any] = {}
    for name in quantity.split_list(names):
        other = replace(argument, run=name)
        if other.stem == argument.stem or other.stem in motions:
            raise ArgumentError(f"--with: another run is also called {other.stem}; the runs need files with different names")
        motions[other.stem] = other.load() if Path(argument.run).suffix != ".nc" else MotionArgument(name, None).load()
    return motions


def _check_quantities(quantities: list[str] | None, joints: str | None, path: str | None) -> None:
    """Check that --joints has an effect."""
    if joints and path:
        raise ArgumentError("--joints cannot be used with --path: the path of a frame depends on all joints")
    if joints and quantities and set(quantities) <= {"energy", "drift"}:
        raise ArgumentError(
            f"--joints changes nothing in a plot of {' and '.join(quantities)}, which concerns the whole mechanism; leave it out"
        )


def _joint_names(joints: str, motion: Any) -> list[str]:
    """The names of --joints: names stay as they are, and numbers count the joints that move, from 1."""
    names = [j.name for j in motion.mechanism.joints if j.kind.nv]
    chosen_names = []
    for name in quantity.split_list(joints):
        if not name.isdigit():
            chosen_names.append(name)
        elif 1 <= int(name) <= len(names):
            chosen_names.append(names[int(name) - 1])
        else:
            raise ArgumentError(
                f"--joints: there is no joint {name}; joints are numbered 1 to {len(names)}: {', '.join(names[:12])}"
            )
    return chosen_names


def _notes_text(notes: str | None) -> str | None:
    """The notes of a report: a text, or the content of a text file."""
    if notes is None or "\n" in notes or Path(notes).suffix.lower() not in (".txt", ".md"):
        return notes
    try:
        return Path(notes).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ArgumentError(f"--notes: {notes} cannot be read: {reason}") from None


# -- files -------------------------------------------------------------------------------------------------------------


def _target_path(path: Path | None, stem: str, suffix: str, ending: str, allowed: tuple[str, ...]) -> Path:
    """The file to write: the one that is given, with an allowed ending, or one that is named after the run."""
    if path is None:
        return output_path(stem, suffix, ending)
    if path.suffix.lower() not in allowed:
        raise ArgumentError(f"{path}: the file name must end in {', '.join(allowed)}")
    return as_target_path(path)


def _write_target(target: Path, content: str, json: bool, draw: Callable[[Path], Any], open_: bool = False) -> None:
    """Write a file, print its name, and open it if that is wanted."""
    replaced = target.exists()
    draw(target)
    if json:
        output.print_json({"files": [str(target)]})
    else:
        hint = "open it in a browser" if target.suffix == ".html" and not open_ else ""
        output.print_written_file(target, content, hint, replaced=replaced)
    if open_:
        open_in_browser(target)
