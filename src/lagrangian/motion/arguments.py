"""The arguments of `simulate`, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from lagrangian.algorithms.closed import massless
from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.model.event import Event, Lock
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


def span(given: Any, mechanism: Mechanism) -> tuple[float, float]:
    """The pair of times of a run."""
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


def grid(given: object, start: float, end: float) -> np.ndarray:
    """The times of the rows, in an array of the motion's own."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        if given < 2:
            raise ArgumentError(f"is {given}; at least 2 rows are needed", argument="t_eval")
        return _even(start, end, int(given)).copy()
    try:
        times = np.array(given, dtype=float)
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


def drive(torque: Any, wrenches: Any, saturate: object, model: Mechanism) -> Torque:
    """All that drives a run."""
    source = torque_of.source(torque, model)
    bounded = _saturates(saturate, model)
    pushes = wrenches_of(wrenches, model)
    if not pushes and not bounded:
        return source
    breaks = tuple(sorted((*source.breaks, *(t for push in pushes for t in getattr(push.called, "breaks", ())))))
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
        if self.stabilisation not in STABILISATIONS:
            raise ArgumentError(one_of("stabilisation", self.stabilisation, STABILISATIONS), where=Argument("stabilisation"))
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
                has = (
                    f"is of {Argument('stabilisation', 'baumgarte')}; this run has {self.stabilisation!r}, where it does nothing"
                )
                raise ArgumentError(has, argument=name)
        return Stabilisation(
            self.stabilisation, RATE if self.alpha is None else self.alpha, RATE if self.beta is None else self.beta
        )

    def _check_numbers(self) -> None:
        """Whether the numbers are such, and within their bounds."""
        for name, x, low, high in (
            ("rtol", self.rtol, 1e-15, 1.0),
            ("atol", self.atol, 1e-300, math.inf),
            ("step", 1.0 if self.step is None else self.step, 1e-300, math.inf),
            ("max_step", self.max_step, 1e-300, math.inf),
            ("restitution", self.restitution, 0.0, 1.0),
            ("alpha", RATE if self.alpha is None else self.alpha, 0.0, 1e9),
            ("beta", RATE if self.beta is None else self.beta, 0.0, 1e9),
        ):
            if isinstance(x, bool) or not isinstance(x, (int, float, np.floating, np.integer)) or not low <= x <= high:
                raise ArgumentError(
                    f"is {x!r}; a number of at least {low:g}{f' and at most {high:g}' if high < 1e9 else ''} is needed",
                    argument=name,
                )

    def _integrator(self) -> Method:
        """The integrator of a name; "auto" chooses by the tolerance."""
        name = ("verner9" if self.rtol < TIGHT else "dop853") if self.method == "auto" else self.method
        if not isinstance(name, str) or name not in METHODS:
            raise ArgumentError(one_of("method", name, ["auto", *METHODS]), where=Argument("method"))
        chosen = method_of(name)
        if not chosen.adaptive and self.step is None:
            raise ArgumentError(f"method {name!r} has a fixed step; say how long: {Argument('step', 1e-3)}")
        return chosen

    def _check_symplectic(self, known: Prepared, source: Torque, events: Sequence[Event]) -> None:
        """What a method of coordinates and momenta cannot do."""
        model = known.dyn.mechanism
        if model.equations or known.frictional or any(j.kind.quaternion for j in model.joints):
            raise ArgumentError(
                f"method {self.method!r} is for mechanisms without constraints, dry friction, ball and free joints; for others "
                f"dop853 with projection keeps the energy to its tolerance",
                concerns="method",
            )
        if (self.limits and known.limits) or any(isinstance(e.action, Lock) for e in events) or source.asks:
            raise ArgumentError(
                f"method {self.method!r} knows no joint limits, locks and Python functions of torques or wrenches; dop853 does. "
                f"{Argument('limits', False)} leaves limits out, Traced(function) compiles a function"
            )


def is_off_constraint(given: object, stabilisation: str, model: Mechanism) -> bool:
    """Whether a run may begin off its constraints: if it was asked to, and if what it has does not move it onto them at once."""
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"is {given!r}; True or False is needed", argument="off_constraint")
    if given and stabilisation not in ("baumgarte", "none"):
        raise ArgumentError(
            f"needs {Argument('stabilisation', 'baumgarte')}, which lets the error fade, or 'none'",
            argument="off_constraint",
            remedy=f"this run has {stabilisation!r}",
        )
    return bool(given) and bool(model.equations)


def check_determined(known: Prepared, q: np.ndarray, t: float) -> None:
    """Whether every joint moves some inertia, or constraints move it."""
    dyn, model = known.dyn, known.dyn.mechanism
    if known.massless:
        massless.check_determined(dyn.mass_matrix(q), dyn.constraint_jacobian(q, t), model.speed_names)
    if known.undetermined and not model.equations:
        raise ArgumentError(
            f"{model.name}: what joint {known.undetermined[0]!r} moves has no inertia along it, so its acceleration is not "
            f"determined; give what it carries a mass and an inertia, give it a rotor, or make it fixed"
        )
