"""Operational-space motion control (Khatib 1987)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import FREQUENCY, second_order
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class OperationalSpace(CartesianController):
    """tau = J^T (M_x (x_d'' + kd e' + kp e) + C_x + G_x + F_x): where the model is right, e'' + kd e' + kp e = 0 of the frame.

    `kp` (1/s^2) and `kd` (1/s) are a number or one for each direction; those not given are w^2 and 2 zeta w of a `frequency` w
    (20 rad/s) and a `damping` ratio zeta (1). Exact for positions; for orientations where the error is small.
    Other arguments are those of `CartesianController`.
    """

    frequency: Any = field(default=None, kw_only=True)
    damping: Any = field(default=None, kw_only=True)
    kp: Any = field(default=None, kw_only=True)
    kd: Any = field(default=None, kw_only=True)

    def _prepare(self) -> None:
        super()._prepare()
        kp, kd = second_order(self.directions, self.frequency, self.damping, self.kp, self.kd, FREQUENCY)
        self._keep(kp=kp, kd=kd)

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        q, qd = self._state(q, qd)
        now = self.situation(t, q, qd)
        command = now.acceleration + self.kd * now.rate + self.kp * now.error
        return self.joint_forces(t, q, qd, now, now.x.M_x @ command)
