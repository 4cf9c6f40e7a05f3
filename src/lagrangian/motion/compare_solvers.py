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
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, ArgumentName, SimulationError, SimulationWarning, is_number, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.display import TextDisplay
from lagrangian.motion.motion import Motion
from lagrangian.motion.settings import METHODS, method_of
from lagrangian.motion.simulate import simulate
from lagrangian.motion.torque import TorqueLike
from lagrangian.types import State, TimeSpan

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
class SolverComparison(TextDisplay):
    """The comparison of integrators and tolerances on one motion.

    `compare_solvers` returns this; `print` shows it as a table.

    Attributes
    ----------
    name : str
        The name of the mechanism.
    rows : tuple of SolverRow
        One row for each run. It has `method`, `rtol` (NaN for a fixed step), `step`, `steps`, `rejected` and `evaluations`;
        `seconds`, the time without compilation; `energy_error`, in relation to the energy moved; `drift`; `difference`, the
        largest one of a coordinate or speed to the reference; and `ended`, why the motion ended early, or "".
    reference : Motion
        The motion by Verner's method of order 9 at the tolerance 1e-13, with which all others are compared.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.compare_solvers("pendulum", 2, methods=["dp5", "dop853"], rtols=[1e-6, 1e-9])
    >>> for row in found.rows:
    ...     print(row.method, row.rtol, f"{row.difference:.0e}")
    dp5 1e-06 1e-05
    dp5 1e-09 1e-08
    dop853 1e-06 2e-06
    dop853 1e-09 4e-09
    """

    name: str
    rows: tuple[SolverRow, ...]
    reference: Motion

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain data."""
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
        told = f"{self.name}, {self.reference.first:g} to {self.reference.last:.6g} s; differences are to verner9 at rtol 1e-13"
        return "\n".join([told, *lines])


def compare_solvers(
    mechanism: MechanismLike | Dynamics,
    t_span: TimeSpan = None,
    q0: State = None,
    qd0: State = None,
    torque: TorqueLike = None,
    *,
    methods: Iterable[str] | None = None,
    rtols: Iterable[float] = TOLERANCES,
    steps: Iterable[float] = (),
    **options: object,
) -> SolverComparison:
    """Simulate one motion with several integrators and tolerances, and compare them.

    The comparison measures the time, the numbers of steps and evaluations, the energy error, and the difference to a reference
    of high accuracy. The absolute tolerance is a hundredth of the relative one.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        The mechanism, the name of one in the library, a file, or compiled dynamics.
    t_span, q0, qd0, torque : optional
        The time span, the start and the torques, as for `simulate`.
    methods : list of str, optional
        The integrators. By default all with error control ("dp5", "dop853", "verner9", "rodas5p"), and "rk4" if you give
        `steps`.
    rtols : list of float, optional
        The relative tolerances of the methods with error control; 1e-6, 1e-8 and 1e-10 by default.
    steps : list of float, optional
        The time steps of the methods with a fixed step ("rk4", "symplectic"), in s.
    **options
        Other arguments of `simulate`.

    Returns
    -------
    SolverComparison
        A row for each run.

    Other Parameters
    ----------------
    events, parameters, wrenches, saturate, limits, restitution, max_steps
        As for `simulate`.
    stabilisation, alpha, beta, off_constraint, max_step
        As for `simulate`.

    Raises
    ------
    ArgumentError
        If there is no such method, or if a method with a fixed step has no `steps`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.compare_solvers("pendulum", 2, methods=["dop853", "rk4"], rtols=[1e-8], steps=[0.01])
    >>> print(found.rows[1].method, found.rows[1].steps, "steps")
    rk4 200 steps
    """
    dyn = as_dynamics(mechanism)
    _check_options(options)
    rtols, steps = _numbers(rtols, "rtols", 1e-15), _numbers(steps, "steps", 1e-300)
    chosen = _methods(methods, steps)
    if not rtols and any(method_of(name).adaptive for name in chosen):
        raise ArgumentError("is empty; the methods with error control need at least one tolerance", argument="rtols")
    given: dict[str, Any] = {"t_span": t_span, "q0": q0, "qd0": qd0, "torque": torque, **options}
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


def _check_options(options: dict[str, object]) -> None:
    known = [name for name in signature(simulate).parameters if name not in OWN]
    for name in options:
        if name in OWN:
            raise ArgumentError(f"{name!r} is what the comparison varies; give methods, rtols or steps", where="compare_solvers")
        if name not in known:
            raise ArgumentError(
                unknown_name_message("argument", name, [*known, "methods", "rtols", "steps"]), where="compare_solvers"
            )


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
            raise ArgumentError(unknown_name_message("method", name, METHODS), concerns="methods")
        if not method_of(name).adaptive and not steps:
            raise ArgumentError(f"has {name!r}, whose step is fixed; give {ArgumentName('steps', [1e-3])}", argument="methods")
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
        float(np.abs(rows.energy_balance).max()) / rows.energy_scale,
        float(s["drift_at_steps"]),
        float(np.abs(ours - theirs).max()),
        "" if motion.success else motion.message,
    )
