"""A mechanism as MuJoCo's XML (MJCF), in the pose in which its runs begin. What MJCF does not hold is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.description.mjcf import write_body, write_motion
from lagrangian.description.mjcf.write_held import Held
from lagrangian.description.writing import left_out, screws, split
from lagrangian.description.writing.inertia import least_mass, principal, substantial
from lagrangian.description.writing.moved import moved
from lagrangian.description.writing.names import Names
from lagrangian.description.writing.poses import poses, shift, slices
from lagrangian.description.writing.split import Link
from lagrangian.description.writing.tags import Tag, document
from lagrangian.description.writing.turning import floats
from lagrangian.description.writing.written import Remarks, Written
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Holonomic
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement

_LEAST = 2e-15  # kg, kg m^2: MuJoCo refuses moving bodies of 1e-15 and less
_SIMPLE = ("revolute", "continuous", "prismatic")
_KEPT = (*_SIMPLE, "fixed", "ball", "free")
_DEGREE = 4
_START = "initial"


def written(mechanism: Mechanism, *, start: Sequence[float] | None = None) -> Written:
    """The MJCF of a mechanism. `start` is the configuration in which it is written, and in which its loops are closed.

    It is that in which MuJoCo begins (qpos0), but for ball joints; without it, it is the mechanism's own, or the neutral one.
    """
    return _Writer(mechanism, start).written()


class _Writer:
    def __init__(self, m: Mechanism, start: Sequence[float] | None) -> None:
        self.given = m
        self.remarks = Remarks("MJCF")
        self.bodies = Names(self.remarks, taken=("world",))
        self.joints = Names(self.remarks)
        self.site_names = Names(self.remarks)
        self.advances: dict[str, tuple[str, tuple[float, ...]]] = {}  # of screws: the slide, by its turn
        self.m = self._reshaped(m)
        self.sites: dict[str, list[Tag]] = {}
        begin = m.initial.q if start is None else start
        self.q = self._spread(m.neutral() if begin is None else np.array(begin, dtype=float))
        self.begins = begin is not None
        self._lightest = least_mass(m, _LEAST)
        self.order: list[Joint] = []  # as they are in the file
        self.used = self._referred()

    def written(self) -> Written:
        left_out.common(self.given, self.remarks)
        names = {j.name: self.joints("joint", j.name) for j in self.m.joints}
        own = self._own
        single = {j.name: names[j.name] for j in self.m.joints if j.kind.nq == 1}
        values = {name: float(self.q[own[name]][0]) for name in single}
        held = Held(self.m, single, values, self._site, self.remarks)
        for frame in self.m.frames:
            self._site(frame.body, frame.placement, frame.name, "frame")
        written_at = poses(self.m, self._written_q)
        held.loops(written_at, poses(self.m, self.q))
        for follower, (leader, by) in self.advances.items():
            held.couple(follower, follower, leader, by)
        for constraint in self.given.constraints:
            if isinstance(constraint, Holonomic):
                held.constraint(constraint)
            else:
                left_out.constraint(constraint, self.remarks)
        for spring in self.m.springs:
            held.spring(spring)
        root = Tag("mujoco", model=self.given.name)
        root.add(Tag("compiler", angle="radian", autolimits="true", inertiafromgeom="false"))
        root.add(Tag("option", gravity=tuple(self.given.gravity)))
        world = Tag("worldbody", self.sites.get(GROUND, ()))
        self._tree(world, names, held.gravcomp)
        coordinates = {
            c: single[c] for j in self.given.joints if not j.kind.quaternion for c in j.coordinate_names if c in single
        }
        actuators = write_motion.actuators(self.given, coordinates, self.remarks)
        keys = self._keys()
        root.add(world, *(tag for tag in (held.tendon, held.equality, actuators, keys) if tag.children))
        return Written("mjcf", document(root), self.remarks.notes, self.remarks.warnings, coordinates=self._coordinates(names))

    # -- the mechanism as MJCF can have it -----------------------------------------------------------------------------

    def _reshaped(self, m: Mechanism) -> Mechanism:
        m = m.replace(constraints=(), poses={}, initial=Initial(), events=(), parameters={})
        m = m.replace(joints=tuple(replace(j, placement=floats(j.placement)) for j in m.joints))
        m = split.split(m, self._parts)
        there: dict[str, Placement] = {}
        for joint in m.joints:
            if joint.type in ("ball", "free"):
                at = floats(joint.child_placement)
                there[joint.child] = at if joint.type == "free" else write_body.axes(at)
                if not there[joint.child].is_identity and joint.child in self.given.body_index:
                    meaning = "{has} {its} frame at the joint in the file, so that the coordinates stay the same"
                    self.remarks.add("body", meaning, joint.child)
            if joint.type == "free" and not joint.placement.is_identity:
                meaning = "{has} the pose in the world as {its} coordinates in MuJoCo, not the pose in the frame of the joint"
                self.remarks.add("free joint", meaning, joint.name)
        return moved(m, there)

    def _parts(self, joint: Joint) -> Sequence[Link]:
        if joint.type == "free" and joint.parent != GROUND:
            meaning = "{is} written as three slides and a ball joint, because MuJoCo has free joints only on the world"
            self.remarks.add("free joint", meaning, joint.name)
            if joint.friction != type(joint.friction)():
                meaning = "{has} friction, of which the part of the slides is left out"
                self.remarks.add("free joint", meaning, joint.name, warn=True)
            return split.slides_and_ball(joint)
        if joint.type in _KEPT:
            return ()
        if chain := split.steps(joint):
            meaning = "{is} written as joints with one coordinate each, in one body"
            self.remarks.add(f"{joint.type} joint", meaning, joint.name)
            if joint.rubbing_plane:
                meaning = "{has} dry friction, which acts along each direction separately in MuJoCo"
                self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
            return chain
        by = screws.advance(joint, _DEGREE, "MJCF")
        chain = split.advancing(joint)
        self.advances[chain[1].name] = (joint.name, by)
        self.remarks.add(f"{joint.type} joint", "{is} written as a hinge and a slide that an equality couples", joint.name)
        return chain

    def _spread(self, q: np.ndarray) -> np.ndarray:
        """A configuration of what is written, by that of the mechanism."""
        given = dict(zip(self.given.coordinate_names, q.tolist(), strict=True))
        for slide, (turn, by) in self.advances.items():
            given[slide] = float(np.polynomial.Polynomial(by)(given[turn]))
        return np.array([given[name] for name in self.m.coordinate_names])

    def _spread_speeds(self, q: np.ndarray, qd: Any) -> np.ndarray:
        given: dict[str, float] = {}
        at = dict(zip(self.given.speed_names, qd, strict=True))
        for joint in self.given.joints:
            names = joint.speed_names if joint.kind.quaternion else joint.coordinate_names
            given |= dict(zip(names, (float(at[speed]) for speed in joint.speed_names), strict=True))
            given |= {f"{joint.name}.p{x}": given.get(f"{joint.name}.v{x}", 0.0) for x in "xyz"}
        values = dict(zip(self.given.coordinate_names, q, strict=True))
        for slide, (turn, by) in self.advances.items():
            given[slide] = float(np.polynomial.Polynomial(by).deriv()(values[turn])) * given[turn]
        return np.array([given[name] for name in self.m.speed_names])

    @cached_property
    def _own(self) -> dict[str, slice]:
        return slices(self.m)

    @cached_property
    def _written_q(self) -> np.ndarray:
        """As the file has it: a ball joint has no other pose to be written in than the neutral one."""
        q, own = self.q.copy(), self._own
        for joint in self.m.joints:
            if joint.type == "ball":
                q[own[joint.name]] = joint.kind.neutral
        return q

    # -- the tree ------------------------------------------------------------------------------------------------------

    def _site(self, body: str, at: Placement, name: str, part: str = "") -> str:
        label = self.site_names(part, name) if part else self.site_names.new(name)
        self.sites.setdefault(body, []).append(Tag("site", name=label, **write_body.pose(floats(at))))
        return label

    def _referred(self) -> set[str]:
        """Bodies to which something is fixed, which must not vanish in a body with several joints."""
        found = {x for loop in self.m.loops for x in (loop.a, loop.b)} | {frame.body for frame in self.m.frames}
        for spring in self.m.springs:
            found |= {body for body, _ in getattr(spring, "points", ())}
        return found

    def _tree(self, world: Tag, names: dict[str, str], gravcomp: dict[str, float]) -> None:
        children: dict[str, list[Joint]] = {}
        for joint in self.m.joints:
            children.setdefault(joint.parent, []).append(joint)
        waiting = [(joint, world) for joint in reversed(children.get(GROUND, []))]
        while waiting:
            joint, around = waiting.pop()
            chain = [joint]
            while self._passes(chain[-1], children):
                chain.append(children[chain[-1].child][0])
            made = self._body(chain, names, gravcomp)
            around.add(made)
            waiting += [(inner, made) for inner in reversed(children.get(chain[-1].child, []))]

    def _passes(self, joint: Joint, children: dict[str, list[Joint]]) -> bool:
        """Whether the body that a joint moves is nothing but the place of the next joint."""
        body, inner = self.m.body(joint.child), children.get(joint.child, [])
        empty = not body.visuals and not any(float(x) for x in (body.mass, *body.inertia)) and body.name not in self.used
        return joint.type in _SIMPLE and empty and len(inner) == 1 and inner[0].type in (*_SIMPLE, "ball")

    def _body(self, chain: Sequence[Joint], names: dict[str, str], gravcomp: dict[str, float]) -> Tag:
        q, own = self._written_q, self._own
        steps = [
            joint.placement.matrix() @ shift(joint, q[own[joint.name]]) @ joint.child_placement.inverse().matrix()
            for joint in chain
        ]
        body = self.m.body(chain[-1].child)
        at = np.linalg.multi_dot([np.eye(4), np.eye(4), *steps])
        made = Tag("body", name=self.bodies("body", body.name), **write_body.pose(at), gravcomp=gravcomp.get(body.name))
        moves = any(joint.kind.nv for joint in chain)
        mass = substantial(body, _LEAST, self._lightest, self.remarks) if moves else principal(body)
        if mass.mass or any(mass.moments):
            made.add(write_body.inertial(body, mass))
        behind = np.eye(4)  # from the body that a joint moves to the last one
        for joint, step in zip(reversed(chain), reversed(steps), strict=True):
            if joint.kind.nv:
                frame = np.linalg.inv(behind) @ joint.child_placement.matrix()
                ref = float(q[own[joint.name]][0]) if joint.kind.nq == 1 else 0.0
                made.children.insert(0, write_body.joint(joint, names[joint.name], frame, ref, self.remarks))
            behind = step @ behind
        self.order += [joint for joint in chain if joint.kind.nv]
        return made.add(*self.sites.get(body.name, ()), *write_body.geoms(body, self.remarks))

    # -- how it begins -------------------------------------------------------------------------------------------------

    def _keys(self) -> Tag:
        keys = write_motion.Keys(self.order, self.m)
        taken = Names(self.remarks)
        speeds = self.given.initial.qd
        moving = speeds is not None and any(float(x) for x in speeds)
        if self.begins and (moving or any(joint.type == "ball" for joint in self.order)):
            q = np.array([self.q[self.m.coordinate_names.index(name)] for name in self.given.coordinate_names])
            qd = None if speeds is None else self._spread_speeds(q, speeds)
            keys.add(taken.new(_START), self.q, qd)
            meaning = f"is the keyframe {_START!r}; choose it when you read the file: load(path, keyframe={_START!r})"
            self.remarks.add("the start", meaning)
        for name, pose in self.given.poses.items():
            keys.add(taken("pose", name), self._spread(np.array(pose, dtype=float)), None)
        return keys.made

    def _coordinates(self, names: dict[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for joint in self.m.joints:
            if joint.name not in self.advances and not (joint.type == "free" and not joint.placement.is_identity):
                found |= {c: names[joint.name] + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {ours: found[ours] for ours in self.given.coordinate_names if ours in found}
