"""How a body without visuals looks: bars between its joints, plates, boxes, wheels and balls of a size its inertia tells."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from lagrangian.model.body import Body
from lagrangian.model.joints.joint_type import Look
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.outline import FLOATING, TURNING, Outline, Place
from lagrangian.viewer.scene.primitives import Mesh
from lagrangian.viewer.scene.telescopes import telescopes


def link(outline: Outline, r: float, most: float, room: float = math.inf) -> list[Mesh]:
    """The meshes of a body, in its frame: `r` is the radius of its bars, `most` the size of the mechanism, `room` the length that
    the rod of a telescope may have.
    """
    body = outline.body
    if body is None or outline.virtual:
        return []
    start = outline.center if outline.floats else outline.at
    ends = _different(start, outline.places, 0.6 * r)
    meshes: list[Mesh] = []
    flat = _plate(outline, r)
    if flat is not None:
        return flat
    if outline.floats and not is_point(body):
        meshes.append(_block(body, [e.point for e in ends], r, most))
        apart = float(np.linalg.norm(outline.at - start))
        if outline.joint is not None and outline.joint.kind.look is Look.PLANE and not holds(outline) and apart > 0.6 * r:
            meshes.append(p.bar(outline.at, start, 1.6 * r, 1.6 * r))  # where it is measured, and so which way it heads
    if is_point(body):
        meshes.append(p.sphere(2.0 * r).moved(np.eye(3), outline.center))
        if np.linalg.norm(outline.center - start) > 0.6 * r:
            ends = _different(start, [*outline.places, Place(outline.center, None, "mass")], 0.6 * r)
    for end in ends:
        corners = route(start, None if outline.floats else outline.axis, end.point, end.axis, r)
        for a, b in pairwise(corners):
            last = b is corners[-1]
            meshes.append(p.bar(a, b, r, 0.8 * r if last and len(ends) == 1 else r))
    prismatic = outline.joint is not None and outline.joint.kind.look is Look.SLIDE
    if prismatic and not telescopes(outline, r) and not (is_point(body) and not holds(outline)):
        meshes.append(p.box((4.2 * r, 4.2 * r, 7.0 * r), 0.4 * r).moved(p.turn_z_to(_axis(outline)), outline.at))
        return meshes[1:] if is_point(body) else meshes
    if meshes:
        return meshes
    if holds(outline) and not any(x.slides for x in outline.places) and not prismatic:
        return [p.sphere(1.6 * r).moved(np.eye(3), outline.at)]  # joints at one point: a wrist or a shoulder
    return _alone(outline, body, r, most, room)


def holds(outline: Outline) -> bool:
    """Whether other bodies hang on it."""
    return any(x.kind in ("joint", "loop") for x in outline.places)


def is_point(body: Body) -> bool:
    """A particle: mass without inertia."""
    return float(body.mass) > 0 and not any(float(x) for x in body.inertia)


def _alone(outline: Outline, body: Body, r: float, most: float, room: float) -> list[Mesh]:
    """A body on which nothing hangs away from its joint."""
    arm = outline.center - outline.at
    length = float(np.linalg.norm(arm))
    rolls = wheel(outline, body, 3 * r)
    if rolls is not None:
        return rolls
    if length > 0.6 * r:
        direction = arm / length
        # a uniform rod's half length, by its inertia across
        across = direction @ (np.trace(body.inertia_matrix) / 2 * np.eye(3) - body.inertia_matrix) @ direction
        half = math.sqrt(max(0.0, 3 * across / float(body.mass))) if float(body.mass) > 0 else 0.0
        reach = min(max(length + min(half, length), 2.5 * r), room)
        return [p.bar(outline.at, outline.at + reach * direction, r, 0.8 * r)]
    if float(body.mass) > 0 and not body.effective and float(np.trace(body.inertia_matrix)) > 0:
        block = _block(body, [], r, 0.5 * most)
        if float(np.ptp(block.vertices, axis=0).max()) > 5 * r or outline.axis is None:
            return [block]
    if outline.axis is not None and outline.joint is not None and outline.joint.kind.look in TURNING:  # a flange
        turn = p.turn_z_to(outline.axis)
        stub = p.cylinder(1.1 * r, 3 * r, 0.2 * r).moved(turn, outline.at + 1.5 * r * outline.axis)
        return [stub, p.cylinder(1.7 * r, 0.8 * r, 0.2 * r).moved(turn, outline.at + 3 * r * outline.axis)]
    return [] if outline.places else [p.sphere(2 * r).moved(np.eye(3), outline.at)]


def wheel(outline: Outline, body: Body, least: float) -> list[Mesh] | None:
    """A disc, if the body turns about its centre, its inertia is a disc's, and its radius is not less than `least`."""
    if outline.joint is None or outline.joint.kind.look not in TURNING or outline.axis is None or float(body.mass) <= 0:
        return None
    if np.linalg.norm(outline.center - outline.at) > 1e-6 or body.effective:
        return None
    axis, I = outline.axis, body.inertia_matrix
    polar = float(axis @ I @ axis)
    across = (float(np.trace(I)) - polar) / 2
    radius = math.sqrt(2 * polar / float(body.mass))
    if polar < 1.3 * across or radius < least or np.linalg.norm(I @ axis - polar * axis) > 1e-6 * polar:
        return None
    return disc(radius, axis, outline.at)


