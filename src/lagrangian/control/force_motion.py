"""Hybrid control in operational space: forces along some directions of a frame, motion along the others (Khatib 1987)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
    """A force along some directions, motion along the path's others, these as under OperationalSpace.

    `force` maps directions to what the frame is to exert on its surroundings: {"z": -10.0} in newtons (N m about wx, wy, wz), or
    a function of time.

        F = f_d + kf (f_d - f) + ki int (f_d - f) dt - M_x kv x',   plus C_x + G_x + F_x

    `measured(t, q, qd)` is the force f that the frame does exert: (moment, force) along the world's axes, six numbers; or one
    for each direction of `force`; a single number for a single one. A wall's push on the frame has the opposite sign. `kv` (1/s)
    damps the motion into the surroundings: against a stiffness k about 2 sqrt((1 + kf) k / m). With a load the model does not
    know the error is the load over 1 + kf; `ki` (1/s) takes it away. The integral is a state, which only `sampled` has: every
    call of `sampled` makes one, which begins at zero, again when time runs back, and which rests while nothing is touched.
    Other arguments are those of `CartesianController`.
    """

    force: Any = field(default=None, kw_only=True)
    measured: Any = field(default=None, kw_only=True)
    kf: Any = field(default=1.0, kw_only=True)
    ki: Any = field(default=0.0, kw_only=True)
    kv: Any = field(default=100.0, kw_only=True)
    frequency: Any = field(default=None, kw_only=True)
    damping: Any = field(default=None, kw_only=True)
    kp: Any = field(default=None, kw_only=True)
    kd: Any = field(default=None, kw_only=True)

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
        led = tuple(d for d in self.directions if d not in pressed)
        kp, kd = second_order(led, self.frequency, self.damping, self.kp, self.kd, FREQUENCY)
        kf, ki, kv = (gains(n, getattr(self, n), pressed) for n in ("kf", "ki", "kv"))
        if self.measured is not None and not callable(self.measured):
            raise ArgumentError(
                f"is {self.measured!r}", argument="measured", remedy="a function of (t, q, qd) that gives the force is needed"
            )
        if self.measured is None and ki.any():
            raise ArgumentError(
                "ki integrates the error of the force; `measured`, a function of (t, q, qd), is needed for it",
                concerns="measured",
            )
        self._control((*led, *pressed), led)  # motion first, then forces
        self._keep(kp=kp, kd=kd, kf=kf, ki=ki, kv=kv)

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        if self.ki.any():
            raise ArgumentError(
                "ForceMotion with ki integrates the force's error, which needs a memory from sample to sample: "
                "torque=controller.sampled(period), or ki=0",
                concerns="ki",
            )
        return self.respond(t, q, qd, np.zeros(len(self.force)))[0]

    def sampled(self, period: float, delay: float = 0.0) -> Sampled:
        """The controller asked every `period` seconds, with an integral of its own."""
        return Sampled(_Integrating(self, period), period, delay)

    def respond(self, t: float, q: Any, qd: Any, integral: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Joint forces, and the error of the force as far as it counts for the integral."""
        q, qd = self._state(q, qd)
        now = self.situation(t, q, qd)
        n = len(self.kp)
        wanted = np.array([self._wanted(d, f, t) for d, f in self.force.items()])
        error, touching = np.zeros(len(wanted)), np.zeros(len(wanted), dtype=bool)
        if self.measured is not None:
            found = self._measure(t, q, qd)
            error, touching = wanted - found, np.abs(found) > TOUCH * np.abs(wanted)
        command = now.acceleration
        command[:n] += self.kd * now.rate[:n] + self.kp * now.error[:n]
        command[n:] = -self.kv * now.velocity[n:]
        force = now.x.M_x @ command
        force[n:] += wanted + self.kf * error + self.ki * integral
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
        given, count = self.measured(t, q.copy(), qd.copy()), len(self.force)
        try:
            found = floats(given)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape == (6,):
            found = found[[DIRECTIONS.index(d) for d in self.force]]
        if found.shape not in ((count,), ()) or (found.ndim == 0 and count != 1) or not np.isfinite(found).all():
            raise ArgumentError(
                f"gave {shown(given)} at t = {t:g} s", argument="measured", remedy=f"{count} or 6 finite numbers are needed"
            )
        return found.reshape(count)


class _Integrating:
    """A controller with the integral of its error of force, from sample to sample."""

    def __init__(self, controller: ForceMotion, period: float) -> None:
        self.controller, self.period = controller, period
        self.last, self.integral = np.inf, np.zeros(len(controller.force))

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        if t <= self.last:  # another run
            self.integral = np.zeros(len(self.integral))
        tau, error = self.controller.respond(t, q, qd, self.integral)
        self.last, self.integral = t, self.integral + self.period * error
        return tau
