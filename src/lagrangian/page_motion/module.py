"""A motion as a WebAssembly module that computes it again for other numbers, and the plan by which a page does so.

The module has these functions, which `PageModuleWriter` writes as LLVM text:

  numbers(p, table)                            the numbers of the description, from the inputs p of the page
  prepare(table)                               what follows from them alone
  start(p, y)                                  the described start, which may be written with parameters
  closure, slopes, rate, mass(time, state, p, output)
                                               to close loops, and to find speeds that keep them closed
  integrate(...)                               see `motion.solver.time_loop`
  respond(time, state, u, output)              accelerations, multipliers, and what holds each speed
  outputs(time, state, u, output)              torques, accelerations, friction, multipliers
  balance_terms(time, state, u, output)        power, kinetic and potential energy, drift
  along(time, state, u, output)                how fast the coordinates change, from the speeds
  poses(time, state, p, output)                rotation and position of all bodies and frames
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.samples import with_samples
from lagrangian.functions.constraints import constraint_jacobian
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.parameters import Parameter, trace_parameters
from lagrangian.functions.traced_parameter import node_of
from lagrangian.kernels.llvm import machine_code
from lagrangian.kernels.llvm.emit import write_function
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.kernels.trace.node import NUMBERS, Graph, Trace
from lagrangian.kernels.wasm import load_or_compile_wasm
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.motion import Motion
from lagrangian.motion.solver.places import SolverWorkspace
from lagrangian.motion.solver.text import SolverText, effort
from lagrangian.motion.system.programs import Programs
from lagrangian.motion.system.system import System
from lagrangian.page_motion import plan as plans
from lagrangian.page_motion.arrows import Arrow, arrows
from lagrangian.page_motion.controllers import ControlLaw, ControlLawWriter, control_law
from lagrangian.page_motion.inputs import GAIN, PARAMETER, PageInput, select_inputs
from lagrangian.page_motion.subject import PageMotion, PageStart, as_page_motion

EXPORTED_FUNCTIONS = (
    *("numbers", "prepare", "start", "closure", "slopes", "rate", "mass", "along"),
    *("project", "integrate", "respond", "ask", "outputs", "balance_terms", "poses", "arrows"),
)
MAX_SHORT_OPERATIONS = 4000  # operations of the equations of motion past which LLVM's last effort is not worth its time
Outputs = Callable[[Graph], list[Any]]


def compile_page(motion: Motion, sliders: Iterable[Any] | None = None) -> PageModule:
    """Compile a motion for a page, with sliders for the inputs that are named; see `select_inputs`.

    `sliders` are names ("l1", "link3.mass", "q0.theta1", "qd0.theta1", or the gains "frequency" and "damping" of a controller),
    or (name, lower, upper). A motion that a page cannot compute raises a `NotComputableError` with the reason.
    """
    subject = as_page_motion(motion)
    law = control_law(subject)
    inputs = select_inputs(subject, law, sliders)
    writer = PageModuleWriter(subject, law, inputs)

    def build() -> tuple[dict[str, Any], str, int, tuple[str, ...]]:
        module_text, numbers = writer.write_module(fma=False)
        return (
            {"numbers": numbers},
            module_text,
            min(effort(module_text), 1 if writer.is_long else 2),
            machine_code.UNROLLING_PASSES,
        )

    header, wasm = load_or_compile_wasm(writer.key, [name for name in EXPORTED_FUNCTIONS if writer.has(name)], build)
    return PageModule(plans.plan(subject, law, inputs, writer, int(header["numbers"])), wasm)


@dataclass(frozen=True)
class PageModule:
    """A compiled module `wasm`, and the plan by which js/program.js finds its inputs and results, as JSON has it."""

    plan: dict[str, Any]
    wasm: bytes


class PageModuleWriter:
    """The writer of all functions of a module, for one motion and the inputs of its page."""

    def __init__(self, subject: PageMotion, law: ControlLaw | None, inputs: Sequence[PageInput]) -> None:
        self.subject, self.law, self.inputs = subject, law, tuple(inputs)
        self.page_start = PageStart.from_motion(subject)
        mechanism = subject.mechanism
        self.parameters = tuple(Parameter(x.name, x.value) for x in inputs if x.kind == PARAMETER)
        self._graph = Graph()
        mechanism_over_inputs, values = trace_parameters(mechanism, self.parameters, self._graph)
        self._values = values
        run_system = subject.system
        tree = with_samples(mechanism_over_inputs, run_system._made_from[0], values, 1)
        massless = run_system._made_from[-1]
        self.system = System(
            mechanism_over_inputs,
            tree,
            subject.torque,
            run_system.stabilisation,
            subject.table,
            subject.holdable,
            run_system.redundant,
            run_system.ranks,
            massless,
        )
        self.gains = 0
        if law is not None:
            first = len(self.parameters)
            gain_inputs = {x.name: self._graph.input(NUMBERS, first + k) for k, x in enumerate(self._gain_inputs)}
            nodes = law.gain_values(gain_inputs)
            self.gains = self.system.numbers.extend(law.gain_values({}), [_Gain(x) for x in nodes])
        self.workspace = SolverWorkspace(
            self.system.size, subject.settings.method, len(self.system.table), self.system.table.looks
        )

    @property
    def _gain_inputs(self) -> list[PageInput]:
        return [x for x in self.inputs if x.kind == GAIN]

    @cached_property
    def model(self) -> MechanismGraph:
        """The functions that read the inputs of the page directly."""
        return MechanismGraph(self.subject.mechanism, self.parameters)

    @cached_property
    def driven(self) -> list[bool]:
        """Whether a torque acts, for each speed."""
        graph = Graph()
        tau = self.system.forces.torques(graph, self.system.state(graph))
        return [not (isinstance(x, (int, float)) and x == 0) for x in tau]

    @cached_property
    def arrows(self) -> list[Arrow]:
        return arrows(self.model, self.driven, bool(self.subject.torque.wrenches))

    @property
    def asked_at_stages(self) -> bool:
        """Whether a controller is asked at every stage of every step, and not at fixed times."""
        return self.subject.torque.sampled is None

    @property
    def is_long(self) -> bool:
        graph = Graph()
        self.system.rates(graph)
        return len(graph.nodes) > MAX_SHORT_OPERATIONS

    def has(self, name: str) -> bool:
        """Whether there is a function of this name."""
        is_constrained = self.system.constrained
        if name in ("closure", "slopes", "rate", "along"):
            return is_constrained
        if name == "mass":
            return is_constrained or bool(self.subject.holdable)
        if name == "arrows":
            return bool(self.arrows)
        return {"project": self.system.projects, "ask": self.law is not None, "respond": self.system.responds}.get(name, True)

    @cached_property
    def key(self) -> str:
        """A digest that tells this module from all others."""
        hasher = hashlib.sha256(b"".join(self.system.key))
        hasher.update(
            repr((self.subject.settings.method.key, self.asked_at_stages, self.system.numbers.values.tobytes())).encode()
        )
        for name, (graph, outputs, places) in self._functions.items():
            trace = Trace(graph, outputs)
            hasher.update(repr((name, trace.nodes, trace.outputs, places)).encode())
        if self.law is not None:
            hasher.update(type(self.law.controller).__name__.encode() + repr(self.law.reference.names).encode())
            hasher.update(self._law_key())
        return hasher.hexdigest()

    def _law_key(self) -> bytes:
        assert self.law is not None
        module = Module([], set(), False, 0, (), False, True)
        self._law_text().write(module)
        return hashlib.sha256("\n".join(module.lines).encode()).digest()

    def _law_text(self) -> ControlLawWriter:
        assert self.law is not None
        inputs = self.system.inputs
        return ControlLawWriter(self.law, self.gains, inputs.numbers, inputs.torque_function)

    # -- texts -------------------------------------------------------------------------------------------------------

    def write_module(self, fma: bool) -> tuple[str, int]:
        """The whole text, and the number of numbers that the code reads, including prepared ones."""
        system, settings = self.system, self.subject.settings
        more_functions: dict[str, Outputs] = {"outputs": Programs(system).traced_outputs}
        if system.responds:
            more_functions["respond"] = system.response
        if system.constrained:
            more_functions["along"] = system.coordinate_rates
        write_law = self._law_text().write if self.law is not None else None
        text, numbers = SolverText(
            system,
            settings.method,
            fma,
            self.workspace,
            balances=True,
            asked=write_law,
            more=more_functions,
            at_stages=self.asked_at_stages,
        ).written()
        declared: set[str] = set()
        lines: list[str] = []
        for name, (graph, outputs, places) in self._functions.items():
            lines += write_function(name, graph, outputs, places, declared, fma)
        lines_so_far = set(text.split("\n"))
        return "\n".join([text, *lines, *sorted(declared - lines_so_far)]), numbers

    @cached_property
    def _functions(self) -> dict[str, tuple[Graph, list[Any], Mapping[str, tuple[str, int]]]]:
        """The functions of inputs, and of state and inputs: their graphs, outputs, and the places of what they read."""
        of_inputs = {NUMBERS: ("p", 0)}
        graph = self.model.graph
        nq = self.system.nq
        of_state = {"t": ("time", 0), "q": ("state", 0), "qd": ("state", nq), NUMBERS: ("p", 0)}
        functions: dict[str, Any] = {
            "numbers": (self._graph, self._number_outputs(), of_inputs),
            "start": (self._graph, self._start_outputs(), of_inputs),
            "poses": (graph, self._pose_outputs(), of_state),
        }
        if self.arrows:
            nv = self.system.nv
            of_forces = {"tau": ("forces", 0), "qdd": ("forces", nv), "multipliers": ("forces", 3 * nv)}
            numbers = [x for arrow in self.arrows for x in (*arrow.point, *arrow.vector)]
            functions["arrows"] = (graph, numbers, {**of_state, **of_forces})
        if self.has("closure"):
            constraint_programs = self.model.constraint_programs
            psi = constraint_jacobian(self.model)
            nv = self.system.nv
            rows = [psi[i * nv : (i + 1) * nv] for i in range(self.system.mechanism.equation_count)]
            functions |= {
                "closure": (graph, self.model.record(constraint_programs.closure()), of_state),
                "slopes": (graph, [x for row in rows for x in row], of_state),
                "rate": (graph, self.model.record(constraint_programs.rate()), of_state),
            }
        if self.has("mass"):
            functions["mass"] = (graph, self.model.sweep(MASS_MATRIX), of_state)
        return functions

    def _number_outputs(self) -> list[Any]:
        return [x.node if isinstance(x, _Gain) else node_of(x) for x in self.system.numbers.sample_values]

    def _start_outputs(self) -> list[Any]:
        """The initial state: entries of the description if the motion began with them, all others as they were in the motion.

        Speeds that the description leaves open are the slowest that keep the constraints: they are found from zero.
        """
        begin, state = self.page_start, list[Any](self.subject.start.tolist())
        if begin.finds_speeds:
            state[self.system.nq :] = [0.0] * self.system.nv
        for place, x in begin.described_entries.items():
            state[place] = node_of(self._values.evaluate(x))
        return state

    def _pose_outputs(self) -> list[Any]:
        """The pose of every body, then of every named frame: three rows of a rotation, each before an entry of the position."""
        mechanism, pose_entries = self.subject.mechanism, []
        for name in (*(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames)):
            T = self.model.record(TreeProgram(kinematics.POSE_OF_FRAME, self.model.path_to_frame(name)))
            pose_entries += T[:12]
        return pose_entries


class _Gain:
    """A number that is computed from a gain of the page."""

    def __init__(self, node: Any) -> None:
        self.node = node
