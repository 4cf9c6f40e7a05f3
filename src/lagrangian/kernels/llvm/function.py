"""Traced code as functions of a larger module: pointers in, results at the last pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lagrangian.kernels.llvm.emit import Emitter
from lagrangian.kernels.trace.node import Graph, Node, Number, Trace
from lagrangian.kernels.trace.schedule import schedule

Places = Mapping[str, tuple[str, int]]  # an input's pointer, and its first place there


def traced(name: str, graph: Graph, outputs: Sequence[Node | Number], places: Places, declared: set[str], fma: bool) -> list[str]:
    """`void name(ptr ..., ptr output)`, the pointers being those of `places` in their order."""
    trace = Trace(graph, outputs)
    lines: list[str] = []
    emitter = Emitter(lines, 1, fma, declared, hurried=True)
    pointers = list(dict.fromkeys(pointer for pointer, _ in places.values()))
    given = ", ".join(f"ptr noalias nocapture readonly %{p}" for p in pointers)
    lines.append(f"define internal void @{name}({given}, ptr noalias nocapture %output) noinline nounwind {{")

    def load(what: str, index: int, angle: bool) -> str:
        pointer, first = places[what]
        return emitter.load(f"%{pointer}", first + index)

    emitter.write(schedule(trace, fma), load, lambda position, value: emitter.store(value, "%output", position))
    lines += ["  ret void", "}"]
    return lines
