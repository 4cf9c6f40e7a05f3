"""A mechanism as a scene: bodies by their visuals, or by their shape and joint axes, what joins them, and how to look at it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lagrangian.configuration.poses import body_poses
from lagrangian.model.constraint import KnifeEdge, Rolling
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.joints.joint_type import Look
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.viewer.scene import fittings, framing, palette
from lagrangian.viewer.scene.base import base
from lagrangian.viewer.scene.links import link
from lagrangian.viewer.scene.outline import Outline, hidden, outlines
from lagrangian.viewer.scene.poses import all_poses, configuration, frame_names
from lagrangian.viewer.scene.primitives import Mesh, coarser, joined
from lagrangian.viewer.scene.scene import Color, Part, Scene, Strut
from lagrangian.viewer.scene.struts import ends_of, struts_of
from lagrangian.viewer.scene.telescopes import room_in_tube, stem
from lagrangian.viewer.scene.visuals import drawn

LONG = 30  # links one after another: more are a chain, of equal links, and no arm


def scene(mechanism: Mechanism, q: Any = None) -> Scene:
    """What there is to see of a mechanism.

    `q` is the configuration, or the rows (rows, nq) of a motion, that it is measured in: rails reach as far as things slide, and
    the view takes all of it in. Without it, the configuration in which the mechanism starts.
    """
    rows = np.atleast_2d(np.asarray(q, dtype=float)) if q is not None else configuration(mechanism)[None]
    with coarser(len(mechanism.bodies)):
        return Builder(mechanism, rows).scene()


class Builder:
    """Collects the parts of one scene; of many rows, some."""

    def __init__(self, mechanism: Mechanism, rows: np.ndarray) -> None:
        every = max(1, len(rows) // max(10, min(200, 20_000 // max(1, len(mechanism.bodies)))))
        rows = rows[::every]
        self.mechanism, self.rows = mechanism, rows
        self.poses = {name: T[0] for name, T in body_poses(mechanism, rows[:1]).items()}
        self.frame = {name: k for k, name in enumerate((GROUND, *(b.name for b in mechanism.bodies)))}
        self.outlines = outlines(mechanism)
        self.deepest = max(o.depth for o in self.outlines.values())
        self.normal = framing.plane_of(mechanism, self.poses)
        self.up = framing.upward(mechanism, self.normal)
        self.look = framing.view(self.up, self.normal)
        self.colors = dict(zip(self.mechanism.body_index, palette.body_colors([b.name for b in mechanism.bodies]), strict=True))
        self.size = self._size()
        self.pins = True
        self.r = self._radius()
        self.seen = drawn(mechanism, self.r)
        self.parts: list[Part] = []

    def scene(self) -> Scene:
        for outline in self.outlines.values():
            if outline.body is not None:
                self._body(outline)
        self._joints()
        self._constraints()
        struts = struts_of(self.mechanism, self.frame, self.r)
        poses = all_poses(self.mechanism, self.rows)
        points = framing.corners(self.parts, poses)
        points = np.concatenate([points, ends_of(struts, poses)])
        if not len(points):
            points = np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]) * self.size
        self._ground(points)
        return self._framed(points, poses, struts)

    # -- sizes -------------------------------------------------------------------------------------------------------

    def _size(self) -> float:
        """The diagonal of the box about all joints, frames and centres of mass."""
        points = []
        for outline in self.outlines.values():
            if outline.virtual:
                continue
            T = self.poses[outline.name]
            own = [
                x.point for x in outline.places if not (outline.body is None and x.kind == "joint" and self._virtual_at(x.point))
            ]
            if outline.body is not None:
                own += [outline.center] + ([] if outline.floats else [outline.at])
                own += [np.array(x.placement.position, dtype=float) for x in outline.body.visuals]
            points += [T[:3, :3] @ x + T[:3, 3] for x in own]
        extent = float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if points else 0.0
        own_size = [self._own_size(o) for o in self.outlines.values()]
        return max(extent, *own_size) or 1.0

    def _virtual_at(self, point: np.ndarray) -> bool:
        """Whether only coordinates start at this point of the ground."""
        here = [
            j for j in self.mechanism.joints if j.parent == GROUND and np.allclose(point, np.array(j.placement.position, float))
        ]
        return bool(here) and all(hidden(j, self.outlines) for j in here)

    def _own_size(self, outline: Outline) -> float:
        body = outline.body
        if body is None:
            return 0.0
        found = [2 * float(c.radius) for c in self.mechanism.constraints if isinstance(c, Rolling) and c.body == body.name]
        found += [max(map(float, x.size), default=0.0) for x in body.visuals if x.kind != "mesh"]
        if not body.effective and float(body.mass) > 0:
            found.append(float(np.sqrt(max(0.0, 6 * np.trace(body.inertia_matrix) / float(body.mass)))))
        return max(found, default=0.0)

    def _radius(self) -> float:
        """Of the bars: a share of the whole, but slender where links are short."""
        lengths = [float(np.linalg.norm(x.point - o.at)) for o in self.outlines.values() if o.body is not None for x in o.places]
        long = [x for x in lengths if x > 0.02 * self.size]
        if not long and lengths and max(lengths) > 1e-3 / len(lengths) * self.size:  # a chain of many links: thin, but seen
            usual = float(np.percentile(lengths, 75))
            r = max(0.15 * usual, 0.004 * self.size)
            self.pins = r < 0.3 * usual  # closer together they would hide the links
            return r
        lengths = long
        share = 0.022 if self.normal is not None or self.mechanism.loops else 0.036  # an arm is stouter than a linkage
        r = min(share * self.size, 0.15 * float(np.percentile(lengths, 75))) if lengths else share * self.size
        between = [
            float(np.linalg.norm(a.point - b.point))
            for o in self.outlines.values()
            for k, a in enumerate(o.places)
            for b in o.places[:k]
            if "loop" in (a.kind, b.kind) or o.body is None
        ]
        # pins of a platform stay clear of each other
        return min(r, max(0.55 * r, 0.38 * min((x for x in between if x > 1e-3 * self.size), default=r / 0.38)))

    def _stout(self, outline: Outline) -> float:
        """The radius of one body's bars: an arm is slimmer towards its end."""
        deepest = self.deepest
        if not 4 <= deepest <= LONG or self.mechanism.loops:
            return self.r
        return self.r * (1.15 - 0.5 * (outline.depth - 1) / (deepest - 1))

    # -- parts -------------------------------------------------------------------------------------------------------

    def _add(self, name: str, body: str, meshes: Sequence[Mesh], color: Color, opacity: float = 1.0) -> None:
        if not meshes:
            return
        mesh = joined(list(meshes))
        self.parts.append(
            Part(
                name,
                self.frame[body],
                mesh.vertices.astype(np.float32),
                mesh.normals.astype(np.float32),
                mesh.faces.astype(np.int32),
                color,
                opacity,
            )
        )

    def _body(self, outline: Outline) -> None:
        name = outline.name
        own = self.colors[name]
        alike: dict[tuple[Color, float], list[Mesh]] = {}
        for mesh, color, opacity in self.seen.get(name, ()):
            alike.setdefault((color or own, opacity), []).append(mesh)
        for (color, opacity), meshes in alike.items():
            self._add(name, name, meshes, color, opacity)
        if self._by_shape(outline) and not self._only_rolls(outline):
            self._add(name, name, link(outline, self._stout(outline), self.size, self._room(outline)), own)

    def _room(self, outline: Outline) -> float:
        """What the rod of a telescope has in its tube, over what is shown."""
        joint = outline.joint
        if joint is None or joint.kind.look is not Look.SLIDE:
            return math.inf
        span = self._span(self.mechanism.joints.index(joint))
        return room_in_tube(outline, self.outlines[joint.parent], span, self._stout(outline))

    def _by_shape(self, outline: Outline) -> bool:
        """Whether a body is drawn from its shape and joint axes: where nothing has visuals, or its own cannot be read.

        In a robot's file, what has none is not to be seen: it is a frame, or a sensor.
        """
        body = outline.body
        if body is None or body.name in self.seen:
            return False
        return not self.seen or bool(body.visuals) or (not self._is_robot and float(body.mass) > 0)

    @property
    def _is_robot(self) -> bool:
        """Described in a format in which all that is to be seen is said."""
        return self.mechanism.file.lower().endswith((".urdf", ".xml", ".mjcf", ".sdf", ".world"))

    def _only_rolls(self, outline: Outline) -> bool:
        """A body that only rolls is seen as the wheel or ball that it is."""
        rolls = [c for c in self.mechanism.constraints if isinstance(c, Rolling) and c.body == outline.name]
        return bool(rolls) and all(np.allclose(x.point, np.array(rolls[0].center, float)) for x in outline.places)

    def _joints(self) -> None:
        for k, joint in enumerate(self.mechanism.joints):
            child, parent = self.outlines[joint.child], self.outlines[joint.parent]
            if (hidden(joint, self.outlines) and joint.kind.look is not Look.PLANE) or not self._by_shape(child):
                continue
            r = self._stout(child)
            pin = fittings.pin(joint, child, r)
            if pin is not None and self.pins:
                self._add(f"joint {joint.name}", joint.child, [pin], palette.METAL)
            guide = fittings.guide(joint, child, parent, self._span(k), r, self.size)
            if guide is not None:
                color = palette.RAIL if joint.parent == GROUND else self.colors[joint.parent]
                self._add(f"rail of {joint.name}", joint.parent, [guide], color)
            own = [part.vertices for part in self.parts if part.name == joint.child] if joint.kind.look is Look.SLIDE else []
            rest = stem(child, parent, np.concatenate(own), self._span(k), r) if own else None
            if rest is not None:
                self._add(joint.child, joint.child, [rest], self.colors[joint.child])

    def _span(self, index: int) -> tuple[float, float]:
        """How far a joint moves its child along its axis, over what is shown."""
        joint = self.mechanism.joints[index]
        first = sum(j.kind.nq for j in self.mechanism.joints[:index])
        moved = displacement(joint, self.rows[:, first : first + joint.kind.nq])[:, :3, 3]
        along = moved @ np.array(joint.axes[0] if joint.axes else (0, 0, 1), dtype=float)
        return float(along.min()), float(along.max())

    def _constraints(self) -> None:
        m = self.mechanism
        for loop in m.loops:
            inside = None if self.normal is None else self.poses[loop.a][:3, :3].T @ self.normal
            pin = None if self.seen else fittings.loop_pin(loop, inside, self.r)
            if pin is not None:
                self._add(f"loop {loop.name}", loop.a, [pin], palette.METAL)
        for constraint in m.constraints:
            if isinstance(constraint, Rolling) and constraint.body not in self.seen:
                main, other = fittings.rolling(constraint)
                self._add(constraint.body, constraint.body, main, self.colors[constraint.body])
                self._add(constraint.body, constraint.body, other, palette.LIGHT)
            elif isinstance(constraint, KnifeEdge):
                self._add(constraint.name, constraint.body, [fittings.blade(constraint, self.r)], palette.METAL)
        for wall in m.springs:
            if isinstance(wall, Wall):
                self._add(f"wall {wall.name}", wall.on, [fittings.plane(wall, self.size)], palette.WALL, 0.35)

    # -- around it ---------------------------------------------------------------------------------------------------

    def _ground(self, points: np.ndarray) -> None:
        if self.seen and self._is_robot:
            return
        held = [
            np.array(j.placement.position, dtype=float)
            for j in self.mechanism.joints
            if j.parent == GROUND and not hidden(j, self.outlines) and j.kind.look is not Look.SLIDE
        ]
        held += [x.point for x in self.outlines[GROUND].places if x.kind in ("loop", "spring")]
        if not held:
            return
        heights = points @ self.up
        at = float(np.mean([x @ self.up for x in held]))
        hangs = at > (heights.min() + heights.max()) / 2
        if self.seen and hangs:
            return  # a post through what is drawn by itself would hide it
        first = min(float(x @ self.up) for x in held)
        lowest = first - 0.14 * self.size
        if 0 < first < 1.5 * self.size:
            lowest = min(lowest, 0.0)  # an arm whose first joint is placed above the ground stands on it
        below = min(lowest, float(heights.min())) if not hangs or len(held) < 3 else lowest
        face = None if self.normal is None else self.normal * np.sign(self.normal @ self.look)
        self._add(GROUND, GROUND, base(held, self.up, face, below, hangs, 1.15 * self.r), palette.GROUND)

    def _framed(self, points: np.ndarray, poses: np.ndarray, struts: tuple[Strut, ...]) -> Scene:
        ground = framing.corners([x for x in self.parts if x.frame == 0], poses[:1])
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
            tuple(self.look.tolist()),
            floor if stands else floor - 0.06 * size,
            tuple(framing.front(self.up, self.normal).tolist()),
        )
