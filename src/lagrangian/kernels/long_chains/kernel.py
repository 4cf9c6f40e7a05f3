"""The kernel of a long chain in pieces: its memory, the records of pieces and lanes, and the phases of the computation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.kernel import CACHE_LINE, Threads, address
from lagrangian.kernels.llvm.ir import INTEGER, TRUTH, Array, FunctionBuilder, Operand, Value
from lagrangian.kernels.llvm.target import CPUTarget, is_x86
from lagrangian.kernels.long_chains import data, helpers, places, runs
from lagrangian.kernels.long_chains.data import Columns, Layout, layout
from lagrangian.kernels.long_chains.items import ItemLoopEmitter
from lagrangian.kernels.long_chains.lanes import LaneLoopEmitter
from lagrangian.kernels.long_chains.places import LaneCopyEmitter
from lagrangian.kernels.long_chains.plan import Cost, Plan
from lagrangian.kernels.rolled import kernel as rolled_kernel

MAX_CARRY_SIZE = runs.NODE_SIZE  # of what a sweep carries


@dataclass(frozen=True)
class LongChainCode:
    """IR and what its caller must supply."""

    ir: str
    scratch: int
    columns: Columns
    plan: Plan
    target: CPUTarget
    halves_links: bool
    gate: int | None  # the place in the tables of what helpers are found by: see `long_chains.helpers`

    def data(self, algorithm: Algorithm, tree: Tree) -> list[np.ndarray]:
        """The arrays that the kernel reads of the tree that it was planned for."""
        return data.arrays(algorithm, self.plan, self.target, self.columns, self.halves_links)

    def enable_helpers(self, table: np.ndarray, threads: Threads) -> None:
        """Let other threads help, where there is enough to do."""
        if self.gate is not None:
            table[self.gate] = address(threads.helper_gate())


class LongChainKernel(ABC):
    """A kernel of a long chain. `lanes_algorithm` are the sweeps of pieces, which stand beside those of the algorithm itself."""

    algorithm: Algorithm
    lanes_algorithm: Algorithm
    run_functions: tuple[str, ...]  # which functions of runs the sweeps over items call
    run_arguments: tuple[str, ...]  # what these functions are given
    halves_links: bool  # whether links are cut through
    cost: Cost
    # what is done group by group, in phases between which pieces are joined
    group_phases: tuple[Callable[[Any, FunctionBuilder, dict[str, Array], Array, Array], None], ...]

    def __init__(self, plan: Plan, target: CPUTarget) -> None:
        self.plan, self.target, self.lane_count = plan, target, plan.lane_count
        tree = plan.tree
        self.names = list(self.algorithm.inputs)
        sizes = [tree.nq if name == "q" else tree.nv for name in self.names]
        self.sequential = rolled_kernel.rolled_code(self.algorithm, tree, self.names, sizes, target, 1)
        self.items = ItemLoopEmitter(self.algorithm, plan, target, self.run_functions, self.run_arguments)
        self.lanes = LaneLoopEmitter(self.lanes_algorithm, plan, target)
        self.columns: Columns = {
            "links": self.sequential.columns,
            "ground of links": self.sequential.ground,
            "items": self.items.program.parameters,
            "ground of items": self.items.program.ground,
            "steps": self.lanes.program.parameters,
        }
        self.declared: set[str] = set()
        self.integer_tables = data.tables(plan)
        self.coordinates, self.speeds = places.coordinate_places(plan), places.speed_places(plan)
        self.copies = LaneCopyEmitter(self.lane_count, target, self.declared)

    @abstractmethod
    def record_sizes(self) -> dict[str, int]:
        """Memory for records of pieces, nodes and runs, in numbers."""

    @abstractmethod
    def write_phases(self, b: FunctionBuilder, rows: dict[str, Array]) -> None:
        """Write the phases of the computation, from its inputs to its output."""

    def set_float_mode(self, b: FunctionBuilder) -> Callable[[], None]:
        """Write code that sets how threads compute; the returned function writes the code that restores it."""
        return lambda: None

    def build(self) -> LongChainCode:
        self.lanes.write_functions()
        lines = [
            *self.sequential.ir.replace("@kernel(", "@sequential(").replace("define i64", "define internal i64").split("\n"),
            *"\n".join(self.items.write_functions()).replace("@pass", "@items").split("\n"),
            *self.lanes.lines,
            *self.pieces_function(),
            *(line for phase in range(len(self.group_phases)) for line in self.group_function(phase)),
            *(
                helpers.assist(self.declared, len(self.group_phases), len(self.plan.groups), self.set_float_mode)
                if self.uses_helpers
                else ()
            ),
            *self.copies.lines,
            _ENTRY,
        ]
        declared = {*self.declared, *self.items.declared, *self.lanes.declared}
        declared |= {line for line in lines if line.startswith("declare")}
        lines = [line for line in lines if not line.startswith("declare")]
        ir = "\n".join([*lines, *sorted(declared)])
        return LongChainCode(
            ir, self.scratch_layout().size + CACHE_LINE, self.columns, self.plan, self.target, self.halves_links, self.gate
        )

    @property
    def gate(self) -> int | None:
        return layout(self.integer_tables).offsets["gate"] if self.uses_helpers else None

    def thread_layout(self) -> Layout:
        """The layout of the memory that every thread has for itself, for one group at a time."""
        w, parts = self.lane_count, Layout()
        for name in self.names:
            parts.add(f"lanes.in.{name}", (self.coordinates if name == "q" else self.speeds).widest * w)
        parts.add("lanes.group_save", len(self.lanes.group_saves) * max(group.step_count for group in self.plan.groups) * w)
        for name, amount in {
            "lanes.carry": CACHE_LINE,
            "lanes.out": self.speeds.widest * w,
            "start": MAX_CARRY_SIZE * w,
            "last": MAX_CARRY_SIZE * w,
        }.items():
            parts.add(name, amount)
        return parts

    def scratch_layout(self) -> Layout:
        w, plan, parts = self.lane_count, self.plan, Layout()
        steps, items = self.lanes, self.items
        amounts = {
            "sequential": self.sequential.scratch,
            "cos": plan.tree.nq,
            "sin": plan.tree.nq,
            "lanes.cos": steps.tree.nq * w,
            "lanes.sin": steps.tree.nq * w,
            "lanes.save": len(steps.chain_saves) * steps.n * w,
            "lanes.speed": max(1, len(steps.program.speed_saves)) * steps.tree.nv * w,
            "items.save": max(1, len(items.program.saves)) * items.n,
            "items.speed": max(1, len(items.program.speed_saves)) * plan.tree.nv,
            "items.carry": (items.n + 1) * MAX_CARRY_SIZE,
            "values": MAX_CARRY_SIZE,
            **self.record_sizes(),
            "job": helpers.size(len(self.group_phases)),
            "threads": self.thread_layout().size * (helpers.MAX_THREADS if self.uses_helpers else 1),
        }
        for name, amount in amounts.items():
            parts.add(name, amount)
        return parts

    @property
    def uses_helpers(self) -> bool:
        """Whether other threads may help."""
        return len(self.plan.groups) >= helpers.MIN_SHARED_GROUPS

    def bind(self, b: FunctionBuilder, work: Array, thread: Operand = 0) -> dict[str, Array]:
        """Find the places of all arrays within a function, and return its inputs by name."""
        inputs = b.array("inputs", "ptr")
        input_names = [*self.names, "angles", "parameters", "table"]
        rows = {name: Array(b, inputs[k].text) for k, name in enumerate(input_names)}
        self.arrays = {name: work.offset(offset) for name, offset in self.scratch_layout().offsets.items()}
        thread_parts = self.thread_layout()
        first = self.arrays["threads"].offset(b.value(thread, INTEGER) * thread_parts.size)
        self.arrays |= {name: first.offset(offset) for name, offset in thread_parts.offsets.items()}
        integers = Array(b, rows["table"].pointer, INTEGER)
        self.table = {name: integers.offset(offset) for name, offset in layout(self.integer_tables).offsets.items()}
        parameter_layout = layout(data.parameters(self.algorithm, self.plan, self.columns))
        self.parameter = {name: rows["parameters"].offset(offset) for name, offset in parameter_layout.offsets.items()}
        self.large_angle = b.variable(False, TRUTH)
        return rows

    def group_function(self, phase: int) -> list[str]:
        """`group<phase>(inputs, output, work, where)`: 1 if an angle is too large. `where` holds the group, and the thread."""
        b = FunctionBuilder(f"group{phase}", ["inputs", "output", "work", "where"], self.declared, self.target.fma)
        where = b.array("where", INTEGER)
        rows = self.bind(b, b.array("work"), where[1])
        group, pieces = (
            self.table["groups"].offset(where[0] * data.GROUP_ROW),
            self.table["pieces"].offset(where[0] * self.lane_count),
        )
        self.group_phases[phase](self, b, rows, group, pieces)
        b.return_status(b.put(INTEGER, f"zext i1 {self.large_angle.get().text} to i64"))
        return b.text()

    def pieces_function(self) -> list[str]:
        """`in_pieces(inputs, output, scratch)`: 0; or 1 if an angle is too large; or -1 if pieces do not agree."""
        b = FunctionBuilder("in_pieces", ["inputs", "output", "scratch"], self.declared, self.target.fma)
        # whoever calls, vectors are to start where lines of the cache do
        scratch_address = b.put(INTEGER, "ptrtoint ptr %scratch to i64")
        self.work_array = Array(
            b, b.put("ptr", f"inttoptr i64 {((scratch_address + 8 * CACHE_LINE - 1) & -8 * CACHE_LINE).text} to ptr").text
        )
        rows = self.bind(b, self.work_array)
        self.group_and_thread = Array(b, b.reserve("alloca [2 x i64]"), INTEGER)
        self.group_and_thread[1] = 0
        self.find_loose_sines(b, rows)
        self.write_phases(b, rows)
        if self.lanes.touches:
            b.call("touch", rows["q"], b.array("output"))
        b.return_status(b.put(INTEGER, f"zext i1 {self.large_angle.get().text} to i64"))
        return b.text()

    @contextmanager
    def with_helpers(self, b: FunctionBuilder) -> Iterator[None]:
        """A context in which helpers, if the kernel uses any, share the work that is done group by group."""
        if not self.uses_helpers:
            yield
            return
        job = self.arrays["job"].as_type(INTEGER)
        with helpers.with_helpers(
            b, job, self.table["gate"], len(self.group_phases), [b.array("inputs"), b.array("output"), self.work_array]
        ):
            yield
        self.large_angle.set(self.large_angle.get() | job[helpers.LARGE_ANGLE].differs(0))

    def run_groups(self, b: FunctionBuilder, phase: int) -> None:
        count = len(self.plan.groups)
        if self.uses_helpers:
            helpers.run_phase(b, self.arrays["job"].as_type(INTEGER), self.group_and_thread, phase, count)
            return
        arguments = ", ".join(
            f"ptr {a.pointer}" for a in (b.array("inputs"), b.array("output"), self.work_array, self.group_and_thread)
        )
        with b.for_range(count) as g:
            self.group_and_thread[0] = g
            large = b.put(INTEGER, f"call i64 @group{phase}({arguments})")
            self.large_angle.set(self.large_angle.get() | large.differs(0))

    def find_loose_sines(self, b: FunctionBuilder, rows: dict[str, Array]) -> None:
        """Cosines and sines of the links in no piece."""
        self.copies.sines_in_place("sines_in_place")
        arguments = (self.table["loose_angles"], rows["angles"], self.arrays["cos"], self.arrays["sin"])
        self.call_sines(b, "sines_in_place", arguments, self.integer_tables["loose_angles"].size // self.lane_count)

    def call_sines(self, b: FunctionBuilder, name: str, arguments: Sequence[Array], count: Operand) -> None:
        pointers = ", ".join(f"ptr {a.pointer}" for a in arguments)
        large = b.put(TRUTH, f"call i1 @{name}({pointers}, i64 {b.value(count, INTEGER).text})")
        self.large_angle.set(self.large_angle.get() | large)

    def load_sines(self, b: FunctionBuilder, rows: dict[str, Array], group: Array) -> None:
        """Load the cosines and sines of a group into lanes."""
        if any(kind.turns for kind in self.plan.link_variants):
            self.copies.sines("sines", self.coordinates.side_by_side)
            to = [self.arrays[f"lanes.{name}"].offset(group[3] * self.lane_count) for name in ("cos", "sin")]
            self.call_sines(b, "sines", (self.place_table("coordinates", group[2]), rows["angles"], *to), group[4])

    def gather(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, passes: Sequence[int]) -> None:
        """Load into lanes those coordinates and speeds of a group that some passes read."""
        traced_passes = (self.lanes.program.passes[number] for number in passes)
        inputs_read = {
            input_name for traced_pass in traced_passes for step in traced_pass.all_steps() for input_name, _ in step.reads()
        }
        for kind, first, names in (("coordinates", 2, ["q"]), ("speeds", 5, self.names[1:])):
            names = [name for name in names if name in inputs_read]
            if names:
                function = f"gather_{'_'.join(map(str, passes))}_{kind}"
                self.copies.gather(function, names, getattr(self, kind).side_by_side)
                arguments = [rows[name] for name in names] + [self.arrays[f"lanes.in.{name}"] for name in names]
                b.call(function, self.place_table(kind, group[first]), *arguments, group[first + 2])

    def scatter(self, b: FunctionBuilder, group: Array) -> None:
        self.copies.scatter("scatter", self.speeds.side_by_side)
        b.call("scatter", self.place_table("speeds", group[5]), self.arrays["lanes.out"], b.array("output"), group[7])

    def place_table(self, kind: str, row: Value) -> Array:
        return self.table[kind].offset(row * self.lane_count)

    def records_to_lanes(self, b: FunctionBuilder, pieces: Array, name: str, amount: int, first: int = 0) -> None:
        """Copy records of pieces into the lanes."""
        with b.for_range(self.lane_count) as k:
            record = self.arrays[name].offset(pieces[k] * amount)
            b.for_each(amount, lambda j: self.arrays["start"].__setitem__(k + (j + first) * self.lane_count, record[j]))

    def lanes_to_records(self, b: FunctionBuilder, pieces: Array, name: str, amount: int, stride: int, first: int = 0) -> None:
        """Copy the last values of the lanes into records of pieces."""
        with b.for_range(self.lane_count) as k:
            record = self.arrays[name].offset(pieces[k] * stride)
            with b.for_range(amount) as j:
                record[j] = self.arrays["last"][(j + first) * self.lane_count + k]

    def call_lanes(self, b: FunctionBuilder, number: int, group: Array) -> None:
        overrides = {"%param": self.parameter["steps"], "%table": self.table["steps"]}
        for name in (*(f"in.{name}" for name in self.names), "out"):  # which hold one group at a time
            overrides[f"%{name}"] = self.arrays[f"lanes.{name}"].offset(group[3 if name == "in.q" else 6] * -self.lane_count)
        arguments = [overrides.get(p) or self.arrays[f"lanes.{p[1:]}"] for p in self.lanes.pointers]
        b.call(f"lanes{number}", *arguments, group, self.arrays["start"], self.arrays["last"])

    def call_function(self, b: FunctionBuilder, name: str, *arguments: Array) -> None:
        b.call_pointer(self.table["functions"].offset(list(runs.FUNCTIONS).index(name)), *arguments)

    def call_for_each_run(self, b: FunctionBuilder, name: str) -> None:
        """Call a function of runs for each of them."""
        with b.for_range(len(self.plan.runs)) as k:
            self.call_function(
                b, name, self.table["runs"].offset(k * runs.RUN_ROW), *(self.run_argument(name) for name in self.run_arguments)
            )

    def run_argument(self, name: str) -> Array:
        """The array that functions of runs receive as the argument `name`."""
        tables = {"order": self.table["order"], "halves": self.parameter["halves"]}
        return tables.get(name) or self.arrays[name]

    def call_items(self, b: FunctionBuilder, number: int, rows: dict[str, Array]) -> None:
        overrides = {
            "%param": self.parameter["items"],
            "%table": self.table["items"],
            "%cos": self.arrays["cos"],
            "%sin": self.arrays["sin"],
            "%out": b.array("output"),
            "%runs": self.table["runs"],
            "%functions": self.table["functions"],
            **{f"%in.{name}": rows[name] for name in self.names},
            **{f"%{name}": self.arrays[f"items.{name}"] for name in ("save", "speed", "carry")},
        }
        b.call(f"items{number}", *(overrides.get(p) or self.run_argument(p[1:]) for p in self.items.pointers))


def flush_denormals(b: FunctionBuilder) -> Callable[[], None]:
    """Write code after which numbers too small to be normal are zero; the returned function writes the code that ends this.

    What a wrench at its tip does to the base of a long piece decays below all bounds, and some processors take a hundred times
    as long for numbers on the way to zero.
    """
    if not is_x86():
        return lambda: None
    b.declared |= {f"declare void @llvm.x86.sse.{name}(ptr)" for name in ("ldmxcsr", "stmxcsr")}
    saved_mode, new_mode = b.reserve("alloca i32"), b.reserve("alloca i32")
    b.line(f"call void @llvm.x86.sse.stmxcsr(ptr {saved_mode})")
    mode = b.put("i32", f"load i32, ptr {saved_mode}")
    b.line(f"store i32 {b.put('i32', f'or i32 {mode.text}, 32832').text}, ptr {new_mode}")  # flush to zero, denormals are zero
    b.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {new_mode})")
    return lambda: b.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {saved_mode})")


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
