"""Mechanisms too large to be written out: the same integrators around forward dynamics as a loop over the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.algorithms.closed.constraints import coordinate_rates
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.kernels.llvm.builder import Array, Builder
from lagrangian.kernels.llvm.function import traced
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.programs.sweeps import UNROLL_LINKS, UNROLL_OPERATIONS, trace_unrolled
from lagrangian.kernels.rolled import kernel as rolled
from lagrangian.kernels.trace.node import Graph, TooLarge

if TYPE_CHECKING:
    from lagrangian.motion.problem import Problem

# speeds below which there is no question
SMALL = 15


def too_large(problem: Problem) -> bool:
    """Whether straight-line code of its accelerations would be too long. Constraints and springs are always written out."""
    if problem.constrained or problem.mechanism.springs or problem.nv <= SMALL:
        return False
    if len(problem.tree) > UNROLL_LINKS:
        return True
    try:
        return trace_unrolled(FORWARD_DYNAMICS, problem.tree, limit=3 * UNROLL_OPERATIONS).operations > UNROLL_OPERATIONS
    except TooLarge:
        return True


class RolledRates:
    """`rates` and `project` of a large problem, and the arrays their code reads, whose addresses are in u."""

    def __init__(self, problem: Problem, target: Target) -> None:
        self.problem = problem
        sizes = [problem.nq, problem.nv, problem.nv]
        self.loop = rolled.module(FORWARD_DYNAMICS, problem.tree, ("q", "qd", "tau"), sizes, target, 1)

    def data(self) -> list[np.ndarray]:
        """Parameters of the links, their table, scratch memory."""
        tree = self.problem.tree
        return [rolled.parameter_array(tree, self.loop.parameters), rolled.table(tree), np.zeros(max(1, self.loop.scratch))]

    def functions(self, declared: set[str], fma: bool, places: Any) -> list[str]:
        lines = self.loop.ir.split("\n")
        declared.update(line for line in lines if line.startswith("declare"))
        lines = [line for line in lines if not line.startswith("declare")]
        graph = Graph()
        lines += traced("simple", graph, self._simple(graph), places, declared, fma)
        if self.problem.projects:
            graph = Graph()
            lines += traced("normalise", graph, self.problem.normalised(graph), places, declared, fma)
        for builder in self._builders(declared, fma):
            lines += builder.text()
        return lines

    def _simple(self, graph: Graph) -> list[Any]:
        """What is not worth a loop: q', and the forces from outside."""
        problem = self.problem
        state = problem._state(graph)
        return [*coordinate_rates(problem.mechanism, state.q, state.qd), *problem.driven(graph, state)]

    def _builders(self, declared: set[str], fma: bool) -> list[Builder]:
        problem = self.problem
        nq, n = problem.nq, problem.size
        found = []
        b = Builder("rates", ["time", "state", "u", "output"], declared, fma, internal=True)
        time, state, u, output = (b.array(name) for name in b.arguments)
        simple = b.local(n)
        b.call("simple", time, state, u, simple)
        b.copy(simple, output, nq)
        pointers = Array(b, b.reserve("alloca [6 x ptr]"))
        addresses = u.part(problem.inputs.data)
        for k, pointer in enumerate((state.pointer, state.address(nq), simple.address(nq), state.pointer)):
            b.line(f"store ptr {pointer}, ptr {pointers.address(k)}")
        for k in range(2):
            at = b.put("ptr", f"load ptr, ptr {addresses.address(k)}")
            b.line(f"store ptr {at.text}, ptr {pointers.address(4 + k)}")
        scratch = b.put("ptr", f"load ptr, ptr {addresses.address(2)}")
        b.put("i64", f"call i64 @kernel(ptr {pointers.pointer}, ptr {output.address(nq)}, ptr {scratch.text}, i64 1)")
        b.leave()
        found.append(b)
        if problem.projects:
            b = Builder("project", ["time", "state", "u", "output"], declared, fma, internal=True)
            time, state, u, output = (b.array(name) for name in b.arguments)
            b.call("normalise", time, state, u, output)
            b.call("rates", time, output, u, output.part(n))
            output[2 * n], output[2 * n + 1] = 0.0, 1.0
            b.leave()
            found.append(b)
        return found
