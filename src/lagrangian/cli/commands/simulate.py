"""`lagrangian simulate`: a mechanism in motion."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output, values
from lagrangian.cli.closing import closed
from lagrangian.cli.command import FAILED, FINE, INTERRUPTED, Json
from lagrangian.cli.given import Described
from lagrangian.cli.motion_options import (
    AtEvent,
    Begin,
    BeginSpeeds,
    Stabilisation,
    StopAt,
    Torque,
    Wrench,
    events,
    torques,
    wrenches,
)
from lagrangian.cli.progress import bar
from lagrangian.cli.results import Results
from lagrangian.cli.sweeping import Sweeping, swept
from lagrangian.errors import ArgumentError, EndedEarlyWarning, SimulationError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.motion.motion import Motion

SIMULATE = """
lagrangian simulate arm.toml --plot --animate
lagrangian simulate two_r -t 5 --q0 theta1=30deg,theta2=0 --torque "theta1=20 - 2*qd_theta1"
lagrangian simulate deployable_four_bar -o run.nc
lagrangian simulate four_bar --stabilisation baumgarte --alpha 5 --beta 5 --off-constraint --q0 1,-0.6,1.6
lagrangian simulate deployable_four_bar -t 15 --at-event locked=lock:phi2
lagrangian simulate two_r --sweep l1=0.5:1:20 --keep "max(tip.x)" -o lengths
"""
_EVENTS = 6  # that are listed


@dataclass(frozen=True)
class Integration:
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
        typer.Option("--step", metavar="S", help="The time step of rk4 and symplectic, in seconds.", parser=values.quantity),
    ] = None
    stabilisation: Stabilisation = "projection"
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
    given: Described,
    results: Results,
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
    q0: Begin = None,
    qd0: BeginSpeeds = None,
    torque: Torque = None,
    wrench: Wrench = None,
    event: StopAt = None,
    at_event: AtEvent = None,
    *,
    integration: Integration,
    sweeping: Sweeping,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="The number of rows in the result.")] = 1001,
    limits: Annotated[
        bool,
        typer.Option("--limits/--no-limits", metavar="", help="Stop joints at their limits, or let them pass."),
    ] = True,
    saturate: Annotated[
        bool, typer.Option("--saturate", metavar="", help="Keep torques within the effort limits of the joints.")
    ] = False,
    json: Json = False,
) -> int:
    """Simulate the motion of a mechanism.

    The command writes the run to a file that plot, animate, report, size and view read. The exit code is 1 if the run ended
    early.
    """
    results.check(sweep=sweeping.given)
    m = given.load()
    options: dict[str, Any] = dict(
        q0=q0,
        qd0=qd0,
        torque=torques(torque),
        wrenches=wrenches(wrench),
        events=events(event, at_event),
        **vars(integration),
        t_eval=rows,
        limits=limits,
        saturate=saturate,
    )
    if sweeping.given:
        return swept(m, sweeping, results, given.stem, json, {"t_span": values.span(time), **options})
    motion = simulated(m, values.span(time), **options)
    return told(motion, results, given.stem, json)


def told(motion: Motion, results: Results, stem: str, json: bool, **besides: str) -> int:
    """Print how a run went, and what else is to be said of it, and write its files; the exit code."""
    from lagrangian.motion.status import Status

    if not json:
        summary(motion)
        for line in besides.values():
            output.plain(line, "dim")
    files = results.write(motion, stem, quiet=json) if len(motion.t) else []
    if json:
        output.document({**data(motion), **besides, "files": files})
    if motion.status is Status.INTERRUPTED:
        return INTERRUPTED
    return FINE if motion.success else FAILED


def simulated(m: Mechanism, t_span: Any = None, **options: Any) -> Motion:
    """A run, with a bar while it takes its time. One that cannot go on gives what there is of it; one whose start does not
    close the loops begins at the nearest that does, and says so.
    """
    import lagrangian as lg

    span = t_span if t_span is not None else m.initial.t_span
    if span is None:
        raise ArgumentError(f"the description of {m.name} has no time span; use --time, such as --time 10")
    start = span[0] if isinstance(span, tuple) else 0.0
    if m.equations and not options.get("off_constraint"):
        options["q0"], options["qd0"] = closed(m, options.get("q0"), options.get("qd0"), float(start))
    # warnings wait until the bar is gone; that the run ended early is part of its summary
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", UserWarning)
        with bar(f"simulating {m.name}") as shown:
            try:
                motion = lg.simulate(m, t_span, progress=shown, **options)
            except SimulationError as error:
                if error.motion is None:
                    raise
                motion = error.motion
    for warning in met:
        if not issubclass(warning.category, EndedEarlyWarning):
            warnings.warn(warning.message, warning.category, stacklevel=2)
    return motion


def summary(motion: Motion) -> None:
    head, *rest = motion.summary(events=None).splitlines()
    output.plain(head, "bold green" if motion.success else "bold yellow")
    for line in rest:
        output.plain(line)
    for event in motion.events[:_EVENTS]:
        output.plain(f"{event.name} at t = {_time(event.t, motion):.9g} s")
    if len(motion.events) > _EVENTS:
        more = len(motion.events) - _EVENTS
        output.plain(f"... and {more} more event{'s' * (more > 1)} in the file of the run")


def _time(t: float, motion: Motion) -> float:
    """Rounding about zero is zero."""
    return 0.0 if abs(t) < 1e-12 * max(1.0, abs(float(motion.t[-1]))) else t


def data(motion: Motion) -> dict[str, Any]:
    """How a run went, as data. Its rows are in its file."""
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
        "energy_balance": float(np.abs(motion.balance).max(initial=0.0)),
        "energy_moved": motion.energy_scale,
        "drift": float(motion.drift.max(initial=0.0)),
        "events": [{"name": e.name, "t": _time(e.t, motion), "q": e.q, "qd": e.qd} for e in motion.events],
        "statistics": motion.statistics,
    }
