"""Hybrid control in operational space: forces along some directions of a frame, motion along the others (Khatib 1987)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import DEFAULT_FREQUENCY, as_gains, second_order_gains
from lagrangian.errors import ArgumentError, ArgumentName, format_value, is_number, unknown_direction_message
from lagrangian.model.frame import TWIST_COMPONENTS
from lagrangian.motion.torque import Sampled
from lagrangian.public import public

MIN_CONTACT_FRACTION = 0.01  # of the desired force: from there on a frame counts as touching


@public
@dataclass(frozen=True, repr=False, eq=False)
class HybridForceMotion(CartesianController):
    """Control the force of a frame along some directions and its motion along the others.

    Along the directions of `force` the frame exerts F = f_d + kf (f_d - f) + ki int (f_d - f) dt - M_x kv xd, with the forces of
    inertia, gravity and friction compensated. Along the other directions it follows the path as `OperationalSpace` does.

    Parameters
    ----------
    model : Mechanism, str, path or Dynamics
        The model of the mechanism that is controlled.
    path : CartesianPath or array_like
        The path of the frame, or a point (x, y), (x, y, z) or a 4x4 pose to hold.
    frame : str or Frame, optional
        The frame, if the path does not name it.
    directions : str or iterable of str, optional
        Those of "wx", "wy", "wz", "x", "y", "z" that are controlled. The default is all that the path leads.
    posture : array_like, mapping or str, optional
        A configuration, values of some coordinates, or the name of a pose, which attracts the freedom that the path leaves.
        Without it that freedom is only damped.
    posture_frequency : float
        The frequency of this attraction in rad/s; it is critically damped. The default is 5.
    friction : bool
        Whether to compensate the friction of the model. The default is True.
    threshold : float
        How near a singular configuration a direction is faded out, as for `Dynamics.cartesian`. The default is 0.02.
    force : mapping
        The force that the frame exerts on its surroundings, by direction, such as {"z": -10.0}: in N, or in N m about wx, wy and
        wz; a number, or a function of time. It is required.
    measured : callable, optional
        A function of (t, q, qd) that returns the force f that the frame does exert: six numbers with the moment first, or one for
        each direction of `force`. The force of a wall on the frame has the opposite sign.
    kf : array_like
        The gain of the force error, one number or one for each direction of `force`. The default is 1. An unknown load leaves an
        error of the load over 1 + kf.
    ki : array_like
        The gain of the integral of the force error, in 1/s, which removes that error. The default is 0. It needs `measured`, and
        a controller made by `with_sampling`, because the integral is a state.
    kv : array_like
        The damping of the motion into the surroundings, in 1/s. The default is 100. Against a stiffness k a good value is about
        2 sqrt((1 + kf) k / m).
    frequency : array_like, optional
        The natural frequency w of the position error in rad/s, from which kp = w^2 follows. The default is 20.
    damping : array_like, optional
        The damping ratio zeta of the position error, from which kd = 2 zeta w follows. The default is 1.
    kp : array_like, optional
        The gain of the position error, in 1/s^2: one number, or one for each direction that the path leads.
    kd : array_like, optional
        The gain of the position error's rate, in 1/s.

    Raises
    ------
    ArgumentError
        If the force is missing or names an unknown direction, or if `ki` is used without `measured` or without sampling.

    Notes
    -----
    The law is due to Khatib (1987).

    Examples
    --------
    Hold x and push along -y with 10 N. Without a wall the joint forces at rest are those of gravity and of this push:

    >>> import lagrangian as lg
    >>> import numpy as np
    >>> arm = lg.library("two_r")
    >>> q = lg.inverse_kinematics(arm, (1.2, 0.4), "tip")
    >>> push = lg.control.HybridForceMotion(arm, (1.2, 0.4), frame="tip", force={"y": -10.0})
    >>> hold = lg.control.OperationalSpace(arm, (1.2, 0.4), frame="tip")
    >>> more = push(0.0, q, [0.0, 0.0]) - hold(0.0, q, [0.0, 0.0])
    >>> np.linalg.solve(lg.compile(arm).jacobian(q, "tip")[3:5].T, more).round(6) + 0.0
    array([  0., -10.])
    """

    force: Mapping[str, float | Callable[[float], float]] | None = field(default=None, kw_only=True)
    measured: Callable[[float, np.ndarray, np.ndarray], ArrayLike] | None = field(default=None, kw_only=True)
    kf: ArrayLike = field(default=1.0, kw_only=True)
    ki: ArrayLike = field(default=0.0, kw_only=True)
    kv: ArrayLike = field(default=100.0, kw_only=True)
    frequency: ArrayLike | None = field(default=None, kw_only=True)
    damping: ArrayLike | None = field(default=None, kw_only=True)
    kp: ArrayLike | None = field(default=None, kw_only=True)
    kd: ArrayLike | None = field(default=None, kw_only=True)

    def _prepare(self) -> None:
        if not isinstance(self.force, Mapping) or not self.force:
            raise ArgumentError(
                f"is {self.force!r}",
                argument="force",
                remedy="a mapping of directions to newtons is needed, such as {'z': -10.0}",
            )
        force_directions = tuple(self.force)
        for name, value in self.force.items():
            if name not in TWIST_COMPONENTS:
                raise ArgumentError(unknown_direction_message(name, TWIST_COMPONENTS), where=ArgumentName("force"))
            if not callable(value) and not is_number(value):
                raise ArgumentError(
                    f"force along {name} is {value!r}; a finite number, or a function of time, is needed", concerns="force"
                )
        super()._prepare()
        motion_directions = tuple(d for d in self._controlled_directions if d not in force_directions)
        kp, kd = second_order_gains(motion_directions, self.frequency, self.damping, self.kp, self.kd, DEFAULT_FREQUENCY)
        kf, ki, kv = (as_gains(n, getattr(self, n), force_directions) for n in ("kf", "ki", "kv"))
        if self.measured is not None and not callable(self.measured):
            raise ArgumentError(
                f"is {self.measured!r}", argument="measured", remedy="a function of (t, q, qd) that gives the force is needed"
            )
        if self.measured is None and ki.any():
            raise ArgumentError(
                "ki integrates the error of the force, which needs `measured`, a function of (t, q, qd)",
                concerns="measured",
            )
        self._set_directions((*motion_directions, *force_directions), motion_directions)  # motion first, then forces
        self._set_fields(kp=kp, kd=kd, kf=kf, ki=ki, kv=kv)

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        if np.any(self.ki):
            raise ArgumentError(
                "ki integrates the error of the force from sample to sample; "
                "give torque=controller.with_sampling(period), or ki=0",
                concerns="ki",
            )
        return self.forces_and_error(t, q, qd, np.zeros(len(self._force_by_direction)))[0]

    def with_sampling(self, period: float, delay: float = 0.0) -> Sampled:
        """Return the controller as a digital one with a fixed sampling period and an integral of its own.

        The integral begins at zero, and again when the time runs back. It rests while the frame touches nothing.

        Parameters
        ----------
        period : float
            The time between two samples, in seconds. The torques are held in between.
        delay : float
            The time after which the torques of a sample act, in seconds. The default is 0.

        Returns
        -------
        Sampled
            A torque source for `simulate`.
        """
        return Sampled(_ForceIntegrator(self, period), period, delay)

    @property
    def _force_by_direction(self) -> Mapping[str, float | Callable[[float], float]]:
        """The forces by their directions."""
        assert self.force is not None
        return self.force

    def forces_and_error(self, t: float, q: ArrayLike, qd: ArrayLike, integral: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint forces, and the error of the force as far as it counts for the integral.

        Parameters
        ----------
        t : float
            The time in seconds.
        q, qd : array_like
            Coordinates and speeds.
        integral : numpy.ndarray
            The integral of the force error, one number for each direction of `force`.

        Returns
        -------
        tau : numpy.ndarray
            The joint forces.
        error : numpy.ndarray
            The error of the force where the frame touches something, else zero.
        """
        q, qd = self._state(q, qd)
        task = self.task_state(t, q, qd)
        kp, kd, kf, ki, kv = (np.asarray(x) for x in (self.kp, self.kd, self.kf, self.ki, self.kv))
        n = len(kp)
        desired_force = np.array([self._desired_force(d, f, t) for d, f in self._force_by_direction.items()])
        error, touching = np.zeros(len(desired_force)), np.zeros(len(desired_force), dtype=bool)
        if self.measured is not None:
            measured_force = self._measured_force(t, q, qd)
            error, touching = (
                desired_force - measured_force,
                np.abs(measured_force) > MIN_CONTACT_FRACTION * np.abs(desired_force),
            )
        command = task.path_acceleration
        command[:n] += kd * task.error_rate[:n] + kp * task.error[:n]
        command[n:] = -kv * task.frame_velocity[n:]
        force = task.equations.M_x @ command
        force[n:] += desired_force + kf * error + ki * integral
        return self.joint_forces(t, q, qd, task, force), error * touching

    @staticmethod
    def _desired_force(direction: str, force: Any, t: float) -> float:
        value_at_t = force(t) if callable(force) else force
        try:
            value = float(value_at_t)
        except (TypeError, ValueError):
            value = np.nan
        if not np.isfinite(value):
            raise ArgumentError(
                f"force along {direction} is {format_value(value_at_t)} at t = {t:g} s; a finite number is needed",
                concerns="force",
            )
        return value

    def _measured_force(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        assert self.measured is not None
        returned, count = self.measured(t, q.copy(), qd.copy()), len(self._force_by_direction)
        try:
            force = floats(returned)
        except (TypeError, ValueError):
            force = np.zeros(0)
        if force.shape == (6,):
            force = force[[TWIST_COMPONENTS.index(d) for d in self._force_by_direction]]
        if force.shape not in ((count,), ()) or (force.ndim == 0 and count != 1) or not np.isfinite(force).all():
            raise ArgumentError(
                f"returned {format_value(returned)} at t = {t:g} s",
                argument="measured",
                remedy=f"{count} or 6 finite numbers are needed",
            )
        return force.reshape(count)


class _ForceIntegrator:
    """A controller with the integral of its force error, from sample to sample."""

    def __init__(self, controller: HybridForceMotion, period: float) -> None:
        self.controller, self.period = controller, period
        self.last_time, self.integral = np.inf, np.zeros(len(controller._force_by_direction))

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        if t <= self.last_time:  # a new run
            self.integral = np.zeros(len(self.integral))
        tau, error = self.controller.forces_and_error(t, q, qd, self.integral)
        self.last_time, self.integral = t, self.integral + self.period * error
        return tau
