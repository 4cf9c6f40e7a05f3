"""A trace as a list of operations in the order in which a processor does them: what every writer of code starts from.

Nothing here knows a language or a machine: `llvm.emit` spells the list as LLVM's text, others would spell it as C. Values are
numbered. An operation is its name, the number of its result, and its arguments, which are numbers of earlier values or of
`constants`; those of an input or angle are its name and index, that of an output its position and value:

    input, angle      a value given; an angle is one that sin and cos alone read, and may come reduced to one turn
    add sub mul div neg sqrt sin cos exp log tanh asin acos atan atan2
    fma               a b + c, rounded once
    touch             a + 0 b: a, but NaN where b is NaN or infinite
    choose            c where a < b, else d
    by_sign           b where a > 0, c where a < 0, else a: 0 at 0, NaN of NaN
    output            a result at its position
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lagrangian.kernels.trace.node import Recorded, Trace, arguments


class Operation(NamedTuple):
    """One line of straight-line code. An output has no result of its own: -1."""

    name: str
    result: int
    arguments: tuple[Any, ...]


@dataclass
class Schedule:
    operations: list[Operation] = field(default_factory=list)
    constants: dict[int, float] = field(default_factory=dict)


def schedule(trace: Trace, fused: bool) -> Schedule:
    """All operations of a trace, in a good order.

    Where `fused`, a product used once, by a sum, becomes a fused multiply-add: decided here and not by a compiler, so that every
    target and vector width rounds alike.
    """
    return _Scheduler(trace, fused).run()


class _Scheduler:
    def __init__(self, trace: Trace, fused: bool) -> None:
        self.nodes, self.outputs = trace.nodes, trace.outputs
        self.found = Schedule(constants={k: node[1] for k, node in enumerate(self.nodes) if node[0] == "constant"})
        self.fused = self._products_to_fuse() if fused else set()
        self.angles: dict[int, int] = {}  # of an input that sin or cos read, the value that is loaded for them
        self.count = len(self.nodes)

    def run(self) -> Schedule:
        skipped = self.fused | self._only_angles() | set(self.found.constants)
        for what, k in order(self.nodes, self.outputs):
            if what == "output":
                self._add("output", -1, k, self.outputs[k])
            elif k not in skipped:
                self._operation(k)
        return self.found

    def _add(self, name: str, result: int, *given: Any) -> int:
        self.found.operations.append(Operation(name, result, given))
        return result

    def _new(self, name: str, *given: Any) -> int:
        """An operation that is no node of the trace."""
        self.count += 1
        return self._add(name, self.count - 1, *given)

    def _operation(self, k: int) -> None:
        name, *given = self.nodes[k]
        if name in ("sin", "cos"):
            given = [self._angle(given[0])]
        elif name in ("add", "sub") and not self.fused.isdisjoint(given):
            name, given = "fma", self._fused(name, *given)
        self._add(name, k, *given)

    def _angle(self, k: int) -> int:
        if self.nodes[k][0] != "input":
            return k
        if k not in self.angles:
            self.angles[k] = self._new("angle", *self.nodes[k][1:])
        return self.angles[k]

    def _fused(self, name: str, a: int, b: int) -> list[int]:
        """a + b or a - b, one of which is a product, as the three arguments of a fused multiply-add."""
        if b in self.fused:
            _, x, y = self.nodes[b]
            return [x if name == "add" else self._new("neg", x), y, a]
        _, x, y = self.nodes[a]
        return [x, y, b if name == "add" else self._new("neg", b)]

    def _products_to_fuse(self) -> set[int]:
        uses = [0] * len(self.nodes)
        for node in self.nodes:
            for a in arguments(node):
                uses[a] += 1
        for k in self.outputs:
            uses[k] += 1
        found: set[int] = set()
        for node in self.nodes:
            if node[0] in ("add", "sub"):
                products = (a for a in reversed(node[1:]) if self.nodes[a][0] == "mul" and uses[a] == 1 and a not in found)
                found.update(list(products)[:1])
        return found

    def _only_angles(self) -> set[int]:
        """Inputs read by sin and cos alone: they are loaded as angles, and not a second time as coordinates."""
        direct = {a for node in self.nodes if node[0] not in ("sin", "cos") for a in arguments(node)} | set(self.outputs)
        return {k for k, node in enumerate(self.nodes) if node[0] == "input" and k not in direct}


def order(nodes: Sequence[Recorded], outputs: Sequence[int]) -> list[tuple[str, int]]:
    """Depth first from each output, the larger subtree first, so that few values are alive (Sethi and Ullman 1970).

    Gives ("node", index) and, as soon as its value is there, ("output", position).
    """
    inputs = [arguments(node) for node in nodes]
    need = [0] * len(nodes)  # Sethi and Ullman's count of registers
    for k, args in enumerate(inputs):
        if args:
            wants = sorted([need[a] for a in args], reverse=True)
            need[k] = max(wants[0], wants[1] + 1 if len(wants) > 1 else 1)
    done = [False] * len(nodes)
    found: list[tuple[str, int]] = []
    for position, output in enumerate(outputs):
        stack = [(output, False)]
        while stack:
            k, ready = stack.pop()
            if done[k]:
                continue
            if ready or not inputs[k]:
                done[k] = True
                found.append(("node", k))
                continue
            stack.append((k, True))
            for a in sorted(inputs[k], key=need.__getitem__):
                if not done[a]:
                    stack.append((a, False))
        found.append(("output", position))
    return found
