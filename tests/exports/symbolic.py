"""What tests of CasADi's and JAX's functions share: mechanisms, states, and what the kernels give there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.exports.reference_values import routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from lagrangian.functions.routine import Routine
from tests.exports.quadruped import quadruped_mechanism
from tests.exports.reference import expected_results, relative_error

MAIN = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "step")
SMALL, LARGE = ("puma560", "four_bar", "rolling_disc"), ("panda", "stewart", "quadruped")


@cache
def mechanism(name: str) -> lg.Mechanism:
    return {"quadruped": quadruped_mechanism, "led": rheonomic_arm}[name]() if name in ("quadruped", "led") else lg.library(name)


@cache
def dynamics(name: str) -> lg.Dynamics:
    return lg.compile(mechanism(name))


@cache
def state(name: str) -> dict[str, np.ndarray]:
    """A random state of the mechanism, which keeps its constraints."""
    (result,) = sample_states(mechanism(name), 1)
    return result


@cache
def values(name: str, function: str, *value: tuple[str, tuple[float, ...]]) -> np.ndarray:
    return expected_results(dynamics(name), function, {key: np.array(x) for key, x in value})


def worst(name: str, functions: Sequence[str], call: Any) -> float:
    """How far `call(routine, inputs)`, a list of outputs, is off from the kernels, of all functions of a mechanism."""
    result = 0.0
    for routine in package(mechanism(name), functions, None, (), False).routines:
        inputs = routine_inputs(routine, state(name))
        outputs = call(routine, shaped_inputs(routine, inputs))
        assert [np.shape(x) for x in outputs] == [x.shape for x in routine.outputs]
        reference = values(name, routine.name, *((key, tuple(x)) for key, x in inputs.items()))
        result = max(result, relative_error(np.concatenate([np.ravel(x) for x in outputs]), reference))
    return result


def shaped_inputs(routine: Routine, value: dict[str, list[float]]) -> list[np.ndarray]:
    return [np.reshape(value[x.name], x.shape) for x in routine.inputs]


def twice_closed() -> lg.Mechanism:
    """A four-bar whose loop is closed twice: half of its constraints follow from the others, and pivots are exactly zero."""
    bar = lg.library("four_bar")
    again = lg.LoopJoint("again", "point", "coupler", "rocker", (0.9, 0, 0), (0.6, 0, 0), directions=("x", "y"))
    return bar.replace(loops=[*bar.loops, again])


def rheonomic_arm() -> lg.Mechanism:
    """An arm that a constraint leads by functions of time and of its other angle."""
    return lg.library("two_r").replace(
        constraints=[lg.HolonomicConstraint("led", "theta1 = 0.3*sin(2*t) + 0.1*exp(-t)*tanh(atan(theta2))")]
    )


def puck() -> lg.Mechanism:
    """A body that slides on a plane with dry friction, whose direction is undefined at rest."""
    joint = lg.Joint("slide", "planar", "ground", "puck", axis="z", friction={"coulomb": 0.3})
    return lg.Mechanism("puck", [lg.Body("puck", 1.0, (0, 0, 0), (1e-3, 0, 0, 1e-3, 0, 2e-3))], [joint])


def rates(m: lg.Mechanism, q: np.ndarray) -> np.ndarray:
    """The matrix of the rates of the coordinates by the speeds, which is no identity for quaternions."""
    columns = []
    for k in range(m.nv):
        results: list[float] = []
        unit, iv = [float(i == k) for i in range(m.nv)], 0
        for joint in m.joints:
            kind = joint.kind
            own = [float(x) for x in q[len(results) : len(results) + kind.nq]]
            results += [float(x) for x in kind.coordinate_rates(own, unit[iv : iv + kind.nv])]
            iv += kind.nv
        columns.append(results)
    return np.array(columns).T


def slopes_miss(name: str, function: str, by: Sequence[np.ndarray], at: dict[str, np.ndarray]) -> float:
    """How far derivatives by q, qd and the third input are off from the exact ones of the kernels."""
    last = {"inverse_dynamics": "qdd", "forward_dynamics": "tau"}[function]
    exact = getattr(dynamics(name), f"{function}_derivatives")(at["q"], at["qd"], at[last])
    along = [by[0] @ rates(mechanism(name), at["q"]), *by[1:3]]
    return max(relative_error(np.asarray(a), np.ravel(b)) for a, b in zip(along, exact, strict=True))
