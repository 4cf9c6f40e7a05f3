"""Traced code as functions of a larger module: pointers in, results at the last pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lagrangian.kernels.llvm.emit import Emitter
from lagrangian.kernels.trace.node import Graph, Node, Number, Trace
from lagrangian.kernels.trace.pieces import KEPT, pieces
from lagrangian.kernels.trace.schedule import Schedule, schedule

Places = Mapping[str, tuple[str, int]]  # an input's pointer, and its first place there
Outputs = Sequence[Node | Number]
# Of pieces of long code: LLVM's scheduling and combining, which cost it as much as all else, find nothing to improve in a trace.
# Registers are still chosen with care.
HASTY = "noinline optnone nounwind"


def traced(name: str, graph: Graph, outputs: Outputs, places: Places, declared: set[str], fma: bool) -> list[str]:
    """`void name(ptr ..., ptr output)`, the pointers being those of `places` in their order."""
    return traced_together({name: outputs}, graph, places, declared, fma)


def traced_together(wanted: Mapping[str, Outputs], graph: Graph, places: Places, declared: set[str], fma: bool) -> list[str]:
    """Functions by name, each of which begins with the code of those before it: this code is written once."""
    counts = [len(outputs) for outputs in wanted.values()]
    trace = Trace(graph, [x for outputs in wanted.values() for x in outputs])
    parts, kept = pieces(schedule(trace, fma), counts)
    pointers = list(dict.fromkeys(pointer for pointer, _ in places.values()))
    given = "".join(f"ptr noalias nocapture readonly %{p}, " for p in pointers) + "ptr noalias nocapture %output"
    if sum(len(part) for part in parts) == 1:
        return _piece(next(iter(wanted)), given, parts[0][0], places, declared, fma)
    lines: list[str] = []
    calls: list[str] = []
    passed = "".join(f"ptr %{p}, " for p in pointers) + f"ptr %all, ptr %{KEPT}"
    for name, part, first, count in zip(wanted, parts, _starts(counts), counts, strict=True):
        for k, piece in enumerate(part):
            own = f"{given}, ptr noalias nocapture %{KEPT}"
            lines += _piece(f"{name}.{k}", own, piece, {**places, KEPT: (KEPT, 0)}, declared, fma, HASTY)
            calls.append(f"  call void @{name}.{k}({passed})")
        lines += [f"define internal void @{name}({given}) noinline nounwind {{"]
        lines += [f"  %{KEPT} = alloca [{max(1, kept)} x double]", f"  %all = alloca [{first + count} x double]", *calls]
        lines.append(f"  %own = getelementptr double, ptr %all, i64 {first}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %output, ptr %own, i64 {8 * count}, i1 false)")
        lines += ["  ret void", "}"]
    declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return lines


def _starts(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:k]) for k in range(len(counts))]


def _piece(
    name: str, given: str, piece: Schedule, places: Places, declared: set[str], fma: bool, attributes: str = "noinline nounwind"
) -> list[str]:
    lines = [f"define internal void @{name}({given}) {attributes} {{"]
    emitter = Emitter(lines, 1, fma, declared, hurried=True)

    def load(what: str, index: int, angle: bool) -> str:
        pointer, first = places[what]
        return emitter.load(f"%{pointer}", first + index)

    emitter.write(piece, load, lambda position, value: emitter.store(value, "%output", position))
    return [*lines, "  ret void", "}"]
