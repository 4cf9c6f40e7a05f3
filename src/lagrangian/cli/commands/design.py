"""`lagrangian workspace`, `lagrangian cycle`, `lagrangian singularities`: the geometry of a mechanism, without a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument, output_path
from lagrangian.cli.motion_options import WrenchOption, parse_quantity_option, parse_wrenches
from lagrangian.cli.output import spinner
from lagrangian.errors import ArgumentError
from lagrangian.files import as_target_path
from lagrangian.model.expression import quantity

if TYPE_CHECKING:
    from lagrangian.design.compare_cycles import CycleComparison
    from lagrangian.design.coupler_curve import CouplerCurve
    from lagrangian.design.cycle import CycleAnalysis
    from lagrangian.design.singularities import Singularities
    from lagrangian.design.workspace import Workspace

WORKSPACE_EXAMPLES = """
lagrangian workspace two_r --plot
lagrangian workspace scara --frame tool --over theta1=-90deg:90deg -o scara.csv
"""
CYCLE_EXAMPLES = """
lagrangian cycle four_bar --plot
lagrangian cycle slider_crank --speed 100 -o crank.csv
lagrangian cycle five_bar --input q1 --fixed q2=30deg --curve tip --plot
lagrangian cycle four_bar --sweep l1=0.2:0.45:6 --speed 10 --plot
"""
SINGULARITIES_EXAMPLES = """
lagrangian singularities two_r --over theta2=-180deg:180deg
lagrangian singularities three_rrr --over theta1=-170deg:170deg --over theta2=-170deg:170deg --plot
"""

FrameOption = Annotated[
    str | None,
    typer.Option("--frame", metavar="NAME", help="The frame or body to follow. Default: the frame, if there is only one."),
]
RangesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--over",
        metavar="NAME=A:B",
        help="The range of a coordinate, such as theta1=-90deg:90deg. You can repeat this option.",
    ),
]
FixedOption = Annotated[
    str | None,
    typer.Option(
        "--fixed", metavar="NAME,NAME", help="The coordinates to fix, at their start value (q2) or at another one (q2=30deg)."
    ),
]
StartOption = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="The configuration that selects the assembly: a pose, all values, or some by name. Default: the start in the "
        "description.",
    ),
]
LimitsOption = Annotated[
    bool, typer.Option("--limits/--no-limits", metavar="", help="Keep the limits of the joints, or ignore them.")
]
OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write all numbers to FILE: .csv or .nc (netCDF).")
]
PlotOption = Annotated[bool, typer.Option("--plot", metavar="", help="Write a plot (.png), named after MECH.")]
AnglesOption = Annotated[
    str, typer.Option("--angles", metavar="UNIT", help="The unit of angles in the plot: degrees or radians.")
]


def workspace(
    argument: MechanismArgument,
    frame: FrameOption = None,
    over: RangesOption = None,
    q0: StartOption = None,
    limits: LimitsOption = True,
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
    plot: PlotOption = False,
    out: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Find the workspace of a frame, with its boundary and its area or volume.

    The workspace contains every point that the frame can reach, in any orientation, with loops closed and joints within their
    limits.
    """
    import lagrangian as lg

    _check_output(out)
    m = argument.load()
    with spinner("computing the workspace"):
        frame_workspace = lg.workspace(
            m, frame, over=_parse_ranges(over, m.parameters), limits=limits, q0=q0, samples=samples, resolution=resolution
        )
    _report_result(frame_workspace, workspace_data(frame_workspace), argument.stem, "workspace", plot, out, json)


