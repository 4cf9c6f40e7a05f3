"""The arguments of `simulate`, checked, and what is to be said before a run begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from lagrangian.configuration.mobility import mobility, rank
from lagrangian.errors import Argument, ArgumentError, SimulationWarning, one_of, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import torque as torque_of
from lagrangian.motion.events import Event, Lock
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.settings import METHODS, STABILISATIONS, method_of
from lagrangian.motion.system.prepared import Prepared
from lagrangian.motion.torque import Torque
from lagrangian.motion.wrench import checked as wrenches_of

TIGHT = 1e-11  # relative tolerance below which a method of higher order pays


def span(given: Any, mechanism: Mechanism) -> tuple[float, float]:
    if given is None:
        given = mechanism.initial.t_span
        if given is None:
            raise ArgumentError(
                f"{mechanism.name} does not say how long to run",
                remedy=f"give {Argument('t_span')}, such as {Argument('t_span', 10)}",
            )
    """The pair of times of a run."""
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


def grid(given: object, start: float, end: float) -> np.ndarray:
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        if given < 2:
            raise ArgumentError(f"is {given}; at least 2 rows are needed", argument="t_eval")
        return _even(start, end, int(given)).copy()
    try:
        times = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not times.size or not np.isfinite(times).all():
        raise ArgumentError("is needed as a number of rows, or as an array of finite times", argument="t_eval")
    if np.any(np.diff(times) <= 0) or times[0] < start or times[-1] > end:
        raise ArgumentError(f"must increase, within t_span from {start:g} to {end:g} s", argument="t_eval")
    return times


@lru_cache(maxsize=16)
def _even(start: float, end: float, count: int) -> np.ndarray:
    return np.linspace(start, end, count)


def integrator(name: object, rtol: float, step: float | None) -> Method:
    """The integrator of a name; "auto" chooses by the tolerance."""
    if name == "auto":
        name = "verner9" if rtol < TIGHT else "dop853"
    if not isinstance(name, str) or name not in METHODS:
        raise ArgumentError(one_of("method", name, ["auto", *METHODS]), where=Argument("method"))
    chosen = method_of(name)
    if not chosen.adaptive and step is None:
        raise ArgumentError(f"method {name!r} has a fixed step; say how long: {Argument('step', 1e-3)}")
    return chosen


def check_symplectic(name: str, known: Prepared, source: Torque, events: Sequence[Event], limits: bool) -> None:
    """What a method of coordinates and momenta cannot do."""
    model = known.dyn.mechanism
    if model.equations or known.frictional or any(j.kind.quaternion for j in model.joints):
        raise ArgumentError(
            f"method {name!r} is for mechanisms without constraints, dry friction, ball and free joints; for others "
            f"dop853 with projection keeps the energy to its tolerance"
        )
    if (limits and known.limits) or any(isinstance(e.action, Lock) for e in events) or source.asks:
        raise ArgumentError(
            f"method {name!r} knows no joint limits, locks and Python functions of torques or wrenches; dop853 does. "
            f"{Argument('limits', False)} leaves limits out, Traced(function) compiles a function"
        )


def check_stabilisation(name: object) -> None:
    if name not in STABILISATIONS:
        raise ArgumentError(one_of("stabilisation", name, STABILISATIONS), where=Argument("stabilisation"))


def drive(torque: Any, wrenches: Any, saturate: object, model: Mechanism) -> Torque:
    """All that drives a run."""
    source = torque_of.source(torque, model)
    bounded = _saturates(saturate, model)
    pushes = wrenches_of(wrenches, model)
    if not pushes and not bounded:
        return source
    breaks = (*source.breaks, *(t for push in pushes for t in getattr(push.called, "breaks", ())))
    return replace(source, wrenches=pushes, breaks=breaks, saturate=bounded)


def _saturates(given: object, model: Mechanism) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"is {given!r}; True or False is needed", argument="saturate")
    if given and not any(math.isfinite(float(joint.limits.effort)) for joint in model.joints):
        raise ArgumentError(
            f"no joint of {model.name} says its greatest torque",
            where=Argument("saturate"),
            remedy="give limits with an `effort`",
        )
    return bool(given)


def check_numbers(
    rtol: float, atol: float, step: float | None, max_step: float, restitution: float, alpha: float, beta: float
) -> None:
    """Whether the numbers are such, and within their bounds."""
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


def check_determined(known: Prepared) -> None:
    """Whether every joint moves some inertia."""
    model = known.dyn.mechanism
    if known.undetermined and not model.equations:
        raise ArgumentError(
            f"{model.name}: what joint {known.undetermined[0]!r} moves has no inertia along it, so its acceleration is not "
            f"determined; give what it carries a mass and an inertia, give it a rotor, or make it fixed"
        )


# -- cautions --------------------------------------------------------------------------------------------------------


def warn_of_source(model: Mechanism, source: Torque, method: str, duration: float) -> None:
    """Say what is unlikely to be meant."""
    if source.sampled is not None and source.sampled.period > duration:
        warn(
            f"{model.name}: the controller is sampled every {source.sampled.period:g} s, and the run lasts {duration:g} s: "
            f"its first torques are held throughout. The period is in seconds, 0.001 for 1 kHz",
            SimulationWarning,
        )
    if method == "rodas5p" and source.asks:
        warn(
            f"{model.name}: rodas5p needs the slope of torques and wrenches, and that of a Python function is not known: its "
            f"steps will be small. Expressions and Traced(function) have one; method='dop853' needs none",
            SimulationWarning,
        )


def warn_of_coupled_friction(known: Prepared, q: np.ndarray, t: float) -> None:
    """Joints that a loop couples can hold each other: which one does is not determined."""
    dyn, speeds = known.dyn, [h.speed for h in known.frictional]
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


def warn_of_limits(model: Mechanism, q: np.ndarray, limits: bool) -> None:
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


def is_redundant(dyn: Dynamics, q: np.ndarray, t: float) -> bool:
    """Whether some equations follow from others; a start that is singular is said."""
    if not dyn.mechanism.equations:
        return False
    says = int(dyn.restricting.sum())
    if rank(dyn, q, t) == says:  # as here, so around
        return False
    found = mobility(dyn, q, t)
    if found.singular:
        warn(f"{dyn.mechanism.name}: the run begins in a singular configuration. {found}", SimulationWarning)
    return says > found.speeds - found.nearby
