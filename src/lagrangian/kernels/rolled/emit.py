"""LLVM IR of the loops over the links: one step at one link, sweeps outward and inward, and walks from every speed to the ground.

In a chain, what is carried from link to link stays in registers. In a tree it goes through memory: slot 0 is the ground's, slot
i + 1 is link i's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms.nested import template_size
from lagrangian.algorithms.sweep import Algorithm, Sweep, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.emit import Emitter, attributes
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.rolled.trace import GLOBAL_INPUTS, PER_SPEED, Pass, SweepProgram, TracedStep, trace_algorithm
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.joints.joint_type import JointType


class StepEmitter:
    """Emits steps into `lines`, for `width` states at once: the code of one step at one link, and names that do not meet."""

    def __init__(
        self, algorithm: Algorithm, tree: Tree, names: Sequence[str], sizes: Sequence[int], target: CPUTarget, width: int
    ) -> None:
        self.algorithm, self.tree, self.target, self.width = algorithm, tree, target, width
        self.names, self.sizes = list(names), list(sizes)
        self.program: SweepProgram = self.trace_program()
        self.kinds = sorted(set(tree.kind), key=str)
        self.n = len(tree)
        self.chain = all(p == i - 1 for i, p in enumerate(tree.parent))
        self.in_order = all(tree.iq[i] == i and tree.iv[i] == i for i in range(self.n)) and tree.nq == tree.nv == self.n
        self.result_size = algorithm.result_size(tree)
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.type = "double" if width == 1 else f"<{width} x double>"
        # what every function is given
        self.pointers = [*(f"%in.{n}" for n in names), "%cos", "%sin", "%save", "%speed", "%carry", "%out", "%param", "%table"]
        self.arguments = ", ".join(f"ptr noalias {p}" for p in self.pointers)
        self.call_arguments = ", ".join(f"ptr {p}" for p in self.pointers)
        self.label = 0
        # a path to a frame leaves out joints that rightly do not matter
        on_it = sum(kind.nq for kind in tree.kind)
        self.touches = bool(self.result_size and tree.nq and on_it == tree.nq)

    def trace_program(self) -> SweepProgram:
        return trace_algorithm(self.algorithm, self.tree)

    def new_label(self, word: str) -> str:
        self.label += 1
        return f"{word}.{self.label}"

    def emitter(self) -> Emitter:
        return self.emitter_of_width(self.width)

    def emitter_of_width(self, width: int) -> Emitter:
        """An emitter whose names do not meet those of the others in a function."""
        self.label += 100_000
        return Emitter(self.lines, width, self.target.fma, self.declared, self.label)

    def link_pointers(self, e: Emitter, i: str) -> dict[str, str]:
        """Pointers to what belongs to link i."""
        columns = len(self.program.parameters)
        row = e.put(f"mul i64 {self.parameter_row(e, i)}, {columns * self.parameter_width}")
        pointers = {"param": e.put(f"getelementptr double, ptr %param, i64 {row}")}
        if self.in_order:
            pointers["iq"] = pointers["iv"] = i
        else:
            row = e.put(f"mul i64 {i}, 4")
            for name, k in (("iq", 2), ("iv", 3)):
                at = e.put(f"getelementptr i64, ptr %table, i64 {e.put(f'add i64 {row}, {k}')}")
                pointers[name] = e.put(f"load i64, ptr {at}, align 8")
        w = self.width

        def start(base: str, index: str, stride: int) -> str:
            return e.put(f"getelementptr double, ptr {base}, i64 {e.put(f'mul i64 {index}, {stride * w}')}")

        pointers["q"] = start("%in.q", pointers["iq"], 1) if "q" in self.names else ""
        for name in self.names:
            if name in PER_SPEED:
                pointers[name] = start(f"%in.{name}", pointers["iv"], 1)
        pointers["cos"], pointers["sin"] = start("%cos", pointers["iq"], 1), start("%sin", pointers["iq"], 1)
        pointers["save"] = start("%save", i, len(self.program.saves))
        pointers["speed"] = start("%speed", pointers["iv"], len(self.program.speed_saves))
        return pointers

    def loader(self, e: Emitter, pointers: dict[str, str], carry: dict[int, str]) -> Callable[[str, Any, bool], str]:
        """A function that gives a step its inputs, each loaded once."""
        values: dict[tuple[str, object], str] = {}

        def load(name: str, index: Any, angle: bool) -> str:
            if name == "carry":
                return carry[index]
            if (name, index) not in values:
                values[name, index] = fetch(name, index)
            return values[name, index]

        def fetch(name: str, index: Any) -> str:
            if name == "param":
                return self.parameter(e, pointers["param"], index)
            if name == "save":
                return e.load(*self.save_place(pointers, index))
            if name == "speed":
                component, j, k = index
                return e.load(pointers["speed"], k * len(self.program.speed_saves) + self.program.speed_saves[component, j])
            if name in GLOBAL_INPUTS:
                return e.load(f"%in.{name}", index)
            return e.load(pointers[name], index)

        return load

    parameter_width = 1  # how many numbers a parameter of a link is

    def parameter_row(self, e: Emitter, i: str) -> str:
        """The number of link i's row in the parameters."""
        return i

    def save_place(self, pointers: dict[str, str], key: tuple[str, int]) -> tuple[str, int]:
        """Where a save of a link is: a pointer, and the place from there on."""
        return pointers["save"], self.program.saves[key]

    def parameter(self, e: Emitter, row: str, index: int) -> str:
        """A parameter from a link's row of them: the same number for all states."""
        at = e.put(f"getelementptr double, ptr {row}, i64 {index}")
        return e.broadcast(e.put(f"load double, ptr {at}, align 8"))

    def run_step(
        self,
        e: Emitter,
        step: TracedStep,
        pointers: dict[str, str],
        carry: dict[int, str],
        on_pair: Callable[[int, int, str], None] | None = None,
    ) -> dict[int, str]:
        """Emit a step; saves and results are stored, the carries returned."""
        out: dict[int, str] = {}
        names = self.algorithm.output.names
        link_saves, speed_saves = self.program.saves, self.program.speed_saves

        def store(position: int, value: str) -> None:
            label = step.outputs[position]
            if label[0] == "carry":
                out[label[1]] = value
            elif label[0] == "pair":
                assert on_pair is not None
                on_pair(label[1], label[2], value)
            elif label[0] == "save":
                _, name, j = label
                if (name, j) in link_saves:
                    e.store(value, *self.save_place(pointers, (name, j)))
                if name in names and self.algorithm.output.kind == "link":
                    self.store_link_row(e, pointers, name, j, value)
            else:
                _, name, j, k = label
                if (name, j) in speed_saves:
                    e.store(value, pointers["speed"], k * len(speed_saves) + speed_saves[name, j])
                if name in names and self.algorithm.output.kind == "speed":
                    row = e.put(f"add i64 {pointers['iv']}, {j * self.tree.nv + k}")
                    self.store_out(e, row, value)

        e.write_schedule(schedule(step.trace, e.has_fma), self.loader(e, pointers, carry), store)
        return out

    def store_out(self, e: Emitter, index: str, value: str) -> None:
        at = e.put(f"mul i64 {index}, {self.width}")
        e.lines.append(f"  store {self.type} {value}, ptr {e.put(f'getelementptr double, ptr %out, i64 {at}')}, align 8")

    def store_link_row(self, e: Emitter, pointers: dict[str, str], name: str, j: int, value: str) -> None:
        offset, row = 0, 0
        for other in self.algorithm.output.names:
            if other == name:
                offset = row + j
            row += template_size(self.algorithm.template(other))
        base = e.put(f"mul i64 {pointers['i']}, {row}")
        self.store_out(e, e.put(f"add i64 {base}, {offset}"), value)

    def dispatch(self, i: str, kinds: Sequence[JointType], blocks: dict[JointType, str], other: str) -> None:
        """Branch to the block of link i's kind."""
        if len(self.kinds) == 1:
            self.lines.append(f"  br label %{blocks[self.kinds[0]]}")
            return
        row = self.new_label("%row")
        self.lines.append(f"  {row} = mul i64 {i}, 4")
        self.lines.append(f"  {row}.at = getelementptr i64, ptr %table, i64 {row}")
        self.lines.append(f"  {row}.kind = load i64, ptr {row}.at, align 8")
        cases = " ".join(f"i64 {self.kinds.index(k)}, label %{blocks[k]}" for k in kinds)
        self.lines.append(f"  switch i64 {row}.kind, label %{other} [{cases}]")


