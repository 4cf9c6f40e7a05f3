"""The scene of a mechanism: its bodies by their visuals, or by shapes made from their joints, what joins them, and the view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lagrangian.configuration.poses import body_poses
from lagrangian.model.constraint import KnifeEdgeConstraint, RollingConstraint
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.joints.joint_type import JointLook
from lagrangian.model.loops.loop_type import LoopLook
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.spring import PointSpring, Wall
from lagrangian.viewer.scene import fittings, framing, palette
from lagrangian.viewer.scene.fittings import ground_meshes
from lagrangian.viewer.scene.links import link_meshes, max_rod_length, rod_extension
from lagrangian.viewer.scene.mesh_files import visual_meshes
from lagrangian.viewer.scene.outline import BodyOutline, body_outlines, is_hidden
from lagrangian.viewer.scene.poses import all_poses, drawn_configuration, frame_names
from lagrangian.viewer.scene.primitives import Mesh, fewer_sides, merge_meshes
from lagrangian.viewer.scene.scene import Colour, Scene, ScenePart, Strut

MAX_ARM_LINKS = 30  # in a row: more are a chain of equal links, and no arm


def mechanism_scene(mechanism: Mechanism, q: Any = None) -> Scene:
    """The scene of a mechanism.

    `q` is the configuration in which it is measured, or the rows (rows, nq) of a motion: rails reach as far as bodies slide, and
    the view takes all of it in. Without it, this is the configuration in which the mechanism starts.
    """
    rows = np.atleast_2d(np.asarray(q, dtype=float)) if q is not None else drawn_configuration(mechanism)[None]
    with fewer_sides(len(mechanism.bodies)):
        return SceneBuilder(mechanism, rows).scene()


class SceneBuilder:
    """Collects the parts of one scene; of many rows it looks at some."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray) -> None:
        every = max(1, len(rows) // max(10, min(200, 20_000 // max(1, len(mechanism.bodies)))))
        rows = rows[::every]
        self.mechanism, self.rows = mechanism, rows
        self.poses = {name: T[0] for name, T in body_poses(mechanism, rows[:1]).items()}
        self.frame_indices = {name: k for k, name in enumerate((GROUND, *(b.name for b in mechanism.bodies)))}
        self.outlines = body_outlines(mechanism)
        self.max_depth = max(o.depth for o in self.outlines.values())
        self.normal = framing.motion_plane_normal(mechanism, self.poses)
        self.up = framing.up_direction(mechanism, self.normal)
        self.view_direction = framing.view_direction(self.up, self.normal)
        self.colors = dict(zip(self.mechanism.body_index, palette.body_colours([b.name for b in mechanism.bodies]), strict=True))
        self.size = self._size()
        self.radius, self.draws_pins = self._radius_and_pins()
        self.visual_meshes = visual_meshes(mechanism, self.radius)
        self.parts: list[ScenePart] = []

    def scene(self) -> Scene:
        for outline in self.outlines.values():
            if outline.body is not None:
                self._add_body(outline)
        self._add_joints()
        self._add_constraints()
        struts = mechanism_struts(self.mechanism, self.frame_indices, self.radius)
        poses = all_poses(self.mechanism, self.rows)
        points = framing.box_corners(self.parts, poses)
        points = np.concatenate([points, strut_end_points(struts, poses)])
        if not len(points):
            points = np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]) * self.size
        self._ground(points)
        return self._finish_scene(points, poses, struts)

    # -- sizes -------------------------------------------------------------------------------------------------------

    def _size(self) -> float:
        """The diagonal of the box about all joints, frames and centres of mass."""
        points = []
        for outline in self.outlines.values():
            if outline.virtual:
                continue
            T = self.poses[outline.name]
            body_points = [
                x.point
                for x in outline.attachments
                if not (outline.body is None and x.kind == "joint" and self._is_virtual_at(x.point))
            ]
            if outline.body is not None:
                body_points += [outline.center] + ([] if outline.is_floating else [outline.joint_position])
                body_points += [np.array(x.placement.position, dtype=float) for x in outline.body.visuals]
            points += [T[:3, :3] @ x + T[:3, 3] for x in body_points]
        extent = float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if points else 0.0
        body_sizes = [self._body_size(o) for o in self.outlines.values()]
        return max(extent, *body_sizes) or 1.0

    def _is_virtual_at(self, point: np.ndarray) -> bool:
        """Whether only coordinates start at this point of the ground."""
        joints_here = [
            j for j in self.mechanism.joints if j.parent == GROUND and np.allclose(point, np.array(j.placement.position, float))
        ]
        return bool(joints_here) and all(is_hidden(j, self.outlines) for j in joints_here)

    def _body_size(self, outline: BodyOutline) -> float:
        body = outline.body
        if body is None:
            return 0.0
        sizes = [
            2 * float(c.radius) for c in self.mechanism.constraints if isinstance(c, RollingConstraint) and c.body == body.name
        ]
        sizes += [max(map(float, x.size), default=0.0) for x in body.visuals if x.kind != "mesh"]
        if not body.effective and float(body.mass) > 0:
            sizes.append(float(np.sqrt(max(0.0, 6 * np.trace(body.inertia_matrix) / float(body.mass)))))
        return max(sizes, default=0.0)

    def _radius_and_pins(self) -> tuple[float, bool]:
        """The radius of bars, and whether pins are drawn.

        The radius is a share of the size of the mechanism, but bars are slender where links are short. Pins are not drawn where
        they would hide the links.
        """
        lengths = [
            float(np.linalg.norm(x.point - o.joint_position))
            for o in self.outlines.values()
            if o.body is not None
            for x in o.attachments
        ]
        long = [x for x in lengths if x > 0.02 * self.size]
        if not long and lengths and max(lengths) > 1e-3 / len(lengths) * self.size:  # a chain of many links: thin, but seen
            typical_length = float(np.percentile(lengths, 75))
            r = max(0.15 * typical_length, 0.004 * self.size)
            return r, r < 0.3 * typical_length
        lengths = long
        share = 0.022 if self.normal is not None or self.mechanism.loops else 0.036  # an arm is stouter than a linkage
        r = min(share * self.size, 0.15 * float(np.percentile(lengths, 75))) if lengths else share * self.size
        between = [
            float(np.linalg.norm(a.point - b.point))
            for o in self.outlines.values()
            for k, a in enumerate(o.attachments)
            for b in o.attachments[:k]
            if "loop" in (a.kind, b.kind) or o.body is None
        ]
        # pins of a platform stay clear of each other
        return min(r, max(0.55 * r, 0.38 * min((x for x in between if x > 1e-3 * self.size), default=r / 0.38))), True

    def _bar_radius(self, outline: BodyOutline) -> float:
        """The radius of one body's bars: an arm is slimmer towards its end."""
        deepest = self.max_depth
        if not 4 <= deepest <= MAX_ARM_LINKS or self.mechanism.loops:
            return self.radius
        return self.radius * (1.15 - 0.5 * (outline.depth - 1) / (deepest - 1))

    # -- parts -------------------------------------------------------------------------------------------------------

    def _add_part(self, name: str, body: str, meshes: Sequence[Mesh], color: Colour, opacity: float = 1.0) -> None:
        if not meshes:
            return
        mesh = merge_meshes(list(meshes))
        self.parts.append(
            ScenePart(
                name,
                self.frame_indices[body],
                mesh.vertices.astype(np.float32),
                mesh.normals.astype(np.float32),
                mesh.faces.astype(np.int32),
                color,
                opacity,
            )
        )

    def _add_body(self, outline: BodyOutline) -> None:
        name = outline.name
        body_colour = self.colors[name]
        meshes_by_colour: dict[tuple[Colour, float], list[Mesh]] = {}
        for mesh, color, opacity in self.visual_meshes.get(name, ()):
            meshes_by_colour.setdefault((color or body_colour, opacity), []).append(mesh)
        for (color, opacity), meshes in meshes_by_colour.items():
            self._add_part(name, name, meshes, color, opacity)
        if self._has_derived_shape(outline) and not self._only_rolls(outline):
            self._add_part(
                name, name, link_meshes(outline, self._bar_radius(outline), self.size, self._rod_length(outline)), body_colour
            )

    def _rod_length(self, outline: BodyOutline) -> float:
        """The length that the rod of a telescope may have in its tube, over the rows."""
        joint = outline.joint
        if joint is None or joint.kind.look is not JointLook.SLIDE:
            return math.inf
        span = self._travel(self.mechanism.joints.index(joint))
        return max_rod_length(outline, self.outlines[joint.parent], span, self._bar_radius(outline))

    def _has_derived_shape(self, outline: BodyOutline) -> bool:
        """Whether a body is drawn from its shape and joint axes: where nothing has visuals, or its own cannot be read.

        In a robot's file, a body without visuals is not drawn: it is a frame, or a sensor.
        """
        body = outline.body
        if body is None or body.name in self.visual_meshes:
            return False
        return not self.visual_meshes or bool(body.visuals) or (not self._is_robot and float(body.mass) > 0)

    @property
    def _is_robot(self) -> bool:
        """Whether the file is in a format that describes everything visible."""
        return self.mechanism.file.lower().endswith((".urdf", ".xml", ".mjcf", ".sdf", ".world"))

    def _only_rolls(self, outline: BodyOutline) -> bool:
        """Whether a body is drawn by its rolling constraint alone: as a wheel or a ball."""
        rolls = [c for c in self.mechanism.constraints if isinstance(c, RollingConstraint) and c.body == outline.name]
        return bool(rolls) and all(np.allclose(x.point, np.array(rolls[0].center, float)) for x in outline.attachments)

    def _add_joints(self) -> None:
        for k, joint in enumerate(self.mechanism.joints):
            child, parent = self.outlines[joint.child], self.outlines[joint.parent]
            if (is_hidden(joint, self.outlines) and joint.kind.look is not JointLook.PLANE) or not self._has_derived_shape(child):
                continue
            r = self._bar_radius(child)
            pin = fittings.joint_mesh(joint, child, r)
            if pin is not None and self.draws_pins:
                self._add_part(f"joint {joint.name}", joint.child, [pin], palette.METAL)
            guide = fittings.rail_mesh(joint, child, parent, self._travel(k), r, self.size)
            if guide is not None:
                color = palette.RAIL if joint.parent == GROUND else self.colors[joint.parent]
                self._add_part(f"rail of {joint.name}", joint.parent, [guide], color)
            rod_points = (
                [part.vertices for part in self.parts if part.name == joint.child] if joint.kind.look is JointLook.SLIDE else []
            )
            extension = rod_extension(child, parent, np.concatenate(rod_points), self._travel(k), r) if rod_points else None
            if extension is not None:
                self._add_part(joint.child, joint.child, [extension], self.colors[joint.child])

    def _travel(self, index: int) -> tuple[float, float]:
        """The range in which a joint moves its child along its axis, over the rows."""
        joint = self.mechanism.joints[index]
        first = sum(j.kind.nq for j in self.mechanism.joints[:index])
        displacements = displacement(joint, self.rows[:, first : first + joint.kind.nq])[:, :3, 3]
        along = displacements @ np.array(joint.axes[0] if joint.axes else (0, 0, 1), dtype=float)
        return float(along.min()), float(along.max())

    def _add_constraints(self) -> None:
        m = self.mechanism
        for loop in m.loops:
            inside = None if self.normal is None else self.poses[loop.a][:3, :3].T @ self.normal
            pin = None if self.visual_meshes else fittings.loop_mesh(loop, inside, self.radius)
            if pin is not None:
                self._add_part(f"loop {loop.name}", loop.a, [pin], palette.METAL)
        for constraint in m.constraints:
            if isinstance(constraint, RollingConstraint) and constraint.body not in self.visual_meshes:
                main, other = fittings.rolling_meshes(constraint)
                self._add_part(constraint.body, constraint.body, main, self.colors[constraint.body])
                self._add_part(constraint.body, constraint.body, other, palette.LIGHT)
            elif isinstance(constraint, KnifeEdgeConstraint):
                self._add_part(
                    constraint.name, constraint.body, [fittings.knife_edge_mesh(constraint, self.radius)], palette.METAL
                )
        for wall in m.springs:
            if isinstance(wall, Wall):
                self._add_part(f"wall {wall.name}", wall.on, [fittings.wall_mesh(wall, self.size)], palette.WALL, 0.35)

    # -- the ground and the view ------------------------------------------------------------------------------------

    def _ground(self, points: np.ndarray) -> None:
        if self.visual_meshes and self._is_robot:
            return
        ground_points = [
            np.array(j.placement.position, dtype=float)
            for j in self.mechanism.joints
            if j.parent == GROUND and not is_hidden(j, self.outlines) and j.kind.look is not JointLook.SLIDE
        ]
        ground_points += [x.point for x in self.outlines[GROUND].attachments if x.kind in ("loop", "spring")]
        if not ground_points:
            return
        heights = points @ self.up
        at = float(np.mean([x @ self.up for x in ground_points]))
        hangs = at > (heights.min() + heights.max()) / 2
        if self.visual_meshes and hangs:
            return  # a post through what is drawn by itself would hide it
        first = min(float(x @ self.up) for x in ground_points)
        lowest = first - 0.14 * self.size
        if 0 < first < 1.5 * self.size:
            lowest = min(lowest, 0.0)  # an arm whose first joint is placed above the ground stands on it
        below = min(lowest, float(heights.min())) if not hangs or len(ground_points) < 3 else lowest
        face = None if self.normal is None else self.normal * np.sign(self.normal @ self.view_direction)
        self._add_part(
            GROUND, GROUND, ground_meshes(ground_points, self.up, face, below, hangs, 1.15 * self.radius), palette.GROUND
        )

    def _finish_scene(self, points: np.ndarray, poses: np.ndarray, struts: tuple[Strut, ...]) -> Scene:
        ground = framing.box_corners([x for x in self.parts if x.frame == 0], poses[:1])
        points = np.concatenate([points, ground])
        low, high = points.min(axis=0), points.max(axis=0)
        center = (low + high) / 2
        size = float(np.linalg.norm(high - low))
        floor = float((points @ self.up).min())
        stands = self.normal is None or abs(float(self.normal @ self.up)) > 0.3
        return Scene(
            self.mechanism.name,
            frame_names(self.mechanism),
            len(self.mechanism.bodies),
            tuple(self.parts),
            struts,
            size,
            tuple(center.tolist()),
            tuple(self.up.tolist()),
            tuple(self.view_direction.tolist()),
            floor if stands else floor - 0.06 * size,
            tuple(framing.front_direction(self.up, self.normal).tolist()),
        )


