"""One motion by several integrators and tolerances, side by side: what each costs, and how well it does."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from inspect import signature
from math import inf, nan
from typing import Any

import numpy as np

from lagrangian.arguments import texts
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, SimulationError, SimulationWarning, is_number, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.showing import ShownText
from lagrangian.motion.motion import Motion
from lagrangian.motion.settings import METHODS, method_of
from lagrangian.motion.simulate import simulate

ADAPTIVE = ("dp5", "dop853", "verner9", "rodas5p")
TOLERANCES = (1e-6, 1e-8, 1e-10)
TIGHTEST = 1e-13
REPEATED = 3  # times that a run is made, of which the fastest counts
COMPARED = 201  # times at which states are compared
OWN = ("method", "rtol", "atol", "step", "t_eval", "progress")  # options that the comparison sets itself


@dataclass(frozen=True)
class SolverRow:
    """A run of the comparison: `rtol` of a method with error control, `step` of one without."""

    method: str
    rtol: float
    step: float
    steps: int
    rejected: int
    evaluations: int
    seconds: float  # on the clock, compiling not counted
    energy_error: float  # of the energy moved
    drift: float  # of constraints, at the steps
    difference: float  # the largest of a coordinate or speed to the reference
    ended: str  # how, where it did not get to its end


@dataclass(frozen=True)
class SolverComparison(ShownText):
    """A row for every integrator and tolerance. The `reference`, to which all are compared, is Verner's 9(8) at rtol 1e-13."""

    name: str
    rows: tuple[SolverRow, ...]
    reference: Motion

    def to_dict(self) -> dict[str, Any]:
        """The rows as plain data."""
        return {"mechanism": self.name, "rows": [asdict(row) for row in self.rows]}

    def __str__(self) -> str:
        drifts = len(self.reference.constraint_names) > 0
        head = ["method", "rtol or step", "steps", "rejected", "evaluations", "ms", "energy error", "drift", "difference"]
        table = [head]
        for r in self.rows:
            how = f"rtol {r.rtol:.0e}" if r.rtol == r.rtol else f"step {r.step:g} s"
            cells = [f"{r.steps}", f"{r.rejected}", f"{r.evaluations}", f"{1e3 * r.seconds:.2f}"]
            table.append([r.method, how, *cells, *(f"{x:.1e}" for x in (r.energy_error, r.drift, r.difference))])
        if not drifts:
            table = [[cell for k, cell in enumerate(row) if head[k] != "drift"] for row in table]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = []
        for row, ended in zip(table, ["", *(r.ended for r in self.rows)], strict=True):
            cells = [c.ljust(w) if k < 2 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
            lines.append(("  ".join(cells) + (f"  {ended}" if ended else "")).rstrip())
        told = f"{self.name}, {self.reference.first:g} to {self.reference.last:.6g} s; the difference is to verner9 at rtol 1e-13"
        return "\n".join([told, *lines])


def compare_solvers(
    mechanism: MechanismLike | Dynamics,
    t_span: Any = None,
    q0: Any = None,
    qd0: Any = None,
    torque: Any = None,
    *,
    methods: Iterable[str] | None = None,
    rtols: Iterable[float] = TOLERANCES,
    steps: Iterable[float] = (),
    **options: Any,
) -> SolverComparison:
    """The same run by every one of `methods` at every one of `rtols`, with atol a hundredth of rtol; and how they compare.

    Methods of a fixed step, such as rk4 and symplectic, run at every one of `steps` instead. By default those with error control
    are compared, and rk4 too if steps are given. Other options are those of `simulate`.
    """
    dyn = dynamics_of(mechanism)
    _check_options(options)
    rtols, steps = _numbers(rtols, "rtols", 1e-15), _numbers(steps, "steps", 1e-300)
    chosen = _methods(methods, steps)
    if not rtols and any(method_of(name).adaptive for name in chosen):
        raise ArgumentError("is empty; the methods with error control need at least one tolerance", argument="rtols")
    given = {"t_span": t_span, "q0": q0, "qd0": qd0, "torque": torque, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # what they would say is in the table
        reference = simulate(dyn, method="verner9", rtol=TIGHTEST, atol=1e-2 * TIGHTEST, **given)
        rows = []
        for name in chosen:
            if method_of(name).adaptive:
                rows += [_row(dyn, reference, name, given, rtol, nan) for rtol in rtols]
            else:
                rows += [_row(dyn, reference, name, given, nan, step) for step in steps]
    return SolverComparison(dyn.mechanism.name, tuple(rows), reference)


def _check_options(options: dict[str, Any]) -> None:
    known = [name for name in signature(simulate).parameters if name not in OWN]
    for name in options:
        if name in OWN:
            raise ArgumentError(f"{name!r} is what the comparison varies; give methods, rtols or steps", where="compare_solvers")
        if name not in known:
            raise ArgumentError(one_of("argument", name, [*known, "methods", "rtols", "steps"]), where="compare_solvers")


def _numbers(given: Any, argument: str, least: float) -> list[float]:
    found = [given] if is_number(given) else list(given)
    for x in found:
        if not is_number(x) or not x >= least:
            raise ArgumentError(f"has {x!r}; positive numbers are needed", argument=argument)
    return [float(x) for x in found]


def _methods(given: Iterable[str] | None, steps: list[float]) -> list[str]:
    chosen = [*ADAPTIVE, *(["rk4"] if steps else [])] if given is None else list(texts(given, "methods"))
    if not chosen:
        raise ArgumentError(f"is empty; at least one of {', '.join(METHODS)} is needed", argument="methods")
    for name in chosen:
        if name not in METHODS:
            raise ArgumentError(one_of("method", name, METHODS), concerns="methods")
        if not method_of(name).adaptive and not steps:
            raise ArgumentError(f"has {name!r}, whose step is fixed; give {Argument('steps', [1e-3])}", argument="methods")
    return chosen


def _row(dyn: Dynamics, reference: Motion, name: str, given: dict[str, Any], rtol: float, step: float) -> SolverRow:
    how: dict[str, Any] = {"rtol": rtol, "atol": 1e-2 * rtol} if rtol == rtol else {"step": step}
    try:
        simulate(dyn, method=name, **how, **given, t_eval=2)  # compiled now
        seconds = inf
        for _ in range(REPEATED):
            began = time.perf_counter()
            motion = simulate(dyn, method=name, **how, **given, t_eval=2)
            seconds = min(seconds, time.perf_counter() - began)
    except SimulationError as error:
        return SolverRow(name, rtol, step, 0, 0, 0, nan, nan, nan, nan, error.problem)
    s = motion.statistics
    end = min(motion.last, reference.last)
    times = np.linspace(reference.first, end, COMPARED)
    ours, theirs = (np.hstack(x(times)) for x in (motion, reference))
    rows = motion.resample(times)
    return SolverRow(
        name,
        rtol,
        step,
        int(s["accepted"]),
        int(s["rejected"]),
        int(s["evaluations"]),
        seconds,
        float(np.abs(rows.balance).max()) / rows.energy_scale,
        float(s["drift_at_steps"]),
        float(np.abs(ours - theirs).max()),
        "" if motion.success else motion.message,
    )
