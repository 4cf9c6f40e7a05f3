"""Which joints are driven, and what they must do for given generalised forces and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.mobility import mobility
from lagrangian.errors import ArgumentError
from lagrangian.inverse_dynamics.actuation import actuated_speeds, actuator_torques
from lagrangian.kernels.cartesian import freedom
from lagrangian.kernels.dynamics import Dynamics

# slower than this, in rad/s or m/s, a joint is meant to rest
REST = 1e-9
# a speed at which viscous friction is nothing beside the dry one
CREEP = 1e-200


@dataclass(frozen=True, eq=False)
class Drives:
    """`driven` are the speeds with an actuator. `dry` is the model's dry friction at positive and at negative speeds."""

    dyn: Dynamics
    driven: np.ndarray
    degrees: int
    dry: tuple[np.ndarray, np.ndarray]

    @staticmethod
    def of(dyn: Dynamics) -> Drives:
        mechanism = dyn.mechanism
        driven = actuated_speeds(dyn)
        degrees = mobility(dyn).nearby if mechanism.equations else dyn.nv
        for joint in mechanism.joints:
            if joint.actuated and joint.kind.quaternion:
                raise ArgumentError(
                    f"control: joint {joint.name!r} of {mechanism.name} is an actuated {joint.type} joint, which controllers "
                    f"cannot drive; set `actuated = false`, or describe it as joints of one coordinate each"
                )
        if driven.sum() < degrees:
            raise ArgumentError(
                f"control: {mechanism.name} has {degrees} degrees of freedom and {int(driven.sum())} actuated speeds; a "
                f"controller needs one for each degree of freedom"
            )
        rest = mechanism.neutral()
        plus, minus = (dyn.friction(np.full(dyn.nv, sign * CREEP), q=rest) for sign in (1.0, -1.0))
        return Drives(dyn, np.flatnonzero(driven), degrees, (plus, minus))

    def dry_friction(self, qd: np.ndarray) -> np.ndarray:
        """By the sign of the speeds."""
        return np.where(qd > REST, self.dry[0], np.where(qd < -REST, self.dry[1], 0.0))

    def bias(self, q: np.ndarray, qd: np.ndarray, wanted: np.ndarray | None, qdd: np.ndarray | None = None) -> np.ndarray:
        """M qdd + C qd + G + F; dry friction is that of the `wanted` speeds, and without them there is no friction in it."""
        h = self.dyn.inverse_dynamics(q, qd, np.zeros(self.dyn.nv) if qdd is None else qdd)
        if wanted is None:
            return h - self.dyn.friction(qd, q=q)
        moving = np.where(qd > 0, self.dry[0], np.where(qd < 0, self.dry[1], 0.0))
        return h - moving + self.dry_friction(wanted)

    def accelerations(self, t: float, q: np.ndarray, qd: np.ndarray, led: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """All of qdd, from those of the `led` speeds; the rest follows from the constraints."""
        qdd = np.zeros(self.dyn.nv)
        if not self.dyn.mechanism.equations:
            qdd[led] = wanted
            return qdd
        N, b = self.freedom(t, q, qd)
        v = np.linalg.lstsq(N[led], wanted - b[led], rcond=1e-9)[0]
        return N @ v + b

    def torques(self, t: float, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        """What of actuators alone moves it as the generalised `force` does, the least where they are more than needed."""
        if not self.dyn.mechanism.equations:
            return force  # every joint is driven
        return actuator_torques(self.dyn, q, force, t)[0]

    def freedom(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """N and b of the speeds N v and accelerations N v' + b that the constraints leave."""
        N, b = freedom(self.dyn, q[None], qd[None], t)
        assert N is not None
        return N[0], b[0]


def degrees_told(drives: Drives, count: int, names: Any) -> None:
    """An error if the coordinates that are led leave the mechanism free to move otherwise."""
    if count < drives.degrees:
        raise ArgumentError(
            f"control: the path leads {', '.join(names)}, but {drives.dyn.mechanism.name} has {drives.degrees} degrees of "
            f"freedom; the path must lead as many independent coordinates",
            concerns="path",
        )
