"""`lagrangian.simulate`: a mechanism, a time span, and what drives it; out comes a `Motion`."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import EndedEarlyWarning, LagrangianError, SimulationError, SimulationWarning, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion import arguments, cautions
from lagrangian.motion.arguments import Options
from lagrangian.motion.breaks import with_breaks
from lagrangian.motion.events import checked
from lagrangian.motion.motion import Motion
from lagrangian.motion.run.contacts import tell_of_contacts
from lagrangian.motion.run.run import Run
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.system.prepared import prepared

ROWS = 1001

# states beyond this may have rows that no number holds
LARGE = 1e100


def simulate(
    mechanism: MechanismLike | Dynamics,
    t_span: Any = None,
    q0: Any = None,
    qd0: Any = None,
    torque: Any = None,
    events: Any = None,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    *,
    parameters: Mapping[str, Any] | None = None,
    wrenches: Any = None,
    saturate: bool = False,
    t_eval: Any = ROWS,
    stabilisation: str = "projection",
    alpha: float | None = None,
    beta: float | None = None,
    off_constraint: bool = False,
    step: float | None = None,
    max_step: float = math.inf,
    limits: bool = True,
    restitution: float = 0.0,
    progress: Callable[[float, float], None] | None = None,
    max_steps: int = 20_000_000,
) -> Motion:
    """The motion of a mechanism over `t_span`, a pair of times or the end alone.

    What is not given is taken from the mechanism's own [initial]. `q0` is an array, the name of a pose, or a mapping of some
    coordinates to values, the others being found so that loops close; `qd0` an array, or a mapping likewise, and zero if q0 is
    given without it. The mechanism's own torques act unless others are given: `torque=0` for none.

    `torque` may be numbers, a mapping of joints to expressions such as {"theta1": "1.96 - 0.1*theta1"}, (times, values), a Python
    function of (t, q, qd), `Traced(function)` or `Sampled(controller, period)`; with `saturate` limits of effort bound
    it. `wrenches` act from outside besides: a mapping of frames to six numbers or expressions, or to a Python function that gives
    six, moment first, along the world's axes, at the frame's origin: {"tool": (0, 0, 0, 0, 0, "-10*sin(t)")}.

    `parameters` gives other values to some of the mechanism's parameters, {"l1": 0.4}, as `Mechanism.with_parameters` does:
    nothing is compiled again. Starts and torques that are written with them follow.

    `events` are `Event`s. `t_eval` is the number of rows, or their times. `stabilisation` keeps constraints from drifting:
    projection, baumgarte (with alpha and beta), ggl or none; with `off_constraint` the run begins at q0 and qd0 as they are, off
    the constraints, and baumgarte brings it back. Joints stop at their limits unless `limits` is False, and bounce by
    `restitution`. `progress(done, total)` is told how many of the seconds are done. An interrupted run returns what it has.
    """
    known = prepared(dynamics_of(mechanism, parameters))
    dyn = known.dyn
    start, end = arguments.span(t_span, dyn.mechanism)
    grid = arguments.grid(t_eval, start, end)
    arguments.check_progress(progress)
    options = Options(method, rtol, atol, stabilisation, alpha, beta, step, max_step, limits, restitution, max_steps)
    watched = [*checked(events, dyn.mechanism), *known.kinks]
    driving = arguments.drive(torque, wrenches, saturate, dyn.mechanism, (start, end))
    source, kinks = with_breaks(driving, dyn.mechanism, watched, (start, end))
    watched += kinks
    settings = options.settings(known, source, watched)
    begin = Start(dyn, q0, start)
    settings.off_constraint = arguments.is_off_constraint(off_constraint, stabilisation, dyn.mechanism)
    y = np.concatenate(begin.as_given(qd0) if settings.off_constraint else [begin.q, begin.speeds(qd0)])
    arguments.check_determined(known, y[: dyn.nq], start)
    settings.ranks, settings.rank = cautions.told(known, source, options.method, limits, y[: dyn.nq], (start, end))
    watch = None if progress is None else lambda t: progress(t - start, end - start)
    run = _begun(dyn.mechanism.name, lambda: Run(dyn, source, watched, settings, start, y, grid, watch))
    return _finished(run, _ending(run, end))


def _begun(name: str, make: Callable[[], Run]) -> Run:
    try:
        return make()
    except SimulationError as error:
        raise SimulationError(f"{name}: the run could not begin: {error}") from error


def _ending(run: Run, end: float) -> Ending:
    """Take a run to its end, whatever happens."""
    try:
        with interruptible(run):
            return run.go(end)
    except LagrangianError:
        raise
    except BaseException as error:  # an interrupt, or the user's progress function: what was computed is not lost
        run.supply.error = error
        return run.failed()


def _finished(run: Run, ending: Ending) -> Motion:
    """The motion of a run, and what is to be said of it; or the error with which it ended, which has the motion."""
    failure, run.supply.error = run.supply.error, None  # for the steps that were made, Python functions are asked again
    rows, whole = _rows(run)
    motion = Motion.of(run.trajectory, ending, *rows)
    asked = whole and (not run.supply.source.asks or _asked(motion, run))
    if not asked and ending.status.success:
        told = f"interrupted after t = {ending.t:.9g} s was reached, before its torques and work were computed"
        motion.ending = replace(ending, status=Status.INTERRUPTED, reason=told)
    if failure is not None and not isinstance(failure, (Exception, KeyboardInterrupt)):  # such as sys.exit() in a function
        raise failure
    if ending.status is Status.FAILED:
        told = f"{motion.name}: {ending.message}. What was computed until then is in the error's `motion`"
        raise SimulationError(told, motion=motion) from failure
    if not motion.success:
        warn(f"{motion.name}: {motion.message}", EndedEarlyWarning)
    tell_of_contacts(run)
    _tell_of_numbers(run, motion)
    if not asked:
        return motion
    try:
        motion.warn()
    except KeyboardInterrupt:
        told = f"{motion.name}: it was interrupted before its energy balance and drift were checked"
        warn(told, SimulationWarning)
    return motion


def _rows(run: Run) -> tuple[tuple[np.ndarray, np.ndarray], bool]:
    """Times and states of the rows that were reached, and whether they are all: Ctrl-C leaves out the last."""
    try:
        with interruptible(run):
            return run.trajectory.all_rows(), True
    except KeyboardInterrupt:
        run.supply.error = None
        return run.trajectory.rows_before_the_end(), False


def _tell_of_numbers(run: Run, motion: Motion) -> None:
    """No run ends as it was asked to with rows that are not numbers, and says nothing.

    Rows are computed when they are asked for: they are looked at only where a step comes near to what they cannot hold.
    """
    if all(np.vdot(s.steps, s.steps) < LARGE * LARGE for s in run.trajectory.segments):
        return
    bad = ~(np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.qd).all(axis=1))
    if bad.any():
        since = motion.t[int(np.argmax(bad))]
        warn(f"{motion.name}: the motion is not finite from t = {since:.9g} s on; its numbers are too large", SimulationWarning)


def _asked(motion: Motion, run: Run) -> bool:
    """Take the torques and wrenches at the rows from their Python functions now, while they are what they were in the run.

    Whether that came to its end: where Ctrl-C stopped it, it is taken up again when somebody asks for them.
    """
    try:
        with interruptible(run):
            motion.ask()
    except KeyboardInterrupt:
        run.supply.error = KeyboardInterrupt()
    done = run.supply.error is None or isinstance(run.supply.error, Exception)
    run.supply.error, run.supply.hangs = None, run.supply.hangs and done
    return done


@contextmanager
def interruptible(run: Run) -> Iterator[None]:
    """Ctrl-C ends the run, also while compiled code is asking Python: an exception could not pass through it."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: run.supply.interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
