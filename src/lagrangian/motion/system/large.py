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
    from lagrangian.motion.system.system import System

# speeds below which there is no question
SMALL = 15


def too_large(system: System) -> bool:
    """Whether straight-line code of its accelerations would be too long. Constraints and springs are always written out."""
    if system.constrained or system.mechanism.springs or system.nv <= SMALL:
        return False
    if len(system.tree) > UNROLL_LINKS:
        return True
    try:
        return trace_unrolled(FORWARD_DYNAMICS, system.tree, limit=3 * UNROLL_OPERATIONS).operations > UNROLL_OPERATIONS
    except TooLarge:
        return True


class RolledRates:
    """`rates` and `project` of a large system, and the arrays their code reads, whose addresses are in u."""

    def __init__(self, system: System, target: Target) -> None:
        self.system = system
        sizes = [system.nq, system.nv, system.nv]
        self.loop = rolled.module(FORWARD_DYNAMICS, system.tree, ("q", "qd", "tau"), sizes, target, 1)

    def data(self) -> list[np.ndarray]:
        """Parameters of the links, their table, scratch memory."""
        tree = self.system.tree
        return [rolled.parameter_array(tree, self.loop.parameters), rolled.table(tree), np.zeros(max(1, self.loop.scratch))]

    def functions(self, declared: set[str], fma: bool, places: Any) -> list[str]:
        lines = self.loop.ir.split("\n")
        declared.update(line for line in lines if line.startswith("declare"))
        lines = [line for line in lines if not line.startswith("declare")]
        graph = Graph()
        lines += traced("simple", graph, self._simple(graph), places, declared, fma)
        if self.system.projects:
            graph = Graph()
            lines += traced("normalise", graph, self.system.normalised(graph), places, declared, fma)
        for builder in self._builders(declared, fma):
            lines += builder.text()
        return lines

    def _simple(self, graph: Graph) -> list[Any]:
        """What is not worth a loop: q', and the forces from outside."""
        system = self.system
        state = system.state(graph)
        return [*coordinate_rates(system.mechanism, state.q, state.qd), *system.forces.driven(graph, state)]

    def _builders(self, declared: set[str], fma: bool) -> list[Builder]:
        system = self.system
        nq, n = system.nq, system.size
        found = []
        b = Builder("rates", ["time", "state", "u", "output"], declared, fma, internal=True)
        time, state, u, output = (b.array(name) for name in b.arguments)
        simple = b.local(n)
        b.call("simple", time, state, u, simple)
        b.copy(simple, output, nq)
        pointers = Array(b, b.reserve("alloca [6 x ptr]"))
        addresses = u.part(system.inputs.data)
        for k, pointer in enumerate((state.pointer, state.address(nq), simple.address(nq), state.pointer)):
            b.line(f"store ptr {pointer}, ptr {pointers.address(k)}")
        for k in range(2):
            at = b.put("ptr", f"load ptr, ptr {addresses.address(k)}")
            b.line(f"store ptr {at.text}, ptr {pointers.address(4 + k)}")
        scratch = b.put("ptr", f"load ptr, ptr {addresses.address(2)}")
        b.put("i64", f"call i64 @kernel(ptr {pointers.pointer}, ptr {output.address(nq)}, ptr {scratch.text}, i64 1)")
        b.leave()
        found.append(b)
        if system.projects:
            b = Builder("project", ["time", "state", "u", "output"], declared, fma, internal=True)
            time, state, u, output = (b.array(name) for name in b.arguments)
            b.call("normalise", time, state, u, output)
            b.call("rates", time, output, u, output.part(n))
            output[2 * n], output[2 * n + 1] = 0.0, 1.0
            b.leave()
            found.append(b)
        return found
