"""LLVM IR, as text, for traced operations: on one double, or on a vector of states."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.kernels.llvm import math
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.trace.node import LIBRARY_FUNCTIONS, NUMBERS, PREPARED, Graph, Node, Number, Trace
from lagrangian.kernels.trace.schedule import MAX_WHOLE_OPERATIONS, SPILL_ARRAY, Schedule, cut_schedule, schedule, split_constants

Load = Callable[[str, Any, bool], str]
Store = Callable[[int, str], None]


def hexadecimal(x: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def attributes(width: int) -> str:
    """The attributes of a function over vectors of `width` doubles.

    Calls keep the stack aligned to 16 bytes only, and LLVM does not align it for values it spills: without `alignstack`, in every
    second process half of the longer vectors on it straddle two cache lines, which costs a third of the speed.
    """
    return "noinline nounwind" if width <= 2 else f"noinline nounwind alignstack({8 * width})"


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


# MERGED lagrangian.kernels.llvm.function: Traced code as functions of a larger module: pointers in, results at the last
# pointer.

Places = Mapping[str, tuple[str, int]]  # an input's pointer, and its first place there
Outputs = Sequence[Node | Number]

# Of pieces of long code: LLVM's scheduling and combining, which cost it as much as all else, find nothing to improve in a trace.
# Registers are still chosen with care.
UNOPTIMISED_ATTRIBUTES = "noinline optnone nounwind"
NUMBERS_ARRAY = "numbers"  # the array of the numbers of a description
SHARED_ARRAYS = ("u", NUMBERS_ARRAY)  # arrays that states of one motion have in common


class PreparationCode:
    """What the functions of a module compute of the numbers of the description alone, once and for all of its calls.

    The numbers lie in an array of their own, with what is prepared behind them. Its address is in another, `at`: the name of a
    pointer that all functions are given, and a place there.
    """

    def __init__(self, numbers: int, pointer_place: tuple[str, int]) -> None:
        self.size, self.pointer_place = numbers, pointer_place
        self._lines: list[str] = []
        self._names: list[str] = []

    def hoist(self, name: str, trace: Trace, declared: set[str], fma: bool) -> tuple[Trace, Places]:
        """What is left of a function's trace, and where it finds its numbers."""
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
        """How a function finds the array."""
        pointer, place = self.pointer_place
        return [
            f"  %{NUMBERS_ARRAY}.at = getelementptr double, ptr %{pointer}, i64 {place}",
            f"  %{NUMBERS_ARRAY} = load ptr, ptr %{NUMBERS_ARRAY}.at",
        ]


