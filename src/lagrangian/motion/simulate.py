"""`lagrangian.simulate`: a mechanism, a time span, and what drives it; out comes a `Motion`."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms.undetermined import undetermined_joints
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.start import Start
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, LagrangianError, SimulationError, SimulationWarning, one_of, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import events as events_of
from lagrangian.motion import torque as torque_of
from lagrangian.motion.inputs import STABILISATIONS, Stabilisation
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.integrators.gauss import GaussMethod
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.integrators.rosenbrock import RosenbrockMethod
from lagrangian.motion.modes import frictional, limited
from lagrangian.motion.motion import Motion
from lagrangian.motion.record import Settings
from lagrangian.motion.run import Course
from lagrangian.motion.status import Status
from lagrangian.motion.wrench import checked as wrenches_of

ROWS = 1001
# speeds up to which a run that turns out stiff is continued with exact derivatives, whose code grows with their square
STIFF_SPEEDS = 30


def methods() -> dict[str, Callable[[], Method]]:
    """The integrators by name."""
    from lagrangian.motion.tableaus.dormand_prince5 import DP5
    from lagrangian.motion.tableaus.dormand_prince8 import DOP853
    from lagrangian.motion.tableaus.rodas5p import RODAS5P
    from lagrangian.motion.tableaus.runge_kutta4 import RK4
    from lagrangian.motion.tableaus.verner9 import VERNER9

    return {
        "dp5": lambda: ExplicitMethod(DP5),
        "dop853": lambda: ExplicitMethod(DOP853),
        "verner9": lambda: ExplicitMethod(VERNER9),
        "rodas5p": lambda: RosenbrockMethod(RODAS5P),
        "symplectic": GaussMethod,
        "rk4": lambda: ExplicitMethod(RK4),
    }


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
    wrenches: Any = None,
    saturate: bool = False,
    t_eval: Any = ROWS,
    stabilisation: str = "projection",
    alpha: float = 10.0,
    beta: float = 10.0,
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

    `events` are `Event`s. `t_eval` is the number of rows, or their times. `stabilisation` keeps constraints from drifting:
    projection, baumgarte (with alpha, beta), ggl or none. Joints stop at their limits unless `limits` is False, and bounce by
    `restitution`. `progress(done, total)` is told now and then how many of the seconds are done.
    A run that is interrupted returns what it has.
    """
    dyn = dynamics_of(mechanism)
    model = dyn.mechanism
    start, end = _span(t_span, model)
    grid = _grid(t_eval, start, end)
    _check_numbers(rtol, atol, step, max_step, restitution, alpha, beta)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is {progress!r}; a function of (done, total) is needed")
    if stabilisation not in STABILISATIONS:
        raise ArgumentError(one_of("stabilisation", stabilisation, STABILISATIONS), where=Argument("stabilisation"))
    known = methods()
    method = method.lower() if isinstance(method, str) else method
    if method != "auto" and method not in known:
        raise ArgumentError(one_of("method", method, ["auto", *known]), where=Argument("method"))
    chosen = known[("verner9" if rtol < 1e-11 else "dop853") if method == "auto" else method]()
    if not chosen.adaptive and step is None:
        raise ArgumentError(f"method {method!r} has a fixed step; say how long: {Argument('step', 1e-3)}")
    if chosen.canonical and (model.equations or any(j.kind.quaternion or has_dry_friction(j) for j in model.joints)):
        raise ArgumentError(
            f"method {method!r} is for mechanisms without constraints, dry friction, ball and free joints; for others "
            f"dop853 with projection keeps the energy to its tolerance"
        )
    source, watched = torque_of.source(torque, model), [*events_of.checked(events, model), *events_of.of_walls(model)]
    if source.sampled is not None and source.sampled.period > end - start:
        warn(
            f"{model.name}: the controller is sampled every {source.sampled.period:g} s, and the run lasts {end - start:g} s: "
            f"its first torques are held throughout. The period is in seconds, 0.001 for 1 kHz",
            SimulationWarning,
        )
    pushes = wrenches_of(wrenches, model)
    breaks = (*source.breaks, *(t for push in pushes for t in getattr(push.called, "breaks", ())))
    source = replace(source, wrenches=pushes, breaks=breaks, saturate=_saturates(saturate, model))
    held = (limits and limited(model)) or any(isinstance(e.action, events_of.Lock) for e in watched)
    if chosen.canonical and (held or source.asks):
        raise ArgumentError(
            f"method {method!r} knows no joint limits, locks and Python functions of torques or wrenches; dop853 does. "
            f"{Argument('limits', False)} leaves limits out, Traced(function) compiles a function"
        )
    idle = undetermined_joints(dyn.tree)
    if idle and not model.equations:
        raise ArgumentError(
            f"{model.name}: what joint {idle[0]!r} moves has no inertia along it, so its acceleration is not determined; give "
            f"what it carries a mass and an inertia, give it a rotor, or make it fixed"
        )
    begin = Start(dyn, q0, start)
    q, qd = begin.q, begin.speeds(qd0)
    settings = Settings(
        chosen,
        rtol,
        atol,
        Stabilisation(stabilisation, alpha, beta),
        step,
        max_step,
        limits,
        restitution,
        _redundant(dyn, q, start),
    )
    settings.max_steps = max_steps
    _warn_of_limits(model, q, limits)
    _warn_of_coupled_friction(dyn, q, start)
    # the slope of a Python function is not known, and a method that needs it would be slower than one that does not
    if method == "auto" and dyn.nv <= STIFF_SPEEDS and not source.asks:
        settings.stiff = known["rodas5p"]()
    if method == "rodas5p" and source.asks:
        warn(
            f"{model.name}: rodas5p needs the slope of torques and wrenches, and that of a Python function is not known: its "
            f"steps will be small. Expressions and Traced(function) have one; method='dop853' needs none",
            SimulationWarning,
        )
    return _run(dyn, source, watched, settings, start, end, np.concatenate([q, qd]), grid, progress)


