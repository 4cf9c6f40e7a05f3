"""Dynamics of one state of a long chain, or of a tree with long branches, by pieces side by side in the lanes of vectors.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

is called as that of `rolled.kernel`, whose code it holds too: for several states, and for a state at which pieces do not agree
about what they share, so that rounding may have been large.
"""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm import machine_code
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.algorithms import LongChainForwardDynamics, LongChainInverseDynamics
from lagrangian.kernels.long_chains.data import arrays
from lagrangian.kernels.long_chains.phases import LongChainCode, LongChainKernel
from lagrangian.kernels.long_chains.plan import Plan, plan
from lagrangian.kernels.program import Header, Program

KERNELS: dict[str, type[LongChainKernel]] = {
    kind.algorithm.name: kind for kind in (LongChainForwardDynamics, LongChainInverseDynamics)
}


def long_chain_program(program: Program, algorithm: Algorithm, tree: Tree, cpu_target: CPUTarget) -> Program:
    """The program for one state: in pieces, or the given one."""
    plan = plan_if_faster(algorithm, tree, cpu_target)
    return program if plan is None else LongChainProgram(program, algorithm, plan, cpu_target)


def long_chain_code_if_faster(algorithm: Algorithm, tree: Tree, cpu_target: CPUTarget) -> LongChainCode | None:
    """The code of an algorithm in pieces, for one state, where there is such an algorithm and it is faster."""
    plan = plan_if_faster(algorithm, tree, cpu_target)
    return None if plan is None else long_chain_code(algorithm, plan, cpu_target)


def plan_if_faster(algorithm: Algorithm, tree: Tree, target: CPUTarget) -> Plan | None:
    """How an algorithm goes in pieces, where it can, and is faster by that."""
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
            "halved": code.halves_links,
            "gate": code.gate,
        }
        return header, machine_code.compile_object(code.ir, cpu_target, level=2)

    def data(self, header: Header, code: machine_code.LoadedCode) -> list[np.ndarray]:
        columns = {part: [(name, j) for name, j in pairs] for part, pairs in header["columns"].items()}
        return arrays(self.algorithm, self.plan, self.target, columns, header["halved"])
