"""Operational-space motion control (Khatib 1987)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import DEFAULT_FREQUENCY, second_order_gains
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class OperationalSpace(CartesianController):
    """Follow a path of a frame with operational-space control.

    The joint forces are tau = J^T (M_x (xdd_d + kd e' + kp e) + C_x + G_x + F_x) with the error e of the frame. If the model is
    right, the error obeys e'' + kd e' + kp e = 0: exactly for positions, and for orientations if the error is small.

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
    frequency : array_like, optional
        The natural frequency w of the error in rad/s, from which kp = w^2 follows. The default is 20.
    damping : array_like, optional
        The damping ratio zeta of the error, from which kd = 2 zeta w follows. The default is 1.
    kp : array_like, optional
        The gain of the error, in 1/s^2: one number, or one for each direction.
    kd : array_like, optional
        The gain of the error's rate, in 1/s.

    Raises
    ------
    ArgumentError
        If the frame or a direction is unknown, or if a gain is given twice.

    Notes
    -----
    The law is due to Khatib (1987).

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.line((1.2, 0.4), (0.8, 0.9), 1.0, frame="tip")
    >>> start = lg.inverse("two_r", path).q[0]
    >>> controller = lg.control.OperationalSpace("two_r", path)
    >>> motion = lg.simulate("two_r", 1.0, q0=start, qd0=[0.0, 0.0], torque=controller)
    >>> lg.compile("two_r").pose(motion.q[-1], "tip")[:2, 3].round(4)
    array([0.8, 0.9])
    """

    frequency: ArrayLike | None = field(default=None, kw_only=True)
    damping: ArrayLike | None = field(default=None, kw_only=True)
    kp: ArrayLike | None = field(default=None, kw_only=True)
    kd: ArrayLike | None = field(default=None, kw_only=True)

    def _prepare(self) -> None:
        super()._prepare()
        kp, kd = second_order_gains(
            self._controlled_directions, self.frequency, self.damping, self.kp, self.kd, DEFAULT_FREQUENCY
        )
        self._set_fields(kp=kp, kd=kd)

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        q, qd = self._state(q, qd)
        task = self.task_state(t, q, qd)
        command = task.path_acceleration + np.asarray(self.kd) * task.error_rate + np.asarray(self.kp) * task.error
        return self.joint_forces(t, q, qd, task, task.equations.M_x @ command)
