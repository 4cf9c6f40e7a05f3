"""Guarded traces have the values of plain ones, and derivatives that are finite where a choice has left out what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lagrangian.kernels.trace.derivative import guard_derivatives
from lagrangian.kernels.trace.node import Graph, Node, Trace
from lagrangian.kernels.trace.replay import SCALARS, replay


class Adjoint:
    """A number with the derivative of the result by it, as programs that differentiate code backwards have it: no choice is
    special, the branch that is not taken has a derivative of zero times its slope."""

    def __init__(self, value: float, *parts: tuple[Any, float]) -> None:
        self.value, self.parts, self.slope = float(value), parts, 0.0

    def backwards(self, slope: float) -> None:
        self.slope += slope
        for x, factor in self.parts:
            if isinstance(x, Adjoint):
                x.backwards(np.multiply(slope, factor))


def value(x: Any) -> np.float64:
    return np.float64(x.value if isinstance(x, Adjoint) else x)


def quotient(a: Any, b: Any) -> Adjoint:
    return Adjoint(value(a) / value(b), (a, 1 / value(b)), (b, -value(a) / value(b) ** 2))


def choose(a: Any, b: Any, x: Any, y: Any) -> Adjoint:
    first = value(a) < value(b)
    return Adjoint(value(x if first else y), (x, float(first)), (y, float(not first)))


def by_sign(x: Any, forth: Any, back: Any) -> Adjoint:
    s = np.sign(value(x))
    return Adjoint(value(forth if s > 0 else back if s < 0 else x), (forth, float(s > 0)), (back, float(s < 0)))


OPERATIONS: dict[str, Callable[..., Any]] = {
    **SCALARS,
    "add": lambda a, b: Adjoint(value(a) + value(b), (a, 1.0), (b, 1.0)),
    "mul": lambda a, b: Adjoint(value(a) * value(b), (a, value(b)), (b, value(a))),
    "div": quotient,
    "sqrt": lambda a: Adjoint(np.sqrt(value(a)), (a, 0.5 / np.sqrt(value(a)))),
    "log": lambda a: Adjoint(np.log(value(a)), (a, 1 / value(a))),
    "choose": choose,
    "by_sign": by_sign,
}


def run(trace: Trace, x: Adjoint) -> Any:
    with np.errstate(all="ignore"):
        (result,) = replay(trace, lambda name, k: x, OPERATIONS)
    return result


def inverse_unless_small(x: Node) -> Any:
    return x.choose(x, 1e-9, 0.0, 1 / x)


def length_unless_zero(x: Node) -> Any:
    """What decides is made of the root itself."""
    size = (x * x).sqrt()
    return 3.0 / size.choose(0.0, size, size, 1.0)


def nested_choice(x: Node) -> Any:
    """A choice within a branch of another, which decides by what is infinite outside."""
    root = x.sqrt()
    inner = root.choose(1 / root, 2.0, x.log() * root, 1 / (root + root))
    return x.choose(0.0, x, inner, x * x)


def one_way(x: Node) -> Any:
    return x.by_sign(x.sqrt() * x.log(), 1 / x)


EACH = (inverse_unless_small, length_unless_zero, nested_choice, one_way)


@pytest.mark.parametrize("function", EACH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("at", [-0.4, 0.0, 0.09, 0.7])
def test_values_stay_and_slopes_are_finite(function: Callable[[Node], Any], at: float) -> None:
    graph = Graph()
    plain = Trace(graph, [function(graph.input("x", 0))])
    safe = guard_derivatives(plain)
    x = Adjoint(at)
    result = run(safe, x)
    with np.errstate(all="ignore"):
        result.backwards(1.0)
    assert result.value == run(plain, Adjoint(at)).value
    assert np.isfinite(x.slope)
    if at:
        low, high = (run(plain, Adjoint(at + h)).value for h in (-1e-6, 1e-6))
        assert abs(x.slope - (high - low) / 2e-6) < 1e-6 * max(1.0, abs(x.slope))


@pytest.mark.parametrize("function", EACH, ids=lambda f: f.__name__)
def test_without_guards_they_are_not(function: Callable[[Node], Any]) -> None:
    graph = Graph()
    plain = Trace(graph, [function(graph.input("x", 0))])
    x = Adjoint(0.0)
    with np.errstate(all="ignore"):
        run(plain, x).backwards(1.0)
    assert not np.isfinite(x.slope)


def test_code_without_choices_is_left_alone() -> None:
    graph = Graph()
    trace = Trace(graph, [1 / graph.input("x", 0)])
    assert guard_derivatives(trace) is trace
