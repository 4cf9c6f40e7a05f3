"""What kernels of pieces have in common: memory, records of pieces and lanes, and the calls of sweeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.code import LINE, address
from lagrangian.kernels.llvm.builder import INTEGER, TRUTH, Array, Builder, Operand, Value
from lagrangian.kernels.llvm.target import Target, x86
from lagrangian.kernels.pieces import data, places, runs, shared
from lagrangian.kernels.pieces.data import Columns, Layout, layout
from lagrangian.kernels.pieces.items import Items
from lagrangian.kernels.pieces.lanes import Lanes
from lagrangian.kernels.pieces.places import Copies
from lagrangian.kernels.pieces.plan import Cost, Plan
from lagrangian.kernels.rolled import kernel as rolled
from lagrangian.kernels.threads import Threads

WIDEST = runs.ENDS  # of what a sweep carries


@dataclass(frozen=True)
class Pieces:
    """IR and what its caller must supply."""

    ir: str
    scratch: int
    columns: Columns
    plan: Plan
    target: Target
    halved: bool
    gate: int | None  # the place in the tables of what helpers are found by: see `shared`

    def data(self, algorithm: Algorithm, tree: Tree) -> list[np.ndarray]:
        """What the kernel reads of the tree that it was planned for."""
        return data.arrays(algorithm, self.plan, self.target, self.columns, self.halved)

    def share(self, table: np.ndarray, threads: Threads) -> None:
        """Let other threads help, where there is enough to do."""
        if self.gate is not None:
            table[self.gate] = address(threads.gate())


class Phases(ABC):
    """A kernel. `lanes_algorithm` are the sweeps of pieces, which stand beside those of the algorithm itself."""

    algorithm: Algorithm
    lanes_algorithm: Algorithm
    at_runs: tuple[str, ...]  # which functions of runs the sweeps over items call
    work: tuple[str, ...]  # what these functions are given
    halved: bool  # whether links are cut through
    cost: Cost
    # what is done group by group, in phases between which pieces are joined
    of_groups: tuple[Callable[[Any, Builder, dict[str, Array], Array, Array], None], ...]

    def quietly(self, b: Builder) -> Callable[[], None]:
        """How threads are to compute, until what is given back is called."""
        return lambda: None

    def __init__(self, plan: Plan, target: Target) -> None:
        self.plan, self.target, self.w = plan, target, plan.lanes
        tree = plan.tree
        self.names = list(self.algorithm.inputs)
        sizes = [tree.nq if name == "q" else tree.nv for name in self.names]
        self.sequential = rolled.module(self.algorithm, tree, self.names, sizes, target, 1)
        self.items = Items(self.algorithm, plan, target, self.at_runs, self.work)
        self.lanes = Lanes(self.lanes_algorithm, plan, target)
        self.columns: Columns = {
            "links": self.sequential.columns,
            "ground of links": self.sequential.ground,
            "items": self.items.program.parameters,
            "ground of items": self.items.program.ground,
            "steps": self.lanes.program.parameters,
        }
        self.declared: set[str] = set()
        self.numbers = data.tables(plan)
        self.coordinates, self.speeds = places.of_coordinates(plan), places.of_speeds(plan)
        self.copies = Copies(self.w, target, self.declared)

    @abstractmethod
    def records(self) -> dict[str, int]:
        """Memory for records of pieces, nodes and runs, in numbers."""

    @abstractmethod
    def phases(self, b: Builder, rows: dict[str, Array]) -> None:
        """From the inputs to the output."""

    def build(self) -> Pieces:
        self.lanes.functions()
        lines = [
            *self.sequential.ir.replace("@kernel(", "@sequential(").replace("define i64", "define internal i64").split("\n"),
            *"\n".join(self.items.functions()).replace("@pass", "@items").split("\n"),
            *self.lanes.lines,
            *self.in_pieces(),
            *(line for phase in range(len(self.of_groups)) for line in self.group(phase)),
            *(shared.assist(self.declared, len(self.of_groups), len(self.plan.groups), self.quietly) if self.shares else ()),
            *self.copies.lines,
            _ENTRY,
        ]
        declared = {*self.declared, *self.items.declared, *self.lanes.declared}
        declared |= {line for line in lines if line.startswith("declare")}
        lines = [line for line in lines if not line.startswith("declare")]
        ir = "\n".join([*lines, *sorted(declared)])
        return Pieces(ir, self.scratch().size + LINE, self.columns, self.plan, self.target, self.halved, self.gate)

    @property
    def gate(self) -> int | None:
        return layout(self.numbers).at["gate"] if self.shares else None

    def own(self) -> Layout:
        """What every thread has for itself: one group at a time."""
        w, found = self.w, Layout()
        for name in self.names:
            found.add(f"lanes.in.{name}", (self.coordinates if name == "q" else self.speeds).widest * w)
        found.add("lanes.passing", len(self.lanes.passing) * max(group.steps for group in self.plan.groups) * w)
        for name, amount in {
            "lanes.carry": LINE,
            "lanes.out": self.speeds.widest * w,
            "start": WIDEST * w,
            "last": WIDEST * w,
        }.items():
            found.add(name, amount)
        return found

    def scratch(self) -> Layout:
        w, plan, found = self.w, self.plan, Layout()
        steps, items = self.lanes, self.items
        amounts = {
            "sequential": self.sequential.scratch,
            "cos": plan.tree.nq,
            "sin": plan.tree.nq,
            "lanes.cos": steps.tree.nq * w,
            "lanes.sin": steps.tree.nq * w,
            "lanes.save": len(steps.kept) * steps.n * w,
            "lanes.speed": max(1, len(steps.program.speed_saves)) * steps.tree.nv * w,
            "items.save": max(1, len(items.program.saves)) * items.n,
            "items.speed": max(1, len(items.program.speed_saves)) * plan.tree.nv,
            "items.carry": (items.n + 1) * WIDEST,
            "values": WIDEST,
            **self.records(),
            "job": shared.size(len(self.of_groups)),
            "threads": self.own().size * (shared.THREADS if self.shares else 1),
        }
        for name, amount in amounts.items():
            found.add(name, amount)
        return found

    @property
    def shares(self) -> bool:
        """Whether other threads may help."""
        return len(self.plan.groups) >= shared.SHARED

    def bind(self, b: Builder, work: Array, thread: Operand = 0) -> dict[str, Array]:
        """Know where everything is, in a function; and what it is given."""
        inputs = b.array("inputs", "ptr")
        given = [*self.names, "angles", "parameters", "table"]
        rows = {name: Array(b, inputs[k].text) for k, name in enumerate(given)}
        self.at = {name: work.part(offset) for name, offset in self.scratch().at.items()}
        own = self.own()
        first = self.at["threads"].part(b.value(thread, INTEGER) * own.size)
        self.at |= {name: first.part(offset) for name, offset in own.at.items()}
        whole = Array(b, rows["table"].pointer, INTEGER)
        self.table = {name: whole.part(offset) for name, offset in layout(self.numbers).at.items()}
        found = layout(data.parameters(self.algorithm, self.plan, self.columns))
        self.parameter = {name: rows["parameters"].part(offset) for name, offset in found.at.items()}
        self.large = b.variable(False, TRUTH)
        return rows

    def group(self, phase: int) -> list[str]:
        """`group<phase>(inputs, output, work, where)`: 1 if an angle is too large. `where` holds the group, and the thread."""
        b = Builder(f"group{phase}", ["inputs", "output", "work", "where"], self.declared, self.target.fma)
        where = b.array("where", INTEGER)
        rows = self.bind(b, b.array("work"), where[1])
        group, numbers = self.table["groups"].part(where[0] * data.GROUP_ROW), self.table["pieces"].part(where[0] * self.w)
        self.of_groups[phase](self, b, rows, group, numbers)
        b.leave(b.put(INTEGER, f"zext i1 {self.large.get().text} to i64"))
        return b.text()

    def in_pieces(self) -> list[str]:
        """`in_pieces(inputs, output, scratch)`: 0; or 1 if an angle is too large; or -1 if pieces do not agree."""
        b = Builder("in_pieces", ["inputs", "output", "scratch"], self.declared, self.target.fma)
        # whoever calls, vectors are to start where lines of the cache do
        given_at = b.put(INTEGER, "ptrtoint ptr %scratch to i64")
        self.work_at = Array(b, b.put("ptr", f"inttoptr i64 {((given_at + 8 * LINE - 1) & -8 * LINE).text} to ptr").text)
        rows = self.bind(b, self.work_at)
        self.where = Array(b, b.reserve("alloca [2 x i64]"), INTEGER)
        self.where[1] = 0
        self.angles(b, rows)
        self.phases(b, rows)
        if self.lanes.touches:
            b.call("touch", rows["q"], b.array("output"))
        b.leave(b.put(INTEGER, f"zext i1 {self.large.get().text} to i64"))
        return b.text()

    @contextmanager
    def with_helpers(self, b: Builder) -> Iterator[None]:
        """Around all that is done group by group."""
        if not self.shares:
            yield
            return
        job = self.at["job"].as_type(INTEGER)
        with shared.offered(
            b, job, self.table["gate"], len(self.of_groups), [b.array("inputs"), b.array("output"), self.work_at]
        ):
            yield
        self.large.set(self.large.get() | job[shared.LARGE].differs(0))

    def all_groups(self, b: Builder, phase: int) -> None:
        count = len(self.plan.groups)
        if self.shares:
            shared.together(b, self.at["job"].as_type(INTEGER), self.where, phase, count)
            return
        given = ", ".join(f"ptr {a.pointer}" for a in (b.array("inputs"), b.array("output"), self.work_at, self.where))
        with b.count(count) as g:
            self.where[0] = g
            large = b.put(INTEGER, f"call i64 @group{phase}({given})")
            self.large.set(self.large.get() | large.differs(0))

    def angles(self, b: Builder, rows: dict[str, Array]) -> None:
        """Cosines and sines of the links in no piece."""
        self.copies.sines_in_place("sines_in_place")
        given = (self.table["left"], rows["angles"], self.at["cos"], self.at["sin"])
        self.find_sines(b, "sines_in_place", given, self.numbers["left"].size // self.w)

    def find_sines(self, b: Builder, name: str, given: Sequence[Array], count: Operand) -> None:
        pointers = ", ".join(f"ptr {a.pointer}" for a in given)
        large = b.put(TRUTH, f"call i1 @{name}({pointers}, i64 {b.value(count, INTEGER).text})")
        self.large.set(self.large.get() | large)

    def take_sines(self, b: Builder, rows: dict[str, Array], group: Array) -> None:
        """Into lanes: cosines and sines of a group."""
        if any(kind.turns for kind in self.plan.variant):
            self.copies.sines("sines", self.coordinates.side_by_side)
            to = [self.at[f"lanes.{name}"].part(group[3] * self.w) for name in ("cos", "sin")]
            self.find_sines(b, "sines", (self.places("coordinates", group[2]), rows["angles"], *to), group[4])

    def gather(self, b: Builder, rows: dict[str, Array], group: Array, passes: Sequence[int]) -> None:
        """Into lanes: what some passes read of a group."""
        found = (self.lanes.program.passes[number] for number in passes)
        read = {what for one in found for step in one.all_steps() for what, _ in step.reads()}
        for of, first, names in (("coordinates", 2, ["q"]), ("speeds", 5, self.names[1:])):
            names = [name for name in names if name in read]
            if names:
                function = f"gather_{'_'.join(map(str, passes))}_{of}"
                self.copies.gather(function, names, getattr(self, of).side_by_side)
                given = [rows[name] for name in names] + [self.at[f"lanes.in.{name}"] for name in names]
                b.call(function, self.places(of, group[first]), *given, group[first + 2])

    def scatter(self, b: Builder, group: Array) -> None:
        self.copies.scatter("scatter", self.speeds.side_by_side)
        b.call("scatter", self.places("speeds", group[5]), self.at["lanes.out"], b.array("output"), group[7])

    def places(self, of: str, row: Value) -> Array:
        return self.table[of].part(row * self.w)

    def give(self, b: Builder, numbers: Array, name: str, amount: int, first: int = 0) -> None:
        """Records of pieces into lanes."""
        with b.count(self.w) as k:
            record = self.at[name].part(numbers[k] * amount)
            b.each(amount, lambda j: self.at["start"].__setitem__(k + (j + first) * self.w, record[j]))

    def take(self, b: Builder, numbers: Array, name: str, amount: int, stride: int, first: int = 0) -> None:
        """What lanes have left into records of pieces."""
        with b.count(self.w) as k:
            record = self.at[name].part(numbers[k] * stride)
            with b.count(amount) as j:
                record[j] = self.at["last"][(j + first) * self.w + k]

    def call_lanes(self, b: Builder, number: int, group: Array) -> None:
        own = {"%param": self.parameter["steps"], "%table": self.table["steps"]}
        for name in (*(f"in.{name}" for name in self.names), "out"):  # which hold one group at a time
            own[f"%{name}"] = self.at[f"lanes.{name}"].part(group[3 if name == "in.q" else 6] * -self.w)
        given = [own.get(p) or self.at[f"lanes.{p[1:]}"] for p in self.lanes.pointers]
        b.call(f"lanes{number}", *given, group, self.at["start"], self.at["last"])

    def call_function(self, b: Builder, name: str, *given: Array) -> None:
        b.call_through(self.table["functions"].part(list(runs.FUNCTIONS).index(name)), *given)

    def each_run(self, b: Builder, name: str) -> None:
        """Call a function of runs for each of them."""
        with b.count(len(self.plan.runs)) as k:
            self.call_function(b, name, self.table["runs"].part(k * runs.RUN_ROW), *(self.given(name) for name in self.work))

    def given(self, name: str) -> Array:
        """What functions of runs are given."""
        own = {"order": self.table["order"], "halves": self.parameter["halves"]}
        return own.get(name) or self.at[name]

    def over_items(self, b: Builder, number: int, rows: dict[str, Array]) -> None:
        own = {
            "%param": self.parameter["items"],
            "%table": self.table["items"],
            "%cos": self.at["cos"],
            "%sin": self.at["sin"],
            "%out": b.array("output"),
            "%runs": self.table["runs"],
            "%functions": self.table["functions"],
            **{f"%in.{name}": rows[name] for name in self.names},
            **{f"%{name}": self.at[f"items.{name}"] for name in ("save", "speed", "carry")},
        }
        b.call(f"items{number}", *(own.get(p) or self.given(p[1:]) for p in self.items.pointers))


def without_denormals(b: Builder) -> Callable[[], None]:
    """From here on, numbers too small to be normal are zero, until what is given back is called.

    What a wrench at its tip does to the base of a long piece decays below all bounds, and some processors take a hundred times
    as long for numbers on the way to zero.
    """
    if not x86():
        return lambda: None
    b.declared |= {f"declare void @llvm.x86.sse.{name}(ptr)" for name in ("ldmxcsr", "stmxcsr")}
    kept, changed = b.reserve("alloca i32"), b.reserve("alloca i32")
    b.line(f"call void @llvm.x86.sse.stmxcsr(ptr {kept})")
    now = b.put("i32", f"load i32, ptr {kept}")
    b.line(f"store i32 {b.put('i32', f'or i32 {now.text}, 32832').text}, ptr {changed}")  # flush to zero, denormals are zero
    b.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {changed})")
    return lambda: b.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {kept})")


_ENTRY = """
define i64 @kernel(ptr %inputs, ptr %output, ptr %scratch, i64 %states) nounwind {
entry:
  %one = icmp eq i64 %states, 1
  br i1 %one, label %pieces, label %all
pieces:
  %found = call i64 @in_pieces(ptr %inputs, ptr %output, ptr %scratch)
  %agreed = icmp sge i64 %found, 0
  br i1 %agreed, label %done, label %all
done:
  ret i64 %found
all:
  %swept = call i64 @sequential(ptr %inputs, ptr %output, ptr %scratch, i64 %states)
  ret i64 %swept
}
"""
