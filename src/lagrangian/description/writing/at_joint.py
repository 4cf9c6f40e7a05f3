"""What sits at a joint, as files have it: two numbers of friction, limits that may be missing, an inertia of the rotor."""

from __future__ import annotations

import math

from lagrangian.description.writing.written import Remarks
from lagrangian.model.joint import Joint

ENDLESS = 1e16  # what is written where there is no limit: the default of SDF, which no joint reaches
_BEYOND = 1e15  # from here on a limit that is read is none: a number must be written where a joint has one on one side only


def friction(joint: Joint, remarks: Remarks) -> tuple[float, float]:
    """Viscous and dry friction. Formats have one dry coefficient for both directions, and none at rest."""
    given = joint.friction
    forwards, backwards = float(given.coulomb), float(given.coulomb_negative or 0)
    if forwards != backwards:
        meaning = (
            f"{{has}} different dry friction in the two directions; {remarks.format} has one value, so that the mean is written"
        )
        remarks.add("joint", meaning, joint.name, warn=True)
    if tuple(map(float, given.breakaway)) != (forwards, backwards):
        meaning = f"{{has}} static friction above the Coulomb friction, which is left out because {remarks.format} has none"
        remarks.add("joint", meaning, joint.name, warn=True)
    return float(given.viscous), (forwards + backwards) / 2


def limited(joint: Joint) -> bool:
    """Whether its position is."""
    return math.isfinite(joint.limits.lower) or math.isfinite(joint.limits.upper)


def bound(x: float) -> float:
    """A limit, or what stands for none."""
    return x if math.isfinite(x) else math.copysign(ENDLESS, x)


def read_bound(x: float) -> float:
    """A limit that is read: infinite where the number stands for none."""
    return math.copysign(math.inf, x) if abs(x) >= _BEYOND else x
