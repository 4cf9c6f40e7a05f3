"""The content of an FMU of a mechanism: its routines in C, its variables, and the notes on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lagrangian.algorithms.link import is_zero
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.errors import ArgumentError
from lagrangian.exports.fmi.variables import (
    FmuOutput,
    FmuVariables,
    OutputDependencies,
    VariableDeclarer,
    outputs,
    requested_outputs,
)
from lagrangian.exports.source.identifiers import transliterate
from lagrangian.exports.targets.c import CSourceFiles
from lagrangian.exports.targets.target import ExportRequest
from lagrangian.functions import parameters as adjustable
from lagrangian.functions.catalogue import package
from lagrangian.functions.fixed_step import normalise_quaternions
from lagrangian.functions.function import ABOUT
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.parameters import Parameter
from lagrangian.functions.routine import LinkLoops, Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import NUMBERS, Graph, Trace
from lagrangian.model.mechanism import Mechanism

NORMALISE = "normalise"
SPAN = (0.0, 10.0)  # of a mechanism that does not say how long it runs
MAX_IDENTIFIER_LENGTH = 60  # characters of the model identifier, which names files
MAX_STEP = 1e-3  # s, of Co-Simulation by default
STEPS_OF_SPAN = 10_000  # by default, the time span has at least so many steps
STABILISATION_RATE = 100.0  # 1/s: the errors of variable-step solvers stay small, and explicit ones stable up to steps of 20 ms
FRICTION_SPEED = 1e-3  # rad/s or m/s
MAX_LISTED_NAMES = 6  # names that a note lists
RESERVED_PREFIXES = ("fmi3", "fmu")  # how files, types and functions of every FMU begin
RESERVED_NAME = "model"  # how the functions begin that connect it with the mechanism


@dataclass(frozen=True)
class FmuModel:
    """`sources` are the routines in C, with names that are legal there; `outputs` say which of their numbers are outputs."""

    mechanism: Mechanism
    sources: CSourceFiles
    routines: Mapping[str, Routine]  # by the names that they have in the catalogue
    parameters: Sequence[Parameter]  # those that the equations depend on
    outputs: Sequence[FmuOutput]
    variables: FmuVariables
    friction_groups: Mapping[int, tuple[int, ...]]  # speeds that have dry friction, each with those that slide together with it
    span: tuple[float, float]
    notes: tuple[str, ...]

    @property
    def identifier(self) -> str:
        return self.sources.prefix

    @property
    def needs_projection(self) -> bool:
        """Whether states can leave the constraints: loops, or quaternions of length one."""
        return any(name in self.routines for name in ("project", NORMALISE))


def build_fmu_model(mechanism: Mechanism, request: ExportRequest, step: float | None) -> FmuModel:
    """Build the content of an FMU; `step` is the largest step of Co-Simulation in s, or None for the default."""
    if not mechanism.nv:
        raise ArgumentError(f"{mechanism.name} has no joint that moves, but an FMU needs a state", argument="mechanism")
    adjustable_parameters, _ = adjustable.select_parameters(mechanism, request.parameters)
    model = MechanismGraph(mechanism, adjustable_parameters)
    output_requests = requested_outputs(model, request.functions, request.frames)
    output_functions = [f"{function.name}:{frame}" if frame else function.name for function, frame in output_requests]
    routine_package = _package(mechanism, [*_required_functions(model), *output_functions], request)
    fmu_outputs = outputs(routine_package, output_requests)
    sources = CSourceFiles(mechanism, routine_package, "double", _identifier(routine_package.name))
    routines = {x.name: legal for x, legal in zip(routine_package.routines, sources.package.routines, strict=True)}
    span = mechanism.initial.t_span or SPAN
    settings = {"largest_step": min(MAX_STEP, (span[1] - span[0]) / STEPS_OF_SPAN) if step is None else step}
    if "project" in routines or NORMALISE in routines:
        settings["stabilisation"] = STABILISATION_RATE
    sliding = _friction_groups(MechanismGraph(mechanism, routine_package.parameters))
    if sliding:
        settings["friction_speed"] = FRICTION_SPEED
    parameters_read = {node[2] for node in routine_package.preparation.nodes if node[0] == "input" and node[1] == NUMBERS}
    parameters = [p for k, p in enumerate(routine_package.parameters) if k in parameters_read]
    variables = VariableDeclarer(mechanism).variables(
        _start_state(mechanism, span[0]), parameters, settings, fmu_outputs, OutputDependencies(routine_package)
    )
    unused_names = [p.name for k, p in enumerate(routine_package.parameters) if k not in parameters_read]
    notes = (*routine_package.notes, *_notes(mechanism, unused_names, sliding), *_renaming_notes(variables))
    return FmuModel(mechanism, sources, routines, parameters, fmu_outputs, variables, sliding, span, notes)


def _required_functions(model: MechanismGraph) -> list[str]:
    """The functions that every FMU calls, as far as the mechanism has them."""
    names = ["forward_dynamics", "coordinate_rates"]
    if model.mechanism.initial.torque:
        names.append("torque")
    if _friction_groups(model):
        names.append("friction")
    constraint_functions = ["project", "closure", "constraint_rate", "constraint_jacobian", "mass_matrix"]
    return [*names, *constraint_functions] if model.equation_count else names


def _package(mechanism: Mechanism, functions: Sequence[str], request: ExportRequest) -> Package:
    routine_package = package(mechanism, functions, request.frames, request.parameters)
    if routine_package.parameters and any(isinstance(x.body, LinkLoops) for x in routine_package.routines):
        if request.parameters is not None:
            raise ArgumentError(
                f"{mechanism.name} has so many links that its equations are loops over them, which have no adjustable parameters",
                argument="parameters",
                remedy="leave parameters out",
            )
        routine_package = package(mechanism, functions, request.frames, [])  # some functions would follow them, and others not
    if not mechanism.equation_count and any(joint.kind.quaternion for joint in mechanism.joints):
        routine_package = replace(routine_package, routines=(*routine_package.routines, _normalisation_routine(mechanism)))
    return routine_package


def _normalisation_routine(mechanism: Mechanism) -> Routine:
    """The routine that brings quaternions back to length one."""
    names, graph = tuple(mechanism.coordinate_names), Graph()
    q = normalise_quaternions(mechanism, [graph.input("q", k) for k in range(len(names))])
    input_argument, output_argument = (RoutineArgument(name, (len(names),), ABOUT["q"], names) for name in ("q", "q_next"))
    about = "The coordinates with quaternions of length one."
    return Routine(
        NORMALISE, about, (input_argument,), (replace(output_argument, output=True),), StraightLineCode(Trace(graph, q))
    )


def _start_state(mechanism: Mechanism, t: float) -> list[float]:
    """The state (q, qd) in which a simulation starts by default: its loops are closed, and its speeds keep them closed."""
    start = Start(as_dynamics(mechanism), None, t)
    return [float(x) for x in (*start.q, *start.speeds())]


def _identifier(name: str) -> str:
    plain = transliterate(name)[:MAX_IDENTIFIER_LENGTH] or "mechanism"
    is_reserved = plain.lower().startswith(RESERVED_PREFIXES) or plain.lower() == RESERVED_NAME
    return f"mechanism_{plain}" if is_reserved or plain[0].isdigit() else plain


def _friction_groups(model: MechanismGraph) -> dict[int, tuple[int, ...]]:
    """The speeds that have dry friction, or may be given it by a parameter, each with those that slide together with it."""
    groups, first = dict[int, tuple[int, ...]](), 0
    for joint in model.mechanism.joints:
        if not all(is_zero(model.number(x or 0)) for x in (joint.friction.coulomb, joint.friction.coulomb_negative)):
            plane = tuple(first + k for k in joint.friction_plane)
            groups |= {k: plane if k in plane else (k,) for k in range(first, first + joint.kind.nv)}
        first += joint.kind.nv
    return groups


def _renaming_notes(variables: FmuVariables) -> list[str]:
    renamings = [f"{old} is {new}" for old, new in variables.changed.items()]
    if not renamings:
        return []
    remaining = len(renamings) - MAX_LISTED_NAMES
    more = f", and {remaining} more, whose descriptions have them" if remaining > 0 else ""
    return [f"Names that FMI does not allow are spelled differently: {', '.join(renamings[:MAX_LISTED_NAMES])}{more}."]


def _notes(mechanism: Mechanism, unused_names: Sequence[str], sliding: Iterable[int]) -> list[str]:
    """Notes on the parts of a simulation that the FMU does not contain."""
    notes = []
    if unused_names:
        notes.append(f"{', '.join(unused_names)}: the equations do not depend on them, so they are not parameters of the FMU.")
    stops = [j.name for j in mechanism.joints if math.isfinite(float(j.limits.lower)) or math.isfinite(float(j.limits.upper))]
    if stops:
        notes.append(f"{', '.join(stops)}: joints of an FMU do not stop at their limits.")
    names = ", ".join(mechanism.speed_names[k] for k in sliding)
    if names:
        notes.append(f"{names}: dry friction grows over speeds up to friction_speed, so a joint that it should hold creeps.")
    if mechanism.events:
        notes.append(f"{', '.join(e.name for e in mechanism.events)}: events of the description do not happen in the FMU.")
    return notes
