"""A kernel for a large mechanism: one loop over the links for each sweep, with the step compiled once for each kind of joint.

Compile time and code size do not grow with the number of links. The links' parameters, parents and places are data:

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

`inputs` points to the addresses of the arrays, then of the angles, the parameters and the table (kind, parent, iq, iv a link).
With several lanes, blocks of states are first laid out coordinate by coordinate in scratch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.algorithms.nested import flatten
from lagrangian.algorithms.sweep import Algorithm, Sweep, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.emit import attributes, hexadecimal
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.rolled.emit import LoopEmitter
from lagrangian.kernels.rolled.trace import with_link_variants


def rolled_code(
    algorithm: Algorithm, tree: Tree, names: Sequence[str], sizes: Sequence[int], target: CPUTarget, width: int
) -> RolledCode:
    return _LoopKernel(algorithm, with_link_variants(algorithm, tree), names, sizes, target, width).build()


@dataclass(frozen=True)
class RolledCode:
    """IR, and what its caller must supply."""

    ir: str
    scratch: int  # doubles
    columns: list[tuple[str, int]]  # of the parameters
    ground: list[tuple[int, int]]

    def data(self, algorithm: Algorithm, tree: Tree) -> list[np.ndarray]:
        """The arrays that a kernel reads of a tree: parameters, and the table."""
        return [parameter_array(algorithm, tree, self.columns, self.ground), link_table(with_link_variants(algorithm, tree))]


def parameter_array(
    algorithm: Algorithm, tree: Tree, columns: Sequence[tuple[str, int]], ground: Sequence[tuple[int, int]]
) -> np.ndarray:
    """The links' numbers, a row for each link, and behind them those that sweeps start from at the ground."""
    rows = [tree.constants[name][:, j] for name, j in columns]
    starts = [_ground_values(algorithm.sweeps[number], tree)[j] for number, j in ground]
    return np.array([*np.stack(rows, axis=1).ravel().tolist(), *starts] if rows else [*starts, 0.0])


def link_table(tree: Tree) -> np.ndarray:
    """kind, parent, iq, iv of every link."""
    kinds = sorted(set(tree.kind), key=str)
    rows = [[kinds.index(k), p, iq, iv] for k, p, iq, iv in zip(tree.kind, tree.parent, tree.iq, tree.iv, strict=True)]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def _ground_values(sweep: Sweep | Walk, tree: Tree) -> list[float]:
    assert isinstance(sweep, Sweep)
    return [float(x) for name in sweep.carry for x in flatten(sweep.start(tree)[name])]


