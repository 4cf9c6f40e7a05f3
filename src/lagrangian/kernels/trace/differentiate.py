"""Exact derivatives of traced code: forward mode on the graph (Griewank and Walther 2008, chapter 3).

The derivative of every operation is recorded on the same graph, so that what it shares with the value is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lagrangian.kernels.trace.node import LEAVES, Graph, Node, Number, arguments


def derivatives(graph: Graph, outputs: Sequence[Node | Number], inputs: Sequence[Node]) -> list[list[Any]]:
    """d outputs / d inputs: a row for every output."""
    live = _needed(graph, outputs)
    columns = [_along(graph, outputs, live, {x.index: 1}) for x in inputs]
    return [[column[i] for column in columns] for i in range(len(outputs))]


def along(graph: Graph, outputs: Sequence[Node | Number], seeds: Mapping[int, Any]) -> list[Any]:
    """The derivative of the outputs along one direction: `seeds` gives the tangent of inputs by their index."""
    return _along(graph, outputs, _needed(graph, outputs), seeds)


def _needed(graph: Graph, outputs: Sequence[Node | Number]) -> list[int]:
    """The nodes the outputs are made of, in order."""
    seen: set[int] = set()
    stack = [x.index for x in outputs if isinstance(x, Node)]
    while stack:
        k = stack.pop()
        if k not in seen:
            seen.add(k)
            stack.extend(arguments(graph.nodes[k]))
    return sorted(seen)


def _along(graph: Graph, outputs: Sequence[Node | Number], live: Sequence[int], seeds: Mapping[int, Any]) -> list[Any]:
    tangent: dict[int, Any] = dict(seeds)
    for k in live:
        node = graph.nodes[k]
        if k in tangent or node[0] in LEAVES:
            continue
        slopes = [tangent.get(a, 0) for a in node[1:]]
        if any(not _nothing(s) for s in slopes):
            values = [Node(graph, a) for a in node[1:]]
            found = RULES[node[0]](Node(graph, k), values, slopes)
            if not _nothing(found):
                tangent[k] = found
    return [tangent.get(x.index, 0) if isinstance(x, Node) else 0 for x in outputs]


def _nothing(x: Any) -> bool:
    return not isinstance(x, Node) and x == 0


def _quotient(y: Node, x: list[Node], d: list[Any]) -> Any:
    top = d[0] - y * d[1]
    return 0 if _nothing(top) else top / x[1]


def _choice(y: Node, x: list[Node], d: list[Any]) -> Any:
    if _nothing(d[2]) and _nothing(d[3]):
        return 0
    return y.choose(x[0], x[1], d[2], d[3])


def _by_sign(y: Node, x: list[Node], d: list[Any]) -> Any:
    return 0 if _nothing(d[1]) and _nothing(d[2]) else x[0].by_sign(d[1], d[2])


# value, arguments, their tangents -> tangent
RULES: dict[str, Callable[[Node, list[Node], list[Any]], Any]] = {
    "add": lambda y, x, d: d[0] + d[1],
    "sub": lambda y, x, d: d[0] - d[1],
    "neg": lambda y, x, d: -d[0],
    "mul": lambda y, x, d: d[0] * x[1] + d[1] * x[0],
    "div": _quotient,
    "sin": lambda y, x, d: d[0] * x[0].cos(),
    "cos": lambda y, x, d: -(d[0] * x[0].sin()),
    "sqrt": lambda y, x, d: d[0] * (0.5 / y),
    "exp": lambda y, x, d: d[0] * y,
    "log": lambda y, x, d: d[0] / x[0],
    "tanh": lambda y, x, d: d[0] * (1 - y * y),
    "atan": lambda y, x, d: d[0] / (1 + x[0] * x[0]),
    "asin": lambda y, x, d: d[0] / (1 - x[0] * x[0]).sqrt(),
    "acos": lambda y, x, d: -(d[0] / (1 - x[0] * x[0]).sqrt()),
    "atan2": lambda y, x, d: (d[0] * x[1] - d[1] * x[0]) / (x[0] * x[0] + x[1] * x[1]),
    "floor": lambda y, x, d: 0,
    "touch": lambda y, x, d: d[0],
    "choose": _choice,
    "by_sign": _by_sign,
}
