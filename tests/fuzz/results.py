"""Methods of results that are called with odd arguments: equations, plots, proofs, sizings; and functions that came late."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import lagrangian as lg
from tests.fuzz.calls import Call, motion, path, two_r


@cache
def equations() -> lg.EquationsOfMotion:
    return lg.derive("two_r")


@cache
def reduced_equations() -> Any:
    return lg.derive("five_bar").in_independent_coordinates()


@cache
def compiled_equations() -> Any:
    return equations().compile()


@cache
def proven() -> lg.CertifiedMotion:
    return lg.certify("pendulum", 0.01, digits=5)


@cache
def sizing() -> lg.ActuatorSizing:
    return lg.size_actuators(two_r(), motion())


@cache
def identification() -> Any:
    return lg.identify(two_r(), lg.simulate(two_r(), 3.0, [1.5, 1.0], torque={"theta1": "20*sin(5*t)", "theta2": "8*cos(7*t)"}))


@cache
def task() -> Any:
    return lg.inverse(two_r(), path(), t_eval=5)


@cache
def exciting() -> Any:
    return lg.excitation_trajectory(two_r(), 1.0, harmonics=2, iterations=1)


Q = np.array([0.3, 0.4])
SHORT: dict[str, Any] = {"t_span": 0.01, "t_eval": 3, "max_steps": 200}
EQUATIONS: dict[str, dict[str, Any]] = {
    "base_parameters": {},
    "cartesian": {"frame": "link2", "directions": ("wz", "x")},
    "compile": {},
    "jacobian": {"frame": "link2"},
    "kane": {},
    "latex": {},
    "newton_euler": {},
    "pose": {"frame": "link2"},
    "in_independent_coordinates": {},
    "save": {"path": "out.tex"},
    "check": {"answer": "no.txt"},
    "simulate": SHORT,
    "singularities": {"frame": "link2", "directions": ("wz", "x")},
    "text": {},
    "generalised_wrench": {"frame": "link2"},
    "christoffel": {"i": 0, "j": 1, "k": 0},
}
PLOTS: dict[str, dict[str, Any]] = {"plot": {}, "plot_path": {}, "phase_portrait": {}}
TABLES: dict[str, tuple[Any, Any, dict[str, dict[str, Any]]]] = {
    "EquationsOfMotion": (equations, lg.EquationsOfMotion, EQUATIONS),
    "Reduced": (
        reduced_equations,
        None,
        {"all_coordinates": {"q": np.array([0.4, 1.3])}, "simulate": {"t_span": 0.01, "t_eval": 3, "max_steps": 200}},
    ),
    "Compiled": (compiled_equations, None, {"mass_matrix": {"q": Q}, "inverse_dynamics": {"q": Q, "qd": Q, "qdd": Q}}),
    "Motion": (motion, lg.Motion, {**PLOTS, "report": {"path": "no/folder.html"}}),
    "CertifiedMotion": (proven, lg.CertifiedMotion, {"contains": {"state": ([0.1], [0.2])}, "save": {"path": "out.json"}}),
    "ActuatorSizing": (sizing, lg.ActuatorSizing, {"to_csv": {"path": "out.csv"}}),
    "Identification": (identification, lg.Identification, {"validate": {"t": motion}}),
    "InverseDynamicsResult": (
        task,
        lg.InverseDynamicsResult,
        {"__call__": {"t": 0.05}, "resample": {"t": 4}, "save": {"path": "out.nc"}},
    ),
    "FourierTrajectory": (exciting, lg.FourierTrajectory, {"__call__": {"t": 0.5}}),
    "Path": (path, lg.paths.JointPath, {"__call__": {"t": 0.5}}),
    "Mechanism": (
        lambda: two_r().mechanism,
        lg.Mechanism,
        {"replace": {k: getattr(lg.library("two_r"), k) for k in ("name", "gravity", "bodies", "joints", "springs", "poses")}},
    ),
    "Dynamics": (two_r, lg.Dynamics, {"spring_forces": {"q": Q, "qd": Q}}),
    "control": (
        lambda: lg.control,
        lg.control,
        {
            "HybridForceMotion": {
                "model": two_r,
                "path": (0.5, 0.3),
                "frame": "link2",
                "directions": ("x", "y"),
                "force": {"x": 1.0},
            }
        },
    ),
    "lagrangian": (
        lambda: lg,
        lg,
        {
            "PfaffianFunctionConstraint": {"name": "p", "function": lambda t, q, qd: [q[0]]},
            "linearize": {"mechanism": two_r, "q": Q},
            "read_catalog": {"path": "no.csv"},
        },
    ),
    "DH": (
        lambda: lg.Mechanism,
        lg.Mechanism,
        {"from_dh": {"rows": [lg.DHParameters(a=1.0)], "convention": "standard"}},
    ),
}


@cache
def calls() -> dict[str, Call]:
    """Everything that is called, by its name."""
    return {
        f"{kind}.{name}": Call(of, owner if owner is not None else type(of()), name, sound)
        for kind, (of, owner, table) in TABLES.items()
        for name, sound in table.items()
    }
