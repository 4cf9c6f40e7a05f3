"""Forward dynamics of one state of a long chain, or of a tree with long branches, by pieces side by side in the lanes of vectors.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

is called as that of `rolled.kernel`, whose code it holds too: for several states, and for a state at which pieces do not agree
about what they share, so that rounding may have been large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lagrangian.algorithms import pieces
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.builder import INTEGER, Array, Builder
from lagrangian.kernels.llvm.target import Target, x86
from lagrangian.kernels.pieces import lanes, runs
from lagrangian.kernels.pieces.items import Items, tree_of_items
from lagrangian.kernels.pieces.lanes import Lanes
from lagrangian.kernels.pieces.plan import Plan
from lagrangian.kernels.rolled import kernel as rolled

LINE = 8  # numbers in a line of the cache
AGREED = 1e-10  # of the largest acceleration: a difference beyond which pieces do not agree about what they share


IN_PIECES = replace(
    FORWARD_DYNAMICS,
    name="forward_dynamics in pieces",
    sweeps=(pieces.spans, pieces.velocities_between, pieces.articulate_with_handles, pieces.accelerate_between),
)


class Layout:
    """Named parts of one array, each at the start of a line of the cache."""

    def __init__(self) -> None:
        self.at: dict[str, int] = {}
        self.size = 0

    def add(self, name: str, amount: int) -> None:
        self.at[name] = self.size
        self.size += (amount + LINE - 1) // LINE * LINE

    def joined(self, parts: dict[str, np.ndarray], dtype: type) -> np.ndarray:
        """The parts in one array that starts at a line of the cache."""
        room = np.zeros(self.size + LINE, dtype=dtype)
        start = -(room.ctypes.data // 8) % LINE
        whole = room[start : start + self.size]
        for name, part in parts.items():
            whole[self.at[name] : self.at[name] + part.size] = part.ravel()
        return whole


def tables(plan: Plan) -> dict[str, np.ndarray]:
    """All whole numbers that the code reads; those of the sweep over all links first."""
    by_q, by_v = lanes.places(plan)
    run_rows, at = [], 0
    for number, (run, root) in enumerate(zip(plan.runs, plan.roots, strict=True)):
        more = [plan.carried(number), plan.carried(number) + 1] if plan.carrying[number] else [-1, -1]
        run_rows.append([at, len(run), root, *more])
        at += len(run)
    steps = lanes.tree_of_steps(plan)
    places_q, places_v = np.array([*steps.iq, steps.nq]) * plan.lanes, np.array([*steps.iv, steps.nv]) * plan.lanes
    group_rows, start = [], 0
    for group in plan.groups:
        end = start + group.steps
        group_rows.append([start, group.steps, places_q[start], places_q[end], places_v[start], places_v[end]])
        start = end
    of_lane = [
        [plan.lanes * g + (k if k < len(group.pieces) else 0) for k in range(plan.lanes)] for g, group in enumerate(plan.groups)
    ]
    return {
        "links": rolled.table(plan.tree),
        "items": rolled.table(tree_of_items(plan)),
        "steps": rolled.table(steps),
        "by_q": by_q,
        "by_v": by_v,
        "groups": np.array(group_rows),
        "pieces": np.array(of_lane),
        "runs": np.array(run_rows),
        "order": np.array([piece for run in plan.runs for piece in run]),
        "joints": np.array([len(plan.joints), *(x for joint in plan.joints for x in joint)]),
        "functions": np.zeros(len(runs.FUNCTIONS), dtype=np.int64),  # their addresses: see `data`
    }


Columns = dict[str, list[tuple[Any, int]]]


@dataclass(frozen=True)
class Pieces:
    """IR and what its caller must supply."""

    ir: str
    scratch: int
    columns: Columns  # which parameters the code reads of links, items and steps, and which numbers of the ground
    plan: Plan
    target: Target

    def data(self, algorithm: Algorithm, tree: Tree) -> list[np.ndarray]:
        """What the kernel reads of the tree that it was planned for."""
        return data(self.plan, self.target, self.columns)


def module(plan: Plan, target: Target) -> Pieces:
    return _Kernel(plan, target).build()


def data(plan: Plan, target: Target, columns: Columns) -> list[np.ndarray]:
    """The parameters and the tables, as one array each."""
    found, whole = parameters(plan, columns), tables(plan)
    found["steps"], whole["steps"][:, 1] = lanes.parameters(plan, columns["steps"])
    _, whole["functions"][:] = runs.addresses(target)
    return [layout(found).joined(found, float), layout(whole).joined(whole, np.int64)]


def parameters(plan: Plan, columns: Columns) -> dict[str, np.ndarray]:
    items = tree_of_items(plan)
    return {
        "links": rolled.parameter_array(FORWARD_DYNAMICS, plan.tree, columns["links"], columns["ground of links"]),
        "items": rolled.parameter_array(FORWARD_DYNAMICS, items, columns["items"], columns["ground of items"]),
        "halves": lanes.halves(plan),
        "steps": np.zeros(0),  # see `data`: how many there are is not known when compiling
    }


def layout(parts: dict[str, np.ndarray]) -> Layout:
    found = Layout()
    for name, part in parts.items():
        found.add(name, part.size)
    return found


class _Kernel:
    def __init__(self, plan: Plan, target: Target) -> None:
        self.plan, self.target, self.w = plan, target, plan.lanes
        tree = plan.tree
        self.names = list(FORWARD_DYNAMICS.inputs)
        sizes = [tree.nq, tree.nv, tree.nv]
        self.sequential = rolled.module(FORWARD_DYNAMICS, tree, self.names, sizes, target, 1)
        self.items, self.lanes = Items(plan, target), Lanes(IN_PIECES, plan, target)
        self.columns: Columns = {
            "links": self.sequential.columns,
            "ground of links": self.sequential.ground,
            "items": self.items.program.parameters,
            "ground of items": self.items.program.ground,
            "steps": self.lanes.program.parameters,
        }
        self.declared: set[str] = set()

    def build(self) -> Pieces:
        self.lanes.functions()
        lines = [
            *self.sequential.ir.replace("@kernel(", "@sequential(").replace("define i64", "define internal i64").split("\n"),
            *"\n".join(self.items.functions()).replace("@pass", "@items").split("\n"),
            *self.lanes.lines,
            *self.in_pieces(),
            _ENTRY,
        ]
        declared = {*self.declared, *self.items.declared, *self.lanes.declared}
        declared |= {line for line in lines if line.startswith("declare")}
        lines = [line for line in lines if not line.startswith("declare")]
        return Pieces("\n".join([*lines, *sorted(declared)]), self.scratch().size, self.columns, self.plan, self.target)

    def scratch(self) -> Layout:
        w, plan, found = self.w, self.plan, Layout()
        steps, items = self.lanes, self.items
        count, nodes = w * len(plan.groups), plan.nodes + 2 * len(plan.runs)
        amounts = {
            "sequential": self.sequential.scratch,
            "cos": plan.tree.nq,
            "sin": plan.tree.nq,
            **{f"lanes.in.{name}": size * w for name, size in zip(self.names, steps.sizes, strict=True)},
            "lanes.cos": steps.tree.nq * w,
            "lanes.sin": steps.tree.nq * w,
            "lanes.save": len(steps.kept) * steps.n * w,
            "lanes.passing": len(steps.passing) * max(group.steps for group in plan.groups) * w,
            "lanes.speed": max(1, len(steps.program.speed_saves)) * steps.tree.nv * w,
            "lanes.carry": LINE,
            "lanes.out": steps.tree.nv * w,
            "start": runs.ENDS * w,
            "last": runs.ENDS * w,
            "items.save": max(1, len(items.program.saves)) * items.n,
            "items.speed": max(1, len(items.program.speed_saves)) * plan.tree.nv,
            "items.carry": (items.n + 1) * runs.OUTER,
            "values": runs.OUTER,
            "spans": count * runs.TURN,
            "speeds": nodes * 3,
            "nodes": nodes * runs.RECORD,
            "states": nodes * runs.STATE,
            "tips": count * 6,
        }
        for name, amount in amounts.items():
            found.add(name, amount)
        return found

    def in_pieces(self) -> list[str]:
        """`in_pieces(inputs, output, scratch)`: 0; or 1 if an angle is too large; or -1 if pieces do not agree."""
        b = Builder("in_pieces", ["inputs", "output", "scratch"], self.declared, self.target.fma)
        work = b.array("scratch")
        inputs = b.array("inputs", "ptr")
        given = [*self.names, "angles", "parameters", "table"]
        rows = {name: Array(b, inputs[k].text) for k, name in enumerate(given)}
        self.at = {name: work.part(offset) for name, offset in self.scratch().at.items()}
        numbers = tables(self.plan)
        whole = Array(b, rows["table"].pointer, INTEGER)
        self.table = {name: whole.part(offset) for name, offset in layout(numbers).at.items()}
        found = layout(parameters(self.plan, self.columns))
        self.parameter = {name: rows["parameters"].part(offset) for name, offset in found.at.items()}
        self.counts = {name: part.size for name, part in numbers.items()}
        large = self.angles(b, rows)
        restore = without_denormals(b)
        self.turn(b, rows)
        self.over_items(b, 0, rows)
        self.articulate(b)
        with b.count(len(self.plan.runs)) as k:
            self.call_function(b, "weigh_all", self.table["runs"].part(k * runs.RUN_ROW), *self.work())
        self.call_function(b, "join_all", self.table["joints"], self.at["nodes"])
        self.over_items(b, 1, rows)
        self.over_items(b, 2, rows)
        self.call_function(b, "share_all", self.table["joints"], self.at["nodes"], self.at["states"])
        self.accelerate(b)
        restore()
        self.compare(b)
        if self.lanes.touches:
            b.call("touch", rows["q"], b.array("output"))
        b.leave(b.put(INTEGER, f"zext i1 {large} to i64"))
        return b.text()

    def compare(self, b: Builder) -> None:
        """Leave with -1 if pieces do not agree about the accelerations between them."""
        values = self.at["values"]
        b.each(4, lambda j: values.__setitem__(j, 0.0))
        with b.count(len(self.plan.runs)) as k:
            self.call_function(b, "disagreement", self.table["runs"].part(k * runs.RUN_ROW), *self.work())
        agreed = (values[0] <= values[2] * AGREED) & (values[1] <= values[3] * AGREED)
        with b.when(~agreed):
            b.leave(-1)

    def work(self) -> list[Array]:
        """What functions of runs are given."""
        own = {"order": self.table["order"], "halves": self.parameter["halves"]}
        return [own.get(name) or self.at[name] for name in runs.WORK]

    def angles(self, b: Builder, rows: dict[str, Array]) -> str:
        if not any(kind.turns for kind in self.plan.tree.kind):
            return "false"
        given = (rows["angles"], self.at["cos"], self.at["sin"])
        return b.put("i1", f"call i1 @angles({', '.join(f'ptr {a.pointer}' for a in given)})").text

    def gather(self, b: Builder, rows: dict[str, Array], group: Array) -> None:
        """Into lanes: what the steps of a group read."""
        read = {what for found in self.lanes.program.passes for step in found.all_steps() for what, _ in step.reads()}
        sources = {**{name: rows[name] for name in self.names}, "cos": self.at["cos"], "sin": self.at["sin"]}
        for index, first, names in (("by_q", 2, ("q", "cos", "sin")), ("by_v", 4, ("qd", "tau"))):
            with b.count(group[first + 1], group[first]) as k:
                place = self.table[index][k]
                for name in (name for name in names if name in read):
                    to = self.at[f"lanes.{'in.' if name in self.names else ''}{name}"]
                    to[k] = sources[name][place]

    def scatter(self, b: Builder, group: Array) -> None:
        output = b.array("output")
        with b.count(group[5], group[4]) as k:
            output[self.table["by_v"][k]] = self.at["lanes.out"][k]

    def turn(self, b: Builder, rows: dict[str, Array]) -> None:
        """How each piece is turned."""
        for group, numbers in self.each_group(b):
            self.gather(b, rows, group)
            self.call_lanes(b, 0, group)
            self.take(b, numbers, "spans", runs.TURN, runs.TURN)

    def articulate(self, b: Builder) -> None:
        """Each piece as a node."""
        for group, numbers in self.each_group(b):
            self.give(b, numbers, "speeds", 3)
            self.call_lanes(b, 1, group)
            self.call_lanes(b, 2, group)
            self.take(b, numbers, "nodes", runs.ENDS, runs.RECORD)

    def accelerate(self, b: Builder) -> None:
        """The accelerations of the joints of each piece."""
        for group, numbers in self.each_group(b):
            self.give(b, numbers, "speeds", 3)
            self.give(b, numbers, "states", runs.STATE, first=3)
            self.call_lanes(b, 3, group)
            self.take(b, numbers, "tips", 6, 6, first=3)
            self.scatter(b, group)

    def each_group(self, b: Builder) -> Iterator[tuple[Array, Array]]:
        """Every group's row, and the numbers of its pieces."""
        with b.count(len(self.plan.groups)) as g:
            yield self.table["groups"].part(g * 6), self.table["pieces"].part(g * self.w)

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
        given = [own.get(p) or self.at[f"lanes.{p[1:]}"] for p in self.lanes.pointers]
        b.call(f"lanes{number}", *given, group, self.at["start"], self.at["last"])

    def call_function(self, b: Builder, name: str, *given: Array) -> None:
        b.call_through(self.table["functions"].part(list(runs.FUNCTIONS).index(name)), *given)

    def over_items(self, b: Builder, number: int, rows: dict[str, Array]) -> None:
        own = {
            "%param": self.parameter["items"],
            "%table": self.table["items"],
            "%cos": self.at["cos"],
            "%sin": self.at["sin"],
            "%out": b.array("output"),
            "%runs": self.table["runs"],
            "%functions": self.table["functions"],
            "%order": self.table["order"],
            "%halves": self.parameter["halves"],
            **{f"%in.{name}": rows[name] for name in self.names},
            **{f"%{name}": self.at[f"items.{name}"] for name in ("save", "speed", "carry")},
        }
        b.call(f"items{number}", *(own.get(p) or self.at[p[1:]] for p in self.items.pointers))


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
