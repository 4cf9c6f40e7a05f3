"""Computed torque: the model's inverse dynamics of an acceleration that takes the error away (Markiewicz 1973)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.control.controller import FREQUENCY, Controller, second_order
from lagrangian.control.drives import degrees_told
from lagrangian.control.reference import JointReference
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class ComputedTorque(Controller):
    """tau = M (q_d'' + kd e' + kp e) + C q' + G + F with e = q_d - q: where the model is right, e'' + kd e' + kp e = 0.

    With constraints the path leads as many independent coordinates as there are degrees of freedom, or more; the other
    accelerations follow from the constraints, and actuators alone do what is needed, with the least torques where they are many.
    `kp` (1/s^2) and `kd` (1/s) are a number or one for each coordinate that is led; those not given are w^2 and 2 zeta w of a
    `frequency` w (20 rad/s) and a `damping` ratio zeta (1). Angles are not wrapped: a turn more is another place.

    `friction` compensates the model's: viscous at the measured speed; dry by the sign of the wanted speed, which does not chatter
    about zero, and none where the path rests. (Of joints that are not led, by the measured one.)
    """

    frequency: Any = field(default=None, kw_only=True)
    damping: Any = field(default=None, kw_only=True)
    kp: Any = field(default=None, kw_only=True)
    kd: Any = field(default=None, kw_only=True)
    friction: bool = field(default=True, kw_only=True)

    def _prepare(self) -> None:
        reference = JointReference.of(self.path, self.dynamics.mechanism)
        degrees_told(self.drives, len(reference.names), reference.names)
        kp, kd = second_order(reference.names, self.frequency, self.damping, self.kp, self.kd, FREQUENCY)
        self._keep(_reference=reference, kp=kp, kd=kd)

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        q, qd = self._state(q, qd)
        reference: JointReference = self.reference
        led = reference.iv
        wanted, speed, acceleration = reference(t)
        command = acceleration + self.kd * (speed - qd[led]) + self.kp * (wanted - q[reference.iq])
        qdd = self.drives.accelerations(t, q, qd, led, command)
        moving = None
        if self.friction:
            moving = qd.copy()
            moving[led] = speed
        return self.drives.torques(t, q, self.drives.bias(q, qd, moving, qdd))
