"""`lagrangian inverse`, `lagrangian size`: the torques a path needs, and the motors that deliver them."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, Json
from lagrangian.cli.commands.simulate import told
from lagrangian.cli.given import Described, Recorded, complete_mechanism, file_for, stem_of
from lagrangian.cli.motion_options import Wrench, wrenches
from lagrangian.cli.motors import Motors
from lagrangian.cli.paths import Path_
from lagrangian.cli.progress import bar, spinner
from lagrangian.cli.reading import Reading
from lagrangian.cli.results import Results
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion
    from lagrangian.sizing.actuators import Sizing

INVERSE = """
lagrangian inverse two_r --circle 1.2,1.2,0.2 --frame tip --duration 10 --q0 theta2=-0.8 --plot
lagrangian inverse puma560 --from qz --to qn --duration 2 -o move.nc
lagrangian inverse arm.toml --line "0.6,0.2 : 0.3,0.5" --duration 1.5 --animate
lagrangian inverse stewart --circle 0,0,2,0.5 --orientation keep --duration 4
"""
SIZE = """
lagrangian size arm.toml --to raised --duration 0.8 --plot
lagrangian size move.nc --prefer mass --csv motors.csv
"""
_RPM = math.pi / 30
Branch = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="A configuration near the start, which selects the branch: a pose, all values, or some by name. Default: the start "
        "in the description.",
    ),
]
Limits = Annotated[
    bool,
    typer.Option("--limits/--no-limits", metavar="", help="Refuse a path that exceeds limits of the joints, or allow it."),
]


def inverse(
    given: Described,
    path: Path_,
    results: Results,
    q0: Branch = None,
    wrench: Wrench = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows in the result.")] = 1001,
    limits: Limits = True,
    json: Json = False,
) -> int:
    """Find the torques that make a mechanism follow a path.

    The path leads a frame or the joints. The command writes the motion and its torques to a file. Numbers can have units, such as
    250mm.
    """
    results.check()
    m = given.load()
    motion = followed(m, path, q0, wrench, rows, limits)
    besides = {}
    if path.curve and (how := (path.orientation or "free").strip()) != "free":
        besides["orientation"] = f"orientation: {how}"
    elif path.curve and _more_than_led(m, motion):
        besides["orientation"] = "orientation: free; --orientation keep holds it constant"
    return told(motion, results, f"{given.stem}-inverse", json, **besides)


def _more_than_led(m: Mechanism, motion: Any) -> bool:
    """Whether a path leaves freedom, and so an orientation to choose: a planar 2R has none to spare."""
    from lagrangian import mobility

    freedom = mobility(m, motion.q[0], float(motion.t[0])).degrees if m.equations else m.nv
    return bool(freedom > len(motion.follower.path.directions))


def followed(
    m: Mechanism, path: Path_, q0: str | None = None, wrench: list[str] | None = None, rows: int = 1001, limits: bool = True
) -> Motion:
    """The motion along a path, with a bar while it takes its time."""
    import lagrangian as lg

    made, frame = path.make(m, q0)
    with bar(f"following the path of {m.name}") as shown:
        return lg.inverse(
            m,
            made,
            frame,
            q0,
            t_eval=rows,
            wrenches=wrenches(wrench),
            limits=limits,
            progress=shown,
        )


Sized = Annotated[
    str,
    typer.Argument(
        metavar="MECH|RUN",
        help="A run (.nc), which contains its mechanism; or a mechanism, together with a run or a path.",
        show_default=False,
        autocompletion=complete_mechanism,
    ),
]
OfMotion = Annotated[
    Path | None, typer.Argument(metavar="[RUN.nc]", help="The motion of MECH (.nc), unless you give a path.", show_default=False)
]
PlotMotors = Annotated[bool, typer.Option("--plot", metavar="", help="Plot torque over speed at the motors to MECH-motors.png.")]


def size(
    what: Sized,
    path: Path_,
    reading: Reading,
    run: OfMotion = None,
    *,
    motors: Motors,
    q0: Branch = None,
    limits: Limits = True,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table of motors to FILE (.csv).")] = None,
    plot: PlotMotors = False,
    json: Json = False,
) -> int:
    """Choose motors and gears for a motion.

    The command lists the torque, speed and power that the motion needs at each joint, and the motor and gear of a catalogue that
    deliver them. The exit code is 1 if no motor fits a joint.
    """
    import lagrangian as lg

    alone = Path(what).suffix.lower() == ".nc"
    if alone:
        if run is not None or path.given:
            raise ArgumentError(f"{what} and {run or path.given[0]} are both motions; give one of them")
        motion = Recorded(what, None, reading).load()
        m = motion.model()
    else:
        m = Described(what, reading).load()
        motion = _motion(m, run, path, q0, limits)
    _check_torques(what if alone else str(run), m, motion)
    with spinner("choosing motors"):
        sizing = lg.size_actuators(m, motion, **motors.options())
    files = _written(sizing, csv, file_for(stem_of(what), "motors", ".png") if plot else None)
    if json:
        output.document({**_data(sizing), "files": [str(path) for path, *_ in files]})
    else:
        _tables(sizing)
        for path_, about, again in files:
            output.wrote(path_, about, again=again)
    return FINE if sizing.fits else FAILED


def _written(sizing: Sizing, csv: Path | None, picture: Path | None) -> list[tuple[Path, str, bool]]:
    """The files that were asked for: each with what it holds, and whether it was there before."""
    files: list[tuple[Path, str, bool]] = []
    if csv is not None:
        again = csv.exists()
        files.append((sizing.to_csv(csv), "the table", again))
    if picture is not None:
        again = picture.exists()
        sizing.plot(path=picture)
        files.append((picture, "torque over speed at the motors", again))
    return files


def _motion(m: Mechanism, run: Path | None, path: Path_, q0: str | None, limits: bool) -> Motion:
    import lagrangian as lg

    if run is None and not path.given:
        raise ArgumentError("no motion is given. Name a run (.nc) after the mechanism, or a path, such as --to POSE --duration 1")
    if run is not None and path.given:
        raise ArgumentError(f"{run} and {path.given[0]} are both motions; give one of them")
    if run is None:
        return followed(m, path, q0, limits=limits)
    if run.suffix != ".nc":
        raise ArgumentError(f"{run}: a run is a netCDF file (.nc) that `lagrangian simulate` or `lagrangian inverse` wrote")
    motion = lg.read(run, m)  # which refuses one with other coordinates
    if (own := lg.read(run).mechanism) is not None and (other := unlike(own, m)):
        output.warning(
            f"{run} is a run of an earlier version of {own.name}: {other} changed since then. The motors are sized for the "
            f"torques in the run. Run the mechanism again to use its current description, or give the run alone to use the "
            f"earlier one"
        )
    return motion


def unlike(a: Mechanism, b: Mechanism) -> str:
    """What of two mechanisms is different, '' if nothing that moves them is. What a file rounds or leaves out does not count."""

    from lagrangian.description.toml import reader as toml
    from lagrangian.description.toml.writer import dumps

    def again(m: Mechanism) -> Mechanism:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return toml.read_text(dumps(m))

    a, b = again(a), again(b)
    for what in ("bodies", "joints", "loops", "constraints", "springs", "gravity"):
        ours, theirs = getattr(a, what), getattr(b, what)
        if ours != theirs:
            if what == "gravity" or len(ours) != len(theirs):
                return what
            names = [x.name for x, y in zip(ours, theirs, strict=True) if x != y]
            return f"{what} {', '.join(names[:6])}"
    return ""


def _check_torques(name: str, m: Mechanism, motion: Motion) -> None:
    """A fall has no torques, and needs no motors: whoever asks for them means another motion."""
    import numpy as np

    if not np.abs(motion.tau).max(initial=0.0) > 0:
        raise ArgumentError(
            f"{name}: this run of {m.name} has no torques, so it needs no motors. `lagrangian inverse` finds the torques of a "
            f"path, as --to POSE --duration 1 does here; `lagrangian simulate --torque` applies torques"
        )


def _tables(sizing: Sizing) -> None:
    """What is asked of the joints, and what the motors do, in tables that fit narrow terminals."""
    from lagrangian.sizing.text import remarks

    console = output.stdout()
    output.plain(f"{sizing.mechanism.name}: actuators for a cycle of {sizing.cycle_time:.3g} s", "bold cyan")
    output.plain()
    asked = []
    for name, d in sizing.demand.items():
        torque, speed, inertia = d.units
        numbers = (d.peak_torque, d.rms_torque), (d.peak_speed, d.rms_speed), (d.peak_power, d.peak_power_back)
        pairs = [f"{a:.3g} / {b:.3g}" for a, b in numbers]
        asked.append((name, f"{pairs[0]} {torque}", f"{pairs[1]} {speed}", f"{pairs[2]} W", f"{d.load_inertia:.3g} {inertia}"))
    columns = ("joint", "torque: peak / RMS", "speed: peak / RMS", "power / back", "load inertia")
    console.print(output.table(columns, asked, title="At the joints", right=(1, 2, 3, 4)))
    output.plain()
    motors = []
    for name, a in sizing.actuators.items():
        if (c := a.best) is not None:
            m = c.margins
            fits = c.motor.name if a.chosen else f"none; {c.motor.name}"
            margins = " / ".join(f"{m[k]:.3g}" for k in ("continuous", "peak", "speed"))
            motors.append(
                (name, fits, str(c.gear), f"{c.peak_torque:.3g} / {c.rms_torque:.3g}", f"{c.peak_speed / _RPM:.0f}", margins)
            )
    heads = ("joint", "motor", "gear", "N m: peak / RMS", "rpm", "margins: cont. / peak / speed")
    if motors:
        console.print(output.table(heads, motors, title="At the motors", right=(3, 4, 5)))
        output.plain()
    for line in remarks(sizing):
        console.print(line, markup=False)


def _data(sizing: Sizing) -> dict[str, Any]:
    found = {}
    for name, a in sizing.actuators.items():
        d, c = a.demand, a.best
        numbers = (
            "peak_torque",
            "rms_torque",
            "mean_torque",
            "peak_speed",
            "rms_speed",
            "peak_power",
            "peak_power_back",
            "energy",
        )
        found[name] = {
            "demand": {x: getattr(d, x) for x in numbers},
            "units": d.units[:2],
            "fits": a.chosen is not None,
            "motor": c.motor.name if c else None,
            "ratio": c.ratio if c else None,
            "margins": c.margins if c else None,
            "message": a.message,
        }
    return {"mechanism": sizing.mechanism.name, "fits": sizing.fits, "cycle_time": sizing.cycle_time, "joints": found}
