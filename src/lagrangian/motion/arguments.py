"""The arguments of `simulate`, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from lagrangian.algorithms import singular_mass
from lagrangian.arguments import boolean, count, floats, jump_times, number
from lagrangian.errors import ArgumentError, ArgumentName, format_value, unknown_name_message
from lagrangian.model.event import Event, LockJoints
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import torque as torque_of
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.settings import METHODS, RATE, STABILISATIONS, Settings, Stabilisation, method_of
from lagrangian.motion.system.prepared import Prepared
from lagrangian.motion.torque import Torque
from lagrangian.motion.wrench import checked as wrenches_of

TIGHT = 1e-11  # relative tolerance below which a method of higher order pays
# speeds up to which a run that turns out stiff is continued with exact derivatives, whose code grows with their square
STIFF_SPEEDS = 30
SAMPLES = 10**10  # of a controller in a run
KEPT = 10_000  # rows up to which even times are kept for the next run: memory is not filled with those of long ones


def span(given: Any, mechanism: Mechanism) -> tuple[float, float]:
    """The pair of times of a run."""
    if given is None:
        given = mechanism.initial.t_span
        if given is None:
            raise ArgumentError(
                f"{mechanism.name} has no default time span",
                remedy=f"give {ArgumentName('t_span')}, such as {ArgumentName('t_span', 10)}",
            )
    try:
        values = floats(given).tolist()
    except TypeError:
        values = []
    values = values if isinstance(values, list) else [0.0, values]
    if len(values) != 2 or not all(isinstance(x, float) and math.isfinite(x) for x in values):
        needed = "a number of seconds is needed, such as 10, or the start and the end, such as (0, 10)"
        raise ArgumentError(f"is {format_value(given)}", argument="t_span", remedy=needed)
    if values[1] <= values[0]:
        raise ArgumentError(
            f"runs from {values[0]:g} to {values[1]:g} s; the end must come after the beginning", argument="t_span"
        )
    return values[0], values[1]


def grid(given: object, start: float, end: float) -> np.ndarray:
    """The times of the rows, in an array of the motion's own."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        rows = count(given, "t_eval", "rows", least=2)
        return _even(start, end, rows).copy() if rows <= KEPT else np.linspace(start, end, rows)
    try:
        times = floats(given).copy()
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not times.size or not np.isfinite(times).all():
        raise ArgumentError("must be a number of rows, or an array of finite times", argument="t_eval")
    if np.any(np.diff(times) <= 0) or times[0] < start or times[-1] > end:
        raise ArgumentError(f"must increase, within t_span from {start:g} to {end:g} s", argument="t_eval")
    return times


@lru_cache(maxsize=16)
def _even(start: float, end: float, count: int) -> np.ndarray:
    return np.linspace(start, end, count)


def drive(torque: Any, wrenches: Any, saturate: object, model: Mechanism, span: tuple[float, float] = (0.0, 0.0)) -> Torque:
    """All that drives a run."""
    source = torque_of.source(torque, model)
    _check_samples(source, *span)
    bounded = _saturates(saturate, model)
    pushes = wrenches_of(wrenches, model)
    if not pushes and not bounded:
        return source
    breaks = tuple(sorted((*source.breaks, *(t for push in pushes for t in jump_times(push.called, "wrenches")))))
    return replace(source, wrenches=pushes, breaks=breaks, saturate=bounded)


def _check_samples(source: Torque, start: float, end: float) -> None:
    """Whether a controller is asked so seldom that the run comes to its end."""
    if source.sampled is not None and not (end - start) / source.sampled.period <= SAMPLES:
        raise ArgumentError(
            f"is {source.sampled.period:g} s, so that the controller would be called more than {SAMPLES:g} times in "
            f"{end - start:g} s",
            where="Sampled",
            argument="period",
            remedy="use a longer period, such as 0.001 for 1 kHz",
        )


def _saturates(given: object, model: Mechanism) -> bool:
    if boolean(given, "saturate") and not any(math.isfinite(float(joint.limits.effort)) for joint in model.joints):
        raise ArgumentError(
            f"no joint of {model.name} has a limit of effort",
            where=ArgumentName("saturate"),
            remedy="give joints limits with an `effort`",
        )
    return bool(given)


def check_progress(given: object) -> None:
    if given is not None and not callable(given):
        raise ArgumentError(f"is {given!r}; a function of (done, total) is needed", argument="progress")


