"""Write a mechanism as URDF: its tree, and its loops as elements of URDF+ or in a YAML file beside the URDF.

Notes say what URDF cannot hold, and what is written in another form.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lagrangian.description import notes
from lagrangian.description.joint_properties import friction_coefficients, has_limits, write_bound
from lagrangian.description.notes import Conversion, WriterNotes
from lagrangian.description.unique_names import NO_XML, UniqueNames
from lagrangian.description.urdf.write_link import write_link, write_origin
from lagrangian.description.writing import expressible
from lagrangian.description.writing.expressible import ChainJoint, affine_coefficients, with_body_frames
from lagrangian.description.writing.loops import AXIS_SPACING, SampledLoops
from lagrangian.description.writing.numbers import numeric_placement
from lagrangian.description.xml import Tag, to_xml
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint, JointSpring, Rotor
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform, rotation_z_to

_GRAVITY = 9.81  # m/s^2: what every reader of URDF assumes
LOOPS = ("urdf+", "yaml")
_SUPPORTED_TYPES = ("revolute", "continuous", "prismatic", "fixed", "free", "planar")
_JOINT_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "free": "floating",
    "planar": "planar",
}
_LOOP_TYPES = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "planar": "planar",
    "ball": "spherical",
    "fixed": "fixed",
}


def convert(mechanism: Mechanism, *, loops: str | bool = "urdf+") -> Conversion:
    """The URDF of a mechanism. `loops` are written as elements of URDF+ ("urdf+"), in a YAML file ("yaml"), or not (False)."""
    if loops not in (*LOOPS, False):
        remedy = "False leaves the loops out"
        raise ArgumentError(unknown_name_message("way to write loops", loops, LOOPS), concerns="loops", remedy=remedy)
    return _UrdfWriter(mechanism, loops).to_urdf()


class _UrdfWriter:
    def __init__(self, mechanism: Mechanism, loops: str | bool) -> None:
        self.original, self.loop_format = mechanism, loops
        self.remarks = WriterNotes("URDF")
        self.link_names = UniqueNames(self.remarks, NO_XML + "$")
        self.joint_names = UniqueNames(self.remarks, NO_XML + "$")
        self.ball_joints = [j.name for j in mechanism.joints if j.type == "ball"] if loops == "yaml" else []
        self.screw_slopes: dict[str, tuple[float, float]] = {}  # of the slides of screws: slope and offset
        self.mechanism = self._make_expressible(mechanism)
        self.mimics = self._mimic_couplings()
        self.root, self.link_of_body = "", dict[str, str]()

    def to_urdf(self) -> Conversion:
        notes.note_unsupported(self.original, self.remarks)
        self._note_motion()
        robot = Tag("robot", name=self.original.name)
        omitted_joint = self._write_ground(robot)
        for body in self.mechanism.bodies:
            robot.add(write_link(body, self.link_of_body[body.name], self.original.file, self.remarks))
        for frame in self.mechanism.frames:
            self._write_frame(robot, self.link_names.name_for("frame", frame.name), frame.body, frame.placement)
        for joint in self.mechanism.joints:
            if joint is not omitted_joint:
                robot.add(self._write_tree_joint(joint))
        extra_files = self._write_loops(robot)
        return Conversion(
            "urdf",
            to_xml(robot),
            self.remarks.notes,
            self.remarks.warnings,
            extra_files,
            self._coordinate_names(),
        )

    # -- the mechanism as URDF can have it -----------------------------------------------------------------------------

    def _make_expressible(self, mechanism: Mechanism) -> Mechanism:
        for spring in mechanism.springs:
            notes.note_spring(spring, self.remarks)
        holonomic = tuple(c for c in mechanism.constraints if isinstance(c, HolonomicConstraint))
        for constraint in mechanism.constraints:
            if constraint not in holonomic:
                notes.note_constraint(constraint, self.remarks)
        mechanism = mechanism.replace(springs=(), constraints=(), poses={}, initial=InitialState(), events=(), parameters={})
        mechanism = mechanism.replace(
            joints=tuple(replace(j, placement=numeric_placement(j.placement)) for j in mechanism.joints)
        )
        mechanism = expressible.split_joints(mechanism, self._joint_chain)
        mechanism = mechanism.replace(joints=tuple(_with_normal_along_z(joint) for joint in mechanism.joints))
        body_frames = {j.child: numeric_placement(j.child_placement) for j in mechanism.joints if j.type != "fixed"}
        for body, placement in body_frames.items():
            if not placement.is_identity and body in self.original.body_index:
                self.remarks.add("body", "{has} {its} frame at the joint in the file, as links of URDF have", body)
        return with_body_frames(mechanism, body_frames)

    def _joint_chain(self, joint: Joint) -> Sequence[ChainJoint]:
        if joint.type in _SUPPORTED_TYPES or joint.name in self.ball_joints:
            return ()
        if chain := expressible.single_coordinate_chain(joint):
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
            return expressible.yaw_pitch_roll_chain(joint)
        return self._screw_chain(joint)

    def _screw_chain(self, joint: Joint) -> Sequence[ChainJoint]:
        """A rotation, and a slide that mimics it."""
        offset, slope = (*expressible.advance_coefficients(joint, 1, "URDF"), 0.0)[:2]
        chain = expressible.screw_chain(joint)
        self.screw_slopes[chain[1].name] = (slope, offset)
        meaning = "{is} written as a rotation and a slide that mimics it; read the file with mimic=True to couple them"
        self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
        return chain

    def _mimic_couplings(self) -> dict[str, tuple[str, float, float]]:
        """The leader, the multiplier and the offset of each joint that mimics another, by the follower's name."""
        scalar_joints = {j.name for j in self.mechanism.joints if j.kind.nq == 1}
        couplings = {
            name: (name.removesuffix(".advance"), *slope_and_offset) for name, slope_and_offset in self.screw_slopes.items()
        }
        for constraint in self.original.constraints:
            if not isinstance(constraint, HolonomicConstraint):
                continue
            linear_form = None if constraint.unilateral else affine_coefficients(constraint.equation)
            names = list(linear_form[0]) if linear_form is not None else []
            free = [name for name in names if name in scalar_joints and name not in couplings]
            leaders = {leader for leader, _, _ in couplings.values()}
            if linear_form is None or len(names) != 2 or not all(name in scalar_joints for name in names) or not free:
                notes.note_constraint(constraint, self.remarks)
                continue
            motors = {j.name for j in self.mechanism.joints if j.actuated}
            follower = min(free, key=lambda name: (name in leaders, name in motors))
            (leader,) = (name for name in names if name != follower)
            coefficients, constant = linear_form
            couplings[follower] = (leader, -coefficients[leader] / coefficients[follower], -constant / coefficients[follower])
            meaning = "{is} written by <mimic>; read the file with mimic=True to apply it"
            self.remarks.add("constraint", meaning, constraint.name, warn=True)
        return couplings

    # -- the file ------------------------------------------------------------------------------------------------------

    def _write_ground(self, robot: Tag) -> Joint | None:
        """Write the root link for the ground. If a body itself is the root, return its joint, which is then not written."""
        rotation = self._gravity_rotation()
        roots = [joint for joint in self.mechanism.joints if joint.parent == GROUND]
        is_held = len(roots) == 1 and roots[0].type == "fixed" and rotation.is_identity
        if is_held and (roots[0].placement @ roots[0].child_placement.inverse()).is_identity:
            self.link_of_body = {body.name: self.link_names.name_for("body", body.name) for body in self.mechanism.bodies}
            self.link_of_body[GROUND] = self.link_of_body[roots[0].child]
            return roots[0]
        self.link_of_body = {GROUND: self.link_names.free_name("world")}
        self.link_of_body |= {body.name: self.link_names.name_for("body", body.name) for body in self.mechanism.bodies}
        robot.add(Tag("link", name=self.link_of_body[GROUND]))
        if not rotation.is_identity:
            world, self.link_of_body[GROUND] = self.link_of_body[GROUND], self.link_names.free_name("turned_ground")
            robot.add(Tag("link", name=self.link_of_body[GROUND]))
            robot.add(self._fixed_joint(world, self.link_of_body[GROUND], rotation))
        return None

    def _gravity_rotation(self) -> Transform:
        """The rotation of the ground that puts gravity along -z of the root link, where readers of URDF have it."""
        gravity = tuple(float(x) for x in self.original.gravity)
        magnitude = math.hypot(*gravity)
        if abs(magnitude - _GRAVITY) > 1e-12:
            meaning = f"is {magnitude:g} m/s^2, which URDF cannot express: programs assume {_GRAVITY} m/s^2, so set it there"
            self.remarks.add("gravity", meaning, warn=True)
        if not magnitude or (gravity[:2] == (0.0, 0.0) and gravity[2] < 0):
            return Transform()
        self.remarks.add("the ground", "is rotated relative to the root link, so that gravity is along -z of the root link")
        up: v.Vector = tuple(-x / magnitude + 0.0 for x in gravity)  # type: ignore[assignment]
        return Transform(v.transpose(rotation_z_to(up)))

    def _write_tree_joint(self, joint: Joint) -> Tag:
        element = _write_joint(
            joint,
            self.joint_names.name_for("joint", joint.name),
            self.link_of_body[joint.parent],
            self.link_of_body[joint.child],
            self.remarks,
        )
        if joint.name in self.ball_joints:  # its type is in the YAML file; it has neither an axis nor limits
            element.attributes["type"] = "continuous"
            element.children = [child for child in element.children if child.name in ("origin", "parent", "child")]
        if joint.name in self.mimics:
            leader, multiplier, offset = self.mimics[joint.name]
            element.add(Tag("mimic", joint=self.joint_names.name_for("joint", leader), multiplier=multiplier, offset=offset))
        return element

    def _fixed_joint(self, parent: str, child: str, placement: Transform) -> Tag:
        name = self.joint_names.free_name(f"{child}_fixed")
        return Tag(
            "joint", [*write_origin(placement), Tag("parent", link=parent), Tag("child", link=child)], name=name, type="fixed"
        )

    def _write_frame(self, robot: Tag, name: str, body: str, placement: Transform) -> None:
        robot.add(Tag("link", name=name), self._fixed_joint(self.link_of_body[body], name, numeric_placement(placement)))

    def _write_loops(self, robot: Tag) -> dict[str, str]:
        if self.loop_format is False:
            for loop in self.mechanism.loops:
                self.remarks.add("loop", "{is} left out because loops=False: the tree stays open", loop.name, warn=True)
        if self.loop_format == "urdf+":
            robot.add(*_write_loop_elements(self.mechanism, self.link_of_body, self.joint_names, self.remarks))
        if self.loop_format != "yaml":
            return {}
        content = _loop_file_content(self.mechanism, self.link_names.free_name, self.remarks)
        for name, body, placement in content.frames:
            self._write_frame(robot, name, body, placement)
        for loop in self.mechanism.loops:
            self.remarks.add("loop", "{is} in the YAML file beside the URDF", loop.name)
        motors = [
            self.joint_names.name_for("joint", j.name)
            for j in self.mechanism.joints
            if j.actuated and j.kind.nv and j.name not in self.mimics
        ]
        return {".yaml": content.to_yaml(motors, [self.joint_names.name_for("joint", name) for name in self.ball_joints])}

    def _note_motion(self) -> None:
        initial = self.original.initial
        for name in self.original.poses:
            self.remarks.add("pose", "{is} left out because URDF has none", name)
        if initial.q is not None or initial.qd is not None:
            self.remarks.add("the start", "is left out because URDF has none")
        for speed, _ in initial.torque:
            self.remarks.add(
                "joint", "{has} an initial torque, which is left out because URDF has no actuators", speed, warn=True
            )

    def _coordinate_names(self) -> dict[str, str]:
        file_names: dict[str, str] = {}
        for joint in self.mechanism.joints:
            name = self.joint_names.name_for("joint", joint.name)
            if joint.name not in self.screw_slopes:
                file_names |= {c: name + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {coordinate: file_names[coordinate] for coordinate in self.original.coordinate_names if coordinate in file_names}


def _with_normal_along_z(joint: Joint) -> Joint:
    """A planar joint with its normal along z, which all programs can read."""
    if joint.type != "planar":
        return joint
    rotation = Transform(rotation_z_to(joint.axis))
    return replace(
        joint,
        placement=joint.placement @ rotation,
        child_placement=joint.child_placement @ rotation,
        type_entries=(("axis", v.Z),),
    )


# -- joints --------------------------------------------------------------------------------------------------------------


def _write_joint(joint: Joint, name: str, parent: str, child: str, remarks: WriterNotes) -> Tag:
    """A joint, which in URDF is at the frame of the link that it moves."""
    kind = _JOINT_TYPES.get(joint.type, "fixed")
    if kind in ("revolute", "continuous"):
        kind = "revolute" if has_limits(joint) else "continuous"
    element = Tag("joint", name=name, type=kind)
    element.add(*write_origin(joint.placement @ joint.child_placement.inverse()))
    element.add(Tag("parent", link=parent), Tag("child", link=child))
    if kind == "fixed":
        return element
    if joint.axes:
        element.add(Tag("axis", xyz=tuple(joint.axis)))
    viscous, dry = friction_coefficients(joint, remarks)
    if viscous or dry:
        element.add(Tag("dynamics", damping=viscous, friction=dry))
    _note_left_out(joint, kind, remarks)
    return element.add(*_write_limit(joint, kind))


def _note_left_out(joint: Joint, kind: str, remarks: WriterNotes) -> None:
    if joint.rotor != Rotor() and float(joint.rotor.inertia):
        remarks.add("joint", "{has} a rotor, whose inertia is left out because URDF has no rotors", joint.name, warn=True)
    if joint.spring != JointSpring() and float(joint.spring.stiffness):
        remarks.add("joint", "{has} a spring, which is left out because URDF has no springs", joint.name, warn=True)
    if kind == "planar" and has_limits(joint):
        remarks.add(
            "planar joint", "{has} limits of position, which are left out because planar joints of URDF have none", joint.name
        )
    if not joint.actuated and kind != "floating":
        remarks.add("joint", "{has} no motor, which URDF cannot express", joint.name)


def _write_limit(joint: Joint, kind: str) -> list[Tag]:
    limits = joint.limits
    bounds = {"effort": write_bound(limits.effort), "velocity": write_bound(limits.speed)}
    if kind in ("revolute", "prismatic"):
        return [Tag("limit", lower=write_bound(limits.lower), upper=write_bound(limits.upper), **bounds)]
    return [Tag("limit", **bounds)] if math.isfinite(min(limits.effort, limits.speed)) else []


# -- loops ---------------------------------------------------------------------------------------------------------------


def _write_loop_elements(
    m: Mechanism, link_of_body: Mapping[str, str], joint_names: UniqueNames, remarks: WriterNotes
) -> list[Tag]:
    """The <loop> elements of URDF+."""
    sampled_loops, tags = SampledLoops(m), []
    for loop in m.loops:
        urdf_type = _LOOP_TYPES.get(sampled_loops.effective_type(loop))
        if urdf_type is None:
            notes.note_loop(loop.name, loop.type, remarks)
            continue
        ends = [
            Tag("predecessor", write_origin(loop.a_placement), link=link_of_body[loop.a]),
            Tag("successor", write_origin(loop.b_placement), link=link_of_body[loop.b]),
        ]
        axis = [Tag("axis", xyz=tuple(loop.axis))] if urdf_type in ("revolute", "prismatic", "cylindrical", "planar") else []
        tags.append(Tag("loop", [*ends, *axis], name=joint_names.name_for("loop", loop.name), type=urdf_type))
        meaning = "{is} written by <loop> of URDF+: programs that do not read URDF+, such as Pinocchio, see an open tree"
        remarks.add("loop", meaning, loop.name, warn=True)
    return tags


@dataclass
class _LoopFileContent:
    """The entries of the YAML file, and the frames that it names, which need links of their own."""

    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    frames: list[tuple[str, str, Transform]] = field(default_factory=list)  # name, body, placement

    def to_yaml(self, motors: Iterable[str], balls: Iterable[str]) -> str:
        balls = list(balls)
        rows = {
            "closed_loop": [[a, b] for a, b, _ in self.pairs],
            "type": [joint_type for _, _, joint_type in self.pairs],
            "name_mot": list(motors),
            **({"joint_name": balls, "joint_type": ["SPHERICAL"] * len(balls)} if balls else {}),
        }
        return "".join(f"{key}: {json.dumps(row, ensure_ascii=False)}\n" for key, row in rows.items())


def _loop_file_content(m: Mechanism, free_name: Callable[[str], str], remarks: WriterNotes) -> _LoopFileContent:
    """The entries of the YAML file: frames that are welded ("6d"), and points that coincide ("3d")."""
    sampled_loops, content = SampledLoops(m), _LoopFileContent()
    for loop in m.loops:
        match sampled_loops.effective_type(loop):
            case "fixed":
                _add_frame_pair(content, loop, "6d", v.ZERO, "", free_name)
            case "ball":
                _add_frame_pair(content, loop, "3d", v.ZERO, "", free_name)
            case "revolute":
                _add_frame_pair(content, loop, "3d", v.ZERO, "", free_name)
                if not sampled_loops.has_parallel_axes(loop):  # else one point is enough, as in a plane
                    _add_frame_pair(content, loop, "3d", v.scale(AXIS_SPACING, loop.axis), "_axis", free_name)
            case loop_type:
                notes.note_loop(loop.name, loop_type, remarks)
    return content


def _add_frame_pair(
    content: _LoopFileContent, loop: LoopJoint, joint_type: str, position: v.Vector, suffix: str, free_name: Callable[[str], str]
) -> None:
    a, b = (free_name(f"{loop.name}{suffix}_{end}") for end in "ab")
    offset = Transform(position=position)
    content.frames += [(a, loop.a, loop.a_placement @ offset), (b, loop.b, loop.b_placement @ offset)]
    content.pairs.append((a, b, joint_type))
