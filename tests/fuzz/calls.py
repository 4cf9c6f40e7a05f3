"""What is called with odd arguments, and with which sound ones: those it needs, and those that keep it short."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import lagrangian as lg

Q, Z = np.array([0.3, 0.4]), (0, 0, 0)


@cache
def two_r() -> lg.Dynamics:
    return lg.compile("two_r")


@cache
def motion() -> lg.Motion:
    return lg.simulate(two_r(), 0.1, Q, Q, t_eval=25)


@cache
def path() -> Any:
    return lg.paths.joint_line([0.0, 0.0], [0.2, 0.3], 1.0)


FUNCTIONS: dict[str, dict[str, Any]] = {
    "simulate": {"mechanism": two_r, "t_span": 0.1, "q0": Q, "torque": 0, "t_eval": 5, "max_steps": 500},
    "load": {"path": "no.toml"},
    "loads": {"text": "name = 'x'"},
    "library": {"name": "two_r"},
    "dumps": {"mechanism": "two_r"},
    "save": {"mechanism": "two_r", "path": "out.toml"},
    "export": {"mechanism": "two_r", "target": "c", "functions": ["gravity"]},
    "convert": {"mechanism": "two_r", "format": "urdf"},
    "read": {"path": "no.nc"},
    "compile": {"mechanism": "two_r"},
    "assemble": {"mechanism": "four_bar", "starts": 3},
    "assembly_modes": {"mechanism": "four_bar", "fixed": {"theta1": 0.5}, "starts": 5},
    "consistent_speeds": {"mechanism": "four_bar"},
    "mobility": {"mechanism": "four_bar"},
    "linearise": {"mechanism": two_r, "q": Q},
    "equilibrium": {"mechanism": two_r, "q0": Q},
    "inverse_kinematics": {"mechanism": two_r, "target": (1.0, 0.3), "frame": "link2", "starts": 5},
    "inverse": {"mechanism": two_r, "path": path, "t_eval": 5},
    "certify": {"mechanism": "pendulum", "t": 0.05, "digits": 10},
    "compare_solvers": {"mechanism": "pendulum", "t_span": 0.05, "rtols": (1e-6,), "max_steps": 500},
    "derive": {"mechanism": "pendulum"},
    "excitation_trajectory": {"mechanism": two_r, "period": 1.0, "harmonics": 2, "iterations": 1},
    "identify": {"mechanism": two_r, "t": motion},
    "size_actuators": {"mechanism": two_r, "motion": motion},
    "Body": {"name": "b", "mass": 1.0},
    "rotate_inertia": {"inertia": (1, 1, 1), "rotation": np.eye(3)},
    "Joint": {"name": "j", "type": "revolute", "parent": "ground", "child": "b"},
    "Rotor": {"inertia": 1.0},
    "Friction": {"viscous": 1.0},
    "JointLimits": {"lower": -1.0, "upper": 1.0},
    "JointSpring": {"stiffness": 1.0},
    "LoopJoint": {"name": "l", "type": "distance", "a": "x", "b": "y", "length": 1.0},
    "PointSpring": {"name": "s", "a": "x", "b": "y", "a_point": Z, "b_point": (0, 0, 1), "stiffness": 1.0},
    "CoordinateSpring": {"name": "s", "length": "x - 2*y", "stiffness": 1.0},
    "GravityCompensation": {"name": "s", "body": "b"},
    "Wall": {"name": "w", "body": "x", "stiffness": 1e4},
    "HolonomicConstraint": {"name": "h", "equation": "x = y"},
    "PfaffianConstraint": {"name": "p", "coefficients": {"x": 1}},
    "RollingConstraint": {"name": "r", "body": "b", "radius": 0.1},
    "KnifeEdgeConstraint": {"name": "k", "body": "b", "direction": "x"},
    "Frame": {"name": "f", "body": "b"},
    "Transform": {"position": Z},
    "Event": {"when": "t - 1"},
    "SetTorque": {"torques": {"theta1": 1.0}},
    "DHParameters": {"a": 1.0, "mass": 1.0},
    "InitialState": {},
    "Mechanism": {"name": "m", "bodies": [], "joints": []},
    "parameter": {"name": "p", "value": 1.0},
    "Sampled": {"function": lambda t, q, qd: 0 * q, "period": 0.01},
    "Traced": {"function": lambda t, q, qd: 0 * q},
    "Motor": {"name": "m", "rated_torque": 1.0, "peak_torque": 2.0, "rated_speed": 50.0, "max_speed": 100.0, "inertia": 1e-4},
    "Gear": {"ratio": 10.0},
    "GearRange": {"lowest": 1.0, "highest": 10.0},
    "read_catalogue": {"path": "no.csv"},
}
SHAPES: dict[str, dict[str, Any]] = {
    "box": {"size": (1, 1, 1), "mass": 1.0},
    "cylinder": {"radius": 0.1, "length": 0.2, "mass": 1.0},
    "sphere": {"radius": 0.1, "mass": 1.0},
    "tube": {"outer": 0.2, "inner": 0.1, "length": 1.0, "mass": 1.0},
    "capsule": {"radius": 0.1, "length": 0.2, "mass": 1.0},
    "ellipsoid": {"radii": (1, 1, 1), "mass": 1.0},
    "plate": {"size": (1, 1, 0.1), "mass": 1.0},
    "rod": {"start": Z, "end": (1, 0, 0), "mass": 1.0},
    "disc": {"radius": 0.1, "mass": 1.0},
    "point_mass": {"mass": 1.0},
}
PATHS: dict[str, dict[str, Any]] = {
    "joint_line": {"start": [0.0, 0.0], "end": [0.2, 0.3], "duration": 1.0},
    "joint_spline": {"points": [[0, 0], [1, 1], [2, 0]], "duration": 1.0},
    "line": {"start": Z, "end": (1, 0, 0), "duration": 1.0},
    "arc": {"start": Z, "via": (1, 1, 0), "end": (2, 0, 0), "duration": 1.0},
    "circle": {"center": Z, "radius": 0.2, "duration": 1.0},
    "spline": {"points": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "duration": 1.0},
    "formula": {"expressions": {"theta1": "sin(t)"}, "duration": 1.0},
    "function": {"values": lambda t: (np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None]), "duration": 1.0},
    "interpolate": {"t": [0, 1, 2], "q": [[0, 0], [1, 1], [2, 0]]},
    "read": {"file": "no.csv"},
    "dwell": {"path": path, "duration": 1.0},
}
CONTROL: dict[str, dict[str, Any]] = {
    "ComputedTorque": {"model": two_r, "path": path, "frequency": 10.0},
    "PDGravityCompensation": {"model": two_r, "path": path, "frequency": 10.0},
    "Impedance": {"model": two_r, "path": (0.5, 0.3), "frame": "link2", "stiffness": 100.0, "directions": ("x", "y")},
    "OperationalSpace": {"model": two_r, "path": (0.5, 0.3), "frame": "link2", "frequency": 10.0, "directions": ("x", "y")},
}
STATE = {"q": Q, "qd": Q, "qdd": Q, "tau": Q, "wrenches": None, "frame": "link2"}
DYNAMICS = """
inverse_dynamics forward_dynamics mass_matrix coriolis_matrix gravity kinetic_energy potential_energy center_of_mass momentum
friction external_torque regressor reactions constraint_jacobian closure constraint_rate constraint_bias constraint_wrenches
multipliers pose velocity acceleration jacobian jacobian_dot_qd cartesian inverse_dynamics_derivatives
forward_dynamics_derivatives
"""
MOTION: dict[str, dict[str, Any]] = {
    "__call__": {"t": 0.05},
    "resample": {"t": 4},
    "save": {"path": "out.nc"},
    "summary": {},
    "error_against": {},
}
MECHANISM: dict[str, dict[str, Any]] = {
    "random_configuration": {"rng": 1},
    "frame": {"name": "link2"},
    "body": {"name": "link2"},
    "joint": {"name": "theta1"},
}


class Call:
    """A function to call: where it is found, its sound arguments, and the names of all that it has."""

    def __init__(self, of: Callable[[], Any], owner: Any, name: str, sound: dict[str, Any]) -> None:
        self.of, self.name, self.given = of, name, sound
        parameters = inspect.signature(getattr(owner, name)).parameters.values()
        named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]
        self.names = sorted({*named, *sound})

    def __call__(self, odd: dict[str, Any]) -> Any:
        shared = {two_r, motion, path}
        sound = {key: value() if callable(value) and value in shared else value for key, value in self.given.items()}
        return getattr(self.of(), self.name)(**{**sound, **odd})


@cache
def calls() -> dict[str, Call]:
    """Everything that is called, by its name."""
    results = {name: Call(lambda: lg, lg, name, sound) for name, sound in FUNCTIONS.items()}
    results |= {f"shapes.{name}": Call(lambda: lg.shapes, lg.shapes, name, sound) for name, sound in SHAPES.items()}
    results |= {f"paths.{name}": Call(lambda: lg.paths, lg.paths, name, sound) for name, sound in PATHS.items()}
    results |= {f"control.{name}": Call(lambda: lg.control, lg.control, name, sound) for name, sound in CONTROL.items()}
    for name in DYNAMICS.split():
        known = inspect.signature(getattr(lg.Dynamics, name)).parameters
        sound = {key: value for key, value in STATE.items() if key in known}
        sound |= {"constraint_wrenches": {"multipliers": np.zeros(0)}, "cartesian": {"directions": ("x", "y")}}.get(name, {})
        results[f"Dynamics.{name}"] = Call(two_r, lg.Dynamics, name, sound)
    results |= {f"Motion.{name}": Call(motion, lg.Motion, name, sound) for name, sound in MOTION.items()}
    return results | {f"Mechanism.{n}": Call(lambda: two_r().mechanism, lg.Mechanism, n, sound) for n, sound in MECHANISM.items()}