@dataclass
class Options:
    """How a run is to be made, as it was asked for."""

    method: str
    rtol: float
    atol: float
    stabilisation: str
    alpha: float | None
    beta: float | None
    step: float | None
    max_step: float
    limits: bool
    restitution: float
    max_steps: int

    def settings(self, known: Prepared, source: Torque, events: Sequence[Event]) -> Settings:
        """The same, checked: for this mechanism, with what drives it."""
        self._check_numbers()
        if not isinstance(self.stabilisation, str) or self.stabilisation not in STABILISATIONS:
            raise ArgumentError(
                unknown_name_message("stabilisation", self.stabilisation, STABILISATIONS), where=ArgumentName("stabilisation")
            )
        self.method = self.method.lower() if isinstance(self.method, str) else self.method
        chosen = self._integrator()
        if chosen.canonical:
            self._check_symplectic(known, source, events)
        # the slope of a Python function is not known, and a method that needs it would be slower than one that does not
        may_be_stiff = self.method == "auto" and known.dyn.nv <= STIFF_SPEEDS and not source.asks
        return Settings(
            chosen,
            self.rtol,
            self.atol,
            self._stabilised(),
            self.step,
            self.max_step,
            self.limits,
            self.restitution,
            max_steps=self.max_steps,
            stiff=method_of("rodas5p") if may_be_stiff else None,
        )

    def _stabilised(self) -> Stabilisation:
        """With the rates of Baumgarte's equation, which mean nothing elsewhere."""
        for name, given, users in (("alpha", self.alpha, ("baumgarte", "ggl")), ("beta", self.beta, ("baumgarte",))):
            if given is not None and self.stabilisation not in users:
                where = ArgumentName("stabilisation", users[0])
                problem = f"applies to {where}; this run uses {self.stabilisation!r}, where it has no effect"
                raise ArgumentError(problem, argument=name)
        return Stabilisation(
            self.stabilisation, RATE if self.alpha is None else self.alpha, RATE if self.beta is None else self.beta
        )

    def _check_numbers(self) -> None:
        """The numbers as floats, within their bounds: compiled code reads them as they are."""
        self.rtol = number(self.rtol, "rtol", least=1e-15, most=1.0)
        self.atol = number(self.atol, "atol", least=1e-300)
        self.step = None if self.step is None else number(self.step, "step", least=1e-300)
        self.max_step = number(self.max_step, "max_step", least=1e-300, infinite=True)
        self.restitution = number(self.restitution, "restitution", least=0.0, most=1.0)
        self.alpha = None if self.alpha is None else number(self.alpha, "alpha", least=0.0, most=1e9)
        self.beta = None if self.beta is None else number(self.beta, "beta", least=0.0, most=1e9)
        self.limits = boolean(self.limits, "limits")
        self.max_steps = count(self.max_steps, "max_steps", most=10**15)

    def _integrator(self) -> Method:
        """The integrator of a name; "auto" chooses by the tolerance."""
        name = self.method
        if isinstance(name, str) and name == "auto":
            name = "verner9" if self.rtol < TIGHT else "dop853"
        if not isinstance(name, str) or name not in METHODS:
            raise ArgumentError(unknown_name_message("method", name, ["auto", *METHODS]), where=ArgumentName("method"))
        chosen = method_of(name)
        if not chosen.adaptive and self.step is None:
            raise ArgumentError(f"method {name!r} needs a fixed time step; give one, such as {ArgumentName('step', 1e-3)}")
        return chosen

    def _check_symplectic(self, known: Prepared, source: Torque, events: Sequence[Event]) -> None:
        """What a method of coordinates and momenta cannot do."""
        model = known.dyn.mechanism
        if model.equation_count or known.frictional or any(j.kind.quaternion for j in model.joints):
            raise ArgumentError(
                f"method {self.method!r} is for mechanisms without constraints, dry friction, ball and free joints; for others "
                f"dop853 with projection keeps the energy to its tolerance",
                concerns="method",
            )
        if (self.limits and known.limits) or any(isinstance(e.action, LockJoints) for e in events) or source.asks:
            raise ArgumentError(
                f"method {self.method!r} does not support joint limits, locks, or Python functions of torques or wrenches; "
                f"dop853 does. {ArgumentName('limits', False)} ignores limits, and Traced(function) compiles a function"
            )


def is_off_constraint(given: object, stabilisation: str, model: Mechanism) -> bool:
    """Whether a run may begin off its constraints: if it was asked to, and if what it has does not move it onto them at once."""
    if boolean(given, "off_constraint") and stabilisation not in ("baumgarte", "none"):
        raise ArgumentError(
            f"needs {ArgumentName('stabilisation', 'baumgarte')}, which lets the error decay, or 'none'",
            argument="off_constraint",
            remedy=f"this run uses {stabilisation!r}",
        )
    return bool(given) and bool(model.equation_count)


def check_determined(known: Prepared, q: np.ndarray, t: float) -> None:
    """Whether every joint moves some inertia, or constraints move it."""
    dyn, model = known.dyn, known.dyn.mechanism
    if known.massless:
        singular_mass.check_determined(dyn.mass_matrix(q), dyn.constraint_jacobian(q, t), model.speed_names)
    if known.undetermined and not model.equation_count:
        raise ArgumentError(
            f"{model.name}: the bodies that joint {known.undetermined[0]!r} moves have no inertia along it, so that its "
            f"acceleration is not determined; give them a mass and an inertia, give the joint a rotor, or make it fixed"
        )
