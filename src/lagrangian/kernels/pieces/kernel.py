"""Dynamics of one state of a long chain, or of a tree with long branches, by pieces side by side in the lanes of vectors.

    i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)

is called as that of `rolled.kernel`, whose code it holds too: for several states, and for a state at which pieces do not agree
about what they share, so that rounding may have been large.
"""

from __future__ import annotations

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.pieces.forward import Forward
from lagrangian.kernels.pieces.inverse import Inverse
from lagrangian.kernels.pieces.phases import Phases, Pieces
from lagrangian.kernels.pieces.plan import Plan, plan

KERNELS: dict[str, type[Phases]] = {kind.algorithm.name: kind for kind in (Forward, Inverse)}


def planned(algorithm: Algorithm, tree: Tree, target: Target) -> Plan | None:
    """How an algorithm goes in pieces, where it can, and is faster by that."""
    kernel = KERNELS.get(algorithm.name)
    return None if kernel is None else plan(tree, target.width, kernel.cost)


def module(algorithm: Algorithm, plan: Plan, target: Target) -> Pieces:
    return KERNELS[algorithm.name](plan, target).build()
