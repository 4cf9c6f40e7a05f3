"""Every rule of differentiation, alone and in compositions, against differences taken with fifty digits."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.trace import derivative
from lagrangian.kernels.trace.derivative import RULES, derivatives, directional_derivative
from lagrangian.kernels.trace.node import LEAVES, Graph, Node, arguments

Function = Callable[[list[Any]], Any]

OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    **{
        name: getattr(mpmath, name)
        for name in ("sin", "cos", "sqrt", "exp", "log", "tanh", "atan", "asin", "acos", "atan2", "floor")
    },
    "touch": lambda a, b: a,
    "choose": lambda a, b, x, y: x if a < b else y,
    "by_sign": lambda x, a, b: a if x > 0 else b if x < 0 else mpmath.mpf(0),
}
# a function whose last operation is the one named, of three variables
CASES: dict[str, Function] = {
    "add": lambda x: x[0] * x[1] + x[2],
    "sub": lambda x: x[0] - x[1] * x[2],
    "neg": lambda x: -(x[0] * x[1] * x[2]),
    "mul": lambda x: (x[0] + x[1]) * (x[0] + 2 * x[2]),
    "div": lambda x: (x[0] * x[1]) / (x[0] + 5 * x[2]),
    "sin": lambda x: (x[0] * x[1]).sin(),
    "cos": lambda x: (x[0] + x[1] * x[2]).cos(),
    "sqrt": lambda x: (x[0] * x[0] + x[1] * x[1] + 0.3).sqrt(),
    "exp": lambda x: (x[0] * x[2]).exp(),
    "log": lambda x: (x[0] * x[0] + x[2] * x[2] + 0.1).log(),
    "tanh": lambda x: (x[0] * x[1]).tanh(),
    "atan": lambda x: (x[1] * x[2]).atan(),
    "asin": lambda x: (0.2 * x[0] * x[1]).asin(),
    "acos": lambda x: (0.2 * x[0] * x[2]).acos(),
    "atan2": lambda x: (x[0] * x[1]).atan2(x[2] + x[0]),
    "floor": lambda x: (x[0] * x[1] + 3 * x[2]).floor(),
    "touch": lambda x: (x[0] * x[1]).with_nan_from(x[2]),
    "choose": lambda x: x[0].choose(x[0], x[1], x[0] * x[2], x[1] * x[1]),
    "by_sign": lambda x: x[0].by_sign(x[0] * x[1], x[2] * x[2]),
}
# among them both sides of every choice, and all quadrants
POINTS = [(0.7, 1.3, 0.4), (1.3, -0.7, 0.9), (-0.8, 0.6, 1.7), (-1.1, -0.5, 0.35), (0.4, 0.9, -1.6), (-0.3, 1.2, -0.2)]


def evaluate_graph(graph: Graph, outputs: Sequence[Any], x: Sequence[Any]) -> list[Any]:
    """Values over whatever numbers the inputs are."""
    values: list[Any] = []
    for node in graph.nodes:
        match node[0]:
            case "constant":
                values.append(mpmath.mpf(node[1]))
            case "input":
                values.append(x[node[2]])
            case name:
                values.append(OPERATIONS[name](*(values[k] for k in arguments(node))))
    return [values[o.index] if isinstance(o, Node) else mpmath.mpf(o) for o in outputs]


def differences(graph: Graph, outputs: Sequence[Any], x: Sequence[float]) -> np.ndarray:
    """d outputs / dx: a central difference whose error is below 1e-25."""
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -15
        columns = []
        for k in range(len(x)):
            ends = [
                evaluate_graph(graph, outputs, [mpmath.mpf(a) + (sign * h if j == k else 0) for j, a in enumerate(x)])
                for sign in (1, -1)
            ]
            columns.append([float((a - b) / (2 * h)) for a, b in zip(*ends, strict=True)])
    return np.array(columns).T


def trace_function(function: Function, count: int = 3) -> tuple[Graph, list[Node], Any]:
    graph = Graph()
    x = [graph.input("x", k) for k in range(count)]
    return graph, x, function(x)


def compare(function: Function, points: Sequence[Sequence[float]] = POINTS) -> None:
    """Rows of derivatives, evaluated on the graph, against differences of the function's own values."""
    graph, x, y = trace_function(function)
    size = len(graph.nodes)  # what is added later is the derivative
    rows = derivatives(graph, [y], x)
    for point in points:
        plain = Graph()
        plain.nodes = graph.nodes[:size]
        expected = differences(plain, [y], point)[0]
        with mpmath.workdps(30):
            results = [float(v) for v in evaluate_graph(graph, rows[0], [mpmath.mpf(a) for a in point])]
        np.testing.assert_allclose(results, expected, rtol=1e-14, atol=1e-15)


