"""Hybrid control in operational space: forces along some directions of a frame, motion along the others (Khatib 1987)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import FREQUENCY, gains, second_order
from lagrangian.errors import Argument, ArgumentError, is_number, one_of, shown
from lagrangian.model.loop import DIRECTIONS
from lagrangian.motion.torque import Sampled
from lagrangian.public import public

# the part of the wanted force from which on a frame counts as touching
TOUCH = 0.01


@public
@dataclass(frozen=True, repr=False, eq=False)
class ForceMotion(CartesianController):
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
        a controller that is `sampled`, because the integral is a state.
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
    >>> push = lg.control.ForceMotion(arm, (1.2, 0.4), frame="tip", force={"y": -10.0})
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
        pressed = tuple(self.force)
        for name, value in self.force.items():
            if name not in DIRECTIONS:
                raise ArgumentError(one_of("direction", name, DIRECTIONS), where=Argument("force"))
            if not callable(value) and not is_number(value):
                raise ArgumentError(
                    f"force along {name} is {value!r}; a finite number, or a function of time, is needed", concerns="force"
                )
        super()._prepare()
        led = tuple(d for d in self._controlled if d not in pressed)
        kp, kd = second_order(led, self.frequency, self.damping, self.kp, self.kd, FREQUENCY)
        kf, ki, kv = (gains(n, getattr(self, n), pressed) for n in ("kf", "ki", "kv"))
        if self.measured is not None and not callable(self.measured):
            raise ArgumentError(
                f"is {self.measured!r}", argument="measured", remedy="a function of (t, q, qd) that gives the force is needed"
            )
        if self.measured is None and ki.any():
            raise ArgumentError(
                "ki integrates the error of the force, which needs `measured`, a function of (t, q, qd)",
                concerns="measured",
            )
        self._control((*led, *pressed), led)  # motion first, then forces
        self._keep(kp=kp, kd=kd, kf=kf, ki=ki, kv=kv)

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        if np.any(self.ki):
            raise ArgumentError(
                "ki integrates the error of the force from sample to sample; give torque=controller.sampled(period), or ki=0",
                concerns="ki",
            )
        return self.respond(t, q, qd, np.zeros(len(self._pressed)))[0]

    def sampled(self, period: float, delay: float = 0.0) -> Sampled:
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
        return Sampled(_Integrating(self, period), period, delay)

    @property
    def _pressed(self) -> Mapping[str, float | Callable[[float], float]]:
        """The directions with a force, and these forces."""
        assert self.force is not None
        return self.force

    def respond(self, t: float, q: ArrayLike, qd: ArrayLike, integral: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
        now = self.situation(t, q, qd)
        kp, kd, kf, ki, kv = (np.asarray(x) for x in (self.kp, self.kd, self.kf, self.ki, self.kv))
        n = len(kp)
        wanted = np.array([self._wanted(d, f, t) for d, f in self._pressed.items()])
        error, touching = np.zeros(len(wanted)), np.zeros(len(wanted), dtype=bool)
        if self.measured is not None:
            found = self._measure(t, q, qd)
            error, touching = wanted - found, np.abs(found) > TOUCH * np.abs(wanted)
        command = now.acceleration
        command[:n] += kd * now.rate[:n] + kp * now.error[:n]
        command[n:] = -kv * now.velocity[n:]
        force = now.x.M_x @ command
        force[n:] += wanted + kf * error + ki * integral
        return self.joint_forces(t, q, qd, now, force), error * touching

    @staticmethod
    def _wanted(direction: str, force: Any, t: float) -> float:
        found = force(t) if callable(force) else force
        try:
            value = float(found)
        except (TypeError, ValueError):
            value = np.nan
        if not np.isfinite(value):
            raise ArgumentError(
                f"force along {direction} is {shown(found)} at t = {t:g} s; a finite number is needed", concerns="force"
            )
        return value

    def _measure(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        assert self.measured is not None
        given, count = self.measured(t, q.copy(), qd.copy()), len(self._pressed)
        try:
            found = floats(given)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape == (6,):
            found = found[[DIRECTIONS.index(d) for d in self._pressed]]
        if found.shape not in ((count,), ()) or (found.ndim == 0 and count != 1) or not np.isfinite(found).all():
            raise ArgumentError(
                f"returned {shown(given)} at t = {t:g} s", argument="measured", remedy=f"{count} or 6 finite numbers are needed"
            )
        return found.reshape(count)


class _Integrating:
    """A controller with the integral of its error of force, from sample to sample."""

    def __init__(self, controller: ForceMotion, period: float) -> None:
        self.controller, self.period = controller, period
        self.last, self.integral = np.inf, np.zeros(len(controller._pressed))

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        if t <= self.last:  # another run
            self.integral = np.zeros(len(self.integral))
        tau, error = self.controller.respond(t, q, qd, self.integral)
        self.last, self.integral = t, self.integral + self.period * error
        return tau
