"""The functions that can be exported, and the package of those that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lagrangian.errors import Argument, ArgumentError, one_of
from lagrangian.exports import parameters as adjustable
from lagrangian.exports.functions import constraints, control, derivatives, dynamics, frames, step
from lagrangian.exports.functions.function import Function
from lagrangian.exports.model import LARGEST, Model
from lagrangian.exports.parameters import Parameter
from lagrangian.exports.preparation import Preparation
from lagrangian.exports.routine import Compute, Package, Rolled, Routine, Straight
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.exports.same_links import grouped, shared_constants
from lagrangian.kernels.rolled import trace as rolled
from lagrangian.kernels.trace.node import TooLarge, Trace
from lagrangian.model.mechanism import Mechanism

ALL = (
    *dynamics.FUNCTIONS,
    *frames.FUNCTIONS,
    *constraints.FUNCTIONS,
    *derivatives.FUNCTIONS,
    *control.FUNCTIONS,
    *step.FUNCTIONS,
)
FUNCTIONS = {function.name: function for function in ALL}
# what is exported where nothing is asked for
USUAL = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity")


class Wanted(NamedTuple):
    """A function, and the frame it is of, if it is of one."""

    function: Function
    frame: str = ""


def package(
    mechanism: Mechanism,
    functions: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    rolled: bool = True,
) -> Package:
    """The routines of some functions of a mechanism; `rolled` says whether the target has loops."""
    chosen, notes = adjustable.chosen(mechanism, parameters)
    for frame in () if frames is None else frames:
        mechanism.frame(frame)  # an unknown one is refused
    model = Model(mechanism, chosen)
    preparation = Preparation()
    made = _distinct(_routine(model, wanted, rolled) for wanted in _wanted(model, functions, frames))
    routines = [_prepared(routine, preparation) for routine in made]
    fixed = [routine.name for routine in routines if isinstance(routine.body, Rolled)]
    if fixed and chosen:
        notes += (
            f"{', '.join(fixed)}: these functions are loops over the links with fixed numbers, and do not depend on parameters.",
        )
    trace = preparation.trace()
    read = {node[2] for node in trace.nodes if node[0] == "input"}
    unread = [p.name for k, p in enumerate(chosen) if k not in read]
    if parameters is None:  # what nothing depends on is nothing to change
        chosen, trace = _without_unread(chosen, trace)
    elif unread:
        notes += (f"{', '.join(unread)}: no exported function depends on {'it' if len(unread) == 1 else 'them'}.",)
    return Package(
        mechanism.name,
        chosen,
        trace,
        tuple(routines),
        tuple(mechanism.coordinate_names),
        tuple(mechanism.speed_names),
        (*notes, *(f"From reading the file: {note}" for note in mechanism.notes)),
    )


def _distinct(routines: Iterable[Routine]) -> Iterator[Routine]:
    """Routines that all have names of their own: jacobian of `dot_qd_tool` is not jacobian_dot_qd of `tool`."""
    names: set[str] = set()
    for routine in routines:
        name = routine.name
        while name in names:
            name += "_"
        names.add(name)
        yield routine if name == routine.name else replace(routine, name=name)


def _without_unread(chosen: tuple[Parameter, ...], trace: Trace) -> tuple[tuple[Parameter, ...], Trace]:
    """The parameters that a preparation reads, and the preparation that reads these alone."""
    read = sorted({node[2] for node in trace.nodes if node[0] == "input"})
    place = {k: i for i, k in enumerate(read)}
    nodes = [(*node[:2], place[node[2]]) if node[0] == "input" else node for node in trace.nodes]
    return tuple(chosen[k] for k in read), Trace.of(nodes, trace.outputs)


def _wanted(model: Model, functions: Sequence[str] | None, frames: Sequence[str] | None) -> list[Wanted]:
    """What is asked for, each function after those that it calls."""
    if isinstance(functions, str):
        raise ArgumentError("must be a list of names, such as ['inverse_dynamics']", argument="functions")
    found: dict[tuple[str, str], Wanted] = {}
    for text in USUAL if functions is None else functions:
        for wanted in named(model, text, frames):
            why = wanted.function.refused(model)
            if why:
                raise ArgumentError(f"{wanted.function.name} cannot be exported: {why}", argument="functions")
            for name in wanted.function.calls(model):
                found.setdefault((name, ""), Wanted(FUNCTIONS[name]))
            found.setdefault((wanted.function.name, wanted.frame), wanted)
    if not found:
        raise ArgumentError("is empty; name at least one function", argument="functions")
    return list(found.values())


def named(model: Model, text: str, frames: Sequence[str] | None) -> Iterator[Wanted]:
    """`jacobian:tool` is of one frame, `jacobian` of all that are given, or that the mechanism names."""
    name, _, frame = text.partition(":") if isinstance(text, str) else ("", "", "")
    if name not in FUNCTIONS:
        raise ArgumentError(one_of("function", text, FUNCTIONS), where=Argument("functions"))
    function = FUNCTIONS[name]
    if not function.framed:
        if frame:
            raise ArgumentError(f"{name} has no frame, but {text!r} names one", argument="functions")
        yield Wanted(function)
        return
    mechanism = model.mechanism
    for each in [frame] if frame else frames if frames is not None else usual_frames(mechanism):
        mechanism.frame(each)  # an unknown one is refused
        yield Wanted(function, each)


def usual_frames(mechanism: Mechanism) -> list[str]:
    """The frames that the mechanism names, or else the bodies that carry no other."""
    named = [frame.name for frame in mechanism.frames]
    carrying = {joint.parent for joint in mechanism.joints}
    return named or [body.name for body in mechanism.bodies if body.name not in carrying]


def _routine(model: Model, wanted: Wanted, loops: bool) -> Routine:
    function, frame = wanted
    name = f"{function.name}_{frame}" if frame else function.name
    about = f"{function.about} The frame is {frame!r}." if frame else function.about
    inputs, outputs = function.arguments(model), tuple(replace(x, output=True) for x in function.outputs(model))
    if function.sequence is not None:
        return Routine(name, about, inputs, outputs, function.sequence(model))
    looped = _rolled(model, function) if loops and model.large else None
    if looped is not None:
        return Routine(name, about, inputs, outputs, looped)
    try:
        trace = Trace(model.graph, function.compute(model, frame))
        if trace.operations > LARGEST:
            raise TooLarge
    except TooLarge:
        remedy = "export functions that are loops over the links, such as inverse_dynamics of a mechanism without loops"
        raise ArgumentError(
            f"{name} of {model.mechanism.name!r} has more than {LARGEST} operations, which would be megabytes of code",
            concerns="functions",
            remedy=remedy if loops else "this target cannot write loops over the links; others can, such as 'c'",
        ) from None
    return Routine(name, about, inputs, outputs, Straight(trace))


def _rolled(model: Model, function: Function) -> Rolled | None:
    """The loops over the links, of a function that is one algorithm and nothing else."""
    mechanism = model.mechanism
    more = mechanism.springs or model.friction.planes or (mechanism.equations and function.timed)
    if function.algorithm is None or more:
        return None
    tree = grouped(function.algorithm, replace(model.tree, lanes=None))
    return Rolled(function.algorithm, tree, rolled.trace(function.algorithm, tree, shared_constants(tree)))


def _prepared(routine: Routine, preparation: Preparation) -> Routine:
    """The routine with constants in place of what depends on parameters alone."""
    body = routine.body
    if isinstance(body, Straight):
        return replace(routine, body=Straight(preparation.rest_of(body.trace)))
    if isinstance(body, Calls):
        steps = tuple(
            replace(each, trace=preparation.rest_of(each.trace)) if isinstance(each, Compute) else each for each in body.steps
        )
        return replace(routine, body=replace(body, steps=steps))
    return routine
