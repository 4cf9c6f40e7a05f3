"""A Python function of torques that is compiled: it is called once, with symbols, and its operations are recorded.

The numbers that it computes with, such as gains, become slots as those of expressions do: see `algorithms.structure`. So the same
function with other gains needs no other code. 0, 1 and -1 fold away while it is recorded, and are part of the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.algorithms.structure import FOLDED_VALUES, SlotNumbers
from lagrangian.arguments import number
from lagrangian.errors import ArgumentError
from lagrangian.kernels.trace.node import Graph, Node, Trace
from lagrangian.model.expression import functions as f


class TracedTorques:
    """What a function recorded, with slots in `numbers` for its constants."""

    def __init__(self, function: Callable[..., Any], nq: int, nv: int, numbers: SlotNumbers) -> None:
        graph = Graph()
        state = (graph.input("t", 0), [graph.input("q", k) for k in range(nq)], [graph.input("qd", k) for k in range(nv)])
        trace = Trace(graph, _called(function, state, nv))
        self._outputs = trace.outputs
        self._nodes = [_slotted(node, numbers) for node in trace.nodes]

    @property
    def key(self) -> str:
        """What its code depends on; the values of slots are no part of it."""
        return repr((self._nodes, self._outputs))

    def at(self, graph: Graph, state: MechanismState) -> list[Any]:
        """The torques at a state of a graph: the operations recorded there."""
        found: list[Any] = []
        inputs = {"t": [state.t], "q": state.q, "qd": state.qd}
        for kind, *rest in self._nodes:
            if kind == "slot":
                found.append(state.tree.reader.symbol_values[rest[0]])
            elif kind == "constant":
                found.append(rest[0])
            elif kind == "input":
                found.append(inputs[rest[0]][rest[1]])
            else:
                found.append(graph.add(kind, *_ordered(kind, [graph.node(found[k]).index for k in rest])))
        return [found[k] for k in self._outputs]


def _slotted(node: tuple[Any, ...], numbers: SlotNumbers) -> tuple[Any, ...]:
    if node[0] != "constant" or node[1] in FOLDED_VALUES or not math.isfinite(node[1]):
        return node
    return "slot", f"{f.SLOT_PREFIX}{numbers.extend((node[1],), (node[1],))}"


def _ordered(kind: str, arguments: list[int]) -> list[int]:
    """Sums and products have their arguments in one order, so that equal ones are known to be equal."""
    return sorted(arguments) if kind in ("add", "mul") else arguments


def _called(function: Callable[..., Any], state: tuple[Any, ...], n: int) -> list[Any]:
    """What a function gives when it is called with symbols."""
    try:
        found = list(function(*state))
    except Exception as error:  # of any kind: it is the user's function
        if not isinstance(error, (TypeError, AttributeError, ValueError)):
            raise ArgumentError(f"Traced: the function raised {type(error).__name__}: {error}") from error
        raise ArgumentError(
            f"Traced: the function cannot be compiled: {error}. It may use arithmetic and numpy's functions of numbers, but not "
            f"branch on values; without Traced(...) it is called from Python"
        ) from error
    if len(found) != n:
        raise ArgumentError(f"Traced: the function gives {len(found)} torques; {n} are needed")
    return [x if isinstance(x, Node) else number(x, "a torque that the function gives", where="Traced") for x in found]
