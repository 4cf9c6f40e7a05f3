"""How the start of a run changes with parameters, and with coordinates and speeds that are given.

A start that is written with parameters follows them. In a mechanism with loops, what is not given follows so that the loops stay
closed and the speeds keep them: the implicit function theorem, with the least change where that leaves a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.errors import DescriptionError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.expression import Expression, parse
from lagrangian.model.expression.automatic_derivatives import DualArray, SampleEvaluator
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.sensitivity.quantities import CLOSURE, SPEEDS, Quantities

RANK = 1e-10


@dataclass(frozen=True)
class StartRows:
    """Coordinates and speeds as they were given: numbers, or what they are written with; and the names of those that are held."""

    q: Sequence[Any]
    qd: Sequence[Any]
    held: Sequence[str]
    held_speeds: Sequence[str]


def rows_of_start(mechanism: Mechanism, q0: Any, qd0: Any) -> StartRows:
    """What `simulate` takes for a start."""
    own = mechanism.initial.q if mechanism.initial.q is not None else PartialState(mechanism.neutral())
    q, held = _read(mechanism, own, q0, mechanism.coordinate_names)
    speeds = mechanism.initial.qd if qd0 is None and q0 is None else None
    none = PartialState([0.0] * mechanism.nv)
    qd, held_speeds = _read(mechanism, none if speeds is None else speeds, qd0, mechanism.speed_names)
    return StartRows(q, qd, held, held_speeds)


def _read(mechanism: Mechanism, own: Any, given: Any, names: Sequence[str]) -> tuple[Sequence[Any], Sequence[str]]:
    if isinstance(given, str):
        given = mechanism.poses.get(given.strip(), given)
    if isinstance(given, Mapping):
        row = list(own)
        for name, x in given.items():
            row[names.index(name)] = _scalar(x, mechanism)
        return row, tuple(given)
    row = own if given is None or isinstance(given, str) else given
    return list(row), row.given_names if isinstance(row, PartialState) else ()


def _scalar(x: Any, mechanism: Mechanism) -> Any:
    """A text as the expression that it is; one that is none is a number with a unit, which follows no parameter."""
    if not isinstance(x, str):
        return x
    try:
        return parse(x, mechanism.parameters)
    except DescriptionError:
        return x


def start_slopes(
    dyn: Dynamics,
    quantities: Quantities,
    over: Sequence[str],
    values: Mapping[str, float],
    y: np.ndarray,
    t: float,
    row: StartRows,
) -> np.ndarray:
    """dy0 / d over, (nq + nv, over); `values` are the parameters', and `row` is the start as it was given."""
    model, nq, nv = dyn.mechanism, dyn.nq, dyn.nv
    slopes = _written(dyn, over, values, row)
    names = [*model.coordinate_names, *(f"qd_{name}" for name in model.speed_names)]
    for column, name in enumerate(over):
        if name in names:
            slopes[names.index(name), column] = 1.0
    if not model.equation_count:
        return slopes
    found = quantities(np.array([t]), y[None])
    psi = dyn.constraint_jacobian(y[:nq], t)
    by_parameter = {name: np.zeros((found[name].value.shape[1], len(over))) for name in (CLOSURE, SPEEDS)}
    for k, name in enumerate(values):
        for group, table in by_parameter.items():
            table[:, over.index(name)] = found[group].by_parameter[0, :, k]
    q, qd = slopes[:nq], slopes[nq:]
    held = _places(model.coordinate_names, [*row.held, *over])
    off = by_parameter[CLOSURE] + found[CLOSURE].by_state[0][:, :nq] @ q
    q += coordinate_change(dyn, y[:nq], least_change(psi[dyn.holonomic], off, held if nq == nv else []))
    held = _places(model.speed_names, [*row.held_speeds, *(x[3:] for x in over if x.startswith("qd_"))])
    off = by_parameter[SPEEDS] + found[SPEEDS].by_state[0][:, :nq] @ q + psi @ qd
    qd += least_change(psi, off, held)
    return slopes


def _written(dyn: Dynamics, over: Sequence[str], values: Mapping[str, float], row: StartRows) -> np.ndarray:
    """Slopes of a start that is written with parameters."""
    model = dyn.mechanism
    names, others = {}, {}
    for name, value in values.items():
        unit = np.zeros((len(over), 1))
        unit[over.index(name)] = 1.0
        names[name] = DualArray(np.array([value]), unit)
        if name in model.parameters:
            others[id(model.parameters[name])] = names[name]
    read = SampleEvaluator(names, others)
    found = np.zeros((dyn.nq + dyn.nv, len(over)))
    for first, given in ((0, row.q), (dyn.nq, row.qd)):
        for k, x in enumerate(given):
            lanes = read.evaluate(x) if isinstance(x, (NumberWithSource, Expression)) else x
            if isinstance(lanes, DualArray) and lanes.slopes is not None:
                found[first + k] = lanes.slopes[:, 0]
    return found


def _places(names: Sequence[str], given: Iterable[str]) -> list[int]:
    return [names.index(name) for name in given if name in names]


def least_change(psi: np.ndarray, off: np.ndarray, held: Sequence[int]) -> np.ndarray:
    """The least change along the speeds, of those that are not held, that makes up for what constraints miss by."""
    free = np.ones(psi.shape[1])
    free[list(held)] = 0.0
    change: np.ndarray = -free[:, None] * (np.linalg.pinv(psi * free, rcond=RANK) @ off)
    return change


def coordinate_change(dyn: Dynamics, q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """A change along the speeds as one of the coordinates."""
    columns = [coordinate_rates(dyn.mechanism, q.tolist(), column.tolist()) for column in change.T]
    return np.array(columns, dtype=float).reshape(-1, dyn.nq).T