def cycle(
    argument: MechanismArgument,
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
    q0: StartOption = None,
    fixed: FixedOption = None,
    speed: Annotated[
        float,
        typer.Option(
            "--speed",
            metavar="V",
            help="The constant speed of the input, in rad/s or m/s, or with a unit, such as 60rpm.",
            parser=parse_quantity_option,
        ),
    ] = 1.0,
    wrench: WrenchOption = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows for a turn.")] = 361,
    curve: Annotated[
        str | None, typer.Option("--curve", metavar="NAME,NAME", help="The frames whose coupler curves to describe and draw.")
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=A:B:N",
            help="Compare cycles for N values of a parameter from A to B, or for values separated by commas. You can repeat this "
            "option.",
        ),
    ] = None,
    limits: LimitsOption = True,
    plot: PlotOption = False,
    angles: AnglesOption = "degrees",
    out: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Analyse a full cycle of a linkage: dead centres, transmission angle and torque.

    The command also finds the travel of all joints and the mechanical advantage. The linkage must have one degree of freedom;
    fix others with --fixed. An input that cannot make a full turn moves from one dead centre to the other. With --sweep, the
    command compares several lengths or masses.
    """
    import lagrangian as lg

    _check_output(out)
    m = argument.load()
    frames = quantity.split_list(curve) if curve else None
    ends = (input_, _parse_linkage_output(driven, [*m.coordinate_names, *m._frames]))
    options = {
        "over": _parse_range(over, "--over", m.parameters) if over else None,
        "q0": q0,
        "fixed": _parse_fixed(fixed),
        "speed": speed,
        "wrenches": parse_wrenches(wrench),
        "rows": rows,
        "limits": limits,
    }
    if sweep:
        if frames:
            raise ArgumentError("--curve cannot be used with --sweep: it applies to a single cycle")
        with spinner("analysing the cycle"):
            comparison = lg.compare_cycles(m, _parse_sweep(sweep, m.parameters), *ends, **options)
        _report_result(comparison, cycle_comparison_data(comparison), argument.stem, "cycles", plot, out, json, angles=angles)
        return
    with spinner("analysing the cycle"):
        analysis = lg.analyse_cycle(m, *ends, **options)
        curves = [analysis.coupler_curve(name) for name in frames or ()]
    data = cycle_data(analysis) | ({"curves": {c.frame: coupler_curve_data(analysis, c) for c in curves}} if curves else {})
    extra_lines = [line for c in curves for line in (str(c), *([analysis.travel_text(c.frame)] if c.length else []))]
    _report_result(analysis, data, argument.stem, "cycle", plot, out, json, extra_lines, frames=frames, angles=angles)


def singularities(
    argument: MechanismArgument,
    over: RangesOption = None,
    frame: FrameOption = None,
    directions: Annotated[
        str | None,
        typer.Option(
            "--directions",
            metavar="NAME,NAME",
            help="The directions to consider, out of wx, wy, wz, x, y, z. Default: x, y, z, and rotations if the "
            "mechanism has enough degrees of freedom.",
        ),
    ] = None,
    q0: StartOption = None,
    fixed: FixedOption = None,
    lines: Annotated[
        int, typer.Option("--lines", metavar="N", help="The number of search lines across each of two ranges.")
    ] = 41,
    limits: LimitsOption = True,
    plot: PlotOption = False,
    angles: AnglesOption = "degrees",
    out: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Find the singular configurations over a range of one or two coordinates.

    A serial arm is singular where its frame cannot move in some direction. A mechanism with loops is also singular where its
    actuated joints lose control of it.
    """
    import lagrangian as lg

    _check_output(out)
    m = argument.load()
    with spinner("searching for singular configurations"):
        singular_points = lg.singularities(
            m,
            _parse_ranges(over, m.parameters) or {},
            frame,
            directions=quantity.split_list(directions) if directions else None,
            q0=q0,
            fixed=_parse_fixed(fixed),
            lines=lines,
            limits=limits,
        )
    _report_result(
        singular_points, singularities_data(singular_points), argument.stem, "singularities", plot, out, json, angles=angles
    )


# -- options -----------------------------------------------------------------------------------------------------------


def _check_output(out: Path | None) -> None:
    """Check the name of the file for all numbers before the work."""
    if out is None:
        return
    if out.suffix.lower() not in (".csv", ".nc"):
        raise ArgumentError(f"{out}: numbers are written to .csv or .nc (netCDF) files")
    as_target_path(out)


def _parse_ranges(texts: list[str] | None, names: Any) -> dict[str, tuple[float, float]] | None:
    """The ranges of --over theta1=-90deg:90deg, by the names of coordinates; one option may have several, between commas."""
    if not texts:
        return None
    range_texts = quantity.collect_assignments([x for text in texts for x in quantity.split_list(text)], "--over")
    return {name: _parse_range(value, f"--over {name}", names) for name, value in range_texts.items()}


def _parse_range(text: str, option: str, names: Any) -> tuple[float, float]:
    """Both ends of a range such as -90deg:90deg."""
    ends = quantity.split_list(text, ":")
    if len(ends) != 2:
        raise ArgumentError(f"{option}: {text!r} is not a range; two numbers and a colon are needed, such as -90deg:90deg")
    lower, upper = (quantity.parse_quantity(x, option, names) for x in ends)
    return lower, upper


def _parse_sweep(texts: list[str], names: Any) -> dict[str, Any]:
    """The values of --sweep l1=0.2:0.4:5, by the names of parameters."""
    from lagrangian.studies.distributions import GridAxis, as_varied_input

    values = {
        name: as_varied_input(text, ("--sweep", name), names)
        for name, text in quantity.collect_assignments(texts, "--sweep").items()
    }
    for name, x in values.items():
        if not isinstance(x, GridAxis):
            raise ArgumentError(f"--sweep {name}: {x} is a distribution; values are needed here, such as 0.2:0.4:5")
    return values


