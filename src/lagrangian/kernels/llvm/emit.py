"""LLVM IR, as text, for traced operations: on one double, or on a vector of states.

An `Emitter` writes operations. `write_function` and `write_functions` write traced code as functions of a larger module, which
are given pointers to their inputs, and last the pointer to their results.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from lagrangian.kernels.llvm import math
from lagrangian.kernels.trace.node import LIBRARY_FUNCTIONS, NUMBERS, PREPARED, Graph, Node, Number, Trace
from lagrangian.kernels.trace.schedule import MAX_WHOLE_OPERATIONS, SPILL_ARRAY, Schedule, cut_schedule, schedule, split_constants

Load = Callable[[str, Any, bool], str]
Store = Callable[[int, str], None]
Places = Mapping[str, tuple[str, int]]  # an input's pointer, and its first place there
Outputs = Sequence[Node | Number]
NUMBERS_ARRAY = "numbers"  # the array of the numbers of a description
SHARED_ARRAYS = ("u", NUMBERS_ARRAY)  # arrays that states of one motion have in common

# Of pieces of long code: LLVM's scheduling and combining, which cost it as much as all else, find nothing to improve in a trace.
# Registers are still chosen with care.
UNOPTIMISED_ATTRIBUTES = "noinline optnone nounwind"


class Emitter:
    """Appends instructions to `lines`; `width` states at once. Temporaries are numbered from `first`."""

    def __init__(
        self, lines: list[str], width: int, fma: bool, declared: set[str] | None = None, first: int = 0, low_latency: bool = False
    ) -> None:
        self.lines = lines
        self.low_latency = low_latency  # whether short waits count more than few operations
        self.width = width
        self.has_fma = fma
        self.type = "double" if width == 1 else f"<{width} x double>"
        self.integer_type = "i64" if width == 1 else f"<{width} x i64>"
        self.mask = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self._count = first
        self._sincos: dict[str, tuple[str, str]] = {}
        self.declared: set[str] = set() if declared is None else declared  # the intrinsics that are used
        self.large_angle: str | None = None  # where some angle was beyond what sincos reduces

    def temporary(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def put(self, instruction: str) -> str:
        """An instruction with a result."""
        name = self.temporary()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def constant(self, x: float) -> str:
        return hexadecimal(x) if self.width == 1 else f"splat (double {hexadecimal(x)})"

    def integer_constant(self, n: int) -> str:
        return str(n) if self.width == 1 else f"splat (i64 {n})"

    def binary(self, operation: str, a: str, b: str) -> str:
        return self.put(f"{operation} {self.type} {a}, {b}")

    def negative(self, a: str) -> str:
        return self.put(f"fneg {self.type} {a}")

    def call(self, function: str, *args: str) -> str:
        name = f"@llvm.{function}.{self.suffix}"
        self.declared.add(f"declare {self.type} {name}({', '.join([self.type] * len(args))})")
        return self.put(f"call {self.type} {name}({', '.join(f'{self.type} {a}' for a in args)})")

    def fma(self, a: str, b: str, c: str) -> str:
        if self.has_fma:
            return self.call("fma", a, b, c)
        return self.binary("fadd", self.binary("fmul", a, b), c)

    def load(self, base: str, offset: int) -> str:
        """The value at `offset` doubles, or vectors, from a pointer."""
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset * self.width}") if offset else base
        return self.put(f"load {self.type}, ptr {at}, align 8")

    def load_broadcast(self, base: str, offset: int) -> str:
        """The double at `offset` from a pointer, in every lane."""
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset}") if offset else base
        return self.broadcast(self.put(f"load double, ptr {at}, align 8"))

    def store(self, value: str, base: str, offset: int) -> None:
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset * self.width}") if offset else base
        self.lines.append(f"  store {self.type} {value}, ptr {at}, align 8")

    def broadcast(self, value: str) -> str:
        """A scalar in every lane."""
        if self.width == 1:
            return value
        first = self.put(f"insertelement {self.type} poison, double {value}, i32 0")
        return self.put(f"shufflevector {self.type} {first}, {self.type} poison, <{self.width} x i32> zeroinitializer")

    def sin_and_cos(self, x: str) -> tuple[str, str]:
        if x not in self._sincos:
            beyond = self.put(f"fcmp ogt {self.type} {self.call('fabs', x)}, {self.constant(math.largest_angle(self.has_fma))}")
            self.large_angle = beyond if self.large_angle is None else self.put(f"or {self.mask} {self.large_angle}, {beyond}")
            self._sincos[x] = math.emit_sin_cos(self, x)
        return self._sincos[x]

    def any_large(self) -> str:
        """An i1: whether any angle was too large in any lane."""
        if self.large_angle is None:
            return "false"
        if self.width == 1:
            return self.large_angle
        bits = self.put(f"bitcast {self.mask} {self.large_angle} to i{self.width}")
        return self.put(f"icmp ne i{self.width} {bits}, 0")

    def write_schedule(self, scheduled: Schedule, load: Load, store: Store) -> None:
        """All operations of a schedule. `load(name, index, angle)` gives an input, `store(position, value)` takes an output."""
        values = {k: self.constant(x) for k, x in scheduled.constants.items()}
        for name, result, arguments in scheduled.operations:
            if name == "output":
                store(arguments[0], values[arguments[1]])
            elif name == "keep":
                self.store(values[arguments[1]], f"%{SPILL_ARRAY}", arguments[0])
            elif name in ("input", "angle"):
                values[result] = load(arguments[0], arguments[1], name == "angle")
            else:
                values[result] = self._operation(name, *(values[k] for k in arguments))

    def _operation(self, name: str, *operands: str) -> str:
        match name:
            case "add" | "sub" | "mul" | "div":
                return self.binary(f"f{name}", *operands)
            case "fma":
                return self.fma(*operands)
            case "neg":
                return self.negative(*operands)
            case "sin" | "cos":
                return self.sin_and_cos(*operands)[name == "cos"]
            case "sqrt":
                return self.call("sqrt", *operands)
            case "touch":
                a, b = operands
                return self.fma(b, self.constant(0.0), a)
            case "by_sign":
                return self._by_sign(*operands)
            case "choose":
                return self._choose(*operands)
        if name in LIBRARY_FUNCTIONS:
            return self._call_library(name, *operands)
        raise AssertionError(f"no emission for {name}")

    def _by_sign(self, x: str, positive: str, negative: str) -> str:
        zero = self.constant(0.0)
        above = self.put(f"fcmp ogt {self.type} {x}, {zero}")
        below = self.put(f"fcmp olt {self.type} {x}, {zero}")
        # 0 at 0, NaN of NaN: x itself in both cases
        otherwise = self.put(f"select {self.mask} {below}, {self.type} {negative}, {self.type} {x}")
        return self.put(f"select {self.mask} {above}, {self.type} {positive}, {self.type} {otherwise}")

    def _choose(self, a: str, b: str, x: str, y: str) -> str:
        less = self.put(f"fcmp olt {self.type} {a}, {b}")
        return self.put(f"select {self.mask} {less}, {self.type} {x}, {self.type} {y}")

    def _call_library(self, name: str, *args: str) -> str:
        """A function of the C library, on one lane after the other."""
        self.declared.add(f"declare double @{name}({', '.join(['double'] * len(args))}) nounwind willreturn memory(none)")
        if self.width == 1:
            return self.put(f"call double @{name}({', '.join(f'double {a}' for a in args)})")
        result = "poison"
        for lane in range(self.width):
            parts = [self.put(f"extractelement {self.type} {a}, i32 {lane}") for a in args]
            lane_value = self.put(f"call double @{name}({', '.join(f'double {a}' for a in parts)})")
            result = self.put(f"insertelement {self.type} {result}, double {lane_value}, i32 {lane}")
        return result


def attributes(width: int) -> str:
    """The attributes of a function over vectors of `width` doubles.

    Calls keep the stack aligned to 16 bytes only, and LLVM does not align it for values it spills: without `alignstack`, in every
    second process half of the longer vectors on it straddle two cache lines, which costs a third of the speed.
    """
    return "noinline nounwind" if width <= 2 else f"noinline nounwind alignstack({8 * width})"


def hexadecimal(x: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def write_function(
    name: str,
    graph: Graph,
    outputs: Outputs,
    places: Places,
    declared: set[str],
    fma: bool,
    preparation: PreparationCode | None = None,
    width: int = 1,
    late_width: int = 1,
) -> list[str]:
    """`void name(ptr ..., ptr output)`, the pointers being those of `places` in their order; for `width` states at once.

    With a `late_width`, code that is written as a whole is there a second time, as `name.late`, for so many states at once.
    """
    return write_functions({name: outputs}, graph, places, declared, fma, preparation, width, late_width)


def write_functions(
    outputs_by_name: Mapping[str, Outputs],
    graph: Graph,
    places: Places,
    declared: set[str],
    fma: bool,
    preparation: PreparationCode | None = None,
    width: int = 1,
    late_width: int = 1,
) -> list[str]:
    """Functions by name, each of which begins with the code of those before it: this code is written once."""
    counts = [len(outputs) for outputs in outputs_by_name.values()]
    trace = Trace(graph, [x for outputs in outputs_by_name.values() for x in outputs])
    pointers = list(dict.fromkeys(pointer for pointer, _ in places.values()))
    if preparation is not None:
        trace, number_places = preparation.hoist(next(iter(outputs_by_name)), trace, declared, fma)
        places = {**places, **number_places}
    scheduled = schedule(trace, fma)
    parts, spill_count = cut_schedule(scheduled, counts)
    form = _FunctionForm(pointers, places, declared, fma, [] if preparation is None else preparation.prologue())
    if sum(len(part) for part in parts) == 1:
        (name,), only_piece = outputs_by_name, parts[0][0]
        return _write_single_function(name, only_piece, form, width, late_width)
    is_long = len(scheduled.operations) > MAX_WHOLE_OPERATIONS
    return _write_functions_in_pieces(dict(zip(outputs_by_name, parts, strict=True)), counts, spill_count, form, width, is_long)


@dataclass(frozen=True)
class _FunctionForm:
    """What the functions of one graph have in common."""

    pointers: Sequence[str]
    places: Places
    declared: set[str]
    fma: bool
    prologue: Sequence[str]

    @property
    def parameters(self) -> str:
        return "".join(f"ptr noalias nocapture readonly %{p}, " for p in self.pointers) + "ptr noalias nocapture %output"

    def write(
        self,
        name: str,
        piece: Schedule,
        width: int,
        more_parameters: str = "",
        attribute_text: str = "",
        shared_arrays: Sequence[str] = (),
    ) -> list[str]:
        """One function. Arrays of `shared_arrays` have no number for each state: all states read the same one."""
        attribute_text = attribute_text or attributes(width)
        lines = [f"define internal void @{name}({self.parameters}{more_parameters}) {attribute_text} {{", *self.prologue]
        # the same operations in the same order, whatever the width: so are the results
        emitter = Emitter(lines, width, self.fma, self.declared, low_latency=True)

        def load(input_name: str, index: int, angle: bool) -> str:
            pointer, first = self.places[input_name]
            return (emitter.load_broadcast if pointer in shared_arrays else emitter.load)(f"%{pointer}", first + index)

        emitter.write_schedule(piece, load, lambda position, value: emitter.store(value, "%output", position))
        return [*lines, "  ret void", "}"]


def _write_single_function(name: str, piece: Schedule, form: _FunctionForm, width: int, late_width: int) -> list[str]:
    """A function that is written as a whole, and once more as `name.late` if that is for several states."""
    lines = form.write(name, piece, width)
    if late_width > 1:
        lines += form.write(f"{name}.late", piece, late_width, shared_arrays=SHARED_ARRAYS)
    return lines


def _write_functions_in_pieces(
    parts: Mapping[str, Sequence[Schedule]],
    counts: Sequence[int],
    spill_count: int,
    form: _FunctionForm,
    width: int,
    is_long: bool,
) -> list[str]:
    """Functions by name, each of which calls its own pieces after those of the functions before it."""
    lines: list[str] = []
    calls: list[str] = []
    arguments = "".join(f"ptr %{p}, " for p in form.pointers) + f"ptr %all, ptr %{SPILL_ARRAY}"
    attribute_text = f"{UNOPTIMISED_ATTRIBUTES} alignstack({8 * width})" if width > 2 else UNOPTIMISED_ATTRIBUTES
    piece_form = replace(form, places={**form.places, SPILL_ARRAY: (SPILL_ARRAY, 0)})
    for (name, part), first, count in zip(parts.items(), accumulate(counts, initial=0), counts, strict=False):
        for k, piece in enumerate(part):
            more_parameters = f", ptr noalias nocapture %{SPILL_ARRAY}"
            lines += piece_form.write(f"{name}.{k}", piece, width, more_parameters, attribute_text if is_long else "")
            calls.append(f"  call void @{name}.{k}({arguments})")
        lines += [f"define internal void @{name}({form.parameters}) {attributes(width)} {{"]
        lines.append(f"  %{SPILL_ARRAY} = alloca [{max(1, spill_count) * width} x double], align {8 * width}")
        lines += [f"  %all = alloca [{(first + count) * width} x double], align {8 * width}", *calls]
        lines.append(f"  %own = getelementptr double, ptr %all, i64 {first * width}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %output, ptr %own, i64 {8 * count * width}, i1 false)")
        lines += ["  ret void", "}"]
    form.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return lines


class PreparationCode:
    """What the functions of a module compute of the numbers of the description alone, once and for all of its calls.

    The numbers lie in an array of their own, with what is prepared behind them. The address of this array is in another one, at
    `pointer_place`: the name of a pointer that all functions are given, and a place there.
    """

    def __init__(self, numbers: int, pointer_place: tuple[str, int]) -> None:
        self.size, self.pointer_place = numbers, pointer_place
        self._lines: list[str] = []
        self._names: list[str] = []

    def hoist(self, name: str, trace: Trace, declared: set[str], fma: bool) -> tuple[Trace, Places]:
        """The remaining trace of a function, and where it finds its numbers."""
        constant_trace, remaining_trace = split_constants(trace)
        places = {NUMBERS: (NUMBERS_ARRAY, 0), PREPARED: (NUMBERS_ARRAY, self.size)}
        if constant_trace.outputs:
            self._lines += write_preparation(f"prepare.{name}", constant_trace, self.size, declared, fma)
            self._names.append(f"prepare.{name}")
            self.size += len(constant_trace.outputs)
        return remaining_trace, places

    def function(self, name: str) -> list[str]:
        """`void name(ptr numbers)`, which prepares for all functions."""
        calls = [f"  call void @{each}(ptr %{NUMBERS_ARRAY})" for each in self._names]
        return [*self._lines, f"define void @{name}(ptr %{NUMBERS_ARRAY}) nounwind {{", *calls, "  ret void", "}"]

    def prologue(self) -> list[str]:
        """The lines by which a function finds the array."""
        pointer, place = self.pointer_place
        return [
            f"  %{NUMBERS_ARRAY}.at = getelementptr double, ptr %{pointer}, i64 {place}",
            f"  %{NUMBERS_ARRAY} = load ptr, ptr %{NUMBERS_ARRAY}.at",
        ]


def write_preparation(
    name: str, constant_trace: Trace, place: int, declared: set[str], fma: bool, internal: bool = True
) -> list[str]:
    """`void name(ptr numbers)`: what follows from the numbers alone, written behind them from `place` on."""
    lines = [f"define {'internal ' if internal else ''}void @{name}(ptr %{NUMBERS_ARRAY}) noinline nounwind {{"]
    emitter = Emitter(lines, 1, fma, declared)

    def load(input_name: str, index: int, angle: bool) -> str:
        assert input_name == NUMBERS
        return emitter.load(f"%{NUMBERS_ARRAY}", index)

    emitter.write_schedule(
        schedule(constant_trace, fma), load, lambda position, value: emitter.store(value, f"%{NUMBERS_ARRAY}", place + position)
    )
    return [*lines, "  ret void", "}"]
