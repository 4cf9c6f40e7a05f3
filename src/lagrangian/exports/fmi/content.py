"""What an FMU of a mechanism is made of: its routines in C, its variables, and what is to be said of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lagrangian.algorithms.link import is_zero
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.errors import ArgumentError
from lagrangian.exports import parameters as adjustable
from lagrangian.exports.fmi.outputs import Needs, Output, outputs, wanted
from lagrangian.exports.fmi.variables import Declaration, Variables
from lagrangian.exports.functions.catalogue import package
from lagrangian.exports.functions.function import ABOUT
from lagrangian.exports.functions.step import normalised
from lagrangian.exports.languages.names import spelled
from lagrangian.exports.model import Model
from lagrangian.exports.parameters import Parameter
from lagrangian.exports.routine import Argument, Package, Rolled, Routine, Straight
from lagrangian.exports.targets.c import Sources
from lagrangian.exports.targets.target import Wish
from lagrangian.kernels.trace.node import NUMBERS, Graph, Trace
from lagrangian.model.mechanism import Mechanism

NORMALISE = "normalise"
SPAN = (0.0, 10.0)  # of a mechanism that does not say how long it runs
LONGEST = 60  # characters of the model identifier, which names files
STEP, STEPS = 1e-3, 10_000  # s, the largest step unless it is given; and into how many the run of the description is divided
RATE = 100.0  # 1/s: the errors of variable-step solvers stay small, and explicit ones stable up to steps of 20 ms
SLOW = 1e-3  # rad/s or m/s
SHOWN = 6  # names that a note lists
OURS = ("fmi3", "fmu")  # how files, types and functions of every FMU begin
MODEL = "model"  # how the functions begin that connect it with the mechanism


@dataclass(frozen=True)
class Content:
    """`sources` are the routines in C, with names that are legal there; `outputs` say which of their numbers are outputs."""

    mechanism: Mechanism
    sources: Sources
    routines: Mapping[str, Routine]  # by the names that they have in the catalogue
    parameters: Sequence[Parameter]  # those that the equations depend on
    outputs: Sequence[Output]
    variables: Variables
    sliding: Mapping[int, tuple[int, ...]]  # speeds that have dry friction, each with those that slide together with it
    span: tuple[float, float]
    notes: tuple[str, ...]

    @property
    def identifier(self) -> str:
        return self.sources.prefix

    @property
    def projected(self) -> bool:
        """Whether states can leave the constraints: loops, or quaternions of length one."""
        return any(name in self.routines for name in ("project", NORMALISE))


def content(mechanism: Mechanism, wish: Wish, step: float | None) -> Content:
    if not mechanism.nv:
        raise ArgumentError(f"{mechanism.name} has no joint that moves, but an FMU needs a state", argument="mechanism")
    chosen, _ = adjustable.chosen(mechanism, wish.parameters)
    model = Model(mechanism, chosen)
    given = wanted(model, wish.functions, wish.frames)
    asked = [f"{function.name}:{frame}" if frame else function.name for function, frame in given]
    made = _package(mechanism, [*_needed(model), *asked], wish)
    found = outputs(made, given)
    sources = Sources(mechanism, made, "double", _identifier(made.name))
    routines = {x.name: legal for x, legal in zip(made.routines, sources.package.routines, strict=True)}
    span = mechanism.initial.t_span or SPAN
    settings = {"largest_step": min(STEP, (span[1] - span[0]) / STEPS) if step is None else step}
    if "project" in routines or NORMALISE in routines:
        settings["stabilisation"] = RATE
    sliding = _sliding(Model(mechanism, made.parameters))
    if sliding:
        settings["friction_speed"] = SLOW
    used = {node[2] for node in made.preparation.nodes if node[0] == "input" and node[1] == NUMBERS}
    parameters = [p for k, p in enumerate(made.parameters) if k in used]
    variables = Declaration(mechanism).variables(_start(mechanism, span[0]), parameters, settings, found, Needs(made))
    idle = [p.name for k, p in enumerate(made.parameters) if k not in used]
    notes = (*made.notes, *_notes(mechanism, idle, sliding), *_renamed(variables))
    return Content(mechanism, sources, routines, parameters, found, variables, sliding, span, notes)


def _needed(model: Model) -> list[str]:
    """The functions that every FMU calls, as far as the mechanism has them."""
    found = ["forward_dynamics", "coordinate_rates"]
    if model.mechanism.initial.torque:
        found.append("torque")
    if _sliding(model):
        found.append("friction")
    constrained = ["project", "closure", "constraint_rate", "constraint_jacobian", "mass_matrix"]
    return [*found, *constrained] if model.equations else found


def _package(mechanism: Mechanism, functions: Sequence[str], wish: Wish) -> Package:
    made = package(mechanism, functions, wish.frames, wish.parameters)
    if made.parameters and any(isinstance(x.body, Rolled) for x in made.routines):
        if wish.parameters is not None:
            raise ArgumentError(
                f"{mechanism.name} has so many links that its equations are loops over them, which have no adjustable parameters",
                argument="parameters",
                remedy="leave parameters out",
            )
        made = package(mechanism, functions, wish.frames, [])  # some functions would follow them, and others not
    if not mechanism.equations and any(joint.kind.quaternion for joint in mechanism.joints):
        made = replace(made, routines=(*made.routines, _normalising(mechanism)))
    return made


def _normalising(mechanism: Mechanism) -> Routine:
    """What brings quaternions back to length one."""
    names, graph = tuple(mechanism.coordinate_names), Graph()
    q = normalised(mechanism, [graph.input("q", k) for k in range(len(names))])
    given, found = (Argument(name, (len(names),), ABOUT["q"], names) for name in ("q", "q_next"))
    about = "The coordinates with quaternions of length one."
    return Routine(NORMALISE, about, (given,), (replace(found, output=True),), Straight(Trace(graph, q)))


def _start(mechanism: Mechanism, t: float) -> list[float]:
    """Where a simulation without any other start begins: loops are closed, and speeds keep them so."""
    start = Start(dynamics_of(mechanism), None, t)
    return [float(x) for x in (*start.q, *start.speeds())]


def _identifier(name: str) -> str:
    plain = spelled(name)[:LONGEST] or "mechanism"
    ours = plain.lower().startswith(OURS) or plain.lower() == MODEL
    return f"mechanism_{plain}" if ours or plain[0].isdigit() else plain


def _sliding(model: Model) -> dict[int, tuple[int, ...]]:
    """The speeds that have dry friction, or may be given it by a parameter, each with those that slide together with it."""
    found, first = dict[int, tuple[int, ...]](), 0
    for joint in model.mechanism.joints:
        if not all(is_zero(model.number(x or 0)) for x in (joint.friction.coulomb, joint.friction.coulomb_negative)):
            plane = tuple(first + k for k in joint.rubbing_plane)
            found |= {k: plane if k in plane else (k,) for k in range(first, first + joint.kind.nv)}
        first += joint.kind.nv
    return found


def _renamed(variables: Variables) -> list[str]:
    changed = [f"{old} is {new}" for old, new in variables.changed.items()]
    more = f", and {len(changed) - SHOWN} more, whose descriptions have them" if len(changed) > SHOWN else ""
    return [f"Names that FMI does not allow are spelled differently: {', '.join(changed[:SHOWN])}{more}."] if changed else []


def _notes(mechanism: Mechanism, idle: Sequence[str], sliding: Iterable[int]) -> list[str]:
    """What of a simulation is not in the FMU."""
    found = []
    if idle:
        found.append(f"{', '.join(idle)}: the equations do not depend on them, so they are not parameters of the FMU.")
    stops = [j.name for j in mechanism.joints if math.isfinite(float(j.limits.lower)) or math.isfinite(float(j.limits.upper))]
    if stops:
        found.append(f"{', '.join(stops)}: joints of an FMU do not stop at their limits.")
    names = ", ".join(mechanism.speed_names[k] for k in sliding)
    if names:
        found.append(f"{names}: dry friction grows over speeds up to friction_speed, so a joint that it should hold creeps.")
    if mechanism.events:
        found.append(f"{', '.join(e.name for e in mechanism.events)}: events of the description do not happen in the FMU.")
    return found
