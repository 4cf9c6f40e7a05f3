"""The quantities of a motion, such as tip.x or tau_theta1, by the names that expressions use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lagrangian.errors import SimulationError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion

QuantityReader = Callable[[Motion], np.ndarray]  # what gives a quantity at the rows of a motion
StateFunction = Callable[[Dynamics, np.ndarray, np.ndarray], np.ndarray]  # what gives it of states, q and qd by rows

_SPEED_ATTRIBUTES = {"qdd_": "qdd", "tau_": "tau", "friction_": "friction"}
_ERROR_ATTRIBUTES = {"balance": "energy_balance", "drift": "drift", "rate_drift": "rate_drift"}
_WORK_SOURCES = ("torque", "friction", "constraints", "wrenches", "impacts", "payloads", "parameters")


def quantity_readers(mechanism: Mechanism, constraints: tuple[str, ...] = ()) -> dict[str, QuantityReader]:
    """All quantities of a mechanism's motions; the name of a coordinate takes precedence over any other.

    `theta1`, `qd_theta1`, `qdd_theta1` and `tau_theta1` are a joint's coordinate, speed, acceleration and torque; `tip.x` is a
    position of a frame; `force_theta1` and `moment_theta1` are the sizes of a joint's reaction; `lambda_...` is the force of a
    constraint.
    """
    readers: dict[str, QuantityReader] = {}
    for prefix, attribute in _SPEED_ATTRIBUTES.items():
        readers |= {prefix + name: partial(_column, attribute, k) for k, name in enumerate(mechanism.speed_names)}
    readers |= {name: partial(_attribute, attribute) for name, attribute in _ERROR_ATTRIBUTES.items()}
    readers |= {f"work_{name}": partial(_work, name) for name in _WORK_SOURCES}
    for k, joint in enumerate(mechanism.joints):
        readers |= {f"moment_{joint.name}": partial(_reaction, k, 0), f"force_{joint.name}": partial(_reaction, k, 3)}
    readers |= {f"lambda_{name}": partial(_column, "multipliers", k) for k, name in enumerate(constraints)}
    functions = {**dynamics_quantities(mechanism), **state_quantities(mechanism)}
    readers |= {**{name: partial(_at_rows, x) for name, x in functions.items()}, "t": lambda motion: motion.t}
    state = (*mechanism.coordinate_names, *(f"qd_{name}" for name in mechanism.speed_names))
    return {name: readers[name] for name in dict.fromkeys((*state, *readers))}  # the order in which messages list them


def state_quantities(mechanism: Mechanism) -> dict[str, StateFunction]:
    """The quantities of the state itself: coordinates and speeds."""
    functions = {f"qd_{name}": partial(_speed, k) for k, name in enumerate(mechanism.speed_names)}
    return functions | {name: partial(_coordinate, k) for k, name in enumerate(mechanism.coordinate_names)}


def dynamics_quantities(mechanism: Mechanism) -> dict[str, StateFunction]:
    """The quantities that follow from a state and the mechanism's numbers: positions of frames, and energies."""
    functions: dict[str, StateFunction] = {
        "kinetic_energy": lambda dyn, q, qd: np.asarray(dyn.kinetic_energy(q, qd)),
        "potential_energy": lambda dyn, q, qd: np.asarray(dyn.potential_energy(q)),
        "energy": lambda dyn, q, qd: np.asarray(dyn.kinetic_energy(q, qd)) + np.asarray(dyn.potential_energy(q)),
    }
    for frame in dict.fromkeys([*(f.name for f in mechanism.frames), *(b.name for b in mechanism.bodies)]):
        functions |= {f"{frame}.{axis}": partial(_frame_position, frame, k) for k, axis in enumerate("xyz")}
    return functions


class OneMotion:
    """One motion, as `MotionQuantities` describes it."""

    def __init__(self, motion: Motion, readers: Mapping[str, QuantityReader]) -> None:
        if not len(motion.t):
            raise SimulationError(f"{motion.name}: the motion has no rows")
        self.motion, self.readers, self.t = motion, readers, motion.t

    def __len__(self) -> int:
        return 1

    def quantity(self, name: str) -> np.ndarray:
        return self.readers[name](self.motion)[None, :]

    def parameter(self, name: str) -> np.ndarray:
        assert self.motion.mechanism is not None
        return np.array([float(self.motion.mechanism.parameters[name])])

    def event_times(self, event: str) -> list[float]:
        return [e.t for e in self.motion.events if e.name == event]

    def at_time(self, t: float) -> OneMotion:
        return OneMotion(self.motion.resample(np.array([t])), self.readers)


def _coordinate(k: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    column: np.ndarray = q[:, k]
    return column


def _speed(k: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    column: np.ndarray = qd[:, k]
    return column


def _frame_position(frame: str, axis: int, dyn: Dynamics, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.asarray(dyn.pose(q, frame))[:, axis, 3]


def _at_rows(function: StateFunction, motion: Motion) -> np.ndarray:
    run = motion.trajectory
    assert run is not None  # motions of a study are simulated
    return function(run.dyn, motion.q, motion.qd)


def _column(attribute: str, k: int, motion: Motion) -> np.ndarray:
    column: np.ndarray = getattr(motion, attribute)[:, k]
    return column


def _attribute(attribute: str, motion: Motion) -> np.ndarray:
    return np.asarray(getattr(motion, attribute))


def _work(source: str, motion: Motion) -> np.ndarray:
    work_rows: Any = motion.work.get(source)
    return np.zeros(len(motion.t)) if work_rows is None else np.asarray(work_rows).reshape(len(motion.t), -1).sum(axis=1)


def _reaction(joint: int, part: int, motion: Motion) -> np.ndarray:
    size: np.ndarray = np.linalg.norm(motion.reactions[:, joint, part : part + 3], axis=1)
    return size
