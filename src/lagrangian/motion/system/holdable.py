"""Joints that can be held: by dry friction, at their limits, by locks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.model.mechanism import Mechanism

ROUNDING = 1e-12


@dataclass(frozen=True)
class JointStops:
    """Limits of a joint of one coordinate."""

    coordinate: int
    lower: float
    upper: float

    @property
    def leaves_no_room(self) -> bool:
        """Whether there is no room between the limits: so files hold a joint whose type they do not call fixed."""
        room = self.upper - self.lower  # without end where there is but one limit
        return math.isfinite(room) and room <= ROUNDING * (1 + abs(self.lower))


def outside(q: float, lower: float, upper: float) -> bool:
    """Whether a coordinate is beyond a limit, by more than rounding."""
    return q < lower - ROUNDING * (1 + abs(lower)) or q > upper + ROUNDING * (1 + abs(upper))


@dataclass(frozen=True)
class Holdable:
    """A speed that can be held: by dry friction (positive and negative limits), at a stop (lower, upper), by a lock.

    `friction` is that of sliding, `static` what a joint at rest can give, at least as much. Speeds in `disc`, of which this is
    one, have their friction together: it has a direction, against that of their motion, and `friction` is its size.
    """

    speed: int
    friction: tuple[float, float] | None = None
    coordinate: int = -1
    lower: float = -np.inf
    upper: float = np.inf
    static: tuple[float, float] | None = None
    disc: tuple[int, ...] = ()
    lockable: bool = False

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.friction)


def frictional(mechanism: Mechanism) -> list[Holdable]:
    """The joints with dry friction."""
    found = []
    iv = 0
    for joint in mechanism.joints:
        friction = joint.friction
        sliding = float(friction.coulomb), float(friction.coulomb_negative or 0)
        static = float(friction.breakaway[0]), float(friction.breakaway[1])
        if any(static):
            disc = tuple(iv + k for k in joint.friction_plane)
            for k in range(iv, iv + joint.kind.nv):
                found.append(Holdable(k, sliding, static=static, disc=disc if k in disc else ()))
        iv += joint.kind.nv
    return found


def limited(mechanism: Mechanism) -> dict[int, JointStops]:
    """By speed: the limits of joints that have one coordinate and any limit."""
    found = {}
    iq = iv = 0
    for joint in mechanism.joints:
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if joint.kind.nq == joint.kind.nv == 1 and (np.isfinite(lower) or np.isfinite(upper)):
            found[iv] = JointStops(iq, lower, upper)
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return found
