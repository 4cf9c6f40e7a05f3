"""A kernel for a small mechanism: one straight-line body, called for each block of states.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)
    void prepare(ptr numbers)

Arrays are row-major, with one state in each row. The body turns a block of rows into one vector for each coordinate, and back.
States that do not fill a block go through a padded copy.

`inputs` points to the addresses of the arrays. The last of them are the angles, which are q itself or q reduced; behind them
come the numbers of the description, which are the same for all states. Before the first call, `prepare` adds to these numbers
what follows from them alone. The result is not 0 if an angle was too large for sine and cosine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lagrangian.kernels.llvm.emit import NUMBERS_ARRAY, Emitter, attributes, write_preparation
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Trace
from lagrangian.kernels.trace.schedule import SPILL_ARRAY, Schedule, cut_schedule, schedule, split_constants

_DECLARATIONS = ["declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"]


def unrolled_code(
    trace: Trace, names: Sequence[str], sizes: Sequence[int], output_size: int, target: CPUTarget, width: int, numbers: int
) -> UnrolledCode:
    """The IR of a kernel. `names` and `sizes` are those of its inputs, q first; `numbers` is how many the description has."""
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
        rows = _SingleState(emitter) if width == 1 else _StateBlock(emitter, dims, output_size)

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
    lines += _kernel_lines(pointers, dims, output_size, width)
    lines += write_preparation("prepare", constant_trace, numbers, declared, target.fma, internal=False)
    declared.update(_DECLARATIONS if width > 1 else [])
    return UnrolledCode("\n".join([*lines, *sorted(declared)]), numbers + len(constant_trace.outputs))


@dataclass(frozen=True)
class UnrolledCode:
    """IR, and how long the array of numbers must be that its caller supplies."""

    ir: str
    numbers: int  # of the description, and what is prepared from them


def scratch_size(sizes: Sequence[int], output_size: int, width: int) -> int:
    """How many doubles of scratch the padded copy needs."""
    return 0 if width == 1 else width * (sum(sizes) + sizes[0] + output_size)


def _body_of_pieces(count: int, spill_count: int, pointers: Sequence[str]) -> list[str]:
    """The body, which calls its pieces; a piece says whether an angle was too large."""
    lines = [f"define internal i1 @body({', '.join(f'ptr %{p}' for p in pointers)}) noinline nounwind {{"]
    lines.append(f"  %{SPILL_ARRAY} = alloca [{max(1, spill_count)} x double], align 8")
    arguments = ", ".join(f"ptr %{p}" for p in (*pointers, SPILL_ARRAY))
    for k in range(count):
        lines.append(f"  %large.{k} = call i1 @piece.{k}({arguments})")
        lines.append(f"  %any.{k} = or i1 %large.{k}, {f'%any.{k - 1}' if k else 'false'}")
    return [*lines, f"  ret i1 %any.{count - 1}", "}"]


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

    def __init__(self, emitter: Emitter, dims: dict[str, int], output_size: int) -> None:
        self.emitter = emitter
        self.dims = dims
        self.output_size = output_size
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
        if self.output_size == 1:  # a column of scalars is a vector as it is
            e.lines.append(f"  store {e.type} {value}, ptr %output, align 8")
            return
        self.results[position] = value
        tile = position // w
        last = min((tile + 1) * w, self.output_size)
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
        for m in [m for m in range(self.output_size) if m not in self.stored]:
            places = [divmod(m * w + k, self.output_size) for k in range(w)]  # row and column of each lane
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
        assert self.output_size == 1 or len(self.stored) == self.output_size


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


def _kernel_lines(pointers: list[str], dims: dict[str, int], output_size: int, width: int) -> list[str]:
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
    out.append(f"  %out.row = mul i64 %k, {output_size}")
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
    return [*out, *_remainder_lines(pointers, dims, output_size, width)]


def _remainder_lines(pointers: list[str], dims: dict[str, int], output_size: int, width: int) -> list[str]:
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
    out.append(f"  %out.done = mul i64 %done, {output_size}")
    out.append("  %out.to = getelementptr double, ptr %output, i64 %out.done")
    out.append(f"  %bytes = mul i64 %left, {8 * output_size}")
    out.append("  call void @llvm.memcpy.p0.p0.i64(ptr %out.to, ptr %padded, i64 %bytes, i1 false)")
    out.append("  br label %end")
    out.append("end:")
    out.append("  %extra = phi i1 [false, %rest], [%large.rest, %run]")
    out.append("  %all = or i1 %seen, %extra")
    out.append("  %result = zext i1 %all to i64")
    out.append("  ret i64 %result")
    out.append("}")
    return out
