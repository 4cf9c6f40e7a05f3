"""What drives a mechanism: the joint forces of its description, and the laws of two controllers."""

from __future__ import annotations

from typing import Any

from lagrangian.exports.functions.dynamics import gravity, inverse_dynamics
from lagrangian.exports.functions.function import Function, speeds
from lagrangian.exports.model import Model
from lagrangian.model.expression import free_symbols


def drive(model: Model, frame: str = "") -> list[Any]:
    """The joint forces that the description gives, as expressions of the time and the state."""
    mechanism = model.mechanism
    names = {name: model.graph.input("q", k) for k, name in enumerate(mechanism.coordinate_names)}
    names |= {f"qd_{name}": model.graph.input("qd", k) for k, name in enumerate(mechanism.speed_names)}
    names["t"] = model.graph.input("t", 0)
    given = dict(mechanism.initial.torque)
    return [model.expression(given[name], names) if name in given else 0.0 for name in mechanism.speed_names]


def _no_drive(model: Model) -> str:
    mechanism = model.mechanism
    given = dict(mechanism.initial.torque)
    if not given:
        return "the description gives no torques under [initial]"
    known = {*mechanism.coordinate_names, *(f"qd_{name}" for name in mechanism.speed_names), "t"}
    for name, x in given.items():
        strange = sorted(free_symbols(x) - known)
        if strange:
            return f"the torque of {name!r} depends on {strange[0]!r}, which is no coordinate, speed or time"
    return ""


def _errors(model: Model) -> tuple[list[Any], list[Any]]:
    """The errors of position and speed, an entry for every speed."""
    of = {name: model.input(name, model.size_of(name)) for name in ("q", "qd", "q_wanted", "qd_wanted")}
    position = [a - b for a, b in zip(of["q_wanted"], of["q"], strict=True)]
    return position, [a - b for a, b in zip(of["qd_wanted"], of["qd"], strict=True)]


def _feedback(model: Model) -> list[Any]:
    kp, kd = model.input("kp", model.nv), model.input("kd", model.nv)
    position, speed = _errors(model)
    return [p * e + d * s for p, e, d, s in zip(kp, position, kd, speed, strict=True)]


def computed_torque(model: Model, frame: str = "") -> list[Any]:
    wanted = model.input("qdd_wanted", model.nv)
    return inverse_dynamics(model, qdd=[a + b for a, b in zip(wanted, _feedback(model), strict=True)])


def pd_gravity(model: Model, frame: str = "") -> list[Any]:
    return [a + b for a, b in zip(_feedback(model), gravity(model), strict=True)]


def _no_feedback(model: Model) -> str:
    if model.equations:
        return "the mechanism has constraints: which joints lead is not known; use inverse_dynamics and constraint_jacobian"
    if model.nq != model.nv:
        return "coordinates of balls and free bodies have no difference that is a speed"
    return ""


FUNCTIONS = (
    Function(
        "torque",
        "The joint forces that the description gives under [initial].",
        ("t", "q", "qd"),
        speeds("tau", "the joint forces"),
        drive,
        refused=_no_drive,
    ),
    Function(
        "computed_torque",
        "Computed-torque control: the inverse dynamics of qdd_wanted + kd (qd_wanted - qd) + kp (q_wanted - q).",
        ("q", "qd", "q_wanted", "qd_wanted", "qdd_wanted", "kp", "kd"),
        speeds("tau", "the joint forces"),
        computed_torque,
        refused=_no_feedback,
    ),
    Function(
        "pd_gravity",
        "PD control with gravity compensation: kp (q_wanted - q) + kd (qd_wanted - qd) + G(q).",
        ("q", "qd", "q_wanted", "qd_wanted", "kp", "kd"),
        speeds("tau", "the joint forces"),
        pd_gravity,
        refused=_no_feedback,
    ),
)
