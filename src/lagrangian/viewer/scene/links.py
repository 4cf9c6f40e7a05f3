"""How a body without visuals looks: bars between its joints, plates, and boxes, wheels and balls as large as its inertia says.

A body that slides may be the rod of a telescope, as the legs of a platform are: it then slides in a sleeve, or in a body that
is its tube.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from lagrangian.model.body import Body
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.outline import FLOATING_LOOKS, ROTARY_LOOKS, Attachment, BodyOutline, axis_in_parent
from lagrangian.viewer.scene.primitives import Mesh


def link_meshes(outline: BodyOutline, r: float, size: float, max_length: float = math.inf) -> list[Mesh]:
    """The meshes of a body, in its frame.

    `r` is the radius of its bars, `size` that of the mechanism, `max_length` the length that the rod of a telescope may have.
    """
    body = outline.body
    if body is None or outline.virtual:
        return []
    start = outline.center if outline.is_floating else outline.joint_position
    ends = _distinct_places(start, outline.attachments, 0.6 * r)
    meshes: list[Mesh] = []
    flat = _plate_meshes(outline, r)
    if flat is not None:
        return flat
    if outline.is_floating and not is_particle(body):
        meshes.append(_inertia_box(body, [e.point for e in ends], r, size))
        apart = float(np.linalg.norm(outline.joint_position - start))
        if (
            outline.joint is not None
            and outline.joint.kind.look is JointLook.PLANE
            and not carries_others(outline)
            and apart > 0.6 * r
        ):
            # from the point that the joint measures: this shows the heading of the body
            meshes.append(p.bar(outline.joint_position, start, 1.6 * r, 1.6 * r))
    if is_particle(body):
        meshes.append(p.sphere(2.0 * r).with_pose(np.eye(3), outline.center))
        if np.linalg.norm(outline.center - start) > 0.6 * r:
            ends = _distinct_places(start, [*outline.attachments, Attachment(outline.center, None, "mass")], 0.6 * r)
    for end in ends:
        corners = link_corners(start, None if outline.is_floating else outline.axis, end.point, end.axis, r)
        for a, b in pairwise(corners):
            last = b is corners[-1]
            meshes.append(p.bar(a, b, r, 0.8 * r if last and len(ends) == 1 else r))
    prismatic = outline.joint is not None and outline.joint.kind.look is JointLook.SLIDE
    if prismatic and not is_telescope(outline, r) and not (is_particle(body) and not carries_others(outline)):
        meshes.append(
            p.box((4.2 * r, 4.2 * r, 7.0 * r), 0.4 * r).with_pose(p.rotation_z_to(_axis(outline)), outline.joint_position)
        )
        return meshes[1:] if is_particle(body) else meshes
    if meshes:
        return meshes
    if carries_others(outline) and not any(x.slides for x in outline.attachments) and not prismatic:
        return [p.sphere(1.6 * r).with_pose(np.eye(3), outline.joint_position)]  # joints at one point: a wrist or a shoulder
    return _end_link_meshes(outline, body, r, size, max_length)


def carries_others(outline: BodyOutline) -> bool:
    """Whether other bodies are joined to it."""
    return any(x.kind in ("joint", "loop") for x in outline.attachments)


def is_particle(body: Body) -> bool:
    """Whether a body is a particle: mass without inertia."""
    return float(body.mass) > 0 and not any(float(x) for x in body.inertia)


def _plate_meshes(outline: BodyOutline, r: float) -> list[Mesh] | None:
    """The plate of a link with three or more joints in one plane, with a rim through them; None for other links."""
    points = [x.point for x in outline.attachments if x.kind in ("joint", "loop")]
    if outline.joint is not None and outline.joint.kind.look not in (*FLOATING_LOOKS, JointLook.WELD):
        points.append(outline.joint_position)
    hull_and_plane = planar_hull(np.array(points)) if len(points) >= 3 else None
    if hull_and_plane is None:
        return None
    outside, rotation, middle = hull_and_plane
    corners = np.column_stack([outside, np.zeros(len(outside))]) @ rotation.T + middle
    meshes = [p.plate(outside, 0.9 * r).with_pose(rotation, middle)]
    meshes += [p.bar(a, b, 0.9 * r, 0.9 * r) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    meshes += [
        p.bar(corners[0], x.point, 0.8 * r, 0.6 * r)
        for x in outline.attachments
        if _distance_from_plane(x.point, corners, rotation) > r
    ]
    return meshes


def _distance_from_plane(point: np.ndarray, corners: np.ndarray, rotation: np.ndarray) -> float:
    return abs(float((point - corners[0]) @ rotation[:, 2]))


def planar_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The convex outline (n, 2) of points in a plane, with that plane's axes and origin; None if they are in none, or in line."""
    middle = points.mean(axis=0)
    _, extent, axes = np.linalg.svd(points - middle)
    if len(points) < 3 or extent[0] <= 0 or extent[1] < 0.15 * extent[0] or extent[2] > 0.02 * extent[0]:
        return None
    normal = axes[2] * np.sign(axes[2][np.argmax(np.abs(axes[2]))])
    # not the singular vectors, which turn about as they like where points lie evenly
    rotation = p.rotation_z_to(np.round(normal, 9))
    flat = (points - middle) @ rotation[:, :2]
    flat = flat[np.lexsort((flat[:, 1], flat[:, 0]))]
    boundary: list[np.ndarray] = []
    for line in (flat, flat[::-1]):  # Andrew's monotone chain
        half: list[np.ndarray] = []
        for x in line:
            while len(half) > 1 and _cross(half[-2], half[-1], x) <= 1e-9 * extent[0] ** 2:
                half.pop()
            half.append(x)
        boundary += half[:-1]
    return np.array(boundary), rotation, middle


