"""The functions of a system that integrators call, as code.

    rates(time, state, u, output)                     y'
    response(time, state, u, output)                  what the system answers to all that acts: see `System.response`
    project(time, state, u, output)                   the state moved onto the constraints, and more: see `System.project`
    event_values(time, state, u, response, output)    what is zero where an event takes place
    prepare(numbers)                                  what follows from the numbers of the description alone, once before a run

Each is written once: where a system has a `response`, its `rates` are taken from it, and where either is long, `project` goes on
from its code. Only `rates` that are short are there twice, if that is wanted: `rates.late` is for several states of one motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.kernels.llvm.emit import PreparationCode, write_function, write_functions
from lagrangian.kernels.llvm.ir import Array, FunctionBuilder
from lagrangian.kernels.trace import schedule
from lagrangian.kernels.trace.node import Graph
from lagrangian.motion.system.balance import balance_terms
from lagrangian.motion.system.large import RolledResponse
from lagrangian.motion.system.system import System

ARGUMENTS = ["time", "state", "u", "output"]
SHORT = 1_000  # operations of rates that are compiled for several states, too: of longer ones that takes more time than it saves


class Functions:
    """Writes them, into lines of IR."""

    def __init__(
        self, system: System, declared: set[str], fma: bool, rolled: RolledResponse | None = None, width: int = 1, late: int = 1
    ) -> None:
        """For one motion, or for as many as `width` says, which have their numbers side by side; `late` states of one motion."""
        self.width, self.late = width, late  # the latter until `rates` are written, then as many as there is code for
        self.system, self.declared, self.fma, self.rolled = system, declared, fma, rolled
        self.places = {"t": ("time", 0), "q": ("state", 0), "qd": ("state", system.nq), "u": ("u", 0)}
        self.preparation = PreparationCode(len(system.numbers), ("u", system.inputs.numbers * width))
        self.lines: list[str] = []
        self.projected = False  # whether `project` is written

    def write(
        self, jacobian: bool, canonical: bool, balanced: bool, more: Mapping[str, Callable[[Graph], list[Any]]] | None = None
    ) -> list[str]:
        """With `more` functions of time, state and u, by name."""
        system = self.system
        self._rates()
        if jacobian:
            self._add("jacobian", system.jacobian)
        if canonical:
            self._add("momenta", system.momenta)
            self._add("canonical", system.canonical)
        if system.projects and not self.projected:
            self._project()
        if system.table.compiled:
            self.places["response"] = ("response", 0)
            self._add("event_values", system.event_values)
            del self.places["response"]
        if balanced:  # which is of one motion, however many are integrated at once
            self.width, self.preparation.pointer_place = 1, ("u", system.inputs.numbers)
            self._add("balance_terms", lambda graph: balance_terms(system, graph))
        for name, outputs in (more or {}).items():
            self._add(name, outputs)
        self.lines += self.preparation.function("prepare")
        return self.lines

    def _add(self, name: str, outputs: Callable[[Graph], list[Any]]) -> None:
        graph = Graph()
        self.lines += write_function(
            name, graph, outputs(graph), self.places, self.declared, self.fma, self.preparation, self.width
        )

    def _add_equations(self, name: str, outputs: Callable[[Graph], list[Any]]) -> None:
        """What solves the equations of motion. Most of `project` is the same: where it is long, it is not compiled twice."""
        graph = Graph()
        wanted = {name: outputs(graph)}
        if len(graph.nodes) > schedule.MAX_WHOLE_OPERATIONS and self.system.constrained and self.system.projects:
            wanted["project"] = self.system.project(graph)
            self.projected = True
        if name != "rates" or len(graph.nodes) > min(SHORT, schedule.MAX_WHOLE_OPERATIONS):
            self.late = 1
        given = (self.places, self.declared, self.fma, self.preparation, self.width, self.late)
        self.lines += write_functions(wanted, graph, *given)

    def _builder(self, name: str) -> tuple[FunctionBuilder, list[Array]]:
        b = FunctionBuilder(name, ARGUMENTS, self.declared, self.fma, internal=True, width=self.width)
        return b, [b.array(argument) for argument in ARGUMENTS]

    def _rates(self) -> None:
        system = self.system
        if self.rolled is not None:
            self.lines += self.rolled.functions(self.declared, self.fma, self.places, self.preparation)
        elif system.responds:
            self._add_equations("response", system.response)
        # what moves by corrected speeds has accelerations of its own
        if self.rolled is None and not (system.holdable and system.stabilisation.kind != "ggl"):
            (self._add if system.responds else self._add_equations)("rates", system.rates)
            return
        self.late = 1
        if system.turning:
            self._add("coordinate_rates", system.coordinate_rates)
        b, (time, state, u, output) = self._builder("rates")
        found = b.local_array(system.responses)
        b.call("response", time, state, u, found)
        b.copy(found, output.offset(system.nq), system.nv)
        if system.turning:
            b.call("coordinate_rates", time, state, u, output)
        else:
            b.copy(state.offset(system.nq), output, system.nv)
        b.return_status()
        self.lines += b.text()

    def _project(self) -> None:
        system, n = self.system, self.system.size
        if system.constrained:
            self._add("project", system.project)
            return
        self._add("normalise", system.normalised)
        b, (time, state, u, output) = self._builder("project")
        b.call("normalise", time, state, u, output)
        b.call("rates", time, output, u, output.offset(n))
        output[2 * n], output[2 * n + 1] = 0.0, 1.0
        b.return_status()
        self.lines += b.text()
