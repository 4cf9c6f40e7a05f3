"""A mechanism as URDF: the tree, and loops by URDF+ or in a YAML file. What URDF does not hold is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from lagrangian.description.urdf import write_loops
from lagrangian.description.urdf.write_joint import joint as written_joint
from lagrangian.description.urdf.write_link import link as written_link
from lagrangian.description.urdf.write_link import origin
from lagrangian.description.writing import left_out, screws, split
from lagrangian.description.writing.formulas import affine
from lagrangian.description.writing.moved import moved
from lagrangian.description.writing.names import NO_XML, Names
from lagrangian.description.writing.split import Link
from lagrangian.description.writing.tags import Tag, document
from lagrangian.description.writing.turning import floats
from lagrangian.description.writing.written import Remarks, Written
from lagrangian.errors import ArgumentError, one_of
from lagrangian.model import vector as v
from lagrangian.model.configuration import Initial
from lagrangian.model.constraint import Holonomic
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Placement, turn_z_to

_GRAVITY = 9.81  # m/s^2, which every reader of URDF takes
LOOPS = ("urdf+", "yaml")
_KEPT = ("revolute", "continuous", "prismatic", "fixed", "free", "planar")


def written(mechanism: Mechanism, *, loops: str | bool = "urdf+") -> Written:
    """The URDF of a mechanism. `loops` says how they are written: "urdf+", "yaml" for a file beside it, False not at all."""
    if loops not in (*LOOPS, False):
        raise ArgumentError(one_of("way to write loops", loops, LOOPS), concerns="loops")
    return _Writer(mechanism, loops).written()


class _Writer:
    def __init__(self, m: Mechanism, loops: str | bool) -> None:
        self.given, self.how = m, loops
        self.remarks = Remarks("URDF")
        self.links = Names(self.remarks, NO_XML + "$")
        self.joints = Names(self.remarks, NO_XML + "$")
        self.balls = [j.name for j in m.joints if j.type == "ball"] if loops == "yaml" else []
        self.slopes: dict[str, tuple[float, float]] = {}  # of screws, by the joints that follow them
        self.m = self._reshaped(m)
        self.mimics = self._mimics()
        self.root, self.names = "", dict[str, str]()

    def written(self) -> Written:
        left_out.common(self.given, self.remarks)
        self._note_motion()
        robot = Tag("robot", name=self.given.name)
        omitted = self._ground(robot)
        for body in self.m.bodies:
            robot.add(written_link(body, self.names[body.name], self.given.file, self.remarks))
        for frame in self.m.frames:
            self._frame(robot, self.links("frame", frame.name), frame.body, frame.placement)
        for joint in self.m.joints:
            if joint is not omitted:
                robot.add(self._joint(joint))
        beside = self._loops(robot)
        return Written(
            "urdf",
            document(robot),
            self.remarks.notes,
            self.remarks.warnings,
            beside,
            self._coordinates(),
        )

    # -- the mechanism as URDF can have it -----------------------------------------------------------------------------

    def _reshaped(self, m: Mechanism) -> Mechanism:
        for spring in m.springs:
            left_out.spring(spring, self.remarks)
        kept = tuple(c for c in m.constraints if isinstance(c, Holonomic))
        for constraint in m.constraints:
            if constraint not in kept:
                left_out.constraint(constraint, self.remarks)
        m = m.replace(springs=(), constraints=(), poses={}, initial=Initial(), events=(), parameters={})
        m = m.replace(joints=tuple(replace(j, placement=floats(j.placement)) for j in m.joints))
        m = split.split(m, self._parts)
        m = m.replace(joints=tuple(_upright(joint) for joint in m.joints))
        there = {j.child: floats(j.child_placement) for j in m.joints if j.type != "fixed"}
        for body, at in there.items():
            if not at.is_identity and body in self.given.body_index:
                self.remarks.add("body", "{has} {its} frame at the joint in the file, as links of URDF have", body)
        return moved(m, there)

    def _parts(self, joint: Joint) -> Sequence[Link]:
        if joint.type in _KEPT or joint.name in self.balls:
            return ()
        if chain := split.steps(joint):
            self.remarks.add(f"{joint.type} joint", "{is} written as a chain of joints with one coordinate each", joint.name)
            return chain
        if joint.type == "ball":
            meaning = (
                "{is} written as three joints about z, y and x (yaw, pitch and roll), which are singular at a pitch of "
                'a quarter turn; loops="yaml" writes {it} as SPHERICAL in a file beside the URDF'
            )
            self.remarks.add("ball joint", meaning, joint.name, warn=True)
            if any(float(x) for x in (joint.friction.viscous, *joint.friction.breakaway)):
                meaning = "{has} friction, which is left out because it acts along the axes of the body, not on the angles"
                self.remarks.add("ball joint", meaning, joint.name, warn=True)
            if float(joint.rotor.inertia) or float(joint.spring.stiffness):
                meaning = "{has} a rotor or a spring, which is left out because URDF has none"
                self.remarks.add("ball joint", meaning, joint.name, warn=True)
            return split.angles(joint)
        return self._screw(joint)

    def _screw(self, joint: Joint) -> Sequence[Link]:
        """A turn and a slide that mimics it."""
        offset, slope = (*screws.advance(joint, 1, "URDF"), 0.0)[:2]
        chain = split.advancing(joint)
        self.slopes[chain[1].name] = (slope, offset)
        meaning = "{is} written as a rotation and a slide that mimics it; read the file with mimic=True to couple them"
        self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
        return chain

    def _mimics(self) -> dict[str, tuple[str, float, float]]:
        """Followers, each with its leader, a multiplier and an offset."""
        single = {j.name for j in self.m.joints if j.kind.nq == 1}
        found = {name: (name.removesuffix(".advance"), *by) for name, by in self.slopes.items()}
        for constraint in self.given.constraints:
            if not isinstance(constraint, Holonomic):
                continue
            sides = None if constraint.unilateral else affine(constraint.equation)
            names = list(sides[0]) if sides is not None else []
            free = [name for name in names if name in single and name not in found]
            leaders = {leader for leader, _, _ in found.values()}
            if sides is None or len(names) != 2 or not all(name in single for name in names) or not free:
                left_out.constraint(constraint, self.remarks)
                continue
            motors = {j.name for j in self.m.joints if j.actuated}
            follower = min(free, key=lambda name: (name in leaders, name in motors))
            (leader,) = (name for name in names if name != follower)
            c, added = sides
            found[follower] = (leader, -c[leader] / c[follower], -added / c[follower])
            meaning = "{is} written by <mimic>; read the file with mimic=True to apply it"
            self.remarks.add("constraint", meaning, constraint.name, warn=True)
        return found

    # -- the file ------------------------------------------------------------------------------------------------------

    def _ground(self, robot: Tag) -> Joint | None:
        """The root link, which stands for the ground; and the joint that is not written, where a body is the root itself."""
        turned = self._turned()
        roots = [joint for joint in self.m.joints if joint.parent == GROUND]
        held = len(roots) == 1 and roots[0].type == "fixed" and turned.is_identity
        if held and (roots[0].placement @ roots[0].child_placement.inverse()).is_identity:
            self.names = {body.name: self.links("body", body.name) for body in self.m.bodies}
            self.names[GROUND] = self.names[roots[0].child]
            return roots[0]
        self.names = {GROUND: self.links.new("world")}
        self.names |= {body.name: self.links("body", body.name) for body in self.m.bodies}
        robot.add(Tag("link", name=self.names[GROUND]))
        if not turned.is_identity:
            world, self.names[GROUND] = self.names[GROUND], self.links.new("turned_ground")
            robot.add(Tag("link", name=self.names[GROUND]))
            robot.add(self._weld(world, self.names[GROUND], turned))
        return None

    def _turned(self) -> Placement:
        """How the ground is turned so that gravity is along -z of the root link, where readers of URDF have it."""
        pull = tuple(float(x) for x in self.given.gravity)
        size = math.hypot(*pull)
        if abs(size - _GRAVITY) > 1e-12:
            meaning = f"is {size:g} m/s^2, which URDF cannot express: programs assume {_GRAVITY} m/s^2, so set it there"
            self.remarks.add("gravity", meaning, warn=True)
        if not size or (pull[:2] == (0.0, 0.0) and pull[2] < 0):
            return Placement()
        self.remarks.add("the ground", "is rotated relative to the root link, so that gravity is along -z of the root link")
        up: v.Vector = tuple(-x / size + 0.0 for x in pull)  # type: ignore[assignment]
        return Placement(v.transpose(turn_z_to(up)))

    def _joint(self, joint: Joint) -> Tag:
        made = written_joint(
            joint, self.joints("joint", joint.name), self.names[joint.parent], self.names[joint.child], self.remarks
        )
        if joint.name in self.balls:  # the YAML file says what it is; it has neither an axis nor limits
            made.attributes["type"] = "continuous"
            made.children = [child for child in made.children if child.name in ("origin", "parent", "child")]
        if joint.name in self.mimics:
            leader, multiplier, offset = self.mimics[joint.name]
            made.add(Tag("mimic", joint=self.joints("joint", leader), multiplier=multiplier, offset=offset))
        return made

    def _weld(self, parent: str, child: str, at: Placement) -> Tag:
        name = self.joints.new(f"{child}_fixed")
        return Tag("joint", [*origin(at), Tag("parent", link=parent), Tag("child", link=child)], name=name, type="fixed")

    def _frame(self, robot: Tag, name: str, body: str, at: Placement) -> None:
        robot.add(Tag("link", name=name), self._weld(self.names[body], name, floats(at)))

    def _loops(self, robot: Tag) -> dict[str, str]:
        if self.how is False:
            for loop in self.m.loops:
                self.remarks.add("loop", "{is} left out because loops=False: the tree stays open", loop.name, warn=True)
        if self.how == "urdf+":
            robot.add(*write_loops.elements(self.m, self.names.__getitem__, self.joints, self.remarks))
        if self.how != "yaml":
            return {}
        beside = write_loops.beside(self.m, self.links.new, self.remarks)
        for name, body, at in beside.frames:
            self._frame(robot, name, body, at)
        for loop in self.m.loops:
            self.remarks.add("loop", "{is} in the YAML file beside the URDF", loop.name)
        motors = [self.joints("joint", j.name) for j in self.m.joints if j.actuated and j.kind.nv and j.name not in self.mimics]
        return {".yaml": beside.text(motors, [self.joints("joint", name) for name in self.balls])}

    def _note_motion(self) -> None:
        initial = self.given.initial
        for name in self.given.poses:
            self.remarks.add("pose", "{is} left out because URDF has none", name)
        if initial.q is not None or initial.qd is not None:
            self.remarks.add("the start", "is left out because URDF has none")
        for speed, _ in initial.torque:
            self.remarks.add(
                "joint", "{has} an initial torque, which is left out because URDF has no actuators", speed, warn=True
            )

    def _coordinates(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for joint in self.m.joints:
            name = self.joints("joint", joint.name)
            if joint.name not in self.slopes:
                found |= {c: name + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {ours: found[ours] for ours in self.given.coordinate_names if ours in found}


def _upright(joint: Joint) -> Joint:
    """A planar joint with z as its normal, in which alone all programs have it."""
    if joint.type != "planar":
        return joint
    turn = Placement(turn_z_to(joint.axis))
    return replace(joint, placement=joint.placement @ turn, child_placement=joint.child_placement @ turn, own=(("axis", v.Z),))