def _cross(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _inertia_box(body: Body, ends: list[np.ndarray], r: float, max_size: float) -> Mesh:
    """The box of this inertia, thick enough to be seen, which reaches to what is joined at its sides."""
    moments, axes = body.principal_inertia()
    m = max(float(body.mass), 1e-30)
    sides = [math.sqrt(max(0.0, 6 * (sum(moments) - 2 * x) / m)) for x in moments]
    size = np.clip(np.array(sides), 0, max_size)
    size = np.maximum(size, max(0.06 * float(size.max()), 1.2 * r))
    if float(body.mass) <= 0:
        size = np.full(3, 3 * r)
    for end in ends:
        reach = np.abs(axes.T @ (end - np.array(body.center, dtype=float)))
        k = int(np.argmax(reach / size))
        if 0.3 * size[k] < reach[k] < 0.75 * size[k]:
            size[k] = 1.5 * reach[k]
    return p.box(size, 0.06 * float(size.min())).with_pose(axes, np.array(body.center, dtype=float))


def _end_link_meshes(outline: BodyOutline, body: Body, r: float, size: float, max_length: float) -> list[Mesh]:
    """The meshes of a body that carries nothing away from its joint: a wheel, a rod, a box or a flange."""
    arm = outline.center - outline.joint_position
    length = float(np.linalg.norm(arm))
    wheel_parts = wheel_meshes(outline, body, 3 * r)
    if wheel_parts is not None:
        return wheel_parts
    if length > 0.6 * r:
        direction = arm / length
        # a uniform rod's half length, by its inertia across
        across = direction @ (np.trace(body.inertia_matrix) / 2 * np.eye(3) - body.inertia_matrix) @ direction
        half = math.sqrt(max(0.0, 3 * across / float(body.mass))) if float(body.mass) > 0 else 0.0
        reach = min(max(length + min(half, length), 2.5 * r), max_length)
        return [p.bar(outline.joint_position, outline.joint_position + reach * direction, r, 0.8 * r)]
    if float(body.mass) > 0 and not body.effective and float(np.trace(body.inertia_matrix)) > 0:
        block = _inertia_box(body, [], r, 0.5 * size)
        if float(np.ptp(block.vertices, axis=0).max()) > 5 * r or outline.axis is None:
            return [block]
    if outline.axis is not None and outline.joint is not None and outline.joint.kind.look in ROTARY_LOOKS:  # a flange
        turn = p.rotation_z_to(outline.axis)
        stub = p.cylinder(1.1 * r, 3 * r, 0.2 * r).with_pose(turn, outline.joint_position + 1.5 * r * outline.axis)
        return [stub, p.cylinder(1.7 * r, 0.8 * r, 0.2 * r).with_pose(turn, outline.joint_position + 3 * r * outline.axis)]
    return [] if outline.attachments else [p.sphere(2 * r).with_pose(np.eye(3), outline.joint_position)]


def wheel_meshes(outline: BodyOutline, body: Body, min_radius: float) -> list[Mesh] | None:
    """A wheel, if the body turns about its centre and its inertia is that of a disc of at least this radius; else None."""
    if outline.joint is None or outline.joint.kind.look not in ROTARY_LOOKS or outline.axis is None or float(body.mass) <= 0:
        return None
    if np.linalg.norm(outline.center - outline.joint_position) > 1e-6 or body.effective:
        return None
    axis, I = outline.axis, body.inertia_matrix
    polar = float(axis @ I @ axis)
    across = (float(np.trace(I)) - polar) / 2
    radius = math.sqrt(2 * polar / float(body.mass))
    if polar < 1.3 * across or radius < min_radius or np.linalg.norm(I @ axis - polar * axis) > 1e-6 * polar:
        return None
    return spoked_wheel(radius, axis, outline.joint_position)


def spoked_wheel(radius: float, axis: np.ndarray, center: np.ndarray) -> list[Mesh]:
    """A wheel with a tyre, a hub and spokes, so that you see it turn."""
    tyre = 0.1 * radius
    spokes = [
        p.bar(np.zeros(3), (radius - tyre) * np.array([math.cos(a), math.sin(a), 0.0]), 0.05 * radius, 0.05 * radius)
        for a in np.arange(5) * 2 * math.pi / 5
    ]
    parts = [p.torus(radius - tyre, tyre), p.cylinder(0.18 * radius, 0.3 * radius, 0.03 * radius), *spokes]
    return [p.merge_meshes(parts).with_pose(p.rotation_z_to(axis), center)]


def link_corners(
    start: np.ndarray, axis: np.ndarray | None, end: np.ndarray, other: np.ndarray | None, r: float
) -> list[np.ndarray]:
    """The corners of a link between two joints.

    As Denavit and Hartenberg measure it, a link goes along the first axis, along the common normal, and along the second
    axis. It is straight where that would be a detour.
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
    route_corners = [corners[0]]
    for corner in corners[1:-1]:
        if np.linalg.norm(corner - route_corners[-1]) > r and np.linalg.norm(corner - end) > r:
            route_corners.append(corner)
    route_corners.append(end)
    length = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(route_corners))
    return route_corners if length < 1.75 * float(np.linalg.norm(d)) else straight


def _distinct_places(start: np.ndarray, places: list[Attachment], min_distance: float) -> list[Attachment]:
    """Places away from the start, each once."""
    distinct: list[Attachment] = []
    for place in places:
        if all(np.linalg.norm(place.point - x) > min_distance for x in (start, *(k.point for k in distinct))):
            distinct.append(place)
    return distinct


def _axis(outline: BodyOutline) -> np.ndarray:
    return outline.axis if outline.axis is not None else np.array([0.0, 0.0, 1.0])


# ---- rods of telescopes


def is_telescope(outline: BodyOutline, r: float) -> bool:
    """Whether a sliding body is a rod along its axis, by its centre of mass, and not a carriage."""
    if outline.joint is None or outline.joint.kind.look is not JointLook.SLIDE or outline.axis is None:
        return False
    arm, axis = outline.center - outline.joint_position, outline.axis
    far = float(arm @ axis)
    if abs(far) < 2 * r or np.linalg.norm(arm - far * axis) > abs(far):
        return False
    away = [x.point - outline.joint_position for x in outline.attachments]
    return all(float(np.linalg.norm(d - (d @ axis) * axis)) < r for d in away)


def is_tube(parent: BodyOutline, at: np.ndarray, axis: np.ndarray, r: float) -> bool:
    """Whether a rod that slides along this axis of another body slides in it: its mass lies along the axis."""
    arm = parent.center - at
    return bool(np.linalg.norm(arm) > 2 * r and np.linalg.norm(np.cross(arm, axis)) < 0.2 * np.linalg.norm(arm))


def tube_range(outline: BodyOutline, parent: BodyOutline, r: float) -> tuple[float, float] | None:
    """The ends of the tube of a rod along the axis of its joint, first that at the tube's own joint; None without a tube."""
    joint = outline.joint
    if joint is None or parent.body is None or not is_telescope(outline, r):
        return None
    at, axis = np.array(joint.placement.position, dtype=float), axis_in_parent(joint.placement, joint.axis)
    if not is_tube(parent, at, axis, r):
        return None
    start, middle = float((parent.joint_position - at) @ axis), float((parent.center - at) @ axis)
    return start, 2 * middle - start


def max_rod_length(outline: BodyOutline, parent: BodyOutline, span: tuple[float, float], r: float) -> float:
    """The length of a rod that never comes out of its tube at the tube's own joint; `span` is how far it slides.

    A real rod is no longer, whatever the description says of its mass.
    """
    tube_ends = tube_range(outline, parent, r)
    if tube_ends is None:
        return math.inf
    room = min(_inward_sign(outline) * (tube_ends[0] - x) for x in span)
    return room - 2 * r if room > 4 * r else math.inf


def rod_extension(
    outline: BodyOutline, parent: BodyOutline, rod_points: np.ndarray, span: tuple[float, float], r: float
) -> Mesh | None:
    """The bar that makes a rod reach its sleeve, or into its tube, wherever it slides; None if it reaches so far already.

    `rod_points` (n, 3) are the points of the rod as drawn. In its frame the sleeve is at minus the coordinate of the joint.
    """
    if not is_telescope(outline, r) or outline.axis is None or not len(rod_points):
        return None
    at = (rod_points - outline.joint_position) @ outline.axis
    rod_start, rod_end = float(at.min()) + r, float(at.max()) - r  # inside of its round ends
    low, high = min(rod_start, -span[1]), max(rod_end, -span[0])
    tube_ends = tube_range(outline, parent, r)
    if tube_ends is not None:
        inward = _inward_sign(outline)
        end = tube_ends[1] - (span[1] if inward < 0 else span[0])  # of the tube, where the rod is farthest out of it
        low, high = (min(rod_start, end), rod_end) if inward < 0 else (rod_start, max(rod_end, end))
    if low > rod_start - r and high < rod_end + r:
        return None
    return p.bar(outline.joint_position + low * outline.axis, outline.joint_position + high * outline.axis, 0.7 * r, 0.7 * r)


def _inward_sign(outline: BodyOutline) -> float:
    """The side of its joint, along the axis, on which a rod lies."""
    assert outline.axis is not None
    return math.copysign(1.0, float((outline.center - outline.joint_position) @ outline.axis))