def _run(
    dyn: Dynamics,
    source: Any,
    watched: Any,
    settings: Settings,
    start: float,
    end: float,
    y0: np.ndarray,
    grid: np.ndarray,
    progress: Callable[[float, float], None] | None,
) -> Motion:
    try:
        watch = None if progress is None else lambda t: progress(t - start, end - start)
        course = Course(dyn, source, watched, settings, start, y0, grid, watch)
    except SimulationError as error:
        raise SimulationError(f"{dyn.mechanism.name}: the run could not begin: {error}") from error
    try:
        with interruptible(course):
            ending = course.go(end)
    except LagrangianError:
        raise
    except BaseException as error:  # an interrupt, or the user's progress function: what was computed is not lost
        course.error = error
        course.take_over()
        ending = course.ended(Status.FAILED, str(error))
    failure, course.error = course.error, None  # for the steps that were made, Python functions are asked again
    if isinstance(failure, KeyboardInterrupt):
        ending = course.ended(Status.INTERRUPTED, "")
    motion = Motion.of(course, ending)
    if failure is not None and not isinstance(failure, KeyboardInterrupt):
        raised = SimulationError(
            f"{dyn.mechanism.name}: {ending.message}. What was computed until then is in the error's `motion`"
        )
        raised.motion = motion
        raise raised from failure
    motion.warn()
    return motion


# -- arguments -------------------------------------------------------------------------------------------------------


def _span(given: Any, mechanism: Mechanism) -> tuple[float, float]:
    if given is None:
        given = mechanism.initial.t_span
        if given is None:
            raise ArgumentError(
                f"{mechanism.name} does not say how long to run",
                remedy=f"give {Argument('t_span')}, such as {Argument('t_span', 10)}",
            )
    try:
        values = [float(x) for x in (given if np.ndim(given) else (0.0, given))]
    except (TypeError, ValueError):
        values = []
    if len(values) != 2 or not all(math.isfinite(x) for x in values):
        raise ArgumentError(f"is {given!r}; two finite times are needed, such as (0, 10)", argument="t_span")
    if values[1] <= values[0]:
        raise ArgumentError(
            f"runs from {values[0]:g} to {values[1]:g} s; the end must come after the beginning", argument="t_span"
        )
    return values[0], values[1]


