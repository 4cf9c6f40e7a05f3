"""Pose, velocity, Jacobian and `J' q'` of a frame: sweeps along the path from the ground to it (`Tree.path_to_frame`).

Six-vectors are angular first, along the world's axes, at the frame's origin.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.coriolis import SPEED, link_velocities
from lagrangian.algorithms.inverse_dynamics import MOTION, propagate_motion
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import MATRIX, SCALAR, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, inward, outward
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v

POSE = {"R": MATRIX, "x": VECTOR}


def _identity_orientation(tree: Tree) -> Values:
    return {"R": v.IDENTITY}


def pose_of_link(link: Link, parent: Values) -> Values:
    """Return the position and orientation of a link from those of its parent."""
    return {"R": link.compose(parent["R"]), "x": v.add(parent["x"], v.mat_vec(parent["R"], link.offset))}


@outward(POSE, save={"R_world": MATRIX, "x_world": VECTOR}, ground=_identity_orientation)
def poses(link: Link, parent: Values) -> tuple[Values, Values]:
    carry = pose_of_link(link, parent)
    return carry, {"R_world": carry["R"], "x_world": carry["x"]}


@outward({**POSE, **SPEED}, ground=_identity_orientation)
def velocity(link: Link, parent: Values) -> tuple[Values, Values]:
    carry, _ = link_velocities.step(link, parent)
    return {**pose_of_link(link, parent), **carry}, {}


@outward({**POSE, **MOTION}, ground=_identity_orientation)
def acceleration(link: Link, parent: Values) -> tuple[Values, Values]:
    """Accelerations without gravity; without qdd they are J' q'."""
    return {**pose_of_link(link, parent), **propagate_motion(link, parent)}, {}


@inward({"r": VECTOR}, per_speed={"column": (VECTOR, VECTOR)})
def jacobian_columns(link: Link, children: Values) -> tuple[Values, Values]:
    """The columns are (z, z x r) and (0, z) in the world's axes, where r is the frame's origin seen from the link."""
    r = children["r"]
    world_columns = tuple(
        (v.mat_vec(link.R_world, angular), v.mat_vec(link.R_world, v.add(v.cross(angular, r), linear)))
        for angular, linear in link.motion_subspace
    )
    return {"r": v.add(link.offset, link.to_parent(r))}, {"column": world_columns}


@inward({"r": VECTOR}, per_speed={"torque": SCALAR})
def virtual_work(link: Link, children: Values) -> tuple[Values, Values]:
    """J^T F, F = (moment, force) at the frame's origin along the world's axes."""
    up, saves = jacobian_columns.step(link, children)
    moment, force = link.wrench[:3], link.wrench[3:]
    torque = tuple(v.dot(angular, moment) + v.dot(linear, force) for angular, linear in saves["column"])
    return up, {"torque": torque}


def _matrix(final: Values) -> tuple[Any, ...]:
    R, x = final["R"], final["x"]
    return (*R[0], x[0], *R[1], x[1], *R[2], x[2], 0, 0, 0, 1)


def _twist(final: Values) -> tuple[Any, ...]:
    return (*v.mat_vec(final["R"], final["w"]), *v.mat_vec(final["R"], final["u"]))


def _acceleration(final: Values) -> tuple[Any, ...]:
    return (*v.mat_vec(final["R"], final["al"]), *v.mat_vec(final["R"], final["l"]))


POSE_OF_FRAME = Algorithm("pose", ("q",), (poses,), OutputLayout("tip", finish=_matrix, shape=(4, 4)))
VELOCITY = Algorithm("velocity", ("q", "qd"), (velocity,), OutputLayout("tip", finish=_twist))
ACCELERATION = Algorithm("acceleration", ("q", "qd", "qdd"), (acceleration,), OutputLayout("tip", finish=_acceleration))
JACOBIAN_DOT_QD = Algorithm("jacobian_dot_qd", ("q", "qd"), (acceleration,), OutputLayout("tip", finish=_acceleration))
JACOBIAN = Algorithm("jacobian", ("q",), (poses, jacobian_columns), OutputLayout("speed", ("column",)))
EXTERNAL_TORQUE = Algorithm("external_torque", ("q", "wrench"), (poses, virtual_work), OutputLayout("speed", ("torque",)))
LINK_POSES = Algorithm("link_poses", ("q",), (poses,), OutputLayout("link", ("R_world", "x_world")))
