"""A tracer: running an algorithm on `Node`s records its operations as a straight-line graph.

Equal operations are recorded once (hash-consing), operations with 0, 1 and -1 fold away, signs are moved outward, and what no
output needs is left out. Nodes are kept as tuples `(operation, arguments...)`; arguments are indices of earlier nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

from lagrangian.model.expression.functions import absolute, power

Number = int | float
# an operation and its arguments: indices of nodes, or a constant's value, or an input's name and index
NodeRecord = tuple[Any, ...]


class GraphTooLargeError(Exception):
    """A graph has outgrown its limit: straight-line code is not the way."""


class Graph:
    """The recorded operations, in an order in which each comes after its arguments."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit if limit is not None else 1 << 62
        self.nodes: list[NodeRecord] = []
        self._nodes_by_record: dict[NodeRecord, Node] = {}

    def add(self, *node: Any) -> Node:
        scalar = self._nodes_by_record.get(node)
        if scalar is None:
            if len(self.nodes) >= self.limit:
                raise GraphTooLargeError
            scalar = Node(self, len(self.nodes))
            self.nodes.append(node)
            self._nodes_by_record[node] = scalar
        return scalar

    def constant(self, x: Number | Real) -> Node:
        return self.add("constant", float(x))

    def input(self, name: str, index: Any) -> Node:
        return self.add("input", name, index)

    def node(self, x: Node | Number) -> Node:
        return x if isinstance(x, Node) else self.constant(x)


