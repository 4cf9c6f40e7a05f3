"""What a design is to do well, with exact gradients: hold itself, pass through points, move as it should.

A goal is given to `lagrangian.optimise`. Its residuals are to be as small as they can be: their squares are summed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.start import Start
from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.sensitivity.quantities import CLOSURE, FRAMES, Quantities
from lagrangian.motion.sensitivity.sensitivities import sensitivities
from lagrangian.optimisation.goal import Goal, parameter_values, system_of
from lagrangian.optimisation.holding import HoldingTorque, speed
from lagrangian.optimisation.led import following, led

__all__ = ["Goal", "at_end", "holding_torque", "integral", "path_points"]


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
        if not mechanism.equations:
            raise ArgumentError("path_points is for mechanisms with loops, which one coordinate drives", where=mechanism.name)
        q = led(dyn, [self.driven], angles[:, None])
        y = np.hstack([q, np.zeros((len(q), dyn.nv))])
        quantities = Quantities(system_of(dyn), parameter_values(mechanism, names), [FRAMES, CLOSURE], [self.frame])
        found = quantities(np.zeros(len(q)), y)
        count, wide = len(q), self.points.shape[1]
        slopes = np.zeros((count, wide, len(names) + len(own)))
        for i in range(count):
            unit = np.zeros((dyn.nq, len(names) + 1))
            unit[place, -1] = 1.0
            unit = following(dyn, q[i], found[CLOSURE], i, unit, [speed(mechanism, self.driven)])
            moved = found[FRAMES].by_state[i, :wide, : dyn.nq] @ unit
            slopes[i, :, : len(names)] = moved[:, :-1] + found[FRAMES].by_parameter[i, :wide]
            if self.angles is None:
                slopes[i, :, len(names) + i] = moved[:, -1]
        return (found[FRAMES].value[:, :wide] - self.points).ravel(), slopes.reshape(count * wide, -1)


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

    `poses` are configurations, one a row, or a mapping of coordinates to their values, {"theta1": [0, 0.5, 1]}. `joints` are
    those whose forces count, all if not given. In a mechanism with loops the actuated joints hold it, or those that `joints`
    names; the coordinates that the mapping names, or else those of the joints that hold it, stay where the poses have them while
    parameters change, and the others follow so that the loops stay closed.
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
