"""Joints of URDF, SDF and MJCF: what their formats have in common and a mechanism has otherwise."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from lagrangian.description.xml import Element
from lagrangian.model.joint import Friction, Joint

_NO_LIMIT_FROM = 1e15  # a limit of more than this is none: files must have a number where a joint has a limit on one side only


def read_joint_friction(element: Element, damping: float, friction: float) -> Friction:
    """The friction of a joint of URDF or SDF: one viscous and one dry coefficient."""
    for attribute, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            raise element.error(f"{attribute} is {value:g}; it cannot be negative, or it would drive the joint")
    return Friction(damping, friction, friction)


def read_bound(x: float) -> float:
    """A limit of a file: infinite where the number means that there is none."""
    return math.copysign(math.inf, x) if abs(x) >= _NO_LIMIT_FROM else x


def with_passive_followers(joints: Iterable[Joint], followers: Collection[str]) -> list[Joint]:
    """The joints, without a motor at those whose coordinates all follow others: the motors of the leaders drive them."""
    return [replace(joint, actuated=False) if _follows(joint, followers) else joint for joint in joints]


def _follows(joint: Joint, followers: Collection[str]) -> bool:
    return joint.kind.nq > 0 and all(name in followers for name in joint.coordinate_names)
