"""How joints, constraints and the ground look: pins, balls, sleeves, rails, wheels, knife edges and walls; and pedestals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from lagrangian.model.constraint import KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.loop_type import LoopLook
from lagrangian.model.spring import Wall
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.links import carries_others, is_particle, is_telescope, is_tube, planar_hull, spoked_wheel
from lagrangian.viewer.scene.outline import BodyOutline, axis_in_parent
from lagrangian.viewer.scene.primitives import Mesh


def joint_mesh(joint: Joint, outline: BodyOutline, r: float) -> Mesh | None:
    """The pin, ball or cross of a joint, in the child's frame; None for a joint that slides."""
    match joint.kind.look:
        case JointLook.PIN | JointLook.SCREW if outline.axis is not None:
            long = 3.6 if joint.kind.look is JointLook.PIN else 6.0
            return p.cylinder(1.5 * r, long * r, 0.25 * r).with_pose(p.rotation_z_to(outline.axis), outline.joint_position)
        case JointLook.CROSS:
            cross = [axis_in_parent(joint.child_placement, axis) for axis in joint.axes[1:]]
            arms = [p.cylinder(0.7 * r, 4.4 * r, 0.1 * r).with_pose(p.rotation_z_to(a), outline.joint_position) for a in cross]
            return p.merge_meshes([p.sphere(1.6 * r).with_pose(np.eye(3), outline.joint_position), *arms])
        case JointLook.PLANE if outline.axis is not None and not carries_others(outline):
            return p.cylinder(1.3 * r, 5 * r, 0.25 * r).with_pose(p.rotation_z_to(outline.axis), outline.joint_position)
        case JointLook.BALL:
            return p.sphere(1.7 * r).with_pose(np.eye(3), outline.joint_position)
    return None


def loop_mesh(loop: LoopJoint, normal: np.ndarray | None, r: float) -> Mesh | None:
    """The pin, ball or sleeve of a loop joint, in the frame of body a; `normal` is that of a planar linkage, along its pins."""
    at = np.array(loop.a_placement.position, dtype=float)
    match loop.kind.look:
        case LoopLook.ROD | LoopLook.NOTHING:
            return None
        case LoopLook.PIN:
            return p.cylinder(1.5 * r, 3.6 * r, 0.25 * r).with_pose(
                p.rotation_z_to(axis_in_parent(loop.a_placement, loop.axis)), at
            )
        case LoopLook.SLEEVE:
            return p.box((3.6 * r, 3.6 * r, 6 * r), 0.3 * r).with_pose(
                p.rotation_z_to(axis_in_parent(loop.a_placement, loop.axis)), at
            )
        case LoopLook.POINT if normal is not None:
            return p.cylinder(1.5 * r, 3.6 * r, 0.25 * r).with_pose(p.rotation_z_to(normal), at)
    return p.sphere(1.7 * r).with_pose(np.eye(3), at)


def rail_mesh(
    joint: Joint, outline: BodyOutline, parent: BodyOutline, span: tuple[float, float], r: float, size: float
) -> Mesh | None:
    """What the body of a sliding joint runs on, in the parent's frame: a rail over its travel, or a sleeve around a rod."""
    if joint.kind.look is not JointLook.SLIDE:
        return None
    at = np.array(joint.placement.position, dtype=float)
    axis = axis_in_parent(joint.placement, joint.axis)
    turn = p.rotation_z_to(axis)
    if is_telescope(outline, r):
        if is_tube(parent, at, axis, r):
            return None
        return p.cylinder(1.8 * r, 5 * r, 0.3 * r).with_pose(turn, at)
    low, high = span
    if all(joint.slides) and math.isfinite(joint.limits.lower) and math.isfinite(joint.limits.upper):
        low, high = min(low, joint.limits.lower), max(high, joint.limits.upper)
    if parent.body is not None:
        low, high = min(low, 0.0), max(high, 0.0)  # it holds on to the link that carries it
    room = 7.5 * r if outline.body is not None and not is_particle(outline.body) else 3 * r
    low, high = low - room, high + room
    if high - low < 0.6 * size:
        middle = (low + high) / 2
        low, high = middle - 0.3 * size, middle + 0.3 * size
    is_bead = outline.body is not None and is_particle(outline.body) and not carries_others(outline)
    thin = 0.35 if is_bead else 0.8  # the wire of a bead
    return p.cylinder(thin * r, high - low, 0.1 * r).with_pose(turn, at + axis * (low + high) / 2)


