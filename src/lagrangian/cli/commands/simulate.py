"""`lagrangian simulate`: the motion of a mechanism, from a start that closes its loops."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, INTERRUPTED, SUCCESS, JsonOption
from lagrangian.cli.commands.study import SweepOptions, run_sweep
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.motion_options import (
    AtEventOption,
    EventOption,
    Q0Option,
    Qd0Option,
    StabilisationOption,
    TorqueOption,
    WrenchOption,
    parse_events,
    parse_quantity_option,
    parse_time,
    parse_torques,
    parse_wrenches,
)
from lagrangian.cli.output import progress_bar
from lagrangian.cli.result_options import ResultOptions
from lagrangian.configuration.text import format_configuration, toml_line
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, EndedEarlyWarning, SimulationError

if TYPE_CHECKING:
    import numpy as np

    from lagrangian.configuration.start import Start
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion

SIMULATE_EXAMPLES = """
lagrangian simulate arm.toml --plot --animate
lagrangian simulate two_r -t 5 --q0 theta1=30deg,theta2=0 --torque "theta1=20 - 2*qd_theta1"
lagrangian simulate deployable_four_bar -o run.nc
lagrangian simulate four_bar --stabilisation baumgarte --alpha 5 --beta 5 --off-constraint --q0 1,-0.6,1.6
lagrangian simulate deployable_four_bar -t 15 --at-event locked=lock:phi2
lagrangian simulate two_r --sweep l1=0.5:1:20 --keep "max(tip.x)" -o lengths
"""
_MAX_EVENTS = 6  # events that the summary lists


@dataclass(frozen=True)
class IntegrationOptions:
    """How a motion is integrated: options of `lagrangian.simulate` under their own names."""

    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            help="The integrator: auto, dop853, dp5, verner9, rodas5p (for stiff problems), symplectic or rk4.",
        ),
    ] = "auto"
    rtol: Annotated[float, typer.Option("--rtol", metavar="X", help="The relative tolerance.")] = 1e-8
    atol: Annotated[
        float, typer.Option("--atol", metavar="X", help="The absolute tolerance, in the unit of each coordinate and speed.")
    ] = 1e-10
    step: Annotated[
        float | None,
        typer.Option(
            "--step",
            metavar="S",
            help="The time step of rk4 and symplectic, in seconds.",
            parser=parse_quantity_option,
        ),
    ] = None
    stabilisation: StabilisationOption = "projection"
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha", metavar="X", help="The gain alpha of baumgarte in eta'' + 2 alpha eta' + beta^2 eta = 0. Default: 10."
        ),
    ] = None
    beta: Annotated[
        float | None, typer.Option("--beta", metavar="X", help="The gain beta of baumgarte in the same equation. Default: 10.")
    ] = None
    off_constraint: Annotated[
        bool,
        typer.Option(
            "--off-constraint",
            metavar="",
            help="Start exactly at --q0, even if it violates the constraints; this needs baumgarte or none.",
        ),
    ] = False


def simulate(
    argument: MechanismArgument,
    results: ResultOptions,
    time: Annotated[
        str | None,
        typer.Option(
            "-t",
            "--time",
            metavar="TIME",
            help="The duration in seconds, such as 10, or a start and an end, such as 2:10. Default: the time span in the "
            "description.",
        ),
    ] = None,
    q0: Q0Option = None,
    qd0: Qd0Option = None,
    torque: TorqueOption = None,
    wrench: WrenchOption = None,
    event: EventOption = None,
    at_event: AtEventOption = None,
    *,
    integration: IntegrationOptions,
    sweep_options: SweepOptions,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows in the result.")] = 1001,
    limits: Annotated[
        bool,
        typer.Option("--limits/--no-limits", metavar="", help="Stop joints at their limits, or let them pass."),
    ] = True,
    saturate: Annotated[
        bool, typer.Option("--saturate", metavar="", help="Keep torques within the effort limits of the joints.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Simulate the motion of a mechanism.

    The command writes the run to a file that plot, animate, report, size and view read. The exit code is 1 if the run ended
    early.
    """
    results.check(sweep=sweep_options.is_set)
    m = argument.load()
    options: dict[str, Any] = dict(
        q0=q0,
        qd0=qd0,
        torque=parse_torques(torque),
        wrenches=parse_wrenches(wrench),
        events=parse_events(event, at_event),
        **vars(integration),
        t_eval=rows,
        limits=limits,
        saturate=saturate,
    )
    if sweep_options.is_set:
        return run_sweep(m, sweep_options, results, argument.stem, json, {"t_span": parse_time(time), **options})
    motion = simulate_with_progress(m, parse_time(time), **options)
    return report_motion(motion, results, argument.stem, json)


def simulate_with_progress(m: Mechanism, t_span: Any = None, **options: Any) -> Motion:
    """Simulate a mechanism, with a progress bar.

    A run that cannot continue is returned as far as it went. If the start does not close the loops, a warning is printed and the
    run begins at the nearest configuration that does.
    """
    import lagrangian as lg

    span = t_span if t_span is not None else m.initial.t_span
    if span is None:
        raise ArgumentError(f"the description of {m.name} has no time span; use --time, such as --time 10")
    start = span[0] if isinstance(span, tuple) else 0.0
    if m.equation_count and not options.get("off_constraint"):
        options["q0"], options["qd0"] = close_start(m, options.get("q0"), options.get("qd0"), float(start))
    # warnings wait until the progress bar is gone; the summary says whether the run ended early
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", UserWarning)
        with progress_bar(f"simulating {m.name}") as progress:
            try:
                motion = lg.simulate(m, t_span, progress=progress, **options)
            except SimulationError as error:
                if error.motion is None:
                    raise
                motion = error.motion
    for warning in caught_warnings:
        if not issubclass(warning.category, EndedEarlyWarning):
            warnings.warn(warning.message, warning.category, stacklevel=2)
    return motion


