"""`lagrangian.goals`: goals of an optimisation with exact gradients, for torques at rest, paths and motions.

`lagrangian.optimise` minimises the sum of the squares of the residuals of a goal, or the value of an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.configuration.assemble import assemble_along
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import EventsLike
from lagrangian.motion.sensitivity.quantities import CLOSURE, FRAMES, Quantities
from lagrangian.motion.sensitivity.sensitivities import sensitivities
from lagrangian.optimisation.goal import Goal, configuration_derivatives, parameter_values, system_at_rest
from lagrangian.optimisation.holding_torque import HoldingTorque, speed_index
from lagrangian.public import public, unknown_attribute
from lagrangian.types import State, TimeSpan

__all__ = ["Goal", "final_value", "holding_torque", "integral", "path_points"]


@public
def holding_torque(poses: ArrayLike | Mapping[str, ArrayLike], joints: Sequence[str] | None = None) -> Goal:
    """Minimise the torques that hold the mechanism at rest in some poses.

    Use this for spring balancing and counterweights.

    Parameters
    ----------
    poses : array_like or mapping
        The poses: an array with a row of coordinates for each, or a mapping of coordinates to lists of values, such as
        `{"theta1": [0, 0.5, 1]}`. For a mechanism with loops a mapping may leave coordinates out, which follow such that the
        loops stay closed.
    joints : list of str, optional
        The joints whose torques count; all by default. The actuated joints hold a mechanism with loops; if `joints` names
        others, these hold it instead.

    Returns
    -------
    Goal
        A goal for `optimise`.

    Notes
    -----
    By virtual work, the torque at a driven joint of a mechanism with loops is n^T h. Here h are the gravity and spring torques,
    and n are the speeds of all joints while this joint moves at speed one and the other driven joints stand still. While
    parameters change, the coordinates that the mapping names, or else those of the joints that hold the mechanism, keep their
    values.

    Examples
    --------
    >>> import lagrangian as lg
    >>> goal = lg.goals.holding_torque({"theta1": [0.0, 0.5, 1.0], "theta2": [0.0, 0.5, 1.0]}, joints=["theta2"])
    >>> optimum = lg.optimise("two_r", {"r2": (0.1, 1.0)}, goal)
    >>> print(round(optimum.parameters["r2"], 3), f"{optimum.initial_value:.1f} -> {optimum.value:.1f} N m")
    0.1 49.8 -> 8.5 N m
    """
    return HoldingTorque(poses, joints)


@public
def path_points(frame: str, points: ArrayLike, driven: str, angles: ArrayLike | None = None) -> Goal:
    """Minimise the distances of a frame from given points while a coordinate turns.

    This is path synthesis of mechanisms with loops.

    Parameters
    ----------
    frame : str
        The frame or body.
    points : array_like
        The points in the world, in m, with a row (x, y) or (x, y, z) for each.
    driven : str
        The coordinate that drives the mechanism.
    angles : array_like, optional
        The value of the driven coordinate at each point, in rad. By default these are unknowns of the search.

    Returns
    -------
    Goal
        A goal for `optimise`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> points = [[0.63, 0.47], [0.44, 0.50], [0.25, 0.43], [0.11, 0.29]]
    >>> goal = lg.goals.path_points("C", points, driven="theta1", angles=[1.0, 1.6, 2.2, 2.8])
    >>> optimum = lg.optimise("four_bar", {"l1": (0.2, 0.4), "l2": (0.7, 1.1), "l3": (0.5, 0.8)}, goal)
    >>> print(f"{1000 * optimum.initial_value:.1f} -> {1000 * optimum.value:.1f} mm")
    41.5 -> 2.7 mm
    """
    return PathPoints(frame, points, driven, angles)


@public
def integral(
    expression: str,
    t_span: TimeSpan = None,
    q0: State = None,
    qd0: State = None,
    torque: float | ArrayLike | Mapping[str, float | str] | None = None,
    events: EventsLike = None,
    *,
    frames: Sequence[str] = (),
    **options: object,
) -> Goal:
    """Minimise the integral of an expression over a motion.

    Parameters
    ----------
    expression : str
        An expression of coordinates, speeds `qd_<name>`, torques `tau_<name>`, positions `<frame>.x`, the time `t` and
        parameters, such as "(theta1 - 1)^2 + 0.01*tau_theta1^2".
    t_span, q0, qd0, torque, events : optional
        The time span, the start, the torques and the events, as for `simulate`.
    frames : list of str, optional
        The frames whose positions the expression uses.
    **options
        Other arguments of `sensitivities`.

    Returns
    -------
    Goal
        A goal for `optimise`.

    Other Parameters
    ----------------
    rtol, atol : float, optional
        The tolerances of the integrator; 1e-9 and 1e-11 by default.
    parameters, method, wrenches, saturate, limits, restitution, progress, max_steps
        As for `simulate`.
    stabilisation, alpha, beta, off_constraint, step, max_step
        As for `simulate`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> goal = lg.goals.integral("qd_theta^2", t_span=1)
    >>> optimum = lg.optimise("pendulum", {"L": (0.5, 2.0)}, goal)
    >>> print(round(optimum.parameters["L"], 3), f"{optimum.initial_value:.3f} -> {optimum.value:.3f}")
    2.0 10.415 -> 5.284
    """
    run_options = {"t_span": t_span, "q0": q0, "qd0": qd0, "torque": torque, "events": events, "frames": frames, **options}
    return MotionGoal("integral", expression, run_options)


@public
def final_value(
    expression: str,
    t_span: TimeSpan = None,
    q0: State = None,
    qd0: State = None,
    torque: float | ArrayLike | Mapping[str, float | str] | None = None,
    events: EventsLike = None,
    *,
    frames: Sequence[str] = (),
    **options: object,
) -> Goal:
    """Minimise an expression at the end of a motion.

    Parameters
    ----------
    expression : str
        An expression of coordinates, speeds `qd_<name>`, torques `tau_<name>`, positions `<frame>.x`, the time `t` and
        parameters, such as "(tip.x - 1.5)^2".
    t_span, q0, qd0, torque, events : optional
        The time span, the start, the torques and the events, as for `simulate`.
    frames : list of str, optional
        The frames whose positions the expression uses.
    **options
        Other arguments of `sensitivities`.

    Returns
    -------
    Goal
        A goal for `optimise`.

    Other Parameters
    ----------------
    rtol, atol : float, optional
        The tolerances of the integrator; 1e-9 and 1e-11 by default.
    parameters, method, wrenches, saturate, limits, restitution, progress, max_steps
        As for `simulate`.
    stabilisation, alpha, beta, off_constraint, step, max_step
        As for `simulate`.

    Examples
    --------
    The length at which a pendulum swings from level to hanging in half a second:

    >>> import lagrangian as lg
    >>> goal = lg.goals.final_value("(theta - 3*pi/2)^2", t_span=0.5)
    >>> optimum = lg.optimise("pendulum", {"L": (0.2, 2.0)}, goal)
    >>> print(round(optimum.parameters["L"], 4))
    0.7134
    """
    run_options = {"t_span": t_span, "q0": q0, "qd0": qd0, "torque": torque, "events": events, "frames": frames, **options}
    return MotionGoal("end", expression, run_options)


class PathPoints(Goal):
    """A frame passes through points while a coordinate drives the mechanism; the residuals are its distances in m."""

    def __init__(self, frame: str, points: Any, driven: str, angles: Any = None) -> None:
        self.frame, self.driven = frame, driven
        self.points = np.atleast_2d(array(points, "points"))
        if self.points.ndim != 2 or self.points.shape[1] not in (2, 3):
            raise ArgumentError(f"have shape {self.points.shape}; (points, 2 or 3) is needed", argument="points")
        self.angles = None if angles is None else array(angles, "angles").ravel()
        if self.angles is not None and len(self.angles) != len(self.points):
            raise ArgumentError(
                f"have {len(self.angles)} values for {len(self.points)} points; one for each is needed", argument="angles"
            )

    def unknowns(self, mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.angles is not None:
            return super().unknowns(mechanism)
        start_angle = Start(as_dynamics(mechanism)).q[self._driven_index(mechanism)]
        angles = start_angle + np.linspace(0, 2 * np.pi, len(self.points), endpoint=False)
        return angles, np.full(len(angles), -np.inf), np.full(len(angles), np.inf)

    def _driven_index(self, mechanism: Mechanism) -> int:
        if self.driven not in mechanism.coordinate_names:
            raise ArgumentError(unknown_name_message("coordinate", self.driven, mechanism.coordinate_names), where="driven")
        return mechanism.coordinate_names.index(self.driven)

    def evaluate(self, mechanism: Mechanism, names: Sequence[str], unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dyn, driven_index = as_dynamics(mechanism), self._driven_index(mechanism)
        angles = unknowns if self.angles is None else self.angles
        if not mechanism.equation_count:
            raise ArgumentError("path_points is for mechanisms with loops, which one coordinate drives", where=mechanism.name)
        q = assemble_along(dyn, [self.driven], angles[:, None])
        y = np.hstack([q, np.zeros((len(q), dyn.nv))])
        quantities = Quantities(system_at_rest(dyn), parameter_values(mechanism, names), [FRAMES, CLOSURE], [self.frame])
        values = quantities(np.zeros(len(q)), y)
        count, dimension = len(q), self.points.shape[1]
        slopes = np.zeros((count, dimension, len(names) + len(unknowns)))
        for i in range(count):
            leading_changes = np.zeros((dyn.nq, len(names) + 1))
            leading_changes[driven_index, -1] = 1.0
            leading_changes = configuration_derivatives(
                dyn, q[i], values[CLOSURE], i, leading_changes, [speed_index(mechanism, self.driven)]
            )
            point_slopes = values[FRAMES].by_state[i, :dimension, : dyn.nq] @ leading_changes
            slopes[i, :, : len(names)] = point_slopes[:, :-1] + values[FRAMES].by_parameter[i, :dimension]
            if self.angles is None:
                slopes[i, :, len(names) + i] = point_slopes[:, -1]
        return (values[FRAMES].value[:, :dimension] - self.points).ravel(), slopes.reshape(count * dimension, -1)


class MotionGoal(Goal):
    """The integral of an expression over a motion, or its value at the end: `measure` names the method of `Sensitivities`."""

    scalar_objective = True

    def __init__(self, measure: str, expression: str, run_options: Mapping[str, Any]) -> None:
        self._measure, self.expression, self.run_options = measure, expression, dict(run_options)

    def evaluate(self, mechanism: Mechanism, names: Sequence[str], unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sensitivity = sensitivities(mechanism, over=names, **{"rtol": 1e-9, "atol": 1e-11, "t_eval": 2, **self.run_options})
        value, gradient = getattr(sensitivity, self._measure)(self.expression)
        return np.array([value]), gradient[None]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise unknown_attribute("lagrangian.goals", name, __all__)
