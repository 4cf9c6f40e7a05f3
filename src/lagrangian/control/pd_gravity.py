"""PD control with gravity compensation (Takegaki and Arimoto 1981)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.control.controller import Controller, second_order
from lagrangian.control.reference import JointReference
from lagrangian.public import public

FREQUENCY = 10.0  # rad/s, where nothing else is said: inertia is not in the law, and stiffer joints would shake each other


@public
@dataclass(frozen=True, repr=False, eq=False)
class PDGravity(Controller):
    """tau = G(q) + kp (q_d - q) + kd (q_d' - q'), at the actuated joints; the rest of gravity the constraints carry.

    At rest under a load it did not know, or a gravity it knew wrongly, the error is that force over kp. It follows a path only as
    well as stiff gains can: inertia is not in it. `kp` and `kd` are in N m/rad and N m s/rad (N/m and N s/m of slides),
    a number or one for each joint; those not given make each joint, with the inertia it has where the path begins and the others
    held, a spring of `frequency` (10 rad/s) and `damping` ratio (1). Angles are not wrapped: a turn more is another place.
    """

    kp: Any = field(default=None, kw_only=True)
    kd: Any = field(default=None, kw_only=True)
    frequency: Any = field(default=None, kw_only=True)
    damping: Any = field(default=None, kw_only=True)

    def _prepare(self) -> None:
        reference = JointReference.of(self.path, self.dynamics.mechanism, only=self.drives.driven)
        needed = self.kp is None or self.kd is None
        inertia = self._inertia(reference) if needed else 1.0
        kp, kd = second_order(reference.names, self.frequency, self.damping, self.kp, self.kd, FREQUENCY, inertia)
        self._keep(_reference=reference, kp=kp, kd=kd)

    def _inertia(self, reference: JointReference) -> np.ndarray:
        """Of each led joint where the path begins, the other led ones held."""
        dyn = self.dynamics
        start = reference(reference.path.start)[0]
        q = assemble(dyn, dict(zip(reference.names, start.tolist(), strict=True)))
        if dyn.mechanism.equations:
            N, _ = self.drives.freedom(0.0, q, np.zeros(dyn.nv))
            follow = N @ np.linalg.pinv(N[reference.iv], rcond=1e-9)
        else:
            follow = np.eye(dyn.nv)[:, reference.iv]
        found: np.ndarray = np.einsum("ik,ij,jk->k", follow, dyn.mass_matrix(q), follow)
        return found

    def __call__(self, t: float, q: Any, qd: Any) -> np.ndarray:
        q, qd = self._state(q, qd)
        reference: JointReference = self.reference
        wanted, speed, _ = reference(t)
        tau = self.drives.torques(t, q, self.dynamics.gravity(q)).copy()
        tau[reference.iv] += self.kp * (wanted - q[reference.iq]) + self.kd * (speed - qd[reference.iv])
        return tau
