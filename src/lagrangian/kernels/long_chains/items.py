"""What is swept one after the other in a long chain: links in no piece, and runs of pieces, each of which counts as one link.

To a sweep, a run is a kind of link of its own, whose step is a call: what it does is in `runs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lagrangian.algorithms.nested import template_size
from lagrangian.algorithms.sweep import Algorithm, Sweep
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.emit import Emitter
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.plan import Plan
from lagrangian.kernels.long_chains.runs import FUNCTIONS, RUN_ROW
from lagrangian.kernels.rolled import trace as rolled_trace
from lagrangian.kernels.rolled.emit import LoopEmitter
from lagrangian.kernels.rolled.trace import SweepProgram, TracedStep


class ItemLoopEmitter(LoopEmitter):
    """Emits functions `pass<k>` as for any tree; at a run, one of `runs.FUNCTIONS` replaces the values that are carried."""

    def __init__(
        self, algorithm: Algorithm, plan: Plan, target: CPUTarget, run_functions: Sequence[str], run_arguments: Sequence[str]
    ) -> None:
        """`run_functions` are the functions that the sweeps call at runs, `run_arguments` the names of their arguments."""
        self.plan, self.run_functions, self.run_arguments = plan, run_functions, run_arguments
        algorithm, tree = with_all_carries_kept(algorithm), tree_of_items(plan)
        sizes = [tree.nq if name == "q" else tree.nv for name in algorithm.inputs]
        super().__init__(algorithm, tree, algorithm.inputs, sizes, target, 1)
        self.chain = self.in_order = self.touches = False
        self.pointers += ["%functions", "%runs", *(f"%{name}" for name in self.run_arguments)]
        self.arguments = ", ".join(f"ptr {p}" for p in self.pointers)

    def trace_program(self) -> SweepProgram:
        links = replace(self.tree, kind=tuple(kind for kind in self.tree.kind if kind is not RUN_KIND))
        program = rolled_trace.trace_algorithm(self.algorithm, links, self.plan.code_constants, is_whole_tree=False)
        for number, traced_pass in enumerate(program.passes):
            traced_pass.steps[RUN_KIND] = list(FUNCTIONS).index(self.run_functions[number])  # type: ignore[assignment]
        return program

    def write_functions(self) -> list[str]:
        for k, traced_pass in enumerate(self.program.passes):
            assert isinstance(traced_pass.sweep, Sweep)
            assert traced_pass.carry == list(range(sum(template_size(t) for t in traced_pass.sweep.carry.values())))
            self.write_sweep(k, traced_pass, traced_pass.sweep)
        return self.lines

    def run_step(
        self, e: Emitter, step: TracedStep, pointers: dict[str, str], carry: dict[int, str], on_pair: Any = None
    ) -> dict[int, str]:
        if not isinstance(step, int):
            return super().run_step(e, step, pointers, carry, on_pair)
        for j, value in carry.items():
            e.store(value, "%values", j)
        number = pointers["iq"]
        row = e.put(f"getelementptr i64, ptr %runs, i64 {e.put(f'mul i64 {number}, {RUN_ROW}')}")
        arguments = ", ".join(f"ptr %{name}" for name in self.run_arguments)
        function = e.put(f"load ptr, ptr {e.put(f'getelementptr ptr, ptr %functions, i64 {step}')}")
        e.put(f"call i64 {function}(ptr {row}, {arguments})")
        return {j: e.load("%values", j) for j in carry}


def with_all_carries_kept(algorithm: Algorithm) -> Algorithm:
    """The algorithm whose sweeps hand on all that they carry, whether their own steps read it or not."""
    sweeps = [replace(sweep, final_carries=tuple(sweep.carry)) for sweep in algorithm.sweeps if isinstance(sweep, Sweep)]
    return replace(algorithm, sweeps=tuple(sweeps))


def tree_of_items(plan: Plan) -> Tree:
    """The items of a plan as the links of a tree; a run's place among the coordinates is its number."""
    links = [i for i, _ in plan.items]
    runs = [run for _, run in plan.items]
    tree = plan.tree
    return replace(
        tree,
        kind=tuple(plan.link_variants[i] if run < 0 else RUN_KIND for i, run in plan.items),  # type: ignore[misc]
        parent=tuple(plan.parents),
        iq=tuple(tree.iq[i] if run < 0 else run for i, run in plan.items),
        iv=tuple(tree.iv[i] if run < 0 else run for i, run in plan.items),
        constants={name: array[links] * (np.array(runs) < 0)[:, None] for name, array in tree.constants.items()},
        body_places={},
        joint_link={},
    )


@dataclass(frozen=True)
class RunKind:
    """The kind of a run of pieces: in the tree of items it has no coordinate of its own."""

    key: str = "run"
    nq: int = 0
    nv: int = 0
    turns: bool = False

    def __str__(self) -> str:
        return self.key


RUN_KIND: Any = RunKind()
