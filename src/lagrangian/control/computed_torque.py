"""Computed torque: the model's inverse dynamics of an acceleration that takes the error away (Markiewicz 1973)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.control.actuated_joints import check_fully_prescribed
from lagrangian.control.controller import DEFAULT_FREQUENCY, Controller, second_order_gains
from lagrangian.control.reference import JointReference
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class ComputedTorque(Controller):
    """Follow a path of joints with computed torque.

    The torques are tau = M (qdd_d + kd e' + kp e) + C qd + G + F with the error e = q_d - q. If the model is right, the error
    obeys e'' + kd e' + kp e = 0. Angles are not wrapped: a whole turn more is another position.

    In a mechanism with constraints the path leads as many independent coordinates as there are degrees of freedom, or more. The
    other accelerations follow from the constraints, and the actuators take the smallest torques if there are more than needed.

    Parameters
    ----------
    model : Mechanism, str, path or Dynamics
        The model of the mechanism that is controlled.
    path : JointPath, array_like, mapping or str
        The path of joints to follow, or a configuration to hold: an array, a mapping of coordinates to values, or the name of a
        pose.
    frequency : array_like, optional
        The natural frequency w of the error in rad/s, from which kp = w^2 follows. The default is 20.
    damping : array_like, optional
        The damping ratio zeta of the error, from which kd = 2 zeta w follows. The default is 1.
    kp : array_like, optional
        The gain of the error, in 1/s^2: one number, or one for each coordinate that is led.
    kd : array_like, optional
        The gain of the error's rate, in 1/s.
    friction : bool
        Whether to compensate the friction of the model: viscous friction at the measured speed, dry friction by the sign of the
        desired speed, and none while the path rests. The default is True.

    Raises
    ------
    ArgumentError
        If the path leaves degrees of freedom open, or if a gain is given twice.

    Notes
    -----
    The law is due to Markiewicz (1973).

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0)
    >>> controller = lg.control.ComputedTorque("two_r", path, frequency=20.0)
    >>> motion = lg.simulate("two_r", 1.5, q0=[0.1, 0.0], qd0=[0.0, 0.0], torque=controller)
    >>> motion.q[-1].round(3)
    array([ 1. , -0.5])
    """

    frequency: ArrayLike | None = field(default=None, kw_only=True)
    damping: ArrayLike | None = field(default=None, kw_only=True)
    kp: ArrayLike | None = field(default=None, kw_only=True)
    kd: ArrayLike | None = field(default=None, kw_only=True)
    friction: bool = field(default=True, kw_only=True)

    def _prepare(self) -> None:
        reference = JointReference.from_path(self.path, self.dynamics.mechanism)
        check_fully_prescribed(self.actuated_joints, len(reference.names), reference.names)
        kp, kd = second_order_gains(reference.names, self.frequency, self.damping, self.kp, self.kd, DEFAULT_FREQUENCY)
        self._set_fields(_reference=reference, kp=kp, kd=kd)

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        q, qd = self._state(q, qd)
        reference: JointReference = self.reference
        prescribed = reference.iv
        desired, speed, acceleration = reference(t)
        command = (
            acceleration + np.asarray(self.kd) * (speed - qd[prescribed]) + np.asarray(self.kp) * (desired - q[reference.iq])
        )
        qdd = self.actuated_joints.accelerations(t, q, qd, prescribed, command)
        friction_speeds = None
        if self.friction:
            friction_speeds = qd.copy()
            friction_speeds[prescribed] = speed
        return self.actuated_joints.torques(t, q, self.actuated_joints.bias(q, qd, friction_speeds, qdd))
