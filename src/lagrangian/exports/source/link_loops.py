"""Loops over the links of a long mechanism: sweeps outward and inward, and walks from every speed to the ground.

The step of each kind of joint is written once. In a chain, what is carried from link to link are variables; in a tree it is an
array, whose row 0 is the ground's and row i + 1 link i's. Numbers of the links, their parents and places are tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lagrangian.algorithms.nested import template_size
from lagrangian.algorithms.sweep import Walk
from lagrangian.functions.routine import LinkLoops, Routine
from lagrangian.kernels.rolled.kernel import link_table, parameter_array
from lagrangian.kernels.rolled.trace import GLOBAL_INPUTS, PER_SPEED, Pass, TracedStep
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.joints.joint_type import JointType

if TYPE_CHECKING:
    from lagrangian.exports.source.writer import CodeWriter

OnPair = Callable[[int, int, str], None]


class LoopWriter:
    """Writes the loops of one routine, with the tables and arrays that they share."""

    def __init__(self, lines: CodeWriter, routine: Routine, body: LinkLoops, straight: Callable[..., None]) -> None:
        self.lines, self.routine, self.straight = lines, routine, straight
        self.language, self.tree, self.program, self.algorithm = lines.language, body.tree, body.program, body.algorithm
        self.n = len(self.tree)
        self.kinds = sorted(set(self.tree.kind), key=str)
        self.chain = all(p == i - 1 for i, p in enumerate(self.tree.parent))
        in_order = all(self.tree.iq[i] == i and self.tree.iv[i] == i for i in range(self.n))
        self.in_order = in_order and self.tree.nq == self.tree.nv == self.n
        self.inputs = {x.name: x for x in routine.inputs}
        self.columns = len(self.program.parameters)
        self._numbers = parameter_array(self.algorithm, self.tree, self.program.parameters, self.program.ground)
        self._blocks = 0
        self._tables: set[str] = set()  # those that are read

    # -- the whole -----------------------------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the tables that the loops read, the arrays that they share, and the loops."""
        language, program, outer_writer = self.language, self.program, self.lines
        self.lines = type(outer_writer)(language, outer_writer.depth)
        if program.turns:
            self._write_sines()
        for k, traced_pass in enumerate(program.passes):
            if isinstance(traced_pass.sweep, Walk):
                self._write_walk(traced_pass, traced_pass.sweep)
            else:
                self._write_sweep(k, traced_pass)
        if program.finish is not None:
            self._write_finish(len(program.passes) - 1, program.finish)
        rows = dict(zip(("kind", "parent", "at_q", "at_v"), link_table(self.tree).T.tolist(), strict=True))
        for name in (name for name in rows if name in self._tables):
            outer_writer.add(*language.table(name, rows[name], integers=True))
        if self.columns or program.ground:
            outer_writer.add(*language.table("numbers", self._numbers.tolist(), integers=False))
        widest = 0 if self.chain else max((len(p.carry) for p in program.passes), default=0)
        sizes = {
            "cosines": self.tree.nq * program.turns,
            "sines": self.tree.nq * program.turns,
            "saved": len(program.saves) * self.n,
            "of_speed": len(program.speed_saves) * self.tree.nv,
            "carried": (self.n + 1) * widest,
        }
        outer_writer.add(*(language.array(name, size) for name, size in sizes.items() if size))
        outer_writer.lines += self.lines.lines

    def _table(self, name: str, i: str) -> str:
        """An entry of a table of whole numbers."""
        self._tables.add(name)
        return self.language.element(name, i)

    def _write_sines(self) -> None:
        language, lines = self.language, self.lines
        q = self.inputs["q"]
        lines.open(language.loop("j", self.tree.nq))
        for array, function in (("cosines", "cos"), ("sines", "sin")):
            value = f"{language.functions.get(function, function)}({language.place(q, 'j')})"
            lines.add(language.assignment(language.element(array, "j"), value))
        lines.close()

    # -- sweeps --------------------------------------------------------------------------------------------------------

    def _write_sweep(self, k: int, traced_pass: Pass) -> None:
        language, lines = self.language, self.lines
        outward = traced_pass.sweep.direction == "outward"  # type: ignore[union-attr]
        wide = len(traced_pass.carry)
        ground = [self._ground_value(traced_pass, j) for j in traced_pass.carry]
        if self.chain:
            lines.add(*(language.variable(f"c{k}_{j}", x) for j, x in zip(traced_pass.carry, ground, strict=True)))
        elif outward:
            lines.add(*(language.assignment(language.element("carried", s), x) for s, x in enumerate(ground)))
        elif wide:
            lines.open(language.loop("j", (self.n + 1) * wide))
            lines.add(language.assignment(language.element("carried", "j"), language.number(0.0)))
            lines.close()
        lines.open(language.loop("i", self.n, backward=not outward))

        def write_link_step(kind: JointType) -> None:
            carry = {j: f"c{k}_{j}" for j in traced_pass.carry}
            if not self.chain:
                row = self._parent_row("parent", "i") if outward else "(i + 1)"
                carry = {j: language.element("carried", f"{row}*{wide} + {s}") for s, j in enumerate(traced_pass.carry)}
            result = self._write_step(traced_pass.steps[kind], "i", carry)
            for s, j in enumerate(traced_pass.carry):
                if self.chain:
                    lines.add(language.assignment(f"c{k}_{j}", result[j]))
                    continue
                row = "(i + 1)" if outward else self._parent_row("parent", "i")
                place = language.element("carried", f"{row}*{wide} + {s}")
                lines.add(language.assignment(place, result[j] if outward else f"{place} + {result[j]}"))

        self._dispatch_kinds("i", self.kinds, write_link_step)
        lines.close()

    def _ground_value(self, traced_pass: Pass, j: int) -> str:
        if j not in traced_pass.ground_places:
            return self.language.number(0.0)
        return self.language.element("numbers", self.n * self.columns + traced_pass.ground_places[j])

    def _parent_row(self, array: str, i: str) -> str:
        """The row of a link's parent."""
        return f"({self._table(array, i)} + 1)"

    def _dispatch_kinds(self, i: str, kinds: list[JointType], write: Callable[[JointType], None]) -> None:
        language, lines = self.language, self.lines
        if len(self.kinds) == 1:
            write(kinds[0])
            return
        for k, kind in enumerate(kinds):
            condition = f"{self._table('kind', i)} == {self.kinds.index(kind)}"
            (lines.open if k == 0 else lines.next_branch)(language.branch(condition, first=k == 0))
            write(kind)
        lines.close()

    def _write_finish(self, k: int, step: TracedStep) -> None:
        language, lines = self.language, self.lines
        last_pass = [p for p in self.program.passes if not isinstance(p.sweep, Walk)][-1]
        outward = last_pass.sweep.direction == "outward"  # type: ignore[union-attr]
        row = self.n * len(last_pass.carry) if outward else 0
        slots = {j: row + s for s, j in enumerate(last_pass.carry)}

        def read(name: str, index: int) -> str:
            return f"c{k}_{index}" if self.chain else language.element("carried", slots[index])

        texts = [""] * len(step.outputs)
        self.straight(lines, schedule(step.trace, fuse_products=False), read, texts.__setitem__, "f")
        lines.add(*(language.assignment(self._output_entry(str(j)), text) for j, text in enumerate(texts)))

    # -- walks ---------------------------------------------------------------------------------------------------------

    def _write_walk(self, traced_pass: Pass, walk: Walk) -> None:
        language, lines = self.language, self.lines
        lines.open(language.loop("j", self.routine.size))
        lines.add(language.assignment(self._output_entry("j"), language.number(0.0)))
        lines.close()
        starting = [kind for kind in self.kinds if (kind, 0) in traced_pass.starts]
        if not starting:
            return
        lines.open(language.loop("i", self.n))

        def write_climbs(kind: JointType) -> None:
            for a in range(kind.nv if walk.per == "speed" else 1):
                self._write_climb(traced_pass, walk, kind, a)

        self._dispatch_kinds("i", starting, write_climbs)
        lines.close()

    def _write_climb(self, traced_pass: Pass, walk: Walk, kind: JointType, a: int) -> None:
        """Write the walk from speed a of link i, which is of this kind, through its ancestors."""
        language, lines, result = self.language, self.lines, self.routine.outputs[0]
        first = self._write_step(traced_pass.starts[kind, a], "i", {})
        names = {c: f"w{a}_{c}" for c in traced_pass.carry}
        lines.add(*(language.variable(names[c], first[c]) for c in traced_pass.carry))
        column = self._with_offset(self._state_index("at_v", "i"), a)
        up = f"up{a}"
        # counted from 1, so that the ground is 0
        lines.add(language.counter(up, "i + 1"))
        lines.open(language.while_loop(f"{up} > 0"))
        link = f"link{a}"
        lines.add(language.integer(link, f"{up} - 1"))

        def write_ancestor_step(other: JointType) -> None:
            last = max((label[2] for label in traced_pass.steps[other].outputs if label[0] == "pair"), default=0)

            def on_pair(b: int, c: int, value: str) -> None:
                row = self._with_offset(self._state_index("at_v", link), b)
                if walk.per == "link":
                    wide = walk.width * self.n
                    lines.add(language.assignment(self._output_entry(f"({row})*{wide} + i*{walk.width} + {c}"), value))
                    return
                if c == 0:
                    lines.add(language.assignment(language.entry(result, row, column), value))
                if c == last:
                    lines.add(language.assignment(language.entry(result, column, row), value))

            carried = self._write_step(traced_pass.steps[other], link, names, on_pair)
            lines.add(*(language.assignment(names[c], carried[c]) for c in traced_pass.carry))

        self._dispatch_kinds(link, self.kinds, write_ancestor_step)
        before = link if self.chain else self._parent_row("parent", link)
        lines.add(language.assignment(up, before))
        lines.close()
        if kind in traced_pass.diagonal:
            step, texts = traced_pass.diagonal[kind], [""]
            self.straight(
                lines, schedule(step.trace, fuse_products=False), self._reader("i", {}), texts.__setitem__, self._prefix()
            )
            place = language.entry(result, column, column)
            lines.add(language.assignment(place, f"{place} + {texts[0]}"))

    # -- one step ------------------------------------------------------------------------------------------------------

    def _prefix(self) -> str:
        self._blocks += 1
        return f"b{self._blocks}_"

    @staticmethod
    def _with_offset(index: str, k: int) -> str:
        return f"{index} + {k}" if k else index

    def _state_index(self, name: str, i: str) -> str:
        return i if self.in_order else self._table(name, i)

    def _output_entry(self, index: str) -> str:
        return self.language.place(self.routine.outputs[0], index)

    def _reader(self, i: str, carry: dict[int, str]) -> Callable[[str, Any], str]:
        language, program = self.language, self.program

        def read(name: str, index: Any) -> str:
            if name == "carry":
                return carry[index]
            if name == "param":
                return language.element("numbers", f"{i}*{self.columns} + {index}")
            if name == "save":
                return language.element("saved", f"{i}*{len(program.saves)} + {program.saves[index]}")
            if name == "speed":
                component, j, k = index
                wide = len(program.speed_saves)
                at = self._with_offset(self._state_index("at_v", i), k)
                return language.element("of_speed", f"({at})*{wide} + {program.speed_saves[component, j]}")
            if name in ("cos", "sin"):
                return language.element("cosines" if name == "cos" else "sines", self._state_index("at_q", i))
            if name in GLOBAL_INPUTS:
                return language.place(self.inputs[name], index)
            at = self._state_index("at_v" if name in PER_SPEED else "at_q", i)
            return language.place(self.inputs[name], self._with_offset(at, index))

        return read

    def _write_step(self, step: TracedStep, i: str, carry: dict[int, str], on_pair: OnPair | None = None) -> dict[int, str]:
        """Write a step at link i; saves and results are stored, what is carried on is returned as names."""
        language, lines, program = self.language, self.lines, self.program
        output = self.algorithm.output
        prefix = self._prefix()
        texts = [""] * len(step.outputs)
        self.straight(lines, schedule(step.trace, fuse_products=False), self._reader(i, carry), texts.__setitem__, prefix)
        carries: dict[int, str] = {}
        for k, (label, text) in enumerate(zip(step.outputs, texts, strict=True)):
            # all is read before anything is assigned; a variable that is carried may be read under another's name
            if label[0] == "carry" or not text.isidentifier():
                lines.add(language.constant(f"{prefix}to{k}", text))
                texts[k] = f"{prefix}to{k}"
        for label, text in zip(step.outputs, texts, strict=True):
            if label[0] == "carry":
                carries[label[1]] = text
            elif label[0] == "pair":
                assert on_pair is not None
                on_pair(label[1], label[2], text)
            elif label[0] == "save":
                _, name, j = label
                if (name, j) in program.saves:
                    place = language.element("saved", f"{i}*{len(program.saves)} + {program.saves[name, j]}")
                    lines.add(language.assignment(place, text))
                if name in output.names and output.kind == "link":
                    lines.add(language.assignment(self._output_entry(self._link_row(i, name, j)), text))
            else:
                _, name, j, speed = label
                at = self._with_offset(self._state_index("at_v", i), speed)
                if (name, j) in program.speed_saves:
                    place = language.element("of_speed", f"({at})*{len(program.speed_saves)} + {program.speed_saves[name, j]}")
                    lines.add(language.assignment(place, text))
                if name in output.names and output.kind == "speed":
                    lines.add(language.assignment(self._output_entry(self._with_offset(at, j * self.tree.nv)), text))
        return carries

    def _link_row(self, i: str, name: str, j: int) -> str:
        sizes = [template_size(self.algorithm.template(other)) for other in self.algorithm.output.names]
        before = sum(sizes[: self.algorithm.output.names.index(name)])
        return f"{i}*{sum(sizes)} + {before + j}"
