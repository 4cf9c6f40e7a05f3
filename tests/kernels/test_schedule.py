"""A schedule can be written out by others than LLVM: here it is run in Python, and gives what machine code gives."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.sweeps import TreeProgram, trace_unrolled
from lagrangian.kernels.trace.node import LIBRARY_FUNCTIONS, NUMBERS, Graph, Trace
from lagrangian.kernels.trace.schedule import Schedule, schedule

MEANINGS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in (*LIBRARY_FUNCTIONS, "sin", "cos", "sqrt")},
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "touch": lambda a, b: a + 0 * b,
    "choose": lambda a, b, x, y: x if a < b else y,
    "by_sign": lambda x, positive, negative: positive if x > 0 else negative if x < 0 else x,
}


def run(program: Schedule, inputs: Mapping[str, Sequence[float]]) -> list[float]:
    """Every operation after its arguments, each value made once."""
    values: dict[int, float] = dict(program.constants)
    out: dict[int, float] = {}
    for name, result, value in program.operations:
        if name == "output":
            out[value[0]] = values[value[1]]
            continue
        assert result not in values
        values[result] = inputs[value[0]][value[1]] if name in ("input", "angle") else MEANINGS[name](*(values[k] for k in value))
    return [out[k] for k in range(len(out))]


def all_operations(graph: Graph) -> list[Any]:
    x, y, z = (graph.input("x", k) for k in range(3))
    smooth = [x.sin() * y.cos() + z, x - y * z, y * z - x, -x / y, (x * x).sqrt(), x.exp(), (y * y).log(), z.tanh()]
    inverse = [(x * 0.1).asin(), (y * 0.1).acos(), z.atan(), x.atan2(y), 2.5 - x * 3.0, x + y, (x * 3.0).floor()]
    return [*smooth, *inverse, x.with_nan_from(z), x.choose(x, y, z, y), z.by_sign(x, y), (x - x * 2).by_sign(y, z), 1.5]


@pytest.mark.parametrize("fused", [True, False])
def test_all_operations(fused: bool) -> None:
    graph = Graph()
    trace = Trace(graph, all_operations(graph))
    program = schedule(trace, fused)
    used = {operation.name for operation in program.operations}
    assert used == {*MEANINGS, "input", "angle", "output"} - (set() if fused else {"fma"})
    digest = hashlib.sha256(b"all operations of a schedule").digest()
    compiled = Kernel(TracedProgram("all", {"x": 3}, len(trace.outputs), [], all_operations, digest))
    for point in ([0.7, -1.3, 2.1], [-0.4, 0.9, -1.7]):
        np.testing.assert_allclose(run(program, {"x": point}), compiled(point), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", ["two_r", "puma560"])
def test_forward_dynamics(name: str) -> None:
    mechanism = lg.library(name)
    dyn = lg.compile(mechanism)
    program = TreeProgram(FORWARD_DYNAMICS, dyn.tree)
    trace = trace_unrolled(FORWARD_DYNAMICS, program.structure)
    q, qd, tau = np.random.default_rng(3).normal(size=(3, mechanism.nv))
    result = run(schedule(trace, fuse_products=True), {"q": q, "qd": qd, "tau": tau, NUMBERS: program.numbers.values})
    expected = dyn.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_a_product_used_twice_is_not_fused() -> None:
    """It would be computed twice; one that is also a result is not fused either."""
    graph = Graph()
    x, y = graph.input("x", 0), graph.input("x", 1)
    product = x * y
    for outputs in ([product + x, product - y], [product + x, product]):
        names = [operation.name for operation in schedule(Trace(graph, outputs), fuse_products=True).operations]
        assert "fma" not in names
        assert names.count("mul") == 1
    (fma,) = [o for o in schedule(Trace(graph, [x - product]), fuse_products=True).operations if o.name == "fma"]
    assert fma.arguments[2] == 0  # x itself; one factor is negative


def test_an_angle_is_loaded_once() -> None:
    graph = Graph()
    q = graph.input("q", 0)
    names = [o.name for o in schedule(Trace(graph, [q.sin(), q.cos()]), fuse_products=True).operations]
    assert names == ["angle", "sin", "output", "cos", "output"]
    names = [o.name for o in schedule(Trace(graph, [q.sin() * q]), fuse_products=True).operations]
    assert sorted(names) == ["angle", "input", "mul", "output", "sin"]
