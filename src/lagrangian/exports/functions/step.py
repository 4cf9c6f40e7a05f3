"""One step of a fixed-step integrator, and what it is made of: rates of the coordinates, and a return to the constraints."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.closed.constraints import coordinate_rates
from lagrangian.exports.functions.function import ABOUT, Function
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument, Call, Compute, Sequence
from lagrangian.kernels.trace.node import Graph, Trace
from lagrangian.model.mechanism import Mechanism

# the classical method of Runge and Kutta: the places of its stages, in steps
STAGES = (0.5, 0.5, 1.0)


def normalised(mechanism: Mechanism, q: list[Any]) -> list[Any]:
    """Quaternions of length one."""
    found: list[Any] = []
    for joint in mechanism.joints:
        found += joint.kind.normalised(q[len(found) : len(found) + joint.kind.nq])
    return found


def _state(model: Model) -> tuple[Argument, ...]:
    mechanism = model.mechanism
    return (
        Argument("q_next", (model.nq,), ABOUT["q"], tuple(mechanism.coordinate_names)),
        Argument("qd_next", (model.nv,), ABOUT["qd"], tuple(mechanism.speed_names)),
    )


def rates(model: Model, frame: str = "") -> list[Any]:
    return coordinate_rates(model.mechanism, model.input("q", model.nq), model.input("qd", model.nv))


def project(model: Model, frame: str = "") -> list[Any]:
    """One step of Newton's method back to the constraints, as small as M measures it; then the nearest speeds that keep them."""
    q, qd = model.input("q", model.nq), model.input("qd", model.nv)
    moved = model.of(model.closed.position_correction())
    q = normalised(model.mechanism, [a + b for a, b in zip(q, coordinate_rates(model.mechanism, q, moved), strict=True)])
    change = model.of(model.closed.speed_correction(), q=q)
    return [*q, *(a + b for a, b in zip(qd, change, strict=True))]


def step(model: Model) -> Sequence:
    """The sequence of calls of one step of the classical Runge-Kutta method, and of two projections to the constraints."""
    time: tuple[str, ...] = ("t",) if model.timed else ()
    steps: list[Call | Compute] = []
    arrays: dict[str, int] = {}

    def declared(**sizes: int) -> tuple[str, ...]:
        arrays.update(sizes)
        return tuple(sizes)

    state: tuple[str, ...] = ("q", "qd")
    for k in range(1, 5):
        (acceleration,) = declared(**{f"qdd{k}": model.nv})
        steps.append(Call("forward_dynamics", (*state, "tau", *time), (acceleration,)))
        if k < 4:
            state = declared(**{f"q{k}": model.nq, f"qd{k}": model.nv})
            time = declared(**{f"t{k}": 1}) if model.timed else ()
            steps.append(Compute(_stage(model, k), (*state, *time)))
    if not model.equations:
        return Sequence((*steps, Compute(_combined(model), ("q_next", "qd_next"))), arrays)
    first, second = declared(q_free=model.nq, qd_free=model.nv), declared(q_near=model.nq, qd_near=model.nv)
    steps += [Compute(_combined(model), first), Call("project", (*first, *time), second)]
    return Sequence((*steps, Call("project", (*second, *time), ("q_next", "qd_next"))), arrays)


def _stage(model: Model, k: int) -> Trace:
    """The state, and the time, at which stage k + 1 is."""
    graph = Graph()
    h = graph.input("h", 0) * STAGES[k - 1]
    q, qd = [graph.input("q", i) for i in range(model.nq)], [graph.input("qd", i) for i in range(model.nv)]
    before = qd if k == 1 else [graph.input(f"qd{k - 1}", i) for i in range(model.nv)]
    at = q if k == 1 else [graph.input(f"q{k - 1}", i) for i in range(model.nq)]
    moved = [a + h * b for a, b in zip(q, coordinate_rates(model.mechanism, at, before), strict=True)]
    faster = [a + h * graph.input(f"qdd{k}", i) for i, a in enumerate(qd)]
    return Trace(graph, [*moved, *faster, *([graph.input("t", 0) + h] if model.timed else [])])


def _combined(model: Model) -> Trace:
    graph = Graph()
    sixth = graph.input("h", 0) * (1 / 6)

    def mean(each: list[list[Any]]) -> list[Any]:
        return [sixth * (a + 2 * (b + c) + d) for a, b, c, d in zip(*each, strict=True)]

    q, qd = [graph.input("q", i) for i in range(model.nq)], [graph.input("qd", i) for i in range(model.nv)]
    positions = [q, *([graph.input(f"q{k}", i) for i in range(model.nq)] for k in (1, 2, 3))]
    speeds = [qd, *([graph.input(f"qd{k}", i) for i in range(model.nv)] for k in (1, 2, 3))]
    slopes = [coordinate_rates(model.mechanism, a, b) for a, b in zip(positions, speeds, strict=True)]
    changes = mean([[graph.input(f"qdd{k}", i) for i in range(model.nv)] for k in (1, 2, 3, 4)])
    moved = normalised(model.mechanism, [a + b for a, b in zip(q, mean(slopes), strict=True)])
    return Trace(graph, [*moved, *(a + b for a, b in zip(qd, changes, strict=True))])


def _unprojected(model: Model) -> str:
    if not model.equations:
        return "the mechanism has no constraints"
    return "its loops are too many for code that is written out" if model.closed.deep else ""


def _no_step(model: Model) -> str:
    return _unprojected(model) if model.equations else ""


FUNCTIONS = (
    Function(
        "coordinate_rates",
        "The rates of the coordinates, which for quaternions are not the speeds.",
        ("q", "qd"),
        lambda model: (Argument("q_dot", (model.nq,), "the rates", tuple(model.mechanism.coordinate_names)),),
        rates,
    ),
    Function(
        "project",
        "The state nearest to this one that keeps the constraints: one step of Newton's method.",
        ("q", "qd"),
        _state,
        project,
        timed=True,
        refused=_unprojected,
    ),
    Function(
        "step",
        "One step of h seconds by the classical Runge-Kutta method, with tau held; then two projections to the constraints.",
        ("q", "qd", "tau", "h"),
        _state,
        lambda model, frame: [],
        timed=True,
        refused=_no_step,
        sequence=step,
        calls=lambda model: ("forward_dynamics", *(("project",) if model.equations else ())),
    ),
)
