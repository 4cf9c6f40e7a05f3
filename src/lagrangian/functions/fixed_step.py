"""One step of a fixed-step integrator, and its parts: rates of the coordinates, and a projection to the constraints."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.functions.function import ABOUT, CatalogueFunction
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.routine import CallSequence, CallStep, ComputeStep, RoutineArgument
from lagrangian.kernels.trace.node import Graph, Trace
from lagrangian.model.mechanism import Mechanism

# the times of the stages of the classical Runge-Kutta method after the first, in steps
STAGES = (0.5, 0.5, 1.0)


def normalise_quaternions(mechanism: Mechanism, q: list[Any]) -> list[Any]:
    """Return coordinates whose quaternions have length one."""
    coordinates: list[Any] = []
    for joint in mechanism.joints:
        coordinates += joint.kind.normalise_coordinates(q[len(coordinates) : len(coordinates) + joint.kind.nq])
    return coordinates


def _state_outputs(model: MechanismGraph) -> tuple[RoutineArgument, ...]:
    mechanism = model.mechanism
    return (
        RoutineArgument("q_next", (model.nq,), ABOUT["q"], tuple(mechanism.coordinate_names)),
        RoutineArgument("qd_next", (model.nv,), ABOUT["qd"], tuple(mechanism.speed_names)),
    )


def rates(model: MechanismGraph, frame: str = "") -> list[Any]:
    return coordinate_rates(model.mechanism, model.input("q", model.nq), model.input("qd", model.nv))


def project(model: MechanismGraph, frame: str = "") -> list[Any]:
    """Take one Newton step to the constraints, the smallest by the measure of M; then find the nearest speeds that keep them."""
    q, qd = model.input("q", model.nq), model.input("qd", model.nv)
    correction = model.record(model.constraint_programs.position_correction())
    q = normalise_quaternions(
        model.mechanism, [a + b for a, b in zip(q, coordinate_rates(model.mechanism, q, correction), strict=True)]
    )
    change = model.record(model.constraint_programs.speed_correction(), q=q)
    return [*q, *(a + b for a, b in zip(qd, change, strict=True))]


def runge_kutta_step(model: MechanismGraph) -> CallSequence:
    """The sequence of calls of one step of the classical Runge-Kutta method, and of two projections to the constraints."""
    time: tuple[str, ...] = ("t",) if model.depends_on_time else ()
    steps: list[CallStep | ComputeStep] = []
    arrays: dict[str, int] = {}

    def declare_arrays(**sizes: int) -> tuple[str, ...]:
        arrays.update(sizes)
        return tuple(sizes)

    state: tuple[str, ...] = ("q", "qd")
    for k in range(1, 5):
        (acceleration,) = declare_arrays(**{f"qdd{k}": model.nv})
        steps.append(CallStep("forward_dynamics", (*state, "tau", *time), (acceleration,)))
        if k < 4:
            state = declare_arrays(**{f"q{k}": model.nq, f"qd{k}": model.nv})
            time = declare_arrays(**{f"t{k}": 1}) if model.depends_on_time else ()
            steps.append(ComputeStep(_stage_trace(model, k), (*state, *time)))
    if not model.equation_count:
        return CallSequence((*steps, ComputeStep(_combination_trace(model), ("q_next", "qd_next"))), arrays)
    first, second = declare_arrays(q_free=model.nq, qd_free=model.nv), declare_arrays(q_near=model.nq, qd_near=model.nv)
    steps += [ComputeStep(_combination_trace(model), first), CallStep("project", (*first, *time), second)]
    return CallSequence((*steps, CallStep("project", (*second, *time), ("q_next", "qd_next"))), arrays)


def _stage_trace(model: MechanismGraph, k: int) -> Trace:
    """Return the trace of the state, and the time, of stage k + 1."""
    graph = Graph()
    h = graph.input("h", 0) * STAGES[k - 1]
    q, qd = [graph.input("q", i) for i in range(model.nq)], [graph.input("qd", i) for i in range(model.nv)]
    stage_qd = qd if k == 1 else [graph.input(f"qd{k - 1}", i) for i in range(model.nv)]
    stage_q = q if k == 1 else [graph.input(f"q{k - 1}", i) for i in range(model.nq)]
    next_q = [a + h * b for a, b in zip(q, coordinate_rates(model.mechanism, stage_q, stage_qd), strict=True)]
    next_qd = [a + h * graph.input(f"qdd{k}", i) for i, a in enumerate(qd)]
    return Trace(graph, [*next_q, *next_qd, *([graph.input("t", 0) + h] if model.depends_on_time else [])])


def _combination_trace(model: MechanismGraph) -> Trace:
    graph = Graph()
    sixth = graph.input("h", 0) * (1 / 6)

    def mean(stages: list[list[Any]]) -> list[Any]:
        return [sixth * (a + 2 * (b + c) + d) for a, b, c, d in zip(*stages, strict=True)]

    q, qd = [graph.input("q", i) for i in range(model.nq)], [graph.input("qd", i) for i in range(model.nv)]
    positions = [q, *([graph.input(f"q{k}", i) for i in range(model.nq)] for k in (1, 2, 3))]
    speeds = [qd, *([graph.input(f"qd{k}", i) for i in range(model.nv)] for k in (1, 2, 3))]
    slopes = [coordinate_rates(model.mechanism, a, b) for a, b in zip(positions, speeds, strict=True)]
    changes = mean([[graph.input(f"qdd{k}", i) for i in range(model.nv)] for k in (1, 2, 3, 4)])
    next_q = normalise_quaternions(model.mechanism, [a + b for a, b in zip(q, mean(slopes), strict=True)])
    return Trace(graph, [*next_q, *(a + b for a, b in zip(qd, changes, strict=True))])


def _projection_refusal(model: MechanismGraph) -> str:
    if not model.equation_count:
        return "the mechanism has no constraints"
    return "its loops are too many for code that is written out" if model.constraint_programs.uses_propagation else ""


def _step_refusal(model: MechanismGraph) -> str:
    return _projection_refusal(model) if model.equation_count else ""


FUNCTIONS = (
    CatalogueFunction(
        "coordinate_rates",
        "The rates of the coordinates, which for quaternions are not the speeds.",
        ("q", "qd"),
        lambda model: (RoutineArgument("q_dot", (model.nq,), "the rates", tuple(model.mechanism.coordinate_names)),),
        rates,
    ),
    CatalogueFunction(
        "project",
        "The state nearest to this one that keeps the constraints: one step of Newton's method.",
        ("q", "qd"),
        _state_outputs,
        project,
        takes_time=True,
        refusal=_projection_refusal,
    ),
    CatalogueFunction(
        "step",
        "One step of h seconds by the classical Runge-Kutta method, with constant tau; then two projections to the constraints.",
        ("q", "qd", "tau", "h"),
        _state_outputs,
        lambda model, frame: [],
        takes_time=True,
        refusal=_step_refusal,
        sequence=runge_kutta_step,
        called_functions=lambda model: ("forward_dynamics", *(("project",) if model.equation_count else ())),
    ),
)
