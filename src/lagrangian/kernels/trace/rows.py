"""A trace as rows of operations that do not depend on each other: one loop over rows is short code, however long the trace.

All values have places in one array: constants first, then inputs, then what is computed. Sums, products, quotients, roots and
choices have one form, so that a row of any of them is computed at once. With a, b, c, d, e from five places it is

    PRODUCTS    (a b + c d)/e
    DIFFERENCE  (a b - c d)/e
    ROOT        sqrt(a b)
    CHOICE      c where a < b, else d
    SIGN        c where a > 0, d where a < 0, else 0 a

Other functions, such as sines, stand between loops: each phase begins with those whose arguments are known by then. Rows are
filled as instructions of processors of several units are: what most others wait for goes first (list scheduling).
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lagrangian.kernels.trace.node import LEAVES, LIBRARY_FUNCTIONS, Trace, arguments

PRODUCTS, DIFFERENCE, ROOT, CHOICE, SIGN = range(5)
FUNCTIONS = ("sin", "cos", *LIBRARY_FUNCTIONS)
ONE, ZERO = -1, -2  # constants that are no nodes


@dataclass(frozen=True)
class FunctionBatch:
    """A function of many values: places of its arguments (arguments, values), and the first place of its results."""

    name: str
    arguments: np.ndarray
    first: int


@dataclass(frozen=True)
class Phase:
    """Functions, then rows: `kinds` (rows, width), the places of arguments (rows, 5, width), and the first place of results."""

    functions: list[FunctionBatch]
    kinds: np.ndarray
    places: np.ndarray
    first: int


@dataclass
class OperationRows:
    """`inputs` follow the constants: the entries that are read of each array. `size` is how many places there are."""

    constants: list[float]
    inputs: dict[str, list[int]]
    phases: list[Phase] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    size: int = 0


def pack_rows(trace: Trace) -> OperationRows:
    return _RowScheduler(trace).run()


class _RowScheduler:
    def __init__(self, trace: Trace) -> None:
        self.nodes, self.outputs = trace.nodes, trace.outputs
        self.row_operations = _row_operations(trace)
        self.places: dict[int, int] = {}

    def run(self) -> OperationRows:
        constants = {ONE: 1.0, ZERO: 0.0} | {k: x[1] for k, x in enumerate(self.nodes) if x[0] == "constant"}
        inputs: defaultdict[str, list[int]] = defaultdict(list)
        for k, node in enumerate(self.nodes):
            if node[0] == "input":
                inputs[node[1]].append(k)
        self._next = 0
        self._assign_places([*constants, *(k for nodes in inputs.values() for k in nodes)])
        rows = OperationRows(
            list(constants.values()), {name: [self.nodes[k][2] for k in nodes] for name, nodes in inputs.items()}
        )
        for phase in self._phases():
            names = dict.fromkeys(self.nodes[k][0] for k in phase if k not in self.row_operations)
            functions = [self._function_batch(name, [k for k in phase if self.nodes[k][0] == name]) for name in names]
            rows.phases.append(self._row_phase(functions, [k for k in phase if k in self.row_operations]))
        rows.outputs, rows.size = [self.places[k] for k in self.outputs], self._next
        return rows

    def _assign_places(self, nodes: Iterable[int]) -> None:
        for k in nodes:
            self.places[k] = self._next
            self._next += 1

    def _phases(self) -> list[list[int]]:
        """The nodes that are computed, in phases by the number of functions that come one after the other before them."""
        rank: dict[int, int] = {}
        by_rank: defaultdict[int, list[int]] = defaultdict(list)
        for k, node in enumerate(self.nodes):
            rank[k] = max((rank[a] for a in arguments(node)), default=0) + (node[0] in FUNCTIONS)
            if k in self.row_operations or node[0] in FUNCTIONS:
                by_rank[rank[k]].append(k)
        return [by_rank[r] for r in sorted(by_rank)]

    def _function_batch(self, name: str, nodes: list[int]) -> FunctionBatch:
        first = self._next
        argument_places = [[self.places[a] for a in arguments(self.nodes[k])] for k in nodes]
        self._assign_places(nodes)
        return FunctionBatch(name, np.array(argument_places, dtype=np.int32).T, first)

    def _row_phase(self, functions: list[FunctionBatch], nodes: list[int]) -> Phase:
        first, rows, width = self._next, *_list_schedule({k: self.row_operations[k][1:] for k in nodes})
        kinds = np.zeros((len(rows), width), dtype=np.int8)
        places = np.zeros((len(rows), 5, width), dtype=np.int32)  # lanes that are not used are ONE over ONE
        for row in rows:
            self._assign_places(row)
            self._next += width - len(row)
        for i, row in enumerate(rows):
            for j, k in enumerate(row):
                kinds[i, j] = self.row_operations[k][0]
                places[i, :, j] = [self.places[a] for a in self.row_operations[k][1:]]
        return Phase(functions, kinds, places, first)


def _row_operations(trace: Trace) -> dict[int, tuple[int, ...]]:
    """The kind and the five arguments of every operation that is in rows; a product that one sum alone needs is part of it."""
    nodes = trace.nodes
    uses = Counter(a for node in nodes for a in arguments(node))
    uses.update(trace.outputs)
    operations: dict[int, tuple[int, ...]] = {}
    absorbed: set[int] = set()

    def product(k: int) -> tuple[int, int]:
        if nodes[k][0] == "mul" and uses[k] == 1:
            absorbed.add(k)
            return nodes[k][1], nodes[k][2]
        return k, ONE

    for k, node in enumerate(nodes):
        name, operands = node[0], arguments(node)
        match name:
            case "add":
                operations[k] = (PRODUCTS, *product(operands[0]), *product(operands[1]), ONE)
            case "sub":
                operations[k] = (DIFFERENCE, *product(operands[0]), *product(operands[1]), ONE)
            case "mul":
                operations[k] = (PRODUCTS, *operands, ZERO, ZERO, ONE)
            case "neg":
                operations[k] = (DIFFERENCE, ZERO, ZERO, operands[0], ONE, ONE)
            case "div":
                operations[k] = (PRODUCTS, operands[0], ONE, ZERO, ZERO, operands[1])
            case "sqrt":
                operations[k] = (ROOT, operands[0], ONE, ZERO, ZERO, ONE)
            case "choose":
                operations[k] = (CHOICE, *operands, ONE)
            case "by_sign":
                operations[k] = (SIGN, operands[0], ZERO, operands[1], operands[2], ONE)
            case "touch":
                operations[k] = (PRODUCTS, operands[0], ONE, operands[1], ZERO, ONE)
            case _:
                assert name in (*LEAVES, *FUNCTIONS), name
    return {k: lane for k, lane in operations.items() if k not in absorbed}


def _list_schedule(needs: dict[int, tuple[int, ...]]) -> tuple[list[list[int]], int]:
    """Rows in which everything comes after what it needs, and how wide they are: about as few rows as there must be."""
    users: defaultdict[int, list[int]] = defaultdict(list)
    waits: dict[int, int] = {}
    for k, operands in needs.items():
        predecessors = {a for a in operands if a in needs}
        waits[k] = len(predecessors)
        for a in predecessors:
            users[a].append(k)
    height: dict[int, int] = {}  # how many rows must follow, itself included
    for k in reversed(needs):
        height[k] = 1 + max((height[u] for u in users[k]), default=0)
    width = -(-len(needs) // max(height.values(), default=1))
    ready = [(-height[k], k) for k, count in waits.items() if not count]
    heapq.heapify(ready)
    rows: list[list[int]] = []
    while ready:
        rows.append([heapq.heappop(ready)[1] for _ in range(min(width, len(ready)))])
        for u in (u for k in rows[-1] for u in users[k]):
            waits[u] -= 1
            if not waits[u]:
                heapq.heappush(ready, (-height[u], u))
    return rows, width