def disc(radius: float, axis: np.ndarray, center: np.ndarray) -> list[Mesh]:
    """A wheel: tyre, hub and spokes, so that one sees it turn."""
    tyre = 0.1 * radius
    spokes = [
        p.bar(np.zeros(3), (radius - tyre) * np.array([math.cos(a), math.sin(a), 0.0]), 0.05 * radius, 0.05 * radius)
        for a in np.arange(5) * 2 * math.pi / 5
    ]
    parts = [p.torus(radius - tyre, tyre), p.cylinder(0.18 * radius, 0.3 * radius, 0.03 * radius), *spokes]
    return [p.joined(parts).moved(p.turn_z_to(axis), center)]


def _block(body: Body, ends: list[np.ndarray], r: float, most: float) -> Mesh:
    """The box of this inertia, thick enough to be seen, and clear of what hangs on its sides."""
    moments, axes = body.principal()
    m = max(float(body.mass), 1e-30)
    sides = [math.sqrt(max(0.0, 6 * (sum(moments) - 2 * x) / m)) for x in moments]
    size = np.clip(np.array(sides), 0, most)
    size = np.maximum(size, max(0.06 * float(size.max()), 1.2 * r))
    if float(body.mass) <= 0:
        size = np.full(3, 3 * r)
    for end in ends:
        reach = np.abs(axes.T @ (end - np.array(body.center, dtype=float)))
        k = int(np.argmax(reach / size))
        if 0.3 * size[k] < reach[k] < 0.75 * size[k]:
            size[k] = 1.5 * reach[k]
    return p.box(size, 0.06 * float(size.min())).moved(axes, np.array(body.center, dtype=float))


def _plate(outline: Outline, r: float) -> list[Mesh] | None:
    """A link of three or more joints in one plane: a plate with a rim through them."""
    points = [x.point for x in outline.places if x.kind in ("joint", "loop")]
    if outline.joint is not None and outline.joint.kind.look not in (*FLOATING, Look.WELD):
        points.append(outline.at)
    around = hull(np.array(points)) if len(points) >= 3 else None
    if around is None:
        return None
    outside, rotation, middle = around
    corners = np.column_stack([outside, np.zeros(len(outside))]) @ rotation.T + middle
    meshes = [p.plate(outside, 0.9 * r).moved(rotation, middle)]
    meshes += [p.bar(a, b, 0.9 * r, 0.9 * r) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    meshes += [p.bar(corners[0], x.point, 0.8 * r, 0.6 * r) for x in outline.places if _apart(x.point, corners, rotation) > r]
    return meshes


def _apart(point: np.ndarray, corners: np.ndarray, rotation: np.ndarray) -> float:
    return abs(float((point - corners[0]) @ rotation[:, 2]))


def hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The convex outline (n, 2) of points in a plane, with that plane's axes and origin; None if they are in none, or in line."""
    middle = points.mean(axis=0)
    _, extent, axes = np.linalg.svd(points - middle)
    if len(points) < 3 or extent[0] <= 0 or extent[1] < 0.15 * extent[0] or extent[2] > 0.02 * extent[0]:
        return None
    normal = axes[2] * np.sign(axes[2][np.argmax(np.abs(axes[2]))])
    # not the singular vectors, which turn about as they like where points lie evenly
    rotation = p.turn_z_to(np.round(normal, 9))
    flat = (points - middle) @ rotation[:, :2]
    flat = flat[np.lexsort((flat[:, 1], flat[:, 0]))]
    around: list[np.ndarray] = []
    for line in (flat, flat[::-1]):  # Andrew's monotone chain
        half: list[np.ndarray] = []
        for x in line:
            while len(half) > 1 and _turn(half[-2], half[-1], x) <= 1e-9 * extent[0] ** 2:
                half.pop()
            half.append(x)
        around += half[:-1]
    return np.array(around), rotation, middle


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def route(start: np.ndarray, axis: np.ndarray | None, end: np.ndarray, other: np.ndarray | None, r: float) -> list[np.ndarray]:
    """The corners of a link between two joints: along the first axis, across on the common normal, along the second, as
    Denavit and Hartenberg measure it; straight where that would be a detour.
    """
    straight = [start, end]
    if axis is None or other is None:
        return straight
    d = end - start
    along = float(axis @ other)
    if 1 - along * along < 1e-6:
        corners = [start, end - (d @ other) * other, end]
    else:
        s, t = np.linalg.solve([[1.0, -along], [along, -1.0]], [d @ axis, d @ other])
        corners = [start, start + s * axis, end + t * other, end]
    kept = [corners[0]]
    for corner in corners[1:-1]:
        if np.linalg.norm(corner - kept[-1]) > r and np.linalg.norm(corner - end) > r:
            kept.append(corner)
    kept.append(end)
    length = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(kept))
    return kept if length < 1.75 * float(np.linalg.norm(d)) else straight


def _different(start: np.ndarray, places: list[Place], least: float) -> list[Place]:
    """Places away from the start, each once."""
    kept: list[Place] = []
    for place in places:
        if all(np.linalg.norm(place.point - x) > least for x in (start, *(k.point for k in kept))):
            kept.append(place)
    return kept


def _axis(outline: Outline) -> np.ndarray:
    return outline.axis if outline.axis is not None else np.array([0.0, 0.0, 1.0])
