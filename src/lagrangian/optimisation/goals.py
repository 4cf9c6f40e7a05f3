"""What a design is to do well, with exact gradients: hold itself, pass through points, move as it should.

A goal is given to `lagrangian.optimise`. Its residuals are to be as small as they can be: their squares are summed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import STARTS, Loops
from lagrangian.configuration.start import Start
from lagrangian.errors import ArgumentError, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.sensitivity.quantities import CLOSURE, FRAMES, HOLDING, Quantities
from lagrangian.motion.sensitivity.sensitivities import sensitivities
from lagrangian.motion.sensitivity.start import least_change
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque

__all__ = ["Goal", "at_end", "holding_torque", "integral", "path_points"]


class Goal(ABC):
    """`at(mechanism, names)` gives residuals (m,) and their derivatives (m, names); `total` says that they are no squares."""

    total = False  # whether the goal is the sum itself, and not that of squares

    @abstractmethod
    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For a mechanism, along its parameters `names`, and then along `own`, unknowns that the goal itself has."""

    def unknowns(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where unknowns of the goal itself begin, and their bounds."""
        return np.zeros(0), np.zeros(0), np.zeros(0)


def _system(dyn: Dynamics) -> System:
    return System(dyn.mechanism, dyn.tree, Torque(), Stabilisation(), redundant=True)


def _parameters(mechanism: Mechanism, names: Sequence[str]) -> dict[str, float]:
    from lagrangian.model.parts import scalar_at

    return {n: float(mechanism.parameters[n] if n in mechanism.parameters else scalar_at(mechanism, n)) for n in names}


class HoldingTorque(Goal):
    def __init__(self, poses: Any, joints: Sequence[str] | None = None) -> None:
        self.poses = np.atleast_2d(array(poses, "poses"))
        if not np.isfinite(self.poses).all():
            raise ArgumentError("have a number that is not finite", where="holding_torque", argument="poses")
        self.joints = None if joints is None else list(joints)

    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if mechanism.equations:
            raise ArgumentError("holding_torque is for mechanisms without loops and other constraints", where=mechanism.name)
        if self.poses.shape[1] != mechanism.nq:
            needed = f"(poses, {mechanism.nq}) is needed"
            raise ArgumentError(f"have shape {self.poses.shape}; {needed}", where="holding_torque", argument="poses")
        dyn = dynamics_of(mechanism)
        y = np.hstack([self.poses, np.zeros((len(self.poses), mechanism.nv))])
        found = Quantities(_system(dyn), _parameters(mechanism, names), [HOLDING])(np.zeros(len(y)), y)[HOLDING]
        chosen = list(range(mechanism.nv)) if self.joints is None else [_speed(mechanism, name) for name in self.joints]
        return found.value[:, chosen].ravel(), found.by_parameter[:, chosen].reshape(-1, len(names))


def _speed(mechanism: Mechanism, name: str) -> int:
    if name not in mechanism.speed_names:
        raise ArgumentError(one_of("joint or speed", name, mechanism.speed_names), where="joints")
    return mechanism.speed_names.index(name)


class PathPoints(Goal):
    def __init__(self, frame: str, points: Any, driven: str, angles: Any = None) -> None:
        self.frame, self.driven = frame, driven
        self.points = np.atleast_2d(array(points, "points"))
        if self.points.ndim != 2 or self.points.shape[1] not in (2, 3):
            raise ArgumentError(f"have shape {self.points.shape}; (points, 2 or 3) is needed", argument="points")
        self.angles = None if angles is None else array(angles, "angles").ravel()
        if self.angles is not None and len(self.angles) != len(self.points):
            raise ArgumentError(
                f"are {len(self.angles)}, for {len(self.points)} points; one for each is needed", argument="angles"
            )

    def unknowns(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.angles is not None:
            return super().unknowns(mechanism)
        begin = Start(dynamics_of(mechanism)).q[self._place(mechanism)]
        angles = begin + np.linspace(0, 2 * np.pi, len(self.points), endpoint=False)
        return angles, np.full(len(angles), -np.inf), np.full(len(angles), np.inf)

    def _place(self, mechanism: Mechanism) -> int:
        if self.driven not in mechanism.coordinate_names:
            raise ArgumentError(one_of("coordinate", self.driven, mechanism.coordinate_names), where="driven")
        return mechanism.coordinate_names.index(self.driven)

    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dyn, place = dynamics_of(mechanism), self._place(mechanism)
        angles = own if self.angles is None else self.angles
        q = self._closed(dyn, place, angles)
        y = np.hstack([q, np.zeros((len(q), dyn.nv))])
        groups = [FRAMES, *([CLOSURE] if mechanism.equations else [])]
        found = Quantities(_system(dyn), _parameters(mechanism, names), groups, [self.frame])(np.zeros(len(q)), y)
        count, wide = len(q), self.points.shape[1]
        slopes = np.zeros((count, wide, len(names) + len(own)))
        for i in range(count):
            unit = np.zeros((dyn.nq, len(names) + 1))
            unit[place, -1] = 1.0
            if mechanism.equations:
                eta = found[CLOSURE]
                off = np.hstack([eta.by_parameter[i], np.zeros((eta.value.shape[1], 1))]) + eta.by_state[i, :, : dyn.nq] @ unit
                unit += least_change(dyn.constraint_jacobian(q[i])[dyn.holonomic], off, [place])
            moved = found[FRAMES].by_state[i, :wide, : dyn.nq] @ unit
            slopes[i, :, : len(names)] = moved[:, :-1] + found[FRAMES].by_parameter[i, :wide]
            if self.angles is None:
                slopes[i, :, len(names) + i] = moved[:, -1]
        return (found[FRAMES].value[:, :wide] - self.points).ravel(), slopes.reshape(count * wide, -1)

    def _closed(self, dyn: Dynamics, place: int, angles: np.ndarray) -> np.ndarray:
        """Configurations at the angles, each found from the one before, so that all are of one branch."""
        if not dyn.mechanism.equations:
            raise ArgumentError("path_points is for mechanisms with loops, which one coordinate drives", where=dyn.mechanism.name)
        loops = Loops(dyn, 0.0, (self.driven,))
        q = Start(dyn).closed()
        found: list[np.ndarray] = []
        for angle in angles:
            steps = max(1, int(np.ceil(abs(angle - q[place]) / 0.5)))
            for part in np.linspace(q[place], angle, steps + 1)[1:]:
                guess = q.copy()
                guess[place] = part
                q = loops.closed(guess, STARTS if not found else 0)
            found.append(q)
        return np.array(found)


class MotionGoal(Goal):
    total = True

    def __init__(self, what: str, expression: str, run: Mapping[str, Any]) -> None:
        self._what, self.expression, self.run = what, expression, dict(run)

    def at(self, mechanism: Mechanism, names: Sequence[str], own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = sensitivities(mechanism, over=names, **{"rtol": 1e-9, "atol": 1e-11, "t_eval": 2, **self.run})
        value, gradient = getattr(found, self._what)(self.expression)
        return np.array([value]), gradient[None]


def holding_torque(poses: Any, joints: Sequence[str] | None = None) -> Goal:
    """That the joint forces which hold the mechanism at rest in these poses are small: spring balancing, counterweights.

    `poses` are configurations, one a row; `joints` are those whose forces count, all if not given.
    """
    return HoldingTorque(poses, joints)


def path_points(frame: str, points: Any, driven: str, angles: Any = None) -> Goal:
    """That a frame passes through points while the coordinate `driven` turns: synthesis of a path.

    `points` are (x, y) or (x, y, z) in the world, one a row. `angles` are those of the driven coordinate at each of them; if they
    are not given they are found, too.
    """
    return PathPoints(frame, points, driven, angles)


def integral(expression: str, **run: Any) -> Goal:
    """That the integral of an expression over a motion is small: `integral("(theta1 - 1)^2 + 0.01*tau_theta1^2", t_span=3)`.

    The names are those of `Sensitivities`; `run` are arguments of `simulate`.
    """
    return MotionGoal("integral", expression, run)


def at_end(expression: str, **run: Any) -> Goal:
    """That an expression is small at the end of a motion: `at_end("(tip.x - 1.5)^2", t_span=2, frames=["tip"])`."""
    return MotionGoal("end", expression, run)
