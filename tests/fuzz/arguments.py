"""Public functions called with odd values: what they give, or an error of ours, and never a crash."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.fuzz.odd_values import VALUES
from tests.fuzz.outcome import Outcome

import lagrangian as lg

Q, FOUR = np.array([0.3, 0.4]), "four_bar"
# what an argument of this name is when it is sound, of two_r
SOUND: dict[str, Any] = {
    **{"q": Q, "qd": Q, "qdd": Q, "tau": Q, "wrenches": None, "t": 0.0, "frame": "link2", "threshold": 0.01, "euler": None},
    **{"directions": ("x", "y"), "multipliers": np.zeros(0), "events": 3, "angles": "radians", "rtol": 1e-8, "atol": 1e-10},
    **{"method": "BDF", "path": "out.toml", "name": "theta1", "rng": 1, "changes": {}},
}
SIMULATE: dict[str, Any] = {"t_span": 0.1, "q0": Q, "qd0": Q, "torque": 0, "events": None, "method": "auto", "rtol": 1e-8, "atol": 1e-10}
SIMULATE |= {"wrenches": None, "saturate": False, "t_eval": 5, "stabilisation": "projection", "alpha": None, "beta": None}
SIMULATE |= {"off_constraint": False, "step": None, "max_step": 1.0, "limits": True, "restitution": 0.0, "progress": None, "max_steps": 500}
BODY = {"name": "b", "mass": 1.0, "center": (0, 0, 0), "inertia": (0.1, 0.1, 0.1)}
JOINT = {"name": "j", "type": "revolute", "parent": "ground", "child": "b", "placement": (0, 0, 0), "child_placement": (0, 0, 0), "axis": "z"}
JOINT |= {"rotor": None, "friction": None, "spring": None, "limits": None, "actuated": True}
LINE = {"start": [0.0, 0.0], "end": [0.2, 0.3], "duration": 1.0, "timing": "quintic"}


@cache
def two_r() -> lg.Dynamics:
    return lg.compile("two_r")


@cache
def motion() -> lg.Motion:
    return lg.simulate(two_r(), 0.1, Q, Q, t_eval=5)


def _methods(of: Callable[[], Any], kind: type, names: str) -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    """Methods of an object, with sound arguments by their names."""
    found = {}
    for name in names.split():
        known = [p for p in inspect.signature(getattr(kind, name)).parameters if p in SOUND]
        found[f"{kind.__name__}.{name}"] = ((lambda name=name: getattr(of(), name)), {p: SOUND[p] for p in known})
    return found


def _functions() -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    calls: dict[str, dict[str, Any]] = {
        "simulate": {"mechanism": "two_r", **SIMULATE},
        "load": {"path": "no.toml", "parameters": None},
        "loads": {"text": "name = 'x'", "format": "toml", "parameters": None},
        "library": {"name": "two_r", "parameters": None},
        "dumps": {"mechanism": "two_r"},
        "save": {"mechanism": "two_r", "path": "out.toml"},
        "read": {"path": "no.nc", "mechanism": None},
        "compile": {"mechanism": "two_r", "threads": 1},
        "assemble": {"mechanism": FOUR, "q0": None, "fixed": None, "t": 0.0},
        "assembly_modes": {"mechanism": FOUR, "fixed": {"phi1": 0.5}, "samples": 5},
        "consistent_speeds": {"mechanism": FOUR, "q": None, "qd": None, "fixed": None, "t": 0.0},
        "mobility": {"mechanism": FOUR, "q": None, "t": 0.0},
        "linearise": {"mechanism": "two_r", "q": Q, "qd": None, "tau": None, "t": 0.0},
        "equilibrium": {"mechanism": "two_r", "q0": Q, "tau": None, "t": 0.0},
        "inverse_kinematics": {"mechanism": "two_r", "frame": "link2", "target": (0.5, 0.3), "q0": None},
        "certify": {"mechanism": "pendulum", "t": 0.05, "q0": None, "qd0": None, "digits": 10},
        "compare_solvers": {"mechanism": "pendulum", "t_span": 0.05},
        "derive": {"mechanism": "pendulum", "limit": 5},
        "Body": BODY,
        "box": {"size": (1, 1, 1), "mass": 1.0, "density": None},
        "cylinder": {"radius": 0.1, "length": 0.2, "mass": 1.0},
        "sphere": {"radius": 0.1, "mass": 1.0},
        "tube": {"outer": 0.2, "inner": 0.1, "length": 1.0, "mass": 1.0},
        "capsule": {"radius": 0.1, "length": 0.2, "mass": 1.0},
        "ellipsoid": {"radii": (1, 1, 1), "mass": 1.0},
        "plate": {"size": (1, 1, 0.1), "mass": 1.0, "holes": ()},
        "rod": {"start": (0, 0, 0), "end": (1, 0, 0), "mass": 1.0},
        "disc": {"radius": 0.1, "mass": 1.0},
        "point_mass": {"mass": 1.0, "at": (0, 0, 0)},
        "Joint": JOINT,
        "Rotor": {"inertia": 1.0, "ratio": 10.0},
        "Friction": {"viscous": 1.0, "coulomb": 1.0, "static": 2.0},
        "Limits": {"lower": -1.0, "upper": 1.0, "speed": 1.0, "effort": 1.0},
        "JointSpring": {"stiffness": 1.0, "rest": 0.0},
        "LoopJoint": {"name": "l", "type": "distance", "a": "x", "b": "y", "a_placement": (0, 0, 0), "b_placement": (0, 0, 0), "length": 1.0},
        "PointSpring": {"name": "s", "a": "x", "b": "y", "a_point": (0, 0, 0), "b_point": (0, 0, 1), "stiffness": 1.0, "rest": 0.5, "damping": 0.1},
        "Wall": {"name": "w", "body": "x", "point": (0, 0, 0), "on": "ground", "position": (0, 0, 0), "normal": "z", "stiffness": 1e4, "damping": 1.0},
        "Holonomic": {"name": "h", "equation": "x = y", "unilateral": False},
        "Pfaffian": {"name": "p", "coefficients": {"x": 1}, "phi": 0},
        "Rolling": {"name": "r", "body": "b", "radius": 0.1, "center": (0, 0, 0), "axis": None, "on": "ground", "normal": "z", "point": (0, 0, 0)},
        "KnifeEdge": {"name": "k", "body": "b", "direction": "x", "point": (0, 0, 0)},
        "Frame": {"name": "f", "body": "b", "placement": (0, 0, 0)},
        "Placement": {"position": (0, 0, 0), "rotation": ((1, 0, 0), (0, 1, 0), (0, 0, 1))},
        "Event": {"name": "e", "when": "t - 1", "direction": "both", "action": "record"},
        "DHRow": {"a": 1.0, "alpha": 0.0, "d": 0.0, "theta": 0.0, "mass": 1.0},
        "Mechanism": {"name": "m", "bodies": [], "joints": [], "loops": (), "gravity": (0, 0, -9.81)},
        "parameter": {"name": "p", "value": 1.0},
        "Sampled": {"function": lambda t, q, qd: 0 * q, "period": 0.01},
        "Motor": {"name": "m", "continuous_torque": 1.0, "peak_torque": 2.0, "max_speed": 100.0, "inertia": 1e-4},
        "exciting_path": {"mechanism": "two_r", "duration": 1.0, "harmonics": 1, "seed": 1},
    }
    return {name: ((lambda name=name: getattr(lg, name)), _known(getattr(lg, name), given)) for name, given in calls.items()}


def _known(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Those of the arguments that the function has."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return given
    return {name: value for name, value in given.items() if name in parameters}


def _paths() -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    calls: dict[str, dict[str, Any]] = {
        "joint_line": LINE,
        "joint_spline": {"points": [[0, 0], [1, 1], [2, 0]], "times": [0, 1, 2], "duration": None},
        "line": {"frame": "link2", "start": (0, 0, 0), "end": (1, 0, 0), "duration": 1.0},
        "circle": {"frame": "link2", "center": (0, 0, 0), "radius": 0.2, "normal": "z", "duration": 1.0},
        "formula": {"formulas": {"theta1": "sin(t)"}, "duration": 1.0},
        "recorded": {"times": [0, 1, 2], "q": [[0, 0], [1, 1], [2, 0]]},
        "dwell": {"path": None, "duration": 1.0},
    }
    return {f"paths.{n}": ((lambda n=n: getattr(lg.paths, n)), _known(getattr(lg.paths, n), given)) for n, given in calls.items()}


DYNAMICS = (
    "inverse_dynamics forward_dynamics mass_matrix coriolis_matrix gravity kinetic_energy potential_energy center_of_mass momentum "
    "friction external_torque regressor reactions constraint_jacobian closure constraint_rate constraint_bias constraint_wrenches "
    "multipliers inverse_dynamics_derivatives forward_dynamics_derivatives pose velocity acceleration jacobian jacobian_dot_qd cartesian"
)


@cache
def targets() -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    """Everything that is called, with sound arguments."""
    mechanism = "random_configuration frame body joint"
    return {
        **_functions(),
        **_paths(),
        **_methods(two_r, lg.Dynamics, DYNAMICS),
        **_methods(motion, lg.Motion, "__call__ resample save summary second_opinion"),
        **_methods(lambda: two_r().mechanism, lg.Mechanism, mechanism),
    }


def make(rng: Random) -> bytes:
    """A call with one odd argument, or two."""
    names = list(targets())
    name = rng.choice([*names, *["simulate"] * 12, "simulate"])
    known = list(targets()[name][1])
    odd = {key: rng.choice(list(VALUES)) for key in rng.sample(known, min(len(known), rng.choice([1, 1, 1, 2])))}
    return json.dumps({"call": name, "odd": odd}).encode()


def examine(path: Path, _: Random, __: bool) -> Outcome:
    """Call it, in the folder of the file, with nothing printed."""
    found = Outcome()
    given = json.loads(path.read_text())
    function, sound = targets()[given["call"]]
    values = {**sound, **{key: VALUES[name]() for key, name in given["odd"].items()}}
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            result = found.attempt("call", lambda: function()(**values))
            if result is not None:
                found.attempt("repr", lambda: repr(result.value))
    finally:
        os.chdir(before)
    return found
