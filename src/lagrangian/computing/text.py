"""The functions of a page's module, as LLVM text.

numbers(p, table)                        the numbers of the description, from the inputs p of the page
prepare(table)                           what follows from them alone
start(p, y)                              the described start, which may be written with parameters
closure, slopes, rate, mass(time, state, p, output)     to close loops, and to find speeds that keep them closed
integrate(...)                           see `motion.solver.time_loop`
respond(time, state, u, output)          accelerations, multipliers, and what holds each speed
outputs(time, state, u, output)          torques, accelerations, friction, multipliers
balance_terms(time, state, u, output)    power, kinetic and potential energy, drift
along(time, state, u, output)            how fast the coordinates change, from the speeds
poses(time, state, p, output)            of all bodies and frames: rotation and place
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.samples import sampled
from lagrangian.computing.arrows import Arrow, arrows
from lagrangian.computing.begin import Begin
from lagrangian.computing.controllers import Law, LawText
from lagrangian.computing.inputs import GAIN, PARAMETER, Input
from lagrangian.computing.subject import Subject
from lagrangian.exports.functions.constraints import constraint_jacobian
from lagrangian.exports.model import Model
from lagrangian.exports.parameters import Parameter, traced
from lagrangian.exports.traced_parameter import node_of
from lagrangian.kernels.llvm.function import traced as as_function
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.kernels.trace.node import NUMBERS, Graph, Trace
from lagrangian.motion.integrators.method import Module
from lagrangian.motion.solver.places import Workspace
from lagrangian.motion.solver.text import SolverText
from lagrangian.motion.system.programs import Programs
from lagrangian.motion.system.system import System

EXPORTED = (
    *("numbers", "prepare", "start", "closure", "slopes", "rate", "mass", "along"),
    *("project", "integrate", "respond", "ask", "outputs", "balance_terms", "poses", "arrows"),
)
LONG = 4000  # operations of the equations of motion past which LLVM's last effort is not worth its time

Outputs = Callable[[Graph], list[Any]]


class ProgramText:
    """All functions, for one motion and the inputs of its page."""

    def __init__(self, subject: Subject, law: Law | None, inputs: Sequence[Input]) -> None:
        self.subject, self.law, self.inputs = subject, law, tuple(inputs)
        self.begin = Begin.of(subject)
        mechanism = subject.mechanism
        self.parameters = tuple(Parameter(x.name, x.value) for x in inputs if x.kind == PARAMETER)
        self._graph = Graph()
        described, values = traced(mechanism, self.parameters, self._graph)
        self._values = values
        of = subject.system
        tree = sampled(described, of._made_from[0], values, 1)
        massless = of._made_from[-1]
        self.system = System(
            described, tree, subject.torque, of.stabilisation, subject.table, subject.holdable, of.redundant, of.ranks, massless
        )
        self.gains = 0
        if law is not None:
            first = len(self.parameters)
            given = {x.name: self._graph.input(NUMBERS, first + k) for k, x in enumerate(self._gain_inputs)}
            lanes = law.values(given)
            self.gains = self.system.numbers.extend(law.values({}), [_Gain(x) for x in lanes])
        self.workspace = Workspace(self.system.size, subject.settings.method, len(self.system.table), self.system.table.looks)

    @property
    def _gain_inputs(self) -> list[Input]:
        return [x for x in self.inputs if x.kind == GAIN]

    @cached_property
    def model(self) -> Model:
        """The functions that read the inputs of the page themselves."""
        return Model(self.subject.mechanism, self.parameters)

    @cached_property
    def driven(self) -> list[bool]:
        """At which speeds torques act."""
        graph = Graph()
        tau = self.system.forces.torques(graph, self.system.state(graph))
        return [not (isinstance(x, (int, float)) and x == 0) for x in tau]

    @cached_property
    def arrows(self) -> list[Arrow]:
        return arrows(self.model, self.driven, bool(self.subject.torque.wrenches))

    @property
    def at_stages(self) -> bool:
        """Whether a controller is asked at every stage of every step, and not at fixed times."""
        return self.subject.torque.sampled is None

    @property
    def long(self) -> bool:
        graph = Graph()
        self.system.rates(graph)
        return len(graph.nodes) > LONG

    def has(self, name: str) -> bool:
        """Whether there is a function of this name."""
        closed = self.system.constrained
        if name in ("closure", "slopes", "rate", "along"):
            return closed
        if name == "mass":
            return closed or bool(self.subject.holdable)
        if name == "arrows":
            return bool(self.arrows)
        return {"project": self.system.projects, "ask": self.law is not None, "respond": self.system.responds}.get(name, True)

    @cached_property
    def key(self) -> str:
        """What tells this module from all others."""
        found = hashlib.sha256(b"".join(self.system.key))
        found.update(repr((self.subject.settings.method.key, self.at_stages, self.system.numbers.values.tobytes())).encode())
        for name, (graph, outputs, places) in self._functions.items():
            trace = Trace(graph, outputs)
            found.update(repr((name, trace.nodes, trace.outputs, places)).encode())
        if self.law is not None:
            found.update(type(self.law.controller).__name__.encode() + repr(self.law.reference.names).encode())
            found.update(self._law_key())
        return found.hexdigest()

    def _law_key(self) -> bytes:
        assert self.law is not None
        module = Module([], set(), False, 0, (), False, True)
        self._law_text().write(module)
        return hashlib.sha256("\n".join(module.lines).encode()).digest()

    def _law_text(self) -> LawText:
        assert self.law is not None
        inputs = self.system.inputs
        return LawText(self.law, self.gains, inputs.numbers, inputs.torque_function)

    # -- texts -------------------------------------------------------------------------------------------------------

    def written(self, fma: bool) -> tuple[str, int]:
        """The whole text, and how many numbers the code reads, prepared ones too."""
        system, settings = self.system, self.subject.settings
        more: dict[str, Outputs] = {"outputs": Programs(system).traced_outputs}
        if system.responds:
            more["respond"] = system.response
        if system.constrained:
            more["along"] = system.coordinate_rates
        asked = self._law_text().write if self.law is not None else None
        text, numbers = SolverText(
            system, settings.method, fma, self.workspace, balances=True, asked=asked, more=more, at_stages=self.at_stages
        ).written()
        declared: set[str] = set()
        lines: list[str] = []
        for name, (graph, outputs, places) in self._functions.items():
            lines += as_function(name, graph, outputs, places, declared, fma)
        known = set(text.split("\n"))
        return "\n".join([text, *lines, *sorted(declared - known)]), numbers

    @cached_property
    def _functions(self) -> dict[str, tuple[Graph, list[Any], Mapping[str, tuple[str, int]]]]:
        """Those of the inputs, and of the state with the inputs: what they compute, and where they find what they read."""
        of_inputs = {NUMBERS: ("p", 0)}
        graph = self.model.graph
        nq = self.system.nq
        of_state = {"t": ("time", 0), "q": ("state", 0), "qd": ("state", nq), NUMBERS: ("p", 0)}
        found: dict[str, Any] = {
            "numbers": (self._graph, self._numbers(), of_inputs),
            "start": (self._graph, self._start(), of_inputs),
            "poses": (graph, self._poses(), of_state),
        }
        if self.arrows:
            nv = self.system.nv
            of_forces = {"tau": ("forces", 0), "qdd": ("forces", nv), "multipliers": ("forces", 3 * nv)}
            numbers = [x for arrow in self.arrows for x in (*arrow.point, *arrow.vector)]
            found["arrows"] = (graph, numbers, {**of_state, **of_forces})
        if self.has("closure"):
            closed = self.model.closed
            psi = constraint_jacobian(self.model)
            nv = self.system.nv
            rows = [psi[i * nv : (i + 1) * nv] for i in range(self.system.mechanism.equations)]
            found |= {
                "closure": (graph, self.model.of(closed.closure()), of_state),
                "slopes": (graph, [x for row in rows for x in row], of_state),
                "rate": (graph, self.model.of(closed.rate()), of_state),
            }
        if self.has("mass"):
            found["mass"] = (graph, self.model.sweep(MASS_MATRIX), of_state)
        return found

    def _numbers(self) -> list[Any]:
        return [x.node if isinstance(x, _Gain) else node_of(x) for x in self.system.numbers.lanes]

    def _start(self) -> list[Any]:
        """Coordinates and speeds as the description has them, where the motion began so; all others as they were in it.

        Speeds that it leaves open are the slowest that keep the constraints: they are found from zero.
        """
        begin, found = self.begin, list[Any](self.subject.start.tolist())
        if begin.finds_speeds:
            found[self.system.nq :] = [0.0] * self.system.nv
        for place, x in begin.described.items():
            found[place] = node_of(self._values.of(x))
        return found

    def _poses(self) -> list[Any]:
        """Of every body, then of every named frame: three rows of a rotation, each with an entry of the place behind it."""
        mechanism, found = self.subject.mechanism, []
        for name in (*(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames)):
            T = self.model.of(Sweeps(kinematics.POSE_OF_FRAME, self.model.path(name)))
            found += T[:12]
        return found


class _Gain:
    """A number that follows a gain of the page."""

    def __init__(self, node: Any) -> None:
        self.node = node
