"""The joint forces that a description gives, and those of two controllers: computed torque and PD with gravity compensation."""

from __future__ import annotations

from typing import Any

from lagrangian.functions.dynamics import gravity, inverse_dynamics
from lagrangian.functions.function import CatalogueFunction, speed_output
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.model.expression import free_symbols


def described_torques(model: MechanismGraph, frame: str = "") -> list[Any]:
    """The joint forces that the description gives, as expressions of the time and the state."""
    mechanism = model.mechanism
    names = {name: model.graph.input("q", k) for k, name in enumerate(mechanism.coordinate_names)}
    names |= {f"qd_{name}": model.graph.input("qd", k) for k, name in enumerate(mechanism.speed_names)}
    names["t"] = model.graph.input("t", 0)
    torques = dict(mechanism.initial.torque)
    return [model.expression(torques[name], names) if name in torques else 0.0 for name in mechanism.speed_names]


def _torque_refusal(model: MechanismGraph) -> str:
    mechanism = model.mechanism
    torques = dict(mechanism.initial.torque)
    if not torques:
        return "the description gives no torques under [initial]"
    state_names = {*mechanism.coordinate_names, *(f"qd_{name}" for name in mechanism.speed_names), "t"}
    for name, x in torques.items():
        unknown_names = sorted(free_symbols(x) - state_names)
        if unknown_names:
            return f"the torque of {name!r} depends on {unknown_names[0]!r}, which is no coordinate, speed or time"
    return ""


def _errors(model: MechanismGraph) -> tuple[list[Any], list[Any]]:
    """The errors of position and speed, an entry for every speed."""
    inputs = {name: model.input(name, model.input_size(name)) for name in ("q", "qd", "q_desired", "qd_desired")}
    position = [a - b for a, b in zip(inputs["q_desired"], inputs["q"], strict=True)]
    return position, [a - b for a, b in zip(inputs["qd_desired"], inputs["qd"], strict=True)]


def _feedback(model: MechanismGraph) -> list[Any]:
    kp, kd = model.input("kp", model.nv), model.input("kd", model.nv)
    position, speed = _errors(model)
    return [p * e + d * s for p, e, d, s in zip(kp, position, kd, speed, strict=True)]


def computed_torque(model: MechanismGraph, frame: str = "") -> list[Any]:
    desired = model.input("qdd_desired", model.nv)
    return inverse_dynamics(model, qdd=[a + b for a, b in zip(desired, _feedback(model), strict=True)])


def pd_gravity(model: MechanismGraph, frame: str = "") -> list[Any]:
    return [a + b for a, b in zip(_feedback(model), gravity(model), strict=True)]


def _feedback_refusal(model: MechanismGraph) -> str:
    if model.equation_count:
        return "the mechanism has constraints: which joints lead is not known; use inverse_dynamics and constraint_jacobian"
    if model.nq != model.nv:
        return "coordinates of balls and free bodies have no difference that is a speed"
    return ""


FUNCTIONS = (
    CatalogueFunction(
        "torque",
        "The joint forces that the description gives under [initial].",
        ("t", "q", "qd"),
        speed_output("tau", "the joint forces"),
        described_torques,
        refusal=_torque_refusal,
    ),
    CatalogueFunction(
        "computed_torque",
        "Computed-torque control: the inverse dynamics of qdd_desired + kd (qd_desired - qd) + kp (q_desired - q).",
        ("q", "qd", "q_desired", "qd_desired", "qdd_desired", "kp", "kd"),
        speed_output("tau", "the joint forces"),
        computed_torque,
        refusal=_feedback_refusal,
    ),
    CatalogueFunction(
        "pd_gravity",
        "PD control with gravity compensation: kp (q_desired - q) + kd (qd_desired - qd) + G(q).",
        ("q", "qd", "q_desired", "qd_desired", "kp", "kd"),
        speed_output("tau", "the joint forces"),
        pd_gravity,
        refusal=_feedback_refusal,
    ),
)
