"""`lagrangian inverse`, `lagrangian size`: the torques that a path needs, and the motors that deliver them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, SUCCESS, JsonOption
from lagrangian.cli.commands.simulate import report_motion
from lagrangian.cli.mechanism_options import (
    MechanismArgument,
    MotionArgument,
    ReaderOptions,
    complete_mechanism,
    output_path,
    output_stem,
)
from lagrangian.cli.motion_options import WrenchOption, parse_wrenches
from lagrangian.cli.output import progress_bar, spinner
from lagrangian.cli.path_options import PathOptions
from lagrangian.cli.result_options import ResultOptions
from lagrangian.cli.sizing_options import SizingOptions
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion
    from lagrangian.sizing.actuators import ActuatorSizing

INVERSE_EXAMPLES = """
lagrangian inverse two_r --circle 1.2,1.2,0.2 --frame tip --duration 10 --q0 theta2=-0.8 --plot
lagrangian inverse puma560 --from qz --to qn --duration 2 -o move.nc
lagrangian inverse arm.toml --line "0.6,0.2 : 0.3,0.5" --duration 1.5 --animate
lagrangian inverse stewart --circle 0,0,2,0.5 --orientation keep --duration 4
"""
SIZE_EXAMPLES = """
lagrangian size arm.toml --to raised --duration 0.8 --plot
lagrangian size move.nc --prefer mass --csv motors.csv
"""
_RPM = math.pi / 30  # rad/s

BranchOption = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="A configuration near the start, which selects the branch: a pose, all values, or some by name. Default: the start "
        "in the description.",
    ),
]
LimitsOption = Annotated[
    bool,
    typer.Option("--limits/--no-limits", metavar="", help="Refuse a path that exceeds limits of the joints, or allow it."),
]
SizedArgument = Annotated[
    str,
    typer.Argument(
        metavar="MECH|RUN",
        help="A run (.nc), which contains its mechanism; or a mechanism, together with a run or a path.",
        show_default=False,
        autocompletion=complete_mechanism,
    ),
]
RunArgument = Annotated[
    Path | None, typer.Argument(metavar="[RUN.nc]", help="The motion of MECH (.nc), unless you give a path.", show_default=False)
]
PlotMotorsOption = Annotated[
    bool, typer.Option("--plot", metavar="", help="Plot torque over speed at the motors to MECH-motors.png.")
]


def inverse(
    argument: MechanismArgument,
    path: PathOptions,
    results: ResultOptions,
    q0: BranchOption = None,
    wrench: WrenchOption = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows in the result.")] = 1001,
    limits: LimitsOption = True,
    json: JsonOption = False,
) -> int:
    """Find the torques that make a mechanism follow a path.

    The path leads a frame or the joints. The command writes the motion and its torques to a file. Numbers can have units, such as
    250mm.
    """
    results.check()
    m = argument.load()
    motion = follow_path(m, path, q0, wrench, rows, limits)
    notes = {}
    if path.is_frame_curve and (orientation := (path.orientation or "free").strip()) != "free":
        notes["orientation"] = f"orientation: {orientation}"
    elif path.is_frame_curve and _has_redundancy(m, motion):
        notes["orientation"] = "orientation: free; --orientation keep holds it constant"
    return report_motion(motion, results, f"{argument.stem}-inverse", json, **notes)


def size(
    source: SizedArgument,
    path: PathOptions,
    reader_options: ReaderOptions,
    run: RunArgument = None,
    *,
    motors: SizingOptions,
    q0: BranchOption = None,
    limits: LimitsOption = True,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table of motors to FILE (.csv).")] = None,
    plot: PlotMotorsOption = False,
    json: JsonOption = False,
) -> int:
    """Choose motors and gears for a motion.

    The command lists the torque, speed and power that the motion needs at each joint, and the motor and gear of a catalogue that
    deliver them. The exit code is 1 if no motor fits a joint.
    """
    import lagrangian as lg

    is_run = Path(source).suffix.lower() == ".nc"
    if is_run:
        if run is not None or path.path_flags:
            raise ArgumentError(f"{source} and {run or path.path_flags[0]} are both motions; give one of them")
        motion = MotionArgument(source, None, reader_options).load()
        m = motion.model()
    else:
        m = MechanismArgument(source, reader_options).load()
        motion = _load_motion(m, run, path, q0, limits)
    _check_torques(source if is_run else str(run), m, motion)
    with spinner("choosing motors"):
        sizing = lg.size_actuators(m, motion, **motors.options())
    files = _write_files(sizing, csv, output_path(output_stem(source), "motors", ".png") if plot else None)
    if json:
        output.print_json({**_sizing_data(sizing), "files": [str(path) for path, *_ in files]})
    else:
        _print_tables(sizing)
        for path_, content, replaced in files:
            output.print_written_file(path_, content, replaced=replaced)
    return SUCCESS if sizing.fits else FAILURE


def follow_path(
    m: Mechanism, path: PathOptions, q0: str | None = None, wrench: list[str] | None = None, rows: int = 1001, limits: bool = True
) -> Motion:
    """The motion along a path, with a progress bar."""
    import lagrangian as lg

    joint_or_frame_path, frame = path.build(m, q0)
    with progress_bar(f"following the path of {m.name}") as progress:
        return lg.inverse(
            m,
            joint_or_frame_path,
            frame,
            q0,
            t_eval=rows,
            wrenches=parse_wrenches(wrench),
            limits=limits,
            progress=progress,
        )


def _has_redundancy(m: Mechanism, motion: Any) -> bool:
    """Whether a path leaves degrees of freedom, so that the orientation can be chosen; a planar 2R has none left."""
    from lagrangian import mobility

    freedom = mobility(m, motion.q[0], float(motion.t[0])).degrees if m.equation_count else m.nv
    return bool(freedom > len(motion.follower.path.directions))


# -- the motion of `lagrangian size` -----------------------------------------------------------------------------------


def _load_motion(m: Mechanism, run: Path | None, path: PathOptions, q0: str | None, limits: bool) -> Motion:
    """The motion for which motors are chosen, from a file or along a path."""
    import lagrangian as lg
    from lagrangian.description.toml.differences import mechanism_differences

    if run is None and not path.path_flags:
        raise ArgumentError("no motion is given. Name a run (.nc) after the mechanism, or a path, such as --to POSE --duration 1")
    if run is not None and path.path_flags:
        raise ArgumentError(f"{run} and {path.path_flags[0]} are both motions; give one of them")
    if run is None:
        return follow_path(m, path, q0, limits=limits)
    if run.suffix != ".nc":
        raise ArgumentError(f"{run}: a run is a netCDF file (.nc) that `lagrangian simulate` or `lagrangian inverse` wrote")
    motion = lg.read(run, m)  # raises an error if the run has other coordinates
    recorded_mechanism = lg.read(run).mechanism
    if recorded_mechanism is not None and (changed_parts := mechanism_differences(recorded_mechanism, m)):
        output.print_warning(
            f"{run} is a run of an earlier version of {recorded_mechanism.name}: {changed_parts} changed since then. "
            f"The motors are sized for the torques in the run. Run the mechanism again to use its current description, "
            f"or give the run alone to use the earlier one"
        )
    return motion


def _check_torques(name: str, m: Mechanism, motion: Motion) -> None:
    """Check that a run has torques; a mechanism that only falls needs no motors."""
    import numpy as np

    if not np.abs(motion.tau).max(initial=0.0) > 0:
        raise ArgumentError(
            f"{name}: this run of {m.name} has no torques, so it needs no motors. `lagrangian inverse` finds the torques of a "
            f"path, as --to POSE --duration 1 does here; `lagrangian simulate --torque` applies torques"
        )


# -- the results of `lagrangian size` ----------------------------------------------------------------------------------


def _write_files(sizing: ActuatorSizing, csv: Path | None, picture: Path | None) -> list[tuple[Path, str, bool]]:
    """Write the table and the plot; each file has its content and whether it replaced another one."""
    files: list[tuple[Path, str, bool]] = []
    if csv is not None:
        replaced = csv.exists()
        files.append((sizing.to_csv(csv), "the table", replaced))
    if picture is not None:
        replaced = picture.exists()
        sizing.plot(path=picture)
        files.append((picture, "torque over speed at the motors", replaced))
    return files


def _print_tables(sizing: ActuatorSizing) -> None:
    """Print the demand at the joints and the chosen motors, in tables that fit narrow terminals."""
    from lagrangian.sizing.tables import remarks

    console = output.stdout()
    output.print_text(f"{sizing.mechanism.name}: actuators for a cycle of {sizing.cycle_time:.3g} s", "bold cyan")
    output.print_text()
    demand_rows = []
    for name, demand in sizing.demand.items():
        torque_unit, speed_unit, inertia_unit = demand.units
        torques = f"{demand.peak_torque:.3g} / {demand.rms_torque:.3g} {torque_unit}"
        speeds = f"{demand.peak_speed:.3g} / {demand.rms_speed:.3g} {speed_unit}"
        powers = f"{demand.peak_power:.3g} / {demand.peak_power_back:.3g} W"
        demand_rows.append((name, torques, speeds, powers, f"{demand.load_inertia:.3g} {inertia_unit}"))
    demand_columns = ("joint", "torque: peak / RMS", "speed: peak / RMS", "power / back", "load inertia")
    console.print(output.table(demand_columns, demand_rows, title="At the joints", right_aligned=(1, 2, 3, 4)))
    output.print_text()
    motor_rows = []
    for name, actuator in sizing.actuators.items():
        if (best := actuator.best) is not None:
            motor = best.motor.name if actuator.chosen else f"none; {best.motor.name}"
            torques = f"{best.peak_torque:.3g} / {best.rms_torque:.3g}"
            margins = " / ".join(f"{best.margins[key]:.3g}" for key in ("continuous", "peak", "speed"))
            motor_rows.append((name, motor, str(best.gear), torques, f"{best.peak_speed / _RPM:.0f}", margins))
    motor_columns = ("joint", "motor", "gear", "N m: peak / RMS", "rpm", "margins: cont. / peak / speed")
    if motor_rows:
        console.print(output.table(motor_columns, motor_rows, title="At the motors", right_aligned=(3, 4, 5)))
        output.print_text()
    for line in remarks(sizing):
        console.print(line, markup=False)


def _sizing_data(sizing: ActuatorSizing) -> dict[str, Any]:
    """The demand and the motor of each joint as data."""
    demand_names = (
        *("peak_torque", "rms_torque", "mean_torque", "peak_speed", "rms_speed"),
        *("peak_power", "peak_power_back", "energy"),
    )
    joints = {}
    for name, actuator in sizing.actuators.items():
        demand, best = actuator.demand, actuator.best
        joints[name] = {
            "demand": {x: getattr(demand, x) for x in demand_names},
            "units": demand.units[:2],
            "fits": actuator.chosen is not None,
            "motor": best.motor.name if best else None,
            "ratio": best.ratio if best else None,
            "margins": best.margins if best else None,
            "message": actuator.message,
        }
    return {"mechanism": sizing.mechanism.name, "fits": sizing.fits, "cycle_time": sizing.cycle_time, "joints": joints}
