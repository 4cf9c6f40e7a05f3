"""Poses and Jacobians of frames, in the world's axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.link import Pose
from lagrangian.model import vector as v
from lagrangian.model.loop import Frame

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System


def link_pose(system: System, i: int) -> Pose:
    """A link's frame in the world; the ground's is the identity."""
    pose = Pose()
    for number in system.path(i):
        pose = joint_pose(system, pose, number)
        link = system.links[number]
        pose = pose @ Pose(_turn(link.c, link.s) if link.turns else v.IDENTITY) @ link.after
    return pose


def joint_pose(system: System, parent: Pose, i: int) -> Pose:
    """The frame of a link's joint, slid along but not turned: its z is the axis."""
    link = system.links[i]
    return parent @ link.before @ Pose(v.IDENTITY, link.along)


def _turn(c: Any, s: Any) -> v.Matrix:
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def frame_pose(system: System, frame: Frame) -> tuple[int, Pose]:
    """The link that carries a frame, and the frame in the world."""
    number, at = system.place(frame.body)
    return number, link_pose(system, number) @ at @ system.pose(frame.placement, f"frame {frame.name!r}")


def point(system: System, body: str, position: v.Vector) -> v.Vector:
    """A point fixed to a body, in the world."""
    number, at = system.place(body)
    pose = link_pose(system, number) @ at
    return v.add(pose.p, v.mat_vec(pose.R, system.position(position)))


def jacobian(system: System, frame: Frame) -> list[list[Element]]:
    """6 x n: angular velocity, then velocity of the frame's origin, for unit rates: (z, z x r) or (0, z) for each joint."""
    number, target = frame_pose(system, frame)
    zero = system.ring.zero
    J = [[zero] * system.n for _ in range(6)]
    pose = Pose()
    for i in system.path(number):
        link = system.links[i]
        at = joint_pose(system, pose, i)
        z = (at.R[0][2], at.R[1][2], at.R[2][2])
        angular = z if link.turns else v.ZERO
        linear = v.add(v.cross(angular, v.sub(target.p, at.p)), v.scale(link.rise, z))
        for row, x in enumerate((*angular, *linear)):
            J[row][link.k] = system.ring(x)
        pose = link_pose(system, i)
    return J
