"""PD control with gravity compensation (Takegaki and Arimoto 1981)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.configuration.assemble import assemble
from lagrangian.control.controller import Controller, second_order_gains
from lagrangian.control.reference import JointReference
from lagrangian.public import public

DEFAULT_FREQUENCY = 10.0  # rad/s: the law contains no inertia, so that stiffer joints would shake each other


@public
@dataclass(frozen=True, repr=False, eq=False)
class PDGravityCompensation(Controller):
    """Control the joints with a proportional-derivative law and gravity compensation.

    The torques at the actuated joints are tau = G(q) + kp (q_d - q) + kd (qd_d - qd). At rest, the error is the force that the
    model does not know, divided by kp. The law contains no inertia, so that it follows a fast path only with stiff gains;
    `ComputedTorque` does better. Angles are not wrapped: a whole turn more is another position.

    Parameters
    ----------
    model : Mechanism, str, path or Dynamics
        The model of the mechanism that is controlled.
    path : JointPath, array_like, mapping or str
        The path of joints to follow, or a configuration to hold: an array, a mapping of coordinates to values, or the name of a
        pose.
    kp : array_like, optional
        The stiffness, in N m/rad (N/m for slides): one number, or one for each joint that is led.
    kd : array_like, optional
        The damping, in N m s/rad (N s/m for slides): one number, or one for each joint that is led.
    frequency : array_like, optional
        The natural frequency in rad/s from which `kp` follows, with the inertia that each joint has where the path begins. The
        default is 10.
    damping : array_like, optional
        The damping ratio from which `kd` follows. The default is 1.

    Raises
    ------
    ArgumentError
        If the path leads a joint without an actuator, or if a gain is given twice.

    Notes
    -----
    The law is due to Takegaki and Arimoto (1981).

    Examples
    --------
    Hold an arm whose payload the model does not know:

    >>> import lagrangian as lg
    >>> arm = lg.library("two_r")
    >>> controller = lg.control.PDGravityCompensation(arm, [0.5, 0.5], frequency=20.0)
    >>> heavy = arm.with_payload("tip", 1.0)
    >>> motion = lg.simulate(heavy, 3.0, q0=[0.5, 0.5], torque=controller)
    >>> error = [0.5, 0.5] - motion.q[-1]
    >>> error.round(4)
    array([0.0009, 0.0025])
    """

    kp: ArrayLike | None = field(default=None, kw_only=True)
    kd: ArrayLike | None = field(default=None, kw_only=True)
    frequency: ArrayLike | None = field(default=None, kw_only=True)
    damping: ArrayLike | None = field(default=None, kw_only=True)

    def _prepare(self) -> None:
        reference = JointReference.from_path(
            self.path, self.dynamics.mechanism, allowed_speeds=self.actuated_joints.actuated_speeds
        )
        needs_inertia = self.kp is None or self.kd is None
        inertia = self._prescribed_inertia(reference) if needs_inertia else 1.0
        kp, kd = second_order_gains(reference.names, self.frequency, self.damping, self.kp, self.kd, DEFAULT_FREQUENCY, inertia)
        self._set_fields(_reference=reference, kp=kp, kd=kd)

    def _prescribed_inertia(self, reference: JointReference) -> np.ndarray:
        """The inertia at each joint that the path leads, where the path begins and the other ones stand still."""
        dyn = self.dynamics
        start = reference(reference.path.start)[0]
        q = assemble(dyn, dict(zip(reference.names, start.tolist(), strict=True)))
        if dyn.mechanism.equation_count:
            N, _ = self.actuated_joints.constraint_null_space(0.0, q, np.zeros(dyn.nv))
            speeds_by_prescribed = N @ np.linalg.pinv(N[reference.iv], rcond=1e-9)
        else:
            speeds_by_prescribed = np.eye(dyn.nv)[:, reference.iv]
        inertia: np.ndarray = np.einsum("ik,ij,jk->k", speeds_by_prescribed, dyn.mass_matrix(q), speeds_by_prescribed)
        return inertia

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        q, qd = self._state(q, qd)
        reference: JointReference = self.reference
        desired, speed, _ = reference(t)
        tau = self.actuated_joints.torques(t, q, self.dynamics.gravity(q)).copy()
        tau[reference.iv] += np.asarray(self.kp) * (desired - q[reference.iq]) + np.asarray(self.kd) * (speed - qd[reference.iv])
        return tau
