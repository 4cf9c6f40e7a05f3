"""A trace as rows: each after what it needs, and with the values of the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.kernels.programs.sweeps import TreeProgram, trace_unrolled
from lagrangian.kernels.trace import rows as r
from lagrangian.kernels.trace.node import NUMBERS, Graph, Trace
from lagrangian.kernels.trace.replay import replay
from tests.kernels.test_schedule import all_operations

NUMPY: dict[str, Callable[..., Any]] = {
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    **{name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "tanh", "floor")},
}  # fmt: skip


def run(rows: r.OperationRows, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Rows in numpy; what is not computed yet is NaN, so that a row that comes too early is found."""
    values = np.full(rows.size, np.nan)
    known = np.concatenate([rows.constants, *(arrays[name][indices] for name, indices in rows.inputs.items())])
    values[: len(known)] = known
    for phase in rows.phases:
        for each in phase.functions:
            values[each.first : each.first + each.arguments.shape[1]] = NUMPY[each.name](*values[each.arguments])
        width = phase.kinds.shape[1]
        for k, (kinds, places) in enumerate(zip(phase.kinds, phase.places, strict=True)):
            a, b, c, d, e = values[places]
            root = np.sqrt(np.where(kinds == r.ROOT, a * b, 1.0))
            sign = np.where(a > 0, c, np.where(a < 0, d, 0 * a))
            each_kind = [(a * b + c * d) / e, (a * b - c * d) / e, root, np.where(a < b, c, d), sign]
            values[phase.first + k * width :][:width] = np.choose(kinds, each_kind)
    return values[rows.outputs]


def test_all_operations() -> None:
    graph = Graph()
    trace = Trace(graph, all_operations(graph))
    x = np.array([0.3, -0.7, 1.9])
    result = run(r.pack_rows(trace), {"x": x})
    assert np.abs(result - replay(trace, lambda name, k: float(x[k]))).max() < 1e-15
    assert np.isnan(run(r.pack_rows(trace), {"x": np.array([np.nan] * 3)})[:-1]).all()


@pytest.mark.parametrize("name", ["two_r", "puma560"])
def test_forward_dynamics(name: str) -> None:
    dyn = lg.compile(lg.library(name))
    sweeps = TreeProgram(FORWARD_DYNAMICS, dyn.tree)
    trace = trace_unrolled(FORWARD_DYNAMICS, sweeps.structure)
    rows = r.pack_rows(trace)
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, dyn.nv))
    result = run(rows, {"q": q, "qd": qd, "tau": tau, NUMBERS: np.asarray(sweeps.numbers.values)})
    assert np.abs(result - dyn.forward_dynamics(q, qd, tau)).max() < 1e-11
    assert sum(len(phase.kinds) for phase in rows.phases) < len(trace.nodes) / 2  # it is a short loop
