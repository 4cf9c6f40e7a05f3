"""`lagrangian workspace`, `turn`, `singularities`: what designers look for without a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output, values
from lagrangian.cli.command import Json
from lagrangian.cli.design_data import of_curve, of_singularities, of_turn, of_turns, of_workspace
from lagrangian.cli.given import Described, file_for
from lagrangian.cli.motion_options import Wrench, wrenches
from lagrangian.cli.progress import spinner
from lagrangian.errors import ArgumentError
from lagrangian.files import checked_target
from lagrangian.model.expression import quantity

WORKSPACE = """
lagrangian workspace two_r --plot
lagrangian workspace scara --frame tool --over theta1=-90deg:90deg -o scara.csv
"""
TURN = """
lagrangian turn four_bar --plot
lagrangian turn slider_crank --speed 100 -o crank.csv
lagrangian turn five_bar --input q1 --fixed q2=30deg --curve tip --plot
lagrangian turn four_bar --sweep l1=0.2:0.45:6 --speed 10 --plot
"""
SINGULARITIES = """
lagrangian singularities two_r --over theta2=-180deg:180deg
lagrangian singularities three_rrr --over theta1=-170deg:170deg --over theta2=-170deg:170deg --plot
"""
Frame = Annotated[
    str | None,
    typer.Option("--frame", metavar="NAME", help="The frame or body to follow. Default: the frame, if there is only one."),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--over",
        metavar="NAME=A:B",
        help="The range of a coordinate, such as theta1=-90deg:90deg. You can repeat this option.",
    ),
]
Fixed = Annotated[
    str | None,
    typer.Option(
        "--fixed", metavar="NAME,NAME", help="The coordinates to hold, at their start value (q2) or at another one (q2=30deg)."
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="The configuration that selects the assembly: a pose, all values, or some by name. Default: the start in the "
        "description.",
    ),
]
Limits = Annotated[bool, typer.Option("--limits/--no-limits", metavar="", help="Keep the limits of the joints, or ignore them.")]
Out = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write all numbers to FILE: .csv or .nc (netCDF).")
]
Plot = Annotated[bool, typer.Option("--plot", metavar="", help="Write a plot (.png), named after MECH.")]
Angles = Annotated[str, typer.Option("--angles", metavar="UNIT", help="The unit of angles in the plot: degrees or radians.")]


def workspace(
    given: Described,
    frame: Frame = None,
    over: Ranges = None,
    q0: Start = None,
    limits: Limits = True,
    samples: Annotated[
        int | None,
        typer.Option("--samples", metavar="N", help="The number of random configurations. Default: 20000, or 2000 with loops."),
    ] = None,
    resolution: Annotated[
        int | None,
        typer.Option(
            "--resolution",
            metavar="N",
            help="The number of grid nodes across the workspace. Default: 64 in a plane, 28 in space.",
        ),
    ] = None,
    plot: Plot = False,
    out: Out = None,
    json: Json = False,
) -> None:
    """Find the workspace of a frame, with its boundary and its area or volume.

    The workspace contains every point that the frame can reach, in any orientation, with loops closed and joints within their
    limits.
    """
    import lagrangian as lg

    _check(out)
    m = given.load()
    with spinner("computing the workspace"):
        found = lg.workspace(
            m, frame, over=_ranges(over, m.parameters), limits=limits, q0=q0, samples=samples, resolution=resolution
        )
    _told(found, of_workspace(found), given.stem, "workspace", plot, out, json)


def turn(
    given: Described,
    input_: Annotated[
        str | None,
        typer.Option("--input", metavar="NAME", help="The coordinate that drives the linkage. Default: the actuated one."),
    ] = None,
    driven: Annotated[
        str | None,
        typer.Option(
            "--driven",
            metavar="NAME",
            help="The output: a coordinate, a frame, or a direction of a frame, such as tip.x. Default: the other joint on the "
            "ground.",
        ),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option("--over", metavar="A:B", help="The range of the input, such as 0:180deg. Default: its full range."),
    ] = None,
    q0: Start = None,
    fixed: Fixed = None,
    speed: Annotated[
        float,
        typer.Option(
            "--speed",
            metavar="V",
            help="The constant speed of the input, in rad/s or m/s, or with a unit, such as 60rpm.",
            parser=values.quantity,
        ),
    ] = 1.0,
    wrench: Wrench = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows for a turn.")] = 361,
    curve: Annotated[
        str | None, typer.Option("--curve", metavar="NAME,NAME", help="The frames whose coupler curves to describe and draw.")
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=A:B:N",
            help="Compare turns for N values of a parameter from A to B, or for values separated by commas. You can repeat this "
            "option.",
        ),
    ] = None,
    limits: Limits = True,
    plot: Plot = False,
    angles: Angles = "degrees",
    out: Out = None,
    json: Json = False,
) -> None:
    """Analyse a full turn of a linkage: dead centres, transmission angle and torque.

    The command also finds the swings of all joints and the mechanical advantage. The linkage must have one degree of freedom;
    hold others with --fixed. An input that cannot make a full turn moves from one dead centre to the other. With --sweep, the
    command compares several lengths or masses.
    """
    import lagrangian as lg

    _check(out)
    m = given.load()
    frames = quantity.parts(curve) if curve else None
    ends = (input_, _output(driven, [*m.coordinate_names, *m._frames]))
    options = {
        "over": _range(over, "--over", m.parameters) if over else None,
        "q0": q0,
        "fixed": _fixed(fixed),
        "speed": speed,
        "wrenches": wrenches(wrench),
        "rows": rows,
        "limits": limits,
    }
    if sweep:
        if frames:
            raise ArgumentError("--curve cannot be used with --sweep: it applies to a single turn")
        with spinner("turning"):
            several = lg.compare_turns(m, _swept(sweep, m.parameters), *ends, **options)
        _told(several, of_turns(several), given.stem, "turns", plot, out, json, angles=angles)
        return
    with spinner("turning"):
        found = lg.full_turn(m, *ends, **options)
        curves = [found.coupler_curve(name) for name in frames or ()]
    data = of_turn(found) | ({"curves": {c.frame: of_curve(found, c) for c in curves}} if curves else {})
    more = [line for c in curves for line in (str(c), *([found.swing_text(c.frame)] if c.length else []))]
    _told(found, data, given.stem, "turn", plot, out, json, more, frames=frames, angles=angles)


def singularities(
    given: Described,
    over: Ranges = None,
    frame: Frame = None,
    directions: Annotated[
        str | None,
        typer.Option(
            "--directions",
            metavar="NAME,NAME",
            help="The directions to consider, out of wx, wy, wz, x, y, z. Default: x, y, z, and rotations if the "
            "mechanism has enough degrees of freedom.",
        ),
    ] = None,
    q0: Start = None,
    fixed: Fixed = None,
    lines: Annotated[
        int, typer.Option("--lines", metavar="N", help="The number of search lines across each of two ranges.")
    ] = 41,
    limits: Limits = True,
    plot: Plot = False,
    angles: Angles = "degrees",
    out: Out = None,
    json: Json = False,
) -> None:
    """Find the singular configurations over a range of one or two coordinates.

    A serial arm is singular where its frame cannot move in some direction. A mechanism with loops is also singular where its
    actuated joints lose control of it.
    """
    import lagrangian as lg

    _check(out)
    m = given.load()
    with spinner("searching for singular configurations"):
        found = lg.singularities(
            m,
            _ranges(over, m.parameters) or {},
            frame,
            directions=quantity.parts(directions) if directions else None,
            q0=q0,
            fixed=_fixed(fixed),
            lines=lines,
            limits=limits,
        )
    _told(found, of_singularities(found), given.stem, "singularities", plot, out, json, angles=angles)


# -- what was given ------------------------------------------------------------------------------------------------------


def _check(out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() not in (".csv", ".nc"):
        raise ArgumentError(f"{out}: numbers are written to .csv or .nc (netCDF) files")
    checked_target(out)


def _ranges(given: list[str] | None, names: Any) -> dict[str, tuple[float, float]] | None:
    """--over theta1=-90deg:90deg, each with an option of its own or with commas between."""
    if not given:
        return None
    found = quantity.pairs([x for text in given for x in quantity.parts(text)], "--over")
    return {name: _range(value, f"--over {name}", names) for name, value in found.items()}


def _range(text: str, what: str, names: Any) -> tuple[float, float]:
    ends = quantity.parts(text, ":")
    if len(ends) != 2:
        raise ArgumentError(f"{what}: {text!r} is not a range; two numbers and a colon are needed, such as -90deg:90deg")
    low, high = (quantity.number(x, what, names) for x in ends)
    return low, high


def _swept(given: list[str], names: Any) -> dict[str, Any]:
    """--sweep l1=0.2:0.4:5, or values with commas between."""
    from lagrangian.studies.distributions import Span, varied

    found = {name: varied(text, ("--sweep", name), names) for name, text in quantity.pairs(given, "--sweep").items()}
    for name, x in found.items():
        if not isinstance(x, Span):
            raise ArgumentError(f"--sweep {name}: {x} is a distribution; values are needed here, such as 0.2:0.4:5")
    return found


def _fixed(given: str | None) -> Any:
    """Names, or names with values."""
    if not given:
        return ()
    pieces = quantity.parts(given)
    named = [piece for piece in pieces if "=" in piece]
    if named and len(named) != len(pieces):
        raise ArgumentError(f"--fixed: {given!r} has names with and without values; give a value for all of them, or for none")
    return quantity.pairs(pieces, "--fixed") if named else tuple(quantity.unquoted(piece) for piece in pieces)


def _output(given: str | None, known: list[str]) -> Any:
    """A coordinate, a frame, or a frame with a direction after a dot."""
    if given is None or given in known:
        return given
    frame, dot, direction = given.rpartition(".")
    return (frame, direction) if dot and frame in known else given


# -- what was found ------------------------------------------------------------------------------------------------------


def _told(
    found: Any,
    data: dict[str, Any],
    stem: str,
    what: str,
    plot: bool,
    out: Path | None,
    json: bool,
    more: list[str] | None = None,
    **look: Any,
) -> None:
    """The files that were asked for, and the text or the document."""
    targets: list[tuple[Path, str, Any]] = [(out, "all numbers", found.save)] if out is not None else []
    if plot:
        targets.append((file_for(stem, what, ".png"), "the plot", lambda place: found.plot(place, **look)))
    if not json:
        head, *rest = [*str(found).splitlines(), *(more or [])]
        output.plain(head, "bold")
        for line in rest:
            output.plain(line)
    for path, about, make in targets:
        again = path.exists()
        make(path)
        if not json:
            output.wrote(path, about, again=again)
    if json:
        output.document({**data, "files": [str(path) for path, _, _ in targets]})
