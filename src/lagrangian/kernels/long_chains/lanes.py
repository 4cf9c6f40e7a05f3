"""The sweeps of pieces: one loop over the steps, at each of which every lane of a vector is at a link of its own piece.

Steps of all groups stand one after the other. To the code of a step, a step is what a link is to `rolled`: it has a kind, its
coordinates and speeds have their places, but in every lane they are another link's; so are the parameters.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lagrangian.algorithms.sweep import Algorithm, Sweep
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.emit import Emitter, attributes
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.plan import Plan
from lagrangian.kernels.rolled import trace as rolled_trace
from lagrangian.kernels.rolled.emit import StepEmitter
from lagrangian.kernels.rolled.trace import Pass, SweepProgram

MIN_PREFETCH_GROUPS = 5  # groups, from which on what is saved is fetched before it is read again
PREFETCH_STEPS = 16  # by how many steps before


def links_of_steps(plan: Plan) -> np.ndarray:
    """The link in every lane (step, lane); lanes without a piece repeat the first."""
    rows = []
    for group in plan.groups:
        pieces = [*group.pieces, *[group.pieces[0]] * (plan.lane_count - len(group.pieces))]
        rows.append(np.array(pieces, dtype=np.int64).T)
    return np.concatenate(rows)


def tree_of_steps(plan: Plan) -> Tree:
    """The links of the first lane as a chain, whose coordinates and speeds are numbered step by step."""
    links = links_of_steps(plan)[:, 0]
    kinds = [plan.link_variants[i] for i in links]
    starts_q = np.cumsum([0, *(kind.nq for kind in kinds)])
    starts_v = np.cumsum([0, *(kind.nv for kind in kinds)])
    return replace(
        plan.tree,
        kind=tuple(kinds),
        parent=tuple(range(-1, len(links) - 1)),
        iq=tuple(starts_q[:-1].tolist()),
        iv=tuple(starts_v[:-1].tolist()),
        constants={name: array[links] for name, array in plan.tree.constants.items()},
        nq=int(starts_q[-1]),
        nv=int(starts_v[-1]),
        body_places={},
        joint_link={},
    )


def half_link_parameters(plan: Plan) -> np.ndarray:
    """The mass, h and I of the half link that each node has before its first joint, (nodes, 10); zeros for nodes without one."""
    node_parameters = np.zeros((plan.node_count + 2 * len(plan.runs), 10))
    for piece, node in plan.split_pieces.items():
        link = plan.pieces[piece][-1]
        node_parameters[node] = 0.5 * np.concatenate([plan.tree.constants[name][link] for name in ("mass", "h", "I")])
    return node_parameters


def step_parameters(plan: Plan, columns: list[tuple[str, int]], halves_links: bool) -> tuple[np.ndarray, np.ndarray]:
    """Different (parameter, lane) of steps, and which of them each step has: links that are alike share what the cache holds."""
    links = links_of_steps(plan)
    if not columns:
        return np.zeros((1, 1, plan.lane_count)), np.zeros(len(links), dtype=np.int64)
    mass_fraction = np.ones(len(plan.tree))
    if halves_links:
        mass_fraction[[plan.pieces[piece][-1] for piece in plan.split_pieces]] = 0.5
    lane_columns = []
    for name, component in columns:
        column = plan.tree.constants[name][:, component]
        lane_columns.append((column * mass_fraction if name in ("mass", "h", "I") else column)[links])
    rows, row_of_step = np.unique(np.stack(lane_columns, axis=1).reshape(len(links), -1), axis=0, return_inverse=True)
    return rows, row_of_step.ravel()


class LaneLoopEmitter(StepEmitter):
    """Functions `lanes<k>(pointers, group, start, last)`, one for each sweep.

    `group` points to the first step and the number of steps; `start` to where what is carried comes from if it is not known
    when compiling, and `last` to where it is left: a vector for each component of the carry.
    """

    def __init__(self, algorithm: Algorithm, plan: Plan, target: CPUTarget) -> None:
        self.plan = plan
        tree = tree_of_steps(plan)
        sizes = [tree.nq if name == "q" else tree.nv for name in algorithm.inputs]
        super().__init__(algorithm, tree, algorithm.inputs, sizes, target, plan.lane_count)
        self.parameter_width = plan.lane_count
        # what the last sweep does not read is kept for one group at a time
        keys_read_in_last_pass = {
            key for step in self.program.passes[-1].all_steps() for source, key in step.reads() if source == "save"
        }
        self.chain_saves = {key: k for k, key in enumerate(key for key in self.program.saves if key in keys_read_in_last_pass)}
        self.group_saves = {
            key: k for k, key in enumerate(key for key in self.program.saves if key not in keys_read_in_last_pass)
        }
        self.pointers.insert(self.pointers.index("%save") + 1, "%group_save")
        self.arguments = ", ".join(f"ptr noalias {p}" for p in self.pointers)

    def trace_program(self) -> SweepProgram:
        return rolled_trace.trace_algorithm(self.algorithm, self.tree, self.plan.code_constants)

    def link_pointers(self, e: Emitter, i: str) -> dict[str, str]:
        pointers = super().link_pointers(e, i)
        for name, index, count in (
            ("save", i, len(self.chain_saves)),
            ("group_save", e.put(f"sub i64 {i}, %first"), len(self.group_saves)),
        ):
            pointers[name] = e.put(f"getelementptr double, ptr %{name}, i64 {e.put(f'mul i64 {index}, {count * self.width}')}")
        return pointers

    def save_place(self, pointers: dict[str, str], key: tuple[str, int]) -> tuple[str, int]:
        return (
            (pointers["save"], self.chain_saves[key])
            if key in self.chain_saves
            else (pointers["group_save"], self.group_saves[key])
        )

    def parameter_row(self, e: Emitter, i: str) -> str:
        entry = e.put(f"add i64 {e.put(f'mul i64 {i}, 4')}, 1")  # where other tables have the parent
        return e.put(f"load i64, ptr {e.put(f'getelementptr i64, ptr %table, i64 {entry}')}, align 8")

    def parameter(self, e: Emitter, row: str, index: int) -> str:
        return e.load(row, index)

    def fetch_ahead(self, e: Emitter, pointers: dict[str, str]) -> None:
        """Have what was saved brought into the cache some steps before it is read: it comes from far away in a long chain."""
        if len(self.plan.groups) < MIN_PREFETCH_GROUPS:
            return
        self.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        for name, count in (("save", len(self.chain_saves)), ("speed", len(self.program.speed_saves))):
            size = 8 * self.width * count
            for offset in range(PREFETCH_STEPS * size, (PREFETCH_STEPS + 1) * size, 64):
                address = e.put(f"getelementptr i8, ptr {pointers[name]}, i64 {offset}")
                e.lines.append(f"  call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 3, i32 1)")

    def write_functions(self) -> None:
        for k, traced_pass in enumerate(self.program.passes):
            assert isinstance(traced_pass.sweep, Sweep)
            self.write_sweep(k, traced_pass, traced_pass.sweep)

    def write_sweep(self, pass_index: int, traced_pass: Pass, sweep: Sweep) -> None:
        lines = self.lines
        signature = f"{self.arguments}, ptr noalias %group, ptr noalias %start, ptr noalias %last"
        lines.append(f"define internal void @lanes{pass_index}({signature}) {attributes(self.width)} {{\nentry:")
        e = self.emitter()
        lines.append("  %first = load i64, ptr %group, align 8")
        step_count = e.put(f"load i64, ptr {e.put('getelementptr i64, ptr %group, i64 1')}, align 8")
        last_step = e.put(f"sub i64 {e.put(f'add i64 %first, {step_count}')}, 1")
        initial_carries = {
            j: e.load("%start", j) if math.isnan(ground_value) else e.constant(ground_value)
            for j, ground_value in zip(traced_pass.carry, traced_pass.ground, strict=True)
        }
        lines.append("  br label %loop\nloop:\n  %step = phi i64 [0, %entry], [%step.next, %next]")
        for j in traced_pass.carry:
            lines.append(f"  %c{j} = phi {self.type} [{initial_carries[j]}, %entry], [%o{j}, %next]")
        lines.append("  %step.next = add i64 %step, 1")
        lines.append("  %i = add i64 %first, %step" if sweep.direction == "outward" else f"  %i = sub i64 {last_step}, %step")
        blocks = {kind: self.new_label("kind") for kind in self.kinds}
        self.dispatch("%i", self.kinds, blocks, "next.none")
        next_carries, end_labels = {}, {}
        for kind in self.kinds:
            lines.append(f"{blocks[kind]}:")
            e = self.emitter()
            pointers = {**self.link_pointers(e, "%i"), "i": "%i"}
            if pass_index == len(self.program.passes) - 1:
                self.fetch_ahead(e, pointers)
            next_carries[kind] = self.run_step(e, traced_pass.steps[kind], pointers, {j: f"%c{j}" for j in traced_pass.carry})
            end_labels[kind] = self.new_label("end")
            lines.append(f"  br label %{end_labels[kind]}\n{end_labels[kind]}:\n  br label %next")
        lines.append("next.none:\n  unreachable\nnext:")
        for j in traced_pass.carry:
            incoming = ", ".join(f"[{next_carries[kind][j]}, %{end_labels[kind]}]" for kind in self.kinds)
            lines.append(f"  %o{j} = phi {self.type} {incoming}")
        lines.append(f"  %more = icmp slt i64 %step.next, {step_count}\n  br i1 %more, label %loop, label %exit\nexit:")
        e = self.emitter()
        for j in traced_pass.carry:
            e.store(f"%o{j}", "%last", j)
        for j, x in traced_pass.constant_carries.items():
            e.store(e.constant(x), "%last", j)
        lines.append("  ret void\n}")
