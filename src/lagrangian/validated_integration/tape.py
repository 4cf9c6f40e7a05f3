"""A trace evaluated over FLINT's scalars: power series of balls, real balls, complex balls.

What depends on numbers of the description alone is computed once for each precision. Functions of complex balls are those of
analytic functions: where a ball touches a branch cut the result is NaN, which no bound passes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import acb, arb, ctx

from lagrangian.errors import LagrangianError
from lagrangian.kernels.trace.node import Graph, Trace, arguments
from lagrangian.validated_integration.balls import CONSTANT_INPUT, TraceNumbers, ball

Inputs = Mapping[tuple[str, int], Any]

# an operation, where its value goes, and its arguments; None for sine and cosine, which have two values and one argument
PlannedOperation = tuple[Any, int, int, int]
CONSTANT_DENOMINATOR = 1 << 20  # numbers written in algorithms, such as 0.5, are whole multiples of one part in so many


class Tape:
    """The operations that some outputs need, in order."""

    def __init__(self, graph: Graph, numbers: TraceNumbers, outputs: Sequence[Any]) -> None:
        trace = Trace(graph, outputs)
        self.nodes, self.outputs, self.numbers = trace.nodes, trace.outputs, numbers
        is_constant: list[bool] = []
        for node in trace.nodes:
            if node[0] == "input":
                is_constant.append(node[1] == CONSTANT_INPUT)
            else:
                is_constant.append(node[0] == "constant" or all(is_constant[a] for a in arguments(node)))
        self._constant_indices = [k for k, constant in enumerate(is_constant) if constant]
        varying = [k for k, constant in enumerate(is_constant) if not constant]
        self._inputs = [(k, trace.nodes[k][1:]) for k in varying if trace.nodes[k][0] == "input"]
        self._plan = _plan(trace.nodes, [k for k in varying if trace.nodes[k][0] != "input"])
        self._values: dict[int, list[Any]] = {}

    def __len__(self) -> int:
        """The number of operations on more than constants."""
        return len(self._plan)

    def _constant_values(self) -> list[Any]:
        """The values of all nodes that are constant, at the present precision."""
        values = self._values.get(ctx.prec)
        if values is None:
            values = [None] * len(self.nodes)
            for k in self._constant_indices:
                node = self.nodes[k]
                if node[0] == "constant":
                    values[k] = _exact_constant(node[1])
                elif node[0] == "input":
                    values[k] = ball(self.numbers.table[node[2]])
                else:
                    _run(_plan(self.nodes, [k]), values)
            self._values[ctx.prec] = values
        return values

    def __call__(self, inputs: Inputs) -> list[Any]:
        """The outputs; those that depend on no input are real balls."""
        values = list(self._constant_values())
        for k, (name, index) in self._inputs:
            values[k] = inputs[name, index]
        _run(self._plan, values)
        return [values[k] for k in self.outputs]


def _plan(nodes: Sequence[tuple[Any, ...]], node_indices: Sequence[int]) -> list[PlannedOperation]:
    """Operations ready to run; a sine and a cosine of one angle are computed together."""
    pairs: dict[int, list[int]] = {}
    for k in node_indices:
        if nodes[k][0] in ("sin", "cos"):
            pairs.setdefault(nodes[k][1], [-1, -1])[nodes[k][0] == "cos"] = k
    plan: list[PlannedOperation] = []
    for k in node_indices:
        name, a, *second_argument = nodes[k]
        if name in ("sin", "cos"):
            if a in pairs:
                sine, cosine = pairs.pop(a)
                plan.append((None, sine, a, cosine))
        else:
            plan.append((OPERATIONS[name], k, a, second_argument[0] if second_argument else -1))
    return plan


def _run(plan: Sequence[PlannedOperation], values: list[Any]) -> None:
    for operation, k, a, b in plan:
        if operation is None:
            sine, cosine = values[a].sin_cos()
            if k >= 0:
                values[k] = sine
            if b >= 0:
                values[b] = cosine
        elif b < 0:
            values[k] = operation(values[a])
        else:
            values[k] = operation(values[a], values[b])


def _exact_constant(x: float) -> Any:
    """The ball of a number that an algorithm has in its text; one that a description had would have been rounded."""
    if x * CONSTANT_DENOMINATOR != int(x * CONSTANT_DENOMINATOR):
        raise LagrangianError(f"a number of the description was rounded to {x!r} before it was computed with; this is a defect")
    return arb(x)


def _tanh(x: Any) -> Any:
    return x.tanh() if isinstance(x, (arb, acb)) else 1 - 2 / ((2 * x).exp() + 1)


def _outside_branch_cut(name: str, touches: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A function of a complex ball, unless it touches the branch cut."""
    return lambda x: acb("nan") if isinstance(x, acb) and touches(x) else getattr(x, name)()


def _on_real_cut(x: Any) -> bool:
    return x.imag.contains(0) and not abs(x.real) < 1


def _on_imaginary_cut(x: Any) -> bool:
    return x.real.contains(0) and not abs(x.imag) < 1


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "sqrt": lambda x: x.sqrt(analytic=True) if isinstance(x, acb) else x.sqrt(),
    "log": lambda x: x.log(analytic=True) if isinstance(x, acb) else x.log(),
    "exp": lambda x: x.exp(),
    "tanh": _tanh,
    "asin": _outside_branch_cut("asin", _on_real_cut),
    "acos": _outside_branch_cut("acos", _on_real_cut),
    "atan": _outside_branch_cut("atan", _on_imaginary_cut),
}
