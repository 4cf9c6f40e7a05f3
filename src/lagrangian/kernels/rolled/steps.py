"""What the loops of `rolled.py` have in common: the program, names that do not meet, and the code of one step at one link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms.nested import size
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.emit import Emitter
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.rolled import trace as rolled_trace
from lagrangian.kernels.rolled.trace import WHOLE, Program, Step
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.joints.joint_type import JointType


class Steps:
    """Emits steps into `lines`; `width` states at once."""

    def __init__(
        self, algorithm: Algorithm, tree: Tree, names: Sequence[str], sizes: Sequence[int], target: Target, width: int
    ) -> None:
        self.algorithm, self.tree, self.target, self.width = algorithm, tree, target, width
        self.names, self.sizes = list(names), list(sizes)
        self.program: Program = self.traced()
        self.kinds = sorted(set(tree.kind), key=str)
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
        on_it = sum(kind.nq for kind in tree.kind)
        self.touches = bool(self.output and tree.nq and on_it == tree.nq)

    def traced(self) -> Program:
        return rolled_trace.trace(self.algorithm, self.tree)

    def new(self, word: str) -> str:
        self.label += 1
        return f"{word}.{self.label}"

    def emitter(self) -> Emitter:
        return self.emitter_of(self.width)

    def emitter_of(self, width: int) -> Emitter:
        """One whose names do not meet those of the others in a function."""
        self.label += 100_000
        return Emitter(self.lines, width, self.target.fma, self.declared, self.label)

    def place(self, e: Emitter, i: str) -> dict[str, str]:
        """Pointers to what belongs to link i."""
        columns = len(self.program.parameters)
        row = e.put(f"mul i64 {self.parameter_row(e, i)}, {columns * self.parameter_width}")
        where = {"param": e.put(f"getelementptr double, ptr %param, i64 {row}")}
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

    def loader(self, e: Emitter, where: dict[str, str], carry: dict[int, str]) -> Callable[[str, Any, bool], str]:
        """Gives a step its inputs, each loaded once."""
        known: dict[tuple[str, object], str] = {}

        def load(name: str, index: Any, angle: bool) -> str:
            if name == "carry":
                return carry[index]
            if (name, index) not in known:
                known[name, index] = fetch(name, index)
            return known[name, index]

        def fetch(name: str, index: Any) -> str:
            if name == "param":
                return self.parameter(e, where["param"], index)
            if name == "save":
                return e.load(*self.save_place(where, index))
            if name == "speed":
                component, j, k = index
                return e.load(where["speed"], k * len(self.program.speed_saves) + self.program.speed_saves[component, j])
            if name in WHOLE:
                return e.load(f"%in.{name}", index)
            return e.load(where[name], index)

        return load

    parameter_width = 1  # how many numbers a parameter of a link is

    def parameter_row(self, e: Emitter, i: str) -> str:
        """Which row of the parameters is link i's."""
        return i

    def save_place(self, where: dict[str, str], key: tuple[str, int]) -> tuple[str, int]:
        """Where what a sweep saves of a link is: a pointer, and the place from there on."""
        return where["save"], self.program.saves[key]

    def parameter(self, e: Emitter, row: str, index: int) -> str:
        """A parameter from a link's row of them: the same number for all states."""
        at = e.put(f"getelementptr double, ptr {row}, i64 {index}")
        return e.spread(e.put(f"load double, ptr {at}, align 8"))

    def run_step(
        self,
        e: Emitter,
        step: Step,
        where: dict[str, str],
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
                    e.store(value, *self.save_place(where, (name, j)))
                if name in names and self.algorithm.output.kind == "link":
                    self.store_link_row(e, where, name, j, value)
            else:
                _, name, j, k = label
                if (name, j) in speed_saves:
                    e.store(value, where["speed"], k * len(speed_saves) + speed_saves[name, j])
                if name in names and self.algorithm.output.kind == "speed":
                    row = e.put(f"add i64 {where['iv']}, {j * self.tree.nv + k}")
                    self.store_out(e, row, value)

        e.write(schedule(step.trace, e.has_fma), self.loader(e, where, carry), store)
        return out

    def store_out(self, e: Emitter, index: str, value: str) -> None:
        at = e.put(f"mul i64 {index}, {self.width}")
        e.lines.append(f"  store {self.type} {value}, ptr {e.put(f'getelementptr double, ptr %out, i64 {at}')}, align 8")

    def store_link_row(self, e: Emitter, where: dict[str, str], name: str, j: int, value: str) -> None:
        offset, row = 0, 0
        for other in self.algorithm.output.names:
            if other == name:
                offset = row + j
            row += size(self.algorithm.template(other))
        base = e.put(f"mul i64 {where['i']}, {row}")
        self.store_out(e, e.put(f"add i64 {base}, {offset}"), value)

    def dispatch(self, i: str, kinds: Sequence[JointType], blocks: dict[JointType, str], other: str) -> None:
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
