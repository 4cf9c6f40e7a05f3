"""A mechanism as SDF (SDFormat): a model, in a world where gravity is not that of SDF. What SDF does not hold is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lagrangian.description.sdf import write_joint, write_link
from lagrangian.description.sdf.write_link import value
from lagrangian.description.writing import left_out, screws, split
from lagrangian.description.writing.based import based
from lagrangian.description.writing.formulas import affine
from lagrangian.description.writing.inertia import least_mass
from lagrangian.description.writing.moved import moved
from lagrangian.description.writing.names import NO_XML, Names
from lagrangian.description.writing.poses import Loops, open_by, poses, slices
from lagrangian.description.writing.split import Link
from lagrangian.description.writing.tags import Tag, document
from lagrangian.description.writing.turning import floats
from lagrangian.description.writing.written import Remarks, Written
from lagrangian.model import vector as v
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import Scalar
from lagrangian.model.joint import Friction, Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.spring import GravityCompensation, PointSpring

_GRAVITY = (0.0, 0.0, -9.81)  # of a model without a world
_CLOSED = 1e-9
_DRAKE = "http://drake.mit.edu"


def written(mechanism: Mechanism, *, start: Sequence[float] | None = None) -> Written:
    """The SDF of a mechanism. `start` closes its loops: joints of SDF are where the bodies are, so it is written in that pose."""
    return _Writer(mechanism, start).written()


class _Writer:
    def __init__(self, m: Mechanism, start: Sequence[float] | None) -> None:
        self.given = m
        self.remarks = Remarks("SDF")
        self.names = Names(self.remarks, NO_XML + ":", taken=("world", write_joint.MODEL))
        closed = m.neutral() if start is None else np.array(start, dtype=float)
        self.turned = bool(m.loops) and start is not None and open_by(m, m.neutral()) > _CLOSED
        self.offsets: dict[str, float] = {}
        self.m = self._reshaped(m, closed)
        self.version = "1.10"

    def written(self) -> Written:
        left_out.common(self.given, self.remarks)
        self._note_motion()
        name = Names(self.remarks, NO_XML + ":", taken=("world", write_joint.MODEL))("mechanism", self.given.name)
        model = Tag("model", name=name)
        joints = {j.name: self.names("joint", j.name) for j in self.m.joints if j.type != "free"}
        links = {GROUND: "world"} | {b.name: self.names("body", b.name) for b in self.m.bodies}
        self._links(model, joints, links)
        made = {
            j.name: write_joint.joint(j, joints[j.name], links[j.parent], links[j.child], self.remarks)
            for j in self.m.joints
            if j.type != "free"
        }
        self._couple(made, joints)
        model.add(*made.values())
        self._loops(model, links)
        self._springs(model, links)
        self._frames(model, links)
        root = Tag("sdf", version=self.version)
        if any(":" in tag.name for part in (model, *model.children) for tag in part.children):
            root.attributes["xmlns:drake"] = _DRAKE
        if self._in_world:
            self.remarks.add("gravity", "is written in the world around the model, which Drake ignores; set it in Drake")
            world = Tag("world", [value("gravity", tuple(self.given.gravity)), model], name=name)
            root.add(world)
        else:
            root.add(model)
        prefix = f"{model.attributes['name']}::" if self._in_world else ""
        return Written(
            "sdf",
            document(root),
            self.remarks.notes,
            self.remarks.warnings,
            coordinates=self._coordinates(joints, links, prefix),
            offsets=self.offsets,
        )

    @property
    def _in_world(self) -> bool:
        return tuple(map(float, self.given.gravity)) != _GRAVITY

    # -- the mechanism as SDF can have it ------------------------------------------------------------------------------

    def _reshaped(self, m: Mechanism, closed: np.ndarray) -> Mechanism:
        names = m.coordinate_names
        m = m.replace(constraints=(), poses={}, initial=Initial(), events=(), parameters={})
        m = m.replace(joints=tuple(_plain(joint) for joint in m.joints))
        m = split.split(m, self._parts)
        there = {j.child: floats(j.child_placement) for j in m.joints if j.type == "free"}
        for joint in m.joints:
            if joint.type == "free" and not (joint.placement.is_identity and there[joint.child].is_identity):
                meaning = (
                    "{has} the pose of the body in the world as {its} coordinates in SDF, not the pose in the frame of the joint"
                )
                self.remarks.add("free joint", meaning, joint.name)
            if joint.type == "free" and joint.friction != Friction():
                self.remarks.add(
                    "free joint", "{has} friction, which is left out because SDF has none there", joint.name, warn=True
                )
        m = moved(m, there)
        if not self.turned:
            return m
        values = dict(zip(names, closed.tolist(), strict=True))
        q = np.array([values[name] for name in m.coordinate_names])
        own = slices(m)
        for joint in m.joints:
            if joint.kind.nq == 1 and q[own[joint.name]][0]:
                self.offsets[joint.name] = float(q[own[joint.name]][0])
        meaning = "is written in the pose that closes its loops; the coordinates in SDF are zero there"
        self.remarks.add("the mechanism", meaning)
        self.closed_balls = {j.name for j in m.joints if j.type == "ball" and not np.array_equal(q[own[j.name]], j.kind.neutral)}
        return based(m, q)

    def _parts(self, joint: Joint) -> Sequence[Link]:
        if joint.type == "free" and (joint.parent != GROUND or self.given.loops):
            why = "on a moving body" if joint.parent != GROUND else "where loops would take its place"
            meaning = f"{{is}} written as three slides and a ball joint, because SDF has no free joints {why}"
            self.remarks.add("free joint", meaning, joint.name)
            return split.slides_and_ball(joint)
        if joint.type in ("gimbal", "planar") or (joint.type == "universal" and self.turned):
            meaning = "{is} written as joints with one coordinate each, with links of negligible mass between them"
            self.remarks.add(f"{joint.type} joint", meaning, joint.name)
            if joint.rubbing_plane:
                meaning = "{has} dry friction, which is written along each direction separately"
                self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
            return split.steps(joint)
        if joint.type not in write_joint.TYPES and joint.type != "free":
            return split.steps(joint) or screws.refuse(joint, "SDF")
        return ()

    # -- the file ------------------------------------------------------------------------------------------------------

    def _links(self, model: Tag, joints: dict[str, str], links: dict[str, str]) -> None:
        above = {joint.child: joint for joint in self.m.joints}
        least = least_mass(self.given, write_link.LEAST)
        lifted = {x.body for x in self.m.springs if isinstance(x, GravityCompensation) and float(x.factor) == 1}
        q0 = self.given.initial.q
        at = poses(self.given, np.array(q0, dtype=float)) if q0 is not None else {}
        for body in self.m.bodies:
            joint = above[body.name]
            if joint.type == "free":
                place = joint.placement
                if body.name in at:
                    given = next(j for j in self.given.joints if j.child == body.name)
                    place = Placement.from_matrix(at[body.name]) @ floats(given.child_placement)
                where = write_link.pose(place)
            else:
                where = write_link.pose(floats(joint.child_placement).inverse(), joints[joint.name])
            made = Tag("link", where, name=links[body.name])
            made.add(*([value("gravity", "false")] if body.name in lifted else []))
            made.add(write_link.inertial(body, least, self.remarks))
            model.add(made.add(*write_link.visuals(body, self.given.file, self.remarks)))

    def _couple(self, made: dict[str, Tag], joints: dict[str, str]) -> None:
        """Equations of two coordinates as axes that mimic others."""
        single = {j.name for j in self.m.joints if j.kind.nq == 1}
        followers: set[str] = set()
        for constraint in self.given.constraints:
            holonomic = isinstance(constraint, Holonomic) and not constraint.unilateral
            sides = affine(constraint.equation) if holonomic else None  # type: ignore[union-attr]
            names = list(sides[0]) if sides is not None else []
            free = [name for name in names if name not in followers]
            if sides is None or len(names) != 2 or not set(names) <= single or not free:
                left_out.constraint(constraint, self.remarks)
                continue
            follower = min(free, key=lambda name: self.m.joint(name).actuated)
            (leader,) = (name for name in names if name != follower)
            followers.add(follower)
            multiplier = -sides[0][leader] / sides[0][follower]
            offset = -sides[1] / sides[0][follower] + multiplier * self.offsets.get(leader, 0.0) - self.offsets.get(follower, 0.0)
            mimic = [value("multiplier", multiplier), value("offset", offset), value("reference", 0.0)]
            axis = next(child for child in made[follower].children if child.name == "axis")
            axis.add(Tag("mimic", mimic, joint=joints[leader]))
            self.version = "1.11"  # the first to have it

    def _loops(self, model: Tag, links: dict[str, str]) -> None:
        seen = Loops(self.m)
        at = poses(self.m, self.m.neutral()) if self.m.loops else {}
        for loop in self.m.loops:
            kind = "ball" if loop.type == "point" and (len(loop.directions) == 3 or seen.in_plane(loop)) else loop.type
            if kind == "distance":
                model.add(
                    _between(
                        "drake:distance_constraint",
                        links,
                        (loop.a, loop.a_placement.position),
                        (loop.b, loop.b_placement.position),
                        {"distance": loop.length},
                    )
                )
                self.remarks.add("loop", "{is} written by an extension of SDF that only Drake reads", loop.name, warn=True)
                continue
            if kind not in write_joint.LOOPS:
                left_out.loop(loop.name, loop.type, self.remarks)
                continue
            A, B = ((at[b] @ p.matrix())[:3, :3] for b, p in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
            model.add(write_joint.loop(loop, kind, self.names("loop", loop.name), links[loop.a], links[loop.b], A.T @ B))

    def _springs(self, model: Tag, links: dict[str, str]) -> None:
        for spring in self.m.springs:
            if isinstance(spring, GravityCompensation) and float(spring.factor) == 1:
                continue
            plain = isinstance(spring, PointSpring) and not spring.via and not float(spring.slack) and float(spring.rest) > 0
            if not isinstance(spring, PointSpring) or not plain:
                left_out.spring(spring, self.remarks)
                continue
            own = {"free_length": spring.rest, "stiffness": spring.stiffness, "damping": spring.damping}
            ends = (spring.a, spring.a_point), (spring.b, spring.b_point)
            model.add(_between("drake:linear_spring_damper", links, *ends, own))
            self.remarks.add("spring", "{is} written by an extension of SDF that only Drake reads", spring.name, warn=True)

    def _frames(self, model: Tag, links: dict[str, str]) -> None:
        for frame in self.m.frames:
            if frame.body == GROUND:
                self.remarks.add("frame", "{is} left out because frames of a model in SDF must be on its links", frame.name)
                continue
            name = self.names("frame", frame.name)
            model.add(Tag("frame", write_link.pose(floats(frame.placement)), name=name, attached_to=links[frame.body]))

    def _note_motion(self) -> None:
        initial = self.given.initial
        for name in self.given.poses:
            self.remarks.add("pose", "{is} left out because SDF has none", name)
        if initial.q is not None or initial.qd is not None:
            self.remarks.add("the start", "is left out because SDF has none; only the poses of free bodies are written")
        for speed, _ in initial.torque:
            self.remarks.add("joint", "{has} an initial torque, which is left out because SDF has no actuators", speed, warn=True)

    def _coordinates(self, joints: dict[str, str], links: dict[str, str], prefix: str) -> dict[str, str]:
        free = [joint for joint in self.m.joints if joint.type == "free"]
        found: dict[str, str] = {}
        for joint in self.m.joints:
            if joint.name in getattr(self, "closed_balls", ()):
                continue
            name = joints.get(joint.name, "root_joint" if len(free) == 1 else f"{links[joint.child]}::root_joint")
            if joint.type == "free" and not joint.placement.is_identity:
                continue
            found |= {c: prefix + name + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {ours: found[ours] for ours in self.given.coordinate_names if ours in found}


def _plain(joint: Joint) -> Joint:
    """A joint in numbers, and a cam that rises evenly as the screw that it is."""
    joint = replace(joint, placement=floats(joint.placement))
    if joint.type != "cam":
        return joint
    offset, slope = (*screws.advance(joint, 1, "SDF"), 0.0)[:2]
    if offset or not slope:
        return screws.refuse(joint, "SDF")
    return replace(joint, type="helical", own=(("axis", joint.axis), ("pitch", slope)))


def _between(tag: str, links: dict[str, str], a: tuple[str, v.Vector], b: tuple[str, v.Vector], own: dict[str, Scalar]) -> Tag:
    """One of Drake's elements between two points."""
    made = Tag(tag)
    for body, point, (name, at) in (("body_A", "p_AP", a), ("body_B", "p_BQ", b)):
        made.add(value(f"{tag}_{body}", links[name]), value(f"{tag}_{point}", tuple(at)))
    return made.add(*(value(f"{tag}_{key}", x) for key, x in own.items()))
