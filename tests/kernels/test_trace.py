"""The tracer folds what it can and keeps values right."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lagrangian.kernels.trace.node import Graph, GraphTooLargeError, Node, Trace, arguments
from lagrangian.kernels.trace.schedule import evaluation_order


def evaluate(x: object, inputs: list[float]) -> float:
    if not isinstance(x, Node):
        return float(x)
    graph, values = x.graph, []
    for node in graph.nodes[: x.index + 1]:
        a = [values[k] for k in arguments(node)]
        match node[0]:
            case "constant":
                values.append(node[1])
            case "input":
                values.append(inputs[node[2]])
            case "add":
                values.append(a[0] + a[1])
            case "sub":
                values.append(a[0] - a[1])
            case "mul":
                values.append(a[0] * a[1])
            case "neg":
                values.append(-a[0])
            case "div":
                values.append(a[0] / a[1])
    return values[x.index]


steps = st.lists(st.tuples(st.sampled_from("+-*n"), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30)
constants = st.sampled_from([0, 1, -1, 2.5, -3.0, 0.0])


@given(steps=steps, numbers=st.lists(constants, min_size=3, max_size=3))
def test_random_expressions_keep_their_value(steps: list[tuple[str, int, int]], numbers: list[float]) -> None:
    graph = Graph()
    inputs = [0.7, -1.3, 2.1]
    traced: list[object] = [*(graph.input("x", k) for k in range(3)), *numbers]
    plain: list[float] = [*inputs, *numbers]
    for operation, i, j in steps:
        a, b = i % len(traced), j % len(traced)
        if abs(plain[a]) > 1e6 or abs(plain[b]) > 1e6:
            continue
        if operation == "n":
            traced.append(-traced[a])
            plain.append(-plain[a])
        else:
            for values in (traced, plain):
                x, y = values[a], values[b]
                values.append(x + y if operation == "+" else x - y if operation == "-" else x * y)
    for x, expected in zip(traced, plain, strict=True):
        assert math.isclose(evaluate(x, inputs), expected, rel_tol=1e-9, abs_tol=1e-9)


def test_zero_one_and_signs_fold_away() -> None:
    graph = Graph()
    x, y = graph.input("x", 0), graph.input("x", 1)
    before = len(graph.nodes)
    assert x * 0 == 0
    assert x * 1 is x
    assert x + 0 is x
    assert 0 + x is x
    assert x - 0 is x
    assert x - x == 0
    minus = -x
    assert (-minus).index == x.index
    assert 0 / x == 0
    assert len(graph.nodes) == before + 1  # only -x
    assert (x + y).index == (y + x).index
    assert (x * y).index == (y * x).index
    assert (x - (-y)).index == (x + y).index
    assert ((-x) * (-y)).index == (x * y).index


def test_what_no_output_needs_is_left_out() -> None:
    graph = Graph()
    x, y = graph.input("x", 0), graph.input("y", 0)
    expected, _unwanted = x * x, (y + 1) * y
    trace = Trace(graph, [expected])
    assert [n[0] for n in trace.nodes] == ["input", "mul"]
    assert [n.graph.nodes[n.index] for n in trace.unused_inputs] == [("input", "y", 0)]


def test_a_schedule_has_every_node_after_its_arguments() -> None:
    graph = Graph()
    values: list[Node] = [graph.input("x", k) for k in range(5)]
    for k in range(60):
        values.append(values[(7 * k) % len(values)] * values[(3 * k + 1) % len(values)] + values[k % len(values)])
    trace = Trace(graph, values[-4:])
    done: set[int] = set()
    outputs = []
    for what, k in evaluation_order(trace.nodes, trace.outputs):
        if what == "node":
            assert set(arguments(trace.nodes[k])) <= done
            assert k not in done
            done.add(k)
        else:
            outputs.append(k)
            assert trace.outputs[k] in done
    assert outputs == [0, 1, 2, 3]
    assert len(done) == len(trace.nodes)


def test_a_graph_can_be_kept_from_growing() -> None:
    graph = Graph(limit=10)

    def grow() -> None:
        x = graph.input("x", 0)
        for _ in range(20):
            x = x * x + 1

    with pytest.raises(GraphTooLargeError):
        grow()
