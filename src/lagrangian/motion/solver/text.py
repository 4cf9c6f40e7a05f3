"""A system and an integrator as LLVM text: the functions of the system, the integrator's step, and the time loop around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lagrangian.kernels.trace.node import Graph
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.solver.balance import emit_balance
from lagrangian.motion.solver.event_functions import emit_events
from lagrangian.motion.solver.interpolant import emit_replay
from lagrangian.motion.solver.late_rows import LateRows
from lagrangian.motion.solver.places import SolverWorkspace
from lagrangian.motion.solver.response import emit_responses
from lagrangian.motion.solver.time_loop import TimeLoop
from lagrangian.motion.system.functions import Functions
from lagrangian.motion.system.large import RolledResponse
from lagrangian.motion.system.system import System

# lines of code past which the compiler is asked to do less: with all care, the longest would take it minutes
LONG, LONGEST = 11_000, 150_000


def effort(text: str) -> int:
    """How hard the compiler is to try."""
    lines = text.count("\n")
    return 2 if lines < LONG else 1 if lines < LONGEST else 0


@dataclass
class SolverText:
    """`asked` writes the function `ask`, where torques are not functions that `rates` knows; it is called at every stage.

    `late` is of how many steps the rows may wait; `more` are functions of the system besides, by name, as they are traced.
    """

    system: System
    method: Method
    fma: bool
    workspace: SolverWorkspace
    late: int = 0
    rolled: RolledResponse | None = None
    balances: bool = False
    asked: Callable[[Module], None] | None = None
    more: Mapping[str, Callable[[Graph], list[Any]]] | None = None
    at_stages: bool = True  # whether it is: else it is there for others to call

    def written(self) -> tuple[str, int]:
        """The text, and how many numbers its code reads, prepared ones too."""
        declared: set[str] = set()
        system, method = self.system, self.method
        functions = Functions(system, declared, self.fma, self.rolled, late=self.late)
        lines = functions.write(method.jacobian, method.canonical, self.balances, self.more or {})
        asks = self.asked is not None and self.at_stages
        module = Module(lines, declared, self.fma, system.size, system.angles, system.projects, asks)
        module.second_order, module.open = system.second_order, not system.constrained
        if self.asked is not None:
            self.asked(module)
        if len(system.table):
            emit_events(module, system)
        method.emit(module)
        late: LateRows | None = None
        if functions.late > 1 and isinstance(method, ExplicitMethod):
            late = LateRows(module, method, functions.late, self.workspace)
            late.emit()
        TimeLoop(module, method, len(system.table), self.workspace, late).emit()
        emit_replay(module, method, self.workspace)
        if self.balances:
            emit_balance(module, method, self.workspace)
        if system.responds:
            emit_responses(module, system)
        return "\n".join([*lines, *sorted(declared)]), functions.preparation.size
