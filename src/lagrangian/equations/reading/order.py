"""The links in the order of the tree, and the angles that their joints add up."""

from __future__ import annotations

from typing import Any

from lagrangian.equations.reading.link import Pose
from lagrangian.model import vector as v
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism


def moving_joints(mechanism: Mechanism) -> list[tuple[Joint, int, int]]:
    """Joints that move, parents before children: with the index of the link they start from, and their coordinate's number."""
    numbers, at = {}, 0
    for joint in mechanism.joints:
        at += joint.kind.nq
        numbers[joint.name] = at
    order: list[tuple[Joint, int, int]] = []
    link_of = {GROUND: -1}
    for joint in mechanism.outward():
        parent = link_of[joint.parent]
        if not joint.kind.nv:
            link_of[joint.child] = parent
            continue
        link_of[joint.child] = len(order)
        order.append((joint, parent, numbers[joint.name]))
    return order


def absolute_angles(order: list[tuple[Joint, int, int]], constants: list[tuple[Pose, Pose]]) -> Any:
    """Absolute angles: a revolute joint's, added to that of the nearest one before it if their axes are parallel."""
    angles: list[tuple[tuple[int, int], ...]] = []
    angle_of: dict[int, int] = {}
    start: dict[int, int | None] = {}
    for i, (joint, _, number) in enumerate(order):
        if not joint.kind.turns:
            continue
        # the constant rotation from the joint before to this one
        C, at = constants[i][0].R, order[i][1]
        while at >= 0 and not order[at][0].kind.turns:
            before, after = constants[at]
            C, at = v.mat_mat(v.mat_mat(before.R, after.R), C), order[at][1]
        k = number - 1
        sign, before_it = 1, None
        if at >= 0:
            C = v.mat_mat(constants[at][1].R, C)
            if not C[0][2] and not C[1][2]:
                before_it = angle_of[order[at][2] - 1]
                sign = dict(angles[before_it])[order[at][2] - 1] * (1 if C[2][2] == 1 else -1)
        angle_of[k], start[k] = len(angles), before_it
        angles.append((*(angles[before_it] if before_it is not None else ()), (k, sign)))
    return angles, angle_of, start