def test_there_is_a_rule_for_every_operation() -> None:
    assert set(RULES) == set(OPERATIONS) == set(CASES)
    assert not set(RULES) & set(LEAVES)


@pytest.mark.parametrize("name", CASES)
def test_each_rule_agrees_with_differences(name: str) -> None:
    graph, _, y = trace_function(CASES[name])
    assert graph.nodes[y.index][0] == name
    compare(CASES[name])


def _scale_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda y, x, d: rule(y, x, d) * 1.0000001


def _exchange_tangents(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The last two tangents the other way round."""
    return lambda y, x, d: rule(y, x, [*d[:-2], d[-1], d[-2]])


def _forgotten(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Nothing comes through the first argument that counts; a choice counts by its branches."""

    def wrong(y: Node, x: list[Node], d: list[Any]) -> Any:
        first = 2 if len(d) == 4 else 1 if len(d) == 3 else 0
        return rule(y, x, [*d[:first], 0, *d[first + 1 :]])

    return wrong


def _passed_on(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Of a step, which is flat."""
    return lambda y, x, d: d[0]


@pytest.mark.parametrize("name", RULES)
def test_a_wrong_rule_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the comparison sees what it is for."""
    rule = RULES[name]
    wrongs = [_scale_rule, _forgotten] if name != "floor" else [_passed_on]
    if len(trace_function(CASES[name])[0].nodes[-1]) > 2 and name not in ("add", "touch"):
        wrongs.append(_exchange_tangents)
    for wrong in wrongs:
        monkeypatch.setitem(derivative.RULES, name, wrong(rule))
        with pytest.raises(AssertionError):
            compare(CASES[name])
    monkeypatch.setitem(derivative.RULES, name, rule)
    compare(CASES[name])


def test_compiled_rules_agree_with_differences() -> None:
    """All of them through machine code, for one state and for many."""

    def outputs(graph: Graph) -> list[Any]:
        x = [graph.input("x", k) for k in range(3)]
        values = [function(x) for function in CASES.values()]
        return [entry for row in derivatives(graph, values, x) for entry in row]

    digest = hashlib.sha256(repr([*CASES]).encode()).digest()
    kernel = Kernel(TracedProgram("rules", {"x": 3}, (len(CASES), 3), [], outputs, digest))
    many = kernel(np.array(POINTS))
    graph = Graph()
    x = [graph.input("x", k) for k in range(3)]
    values = [function(x) for function in CASES.values()]
    for point, actual in zip(POINTS, many, strict=True):
        expected = differences(graph, values, point)
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(kernel(np.array(point)), expected, rtol=1e-13, atol=1e-14)


SMOOTH = ("add", "sub", "mul", "sin", "cos", "tanh", "atan", "exp", "sqrt", "log", "div", "choose", "by_sign", "atan2")
steps = st.lists(st.tuples(st.sampled_from(SMOOTH), st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=12)


@settings(max_examples=60)
@given(steps=steps, point=st.tuples(*[st.floats(-2, 2, allow_subnormal=False).map(lambda v: round(v, 3) + 1e-4)] * 3))
def test_chains_of_operations_agree_with_differences(
    steps: list[tuple[str, int, int]], point: tuple[float, float, float]
) -> None:
    """Chains of any operations, of values kept away from where they are not smooth."""

    def function(x: list[Any]) -> Any:
        values: list[Any] = list(x)
        for name, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            safe = a * a + 0.5  # in the domain of all of them
            match name:
                case "add" | "sub" | "mul":
                    makers = {"add": a + b, "sub": a - 0.7 * b, "mul": (0.5 * a) * b}[name]
                case "div":
                    makers = b / safe
                case "sqrt" | "log":
                    makers = getattr(safe, name)()
                case "exp":
                    makers = (-safe).exp()
                case "choose":
                    makers = safe.choose(a + 0.3, b, a * b, b * b)
                case "by_sign":
                    makers = (a - 0.9 * b + 0.3).by_sign(a * a, b)
                case "atan2":
                    makers = b.atan2(safe)
                case _:
                    makers = getattr(a, name)()
            values.append(makers if isinstance(makers, Node) else x[0].graph.node(makers))
        total = values[0]
        for v in values[1:]:
            total = total + v.tanh()
        return total

    compare(function, [point])


def test_second_derivatives() -> None:
    """Derivatives are on the graph too: their own follow."""
    graph, x, y = trace_function(lambda x: (x[0] * x[1]).sin() * x[2].exp() + (x[0] / (2 + x[1] * x[1])).tanh())
    (gradient,) = derivatives(graph, [y], x)
    hessian = derivatives(graph, gradient, x)
    for point in POINTS:
        expected = differences(graph, gradient, point)
        actual = [[float(v) for v in evaluate_graph(graph, row, [mpmath.mpf(a) for a in point])] for row in hessian]
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(actual, np.transpose(actual), rtol=1e-13, atol=1e-14)


def test_structural_zeros() -> None:
    """What does not depend on an input has the number 0 for a derivative: no code is written for it."""
    graph = Graph()
    x = [graph.input("x", k) for k in range(3)]
    outputs = [x[0].sin(), x[1] * 2.0, 3.0, x[0] - x[0], x[2], 1 / x[1], x[0].choose(x[0], x[1], 1.0, 2.0), x[0].by_sign(1, -1)]
    rows = derivatives(graph, outputs, x)
    zero = [[not isinstance(entry, Node) and entry == 0 for entry in row] for row in rows]
    assert zero == [
        [False, True, True],
        [True, False, True],
        [True, True, True],
        [True, True, True],
        [True, True, False],
        [True, False, True],
        [True, True, True],
        [True, True, True],
    ]
    assert rows[4][2] == 1
    assert rows[1][1] == 2.0 or graph.nodes[rows[1][1].index] == ("constant", 2.0)


def test_nothing_is_recorded_for_zeros() -> None:
    """A derivative by an input that does not count leaves the graph as it was."""
    graph = Graph()
    x = [graph.input("x", k) for k in range(2)]
    y = (x[0].sin() * x[0]).exp()
    size = len(graph.nodes)
    assert derivatives(graph, [y], [x[1]]) == [[0]]
    assert directional_derivative(graph, [y], {x[0].index: 0}) == [0]
    assert len(graph.nodes) == size


def test_along_a_direction() -> None:
    """Tangents may be numbers or nodes, and inputs need not be leaves."""
    graph, x, y = trace_function(lambda x: (x[0] * x[1]).sin() + x[2] * x[0])
    velocity = [x[1].cos(), 0.5, x[0] * x[2]]
    (actual,) = directional_derivative(graph, [y], {node.index: v for node, v in zip(x, velocity, strict=True)})
    rows = derivatives(graph, [y], x)
    product = sum(r * v for r, v in zip(rows[0], velocity, strict=True))
    for point in POINTS:
        a, b = evaluate_graph(graph, [actual, product], [mpmath.mpf(v) for v in point])
        assert float(a) == pytest.approx(float(b), rel=1e-14)
    inner = x[0] * x[1]
    outer = inner.sin() * 2
    assert derivatives(graph, [inner], [inner]) == [[1]]
    (slope,) = derivatives(graph, [outer], [inner])[0]
    (value,) = evaluate_graph(graph, [slope], [mpmath.mpf(0.3), mpmath.mpf(0.9), mpmath.mpf(0)])
    assert float(value) == pytest.approx(2 * math.cos(0.27), rel=1e-15)
