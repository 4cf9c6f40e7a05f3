"""Links over exact scalars: poses, inertias, and how a joint moves its link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lagrangian.model import vector as v
from lagrangian.model.joint import Joint


@dataclass(frozen=True)
class Pose:
    """A rotation and a position, over exact scalars."""

    R: v.Matrix = v.IDENTITY
    p: v.Vector = v.ZERO

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(v.mat_mat(self.R, other.R), v.add(self.p, v.mat_vec(self.R, other.p)))


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment and inertia about the frame's origin."""

    mass: Any = 0
    h: v.Vector = v.ZERO
    I: v.Symmetric = (0, 0, 0, 0, 0, 0)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, v.add(self.h, other.h), v.sym_add(self.I, other.I))

    def in_parent_frame(self, pose: Pose) -> Inertia:
        """The inertia in a frame in which its own frame stands at `pose`."""
        h = v.mat_vec(pose.R, self.h)
        I = v.shift_inertia(v.sym_rotate(pose.R, self.I), h, self.mass, pose.p)
        return Inertia(self.mass, v.add(h, v.scale(self.mass, pose.p)), I)

    @property
    def inertial_parameters(self) -> tuple[Any, ...]:
        return (self.mass, *self.h, *self.I)


@dataclass(frozen=True)
class SymbolicLink:
    """A moving link: its parent's index (-1 the ground), its joint, and what it carries."""

    name: str
    joint: Joint
    turns: bool  # about z of its joint's frame
    parent: int
    k: int  # its coordinate
    parent_to_joint: Pose
    joint_to_link: Pose
    inertia: Inertia
    c: Any
    s: Any
    q: Any
    advance: Any  # how far its joint has moved it along z
    rise: Any  # d advance / dq
    rise_slope: Any  # d rise / dq
    rotor: Any

    def apply_joint_rotation(self, x: v.Vector) -> v.Vector:
        """Rz(q) x."""
        return (self.c * x[0] - self.s * x[1], self.s * x[0] + self.c * x[1], x[2]) if self.turns else x

    def apply_inverse_joint_rotation(self, x: v.Vector) -> v.Vector:
        """Rz(q)^T x."""
        return (self.c * x[0] + self.s * x[1], self.c * x[1] - self.s * x[0], x[2]) if self.turns else x

    def to_child(self, x: v.Vector) -> v.Vector:
        """A vector given in the parent's axes, in the link's."""
        return v.mat_t_vec(self.joint_to_link.R, self.apply_inverse_joint_rotation(v.mat_t_vec(self.parent_to_joint.R, x)))

    def to_parent(self, x: v.Vector) -> v.Vector:
        return v.mat_vec(self.parent_to_joint.R, self.apply_joint_rotation(v.mat_vec(self.joint_to_link.R, x)))

    @property
    def joint_translation(self) -> v.Vector:
        """How far the joint's frame has moved along its axis."""
        return (0, 0, self.advance)

    @property
    def offset(self) -> v.Vector:
        """The vector from the parent's origin to the link's, in the parent's axes."""
        return v.add(
            self.parent_to_joint.p,
            v.mat_vec(self.parent_to_joint.R, v.add(self.joint_translation, self.apply_joint_rotation(self.joint_to_link.p))),
        )

    @property
    def motion_subspace(self) -> tuple[v.Vector, v.Vector]:
        """Angular velocity, and velocity of the link's origin, for a unit rate of the joint, in the link's axes."""
        angular = v.Z if self.turns else v.ZERO
        linear = v.add(v.cross(angular, self.joint_to_link.p), (0, 0, self.rise))
        return v.mat_t_vec(self.joint_to_link.R, angular), v.mat_t_vec(self.joint_to_link.R, linear)

    @property
    def motion_subspace_derivative(self) -> v.Vector:
        """How the velocity of the link's origin for a unit rate changes with the coordinate, in the link's axes."""
        return v.mat_t_vec(self.joint_to_link.R, (0, 0, self.rise_slope))
