"""Exact derivatives of traced code: forward mode on the graph (Griewank and Walther 2008, chapter 3).

The derivative of every operation is recorded on the same graph, so that what it shares with the value is computed once.

`guard_derivatives` is for other programs that differentiate code. `choose(d, small, 0, 1/d)` is 0 at d = 0, but such a program
multiplies the slope of 1/d there, which is infinite, by the zero of the branch that was not taken, and has NaN. So an operation
whose result only branches of choices need is given a harmless argument where they are not taken:
`choose(d, small, 0, 1/choose(d, small, 1, d))`. Values do not change. What decides a choice needs no derivative, but its value.
Where it is made of such an operation itself, as in `choose(0, sqrt(x), sqrt(x), 1)`, it is computed from the plain operation,
beside the guarded one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lagrangian.kernels.trace.node import LEAVES, Graph, Node, NodeRecord, Number, Trace, arguments

# a < b, by their nodes, and whether it holds where a branch is taken; a node of -1 is zero
Condition = tuple[int, int, bool]
Conditions = frozenset[Condition]

# a node, and whether it is guarded: then it is right only where its conditions hold
Version = tuple[int, bool]
NO_CONDITIONS: Conditions = frozenset()

# operations with slopes, or values, that are infinite: which argument is replaced, and by what
RISKY_OPERATIONS = {
    "div": (1, 1.0),
    "sqrt": (0, 1.0),
    "log": (0, 1.0),
    "exp": (0, 0.0),
    "asin": (0, 0.0),
    "acos": (0, 0.0),
    "atan2": (1, 1.0),
}


def derivatives(graph: Graph, outputs: Sequence[Node | Number], inputs: Sequence[Node]) -> list[list[Any]]:
    """d outputs / d inputs: a row for every output."""
    live = _dependencies(graph, outputs)
    columns = [_tangents(graph, outputs, live, {x.index: 1}) for x in inputs]
    return [[column[i] for column in columns] for i in range(len(outputs))]


def directional_derivative(graph: Graph, outputs: Sequence[Node | Number], seeds: Mapping[int, Any]) -> list[Any]:
    """The derivative of the outputs along one direction: `seeds` gives the tangent of inputs by their index."""
    return _tangents(graph, outputs, _dependencies(graph, outputs), seeds)


def _dependencies(graph: Graph, outputs: Sequence[Node | Number]) -> list[int]:
    """The nodes the outputs are made of, in order."""
    reached: set[int] = set()
    stack = [x.index for x in outputs if isinstance(x, Node)]
    while stack:
        k = stack.pop()
        if k not in reached:
            reached.add(k)
            stack.extend(arguments(graph.nodes[k]))
    return sorted(reached)


def _tangents(graph: Graph, outputs: Sequence[Node | Number], live: Sequence[int], seeds: Mapping[int, Any]) -> list[Any]:
    tangent: dict[int, Any] = dict(seeds)
    for k in live:
        node = graph.nodes[k]
        if k in tangent or node[0] in LEAVES:
            continue
        slopes = [tangent.get(a, 0) for a in node[1:]]
        if any(not _is_zero(s) for s in slopes):
            values = [Node(graph, a) for a in node[1:]]
            output_tangent = RULES[node[0]](Node(graph, k), values, slopes)
            if not _is_zero(output_tangent):
                tangent[k] = output_tangent
    return [tangent.get(x.index, 0) if isinstance(x, Node) else 0 for x in outputs]


def _quotient_rule(y: Node, x: list[Node], d: list[Any]) -> Any:
    top = d[0] - y * d[1]
    return 0 if _is_zero(top) else top / x[1]


def _choice_rule(y: Node, x: list[Node], d: list[Any]) -> Any:
    if _is_zero(d[2]) and _is_zero(d[3]):
        return 0
    return y.choose(x[0], x[1], d[2], d[3])


def _sign_rule(y: Node, x: list[Node], d: list[Any]) -> Any:
    return 0 if _is_zero(d[1]) and _is_zero(d[2]) else x[0].by_sign(d[1], d[2])


# value, arguments, their tangents -> tangent
RULES: dict[str, Callable[[Node, list[Node], list[Any]], Any]] = {
    "add": lambda y, x, d: d[0] + d[1],
    "sub": lambda y, x, d: d[0] - d[1],
    "neg": lambda y, x, d: -d[0],
    "mul": lambda y, x, d: d[0] * x[1] + d[1] * x[0],
    "div": _quotient_rule,
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
    "choose": _choice_rule,
    "by_sign": _sign_rule,
}


def _is_zero(x: Any) -> bool:
    return not isinstance(x, Node) and x == 0


def guard_derivatives(trace: Trace) -> Trace:
    """The same code, whose derivatives are finite also where a choice has left out what is not."""
    if not any(node[0] in ("choose", "by_sign") for node in trace.nodes):
        return trace
    return _DerivativeGuard(trace).run()


class _DerivativeGuard:
    def __init__(self, trace: Trace) -> None:
        self.nodes, self.outputs = trace.nodes, trace.outputs
        self.graph = Graph()
        self.nodes_by_version: dict[Version, Node] = {}
        # of every node, what must hold for its derivative to be needed; None where it is never needed
        self.conditions: list[Conditions | None] = [None] * len(self.nodes)
        for k in self.outputs:
            self.conditions[k] = NO_CONDITIONS
        for k in reversed(range(len(self.nodes))):
            conditions = self.conditions[k]
            if conditions is not None:
                for a, condition in _differentiated_arguments(self.nodes[k]):
                    argument_conditions, so_far = conditions | condition, self.conditions[a]
                    self.conditions[a] = argument_conditions if so_far is None else so_far & argument_conditions

    def run(self) -> Trace:
        for k in self.outputs:
            self._build((k, True))
        return Trace(self.graph, [self.nodes_by_version[k, True] for k in self.outputs])

    def _build(self, target: Version) -> None:
        """A node after all that it needs; depth first, without recursion, since graphs are deep."""
        stack = [target]
        while stack:
            version = stack[-1]
            missing = [other for other in self._dependencies(version) if other not in self.nodes_by_version]
            if missing:
                stack += missing
                continue
            stack.pop()
            if version not in self.nodes_by_version:
                self.nodes_by_version[version] = self._build_node(version)

    def _version(self, k: int, conditions: Conditions = NO_CONDITIONS) -> Version:
        """A version of a node that is right wherever these conditions hold."""
        required = self.conditions[k]
        return k, required is not None and required <= conditions

    def _arguments(self, version: Version) -> list[Version]:
        k, is_guarded = version
        node, conditions = self.nodes[k], self.conditions[k]
        if not is_guarded:
            return [self._version(a) for a in arguments(node)]
        assert conditions is not None
        deciding = {"choose": 2, "by_sign": 1}.get(node[0], 0)
        return [self._version(a, conditions) if i < deciding else (a, True) for i, a in enumerate(arguments(node))]

    def _guards(self, version: Version) -> list[Condition]:
        k, is_guarded = version
        return sorted(self.conditions[k] or ()) if is_guarded and self.nodes[k][0] in RISKY_OPERATIONS else []

    def _dependencies(self, version: Version) -> list[Version]:
        deciding = [self._version(x) for a, b, _ in self._guards(version) for x in (a, b) if x >= 0]
        return self._arguments(version) + deciding

    def _build_node(self, version: Version) -> Node:
        name, *leaf_arguments = self.nodes[version[0]]
        if name in LEAVES:
            return self.graph.add(name, *leaf_arguments)
        operands = [self.nodes_by_version[x] for x in self._arguments(version)]
        guards = self._guards(version)
        if guards:
            position, harmless = RISKY_OPERATIONS[name]
            for a, b, holds in guards:
                left, right = (self.nodes_by_version[self._version(x)] if x >= 0 else self.graph.constant(0.0) for x in (a, b))
                branches = operands[position], self.graph.constant(harmless)
                operands[position] = left.choose(left, right, *(branches if holds else branches[::-1]))
        return self.graph.add(name, *(x.index for x in operands))


def _differentiated_arguments(node: NodeRecord) -> Iterator[tuple[int, Conditions]]:
    """The arguments by which an operation is differentiated, each with what must hold for it."""
    match node:
        case ("choose", a, b, x, y):
            yield x, frozenset([(a, b, True)])
            yield y, frozenset([(a, b, False)])
        case ("by_sign", x, positive, negative):
            yield positive, frozenset([(-1, x, True)])
            yield negative, frozenset([(x, -1, True)])
        case ("touch", x, _):
            yield x, NO_CONDITIONS
        case _:
            yield from ((a, NO_CONDITIONS) for a in arguments(node))
