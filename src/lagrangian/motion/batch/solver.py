"""A system and an integrator as machine code for several motions at once, each in a lane of a vector."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from lagrangian.kernels.llvm import machine_code, object_cache, target
from lagrangian.kernels.llvm.object_cache import load_or_compile
from lagrangian.motion.batch import places as lane
from lagrangian.motion.batch.attempt import LaneStep
from lagrangian.motion.batch.loop import BatchLoop, emit_rows
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.solver.event_functions import emit_events
from lagrangian.motion.solver.solver import Solver
from lagrangian.motion.solver.text import effort
from lagrangian.motion.system.functions import Functions

# operations wait for each other: two vectors side by side keep the processor busier than one
VECTORS = 2
SHORT = 6_000  # lines of code on which a compiler's time is not spared


def has_lanes(solver: Solver) -> bool:
    """Whether motions can be made in lanes: by an explicit method, of equations that are written out, without Python's help."""
    return isinstance(solver.method, ExplicitMethod) and solver.rolled is None and not solver.callback and not solver.asks_events


class LaneSolver:
    """The lanes of a solver: compiled when made, or taken from the cache."""

    def __init__(self, solver: Solver, width: int | None = None, extremes: bool = False) -> None:
        """With code that finds `extremes`, if they are wanted: it takes as long as the steps themselves."""
        self.extremes = extremes
        self.solver, self.system, self.method, self.n = solver, solver.system, solver.method, solver.n
        chosen = target.current()
        self.width = chosen.width * VECTORS if width is None else width
        name = object_cache.key("lanes", *self.system.key, self.method.key, str(self.width), str(extremes), chosen.key)

        def compiled() -> tuple[dict[str, object], bytes]:
            text = self._module(chosen.fma)
            # all of LLVM's passes make short code some percent faster, and take three times as long
            return {}, machine_code.compile_object(
                text, chosen, effort(text), None if text.count("\n") < SHORT else machine_code.UNROLLING_PASSES
            )

        _, self._code = load_or_compile(name, chosen, compiled)
        self.go: Callable[..., int] = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(lane.GO_ARGUMENTS))(
            self._code.address("go")
        )

    def _module(self, fma: bool) -> str:
        system, events, declared = self.system, len(self.system.table), set[str]()
        lines = Functions(system, declared, fma, width=self.width).write(False, False, self.solver.balances)
        module = Module(lines, declared, fma, self.n, system.angles, system.projects, False, self.width)
        module.second_order, module.open = system.second_order, not system.constrained
        if events:
            emit_events(module, system)
        self.method.emit(module)
        emit_rows(module, self.method)
        LaneStep(module, self.method, events, self.solver.workspace, self.extremes).emit()
        degree, solver = self.method.degree if self.extremes else 0, self.solver
        BatchLoop(module, system, solver.workspace, len(solver.numbers), solver.balances, degree).emit()
        return "\n".join([*lines, *sorted(declared)])
