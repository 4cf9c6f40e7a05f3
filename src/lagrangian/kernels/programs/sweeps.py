"""The algorithms of a tree as programs to compile: straight-line code where it is short, a loop over the links where not."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lagrangian.algorithms.factorised import Factorised
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.structure import Numbers, Structure, TreeStructure, samples_of
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import Tree
from lagrangian.kernels.llvm import jit, target
from lagrangian.kernels.program import Header, Program, prepared, straight
from lagrangian.kernels.programs.pieces import in_pieces
from lagrangian.kernels.rolled import kernel as rolled
from lagrangian.kernels.rolled.trace import WHOLE
from lagrangian.kernels.rolled.variants import told_apart
from lagrangian.kernels.trace.node import NUMBERS, Graph, TooLarge, Trace, with_all_inputs

# past this many links, or operations, straight-line code takes seconds to compile, and a loop over the links is used
UNROLL_LINKS = 64
UNROLL_OPERATIONS = 9_000
# forward dynamics through the mass matrix grows with the cube of the depth: not worth counting past this many speeds
FACTORISE_SPEEDS = 30


def links(tree: Tree, inputs: Sequence[str], value: Callable[[str, int], Any], cos: Any, sin: Any) -> list[Link]:
    """The tree's links with their state: `value(name, index)` for each entry of the inputs."""
    made = []
    for i in range(len(tree)):
        link = tree.link(i)
        for name in inputs:
            if name in WHOLE:
                state = tuple(value(name, k) for k in range(WHOLE[name]))
            elif name == "q":
                state = tuple(value(name, link.iq + k) for k in range(link.nq))
            else:
                state = tuple(value(name, link.iv + k) for k in range(link.nv))
            setattr(link, name, state)
        if link.kind.turns:
            link.c, link.s = cos(link.q[0]), sin(link.q[0])
        made.append(link)
    return made


def trace_unrolled(algorithm: Algorithm, structure: TreeStructure, limit: int | None = None) -> Trace:
    """The straight-line operations of an algorithm; forward dynamics by whichever of its two ways takes fewer."""

    def traced(compute: Callable[[Graph, Tree, list[Link]], list[Any]]) -> Trace:
        graph = Graph(limit)
        tree = numbered(graph, structure)
        state = links(tree, algorithm.inputs, graph.input, lambda x: x.cos(), lambda x: x.sin())
        return with_all_inputs(graph, compute(graph, tree, state))

    def factorised(graph: Graph, tree: Tree, state: list[Link]) -> list[Any]:
        M, bias = run(MASS_MATRIX, tree, state), run(BIAS, tree, state)
        return Factorised(tree, M).solve([graph.input("tau", k) - b for k, b in enumerate(bias)])

    found = traced(lambda graph, tree, state: run(algorithm, tree, state))
    if algorithm is FORWARD_DYNAMICS and structure.tree.nv <= FACTORISE_SPEEDS:
        with contextlib.suppress(TooLarge):
            found = min(found, traced(factorised), key=lambda t: t.operations)
    return found


def numbered(graph: Graph, structure: TreeStructure | Structure) -> Tree:
    """A tree whose numbers are inputs of a graph."""
    return structure.read_by(lambda k: graph.input(NUMBERS, k))


class Sweeps(Program):
    """One algorithm of one tree."""

    def __init__(self, algorithm: Algorithm, tree: Tree) -> None:
        self.algorithm, self.tree = algorithm, tree
        self.numbers = Numbers(samples_of(tree))
        self.structure = TreeStructure(regroup(tree) if algorithm.regrouped else tree, self.numbers)
        self.name, self.inputs = algorithm.name, algorithm.inputs
        self.sizes = [tree.nq if n == "q" else WHOLE.get(n, tree.nv) for n in self.inputs]
        self.shape = algorithm.shape(tree)
        self.angles = tree.angles

    def key(self) -> tuple[str | bytes | int, ...]:
        digest = hashlib.sha256()
        self.structure.update(digest)
        if self.algorithm.regrouped:  # loops over the links take the tree as it is
            TreeStructure(self.tree, Numbers()).update(digest)
        return self.name, digest.digest(), UNROLL_LINKS, UNROLL_OPERATIONS

    def trace(self, limit: int | None = None) -> Trace:
        """Its operations, which read the numbers as inputs; `TooLarge` if there are more than the limit."""
        return trace_unrolled(self.algorithm, self.structure, limit)

    def compile(self, chosen: target.Target, width: int) -> tuple[Header, bytes]:
        if len(self.tree) <= UNROLL_LINKS:
            try:
                trace = self.trace(limit=3 * UNROLL_OPERATIONS)
            except TooLarge:
                trace = None
            if trace is not None and trace.operations <= UNROLL_OPERATIONS:
                return straight(self, trace, chosen, width, len(self.numbers))
        loop = rolled.module(self.algorithm, self.tree, self.inputs, self.sizes, chosen, width)
        operations = 100 * len(self.tree) + self.size
        header = {"form": "rolled", "scratch": loop.scratch, "operations": operations}
        header |= {"columns": loop.columns, "ground": loop.ground}
        return header, jit.compile_object(loop.ir, chosen, level=2)

    def for_one(self, chosen: target.Target) -> Program:
        return in_pieces(self, self.algorithm, self.tree, chosen) if len(self.tree) > UNROLL_LINKS else self

    def data(self, header: Header, code: jit.Code) -> list[np.ndarray]:
        if header["form"] != "rolled":
            return [prepared(self.numbers.values, header["numbers"], code), rolled.table(self.tree)]
        columns, ground = ([(a, b) for a, b in header[key]] for key in ("columns", "ground"))
        tree = told_apart(self.algorithm, self.tree)
        return [rolled.parameter_array(self.algorithm, tree, columns, ground), rolled.table(tree)]
