"""How the start of a run changes with parameters, and with coordinates and speeds that are given.

A start that is written with parameters follows them. In a mechanism with loops, what is not given follows so that the loops stay
closed and the speeds keep them: the implicit function theorem, with the least change where that leaves a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.algorithms.closed.constraints import coordinate_rates
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.configuration import Partial
from lagrangian.model.expression.lanes import Lanes, LaneValues
from lagrangian.motion.sensitivity.quantities import CLOSURE, SPEEDS, Quantities

RANK = 1e-10


def start_slopes(
    dyn: Dynamics, quantities: Quantities, over: Sequence[str], values: Mapping[str, float], y: np.ndarray, t: float, own: bool
) -> np.ndarray:
    """dy0 / d over, (nq + nv, over). `own` says that the run began as the mechanism itself says; `values` are the parameters'."""
    model, nq, nv = dyn.mechanism, dyn.nq, dyn.nv
    slopes = np.zeros((nq + nv, len(over)))
    names = [*model.coordinate_names, *(f"qd_{name}" for name in model.speed_names)]
    for column, name in enumerate(over):
        if name in names:
            slopes[names.index(name), column] = 1.0
    if own:
        slopes += _written(dyn, over, values)
    if not model.equations:
        return slopes
    found = quantities(np.array([t]), y[None])
    psi = dyn.constraint_jacobian(y[:nq], t)
    by_parameter = {name: np.zeros((found[name].value.shape[1], len(over))) for name in (CLOSURE, SPEEDS)}
    for k, name in enumerate(values):
        for group, table in by_parameter.items():
            table[:, over.index(name)] = found[group].by_parameter[0, :, k]
    q, qd = slopes[:nq], slopes[nq:]
    held = _held(model.coordinate_names, [*(_given(model.initial.q) if own else ()), *over])
    off = by_parameter[CLOSURE] + found[CLOSURE].by_state[0][:, :nq] @ q
    q += _coordinates(dyn, y[:nq], least_change(psi[dyn.holonomic], off, held if nq == nv else []))
    held = _held(model.speed_names, [*(_given(model.initial.qd) if own else ()), *(x[3:] for x in over if x.startswith("qd_"))])
    off = by_parameter[SPEEDS] + found[SPEEDS].by_state[0][:, :nq] @ q + psi @ qd
    qd += least_change(psi, off, held)
    return slopes


def _written(dyn: Dynamics, over: Sequence[str], values: Mapping[str, float]) -> np.ndarray:
    """Slopes of a start that is written with parameters."""
    model = dyn.mechanism
    names, others = {}, {}
    for name, value in values.items():
        unit = np.zeros((len(over), 1))
        unit[over.index(name)] = 1.0
        names[name] = Lanes(np.array([value]), unit)
        if name in model.parameters:
            others[id(model.parameters[name])] = names[name]
    read = LaneValues(names, others)
    found = np.zeros((dyn.nq + dyn.nv, len(over)))
    for first, given in ((0, model.initial.q), (dyn.nq, model.initial.qd)):
        for k, x in enumerate(given or ()):
            lanes = read.of(x)
            if isinstance(lanes, Lanes) and lanes.slopes is not None:
                found[first + k] = lanes.slopes[:, 0]
    return found


def _given(start: Any) -> Iterable[str]:
    return start.given if isinstance(start, Partial) else ()


def _held(names: Sequence[str], given: Iterable[str]) -> list[int]:
    return [names.index(name) for name in given if name in names]


def least_change(psi: np.ndarray, off: np.ndarray, held: Sequence[int]) -> np.ndarray:
    """The least change along the speeds, of those that are not held, that makes up for what constraints miss by."""
    free = np.ones(psi.shape[1])
    free[list(held)] = 0.0
    change: np.ndarray = -free[:, None] * (np.linalg.pinv(psi * free, rcond=RANK) @ off)
    return change


def _coordinates(dyn: Dynamics, q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """A change along the speeds as one of the coordinates."""
    columns = [coordinate_rates(dyn.mechanism, q.tolist(), column.tolist()) for column in change.T]
    return np.array(columns, dtype=float).reshape(-1, dyn.nq).T
