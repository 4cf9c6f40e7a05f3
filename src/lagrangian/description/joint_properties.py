"""Friction, limits and motors of joints, as URDF, SDF and MJCF have them and a mechanism has otherwise: read and written."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from lagrangian.description.notes import WriterNotes
from lagrangian.description.xml import Element
from lagrangian.model.joint import Friction, Joint

_NO_LIMIT = 1e16  # written where there is no limit: the default of SDF, which no joint reaches
_NO_LIMIT_FROM = 1e15  # a limit of more than this is none: files must have a number where a joint has a limit on one side only


def read_joint_friction(element: Element, damping: float, friction: float) -> Friction:
    """The friction of a joint of URDF or SDF: one viscous and one dry coefficient."""
    for attribute, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            raise element.error(f"{attribute} is {value:g}; it cannot be negative, or it would drive the joint")
    return Friction(damping, friction, friction)


def friction_coefficients(joint: Joint, remarks: WriterNotes) -> tuple[float, float]:
    """The viscous and dry friction of a joint. Formats have one dry coefficient for both directions, and none at rest."""
    friction = joint.friction
    forwards, backwards = float(friction.coulomb), float(friction.coulomb_negative or 0)
    if forwards != backwards:
        meaning = (
            f"{{has}} different dry friction in the two directions; {remarks.format} has one value, so that the mean is written"
        )
        remarks.add("joint", meaning, joint.name, warn=True)
    if tuple(map(float, friction.breakaway)) != (forwards, backwards):
        meaning = f"{{has}} static friction above the Coulomb friction, which is left out because {remarks.format} has none"
        remarks.add("joint", meaning, joint.name, warn=True)
    return float(friction.viscous), (forwards + backwards) / 2


def read_bound(x: float) -> float:
    """A limit of a file: infinite where the number means that there is none."""
    return math.copysign(math.inf, x) if abs(x) >= _NO_LIMIT_FROM else x


def write_bound(x: float) -> float:
    """A limit, or the number that files have for none."""
    return x if math.isfinite(x) else math.copysign(_NO_LIMIT, x)


def has_limits(joint: Joint) -> bool:
    """Whether the position of a joint is limited."""
    return math.isfinite(joint.limits.lower) or math.isfinite(joint.limits.upper)


def with_passive_followers(joints: Iterable[Joint], followers: Collection[str]) -> list[Joint]:
    """The joints, without a motor at those whose coordinates all follow others: the motors of the leaders drive them."""
    return [replace(joint, actuated=False) if _follows(joint, followers) else joint for joint in joints]


def _follows(joint: Joint, followers: Collection[str]) -> bool:
    return joint.kind.nq > 0 and all(name in followers for name in joint.coordinate_names)