class LoopEmitter(StepEmitter):
    """Emits a function for each pass of the program: a loop over the links, with a step at each of them."""

    def write_sweep(self, k: int, traced_pass: Pass, sweep: Sweep) -> None:
        outward, lines, kinds = sweep.direction == "outward", self.lines, self.kinds
        lines.append(f"define internal void @pass{k}({self.arguments}) {attributes(self.width)} {{\nentry:")
        e = self.emitter()
        width = len(traced_pass.carry)
        if not self.chain:
            self.start_carries(e, traced_pass, outward)
        ground = self.ground_values(e, traced_pass) if self.chain else {}
        lines.append("  br label %loop\nloop:")
        lines.append("  %step = phi i64 [0, %entry], [%step.next, %next]")
        for j, g in ground.items():
            lines.append(f"  %c{j} = phi {self.type} [{g}, %entry], [%o{j}, %next]")
        lines.append("  %step.next = add i64 %step, 1")
        lines.append("  %i = add i64 %step, 0" if outward else f"  %i = sub i64 {self.n - 1}, %step")
        blocks = {kind: self.new_label("kind") for kind in kinds}
        self.dispatch("%i", kinds, blocks, "next.none")
        next_carries: dict[JointType, dict[int, str]] = {}
        end_labels: dict[JointType, str] = {}
        for kind in kinds:
            lines.append(f"{blocks[kind]}:")
            e = self.emitter()
            pointers = {**self.link_pointers(e, "%i"), "i": "%i"}
            carry = {j: f"%c{j}" for j in traced_pass.carry} if self.chain else self.load_carries(e, traced_pass, outward)
            result = self.run_step(e, traced_pass.steps[kind], pointers, carry)
            end_labels[kind] = self.new_label("end")
            lines.append(f"  br label %{end_labels[kind]}\n{end_labels[kind]}:")
            if self.chain:
                next_carries[kind] = result
            else:
                self.store_carries(e, traced_pass, outward, result)
            lines.append("  br label %next")
        lines.append("next.none:\n  unreachable\nnext:")
        if self.chain:
            for j in traced_pass.carry:
                incoming = ", ".join(f"[{next_carries[kind][j]}, %{end_labels[kind]}]" for kind in kinds)
                lines.append(f"  %o{j} = phi {self.type} {incoming}")
        lines.append(f"  %more = icmp slt i64 %step.next, {self.n}\n  br i1 %more, label %loop, label %exit\nexit:")
        if self.chain:
            e = self.emitter()
            for slot, j in enumerate(traced_pass.carry):
                e.store(f"%o{j}", "%carry", slot)
        elif width and outward:
            e = self.emitter()  # the tip's carry, where `finish` looks for it
            self.copy_slot(e, self.n, 0, width)
        lines.append("  ret void\n}")

    def ground_values(self, e: Emitter, traced_pass: Pass) -> dict[int, str]:
        """The values that a pass carries from the ground."""
        first = self.n * len(self.program.parameters)
        places = traced_pass.ground_places
        return {j: e.load_broadcast("%param", first + places[j]) if j in places else e.constant(0.0) for j in traced_pass.carry}

    def start_carries(self, e: Emitter, traced_pass: Pass, outward: bool) -> None:
        """Slot 0 is the ground, slot i + 1 link i: an outward sweep starts from the ground, an inward one adds to zeros."""
        if outward:
            for slot, value in enumerate(self.ground_values(e, traced_pass).values()):
                e.store(value, "%carry", slot)
        else:
            self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            amount = (self.n + 1) * len(traced_pass.carry) * self.width * 8
            self.lines.append(f"  call void @llvm.memset.p0.i64(ptr %carry, i8 0, i64 {amount}, i1 false)")

    def slot(self, e: Emitter, traced_pass: Pass, index: str) -> str:
        return e.put(f"getelementptr double, ptr %carry, i64 {e.put(f'mul i64 {index}, {len(traced_pass.carry) * self.width}')}")

    def parent_slot(self, e: Emitter, traced_pass: Pass) -> str:
        row = e.put("mul i64 %i, 4")
        at = e.put(f"getelementptr i64, ptr %table, i64 {e.put(f'add i64 {row}, 1')}")
        parent = e.put(f"load i64, ptr {at}, align 8")
        return self.slot(e, traced_pass, e.put(f"add i64 {parent}, 1"))

    def load_carries(self, e: Emitter, traced_pass: Pass, outward: bool) -> dict[int, str]:
        base = self.parent_slot(e, traced_pass) if outward else self.slot(e, traced_pass, e.put("add i64 %i, 1"))
        return {j: e.load(base, s) for s, j in enumerate(traced_pass.carry)}

    def store_carries(self, e: Emitter, traced_pass: Pass, outward: bool, result: dict[int, str]) -> None:
        base = self.slot(e, traced_pass, e.put("add i64 %i, 1")) if outward else self.parent_slot(e, traced_pass)
        for s, j in enumerate(traced_pass.carry):
            value = result[j]
            if not outward:
                value = e.binary("fadd", e.load(base, s), value)
            e.store(value, base, s)

    def copy_slot(self, e: Emitter, source: int, target: int, width: int) -> None:
        for s in range(width):
            e.store(e.load("%carry", source * width + s), "%carry", target * width + s)

    def write_finish(self, step: TracedStep) -> None:
        last_pass = [p for p in self.program.passes if not isinstance(p.sweep, Walk)][-1]
        self.lines.append(f"define internal void @finish({self.arguments}) {attributes(self.width)} {{\nentry:")
        e = self.emitter()
        carry = {j: e.load("%carry", s) for s, j in enumerate(last_pass.carry)}
        e.write_schedule(
            schedule(step.trace, e.has_fma),
            lambda name, index, angle: carry[index],
            lambda position, value: e.store(value, "%out", position),
        )
        self.lines.append("  ret void\n}")

    def write_walk(self, number: int, traced_pass: Pass, walk: Walk) -> None:
        lines = self.lines
        lines.append(f"define internal void @pass{number}({self.arguments}) {attributes(self.width)} {{\nentry:")
        self.declared.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        lines.append(f"  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {self.result_size * self.width * 8}, i1 false)")
        lines.append("  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%i.next, %next]\n  %i.next = add i64 %i, 1")
        starting = [k for k in self.kinds if (k, 0) in traced_pass.starts]
        blocks = {kind: self.new_label("from") for kind in starting}
        if starting:
            if len(self.kinds) == 1:
                lines.append(f"  br label %{blocks[starting[0]]}")
            else:
                self.dispatch("%i", starting, blocks, "next")
        else:
            lines.append("  br label %next")
        for kind in starting:
            lines.append(f"{blocks[kind]}:")
            for a in range(kind.nv if walk.per == "speed" else 1):
                self.write_climb(traced_pass, walk, kind, a)
            lines.append("  br label %next")
        lines.append(f"next:\n  %more = icmp slt i64 %i.next, {self.n}\n  br i1 %more, label %loop, label %exit")
        lines.append("exit:\n  ret void\n}")

    def write_climb(self, traced_pass: Pass, walk: Walk, kind: JointType, a: int) -> None:
        """Write the walk from speed a of link i, which is of this kind, through its ancestors."""
        lines, n = self.lines, self.tree.nv
        e = self.emitter()
        start_pointers = {**self.link_pointers(e, "%i"), "i": "%i"}
        start = self.run_step(e, traced_pass.starts[kind, a], start_pointers, {})
        column = e.put(f"add i64 {start_pointers['iv']}, {a}")
        before, inner, after, done = (self.new_label(word) for word in ("before", "up", "upnext", "top"))
        lines.append(f"  br label %{before}\n{before}:\n  br label %{inner}\n{inner}:")
        j = f"%j.{inner}"
        lines.append(f"  {j} = phi i64 [%i, %{before}], [{j}.next, %{after}]")
        carry = {c: f"%w{c}.{inner}" for c in traced_pass.carry}
        for c in traced_pass.carry:
            lines.append(f"  {carry[c]} = phi {self.type} [{start[c]}, %{before}], [{carry[c]}.next, %{after}]")
        blocks = {k: self.new_label("meet") for k in self.kinds}
        dead = self.new_label("dead")
        self.dispatch(j, self.kinds, blocks, dead)
        next_carries, end_labels = {}, {}
        for other in self.kinds:
            lines.append(f"{blocks[other]}:")
            e = self.emitter()
            pointers = {**self.link_pointers(e, j), "i": j}

            last = max((label[2] for label in traced_pass.steps[other].outputs if label[0] == "pair"), default=0)

            def on_pair(
                b: int, c: int, value: str, e: Emitter = e, pointers: dict[str, str] = pointers, last: int = last
            ) -> None:
                row = e.put(f"add i64 {pointers['iv']}, {b}")
                if walk.per == "link":
                    wide = walk.width * self.n
                    base = e.put(f"add i64 {e.put(f'mul i64 {row}, {wide}')}, {c}")
                    self.store_out(e, e.put(f"add i64 {base}, {e.put(f'mul i64 %i, {walk.width}')}"), value)
                    return
                if c == 0:
                    self.store_out(e, e.put(f"add i64 {e.put(f'mul i64 {row}, {n}')}, {column}"), value)
                if c == last:
                    self.store_out(e, e.put(f"add i64 {e.put(f'mul i64 {column}, {n}')}, {row}"), value)

            next_carries[other] = self.run_step(e, traced_pass.steps[other], pointers, carry, on_pair)
            end_labels[other] = self.new_label("end")
            lines.append(f"  br label %{end_labels[other]}\n{end_labels[other]}:\n  br label %{after}")
        lines.append(f"{dead}:\n  unreachable\n{after}:")
        for c in traced_pass.carry:
            incoming = ", ".join(f"[{next_carries[k][c]}, %{end_labels[k]}]" for k in self.kinds)
            lines.append(f"  {carry[c]}.next = phi {self.type} {incoming}")
        if self.chain:
            lines.append(f"  {j}.next = sub i64 {j}, 1")
        else:
            lines.append(f"  {j}.row = mul i64 {j}, 4\n  {j}.col = add i64 {j}.row, 1")
            lines.append(f"  {j}.at = getelementptr i64, ptr %table, i64 {j}.col\n  {j}.next = load i64, ptr {j}.at, align 8")
        lines.append(f"  {j}.more = icmp sge i64 {j}.next, 0\n  br i1 {j}.more, label %{inner}, label %{done}\n{done}:")
        if kind in traced_pass.diagonal:
            e = self.emitter()
            extra: list[str] = []
            step = traced_pass.diagonal[kind]
            e.write_schedule(
                schedule(step.trace, e.has_fma), self.loader(e, start_pointers, {}), lambda _, value: extra.append(value)
            )
            index = e.put(f"add i64 {e.put(f'mul i64 {column}, {n}')}, {column}")
            at = e.put(f"getelementptr double, ptr %out, i64 {e.put(f'mul i64 {index}, {self.width}')}")
            old = e.put(f"load {self.type}, ptr {at}, align 8")
            lines.append(f"  store {self.type} {e.binary('fadd', old, extra[0])}, ptr {at}, align 8")