def rolling_meshes(constraint: RollingConstraint) -> tuple[list[Mesh], list[Mesh]]:
    """A wheel, or a ball as two halves in two colours, in the body's frame."""
    center, radius = np.array(constraint.center, dtype=float), float(constraint.radius)
    if constraint.axis is not None:
        return spoked_wheel(radius, np.array(constraint.axis, dtype=float), center), []
    halves: list[list[Mesh]] = [[], []]
    angles = np.linspace(-math.pi / 2, math.pi / 2, 17)
    sides = 32
    ball = p.lathe([(radius * max(0.0, math.cos(a)), radius * math.sin(a)) for a in angles], sides)
    middle = ball.vertices[ball.faces].mean(axis=1)
    octant = (np.sign(middle[:, 0]) * np.sign(middle[:, 1]) * np.sign(middle[:, 2])) > 0
    for k, faces in enumerate((octant, ~octant)):
        halves[k].append(Mesh(ball.vertices + center, ball.normals, ball.faces[faces]))
    return halves[0], halves[1]


def knife_edge_mesh(constraint: KnifeEdgeConstraint, r: float) -> Mesh:
    """A thin plate across the direction in which the edge cannot slide, in the body's frame."""
    return p.box((4.4 * r, 4.4 * r, 0.5 * r), 0.1 * r).with_pose(
        p.rotation_z_to(np.array(constraint.direction, dtype=float)), np.array(constraint.point, dtype=float)
    )


def wall_mesh(wall: Wall, size: float) -> Mesh:
    """The wall as a thin plate, its face in the plane, in the frame of the body it is fixed to."""
    normal = np.array(wall.normal, dtype=float)
    thick = 0.012 * size
    return p.box((0.9 * size, 0.9 * size, thick)).with_pose(
        p.rotation_z_to(normal), np.array(wall.position, dtype=float) - normal * thick / 2
    )


# ---- the ground


def ground_meshes(
    points: list[np.ndarray], up: np.ndarray, normal: np.ndarray | None, floor_height: float, is_hanging: bool, r: float
) -> list[Mesh]:
    """The pedestals, plate or brackets that hold the joints at these points of the world.

    `floor_height` is measured along `up`; `is_hanging` says that the mechanism is below these joints.
    """
    points = _distinct_points(points, r)
    if not points:
        return []
    if normal is not None and abs(float(normal @ up)) < 0.3:
        return _back_plate(points, normal, r)
    flat = planar_hull(np.array(points)) if len(points) > 2 else None
    if flat is not None and abs(float(flat[1][:, 2] @ up)) > 0.95:
        return _level_plate(flat, up, is_hanging, r)
    return [mesh for point in points for mesh in _pedestal(point, up, floor_height, r)]


def _distinct_points(points: list[np.ndarray], r: float) -> list[np.ndarray]:
    distinct: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > r for other in distinct):
            distinct.append(point)
    return distinct


def _back_plate(points: list[np.ndarray], normal: np.ndarray, r: float) -> list[Mesh]:
    """The bracket behind a linkage in an upright plane: a boss for each pin, and a bar that joins them."""
    behind = [point - 2.6 * r * normal for point in points]
    turn = p.rotation_z_to(normal)
    meshes = [p.cylinder(2.6 * r, 1.6 * r, 0.3 * r).with_pose(turn, point) for point in behind]
    order = sorted(range(len(points)), key=lambda k: tuple(np.round(points[k], 9)))
    for a, b in pairwise(order):
        meshes.append(p.bar(behind[a] - 0.2 * r * normal, behind[b] - 0.2 * r * normal, 0.75 * r, 0.75 * r))
    return meshes


def _level_plate(flat: tuple[np.ndarray, np.ndarray, np.ndarray], up: np.ndarray, is_hanging: bool, r: float) -> list[Mesh]:
    """A plate under, or over, joints in a level plane."""
    outline, rotation, middle = flat
    reach = np.linalg.norm(outline, axis=1, keepdims=True)
    wider = outline * (1 + 3 * r / np.maximum(reach, 1e-12))
    offset = up * (2.4 * r if is_hanging else -2.4 * r)
    return [p.plate(wider, 1.6 * r).with_pose(rotation, middle + offset)]


def _pedestal(point: np.ndarray, up: np.ndarray, floor_height: float, r: float) -> list[Mesh]:
    height = max(float(point @ up) - floor_height, 2 * r)
    foot = point - height * up
    column = p.frustum(2.4 * r, 1.9 * r, height)
    plate = p.cylinder(4.5 * r, 0.8 * r, 0.2 * r).with_pose(np.eye(3), np.array([0, 0, 0.4 * r]))
    return [mesh.with_pose(p.rotation_z_to(up), foot) for mesh in (column, plate)]
