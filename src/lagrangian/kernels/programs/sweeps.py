"""The algorithms of a tree as programs to compile: straight-line code where it is short, a loop over the links where not."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.structure import SlotNumbers, Structure, TreeStructure, tree_samples
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import Tree
from lagrangian.algorithms.tree_factorisation import TreeLDL
from lagrangian.kernels.llvm import machine_code, target
from lagrangian.kernels.long_chains.program import long_chain_program
from lagrangian.kernels.program import Header, Program, compile_unrolled, prepare_constants
from lagrangian.kernels.rolled import kernel as rolled_kernel
from lagrangian.kernels.rolled.trace import GLOBAL_INPUTS, with_link_variants
from lagrangian.kernels.trace.node import NUMBERS, Graph, GraphTooLargeError, Trace, trace_reading_all_inputs

# past this many links, or operations, straight-line code takes seconds to compile, and a loop over the links is used
MAX_UNROLLED_LINKS = 64
MAX_UNROLLED_OPERATIONS = 9_000
# forward dynamics through the mass matrix grows with the cube of the depth: not worth counting past this many speeds
MAX_FACTORISED_SPEEDS = 30


def links_at_state(tree: Tree, inputs: Sequence[str], value: Callable[[str, int], Any], cos: Any, sin: Any) -> list[Link]:
    """The tree's links with their state: `value(name, index)` for each entry of the inputs."""
    tree_links = []
    for i in range(len(tree)):
        link = tree.link(i)
        for name in inputs:
            if name in GLOBAL_INPUTS:
                state = tuple(value(name, k) for k in range(GLOBAL_INPUTS[name]))
            elif name == "q":
                state = tuple(value(name, link.iq + k) for k in range(link.nq))
            else:
                state = tuple(value(name, link.iv + k) for k in range(link.nv))
            setattr(link, name, state)
        if link.kind.turns:
            link.c, link.s = cos(link.q[0]), sin(link.q[0])
        tree_links.append(link)
    return tree_links


def trace_unrolled(algorithm: Algorithm, structure: TreeStructure, limit: int | None = None) -> Trace:
    """The straight-line operations of an algorithm; forward dynamics by whichever of its two ways takes fewer."""

    def record(compute: Callable[[Graph, Tree, list[Link]], list[Any]]) -> Trace:
        graph = Graph(limit)
        tree = tree_with_number_inputs(graph, structure)
        state = links_at_state(tree, algorithm.inputs, graph.input, lambda x: x.cos(), lambda x: x.sin())
        return trace_reading_all_inputs(graph, compute(graph, tree, state))

    def solve_factorised(graph: Graph, tree: Tree, state: list[Link]) -> list[Any]:
        M, bias = run(MASS_MATRIX, tree, state), run(BIAS, tree, state)
        return TreeLDL(tree, M).solve([graph.input("tau", k) - b for k, b in enumerate(bias)])

    shortest = record(lambda graph, tree, state: run(algorithm, tree, state))
    if algorithm is FORWARD_DYNAMICS and structure.tree.nv <= MAX_FACTORISED_SPEEDS:
        with contextlib.suppress(GraphTooLargeError):
            shortest = min(shortest, record(solve_factorised), key=lambda t: t.operations)
    return shortest


def tree_with_number_inputs(graph: Graph, structure: TreeStructure | Structure) -> Tree:
    """A tree whose numbers are inputs of a graph."""
    return structure.with_slot_values(lambda k: graph.input(NUMBERS, k))


class TreeProgram(Program):
    """One algorithm of one tree."""

    def __init__(self, algorithm: Algorithm, tree: Tree) -> None:
        self.algorithm, self.tree = algorithm, tree
        self.numbers = SlotNumbers(tree_samples(tree))
        self.structure = TreeStructure(regroup(tree) if algorithm.regrouped else tree, self.numbers)
        self.name, self.inputs = algorithm.name, algorithm.inputs
        self.sizes = [tree.nq if n == "q" else GLOBAL_INPUTS.get(n, tree.nv) for n in self.inputs]
        self.shape = algorithm.shape(tree)
        self.angles = tree.angles

    def key(self) -> tuple[str | bytes | int, ...]:
        digest = hashlib.sha256()
        self.structure.update_digest(digest)
        if self.algorithm.regrouped:  # loops over the links take the tree as it is
            TreeStructure(self.tree, SlotNumbers()).update_digest(digest)
        return self.name, digest.digest(), MAX_UNROLLED_LINKS, MAX_UNROLLED_OPERATIONS

    def trace(self, limit: int | None = None) -> Trace:
        """The operations of the program, which read the numbers as inputs; more than the limit raise `GraphTooLargeError`."""
        return trace_unrolled(self.algorithm, self.structure, limit)

    def compile(self, cpu_target: target.CPUTarget, width: int) -> tuple[Header, bytes]:
        if len(self.tree) <= MAX_UNROLLED_LINKS:
            try:
                trace = self.trace(limit=3 * MAX_UNROLLED_OPERATIONS)
            except GraphTooLargeError:
                trace = None
            if trace is not None and trace.operations <= MAX_UNROLLED_OPERATIONS:
                return compile_unrolled(self, trace, cpu_target, width, len(self.numbers))
        loop = rolled_kernel.rolled_code(self.algorithm, self.tree, self.inputs, self.sizes, cpu_target, width)
        operations = 100 * len(self.tree) + self.size
        header = {"form": "rolled", "scratch": loop.scratch, "operations": operations}
        header |= {"columns": loop.columns, "ground": loop.ground}
        return header, machine_code.compile_object(loop.ir, cpu_target, level=2)

    def for_single_state(self, cpu_target: target.CPUTarget) -> Program:
        return long_chain_program(self, self.algorithm, self.tree, cpu_target) if len(self.tree) > MAX_UNROLLED_LINKS else self

    def data(self, header: Header, code: machine_code.LoadedCode) -> list[np.ndarray]:
        if header["form"] != "rolled":
            return [prepare_constants(self.numbers.values, header["numbers"], code), rolled_kernel.link_table(self.tree)]
        columns, ground = ([(a, b) for a, b in header[key]] for key in ("columns", "ground"))
        tree = with_link_variants(self.algorithm, self.tree)
        return [rolled_kernel.parameter_array(self.algorithm, tree, columns, ground), rolled_kernel.link_table(tree)]
