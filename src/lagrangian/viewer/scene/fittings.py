"""What is seen of joints and constraints: pins, balls, sleeves and rails, wheels, blades, walls."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.model.constraint import KnifeEdge, Rolling
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import Look
from lagrangian.model.loop import LoopJoint, Wall
from lagrangian.model.loops.loop_type import Look as LoopLook
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.links import disc, holds, is_point
from lagrangian.viewer.scene.outline import Outline, along
from lagrangian.viewer.scene.primitives import Mesh
from lagrangian.viewer.scene.telescopes import is_tube, telescopes


def pin(joint: Joint, outline: Outline, r: float) -> Mesh | None:
    """What sits at a joint, in the child's frame; nothing at one that slides."""
    match joint.kind.look:
        case Look.PIN | Look.SCREW if outline.axis is not None:
            long = 3.6 if joint.kind.look is Look.PIN else 6.0
            return p.cylinder(1.5 * r, long * r, 0.25 * r).moved(p.turn_z_to(outline.axis), outline.at)
        case Look.CROSS:
            cross = [along(joint.child_placement, axis) for axis in joint.axes[1:]]
            arms = [p.cylinder(0.7 * r, 4.4 * r, 0.1 * r).moved(p.turn_z_to(a), outline.at) for a in cross]
            return p.joined([p.sphere(1.6 * r).moved(np.eye(3), outline.at), *arms])
        case Look.PLANE if outline.axis is not None and not holds(outline):
            return p.cylinder(1.3 * r, 5 * r, 0.25 * r).moved(p.turn_z_to(outline.axis), outline.at)
        case Look.BALL:
            return p.sphere(1.7 * r).moved(np.eye(3), outline.at)
    return None


def loop_pin(loop: LoopJoint, normal: np.ndarray | None, r: float) -> Mesh | None:
    """What sits at a loop joint, in the frame of body a; `normal` is that of a planar linkage, along its pins."""
    at = np.array(loop.a_placement.position, dtype=float)
    match loop.kind.look:
        case LoopLook.ROD | LoopLook.NOTHING:
            return None
        case LoopLook.PIN:
            return p.cylinder(1.5 * r, 3.6 * r, 0.25 * r).moved(p.turn_z_to(along(loop.a_placement, loop.axis)), at)
        case LoopLook.SLEEVE:
            return p.box((3.6 * r, 3.6 * r, 6 * r), 0.3 * r).moved(p.turn_z_to(along(loop.a_placement, loop.axis)), at)
        case LoopLook.POINT if normal is not None:
            return p.cylinder(1.5 * r, 3.6 * r, 0.25 * r).moved(p.turn_z_to(normal), at)
    return p.sphere(1.7 * r).moved(np.eye(3), at)


def guide(joint: Joint, outline: Outline, parent: Outline, span: tuple[float, float], r: float, size: float) -> Mesh | None:
    """What a sliding joint's body runs on, in the parent's frame: a rail over what it travels, or a sleeve about a rod."""
    if joint.kind.look is not Look.SLIDE:
        return None
    at = np.array(joint.placement.position, dtype=float)
    axis = along(joint.placement, joint.axis)
    turn = p.turn_z_to(axis)
    if telescopes(outline, r):
        if is_tube(parent, at, axis, r):
            return None
        return p.cylinder(1.8 * r, 5 * r, 0.3 * r).moved(turn, at)
    low, high = span
    if all(joint.slides) and math.isfinite(joint.limits.lower) and math.isfinite(joint.limits.upper):
        low, high = min(low, joint.limits.lower), max(high, joint.limits.upper)
    if parent.body is not None:
        low, high = min(low, 0.0), max(high, 0.0)  # it holds on to the link that carries it
    room = 7.5 * r if outline.body is not None and not is_point(outline.body) else 3 * r
    low, high = low - room, high + room
    if high - low < 0.6 * size:
        middle = (low + high) / 2
        low, high = middle - 0.3 * size, middle + 0.3 * size
    thin = 0.35 if outline.body is not None and is_point(outline.body) and not holds(outline) else 0.8  # a bead's wire
    return p.cylinder(thin * r, high - low, 0.1 * r).moved(turn, at + axis * (low + high) / 2)


def rolling(constraint: Rolling) -> tuple[list[Mesh], list[Mesh]]:
    """A wheel, or a ball as two halves in two colours, in the body's frame."""
    center, radius = np.array(constraint.center, dtype=float), float(constraint.radius)
    if constraint.axis is not None:
        return disc(radius, np.array(constraint.axis, dtype=float), center), []
    halves: list[list[Mesh]] = [[], []]
    angles = np.linspace(-math.pi / 2, math.pi / 2, 17)
    sides = 32
    ball = p.lathe([(radius * max(0.0, math.cos(a)), radius * math.sin(a)) for a in angles], sides)
    middle = ball.vertices[ball.faces].mean(axis=1)
    octant = (np.sign(middle[:, 0]) * np.sign(middle[:, 1]) * np.sign(middle[:, 2])) > 0
    for k, chosen in enumerate((octant, ~octant)):
        halves[k].append(Mesh(ball.vertices + center, ball.normals, ball.faces[chosen]))
    return halves[0], halves[1]


def blade(constraint: KnifeEdge, r: float) -> Mesh:
    """A thin plate across the direction that is barred, in the body's frame."""
    return p.box((4.4 * r, 4.4 * r, 0.5 * r), 0.1 * r).moved(
        p.turn_z_to(np.array(constraint.direction, dtype=float)), np.array(constraint.point, dtype=float)
    )


def plane(wall: Wall, size: float) -> Mesh:
    """The wall as a thin plate, its face in the plane, in the frame of the body it is fixed to."""
    normal = np.array(wall.normal, dtype=float)
    thick = 0.012 * size
    return p.box((0.9 * size, 0.9 * size, thick)).moved(
        p.turn_z_to(normal), np.array(wall.position, dtype=float) - normal * thick / 2
    )