def _parse_fixed(text: str | None) -> Any:
    """The names of fixed coordinates, or their values by name."""
    if not text:
        return ()
    pieces = quantity.split_list(text)
    assignments = [piece for piece in pieces if "=" in piece]
    if assignments and len(assignments) != len(pieces):
        raise ArgumentError(f"--fixed: {text!r} has names with and without values; give a value for all of them, or for none")
    return quantity.collect_assignments(pieces, "--fixed") if assignments else tuple(quantity.unquote(piece) for piece in pieces)


def _parse_linkage_output(text: str | None, names: list[str]) -> Any:
    """The output of a linkage: a coordinate, a frame, or a frame and a direction, as in tip.x."""
    if text is None or text in names:
        return text
    frame, dot, direction = text.rpartition(".")
    return (frame, direction) if dot and frame in names else text


# -- results -----------------------------------------------------------------------------------------------------------


def _report_result(
    analysis: Any,
    data: dict[str, Any],
    stem: str,
    suffix: str,
    plot: bool,
    out: Path | None,
    json: bool,
    extra_lines: list[str] | None = None,
    **plot_options: Any,
) -> None:
    """Write the files of an analysis, and print it as text or as data."""
    targets: list[tuple[Path, str, Any]] = [(out, "all numbers", analysis.save)] if out is not None else []
    if plot:
        targets.append((output_path(stem, suffix, ".png"), "the plot", lambda path: analysis.plot(path, **plot_options)))
    if not json:
        head, *lines = [*str(analysis).splitlines(), *(extra_lines or [])]
        output.print_text(head, "bold")
        for line in lines:
            output.print_text(line)
    for path, content, write_file in targets:
        replaced = path.exists()
        write_file(path)
        if not json:
            output.print_written_file(path, content, replaced=replaced)
    if json:
        output.print_json({**data, "files": [str(path) for path, _, _ in targets]})


def workspace_data(frame_workspace: Workspace) -> dict[str, Any]:
    """A workspace as data."""
    low, high = frame_workspace.extent
    return {
        "mechanism": frame_workspace.mechanism.name,
        "frame": frame_workspace.frame,
        "kind": frame_workspace.kind,
        "area": frame_workspace.area,
        "volume": frame_workspace.volume,
        "error": frame_workspace.error,
        "holes": frame_workspace.holes,
        "low": low,
        "high": high,
    }


def cycle_data(cycle: CycleAnalysis) -> dict[str, Any]:
    """A cycle as data."""
    import numpy as np

    def value_range(rows: Any) -> Any:
        """The smallest and the largest value of a column; None if it has no finite value."""
        return [float(np.nanmin(rows)), float(np.nanmax(rows))] if rows is not None and np.isfinite(rows).any() else None

    four_bar = cycle.four_bar
    return {
        "mechanism": cycle.mechanism.name,
        "input": cycle.input,
        "output": cycle.output,
        "range": cycle.range,
        "turns": cycle.turns,
        "ends": cycle.ends,
        "four_bar": {"kind": four_bar.kind, **{x: getattr(four_bar, x) for x in ("ground", "input", "coupler", "output")}}
        if four_bar
        else None,
        "dead_centres": [
            {"of": d.kind, "coordinate": d.coordinate, "input": d.input_value, "q": d.q} for d in cycle.dead_centres
        ],
        "swings": {
            n: {"low": s.low, "high": s.high, "low_at": s.input_at_low, "high_at": s.input_at_high, "turns": s.turns}
            for n, s in cycle.travels.items()
        },
        "time_ratio": cycle.time_ratio,
        "transmission_angle": value_range(cycle.transmission_angle),
        "output_ratio": value_range(cycle.output_ratio),
        "speed": cycle.speed,
        "torque": value_range(cycle.torque),
        "static_torque": value_range(cycle.static_torque),
    }


def coupler_curve_data(cycle: CycleAnalysis, curve: CouplerCurve) -> dict[str, Any]:
    """A coupler curve as data, with the travel of its frame along each axis."""
    entries: dict[str, Any] = {x: getattr(curve, x) for x in ("closed", "length", "cusps", "double_points")}
    return entries | {axis: (s.low, s.high) for axis, s in cycle.travel(curve.frame).items()}


def cycle_comparison_data(comparison: CycleComparison) -> dict[str, Any]:
    """A comparison of cycles as data."""
    return {
        "mechanism": comparison.mechanism.name,
        "input": comparison.first_cycle.input,
        "output": comparison.first_cycle.output,
        "parameters": comparison.parameters,
        **{c.name: c.values for c in comparison.columns()},
        "reasons": comparison.failure_reasons,
    }


def singularities_data(singular_points: Singularities) -> dict[str, Any]:
    """Singular configurations as data."""
    names = singular_points.mechanism.coordinate_names
    return {
        "mechanism": singular_points.mechanism.name,
        "frame": singular_points.frame,
        "directions": singular_points.directions,
        "over": singular_points.over,
        "found": [{"type": s.kind, "q": dict(zip(names, s.q, strict=True)), "says": s.description} for s in singular_points],
    }
