"""The actuated joints of a controller's model: their torques and friction for generalised forces and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.mobility import mobility
from lagrangian.configuration.speeds import actuated_speed_mask
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.actuation import actuator_torques
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.operational_space import constraint_null_space

REST_TOLERANCE = 1e-9  # rad/s or m/s: a joint with a slower desired speed rests
CREEP_SPEED = 1e-200  # rad/s or m/s: a speed at which viscous friction vanishes beside dry friction


@dataclass(frozen=True, eq=False)
class ActuatedJoints:
    """The actuated joints of a model, with its dry friction at positive and at negative speeds."""

    dyn: Dynamics
    actuated_speeds: np.ndarray
    degrees_of_freedom: int
    dry_friction_levels: tuple[np.ndarray, np.ndarray]

    @staticmethod
    def from_dynamics(dyn: Dynamics) -> ActuatedJoints:
        mechanism = dyn.mechanism
        driven = actuated_speed_mask(mechanism)
        degrees_of_freedom = mobility(dyn).nearby if mechanism.equation_count else dyn.nv
        for joint in mechanism.joints:
            if joint.actuated and joint.kind.quaternion:
                raise ArgumentError(
                    f"control: joint {joint.name!r} of {mechanism.name} is an actuated {joint.type} joint, which controllers "
                    f"cannot drive; set `actuated = false`, or describe it as joints of one coordinate each"
                )
        if driven.sum() < degrees_of_freedom:
            raise ArgumentError(
                f"control: {mechanism.name} has {degrees_of_freedom} degrees of freedom and {int(driven.sum())} actuated speeds; "
                f"a controller needs one for each degree of freedom"
            )
        neutral = mechanism.neutral()
        plus, minus = (dyn.friction(np.full(dyn.nv, sign * CREEP_SPEED), q=neutral) for sign in (1.0, -1.0))
        return ActuatedJoints(dyn, np.flatnonzero(driven), degrees_of_freedom, (plus, minus))

    def dry_friction(self, qd: np.ndarray) -> np.ndarray:
        """The dry friction at speeds, by their signs."""
        return np.where(
            qd > REST_TOLERANCE, self.dry_friction_levels[0], np.where(qd < -REST_TOLERANCE, self.dry_friction_levels[1], 0.0)
        )

    def bias(self, q: np.ndarray, qd: np.ndarray, desired_speeds: np.ndarray | None, qdd: np.ndarray | None = None) -> np.ndarray:
        """M qdd + C qd + G + F with the dry friction of the desired speeds; without these there is no friction in it."""
        h = self.dyn.inverse_dynamics(q, qd, np.zeros(self.dyn.nv) if qdd is None else qdd)
        if desired_speeds is None:
            return h - self.dyn.friction(qd, q=q)
        dry_friction = np.where(qd > 0, self.dry_friction_levels[0], np.where(qd < 0, self.dry_friction_levels[1], 0.0))
        return h - dry_friction + self.dry_friction(desired_speeds)

    def accelerations(self, t: float, q: np.ndarray, qd: np.ndarray, prescribed: np.ndarray, desired: np.ndarray) -> np.ndarray:
        """All accelerations, from the desired ones of the prescribed speeds; the others follow from the constraints."""
        qdd = np.zeros(self.dyn.nv)
        if not self.dyn.mechanism.equation_count:
            qdd[prescribed] = desired
            return qdd
        N, b = self.constraint_null_space(t, q, qd)
        v = np.linalg.lstsq(N[prescribed], desired - b[prescribed], rcond=1e-9)[0]
        return N @ v + b

    def torques(self, t: float, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        """The torques of actuators alone that move the model as the generalised `force` does, the smallest ones if several do."""
        if not self.dyn.mechanism.equation_count:
            return force  # every joint is driven
        return actuator_torques(self.dyn, q, force, t)[0]

    def constraint_null_space(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """N and b of the speeds N v and accelerations N v' + b that the constraints permit."""
        N, b = constraint_null_space(self.dyn, q[None], qd[None], t)
        assert N is not None
        return N[0], b[0]


def check_fully_prescribed(actuated_joints: ActuatedJoints, prescribed_count: int, names: Any) -> None:
    """Raise an error if the coordinates that the path leads do not determine the motion of the mechanism."""
    if prescribed_count < actuated_joints.degrees_of_freedom:
        raise ArgumentError(
            f"control: the path leads {', '.join(names)}, but {actuated_joints.dyn.mechanism.name} has "
            f"{actuated_joints.degrees_of_freedom} degrees of freedom; the path must lead as many independent coordinates",
            concerns="path",
        )
