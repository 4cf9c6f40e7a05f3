"""What exported functions must give, from the compiled kernels of the mechanism, which are another path through the code."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import lagrangian as lg
from lagrangian.functions.catalogue import FUNCTIONS
from lagrangian.functions.mechanism_graph import MechanismGraph
from lagrangian.functions.parameters import select_parameters

Arrays = Mapping[str, np.ndarray]


def applicable(mechanism: lg.Mechanism) -> list[str]:
    """The functions that can be exported of a mechanism."""
    model = MechanismGraph(mechanism, select_parameters(mechanism, None)[0])
    return [name for name, function in FUNCTIONS.items() if not function.refusal(model)]


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """How far results are off, as a part of the largest number that is expected, or of 1."""
    return float(np.abs(np.ravel(actual) - expected).max(initial=0.0) / np.abs(expected).max(initial=1.0))


def expected_results(dyn: lg.Dynamics, name: str, x: Arrays) -> np.ndarray:
    """The results of a routine, all outputs one after the other, for inputs by name."""
    result = _expected_outputs(dyn, name, {key: np.asarray(value, dtype=float) for key, value in x.items()})
    return np.concatenate([np.ravel(part) for part in result]) if isinstance(result, tuple) else np.ravel(result)


def _expected_outputs(dyn: lg.Dynamics, name: str, x: dict[str, np.ndarray]) -> object:
    q, qd, qdd, tau, t = (x.get(key) for key in ("q", "qd", "qdd", "tau", "t"))
    at = {} if t is None else {"t": float(t[0])}
    for framed in ("jacobian_dot_qd", "external_torque", "acceleration", "jacobian", "velocity", "pose"):
        if name.startswith(f"{framed}_") and name not in FUNCTIONS:
            frame = _frame(dyn, name.removeprefix(f"{framed}_"))
            if framed == "external_torque":
                return dyn.external_torque(q, {frame: x["wrench"]})
            arguments = {"acceleration": (q, qd, qdd), "velocity": (q, qd), "jacobian_dot_qd": (q, qd)}.get(framed, (q,))
            return getattr(dyn, framed)(*arguments, frame)
    match name:
        case "inverse_dynamics" | "regressor" | "inverse_dynamics_derivatives":
            return getattr(dyn, name)(q, qd, qdd)
        case "forward_dynamics" | "multipliers" | "forward_dynamics_derivatives":
            return getattr(dyn, name)(q, qd, tau, **at)
        case "mass_matrix" | "gravity" | "potential_energy" | "center_of_mass":
            return getattr(dyn, name)(q)
        case "coriolis_matrix" | "kinetic_energy" | "momentum":
            return getattr(dyn, name)(q, qd)
        case "bias":
            return dyn.inverse_dynamics(q, qd, np.zeros(dyn.nv))
        case "friction":
            return dyn.friction(qd, q=q)
        case "constraint_jacobian" | "closure":
            return getattr(dyn, name)(q, **at)
        case "constraint_rate" | "constraint_bias":
            return getattr(dyn, name)(q, qd, **at)
        case "reactions":
            return dyn.reactions(q, qd, qdd, multipliers=x.get("multipliers"), **at)
        case "computed_torque":
            command = x["qdd_desired"] + x["kd"] * (x["qd_desired"] - qd) + x["kp"] * (x["q_desired"] - q)
            return dyn.inverse_dynamics(q, qd, command)
        case "pd_gravity":
            return x["kp"] * (x["q_desired"] - q) + x["kd"] * (x["qd_desired"] - qd) + dyn.gravity(q)
        case "coordinate_rates":
            return _rates(dyn, q, qd)
        case "torque":
            return _drive(dyn, x)
        case "project":
            return _project_state(dyn, q, qd, at)
        case "step":
            return _runge_kutta_step(dyn, q, qd, tau, float(x["h"][0]), at)
    raise AssertionError(f"no reference for {name}")


def _frame(dyn: lg.Dynamics, name: str) -> str:
    """The frame whose name was made legal in a language."""
    names = [f.name for f in dyn.mechanism.frames] + [b.name for b in dyn.mechanism.bodies]
    return next(each for each in names if each == name or each.replace(".", "_") == name)


def _rates(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    results: list[float] = []
    iv = 0
    for joint in dyn.mechanism.joints:
        kind = joint.kind
        own = q[len(results) : len(results) + kind.nq]
        results += [float(rate) for rate in kind.coordinate_rates(list(own), list(qd[iv : iv + kind.nv]))]
        iv += kind.nv
    return np.array(results)


def _normalised_coordinates(dyn: lg.Dynamics, q: np.ndarray) -> np.ndarray:
    results: list[float] = []
    for joint in dyn.mechanism.joints:
        results += [
            float(c) for c in joint.kind.normalise_coordinates(list(map(float, q[len(results) : len(results) + joint.kind.nq])))
        ]
    return np.array(results)


def _drive(dyn: lg.Dynamics, x: dict[str, np.ndarray]) -> np.ndarray:
    """The torques of the description, as a run has them at its start."""
    t = float(x["t"][0])
    motion = lg.simulate(dyn.mechanism, (t, t + 1e-9), q0=x["q"], qd0=x["qd"], events=[])
    return np.asarray(motion.tau[0])


def _project_state(dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, at: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """One step of Newton's method to the constraints, measured by the mass matrix, by dense linear algebra."""

    def correction(q: np.ndarray, residual: np.ndarray) -> np.ndarray:
        psi = dyn.constraint_jacobian(q, **at)
        W = np.linalg.solve(dyn.mass_matrix(q), psi.T)
        return -W @ np.linalg.lstsq(psi @ W, residual, rcond=1e-10)[0]

    residual = np.zeros(len(dyn.constraint_names))
    residual[dyn.holonomic] = dyn.closure(q, **at)
    q = _normalised_coordinates(dyn, q + _rates(dyn, q, correction(q, residual)))
    return q, qd + correction(q, dyn.constraint_rate(q, qd, **at))


def _runge_kutta_step(
    dyn: lg.Dynamics, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, h: float, at: dict[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """The classical Runge-Kutta step with the compiled forward dynamics."""
    slopes = []
    for c in (0.0, 0.5, 0.5, 1.0):
        before = slopes[-1] if slopes else (0.0 * q, 0.0 * qd)
        place, speed = q + c * h * before[0], qd + c * h * before[1]
        when = {key: value + c * h for key, value in at.items()}
        slopes.append((_rates(dyn, place, speed), dyn.forward_dynamics(place, speed, tau, **when)))
    (a, x), (b, y), (c_, z), (d, w) = slopes
    q, qd = _normalised_coordinates(dyn, q + h / 6 * (a + 2 * b + 2 * c_ + d)), qd + h / 6 * (x + 2 * y + 2 * z + w)
    after = {key: value + h for key, value in at.items()}
    for _ in range(2 if dyn.mechanism.equation_count else 0):
        q, qd = _project_state(dyn, q, qd, after)
    return q, qd
