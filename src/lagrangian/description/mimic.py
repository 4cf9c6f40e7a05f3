"""Joints that follow others by `<mimic>`: the leader's motor drives them, and they have none of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from lagrangian.model.joint import Joint


def without_motors(joints: Iterable[Joint], followers: Collection[str]) -> list[Joint]:
    """The joints, where those all of whose coordinates are `followers` are passive."""
    return [replace(joint, actuated=False) if _follows(joint, followers) else joint for joint in joints]


def _follows(joint: Joint, followers: Collection[str]) -> bool:
    return joint.kind.nq > 0 and all(name in followers for name in joint.coordinate_names)
