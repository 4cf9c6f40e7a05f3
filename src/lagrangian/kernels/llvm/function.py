"""Traced code as functions of a larger module: pointers in, results at the last pointer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lagrangian.kernels.llvm.emit import Emitter, attributes
from lagrangian.kernels.trace.hoist import split
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Graph, Node, Number, Trace
from lagrangian.kernels.trace.pieces import KEPT, pieces
from lagrangian.kernels.trace.schedule import Schedule, schedule

Places = Mapping[str, tuple[str, int]]  # an input's pointer, and its first place there
Outputs = Sequence[Node | Number]

# Of pieces of long code: LLVM's scheduling and combining, which cost it as much as all else, find nothing to improve in a trace.
# Registers are still chosen with care.
HASTY = "noinline optnone nounwind"
TABLE = "numbers"  # the array of the numbers of a description
COMMON = ("u", TABLE)  # arrays that states of one motion have in common


class Preparation:
    """What the functions of a module compute of the numbers of the description alone, once and for all of its calls.

    The numbers lie in an array of their own, with what is prepared behind them. Its address is in another, `at`: the name of a
    pointer that all functions are given, and a place there.
    """

    def __init__(self, numbers: int, at: tuple[str, int]) -> None:
        self.size, self.at = numbers, at
        self._lines: list[str] = []
        self._names: list[str] = []

    def of(self, name: str, trace: Trace, declared: set[str], fma: bool) -> tuple[Trace, Places]:
        """What is left of a function's trace, and where it finds its numbers."""
        first, rest = split(trace)
        places = {NUMBERS: (TABLE, 0), PREPARED: (TABLE, self.size)}
        if first.outputs:
            self._lines += prepare(f"prepare.{name}", first, self.size, declared, fma)
            self._names.append(f"prepare.{name}")
            self.size += len(first.outputs)
        return rest, places

    def function(self, name: str) -> list[str]:
        """`void name(ptr numbers)`, which prepares for all functions."""
        calls = [f"  call void @{each}(ptr %{TABLE})" for each in self._names]
        return [*self._lines, f"define void @{name}(ptr %{TABLE}) nounwind {{", *calls, "  ret void", "}"]

    def prologue(self) -> list[str]:
        """How a function finds the array."""
        pointer, place = self.at
        return [f"  %{TABLE}.at = getelementptr double, ptr %{pointer}, i64 {place}", f"  %{TABLE} = load ptr, ptr %{TABLE}.at"]


def traced(
    name: str,
    graph: Graph,
    outputs: Outputs,
    places: Places,
    declared: set[str],
    fma: bool,
    preparation: Preparation | None = None,
    width: int = 1,
    late: int = 1,
) -> list[str]:
    """`void name(ptr ..., ptr output)`, the pointers being those of `places` in their order; for `width` states at once.

    With `late`, code that is written as a whole is there a second time, as `name.late`, for so many states at once.
    """
    return traced_together({name: outputs}, graph, places, declared, fma, preparation, width, late)


def traced_together(
    wanted: Mapping[str, Outputs],
    graph: Graph,
    places: Places,
    declared: set[str],
    fma: bool,
    preparation: Preparation | None = None,
    width: int = 1,
    late: int = 1,
) -> list[str]:
    """Functions by name, each of which begins with the code of those before it: this code is written once."""
    counts = [len(outputs) for outputs in wanted.values()]
    trace = Trace(graph, [x for outputs in wanted.values() for x in outputs])
    pointers = list(dict.fromkeys(pointer for pointer, _ in places.values()))
    if preparation is not None:
        trace, more = preparation.of(next(iter(wanted)), trace, declared, fma)
        places = {**places, **more}
    parts, kept = pieces(schedule(trace, fma), counts)
    given = "".join(f"ptr noalias nocapture readonly %{p}, " for p in pointers) + "ptr noalias nocapture %output"
    prologue = [] if preparation is None else preparation.prologue()
    if sum(len(part) for part in parts) == 1:
        (name,), whole = wanted, parts[0][0]
        found = _piece(name, given, whole, places, declared, fma, prologue, width)
        if late > 1:
            found += _piece(f"{name}.late", given, whole, places, declared, fma, prologue, late, shared=COMMON)
        return found
    lines: list[str] = []
    calls: list[str] = []
    passed = "".join(f"ptr %{p}, " for p in pointers) + f"ptr %all, ptr %{KEPT}"
    for name, part, first, count in zip(wanted, parts, _starts(counts), counts, strict=True):
        for k, piece in enumerate(part):
            own = f"{given}, ptr noalias nocapture %{KEPT}"
            kinds = f"{HASTY} alignstack({8 * width})" if width > 2 else HASTY
            lines += _piece(f"{name}.{k}", own, piece, {**places, KEPT: (KEPT, 0)}, declared, fma, prologue, width, kinds)
            calls.append(f"  call void @{name}.{k}({passed})")
        lines += [f"define internal void @{name}({given}) {attributes(width)} {{"]
        lines.append(f"  %{KEPT} = alloca [{max(1, kept) * width} x double], align {8 * width}")
        lines += [f"  %all = alloca [{(first + count) * width} x double], align {8 * width}", *calls]
        lines.append(f"  %own = getelementptr double, ptr %all, i64 {first * width}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %output, ptr %own, i64 {8 * count * width}, i1 false)")
        lines += ["  ret void", "}"]
    declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return lines


def _starts(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:k]) for k in range(len(counts))]


def _piece(
    name: str,
    given: str,
    piece: Schedule,
    places: Places,
    declared: set[str],
    fma: bool,
    prologue: Sequence[str],
    width: int,
    kinds: str = "",
    shared: Sequence[str] = (),
) -> list[str]:
    """One function. Arrays that are `shared` are not side by side, but the same for all states."""
    lines = [f"define internal void @{name}({given}) {kinds or attributes(width)} {{", *prologue]
    # the same operations in the same order, whatever the width: so are the results
    emitter = Emitter(lines, width, fma, declared, hurried=True)

    def load(what: str, index: int, angle: bool) -> str:
        pointer, first = places[what]
        return (emitter.load_one if pointer in shared else emitter.load)(f"%{pointer}", first + index)

    emitter.write(piece, load, lambda position, value: emitter.store(value, "%output", position))
    return [*lines, "  ret void", "}"]


def prepare(name: str, first: Trace, place: int, declared: set[str], fma: bool, internal: bool = True) -> list[str]:
    """`void name(ptr numbers)`: what follows from the numbers alone, written behind them from `place` on."""
    lines = [f"define {'internal ' if internal else ''}void @{name}(ptr %{TABLE}) noinline nounwind {{"]
    emitter = Emitter(lines, 1, fma, declared)

    def load(what: str, index: int, angle: bool) -> str:
        assert what == NUMBERS
        return emitter.load(f"%{TABLE}", index)

    emitter.write(schedule(first, fma), load, lambda position, value: emitter.store(value, f"%{TABLE}", place + position))
    return [*lines, "  ret void", "}"]
