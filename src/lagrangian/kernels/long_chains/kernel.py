"""Dynamics of one state of a long chain, or of a tree with long branches, by pieces side by side in the lanes of vectors.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

is called as that of `rolled.kernel`, whose code it holds too: for several states, and for a state at which pieces do not agree
about what they share, so that rounding may have been large.
"""

from __future__ import annotations

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.algorithms import LongChainForwardDynamics, LongChainInverseDynamics
from lagrangian.kernels.long_chains.phases import LongChainCode, LongChainKernel
from lagrangian.kernels.long_chains.plan import Plan, plan

KERNELS: dict[str, type[LongChainKernel]] = {
    kind.algorithm.name: kind for kind in (LongChainForwardDynamics, LongChainInverseDynamics)
}


def plan_if_faster(algorithm: Algorithm, tree: Tree, target: CPUTarget) -> Plan | None:
    """How an algorithm goes in pieces, where it can, and is faster by that."""
    kernel = KERNELS.get(algorithm.name)
    return None if kernel is None else plan(tree, target.width, kernel.cost)


def long_chain_code(algorithm: Algorithm, plan: Plan, target: CPUTarget) -> LongChainCode:
    return KERNELS[algorithm.name](plan, target).build()
