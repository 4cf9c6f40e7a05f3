"""`lagrangian.goals`: goals of an optimisation with exact gradients, for torques at rest, paths and motions.

`lagrangian.optimise` minimises the sum of the squares of the residuals of a goal, or the value of an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, texts
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.start import Start, as_dynamics
from lagrangian.errors import ArgumentError, MechanismPart, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import EventsLike
from lagrangian.motion.sensitivity.quantities import CLOSURE, FRAMES, HOLDING, SPEEDS, Quantities
from lagrangian.motion.sensitivity.sensitivities import sensitivities
from lagrangian.optimisation.goal import Goal, parameter_values, system_at_rest
from lagrangian.optimisation.leading_coordinates import assemble_along, configuration_derivatives
from lagrangian.types import State, TimeSpan

__all__ = ["Goal", "final_value", "holding_torque", "integral", "path_points"]

RANK_TOLERANCE = 1e-9
HOLDING_TORQUE = "holding_torque"  # the function that errors name


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


class HoldingTorque(Goal):
    """The joint forces that hold a mechanism at rest in some poses, as residuals with exact derivatives by parameters.

    Those of an open mechanism are its gravity and spring forces h. With loops the driven joints alone hold it: by virtual work
    the force at the driven joint d is n_d^T h, where n_d are the speeds of all joints while d moves at speed one and the other
    driven ones stand still, [Psi; E] n_d = [0; e_d]. Along a parameter, with the driven coordinates fixed and loops closed,

        d(n_d^T h) = n_d^T dh - lambda^T d(Psi n_d),    Psi^T lambda = h - E^T tau.
    """

    def __init__(self, poses: Any, joints: Sequence[str] | None = None) -> None:
        self.named_coordinates = tuple(poses) if isinstance(poses, Mapping) else ()
        columns = [np.atleast_1d(array(x, "poses", HOLDING_TORQUE)) for x in poses.values()] if self.named_coordinates else []
        if self.named_coordinates and (len({len(x) for x in columns}) > 1 or any(x.ndim > 1 for x in columns)):
            raise ArgumentError(
                "have lists of different lengths; a value for each pose is needed", where=HOLDING_TORQUE, argument="poses"
            )
        self.poses = np.stack(columns, axis=1) if self.named_coordinates else np.atleast_2d(array(poses, "poses", HOLDING_TORQUE))
        if self.poses.ndim != 2 or not self.poses.size:
            raise ArgumentError(
                f"have shape {self.poses.shape}; a row for each pose is needed", where=HOLDING_TORQUE, argument="poses"
            )
        if not np.isfinite(self.poses).all():
            raise ArgumentError("have a number that is not finite", where=HOLDING_TORQUE, argument="poses")
        self.joints = None if joints is None else list(texts(joints, "joints", HOLDING_TORQUE))

    def evaluate(self, mechanism: Mechanism, names: Sequence[str], unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        dyn = as_dynamics(mechanism)
        selected = [_speed_index(mechanism, name) for name in self.joints or mechanism.speed_names]
        self._check_poses(mechanism)
        if mechanism.equation_count:
            forces, slopes, holding = self._constrained_forces(dyn, names)
            selected = [holding.index(k) for k in selected if k in holding]
        else:
            y = np.hstack([self._tree_configurations(mechanism), np.zeros((len(self.poses), mechanism.nv))])
            quantities = Quantities(system_at_rest(dyn), parameter_values(mechanism, names), [HOLDING])
            holding_forces = quantities(np.zeros(len(y)), y)[HOLDING]
            forces, slopes = holding_forces.value, holding_forces.by_parameter
        return forces[:, selected].ravel(), slopes[:, selected].reshape(-1, len(names))

    def _check_poses(self, mechanism: Mechanism) -> None:
        for name in self.named_coordinates:
            if name not in mechanism.coordinate_names:
                raise ArgumentError(
                    unknown_name_message("coordinate", name, mechanism.coordinate_names), where=(HOLDING_TORQUE, "poses")
                )
        if not self.named_coordinates and self.poses.shape[1] != mechanism.nq:
            needed = f"(poses, {mechanism.nq}) is needed"
            raise ArgumentError(f"have shape {self.poses.shape}; {needed}", where=HOLDING_TORQUE, argument="poses")
        missing = [name for name in mechanism.coordinate_names if name not in self.named_coordinates]
        if self.named_coordinates and missing and not mechanism.equation_count:
            raise ArgumentError(
                f"leave out {', '.join(missing)}",
                where=HOLDING_TORQUE,
                argument="poses",
                remedy="a mechanism without loops needs all coordinates",
            )

    def _tree_configurations(self, mechanism: Mechanism) -> np.ndarray:
        """Configurations of a mechanism without loops."""
        return (
            self.poses[:, [self.named_coordinates.index(name) for name in mechanism.coordinate_names]]
            if self.named_coordinates
            else self.poses
        )

    def _constrained_forces(self, dyn: Dynamics, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Forces of the holding joints (poses, joints), their slopes (poses, joints, names), and the joints' indices."""
        model = dyn.mechanism
        if dyn.depends_on_time:
            raise ArgumentError("has constraints that depend on time, so that it does not rest", where=model.name)
        holding = self._holding_indices(model)
        q = self._assemble_poses(dyn, holding)
        leading = [_speed_index(model, name) for name in self.named_coordinates] or holding
        quantities = Quantities(system_at_rest(dyn), parameter_values(model, names), [HOLDING, CLOSURE, SPEEDS])
        at_rest = quantities(np.zeros(len(q)), np.hstack([q, np.zeros((len(q), dyn.nv))]))
        for k, row in enumerate(q):
            self._unit_motions(dyn, row, leading, k)  # raises an error unless they determine the pose
        unit_motions = np.array([self._unit_motions(dyn, row, holding, k) for k, row in enumerate(q)])  # (poses, joints, nv)
        h = at_rest[HOLDING].value
        tau = np.einsum("pdv,pv->pd", unit_motions, h)
        moving_rates = [quantities(np.zeros(len(q)), np.hstack([q, unit_motions[:, d]]))[SPEEDS] for d in range(len(holding))]
        slopes = np.zeros((*tau.shape, len(names)))
        for k in range(len(q)):
            dq = configuration_derivatives(dyn, q[k], at_rest[CLOSURE], k, np.zeros((dyn.nq, len(names))), leading)
            passive_forces = h[k].copy()
            passive_forces[holding] -= tau[k]
            multipliers = np.linalg.lstsq(dyn.constraint_jacobian(q[k]).T, passive_forces, rcond=RANK_TOLERANCE)[0]
            dh = at_rest[HOLDING].by_parameter[k] + at_rest[HOLDING].by_state[k, :, : dyn.nq] @ dq
            for d, rate in enumerate(moving_rates):
                constraint_slope = rate.by_parameter[k] + rate.by_state[k, :, : dyn.nq] @ dq  # d(Psi n_d)
                slopes[k, d] = unit_motions[k, d] @ dh - multipliers @ constraint_slope
        return tau, slopes, holding

    def _holding_indices(self, model: Mechanism) -> list[int]:
        """The indices of the joints that hold the mechanism: the actuated ones, or `joints` if these name others."""
        driven = [name for j in model.joints if j.actuated for name in j.speed_names]
        joint_names = driven if self.joints is None or set(self.joints) <= set(driven) else self.joints
        return [_speed_index(model, name) for name in joint_names]

    def _assemble_poses(self, dyn: Dynamics, holding: list[int]) -> np.ndarray:
        """The poses with loops closed and with the holding joints as given."""
        if self.named_coordinates:
            return assemble_along(dyn, self.named_coordinates, self.poses)
        model = dyn.mechanism
        holding_names = [model.speed_names[k] for k in holding]
        loops = LoopClosure(dyn, 0.0, [name for name in holding_names if name in model.coordinate_names])
        return np.array([loops.close(row, 0) for row in self.poses])

    def _unit_motions(self, dyn: Dynamics, q: np.ndarray, holding: list[int], pose: int) -> np.ndarray:
        """The speeds of all joints (joints, nv) as each holding joint moves at speed one; an error unless determined."""
        model = dyn.mechanism
        psi = dyn.constraint_jacobian(q)
        rows = np.vstack([psi, np.eye(dyn.nv)[holding]])
        freedom = dyn.nv - int(np.linalg.matrix_rank(psi, tol=RANK_TOLERANCE * max(np.abs(psi).max(initial=0.0), 1e-300)))
        s = np.linalg.svd(rows, compute_uv=False)
        if len(holding) != freedom or s[-1] < RANK_TOLERANCE * s[0] or len(s) < dyn.nv:
            joint_list = ", ".join(model.speed_names[k] for k in holding) or "no joint"
            reason = f"it has {freedom} degree{'s' * (freedom != 1)} of freedom there"
            raise ArgumentError(
                f"cannot be held by {joint_list} in pose {pose}: {reason}",
                where=(HOLDING_TORQUE, MechanismPart("mechanism", model.name)),
                remedy="give as many joints as degrees of freedom, actuated ones or by `joints`, which move all others",
            )
        unit = np.vstack([np.zeros((len(psi), len(holding))), np.eye(len(holding))])
        motions: np.ndarray = np.linalg.lstsq(rows, unit, rcond=None)[0].T
        return motions


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
                dyn, q[i], values[CLOSURE], i, leading_changes, [_speed_index(mechanism, self.driven)]
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


def _speed_index(mechanism: Mechanism, name: str) -> int:
    """The index of a joint's speed."""
    if name not in mechanism.speed_names:
        raise ArgumentError(unknown_name_message("joint or speed", name, mechanism.speed_names), where="joints")
    return mechanism.speed_names.index(name)