def _grid(given: Any, start: float, end: float) -> np.ndarray:
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        if given < 2:
            raise ArgumentError(f"is {given}; at least 2 rows are needed", argument="t_eval")
        return np.linspace(start, end, int(given))
    try:
        times = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not times.size or not np.isfinite(times).all():
        raise ArgumentError("is needed as a number of rows, or as an array of finite times", argument="t_eval")
    if np.any(np.diff(times) <= 0) or times[0] < start or times[-1] > end:
        raise ArgumentError(f"must increase, within t_span from {start:g} to {end:g} s", argument="t_eval")
    return times


def _saturates(given: Any, model: Mechanism) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"is {given!r}; True or False is needed", argument="saturate")
    if given and not any(math.isfinite(float(joint.limits.effort)) for joint in model.joints):
        raise ArgumentError(
            f"no joint of {model.name} says its greatest torque",
            where=Argument("saturate"),
            remedy="give limits with an `effort`",
        )
    return bool(given)


def _check_numbers(rtol: float, atol: float, step: Any, max_step: float, restitution: float, alpha: float, beta: float) -> None:
    for name, x, low, high in (
        ("rtol", rtol, 1e-15, 1.0),
        ("atol", atol, 1e-300, math.inf),
        ("step", 1.0 if step is None else step, 1e-300, math.inf),
        ("max_step", max_step, 1e-300, math.inf),
        ("restitution", restitution, 0.0, 1.0),
        ("alpha", alpha, 0.0, 1e9),
        ("beta", beta, 0.0, 1e9),
    ):
        if isinstance(x, bool) or not isinstance(x, (int, float, np.floating, np.integer)) or not low <= x <= high:
            raise ArgumentError(
                f"is {x!r}; a number of at least {low:g}{f' and at most {high:g}' if high < 1e9 else ''} is needed", argument=name
            )


def _warn_of_coupled_friction(dyn: Dynamics, q: np.ndarray, t: float) -> None:
    """Joints that a loop couples can hold each other: which one does is not determined."""
    speeds = [h.speed for h in frictional(dyn.mechanism)]
    if not dyn.mechanism.equations or not speeds:
        return
    psi = dyn.constraint_jacobian(q, t)
    both = np.vstack([psi, np.eye(dyn.nv)[speeds]])
    if np.linalg.matrix_rank(both) < np.linalg.matrix_rank(psi) + len(speeds):
        warn(
            f"{dyn.mechanism.name}: more joints have dry friction than can move by themselves. How they share what holds the "
            f"mechanism at rest is not determined, and it may begin to slip too early",
            SimulationWarning,
        )


def _warn_of_limits(model: Mechanism, q: np.ndarray, limits: bool) -> None:
    """Say which limits will not be kept."""
    at = 0
    for joint in model.joints:
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if limits and (math.isfinite(lower) or math.isfinite(upper)):
            if joint.kind.nq != 1:
                told = f"limits of a {joint.type} joint are not kept"
            elif not lower <= q[at] <= upper:
                told = f"it begins at {q[at]:g}, outside its limits {lower:g} to {upper:g}, which are not kept"
            else:
                told = ""
            if told:
                warn(f"{model.name}: joint {joint.name!r}: {told}", SimulationWarning)
        at += joint.kind.nq


@contextmanager
def interruptible(course: Course) -> Iterator[None]:
    """Ctrl-C ends the run, also while compiled code is asking Python: an exception could not pass through it."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: course.interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def has_dry_friction(joint: Any) -> bool:
    return bool(float(joint.friction.coulomb) or float(joint.friction.coulomb_negative or 0))


def _redundant(dyn: Dynamics, q: np.ndarray, t: float) -> bool:
    """Whether some equations follow from others; a start that is singular is said."""
    if not dyn.mechanism.equations:
        return False
    found = mobility(dyn, q, t)
    if found.singular:
        warn(f"{dyn.mechanism.name}: the run begins in a singular configuration. {found}", SimulationWarning)
    return int(dyn.restricting.sum()) > found.speeds - found.nearby
