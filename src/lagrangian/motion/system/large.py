"""Mechanisms too large to be written out: the same integrators around forward dynamics as a loop over the links."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS, LOCKED_DYNAMICS
from lagrangian.algorithms.structure import SlotNumbers, TreeStructure
from lagrangian.kernels.kernel import Threads, available_cores
from lagrangian.kernels.llvm.emit import PreparationCode, write_function
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains.kernel import LongChainCode
from lagrangian.kernels.long_chains.program import long_chain_code_if_faster
from lagrangian.kernels.programs.sweeps import MAX_UNROLLED_LINKS, MAX_UNROLLED_OPERATIONS, trace_unrolled
from lagrangian.kernels.rolled import kernel as rolled
from lagrangian.kernels.trace.node import Graph, GraphTooLargeError

if TYPE_CHECKING:
    from lagrangian.motion.system.system import System

# speeds up to which there is no question, and beyond which there is none for joints that can be held: each has its own code
SMALL, HELD_SPEEDS = 15, 30


def too_large(system: System) -> bool:
    """Whether straight-line code of its accelerations would be too long. Constraints and springs are always written out."""
    if system.constrained or system.mechanism.springs or system.nv <= SMALL:
        return False
    if len(system.tree) > MAX_UNROLLED_LINKS or (system.holdable and system.nv > HELD_SPEEDS):
        return True
    try:
        structure = TreeStructure(system.tree, SlotNumbers())
        return trace_unrolled(FORWARD_DYNAMICS, structure, limit=3 * MAX_UNROLLED_OPERATIONS).operations > MAX_UNROLLED_OPERATIONS
    except GraphTooLargeError:
        return True


@cache
def _threads() -> Threads:
    """Of all runs."""
    return Threads(available_cores())


class RolledResponse:
    """`response` of a large system, and the arrays its code reads, whose addresses are in u."""

    def __init__(self, system: System, target: CPUTarget) -> None:
        self.system = system
        self.algorithm = LOCKED_DYNAMICS if system.holdable else FORWARD_DYNAMICS
        pieces = long_chain_code_if_faster(self.algorithm, system.true_tree, target)
        # inertia that is moved towards the base saves operations in a sweep, but links without any cannot be cut through
        self.tree = system.tree if pieces is None else system.true_tree
        self.key = b"" if pieces is None else pieces.plan.digest
        sizes = [system.nq, *[system.nv] * (len(self.algorithm.inputs) - 1)]
        self.loop = pieces or rolled.rolled_code(self.algorithm, self.tree, self.algorithm.inputs, sizes, target, 1)

    def data(self) -> list[np.ndarray]:
        """Parameters of the links, their table, scratch memory."""
        parameters, table = self.loop.data(self.algorithm, self.tree)
        if isinstance(self.loop, LongChainCode):
            self.loop.enable_helpers(table, _threads())
        return [parameters, table, np.zeros(max(1, self.loop.scratch))]

    def functions(self, declared: set[str], fma: bool, places: Any, preparation: PreparationCode) -> list[str]:
        lines = self.loop.ir.split("\n")
        declared.update(line for line in lines if line.startswith("declare"))
        lines = [line for line in lines if not line.startswith("declare")]
        graph = Graph()
        lines += write_function("acting", graph, self._acting(graph), places, declared, fma, preparation)
        return lines + self._response(declared, fma).text()

    def _acting(self, graph: Graph) -> list[Any]:
        """What is not worth a loop: the forces along the speeds, and which of these are held."""
        system = self.system
        held = system.held(graph)
        return [*system.acting(graph, system.state(graph)), *(held.get(k, 0) for k in range(system.nv) if held)]

    def _response(self, declared: set[str], fma: bool) -> FunctionBuilder:
        system, b = self.system, FunctionBuilder("response", ["time", "state", "u", "output"], declared, fma, internal=True)
        time, state, u, output = (b.array(name) for name in b.arguments)
        acting = b.local_array(2 * system.nv)
        b.call("acting", time, state, u, acting)
        given = [state.pointer, state.address(system.nq), acting.pointer]
        given += [acting.address(system.nv)] if system.holdable else []
        given.append(state.pointer)  # of which the angles are taken
        pointers = Array(b, b.reserve(f"alloca [{len(given) + 2} x ptr]"))
        addresses = u.offset(system.inputs.data)
        for k, pointer in enumerate(given):
            b.line(f"store ptr {pointer}, ptr {pointers.address(k)}")
        for k in range(2):
            at = b.put("ptr", f"load ptr, ptr {addresses.address(k)}")
            b.line(f"store ptr {at.text}, ptr {pointers.address(len(given) + k)}")
        scratch = b.put("ptr", f"load ptr, ptr {addresses.address(2)}")
        b.put("i64", f"call i64 @kernel(ptr {pointers.pointer}, ptr {output.pointer}, ptr {scratch.text}, i64 1)")
        b.return_status()
        return b