def trace_function(
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

    With `late`, code that is written as a whole is there a second time, as `name.late`, for so many states at once.
    """
    return trace_functions({name: outputs}, graph, places, declared, fma, preparation, width, late_width)


def trace_functions(
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
    is_long = len(scheduled.operations) > MAX_WHOLE_OPERATIONS
    parameters = "".join(f"ptr noalias nocapture readonly %{p}, " for p in pointers) + "ptr noalias nocapture %output"
    prologue = [] if preparation is None else preparation.prologue()
    if sum(len(part) for part in parts) == 1:
        (name,), only_piece = outputs_by_name, parts[0][0]
        function_lines = _write_function(name, parameters, only_piece, places, declared, fma, prologue, width)
        if late_width > 1:
            function_lines += _write_function(
                f"{name}.late", parameters, only_piece, places, declared, fma, prologue, late_width, shared_arrays=SHARED_ARRAYS
            )
        return function_lines
    lines: list[str] = []
    calls: list[str] = []
    arguments = "".join(f"ptr %{p}, " for p in pointers) + f"ptr %all, ptr %{SPILL_ARRAY}"
    for name, part, first, count in zip(outputs_by_name, parts, _offsets(counts), counts, strict=True):
        for k, piece in enumerate(part):
            piece_parameters = f"{parameters}, ptr noalias nocapture %{SPILL_ARRAY}"
            attribute_text = (
                (f"{UNOPTIMISED_ATTRIBUTES} alignstack({8 * width})" if width > 2 else UNOPTIMISED_ATTRIBUTES) if is_long else ""
            )
            lines += _write_function(
                f"{name}.{k}",
                piece_parameters,
                piece,
                {**places, SPILL_ARRAY: (SPILL_ARRAY, 0)},
                declared,
                fma,
                prologue,
                width,
                attribute_text,
            )
            calls.append(f"  call void @{name}.{k}({arguments})")
        lines += [f"define internal void @{name}({parameters}) {attributes(width)} {{"]
        lines.append(f"  %{SPILL_ARRAY} = alloca [{max(1, spill_count) * width} x double], align {8 * width}")
        lines += [f"  %all = alloca [{(first + count) * width} x double], align {8 * width}", *calls]
        lines.append(f"  %own = getelementptr double, ptr %all, i64 {first * width}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %output, ptr %own, i64 {8 * count * width}, i1 false)")
        lines += ["  ret void", "}"]
    declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return lines


def _offsets(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:k]) for k in range(len(counts))]


def _write_function(
    name: str,
    parameters: str,
    piece: Schedule,
    places: Places,
    declared: set[str],
    fma: bool,
    prologue: Sequence[str],
    width: int,
    attribute_text: str = "",
    shared_arrays: Sequence[str] = (),
) -> list[str]:
    """One function. Arrays that are `shared` are not side by side, but the same for all states."""
    lines = [f"define internal void @{name}({parameters}) {attribute_text or attributes(width)} {{", *prologue]
    # the same operations in the same order, whatever the width: so are the results
    emitter = Emitter(lines, width, fma, declared, low_latency=True)

    def load(input_name: str, index: int, angle: bool) -> str:
        pointer, first = places[input_name]
        return (emitter.load_broadcast if pointer in shared_arrays else emitter.load)(f"%{pointer}", first + index)

    emitter.write_schedule(piece, load, lambda position, value: emitter.store(value, "%output", position))
    return [*lines, "  ret void", "}"]


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


# MERGED lagrangian.kernels.unrolled: A kernel for a small mechanism: one straight-line body, called for each block of states.
# Arrays are row-major, a state a row; the body turns blocks of rows into one vector per coordinate and back. States that do
# not fill a block go through a padded copy. i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states) void prepare(ptr
# numbers) `inputs` points to the arrays' addresses, the last of which are the angles: q itself, or q reduced; and behind them
# to the numbers of the description, which are the same for all states. Before the first call, `prepare` adds to these what
# follows from them alone. The result is not 0 if an angle was too large for sincos.


def scratch_size(sizes: Sequence[int], output: int, width: int) -> int:
    """Doubles of scratch the padded copy needs."""
    return 0 if width == 1 else width * (sum(sizes) + sizes[0] + output)


@dataclass(frozen=True)
class UnrolledCode:
    """IR, and what its caller must supply."""

    ir: str
    numbers: int  # of the description, and what is prepared from them


def unrolled_code(
    trace: Trace, names: Sequence[str], sizes: Sequence[int], output: int, target: CPUTarget, width: int, numbers: int
) -> UnrolledCode:
    """The IR of a kernel; `names` and `sizes` are those of its inputs, q first; so many `numbers` has the description."""
    constant_trace, remaining_trace = split_constants(trace)
    lines: list[str] = []
    declared: set[str] = set()
    pointers = [*names, "angles"]
    dims = dict(zip(pointers, [*sizes, sizes[0]], strict=True))
    scheduled = schedule(remaining_trace, target.fma)
    # the vectors of a block of rows are loaded once, and stay in registers: such code is not cut
    (parts,), spill_count = cut_schedule(scheduled, [len(remaining_trace.outputs)]) if width == 1 else ([[scheduled]], 0)
    is_cut = len(parts) > 1
    parameters = (
        ", ".join(f"ptr noalias nocapture readonly %{n}" for n in (*pointers, NUMBERS_ARRAY)) + ", ptr noalias nocapture %output"
    )

    def write(name: str, parameters: str, piece: Schedule) -> None:
        emitter = Emitter(lines, width, target.fma, declared)
        rows = _SingleState(emitter) if width == 1 else _StateBlock(emitter, dims, output)

        def load(name: str, index: int, angle: bool) -> str:
            if name in (NUMBERS, PREPARED):
                return emitter.load_broadcast(f"%{NUMBERS_ARRAY}", index + (numbers if name == PREPARED else 0))
            return rows.load(name, index, angle)

        lines.append(f"define internal i1 @{name}({parameters}) {attributes(width)} {{")
        emitter.write_schedule(piece, load, rows.store)
        rows.finish()
        lines.extend([f"  ret i1 {emitter.any_large()}", "}"])

    for k, piece in enumerate(parts):
        write(
            f"piece.{k}" if is_cut else "body",
            f"{parameters}, ptr noalias nocapture %{SPILL_ARRAY}" if is_cut else parameters,
            piece,
        )
    if is_cut:
        lines += _body_of_pieces(len(parts), spill_count, [*pointers, NUMBERS_ARRAY, "output"])
    lines += _kernel_lines(pointers, dims, output, width)
    lines += write_preparation("prepare", constant_trace, numbers, declared, target.fma, internal=False)
    declared.update(_DECLARATIONS if width > 1 else [])
    return UnrolledCode("\n".join([*lines, *sorted(declared)]), numbers + len(constant_trace.outputs))


def _body_of_pieces(count: int, spill_count: int, pointers: Sequence[str]) -> list[str]:
    """The body, which calls its pieces; a piece says whether an angle was too large."""
    lines = [f"define internal i1 @body({', '.join(f'ptr %{p}' for p in pointers)}) noinline nounwind {{"]
    lines.append(f"  %{SPILL_ARRAY} = alloca [{max(1, spill_count)} x double], align 8")
    arguments = ", ".join(f"ptr %{p}" for p in (*pointers, SPILL_ARRAY))
    for k in range(count):
        lines.append(f"  %large.{k} = call i1 @piece.{k}({arguments})")
        lines.append(f"  %any.{k} = or i1 %large.{k}, {f'%any.{k - 1}' if k else 'false'}")
    return [*lines, f"  ret i1 %any.{count - 1}", "}"]


_DECLARATIONS = ["declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"]


class _SingleState:
    """One state: inputs and outputs are where they are."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter

    def load(self, name: str, index: int, angle: bool) -> str:
        return self.emitter.load("%angles" if angle and name == "q" else f"%{name}", index)

    def store(self, position: int, value: str) -> None:
        self.emitter.store(value, "%output", position)

    def finish(self) -> None:
        pass


class _StateBlock:
    """A block of rows: tiles of `width` columns are loaded, and stored, through a transpose in registers."""

    def __init__(self, emitter: Emitter, dims: dict[str, int], output: int) -> None:
        self.emitter = emitter
        self.dims = dims
        self.output = output
        self.tiles: dict[tuple[str, int], list[str]] = {}
        self.results: dict[int, str] = {}
        self.rows: dict[tuple[int, int], str] = {}
        self.stored: set[int] = set()

    def load(self, name: str, index: int, angle: bool) -> str:
        name = "angles" if angle and name == "q" else name
        tile, column = divmod(index, self.emitter.width)
        if (name, tile) not in self.tiles:
            self.tiles[name, tile] = self._load_tile(name, tile)
        return self.tiles[name, tile][column]

    def _load_tile(self, name: str, tile: int) -> list[str]:
        e, w, dim = self.emitter, self.emitter.width, self.dims[name]
        column_count = min(w, dim - tile * w)
        rows = []
        for r in range(w):
            at = e.put(f"getelementptr double, ptr %{name}, i64 {r * dim + tile * w}")
            if column_count == w:
                rows.append(e.put(f"load {e.type}, ptr {at}, align 8"))
            else:
                function = f"@llvm.masked.load.{e.suffix}.p0"
                e.declared.add(f"declare {e.type} {function}(ptr, i32, {e.mask}, {e.type})")
                mask = _mask(w, column_count)
                rows.append(e.put(f"call {e.type} {function}(ptr {at}, i32 8, {e.mask} {mask}, {e.type} zeroinitializer)"))
        return _transpose(e, rows)

    def store(self, position: int, value: str) -> None:
        e, w = self.emitter, self.emitter.width
        if self.output == 1:  # a column of scalars is a vector as it is
            e.lines.append(f"  store {e.type} {value}, ptr %output, align 8")
            return
        self.results[position] = value
        tile = position // w
        last = min((tile + 1) * w, self.output)
        if all(k in self.results for k in range(tile * w, last)):
            columns = [self.results.pop(k) if k < last else "poison" for k in range(tile * w, (tile + 1) * w)]
            for r, row in enumerate(_transpose(e, columns)):
                self.rows[r, tile] = row
            self._store_vectors()

    def _store_vectors(self) -> None:
        """Store what is complete. A block of rows is contiguous: it is written as whole vectors, not row by row.

        Rows whose length is no multiple of the width would have their pieces straddle cache lines, which halves the speed of a
        7 x 7 mass matrix.
        """
        e, w = self.emitter, self.emitter.width
        for m in [m for m in range(self.output) if m not in self.stored]:
            places = [divmod(m * w + k, self.output) for k in range(w)]  # row and column of each lane
            sources = list(dict.fromkeys((r, c // w) for r, c in places))
            if any(source not in self.rows for source in sources):
                continue
            self.stored.add(m)
            value = self.rows[sources[0]]
            lanes = [c % w if (r, c // w) == sources[0] else -1 for r, c in places]
            for source in sources[1:] or sources[:1]:
                new = source != sources[0]
                picks = [w + c % w if new and (r, c // w) == source else lane for (r, c), lane in zip(places, lanes, strict=True)]
                if picks != list(range(w)):
                    mask = "<" + ", ".join(f"i32 {p}" if p >= 0 else "i32 poison" for p in picks) + ">"
                    value = e.put(f"shufflevector {e.type} {value}, {e.type} {self.rows[source]}, <{w} x i32> {mask}")
                lanes = [k if p >= 0 else -1 for k, p in enumerate(picks)]
            at = e.put(f"getelementptr double, ptr %output, i64 {m * w}")
            e.lines.append(f"  store {e.type} {value}, ptr {at}, align 8")

    def finish(self) -> None:
        assert not self.results
        assert self.output == 1 or len(self.stored) == self.output


def _mask(width: int, column_count: int) -> str:
    return "<" + ", ".join(f"i1 {'true' if k < column_count else 'false'}" for k in range(width)) + ">"


def _transpose(e: Emitter, rows: list[str]) -> list[str]:
    """A square of `width` vectors turned over, in log2(width) rounds of shuffles."""
    w, values, step = e.width, list(rows), 1
    while step < w:
        transposed = list(values)
        for i in range(w):
            if i & step:
                continue
            a, b = values[i], values[i | step]
            low = [k if not k & step else w + (k ^ step) for k in range(w)]
            high = [k | step if not k & step else w + k for k in range(w)]
            for to, picks in ((i, low), (i | step, high)):
                mask = "<" + ", ".join(f"i32 {p}" for p in picks) + ">"
                transposed[to] = e.put(f"shufflevector {e.type} {a}, {e.type} {b}, <{w} x i32> {mask}")
        values, step = transposed, step * 2
    return values


def _kernel_lines(pointers: list[str], dims: dict[str, int], output: int, width: int) -> list[str]:
    """The exported function: whole blocks, then the rest through scratch."""
    out: list[str] = ["define i64 @kernel(ptr %inputs, ptr %output, ptr %scratch, i64 %states) nounwind {", "entry:"]
    for k, name in enumerate((*pointers, NUMBERS_ARRAY)):
        out.append(f"  %{name}.at = getelementptr ptr, ptr %inputs, i64 {k}")
        out.append(f"  %{name} = load ptr, ptr %{name}.at")
    out.append(f"  %whole = icmp sge i64 %states, {width}")
    out.append("  br i1 %whole, label %block, label %rest")
    out.append("block:")
    out.append("  %k = phi i64 [0, %entry], [%next, %block]")
    out.append("  %flag = phi i1 [false, %entry], [%either, %block]")
    for name in pointers:
        out.append(f"  %{name}.row = mul i64 %k, {dims[name]}")
        out.append(f"  %{name}.here = getelementptr double, ptr %{name}, i64 %{name}.row")
    out.append(f"  %out.row = mul i64 %k, {output}")
    out.append("  %out.here = getelementptr double, ptr %output, i64 %out.row")
    block_pointers = ", ".join(f"ptr %{n}.here" for n in pointers)
    out.append(f"  %large = call i1 @body({block_pointers}, ptr %{NUMBERS_ARRAY}, ptr %out.here)")
    out.append("  %either = or i1 %flag, %large")
    out.append(f"  %next = add i64 %k, {width}")
    out.append(f"  %reach = add i64 %next, {width}")
    out.append("  %more = icmp sle i64 %reach, %states")
    out.append("  br i1 %more, label %block, label %rest")
    out.append("rest:")
    out.append("  %done = phi i64 [0, %entry], [%next, %block]")
    out.append("  %seen = phi i1 [false, %entry], [%either, %block]")
    if width == 1:
        return [*out, "  %r = zext i1 %seen to i64", "  ret i64 %r", "}"]
    return [*out, *_remainder_lines(pointers, dims, output, width)]


def _remainder_lines(pointers: list[str], dims: dict[str, int], output: int, width: int) -> list[str]:
    """States that do not fill a block, through a padded copy in scratch."""
    out: list[str] = []
    out.append("  %left = sub i64 %states, %done")
    out.append("  %any = icmp sgt i64 %left, 0")
    out.append("  br i1 %any, label %copy, label %end")
    # every lane gets a real row, the last one again where there is none: no lane divides by zero
    out.append("copy:")
    out.append("  %last = sub i64 %left, 1")
    out.append("  br label %copy.row")
    out.append("copy.row:")
    out.append("  %j = phi i64 [0, %copy], [%j.next, %copy.row]")
    out.append("  %past = icmp sgt i64 %j, %last")
    out.append("  %j.from = select i1 %past, i64 %last, i64 %j")
    out.append("  %from = add i64 %done, %j.from")
    offset = 0
    for name in pointers:
        dim = dims[name]
        out.append(f"  %{name}.s0 = getelementptr double, ptr %scratch, i64 {offset}")
        out.append(f"  %{name}.sj = mul i64 %j, {dim}")
        out.append(f"  %{name}.to = getelementptr double, ptr %{name}.s0, i64 %{name}.sj")
        out.append(f"  %{name}.fj = mul i64 %from, {dim}")
        out.append(f"  %{name}.from = getelementptr double, ptr %{name}, i64 %{name}.fj")
        out.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %{name}.to, ptr %{name}.from, i64 {8 * dim}, i1 false)")
        offset += width * dim
    out.append("  %j.next = add i64 %j, 1")
    out.append(f"  %j.more = icmp slt i64 %j.next, {width}")
    out.append("  br i1 %j.more, label %copy.row, label %run")
    out.append("run:")
    out.append(f"  %padded = getelementptr double, ptr %scratch, i64 {offset}")
    padded_pointers = ", ".join(f"ptr %{n}.s0" for n in pointers)
    out.append(f"  %large.rest = call i1 @body({padded_pointers}, ptr %{NUMBERS_ARRAY}, ptr %padded)")
    out.append(f"  %out.done = mul i64 %done, {output}")
    out.append("  %out.to = getelementptr double, ptr %output, i64 %out.done")
    out.append(f"  %bytes = mul i64 %left, {8 * output}")
    out.append("  call void @llvm.memcpy.p0.p0.i64(ptr %out.to, ptr %padded, i64 %bytes, i1 false)")
    out.append("  br label %end")
    out.append("end:")
    out.append("  %extra = phi i1 [false, %rest], [%large.rest, %run]")
    out.append("  %all = or i1 %seen, %extra")
    out.append("  %result = zext i1 %all to i64")
    out.append("  ret i64 %result")
    out.append("}")
    return out
