"""Long code cut into pieces gives what it gives whole, bit for bit."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.kernels.kernel import Kernel, address
from lagrangian.kernels.llvm import machine_code, object_cache, target, unrolled
from lagrangian.kernels.llvm.emit import write_functions
from lagrangian.kernels.programs.sweeps import TreeProgram, trace_unrolled
from lagrangian.kernels.trace import schedule as schedule_module
from lagrangian.kernels.trace.node import Graph, Node, Trace
from lagrangian.kernels.trace.schedule import schedule

SIZE = 5


def network(graph: Graph) -> tuple[list[Node], list[Node]]:
    """Two groups of outputs that share much, of values that are read near by and far away; some are inputs and constants."""
    x = [graph.input("x", k) for k in range(SIZE)]
    values = list(x)
    for k in range(60):
        values.append((values[-1] * values[k]).sin() + values[k // 2] * x[k % SIZE] - 0.1 * values[-3])
    shared = values[-7:]
    return [*shared, x[1], graph.constant(0.5)], [a * values[SIZE] + a.cos() for a in shared] + [shared[0], x[2]]


def compile_in_pieces(length: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Callable[..., np.ndarray], str]:
    monkeypatch.setattr(schedule_module, "MAX_WHOLE_OPERATIONS", length)
    monkeypatch.setattr(schedule_module, "MAX_SHORT_OPERATIONS", length)
    monkeypatch.setattr(schedule_module, "PIECE_OPERATIONS", length)
    graph, declared, chosen = Graph(), set[str](), target.current()
    first, second = network(graph)
    lines = write_functions({"first": first, "second": second}, graph, {"x": ("given", 0)}, declared, chosen.fma)
    text = "\n".join([*lines, *sorted(declared)])
    for name in ("first", "second"):
        text = text.replace(f"define internal void @{name}(", f"define void @{name}(")
    code = machine_code.LoadedCode(machine_code.compile_object(text, chosen), chosen)

    def run(name: str, x: np.ndarray) -> np.ndarray:
        out = np.full({"first": len(first), "second": len(second)}[name], np.nan)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address(name))(address(x), address(out))
        return out

    return run, text


def python(x: np.ndarray) -> tuple[list[float], list[float]]:
    """The same network, by hand."""
    values = list(x)
    for k in range(60):
        values.append(np.sin(values[-1] * values[k]) + values[k // 2] * x[k % SIZE] - 0.1 * values[-3])
    shared = values[-7:]
    return [*shared, x[1], 0.5], [a * values[SIZE] + np.cos(a) for a in shared] + [shared[0], x[2]]


@pytest.mark.parametrize("length", [1, 7, 50])
def test_pieces_give_what_the_whole_gives(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = compile_in_pieces(10_000, monkeypatch)
    cut, text = compile_in_pieces(length, monkeypatch)
    assert text.count("define") > 2 + 100 // length
    x = np.random.default_rng(0).uniform(-1, 1, SIZE)
    for name, expected in zip(("first", "second"), python(x), strict=True):
        np.testing.assert_allclose(whole(name, x), expected, rtol=1e-12, atol=1e-14)
        assert np.array_equal(cut(name, x), whole(name, x))


def test_places_are_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "MAX_WHOLE_OPERATIONS", 3)
    monkeypatch.setattr(schedule_module, "MAX_SHORT_OPERATIONS", 3)
    monkeypatch.setattr(schedule_module, "PIECE_OPERATIONS", 3)
    graph = Graph()
    x = graph.input("x", 0)
    for _ in range(50):
        x = x.sin() * x
    scheduled = schedule(Trace(graph, [x]), fuse_products=False)
    parts, spill_count = schedule_module.cut_schedule(scheduled, [1])
    assert len(parts[0]) > 30
    assert spill_count <= 3


def test_a_kernel_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit as in one; an angle that is too large shows from any piece."""
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    arm = lg.library("puma560")
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(2, 3, arm.nv))
    far[0, 3] = 4e9
    whole = [lg.compile(arm).inverse_dynamics(*x) for x in (near, far)]
    monkeypatch.setattr(schedule_module, "MAX_WHOLE_OPERATIONS", 100)
    monkeypatch.setattr(schedule_module, "MAX_SHORT_OPERATIONS", 100)
    monkeypatch.setattr(schedule_module, "PIECE_OPERATIONS", 50)
    monkeypatch.setattr(object_cache, "_modules", OrderedDict())
    program = TreeProgram(INVERSE_DYNAMICS, lg.compile(arm).tree)
    trace = trace_unrolled(INVERSE_DYNAMICS, program.structure)
    code = unrolled.unrolled_code(trace, program.inputs, program.sizes, program.size, target.current(), 1, len(program.numbers))
    assert "@piece.5(" in code.ir
    cut = Kernel(program)
    assert np.array_equal(cut(*near), whole[0])
    assert np.array_equal(cut(*far), whole[1])
    at_once = lg.compile(arm).inverse_dynamics(*(np.tile(x, (8, 1)) for x in near))  # which is not cut
    assert np.array_equal(at_once[0], whole[0])