class Node:
    """A traced scalar. Arithmetic with numbers and other nodes records new nodes, or folds."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def __bool__(self) -> bool:
        raise TypeError("a traced value has no truth: code that is compiled cannot branch on values; use choose()")

    def _negation_argument(self) -> Node | None:
        """The argument, if this node is a negation."""
        node = self.graph.nodes[self.index]
        return Node(self.graph, node[1]) if node[0] == "neg" else None

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Node):
            if not isinstance(other, Real):
                return NotImplemented
            if other == 0:
                return self
            other = self.graph.constant(other)
        inner = other._negation_argument()
        if inner is not None:
            return self - inner
        inner = self._negation_argument()
        if inner is not None:
            return other - inner
        a, b = self.index, other.index
        return self.graph.add("add", a, b) if a < b else self.graph.add("add", b, a)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if not isinstance(other, Node):
            if not isinstance(other, Real):
                return NotImplemented
            if other == 0:
                return self
            other = self.graph.constant(other)
        if self.index == other.index:
            return 0
        inner = other._negation_argument()
        if inner is not None:
            return self + inner
        inner = self._negation_argument()
        if inner is not None:
            return -(inner + other)
        return self.graph.add("sub", self.index, other.index)

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0 else self.graph.constant(other) - self

    def __neg__(self) -> Node:
        node = self.graph.nodes[self.index]
        if node[0] == "neg":
            return Node(self.graph, node[1])
        if node[0] == "sub":
            return self.graph.add("sub", node[2], node[1])
        return self.graph.add("neg", self.index)

    def __mul__(self, other: Any) -> Any:
        graph = self.graph
        if not isinstance(other, Node):
            if not isinstance(other, Real):
                return NotImplemented
            if other == 0:
                return 0
            if other == 1:
                return self
            if other == -1:
                return -self
            if other < 0:
                return -(self * -other)
            other = graph.constant(other)
        mine, theirs = self._negation_argument(), other._negation_argument()
        if mine is not None or theirs is not None:
            product = (self if mine is None else mine) * (other if theirs is None else theirs)
            return product if mine is not None and theirs is not None else -product
        a, b = self.index, other.index
        return graph.add("mul", a, b) if a < b else graph.add("mul", b, a)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Node):
            return self * (1.0 / other) if isinstance(other, Real) else NotImplemented
        return self.graph.add("div", self.index, other.index)

    def __rtruediv__(self, other: Any) -> Any:
        if other == 0:
            return 0
        return self.graph.add("div", self.graph.constant(other).index, self.index)

    def sin(self) -> Node:
        return self.graph.add("sin", self.index)

    def cos(self) -> Node:
        return self.graph.add("cos", self.index)

    def sqrt(self) -> Node:
        return self.graph.add("sqrt", self.index)

    def exp(self) -> Node:
        return self.graph.add("exp", self.index)

    def log(self) -> Node:
        return self.graph.add("log", self.index)

    def tanh(self) -> Node:
        return self.graph.add("tanh", self.index)

    def asin(self) -> Node:
        return self.graph.add("asin", self.index)

    def acos(self) -> Node:
        return self.graph.add("acos", self.index)

    def atan(self) -> Node:
        return self.graph.add("atan", self.index)

    def floor(self) -> Node:
        return self.graph.add("floor", self.index)

    # numpy's names
    arcsin, arccos, arctan = asin, acos, atan

    def arctan2(self, x: Any) -> Node:
        return self.atan2(x)

    def tan(self) -> Any:
        return self.sin() / self.cos()

    def atan2(self, x: Any) -> Node:
        return self.graph.add("atan2", self.index, self.graph.node(x).index)

    def atan2_of(self, y: Any) -> Node:
        return self.graph.node(y).atan2(self)

    def __pow__(self, n: Any) -> Any:
        return power(self, n)

    def __abs__(self) -> Any:
        return absolute(self)

    def choose(self, a: Any, b: Any, x: Any, y: Any) -> Any:
        """x where a < b, else y."""
        graph = self.graph
        if not isinstance(a, Node) and not isinstance(b, Node):
            return x if a < b else y
        x, y = graph.node(x), graph.node(y)
        if x.index == y.index:
            return x
        return graph.add("choose", graph.node(a).index, graph.node(b).index, x.index, y.index)

    def with_nan_from(self, other: Node) -> Node:
        """This value, but NaN where `other` is NaN or infinite: for an input that does not matter, but must not hide an error."""
        return self.graph.add("touch", self.index, other.index)

    def by_sign(self, positive: Any, negative: Any) -> Node:
        """`positive` where this is above 0, `negative` where below, 0 at 0, NaN of NaN."""
        graph = self.graph
        return graph.add("by_sign", self.index, graph.node(positive).index, graph.node(negative).index)


LEAVES = ("constant", "input")
# inputs that are numbers of the description, and what is computed from them beforehand: see `schedule.split_constants`
NUMBERS, PREPARED = "k", "prepared"
# functions taken from the C library, each lane by itself
LIBRARY_FUNCTIONS = ("exp", "log", "tanh", "asin", "acos", "atan", "atan2", "floor")


def arguments(node: NodeRecord) -> tuple[int, ...]:
    return () if node[0] in LEAVES else node[1:]


class Trace:
    """What remains of a graph when only some outputs are needed: nodes renumbered, outputs as indices."""

    unused_inputs: list[Node]  # inputs that no output depends on

    def __init__(self, graph: Graph, outputs: Iterable[Node | Number]) -> None:
        output_indices = [graph.node(x).index for x in outputs]
        nodes = graph.nodes
        live = [False] * len(nodes)
        for k in output_indices:
            live[k] = True
        for k in range(len(nodes) - 1, -1, -1):  # every node comes after its arguments
            if live[k]:
                for a in arguments(nodes[k]):
                    live[a] = True
        new_index = [0] * len(nodes)
        self.nodes: list[NodeRecord] = []
        for k, node in enumerate(nodes):
            if live[k]:
                new_index[k] = len(self.nodes)
                self.nodes.append(node if node[0] in LEAVES else (node[0], *[new_index[a] for a in node[1:]]))
        self.outputs = [new_index[k] for k in output_indices]
        self.unused_inputs = [
            Node(graph, k) for k, node in enumerate(nodes) if node[0] == "input" and node[1] != NUMBERS and not live[k]
        ]

    @classmethod
    def from_nodes(cls, nodes: list[NodeRecord], outputs: list[int]) -> Trace:
        """A trace of nodes that are all needed."""
        trace = cls.__new__(cls)
        trace.nodes, trace.outputs, trace.unused_inputs = nodes, outputs, []
        return trace

    @property
    def operations(self) -> int:
        """How many operations a run costs; a division counts as the several multiplications it takes."""
        cost = {
            "constant": 0,
            "input": 0,
            "neg": 0,
            "div": 4,
            "sqrt": 4,
            "sin": 12,
            "cos": 12,
            **dict.fromkeys(LIBRARY_FUNCTIONS, 20),
        }
        return sum(cost.get(node[0], 1) for node in self.nodes)


def trace_reading_all_inputs(graph: Graph, outputs: list[Any]) -> Trace:
    """The trace of outputs; inputs they do not depend on are still looked at, so that NaN in them is not hidden."""
    trace = Trace(graph, outputs)
    if outputs and trace.unused_inputs:
        first = graph.node(outputs[0])
        for input_node in trace.unused_inputs:
            first = first.with_nan_from(input_node)
        trace = Trace(graph, [first, *outputs[1:]])
    return trace
