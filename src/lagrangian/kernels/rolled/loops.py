"""The loops over the links: sweeps outward and inward, and walks from every speed to the ground.

In a chain, what is carried from link to link stays in registers. In a tree it goes through memory: slot 0 is the ground's,
slot i + 1 link i's.
"""

from __future__ import annotations

from lagrangian.algorithms.sweep import Sweep, Walk
from lagrangian.kernels.llvm.emit import Emitter, attributes
from lagrangian.kernels.rolled.steps import Steps
from lagrangian.kernels.rolled.trace import Pass, Step
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.joints.joint_type import JointType


class Loops(Steps):
    """One function for each pass of the program."""

    def sweep(self, k: int, found: Pass, sweep: Sweep) -> None:
        out, lines, kinds = sweep.direction == "outward", self.lines, self.kinds
        lines.append(f"define internal void @pass{k}({self.arguments}) {attributes(self.width)} {{\nentry:")
        e = self.emitter()
        width = len(found.carry)
        if not self.chain:
            self.start_carries(e, found, out)
        ground = self.ground(e, found) if self.chain else {}
        lines.append("  br label %loop\nloop:")
        lines.append("  %step = phi i64 [0, %entry], [%step.next, %next]")
        for j, g in ground.items():
            lines.append(f"  %c{j} = phi {self.type} [{g}, %entry], [%o{j}, %next]")
        lines.append("  %step.next = add i64 %step, 1")
        lines.append("  %i = add i64 %step, 0" if out else f"  %i = sub i64 {self.n - 1}, %step")
        blocks = {kind: self.new("kind") for kind in kinds}
        self.dispatch("%i", kinds, blocks, "next.none")
        merged: dict[JointType, dict[int, str]] = {}
        ends: dict[JointType, str] = {}
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

    def ground(self, e: Emitter, found: Pass) -> dict[int, str]:
        """What is carried from the ground."""
        first = self.n * len(self.program.parameters)
        at = found.ground_at
        return {j: e.load_one("%param", first + at[j]) if j in at else e.constant(0.0) for j in found.carry}

    def start_carries(self, e: Emitter, found: Pass, out: bool) -> None:
        """Slot 0 is the ground, slot i + 1 link i: an outward sweep starts from the ground, an inward one adds to zeros."""
        if out:
            for slot, value in enumerate(self.ground(e, found).values()):
                e.store(value, "%carry", slot)
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
        self.lines.append(f"define internal void @finish({self.arguments}) {attributes(self.width)} {{\nentry:")
        e = self.emitter()
        carry = {j: e.load("%carry", s) for s, j in enumerate(found.carry)}
        e.write(
            schedule(step.trace, e.has_fma),
            lambda name, index, angle: carry[index],
            lambda position, value: e.store(value, "%out", position),
        )
        self.lines.append("  ret void\n}")

    def walk(self, number: int, found: Pass, walk: Walk) -> None:
        lines = self.lines
        lines.append(f"define internal void @pass{number}({self.arguments}) {attributes(self.width)} {{\nentry:")
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
            for a in range(kind.nv if walk.per == "speed" else 1):
                self.climb(found, walk, kind, a)
            lines.append("  br label %next")
        lines.append(f"next:\n  %more = icmp slt i64 %i.next, {self.n}\n  br i1 %more, label %loop, label %exit")
        lines.append("exit:\n  ret void\n}")

    def climb(self, found: Pass, walk: Walk, kind: JointType, a: int) -> None:
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
            e.write(schedule(step.trace, e.has_fma), self.loader(e, here, {}), lambda _, value: extra.append(value))
            index = e.put(f"add i64 {e.put(f'mul i64 {column}, {n}')}, {column}")
            at = e.put(f"getelementptr double, ptr %out, i64 {e.put(f'mul i64 {index}, {self.width}')}")
            old = e.put(f"load {self.type}, ptr {at}, align 8")
            lines.append(f"  store {self.type} {e.binary('fadd', old, extra[0])}, ptr {at}, align 8")
