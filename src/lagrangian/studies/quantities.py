"""What a motion has at its rows, by the names that expressions use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion

Reading = Callable[[Motion], np.ndarray]  # what gives a quantity at the rows of a motion
OfState = Callable[[Dynamics, np.ndarray, np.ndarray], np.ndarray]  # what gives it of states, q and qd by rows

_OF_SPEEDS = {"qdd_": "qdd", "tau_": "tau", "friction_": "friction"}
_WHOLE = ("balance", "drift", "rate_drift")
_WORKS = ("torque", "friction", "constraints", "wrenches", "impacts", "payloads", "parameters")


def known(mechanism: Mechanism, constraints: tuple[str, ...] = ()) -> dict[str, Reading]:
    """All quantities of a mechanism's motions: a name of a coordinate goes before any other.

    `theta1`, `qd_theta1`, `qdd_theta1` and `tau_theta1` are a joint's coordinate, speed, acceleration and torque; `tip.x` is a
    position of a frame; `force_theta1` and `moment_theta1` are the sizes of a joint's reaction; `lambda_...` is the force of a
    constraint.
    """
    found: dict[str, Reading] = {}
    for prefix, attribute in _OF_SPEEDS.items():
        found |= {prefix + name: partial(_column, attribute, k) for k, name in enumerate(mechanism.speed_names)}
    found |= {name: partial(_whole, name) for name in _WHOLE}
    found |= {f"work_{name}": partial(_work, name) for name in _WORKS}
    for k, joint in enumerate(mechanism.joints):
        found |= {f"moment_{joint.name}": partial(_reaction, k, 0), f"force_{joint.name}": partial(_reaction, k, 3)}
    found |= {f"lambda_{name}": partial(_column, "multipliers", k) for k, name in enumerate(constraints)}
    functions = {**of_dynamics(mechanism), **of_state(mechanism)}
    found |= {**{name: partial(_at_rows, x) for name, x in functions.items()}, "t": lambda motion: motion.t}
    state = (*mechanism.coordinate_names, *(f"qd_{name}" for name in mechanism.speed_names))
    return {name: found[name] for name in dict.fromkeys((*state, *found))}  # the order in which messages list them


def of_state(mechanism: Mechanism) -> dict[str, OfState]:
    """The state itself: coordinates and speeds."""
    found = {f"qd_{name}": partial(_of_qd, k) for k, name in enumerate(mechanism.speed_names)}
    return found | {name: partial(_of_q, k) for k, name in enumerate(mechanism.coordinate_names)}


def of_dynamics(mechanism: Mechanism) -> dict[str, OfState]:
    """What the mechanism's numbers make of a state: positions of frames, and energies."""
    found: dict[str, OfState] = {
        "kinetic_energy": lambda dyn, q, qd: np.asarray(dyn.kinetic_energy(q, qd)),
        "potential_energy": lambda dyn, q, qd: np.asarray(dyn.potential_energy(q)),
        "energy": lambda dyn, q, qd: np.asarray(dyn.kinetic_energy(q, qd)) + np.asarray(dyn.potential_energy(q)),
    }
    for frame in dict.fromkeys([*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)]):
        found |= {f"{frame}.{axis}": partial(_place, frame, k) for k, axis in enumerate("xyz")}
    return found


class OneMotion:
    """The rows of one motion."""

    def __init__(self, motion: Motion, readings: Mapping[str, Reading]) -> None:
        if not len(motion.t):
            raise SimulationError(f"{motion.name}: the motion has no rows")
        self.motion, self.readings, self.t = motion, readings, motion.t

    def __len__(self) -> int:
        return 1

    def quantity(self, name: str) -> np.ndarray:
        return self.readings[name](self.motion)[None, :]

    def parameter(self, name: str) -> np.ndarray:
        assert self.motion.mechanism is not None
        return np.array([float(self.motion.mechanism.parameters[name])])

    def times(self, event: str) -> list[float]:
        return [e.t for e in self.motion.events if e.name == event]

    def at(self, t: float) -> OneMotion:
        return OneMotion(self.motion.resample(np.array([t])), self.readings)


def _of_q(k: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    column: np.ndarray = q[:, k]
    return column


def _of_qd(k: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    column: np.ndarray = qd[:, k]
    return column


def _place(frame: str, axis: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.asarray(dyn.pose(q, frame))[:, axis, 3]


def _at_rows(function: OfState, motion: Motion) -> np.ndarray:
    run = motion.trajectory
    assert run is not None  # motions of a study are simulated
    return function(run.dyn, motion.q, motion.qd)


def _column(attribute: str, k: int, motion: Motion) -> np.ndarray:
    column: np.ndarray = getattr(motion, attribute)[:, k]
    return column


def _whole(attribute: str, motion: Motion) -> np.ndarray:
    return np.asarray(getattr(motion, attribute))


def _work(source: str, motion: Motion) -> np.ndarray:
    done: Any = motion.work.get(source)
    return np.zeros(len(motion.t)) if done is None else np.asarray(done).reshape(len(motion.t), -1).sum(axis=1)


def _reaction(joint: int, part: int, motion: Motion) -> np.ndarray:
    size: np.ndarray = np.linalg.norm(motion.reactions[:, joint, part : part + 3], axis=1)
    return size