class _LoopKernel(LoopEmitter):
    """The loops, and what stands around them: layout, sincos of all coordinates, the blocks of states."""

    def scratch_offsets(self) -> dict[str, int]:
        """Offsets in scratch, in doubles; the last is its size."""
        w, tree, program = self.width, self.tree, self.program
        widest = max((len(p.carry) for p in program.passes), default=1)
        wants = {
            **({f"%in.{n}": s * w for n, s in zip(self.names, self.sizes, strict=True)} if w > 1 else {}),
            **({"%angles": self.sizes[0] * w} if w > 1 else {}),
            "%cos": tree.nq * w,
            "%sin": tree.nq * w,
            "%save": max(1, len(program.saves)) * self.n * w,
            "%speed": max(1, len(program.speed_saves)) * tree.nv * w,
            "%carry": (1 if self.chain else self.n + 1) * max(1, widest) * w,
            **({"%out": self.result_size * w} if w > 1 else {}),
        }
        at, offsets = 0, {}
        for name, amount in wants.items():
            offsets[name] = at
            at += (amount + 7) // 8 * 8
        offsets["size"] = at
        return offsets

    def build(self) -> RolledCode:
        for k, traced_pass in enumerate(self.program.passes):
            if isinstance(traced_pass.sweep, Walk):
                self.write_walk(k, traced_pass, traced_pass.sweep)
            else:
                self.write_sweep(k, traced_pass, traced_pass.sweep)
        if self.program.finish is not None:
            self.write_finish(self.program.finish)
        self.write_sincos()
        if self.touches:
            self.write_touch()
        self.write_entry()
        ir = "\n".join([*self.lines, *sorted(self.declared)])
        return RolledCode(ir, self.scratch_offsets()["size"], self.program.parameters, self.program.ground)

    def write_sincos(self) -> None:
        """sin and cos of all coordinates at once, in vectors whatever the number of states."""
        lines = self.lines
        parameters = "ptr noalias %q, ptr noalias %cos, ptr noalias %sin"
        lines.append(f"define internal i1 @angles({parameters}) {attributes(self.target.width)} {{\nentry:")
        total = self.tree.nq * self.width
        flags = []
        for wide, first, last in (
            (self.target.width, 0, total - total % self.target.width),
            (1, total - total % self.target.width, total),
        ):
            if first == last:
                continue
            name = self.new_label("run")
            before = self.new_label("pre")
            lines.append(f"  br label %{before}\n{before}:\n  br label %{name}\n{name}:")
            i = f"%i.{name}"
            lines.append(f"  {i} = phi i64 [{first}, %{before}], [{i}.next, %{name}]")
            lines.append(f"  {i}.flag = phi i1 [false, %{before}], [{i}.either, %{name}]")
            e = self.emitter_of_width(wide)
            x = e.put(f"load {e.type}, ptr {e.put(f'getelementptr double, ptr %q, i64 {i}')}, align 8")
            s, c = e.sin_and_cos(x)
            for value, base in ((s, "%sin"), (c, "%cos")):
                lines.append(f"  store {e.type} {value}, ptr {e.put(f'getelementptr double, ptr {base}, i64 {i}')}, align 8")
            lines.append(f"  {i}.either = or i1 {i}.flag, {e.any_large()}")
            lines.append(f"  {i}.next = add i64 {i}, {wide}\n  {i}.more = icmp slt i64 {i}.next, {last}")
            after = self.new_label("post")
            lines.append(f"  br i1 {i}.more, label %{name}, label %{after}\n{after}:")
            flags.append(f"{i}.either")
        result = flags[0] if flags else "false"
        if len(flags) == 2:
            lines.append(f"  %both = or i1 {flags[0]}, {flags[1]}")
            result = "%both"
        lines.append(f"  ret i1 {result}\n}}")

    def write_touch(self) -> None:
        """out[0] plus 0 times every coordinate: a NaN among them shows, also where the result does not depend on it."""
        lines, wide = self.lines, self.target.width
        total = self.tree.nq * self.width
        whole = total - total % wide
        lines.append(f"define internal void @touch(ptr noalias %q, ptr noalias %out) {attributes(wide)} {{\nentry:")
        e = self.emitter_of_width(wide)  # the lanes of a block, or so many coordinates of one state at once
        sums = e.constant(0.0)
        if whole:
            lines.append("  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%i.next, %loop]")
            lines.append(f"  %sum = phi {e.type} [{e.constant(0.0)}, %entry], [%sum.next, %loop]")
            x = e.put(f"load {e.type}, ptr {e.put('getelementptr double, ptr %q, i64 %i')}, align 8")
            lines.append(f"  %sum.next = fadd {e.type} %sum, {e.binary('fmul', x, e.constant(0.0))}")
            lines.append(f"  %i.next = add i64 %i, {wide}\n  %more = icmp slt i64 %i.next, {whole}")
            lines.append("  br i1 %more, label %loop, label %done\ndone:")
            sums = "%sum.next"
        if self.width == 1:
            if whole and wide > 1:
                name = f"@llvm.vector.reduce.fadd.v{wide}f64"
                self.declared.add(f"declare double {name}(double, <{wide} x double>)")
                sums = e.put(f"call double {name}(double {hexadecimal(0.0)}, {e.type} {sums})")
            scalar = self.emitter()
            sums = sums if whole else scalar.constant(0.0)
            for k in range(whole, total):
                sums = scalar.binary("fadd", sums, scalar.binary("fmul", scalar.load("%q", k), scalar.constant(0.0)))
            e = scalar
        e.store(e.binary("fadd", e.load("%out", 0), sums), "%out", 0)
        lines.append("  ret void\n}")

    def write_entry(self) -> None:
        lines, w = self.lines, self.width
        offsets = self.scratch_offsets()
        lines.append("define i64 @kernel(ptr %inputs, ptr %output, ptr %scratch, i64 %states) nounwind {\nentry:")
        for k, name in enumerate([*(f"%row.{n}" for n in self.names), "%row.angles", "%param", "%table"]):
            lines.append(f"  {name}.at = getelementptr ptr, ptr %inputs, i64 {k}\n  {name} = load ptr, ptr {name}.at")
        for name, offset in offsets.items():
            if name != "size":
                lines.append(f"  {name} = getelementptr double, ptr %scratch, i64 {offset}")
        lines.append("  %none = icmp sle i64 %states, 0\n  br i1 %none, label %exit, label %block\nblock:")
        lines.append("  %k = phi i64 [0, %entry], [%k.next, %done]\n  %flag = phi i1 [false, %entry], [%either, %done]")
        lines.append("  %last = sub i64 %states, 1")
        sources = {
            **{f"%in.{n}": (f"%row.{n}", s) for n, s in zip(self.names, self.sizes, strict=True)},
            "%angles": ("%row.angles", self.sizes[0]),
        }
        if w == 1:
            for name, (row, dim) in sources.items():
                lines.append(f"  {name}.off = mul i64 %k, {dim}\n  {name} = getelementptr double, ptr {row}, i64 {name}.off")
            lines.append(f"  %out.off = mul i64 %k, {self.result_size}\n  %out = getelementptr double, ptr %output, i64 %out.off")
        else:
            for name, (row, dim) in sources.items():
                if dim:
                    self.write_copy(row, name, dim, inward=True)
        if self.algorithm.output.kind == "speed":
            self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            lines.append(f"  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {self.result_size * w * 8}, i1 false)")
        if self.program.turns:
            lines.append("  %large = call i1 @angles(ptr %angles, ptr %cos, ptr %sin)")
        for number in range(len(self.program.passes)):
            lines.append(f"  call void @pass{number}({self.call_arguments})")
        if self.program.finish is not None:
            lines.append(f"  call void @finish({self.call_arguments})")
        if self.touches:
            lines.append("  call void @touch(ptr %in.q, ptr %out)")
        if w > 1 and self.result_size:
            self.write_copy("%output", "%out", self.result_size, inward=False)
        lines.append(f"  %either = or i1 %flag, {'%large' if self.program.turns else 'false'}")
        lines.append(f"  br label %done\ndone:\n  %k.next = add i64 %k, {w}\n  %more = icmp slt i64 %k.next, %states")
        lines.append("  br i1 %more, label %block, label %exit\nexit:")
        lines.append("  %result = phi i1 [false, %entry], [%either, %done]\n  %wide = zext i1 %result to i64\n  ret i64 %wide\n}")

    def write_copy(self, rows: str, lanes: str, dim: int, inward: bool) -> None:
        """Write the copy from rows of states to coordinates of lanes, or back.

        Lanes without a state repeat the last one, and are not copied back.
        """
        lines, w = self.lines, self.width
        name = self.new_label("copy")
        before, row, column, after, end = (f"{name}.{x}" for x in ("before", "row", "column", "after", "end"))
        r, c = f"%{name}.r", f"%{name}.c"
        lines.append(f"  br label %{before}\n{before}:\n  br label %{row}\n{row}:")
        lines.append(f"  {r} = phi i64 [0, %{before}], [{r}.next, %{after}]\n  {r}.want = add i64 %k, {r}")
        lines.append(f"  {r}.past = icmp sgt i64 {r}.want, %last\n  {r}.state = select i1 {r}.past, i64 %last, i64 {r}.want")
        lines.append(f"  {r}.off = mul i64 {r}.state, {dim}\n  {r}.base = getelementptr double, ptr {rows}, i64 {r}.off")
        lines.append(f"  br label %{column}\n{column}:\n  {c} = phi i64 [0, %{row}], [{c}.next, %{column}]")
        lines.append(f"  {c}.a = getelementptr double, ptr {r}.base, i64 {c}")
        lines.append(
            f"  {c}.m = mul i64 {c}, {w}\n  {c}.l = add i64 {c}.m, {r}\n  {c}.b = getelementptr double, ptr {lanes}, i64 {c}.l"
        )
        source, target = (f"{c}.a", f"{c}.b") if inward else (f"{c}.b", f"{c}.a")
        lines.append(f"  {c}.v = load double, ptr {source}, align 8\n  store double {c}.v, ptr {target}, align 8")
        lines.append(f"  {c}.next = add i64 {c}, 1\n  {c}.more = icmp slt i64 {c}.next, {dim}")
        lines.append(f"  br i1 {c}.more, label %{column}, label %{after}\n{after}:\n  {r}.next = add i64 {r}, 1")
        if inward:
            lines.append(f"  {r}.more = icmp slt i64 {r}.next, {w}")
        else:
            lines.append(f"  {r}.left = sub i64 %states, %k\n  {r}.few = icmp slt i64 {r}.left, {w}")
            lines.append(f"  {r}.stop = select i1 {r}.few, i64 {r}.left, i64 {w}\n  {r}.more = icmp slt i64 {r}.next, {r}.stop")
        lines.append(f"  br i1 {r}.more, label %{row}, label %{end}\n{end}:")
