"""Constants of a model: what its routines need of the parameters alone, computed once for all of them.

Each trace of a routine is split into what depends on parameters alone and the rest (`kernels.trace.hoist`). The former are
gathered on one graph, so that two routines that need the same constant share it.
"""

from __future__ import annotations

from lagrangian.kernels.trace.hoist import split
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Graph, Node, Recorded, Trace
from lagrangian.kernels.trace.replay import replay


class Preparation:
    def __init__(self) -> None:
        self._graph = Graph()
        self._constants: list[Node] = []
        self._places: dict[int, int] = {}

    def rest_of(self, trace: Trace) -> Trace:
        """What is left of a trace when it reads constants; what it needs of the parameters is taken note of."""
        first, rest = split(trace)
        found = [self._place(x) for x in replay(first, self._graph.input)]
        nodes: list[Recorded] = []
        for node in rest.nodes:
            if node[0] == "input" and node[1] == PREPARED:
                node = ("input", PREPARED, found[node[2]])
            elif node[0] == "input" and node[1] == NUMBERS:
                node = ("input", PREPARED, self._place(self._graph.input(*node[1:])))
            nodes.append(node)
        return Trace.of(nodes, rest.outputs)

    def _place(self, x: Node) -> int:
        node = self._graph.node(x)
        if node.index not in self._places:
            self._places[node.index] = len(self._constants)
            self._constants.append(node)
        return self._places[node.index]

    def trace(self) -> Trace:
        """From the parameters to the constants."""
        return Trace(self._graph, self._constants)