def mechanism_struts(mechanism: Mechanism, frames: Mapping[str, int], r: float) -> tuple[Strut, ...]:
    """The rods and springs that reach from one body to another; `frames` has the row of each body, `r` is the radius of bars."""
    strut_data = []
    for loop in mechanism.loops:
        if loop.kind.look is LoopLook.ROD:
            a, b = (tuple(float(x) for x in at.position) for at in (loop.a_placement, loop.b_placement))
            strut_data.append((loop.name, "rod", loop.a, a, loop.b, b, 0.6 * r, palette.METAL))
    for spring in mechanism.springs:
        if isinstance(spring, PointSpring):
            at = [(body, tuple(float(x) for x in point)) for body, point in spring.points]
            for k, ((first, a), (second, b)) in enumerate(pairwise(at)):  # a tendon is a coil from point to point
                name = spring.name if len(at) == 2 else f"{spring.name} {k + 1}"
                strut_data.append((name, "spring", first, a, second, b, 1.3 * r, palette.SPRING))
    return tuple(
        Strut(name, kind, frames[a], pa, frames[b], pb, radius, color)  # type: ignore[arg-type]
        for name, kind, a, pa, b, pb, radius, color in strut_data
    )


def strut_end_points(struts: Sequence[Strut], poses: np.ndarray) -> np.ndarray:
    """The ends of struts in the world, over all rows of poses (rows, frames, 4, 4)."""
    ends = [(s.a, s.a_point) for s in struts] + [(s.b, s.b_point) for s in struts]
    points = [poses[:, k, :3, :3] @ np.array(at) + poses[:, k, :3, 3] for k, at in ends]
    return np.concatenate(points) if points else np.zeros((0, 3))
