"""A kernel for a large mechanism: one loop over the links for each sweep, the step compiled once per kind of joint.

Compile time and code size do not grow with the number of links. The links' parameters, parents and places are data:

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

`inputs` points to the addresses of the arrays, then of the angles, the parameters and the table (kind, parent, iq, iv a link).
With several lanes, blocks of states are first laid out coordinate by coordinate in scratch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.algorithms.link import KINDS
from lagrangian.algorithms.sweep import Algorithm, Sweep, Walk, size
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels import rolled_trace
from lagrangian.kernels.emit import Emitter, hexadecimal
from lagrangian.kernels.rolled_trace import WHOLE, Pass, Program, Step
from lagrangian.kernels.target import Target


@dataclass(frozen=True)
class Rolled:
    """IR and what its caller must supply."""

    ir: str
    scratch: int  # doubles
    parameters: list[tuple[str, int]]


def parameter_array(tree: Tree, columns: Sequence[tuple[str, int]]) -> np.ndarray:
    """The constants that differ between links, one row a link."""
    if not columns:
        return np.zeros((max(1, len(tree)), 1))
    return np.ascontiguousarray(np.stack([tree.constants[name][:, j] for name, j in columns], axis=1))


def table(tree: Tree) -> np.ndarray:
    """kind, parent, iq, iv of every link."""
    kinds = sorted(set(tree.kind))
    rows = [[kinds.index(k), p, iq, iv] for k, p, iq, iv in zip(tree.kind, tree.parent, tree.iq, tree.iv, strict=True)]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def module(algorithm: Algorithm, tree: Tree, names: Sequence[str], sizes: Sequence[int], target: Target, width: int) -> Rolled:
    return _Builder(algorithm, tree, names, sizes, target, width).build()


class _Builder:
    def __init__(
        self, algorithm: Algorithm, tree: Tree, names: Sequence[str], sizes: Sequence[int], target: Target, width: int
    ) -> None:
        self.algorithm, self.tree, self.target, self.width = algorithm, tree, target, width
        self.names, self.sizes = list(names), list(sizes)
        self.program: Program = rolled_trace.trace(algorithm, tree)
        self.kinds = sorted(set(tree.kind))
        self.n = len(tree)
        self.chain = all(p == i - 1 for i, p in enumerate(tree.parent))
        self.in_order = all(tree.iq[i] == i and tree.iv[i] == i for i in range(self.n)) and tree.nq == tree.nv == self.n
        self.output = algorithm.columns(tree)
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.type = "double" if width == 1 else f"<{width} x double>"
        # what every function is given
        self.pointers = [*(f"%in.{n}" for n in names), "%cos", "%sin", "%save", "%speed", "%carry", "%out", "%param", "%table"]
        self.arguments = ", ".join(f"ptr noalias {p}" for p in self.pointers)
        self.given = ", ".join(f"ptr {p}" for p in self.pointers)
        self.label = 0
        # a path to a frame leaves out joints that rightly do not matter
        on_it = sum(KINDS[kind][0] for kind in tree.kind)
        self.touches = bool(self.output and tree.nq and on_it == tree.nq)

    # -- layout ------------------------------------------------------------------------------------------------------

    def areas(self) -> dict[str, int]:
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
            **({"%out": self.output * w} if w > 1 else {}),
        }
        at, offsets = 0, {}
        for name, amount in wants.items():
            offsets[name] = at
            at += (amount + 7) // 8 * 8
        offsets["size"] = at
        return offsets

    def build(self) -> Rolled:
        for k, found in enumerate(self.program.passes):
            if isinstance(found.sweep, Walk):
                self.walk(k, found, found.sweep)
            else:
                self.sweep(k, found, found.sweep)
        if self.program.finish is not None:
            self.finish(self.program.finish)
        self.sincos()
        if self.touches:
            self.touch()
        self.entry()
        ir = "\n".join([*self.lines, *sorted(self.declared)])
        return Rolled(ir, self.areas()["size"], self.program.parameters)

    # -- steps -------------------------------------------------------------------------------------------------------

    def new(self, word: str) -> str:
        self.label += 1
        return f"{word}.{self.label}"

    def emitter(self) -> Emitter:
        e = Emitter(self.lines, self.width, self.target.fma)
        e._count = self.label = self.label + 100_000  # names must not meet those of other emitters in the function
        e.declared = self.declared
        return e

    def place(self, e: Emitter, i: str) -> dict[str, str]:
        """Pointers to what belongs to link i."""
        columns = len(self.program.parameters)
        where = {"param": e.put(f"getelementptr double, ptr %param, i64 {e.put(f'mul i64 {i}, {columns}')}") if columns else ""}
        if self.in_order:
            where["iq"] = where["iv"] = i
        else:
            row = e.put(f"mul i64 {i}, 4")
            for name, k in (("iq", 2), ("iv", 3)):
                at = e.put(f"getelementptr i64, ptr %table, i64 {e.put(f'add i64 {row}, {k}')}")
                where[name] = e.put(f"load i64, ptr {at}, align 8")
        w = self.width

        def start(base: str, index: str, stride: int) -> str:
            return e.put(f"getelementptr double, ptr {base}, i64 {e.put(f'mul i64 {index}, {stride * w}')}")

        where["q"] = start("%in.q", where["iq"], 1) if "q" in self.names else ""
        for name in self.names:
            if name in rolled_trace.PER_SPEED:
                where[name] = start(f"%in.{name}", where["iv"], 1)
        where["cos"], where["sin"] = start("%cos", where["iq"], 1), start("%sin", where["iq"], 1)
        where["save"] = start("%save", i, len(self.program.saves))
        where["speed"] = start("%speed", where["iv"], len(self.program.speed_saves))
        return where

    def loader(self, e: Emitter, where: dict[str, str], carry: dict[int, str]):  # type: ignore[no-untyped-def]
        known: dict[tuple[str, object], str] = {}

        def load(name: str, index, angle: bool) -> str:  # type: ignore[no-untyped-def]
            if name == "carry":
                return carry[index]
            if (name, index) not in known:
                known[name, index] = fetch(name, index)
            return known[name, index]

        def fetch(name: str, index) -> str:  # type: ignore[no-untyped-def]
            if name == "param":
                at = e.put(f"getelementptr double, ptr {where['param']}, i64 {index}")
                return e.spread(e.put(f"load double, ptr {at}, align 8"))
            if name == "save":
                return e.load(where["save"], self.program.saves[index])
            if name == "speed":
                component, j, k = index
                return e.load(where["speed"], k * len(self.program.speed_saves) + self.program.speed_saves[component, j])
            if name in WHOLE:
                return e.load(f"%in.{name}", index)
            return e.load(where[name], index)

        return load

    def run_step(self, e: Emitter, step: Step, where: dict[str, str], carry: dict[int, str], on_pair=None) -> dict[int, str]:  # type: ignore[no-untyped-def]
        """Emit a step; saves and results are stored, the carries returned."""
        out: dict[int, str] = {}
        names = self.algorithm.output.names
        link_saves, speed_saves = self.program.saves, self.program.speed_saves

        def store(position: int, value: str) -> None:
            label = step.outputs[position]
            if label[0] == "carry":
                out[label[1]] = value
            elif label[0] == "pair":
                on_pair(label[1], label[2], value)
            elif label[0] == "save":
                _, name, j = label
                if (name, j) in link_saves:
                    e.store(value, where["save"], link_saves[name, j])
                if name in names and self.algorithm.output.kind == "link":
                    self.store_link_row(e, where, name, j, value)
            else:
                _, name, j, k = label
                if (name, j) in speed_saves:
                    e.store(value, where["speed"], k * len(speed_saves) + speed_saves[name, j])
                if name in names and self.algorithm.output.kind == "speed":
                    row = e.put(f"add i64 {where['iv']}, {j * self.tree.nv + k}")
                    self.store_out(e, row, value)

        e.graph(step.trace.nodes, step.trace.outputs, self.loader(e, where, carry), store)
        return out

    def store_out(self, e: Emitter, index: str, value: str) -> None:
        at = e.put(f"mul i64 {index}, {self.width}")
        e.lines.append(f"  store {self.type} {value}, ptr {e.put(f'getelementptr double, ptr %out, i64 {at}')}, align 8")

    def store_link_row(self, e: Emitter, where: dict[str, str], name: str, j: int, value: str) -> None:
        templates = {k: t for s in self.algorithm.sweeps if isinstance(s, Sweep) for k, t in s.save.items()}
        offset, row = 0, 0
        for other in self.algorithm.output.names:
            if other == name:
                offset = row + j
            row += size(templates[other])
        base = e.put(f"mul i64 {where['i']}, {row}")
        self.store_out(e, e.put(f"add i64 {base}, {offset}"), value)

    def dispatch(self, i: str, kinds: Sequence[str], blocks: dict[str, str], other: str) -> None:
        """Branch to the block of link i's kind."""
        if len(self.kinds) == 1:
            self.lines.append(f"  br label %{blocks[self.kinds[0]]}")
            return
        row = self.new("%row")
        self.lines.append(f"  {row} = mul i64 {i}, 4")
        self.lines.append(f"  {row}.at = getelementptr i64, ptr %table, i64 {row}")
        self.lines.append(f"  {row}.kind = load i64, ptr {row}.at, align 8")
        cases = " ".join(f"i64 {self.kinds.index(k)}, label %{blocks[k]}" for k in kinds)
        self.lines.append(f"  switch i64 {row}.kind, label %{other} [{cases}]")

    # -- sweeps ------------------------------------------------------------------------------------------------------

    def sweep(self, k: int, found: Pass, sweep: Sweep) -> None:
        out, lines, kinds = sweep.direction == "outward", self.lines, self.kinds
        lines.append(f"define internal void @pass{k}({self.arguments}) noinline nounwind {{\nentry:")
        e = self.emitter()
        width = len(found.carry)
        if not self.chain:
            self.start_carries(e, found, out)
        lines.append("  br label %loop\nloop:")
        lines.append("  %step = phi i64 [0, %entry], [%step.next, %next]")
        if self.chain:
            for j, g in zip(found.carry, found.ground, strict=True):
                lines.append(f"  %c{j} = phi {self.type} [{e.constant(g)}, %entry], [%o{j}, %next]")
        lines.append("  %step.next = add i64 %step, 1")
        lines.append("  %i = add i64 %step, 0" if out else f"  %i = sub i64 {self.n - 1}, %step")
        blocks = {kind: self.new("kind") for kind in kinds}
        self.dispatch("%i", kinds, blocks, "next.none")
        merged: dict[str, dict[int, str]] = {}
        ends: dict[str, str] = {}
        for kind in kinds:
            lines.append(f"{blocks[kind]}:")
            e = self.emitter()
            where = {**self.place(e, "%i"), "i": "%i"}
            carry = {j: f"%c{j}" for j in found.carry} if self.chain else self.load_carries(e, found, out)
            result = self.run_step(e, found.steps[kind], where, carry)
            ends[kind] = self.new("end")
            lines.append(f"  br label %{ends[kind]}\n{ends[kind]}:")
            if self.chain:
                merged[kind] = result
            else:
                self.hand_over(e, found, out, result)
            lines.append("  br label %next")
        lines.append("next.none:\n  unreachable\nnext:")
        if self.chain:
            for j in found.carry:
                incoming = ", ".join(f"[{merged[kind][j]}, %{ends[kind]}]" for kind in kinds)
                lines.append(f"  %o{j} = phi {self.type} {incoming}")
        lines.append(f"  %more = icmp slt i64 %step.next, {self.n}\n  br i1 %more, label %loop, label %exit\nexit:")
        if self.chain:
            e = self.emitter()
            for slot, j in enumerate(found.carry):
                e.store(f"%o{j}", "%carry", slot)
        elif width and out:
            e = self.emitter()  # the tip's carry, where `finish` looks for it
            self.copy_slot(e, self.n, 0, width)
        lines.append("  ret void\n}")

    def start_carries(self, e: Emitter, found: Pass, out: bool) -> None:
        """Slot 0 is the ground, slot i + 1 link i: an outward sweep starts from the ground, an inward one adds to zeros."""
        if out:
            for slot, g in enumerate(found.ground):
                e.store(e.constant(g), "%carry", slot)
        else:
            self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            amount = (self.n + 1) * len(found.carry) * self.width * 8
            self.lines.append(f"  call void @llvm.memset.p0.i64(ptr %carry, i8 0, i64 {amount}, i1 false)")

    def slot(self, e: Emitter, found: Pass, index: str) -> str:
        return e.put(f"getelementptr double, ptr %carry, i64 {e.put(f'mul i64 {index}, {len(found.carry) * self.width}')}")

    def parent_slot(self, e: Emitter, found: Pass) -> str:
        row = e.put("mul i64 %i, 4")
        at = e.put(f"getelementptr i64, ptr %table, i64 {e.put(f'add i64 {row}, 1')}")
        parent = e.put(f"load i64, ptr {at}, align 8")
        return self.slot(e, found, e.put(f"add i64 {parent}, 1"))

    def load_carries(self, e: Emitter, found: Pass, out: bool) -> dict[int, str]:
        base = self.parent_slot(e, found) if out else self.slot(e, found, e.put("add i64 %i, 1"))
        return {j: e.load(base, s) for s, j in enumerate(found.carry)}

    def hand_over(self, e: Emitter, found: Pass, out: bool, result: dict[int, str]) -> None:
        base = self.slot(e, found, e.put("add i64 %i, 1")) if out else self.parent_slot(e, found)
        for s, j in enumerate(found.carry):
            value = result[j]
            if not out:
                value = e.binary("fadd", e.load(base, s), value)
            e.store(value, base, s)

    def copy_slot(self, e: Emitter, source: int, target: int, width: int) -> None:
        for s in range(width):
            e.store(e.load("%carry", source * width + s), "%carry", target * width + s)

    def finish(self, step: Step) -> None:
        found = [p for p in self.program.passes if not isinstance(p.sweep, Walk)][-1]
        self.lines.append(f"define internal void @finish({self.arguments}) noinline nounwind {{\nentry:")
        e = self.emitter()
        carry = {j: e.load("%carry", s) for s, j in enumerate(found.carry)}
        e.graph(
            step.trace.nodes,
            step.trace.outputs,
            lambda name, index, angle: carry[index],
            lambda position, value: e.store(value, "%out", position),
        )
        self.lines.append("  ret void\n}")

    # -- walks -------------------------------------------------------------------------------------------------------

    def walk(self, number: int, found: Pass, walk: Walk) -> None:
        lines = self.lines
        lines.append(f"define internal void @pass{number}({self.arguments}) noinline nounwind {{\nentry:")
        self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        lines.append(f"  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {self.output * self.width * 8}, i1 false)")
        lines.append("  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%i.next, %next]\n  %i.next = add i64 %i, 1")
        starting = [k for k in self.kinds if (k, 0) in found.starts]
        blocks = {kind: self.new("from") for kind in starting}
        if starting:
            if len(self.kinds) == 1:
                lines.append(f"  br label %{blocks[starting[0]]}")
            else:
                self.dispatch("%i", starting, blocks, "next")
        else:
            lines.append("  br label %next")
        for kind in starting:
            lines.append(f"{blocks[kind]}:")
            for a in range(KINDS[kind][1] if walk.per == "speed" else 1):
                self.climb(found, walk, kind, a)
            lines.append("  br label %next")
        lines.append(f"next:\n  %more = icmp slt i64 %i.next, {self.n}\n  br i1 %more, label %loop, label %exit")
        lines.append("exit:\n  ret void\n}")

    def climb(self, found: Pass, walk: Walk, kind: str, a: int) -> None:
        """From speed a of link i, which is of this kind, through its ancestors."""
        lines, n = self.lines, self.tree.nv
        e = self.emitter()
        here = {**self.place(e, "%i"), "i": "%i"}
        start = self.run_step(e, found.starts[kind, a], here, {})
        column = e.put(f"add i64 {here['iv']}, {a}")
        before, inner, after, done = (self.new(word) for word in ("before", "up", "upnext", "top"))
        lines.append(f"  br label %{before}\n{before}:\n  br label %{inner}\n{inner}:")
        j = f"%j.{inner}"
        lines.append(f"  {j} = phi i64 [%i, %{before}], [{j}.next, %{after}]")
        carry = {c: f"%w{c}.{inner}" for c in found.carry}
        for c in found.carry:
            lines.append(f"  {carry[c]} = phi {self.type} [{start[c]}, %{before}], [{carry[c]}.next, %{after}]")
        blocks = {k: self.new("meet") for k in self.kinds}
        dead = self.new("dead")
        self.dispatch(j, self.kinds, blocks, dead)
        merged, ends = {}, {}
        for other in self.kinds:
            lines.append(f"{blocks[other]}:")
            e = self.emitter()
            where = {**self.place(e, j), "i": j}

            last = max((label[2] for label in found.steps[other].outputs if label[0] == "pair"), default=0)

            def on_pair(b: int, c: int, value: str, e: Emitter = e, where: dict[str, str] = where, last: int = last) -> None:
                row = e.put(f"add i64 {where['iv']}, {b}")
                if walk.per == "link":
                    wide = walk.width * self.n
                    base = e.put(f"add i64 {e.put(f'mul i64 {row}, {wide}')}, {c}")
                    self.store_out(e, e.put(f"add i64 {base}, {e.put(f'mul i64 %i, {walk.width}')}"), value)
                    return
                if c == 0:
                    self.store_out(e, e.put(f"add i64 {e.put(f'mul i64 {row}, {n}')}, {column}"), value)
                if c == last:
                    self.store_out(e, e.put(f"add i64 {e.put(f'mul i64 {column}, {n}')}, {row}"), value)

            merged[other] = self.run_step(e, found.steps[other], where, carry, on_pair)
            ends[other] = self.new("end")
            lines.append(f"  br label %{ends[other]}\n{ends[other]}:\n  br label %{after}")
        lines.append(f"{dead}:\n  unreachable\n{after}:")
        for c in found.carry:
            incoming = ", ".join(f"[{merged[k][c]}, %{ends[k]}]" for k in self.kinds)
            lines.append(f"  {carry[c]}.next = phi {self.type} {incoming}")
        if self.chain:
            lines.append(f"  {j}.next = sub i64 {j}, 1")
        else:
            lines.append(f"  {j}.row = mul i64 {j}, 4\n  {j}.col = add i64 {j}.row, 1")
            lines.append(f"  {j}.at = getelementptr i64, ptr %table, i64 {j}.col\n  {j}.next = load i64, ptr {j}.at, align 8")
        lines.append(f"  {j}.more = icmp sge i64 {j}.next, 0\n  br i1 {j}.more, label %{inner}, label %{done}\n{done}:")
        if kind in found.diagonal:
            e = self.emitter()
            extra: list[str] = []
            step = found.diagonal[kind]
            e.graph(step.trace.nodes, step.trace.outputs, self.loader(e, here, {}), lambda _, value: extra.append(value))
            index = e.put(f"add i64 {e.put(f'mul i64 {column}, {n}')}, {column}")
            at = e.put(f"getelementptr double, ptr %out, i64 {e.put(f'mul i64 {index}, {self.width}')}")
            old = e.put(f"load {self.type}, ptr {at}, align 8")
            lines.append(f"  store {self.type} {e.binary('fadd', old, extra[0])}, ptr {at}, align 8")

    # -- the outside -------------------------------------------------------------------------------------------------

    def sincos(self) -> None:
        """sin and cos of all coordinates at once, in vectors whatever the number of states."""
        lines = self.lines
        lines.append("define internal i1 @angles(ptr noalias %q, ptr noalias %cos, ptr noalias %sin) noinline nounwind {\nentry:")
        total = self.tree.nq * self.width
        flags = []
        for wide, first, last in (
            (self.target.width, 0, total - total % self.target.width),
            (1, total - total % self.target.width, total),
        ):
            if first == last:
                continue
            name = self.new("run")
            before = self.new("pre")
            lines.append(f"  br label %{before}\n{before}:\n  br label %{name}\n{name}:")
            i = f"%i.{name}"
            lines.append(f"  {i} = phi i64 [{first}, %{before}], [{i}.next, %{name}]")
            lines.append(f"  {i}.flag = phi i1 [false, %{before}], [{i}.either, %{name}]")
            e = Emitter(lines, wide, self.target.fma)
            e._count = self.label = self.label + 100_000
            e.declared = self.declared
            x = e.put(f"load {e.type}, ptr {e.put(f'getelementptr double, ptr %q, i64 {i}')}, align 8")
            s, c = e.sin_and_cos(x)
            for value, base in ((s, "%sin"), (c, "%cos")):
                lines.append(f"  store {e.type} {value}, ptr {e.put(f'getelementptr double, ptr {base}, i64 {i}')}, align 8")
            lines.append(f"  {i}.either = or i1 {i}.flag, {e.any_large()}")
            lines.append(f"  {i}.next = add i64 {i}, {wide}\n  {i}.more = icmp slt i64 {i}.next, {last}")
            after = self.new("post")
            lines.append(f"  br i1 {i}.more, label %{name}, label %{after}\n{after}:")
            flags.append(f"{i}.either")
        result = flags[0] if flags else "false"
        if len(flags) == 2:
            lines.append(f"  %both = or i1 {flags[0]}, {flags[1]}")
            result = "%both"
        lines.append(f"  ret i1 {result}\n}}")

    def touch(self) -> None:
        """out[0] plus 0 times every coordinate: a NaN among them shows, also where the result does not depend on it."""
        lines, wide = self.lines, self.target.width
        total = self.tree.nq * self.width
        whole = total - total % wide
        lines.append("define internal void @touch(ptr noalias %q, ptr noalias %out) noinline nounwind {\nentry:")
        e = self.emitter()
        if self.width == 1:
            e = Emitter(lines, wide, self.target.fma)
            e._count, e.declared = self.label, self.declared
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
            one = self.emitter()
            sums = sums if whole else one.constant(0.0)
            for k in range(whole, total):
                sums = one.binary("fadd", sums, one.binary("fmul", one.load("%q", k), one.constant(0.0)))
            e = one
        e.store(e.binary("fadd", e.load("%out", 0), sums), "%out", 0)
        lines.append("  ret void\n}")

    def entry(self) -> None:
        lines, w = self.lines, self.width
        offsets = self.areas()
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
            lines.append(f"  %out.off = mul i64 %k, {self.output}\n  %out = getelementptr double, ptr %output, i64 %out.off")
        else:
            for name, (row, dim) in sources.items():
                if dim:
                    self.copy(row, name, dim, inward=True)
        if self.algorithm.output.kind == "speed":
            self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            lines.append(f"  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {self.output * w * 8}, i1 false)")
        if self.program.turns:
            lines.append("  %large = call i1 @angles(ptr %angles, ptr %cos, ptr %sin)")
        for number in range(len(self.program.passes)):
            lines.append(f"  call void @pass{number}({self.given})")
        if self.program.finish is not None:
            lines.append(f"  call void @finish({self.given})")
        if self.touches:
            lines.append("  call void @touch(ptr %in.q, ptr %out)")
        if w > 1 and self.output:
            self.copy("%output", "%out", self.output, inward=False)
        lines.append(f"  %either = or i1 %flag, {'%large' if self.program.turns else 'false'}")
        lines.append(f"  br label %done\ndone:\n  %k.next = add i64 %k, {w}\n  %more = icmp slt i64 %k.next, %states")
        lines.append("  br i1 %more, label %block, label %exit\nexit:")
        lines.append("  %result = phi i1 [false, %entry], [%either, %done]\n  %wide = zext i1 %result to i64\n  ret i64 %wide\n}")

    def copy(self, rows: str, lanes: str, dim: int, inward: bool) -> None:
        """Between rows of states and coordinates of lanes; lanes without a state repeat the last one, and are not copied back."""
        lines, w = self.lines, self.width
        name = self.new("copy")
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
