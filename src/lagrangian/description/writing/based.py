"""The same mechanism with its zero at another configuration: what a file needs in which joints are where the bodies are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lagrangian.description.writing.poses import shift, slices
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


def based(m: Mechanism, q: np.ndarray) -> Mechanism:
    """Coordinates are counted from q on: joints of one coordinate, balls. Limits and rests of springs follow."""
    own = slices(m)
    return m.replace(joints=tuple(_joint(joint, q[own[joint.name]]) for joint in m.joints))


def _joint(joint: Joint, q: np.ndarray) -> Joint:
    if not joint.kind.nq or np.array_equal(q, joint.kind.neutral) or joint.type == "free":
        return joint
    placement = joint.placement @ Placement.from_matrix(shift(joint, q))
    if joint.kind.nq > 1:
        return replace(joint, placement=placement)
    at, limits, spring = float(q[0]), joint.limits, joint.spring
    return replace(
        joint,
        placement=placement,
        limits=replace(limits, lower=limits.lower - at, upper=limits.upper - at),
        spring=replace(spring, rest=float(spring.rest) - at) if float(spring.stiffness) else spring,
    )
