"""Poses and Jacobians of frames, in the world's axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.reading.link import Pose
from lagrangian.errors import ArgumentError
from lagrangian.model import vector as v
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import SymbolicSystem


def link_pose(system: SymbolicSystem, i: int) -> Pose:
    """A link's frame in the world; the ground's is the identity."""
    pose = Pose()
    for number in system.path_from_ground(i):
        pose = joint_pose(system, pose, number)
        link = system.links[number]
        pose = pose @ Pose(_rotation_about_z(link.c, link.s) if link.turns else v.IDENTITY) @ link.joint_to_link
    return pose


def joint_pose(system: SymbolicSystem, parent: Pose, i: int) -> Pose:
    """The frame of a link's joint, slid along but not turned: its z is the axis."""
    link = system.links[i]
    return parent @ link.parent_to_joint @ Pose(v.IDENTITY, link.joint_translation)


def _rotation_about_z(c: Any, s: Any) -> v.Matrix:
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def frame_pose(system: SymbolicSystem, frame: Frame) -> tuple[int, Pose]:
    """The link that carries a frame, and the frame in the world."""
    link_index, pose_on_link = system.locate_body(frame.body)
    return link_index, link_pose(system, link_index) @ pose_on_link @ system.read_pose(frame.placement, f"frame {frame.name!r}")


def resolve_frame(mechanism: Mechanism, frame: str | Frame) -> Frame:
    """A frame of the mechanism, or another one whose rotation the ring has."""
    identity = Frame("", "").placement.rotation
    if isinstance(frame, Frame) and frame not in mechanism.frames and frame.placement.rotation != identity:
        raise ArgumentError(
            f"frame {frame.name!r} has a rotation; add it to the mechanism's frames before deriving", concerns="frame"
        )
    return mechanism.frame(frame)


def point_position(system: SymbolicSystem, body: str, position: v.Vector) -> v.Vector:
    """A point fixed to a body, in the world."""
    link_index, pose_on_link = system.locate_body(body)
    pose = link_pose(system, link_index) @ pose_on_link
    return v.add(pose.p, v.mat_vec(pose.R, system.read_position(position)))


def jacobian(system: SymbolicSystem, frame: Frame) -> list[list[RingElement]]:
    """6 x n: angular velocity, then velocity of the frame's origin, for unit rates: (z, z x r) or (0, z) for each joint."""
    link_index, target = frame_pose(system, frame)
    zero = system.ring.zero
    J = [[zero] * system.n for _ in range(6)]
    pose = Pose()
    for i in system.path_from_ground(link_index):
        link = system.links[i]
        joint_frame = joint_pose(system, pose, i)
        z = (joint_frame.R[0][2], joint_frame.R[1][2], joint_frame.R[2][2])
        angular = z if link.turns else v.ZERO
        linear = v.add(v.cross(angular, v.sub(target.p, joint_frame.p)), v.scale(link.rise, z))
        for row, x in enumerate((*angular, *linear)):
            J[row][link.k] = system.ring(x)
        pose = link_pose(system, i)
    return J
