"""Dynamics of one state of a long chain, or of a tree with long branches, by pieces side by side in the lanes of vectors.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

is called as that of `rolled.kernel`, whose code it holds too: for several states, and for a state at which pieces do not agree
about what they share, so that rounding may have been large.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lagrangian.algorithms.chain_pieces import FORWARD_IN_PIECES, INVERSE_IN_PIECES
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm import machine_code
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains import runs
from lagrangian.kernels.long_chains.data import arrays
from lagrangian.kernels.long_chains.kernel import LongChainCode, LongChainKernel, flush_denormals
from lagrangian.kernels.long_chains.plan import Cost, Plan, plan
from lagrangian.kernels.program import Header, Program

AGREEMENT_TOLERANCE = 1e-10  # of the largest acceleration: pieces that differ by more do not agree about what they share


def long_chain_program(program: Program, algorithm: Algorithm, tree: Tree, cpu_target: CPUTarget) -> Program:
    """The program for one state: in pieces, or the given one."""
    plan = plan_if_faster(algorithm, tree, cpu_target)
    return program if plan is None else LongChainProgram(program, algorithm, plan, cpu_target)


def long_chain_code_if_faster(algorithm: Algorithm, tree: Tree, cpu_target: CPUTarget) -> LongChainCode | None:
    """The code of an algorithm in pieces, for one state, where there is such an algorithm and it is faster."""
    plan = plan_if_faster(algorithm, tree, cpu_target)
    return None if plan is None else long_chain_code(algorithm, plan, cpu_target)


def plan_if_faster(algorithm: Algorithm, tree: Tree, target: CPUTarget) -> Plan | None:
    """The plan for computing an algorithm in pieces; None if that is impossible or not faster."""
    kernel = KERNELS.get(algorithm.name)
    return None if kernel is None else plan(tree, target.width, kernel.cost)


def long_chain_code(algorithm: Algorithm, plan: Plan, target: CPUTarget) -> LongChainCode:
    return KERNELS[algorithm.name](plan, target).build()


class LongChainProgram(Program):
    """The same function as another program, for one state, in pieces by a plan."""

    def __init__(self, program: Program, algorithm: Algorithm, plan: Plan, cpu_target: CPUTarget) -> None:
        self.program, self.algorithm, self.plan, self.target = program, algorithm, plan, cpu_target
        self.name, self.inputs, self.sizes = program.name, program.inputs, program.sizes
        self.shape, self.angles = program.shape, program.angles

    def key(self) -> tuple[str | bytes | int, ...]:
        return *self.program.key(), "in pieces", self.plan.digest

    def compile(self, cpu_target: CPUTarget, width: int) -> tuple[Header, bytes]:
        code = long_chain_code(self.algorithm, self.plan, cpu_target)
        operations = 100 * len(self.plan.tree)
        header = {
            "form": "rolled",
            "scratch": code.scratch,
            "operations": operations,
            "columns": code.columns,
            "halves_links": code.halves_links,
            "gate": code.gate,
        }
        return header, machine_code.compile_object(code.ir, cpu_target, level=2)

    def data(self, header: Header, code: machine_code.LoadedCode) -> list[np.ndarray]:
        columns = {part: [(name, j) for name, j in pairs] for part, pairs in header["columns"].items()}
        return arrays(self.algorithm, self.plan, self.target, columns, header["halves_links"])


# -- forward and inverse dynamics --------------------------------------------------------------------------------------


class LongChainForwardDynamics(LongChainKernel):
    """Forward dynamics: each piece becomes a node; nodes are joined; what they share is handed back to the pieces."""

    algorithm = FORWARD_DYNAMICS
    lanes_algorithm = FORWARD_IN_PIECES
    run_functions = ("speeds", "inertia", "accelerations")
    run_arguments = runs.FORWARD_ARGUMENTS
    halves_links = True
    cost = Cost(step=80.0, link=36.0, piece=350.0, rest=800.0)

    def record_sizes(self) -> dict[str, int]:
        plan = self.plan
        count, nodes = self.lane_count * len(plan.groups), plan.node_count + 2 * len(plan.runs)
        return {
            "spans": count * runs.SPAN_SIZE,
            "speeds": nodes * 3,
            "nodes": nodes * runs.RECORD_SIZE,
            "states": nodes * runs.STATE_SIZE,
            "tips": count * 6,
        }

    def write_phases(self, b: FunctionBuilder, rows: dict[str, Array]) -> None:
        restore = flush_denormals(b)
        with self.with_helpers(b):
            self.run_groups(b, 0)
            self.call_items(b, 0, rows)
            self.run_groups(b, 1)
            self.call_for_each_run(b, "add_bodies")
            self.call_function(b, "join_all", self.table["joints"], self.arrays["nodes"])
            self.call_items(b, 1, rows)
            self.call_items(b, 2, rows)
            self.call_function(b, "share_all", self.table["joints"], self.arrays["nodes"], self.arrays["states"])
            self.run_groups(b, 2)
        restore()
        self.check_agreement(b)

    def set_float_mode(self, b: FunctionBuilder) -> Callable[[], None]:
        return flush_denormals(b)

    def find_rotations(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Compute the rotation of the tip of each piece against its base."""
        self.load_sines(b, rows, group)
        self.gather(b, rows, group, [0])
        self.call_lanes(b, 0, group)
        self.lanes_to_records(b, pieces, "spans", runs.SPAN_SIZE, runs.SPAN_SIZE)

    def articulate(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Make each piece a node."""
        self.gather(b, rows, group, [1, 2])
        self.records_to_lanes(b, pieces, "speeds", 3)
        self.call_lanes(b, 1, group)
        self.call_lanes(b, 2, group)
        self.lanes_to_records(b, pieces, "nodes", runs.NODE_SIZE, runs.RECORD_SIZE)

    def accelerate(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Compute the accelerations of the joints of each piece."""
        self.gather(b, rows, group, [3])
        self.records_to_lanes(b, pieces, "speeds", 3)
        self.records_to_lanes(b, pieces, "states", runs.STATE_SIZE, first=3)
        self.call_lanes(b, 3, group)
        self.lanes_to_records(b, pieces, "tips", 6, 6, first=3)
        self.scatter(b, group)

    group_phases = (find_rotations, articulate, accelerate)

    def check_agreement(self, b: FunctionBuilder) -> None:
        """Leave with -1 if pieces do not agree about the accelerations between them."""
        values = self.arrays["values"]
        b.for_each(4, lambda j: values.__setitem__(j, 0.0))
        self.call_for_each_run(b, "disagreement")
        pieces_agree = (values[0] <= values[2] * AGREEMENT_TOLERANCE) & (values[1] <= values[3] * AGREEMENT_TOLERANCE)
        with b.if_then(~pieces_agree):
            b.return_status(-1)


class LongChainInverseDynamics(LongChainKernel):
    """Inverse dynamics: the motion of each piece, then its wrenches, then its torques."""

    algorithm = INVERSE_DYNAMICS
    lanes_algorithm = INVERSE_IN_PIECES
    run_functions = ("motions", "wrenches")
    run_arguments = runs.INVERSE_ARGUMENTS
    halves_links = False
    cost = Cost(step=28.0, link=10.0, piece=100.0, rest=300.0)

    def record_sizes(self) -> dict[str, int]:
        count = self.lane_count * len(self.plan.groups)
        return {
            "relative": count * runs.RELATIVE_SIZE,
            "motions": count * runs.MOTION_SIZE,
            "piece_wrenches": count * 6,
            "tip_wrenches": count * 6,
        }

    def write_phases(self, b: FunctionBuilder, rows: dict[str, Array]) -> None:
        with self.with_helpers(b):
            self.run_groups(b, 0)
            self.call_items(b, 0, rows)
            self.run_groups(b, 1)
            self.call_items(b, 1, rows)
            self.run_groups(b, 2)

    def find_motions(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Compute how the tip of each piece moves against its base."""
        self.load_sines(b, rows, group)
        self.gather(b, rows, group, [0])
        self.call_lanes(b, 0, group)
        self.lanes_to_records(b, pieces, "relative", runs.RELATIVE_SIZE, runs.RELATIVE_SIZE)

    def find_wrenches(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Compute the wrench that each piece needs by itself."""
        self.gather(b, rows, group, [1, 2])
        self.records_to_lanes(b, pieces, "motions", runs.MOTION_SIZE)
        self.call_lanes(b, 1, group)
        self.call_lanes(b, 2, group)
        self.lanes_to_records(b, pieces, "piece_wrenches", 6, 6)

    def find_torques(self, b: FunctionBuilder, rows: dict[str, Array], group: Array, pieces: Array) -> None:
        """Compute the torques of the joints of each piece."""
        self.gather(b, rows, group, [3])
        self.records_to_lanes(b, pieces, "tip_wrenches", 6)
        self.call_lanes(b, 3, group)
        self.scatter(b, group)

    group_phases = (find_motions, find_wrenches, find_torques)


KERNELS: dict[str, type[LongChainKernel]] = {
    kind.algorithm.name: kind for kind in (LongChainForwardDynamics, LongChainInverseDynamics)
}
