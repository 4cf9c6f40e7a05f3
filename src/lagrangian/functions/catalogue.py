"""The functions that can be exported, and the package of those that are requested.

All routines of a package share the constants that depend on the parameters alone: each trace is split into those and the rest
(`kernels.trace.schedule.split_constants`), and the constants are gathered on one graph. Links of a long mechanism that are the
same have their numbers once in the code, not in a table for every link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lagrangian.algorithms.link import CONSTANTS
from lagrangian.algorithms.sweep import Algorithm, Walk
from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError, ArgumentName, unknown_name_message
from lagrangian.functions import constraints, control, dynamics, fixed_step, frames
from lagrangian.functions.function import CatalogueFunction
from lagrangian.functions.mechanism_graph import MAX_OPERATIONS, MechanismGraph
from lagrangian.functions.parameters import Parameter, select_parameters
from lagrangian.functions.routine import CallSequence, ComputeStep, LinkLoops, Package, Routine, StraightLineCode
from lagrangian.kernels.rolled import trace as rolled_trace
from lagrangian.kernels.rolled.trace import CodeConstants, Variant, with_link_variants
from lagrangian.kernels.trace.node import NUMBERS, PREPARED, Graph, GraphTooLargeError, Node, NodeRecord, Trace
from lagrangian.kernels.trace.replay import replay
from lagrangian.kernels.trace.schedule import split_constants
from lagrangian.model.mechanism import Mechanism

ALL = (
    *dynamics.FUNCTIONS,
    *frames.FUNCTIONS,
    *constraints.FUNCTIONS,
    *dynamics.DERIVATIVE_FUNCTIONS,
    *control.FUNCTIONS,
    *fixed_step.FUNCTIONS,
)
FUNCTIONS = {function.name: function for function in ALL}

# the functions that are exported if none is requested
DEFAULT_FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity")

# the most kinds of links with code of their own; in walks every kind meets every other
MAX_KINDS, MAX_KINDS_OF_WALKS = 8, 3


def package(
    mechanism: Mechanism,
    functions: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    loops: bool = True,
) -> Package:
    """Return the routines of some functions of a mechanism; `loops` says whether the target can write loops over the links."""
    selected, notes = select_parameters(mechanism, parameters)
    for frame in () if frames is None else frames:
        mechanism.frame(frame)  # an unknown one is refused
    model = MechanismGraph(mechanism, selected)
    constants = SharedConstants()
    distinct_routines = _with_distinct_names(
        _routine(model, request, loops) for request in _parse_requests(model, functions, frames)
    )
    routines = tuple(_hoist_constants(routine, constants) for routine in distinct_routines)
    trace = constants.trace()
    if selected:
        notes += _loop_notes(routines)
    if parameters is None:  # a default parameter on which no function depends is left out
        selected, trace = _without_unread(selected, trace)
    else:
        notes += _unread_notes(selected, trace)
    return Package(
        mechanism.name,
        selected,
        trace,
        routines,
        tuple(mechanism.coordinate_names),
        tuple(mechanism.speed_names),
        (*notes, *(f"From reading the file: {note}" for note in mechanism.notes)),
    )


def _loop_notes(routines: Iterable[Routine]) -> tuple[str, ...]:
    """Return a note about routines that do not depend on parameters because they are loops over the links."""
    names = ", ".join(routine.name for routine in routines if isinstance(routine.body, LinkLoops))
    text = "these functions are loops over the links with fixed numbers, and do not depend on parameters."
    return (f"{names}: {text}",) if names else ()


def _unread_notes(parameters: tuple[Parameter, ...], trace: Trace) -> tuple[str, ...]:
    """Return a note about parameters on which no exported function depends."""
    indices = _read_indices(trace)
    unread = [p.name for k, p in enumerate(parameters) if k not in indices]
    return (f"{', '.join(unread)}: no exported function depends on {'it' if len(unread) == 1 else 'them'}.",) if unread else ()


def _read_indices(trace: Trace) -> list[int]:
    """Return the indices of the parameters that a trace reads, in order."""
    return sorted({node[2] for node in trace.nodes if node[0] == "input"})


def _parse_requests(
    model: MechanismGraph, functions: Sequence[str] | None, frames: Sequence[str] | None
) -> list[FunctionRequest]:
    """Return the requested functions, each after those that it calls."""
    if isinstance(functions, str):
        raise ArgumentError("must be a list of names, such as ['inverse_dynamics']", argument="functions")
    requests: dict[tuple[str, str], FunctionRequest] = {}
    for text in DEFAULT_FUNCTIONS if functions is None else functions:
        for request in parse_request(model, text, frames):
            refusal = request.function.refusal(model)
            if refusal:
                raise ArgumentError(f"{request.function.name} cannot be exported: {refusal}", argument="functions")
            for name in request.function.called_functions(model):
                requests.setdefault((name, ""), FunctionRequest(FUNCTIONS[name]))
            requests.setdefault((request.function.name, request.frame), request)
    if not requests:
        raise ArgumentError("is empty; name at least one function", argument="functions")
    return list(requests.values())


class FunctionRequest(NamedTuple):
    """A function, and its frame, if it has one."""

    function: CatalogueFunction
    frame: str = ""


def parse_request(model: MechanismGraph, text: str, frames: Sequence[str] | None) -> Iterator[FunctionRequest]:
    """Yield the functions of a text: `jacobian:tool` has one frame, `jacobian` all given ones or the default ones."""
    name, _, frame = text.partition(":") if isinstance(text, str) else ("", "", "")
    if name not in FUNCTIONS:
        raise ArgumentError(unknown_name_message("function", text, FUNCTIONS), where=ArgumentName("functions"))
    function = FUNCTIONS[name]
    if not function.of_frame:
        if frame:
            raise ArgumentError(f"{name} has no frame, but {text!r} names one", argument="functions")
        yield FunctionRequest(function)
        return
    mechanism = model.mechanism
    for frame_name in [frame] if frame else frames if frames is not None else default_frames(mechanism):
        mechanism.frame(frame_name)  # an unknown one is refused
        yield FunctionRequest(function, frame_name)


def default_frames(mechanism: Mechanism) -> list[str]:
    """Return the named frames of a mechanism, or else the bodies that carry no other."""
    frame_names = [frame.name for frame in mechanism.frames]
    parents = {joint.parent for joint in mechanism.joints}
    return frame_names or [body.name for body in mechanism.bodies if body.name not in parents]


def _routine(model: MechanismGraph, request: FunctionRequest, loops: bool) -> Routine:
    function, frame = request
    name = f"{function.name}_{frame}" if frame else function.name
    about = f"{function.about} The frame is {frame!r}." if frame else function.about
    inputs, outputs = function.arguments(model), tuple(replace(x, output=True) for x in function.outputs(model))
    if function.sequence is not None:
        return Routine(name, about, inputs, outputs, function.sequence(model))
    link_loops = _link_loops(model, function) if loops and model.large else None
    if link_loops is not None:
        return Routine(name, about, inputs, outputs, link_loops)
    try:
        trace = Trace(model.graph, function.compute(model, frame))
        if trace.operations > MAX_OPERATIONS:
            raise GraphTooLargeError
    except GraphTooLargeError:
        remedy = "export functions that are loops over the links, such as inverse_dynamics of a mechanism without loops"
        raise ArgumentError(
            f"{name} of {model.mechanism.name!r} has more than {MAX_OPERATIONS} operations, which would be megabytes of code",
            concerns="functions",
            remedy=remedy if loops else "this target cannot write loops over the links; others can, such as 'c'",
        ) from None
    return Routine(name, about, inputs, outputs, StraightLineCode(trace))


def _link_loops(model: MechanismGraph, function: CatalogueFunction) -> LinkLoops | None:
    """Return the loops over the links of a function that is one algorithm and nothing else; None of others."""
    mechanism = model.mechanism
    has_more_terms = mechanism.springs or model.friction.planar_speeds or (mechanism.equation_count and function.takes_time)
    if function.algorithm is None or has_more_terms:
        return None
    tree = group_equal_links(function.algorithm, replace(model.tree, sample_tree=None))
    return LinkLoops(function.algorithm, tree, rolled_trace.trace_algorithm(function.algorithm, tree, shared_constants(tree)))


def _with_distinct_names(routines: Iterable[Routine]) -> Iterator[Routine]:
    """Yield routines with distinct names: `jacobian` of the frame `dot_qd_tool` is not `jacobian_dot_qd` of `tool`."""
    names: set[str] = set()
    for routine in routines:
        name = routine.name
        while name in names:
            name += "_"
        names.add(name)
        yield routine if name == routine.name else replace(routine, name=name)


def _hoist_constants(routine: Routine, constants: SharedConstants) -> Routine:
    """Return the routine with constants in place of what depends on parameters alone."""
    body = routine.body
    if isinstance(body, StraightLineCode):
        return replace(routine, body=StraightLineCode(constants.without_constants(body.trace)))
    if isinstance(body, CallSequence):
        steps = tuple(
            replace(step, trace=constants.without_constants(step.trace)) if isinstance(step, ComputeStep) else step
            for step in body.steps
        )
        return replace(routine, body=replace(body, steps=steps))
    return routine


def _without_unread(parameters: tuple[Parameter, ...], trace: Trace) -> tuple[tuple[Parameter, ...], Trace]:
    """Return the parameters that a trace reads, and the trace with these parameters alone."""
    indices = _read_indices(trace)
    new_index = {k: i for i, k in enumerate(indices)}
    nodes = [(*node[:2], new_index[node[2]]) if node[0] == "input" else node for node in trace.nodes]
    return tuple(parameters[k] for k in indices), Trace.from_nodes(nodes, trace.outputs)


class SharedConstants:
    """The constants that routines need of the parameters alone, computed once for all of them."""

    def __init__(self) -> None:
        self._graph = Graph()
        self._constants: list[Node] = []
        self._places: dict[int, int] = {}

    def without_constants(self, trace: Trace) -> Trace:
        """Return a trace that reads constants in place of what depends on parameters alone, which is added to the constants."""
        constant_trace, remaining_trace = split_constants(trace)
        constant_places = [self._place(x) for x in replay(constant_trace, self._graph.input)]
        nodes: list[NodeRecord] = []
        for node in remaining_trace.nodes:
            if node[0] == "input" and node[1] == PREPARED:
                node = ("input", PREPARED, constant_places[node[2]])
            elif node[0] == "input" and node[1] == NUMBERS:
                node = ("input", PREPARED, self._place(self._graph.input(*node[1:])))
            nodes.append(node)
        return Trace.from_nodes(nodes, remaining_trace.outputs)

    def _place(self, x: Node) -> int:
        node = self._graph.node(x)
        if node.index not in self._places:
            self._places[node.index] = len(self._constants)
            self._constants.append(node)
        return self._places[node.index]

    def trace(self) -> Trace:
        """Return the trace from the parameters to the constants."""
        return Trace(self._graph, self._constants)


def group_equal_links(algorithm: Algorithm, tree: Tree) -> Tree:
    """Return the tree with one kind for equal links, if the kinds are then few; else with kinds by structure."""
    walks = any(isinstance(sweep, Walk) for sweep in algorithm.sweeps)
    rows = np.hstack([tree.constants[name] for name in CONSTANTS]) + 0.0  # no negative zeros
    keys = [(kind, row.tobytes()) for kind, row in zip(tree.kind, rows, strict=True)]
    numbers = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    if len(numbers) > (MAX_KINDS_OF_WALKS if walks else MAX_KINDS):
        return with_link_variants(algorithm, tree)
    kinds: list[Any] = [Variant(key[0], numbers[key]) for key in keys]
    return replace(tree, kind=tuple(kinds))


def shared_constants(tree: Tree) -> CodeConstants:
    """Return the constants that all links of a kind share."""
    constants: CodeConstants = {}
    kind_keys = np.array([kind.key for kind in tree.kind])
    for kind in set(tree.kind):
        for name in CONSTANTS:
            rows = tree.constants[name][kind_keys == kind.key]
            for j in np.flatnonzero((rows == rows[0]).all(axis=0)):
                constants[kind, name, int(j)] = float(rows[0, j])
    return constants