def report_motion(motion: Motion, results: ResultOptions, stem: str, json: bool, **notes: str) -> int:
    """Print the summary of a run with notes, write its files, and return the exit code."""
    from lagrangian.motion.status import Status

    if not json:
        print_summary(motion)
        for line in notes.values():
            output.print_text(line, "dim")
    files = results.write(motion, stem, quiet=json) if len(motion.t) else []
    if json:
        output.print_json({**motion_data(motion), **notes, "files": files})
    if motion.status is Status.INTERRUPTED:
        return INTERRUPTED
    return SUCCESS if motion.success else FAILURE


def print_summary(motion: Motion) -> None:
    """Print the summary of a run and its first events."""
    head, *lines = motion.summary(events=None).splitlines()
    output.print_text(head, "bold green" if motion.success else "bold yellow")
    for line in lines:
        output.print_text(line)
    for event in motion.events[:_MAX_EVENTS]:
        output.print_text(f"{event.name} at t = {_without_rounding(event.t, motion):.9g} s")
    if len(motion.events) > _MAX_EVENTS:
        hidden_count = len(motion.events) - _MAX_EVENTS
        output.print_text(f"... and {hidden_count} more event{'s' * (hidden_count > 1)} in the file of the run")


def motion_data(motion: Motion) -> dict[str, Any]:
    """The summary of a run as data. Its rows are in its file."""
    import numpy as np

    return {
        "mechanism": motion.name,
        "success": motion.success,
        "status": motion.status.value,
        "message": motion.message,
        "t": [motion.t[0], motion.t[-1]] if len(motion.t) else [],
        "rows": len(motion.t),
        "coordinates": motion.coordinate_names,
        "speeds": motion.speed_names,
        "q_end": motion.q[-1] if len(motion.t) else [],
        "qd_end": motion.qd[-1] if len(motion.t) else [],
        "torque_peak": np.abs(motion.tau).max(axis=0, initial=0.0),
        "energy_balance": float(np.abs(motion.energy_balance).max(initial=0.0)),
        "energy_moved": motion.energy_scale,
        "drift": float(motion.drift.max(initial=0.0)),
        "events": [
            {"name": event.name, "t": _without_rounding(event.t, motion), "q": event.q, "qd": event.qd} for event in motion.events
        ],
        "statistics": motion.statistics,
    }


def _without_rounding(t: float, motion: Motion) -> float:
    """A time of a run; it is zero if it differs from zero only by rounding."""
    return 0.0 if abs(t) < 1e-12 * max(1.0, abs(float(motion.t[-1]))) else t


# -- the start of a mechanism with loops -------------------------------------------------------------------------------


def close_start(m: Mechanism, q0: Any, qd0: Any, t: float) -> tuple[Any, Any]:
    """The coordinates and speeds at which a run begins: those that are given, or the nearest that satisfy the constraints.

    A change is printed as a warning. Values that are given by name stay as they are, and `simulate` finds the others.
    """
    from lagrangian.configuration.start import Start, as_dynamics

    start = Start(as_dynamics(m), q0, t)
    if not start.given_state.complete:
        return q0, qd0
    q = start.given_state.q
    if start.open_violation is not None:
        source = start.given_state.where
        try:
            q0 = q = start.close_loops()
        except AssemblyError as error:
            raise AssemblyError(f"{source} does not close the loops: {start.open_violation}. {error}") from None
        output.print_warning(
            f"{source} does not close the loops: {start.open_violation}. The run begins at the nearest configuration that does: "
            f"{format_configuration(m, q)}\n"
            f"  {toml_line('q', q)}\n"
            f"Copy this line into [initial], or give some coordinates and the others follow: "
            f"{_example_option(m, start.given_state.q)}"
        )
    return q0, _close_speeds(m, start, q, qd0)


def _close_speeds(m: Mechanism, start: Start, q: np.ndarray, qd0: Any) -> Any:
    """The speeds that are given, or the nearest that keep the constraints, with a warning."""
    from lagrangian import consistent_speeds

    qd = start.requested_speeds(qd0)
    violation = start.speed_violation(q, qd) if qd is not None and not isinstance(qd, dict) else None
    if qd is None or isinstance(qd, dict) or violation is None:
        return qd
    nearest = consistent_speeds(start.dyn, q, qd, t=start.t)
    output.print_warning(
        f"{'[initial] qd' if qd0 is None else ArgumentName('qd0')} does not keep the constraints: {violation.name} changes by "
        f"{violation.amount:.3g} per second. The run begins with the nearest speeds that do:\n"
        f"  {toml_line('qd', nearest)}\n"
        f"Copy this line into [initial], or give some speeds and the others follow: --qd0 {m.speed_names[0]}={qd[0]:.3g}"
    )
    return nearest


def _example_option(m: Mechanism, q: np.ndarray) -> str:
    """The option --q0 with one coordinate by name."""
    from lagrangian.configuration.coordinates import single_coordinates

    slides = [s for j in m.joints for s in j.slides]
    for name, (iq, iv) in single_coordinates(m).items():
        return f"--q0 {name}={q[iq]:.3g}" if slides[iv] else f"--q0 {name}={math.degrees(q[iq]):.0f}deg"
    return "--q0 NAME=VALUE"
