"""Write a mechanism as SDF (SDFormat): a model, in a world if its gravity is not that of SDF.

Notes say what SDF cannot hold, and what is written in another form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.description import notes
from lagrangian.description.files import absolute_mesh_path
from lagrangian.description.joint_properties import friction_coefficients
from lagrangian.description.notes import Conversion, WriterNotes
from lagrangian.description.unique_names import NO_XML, UniqueNames
from lagrangian.description.writing import expressible
from lagrangian.description.writing.expressible import ChainJoint, affine_coefficients, with_body_frames, with_zero_at
from lagrangian.description.writing.loops import SampledLoops, body_poses, loop_error, q_slices
from lagrangian.description.writing.numbers import (
    inertia_tensor,
    minimum_mass,
    numeric_placement,
    principal_inertia,
    quaternion_wxyz,
    with_minimum_inertia,
)
from lagrangian.description.xml import Tag, format_number, format_numbers, to_xml
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import Scalar
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Friction, Joint
from lagrangian.model.loop import LoopJoint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Visual
from lagrangian.model.spring import GravityCompensation, PointSpring

_GRAVITY = (0.0, 0.0, -9.81)  # m/s^2, of a model without a world
_CLOSURE_TOLERANCE = 1e-9
_DRAKE_NAMESPACE = "http://drake.mit.edu"
_MIN_INERTIA = 1e-14  # kg, kg m^2: libsdformat gives a link without mass 1 kg
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_JOINT_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "ball",
    "helical": "screw",
    "universal": "universal",
}
_LOOP_TYPES = ("revolute", "prismatic", "ball", "fixed", "universal")
_MODEL = "__model__"


def convert(mechanism: Mechanism, *, start: Sequence[float] | None = None) -> Conversion:
    """The SDF of a mechanism.

    `start` is a configuration that closes its loops, in which the model is written: SDF gives joints by the poses of the bodies.
    """
    return _SdfWriter(mechanism, start).to_sdf()


class _SdfWriter:
    def __init__(self, mechanism: Mechanism, start: Sequence[float] | None) -> None:
        self.original = mechanism
        self.remarks = WriterNotes("SDF")
        self.unique_names = UniqueNames(self.remarks, NO_XML + ":", reserved_names=("world", _MODEL))
        closed_q = mechanism.neutral() if start is None else np.array(start, dtype=float)
        self.zero_is_moved = (
            bool(mechanism.loops) and start is not None and loop_error(mechanism, mechanism.neutral()) > _CLOSURE_TOLERANCE
        )
        self.offsets: dict[str, float] = {}
        self.closed_balls: set[str] = set()  # ball joints whose coordinates are not zero in the pose of the file
        self.mechanism = self._make_expressible(mechanism, closed_q)
        self.version = "1.10"

    def to_sdf(self) -> Conversion:
        notes.note_unsupported(self.original, self.remarks)
        self._note_motion()
        name = UniqueNames(self.remarks, NO_XML + ":", reserved_names=("world", _MODEL)).name_for("mechanism", self.original.name)
        model = Tag("model", name=name)
        joints = {j.name: self.unique_names.name_for("joint", j.name) for j in self.mechanism.joints if j.type != "free"}
        links = {GROUND: "world"} | {b.name: self.unique_names.name_for("body", b.name) for b in self.mechanism.bodies}
        self._write_links(model, joints, links)
        joint_elements = {
            j.name: _write_joint(j, joints[j.name], links[j.parent], links[j.child], self.remarks)
            for j in self.mechanism.joints
            if j.type != "free"
        }
        self._write_couplings(joint_elements, joints)
        model.add(*joint_elements.values())
        self._write_loops(model, links)
        self._write_springs(model, links)
        self._write_frames(model, links)
        root = Tag("sdf", version=self.version)
        if any(":" in tag.name for part in (model, *model.children) for tag in part.children):
            root.attributes["xmlns:drake"] = _DRAKE_NAMESPACE
        if self._in_world:
            self.remarks.add("gravity", "is written in the world around the model, which Drake ignores; set it in Drake")
            world = Tag("world", [_value_element("gravity", tuple(self.original.gravity)), model], name=name)
            root.add(world)
        else:
            root.add(model)
        prefix = f"{model.attributes['name']}::" if self._in_world else ""
        return Conversion(
            "sdf",
            to_xml(root),
            self.remarks.notes,
            self.remarks.warnings,
            coordinates=self._coordinate_names(joints, links, prefix),
            offsets=self.offsets,
        )

    @property
    def _in_world(self) -> bool:
        return tuple(map(float, self.original.gravity)) != _GRAVITY

    # -- the mechanism as SDF can have it ------------------------------------------------------------------------------

    def _make_expressible(self, mechanism: Mechanism, closed_q: np.ndarray) -> Mechanism:
        names = mechanism.coordinate_names
        mechanism = mechanism.replace(constraints=(), poses={}, initial=InitialState(), events=(), parameters={})
        mechanism = mechanism.replace(joints=tuple(_simplify_joint(joint) for joint in mechanism.joints))
        mechanism = expressible.split_joints(mechanism, self._joint_chain)
        body_frames = {j.child: numeric_placement(j.child_placement) for j in mechanism.joints if j.type == "free"}
        for joint in mechanism.joints:
            if joint.type == "free" and not (joint.placement.is_identity and body_frames[joint.child].is_identity):
                meaning = (
                    "{has} the pose of the body in the world as {its} coordinates in SDF, not the pose in the frame of the joint"
                )
                self.remarks.add("free joint", meaning, joint.name)
            if joint.type == "free" and joint.friction != Friction():
                self.remarks.add(
                    "free joint", "{has} friction, which is left out because SDF has none there", joint.name, warn=True
                )
        mechanism = with_body_frames(mechanism, body_frames)
        if not self.zero_is_moved:
            return mechanism
        values = dict(zip(names, closed_q.tolist(), strict=True))
        q = np.array([values[name] for name in mechanism.coordinate_names])
        slices = q_slices(mechanism)
        for joint in mechanism.joints:
            if joint.kind.nq == 1 and q[slices[joint.name]][0]:
                self.offsets[joint.name] = float(q[slices[joint.name]][0])
        meaning = "is written in the pose that closes its loops; the coordinates in SDF are zero there"
        self.remarks.add("the mechanism", meaning)
        self.closed_balls = {
            j.name for j in mechanism.joints if j.type == "ball" and not np.array_equal(q[slices[j.name]], j.kind.neutral)
        }
        return with_zero_at(mechanism, q)

    def _joint_chain(self, joint: Joint) -> Sequence[ChainJoint]:
        if joint.type == "free" and (joint.parent != GROUND or self.original.loops):
            reason = "on a moving body" if joint.parent != GROUND else "where loops would take its place"
            meaning = f"{{is}} written as three slides and a ball joint, because SDF has no free joints {reason}"
            self.remarks.add("free joint", meaning, joint.name)
            return expressible.slides_and_ball_chain(joint)
        if joint.type in ("gimbal", "planar") or (joint.type == "universal" and self.zero_is_moved):
            meaning = "{is} written as joints with one coordinate each, with links of negligible mass between them"
            self.remarks.add(f"{joint.type} joint", meaning, joint.name)
            if joint.friction_plane:
                meaning = "{has} dry friction, which is written along each direction separately"
                self.remarks.add(f"{joint.type} joint", meaning, joint.name, warn=True)
            return expressible.single_coordinate_chain(joint)
        if joint.type not in _JOINT_TYPES and joint.type != "free":
            return expressible.single_coordinate_chain(joint) or expressible.raise_unsupported_joint(joint, "SDF")
        return ()

    # -- the file ------------------------------------------------------------------------------------------------------

    def _write_links(self, model: Tag, joints: dict[str, str], links: dict[str, str]) -> None:
        joint_of_body = {joint.child: joint for joint in self.mechanism.joints}
        min_mass = minimum_mass(self.original, _MIN_INERTIA)
        compensated_bodies = {
            x.body for x in self.mechanism.springs if isinstance(x, GravityCompensation) and float(x.factor) == 1
        }
        q0 = self.original.initial.q
        initial_poses = body_poses(self.original, np.array(q0, dtype=float)) if q0 is not None else {}
        for body in self.mechanism.bodies:
            joint = joint_of_body[body.name]
            if joint.type == "free":
                placement = joint.placement
                if body.name in initial_poses:
                    original_joint = next(j for j in self.original.joints if j.child == body.name)
                    placement = Transform.from_matrix(initial_poses[body.name]) @ numeric_placement(
                        original_joint.child_placement
                    )
                pose_of_link = _pose_elements(placement)
            else:
                pose_of_link = _pose_elements(numeric_placement(joint.child_placement).inverse(), joints[joint.name])
            element = Tag("link", pose_of_link, name=links[body.name])
            element.add(*([_value_element("gravity", "false")] if body.name in compensated_bodies else []))
            element.add(_write_inertial(body, min_mass, self.remarks))
            model.add(element.add(*_write_visuals(body, self.original.file, self.remarks)))

    def _write_couplings(self, joint_elements: dict[str, Tag], joints: dict[str, str]) -> None:
        """Write equations of two coordinates as axes that mimic others."""
        scalar_joints = {j.name for j in self.mechanism.joints if j.kind.nq == 1}
        followers: set[str] = set()
        for constraint in self.original.constraints:
            holonomic = isinstance(constraint, HolonomicConstraint) and not constraint.unilateral
            linear_form = affine_coefficients(constraint.equation) if holonomic else None  # type: ignore[union-attr]
            names = list(linear_form[0]) if linear_form is not None else []
            free = [name for name in names if name not in followers]
            if linear_form is None or len(names) != 2 or not set(names) <= scalar_joints or not free:
                notes.note_constraint(constraint, self.remarks)
                continue
            follower = min(free, key=lambda name: self.mechanism.joint(name).actuated)
            (leader,) = (name for name in names if name != follower)
            followers.add(follower)
            multiplier = -linear_form[0][leader] / linear_form[0][follower]
            offset = (
                -linear_form[1] / linear_form[0][follower]
                + multiplier * self.offsets.get(leader, 0.0)
                - self.offsets.get(follower, 0.0)
            )
            mimic = [_value_element("multiplier", multiplier), _value_element("offset", offset), _value_element("reference", 0.0)]
            axis = next(child for child in joint_elements[follower].children if child.name == "axis")
            axis.add(Tag("mimic", mimic, joint=joints[leader]))
            self.version = "1.11"  # the first version with <mimic>

    def _write_loops(self, model: Tag, links: dict[str, str]) -> None:
        sampled_loops = SampledLoops(self.mechanism)
        transforms = body_poses(self.mechanism, self.mechanism.neutral()) if self.mechanism.loops else {}
        for loop in self.mechanism.loops:
            kind = sampled_loops.effective_type(loop)
            if kind == "distance":
                model.add(
                    _point_pair_element(
                        "drake:distance_constraint",
                        links,
                        (loop.a, loop.a_placement.position),
                        (loop.b, loop.b_placement.position),
                        {"distance": loop.length},
                    )
                )
                self.remarks.add("loop", "{is} written by an extension of SDF that only Drake reads", loop.name, warn=True)
                continue
            if kind not in _LOOP_TYPES:
                notes.note_loop(loop.name, loop.type, self.remarks)
                continue
            A, B = ((transforms[b] @ p.matrix())[:3, :3] for b, p in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
            model.add(
                _write_loop(loop, kind, self.unique_names.name_for("loop", loop.name), links[loop.a], links[loop.b], A.T @ B)
            )

    def _write_springs(self, model: Tag, links: dict[str, str]) -> None:
        for spring in self.mechanism.springs:
            if isinstance(spring, GravityCompensation) and float(spring.factor) == 1:
                continue
            is_plain = isinstance(spring, PointSpring) and not spring.via and not float(spring.slack) and float(spring.rest) > 0
            if not isinstance(spring, PointSpring) or not is_plain:
                notes.note_spring(spring, self.remarks)
                continue
            parameters = {"free_length": spring.rest, "stiffness": spring.stiffness, "damping": spring.damping}
            ends = (spring.a, spring.a_point), (spring.b, spring.b_point)
            model.add(_point_pair_element("drake:linear_spring_damper", links, *ends, parameters))
            self.remarks.add("spring", "{is} written by an extension of SDF that only Drake reads", spring.name, warn=True)

    def _write_frames(self, model: Tag, links: dict[str, str]) -> None:
        for frame in self.mechanism.frames:
            if frame.body == GROUND:
                self.remarks.add("frame", "{is} left out because frames of a model in SDF must be on its links", frame.name)
                continue
            name = self.unique_names.name_for("frame", frame.name)
            model.add(Tag("frame", _pose_elements(numeric_placement(frame.placement)), name=name, attached_to=links[frame.body]))

    def _note_motion(self) -> None:
        initial = self.original.initial
        for name in self.original.poses:
            self.remarks.add("pose", "{is} left out because SDF has none", name)
        if initial.q is not None or initial.qd is not None:
            self.remarks.add("the start", "is left out because SDF has none; only the poses of free bodies are written")
        for speed, _ in initial.torque:
            self.remarks.add("joint", "{has} an initial torque, which is left out because SDF has no actuators", speed, warn=True)

    def _coordinate_names(self, joints: dict[str, str], links: dict[str, str], prefix: str) -> dict[str, str]:
        free = [joint for joint in self.mechanism.joints if joint.type == "free"]
        file_names: dict[str, str] = {}
        for joint in self.mechanism.joints:
            if joint.name in self.closed_balls:
                continue
            name = joints.get(joint.name, "root_joint" if len(free) == 1 else f"{links[joint.child]}::root_joint")
            if joint.type == "free" and not joint.placement.is_identity:
                continue
            file_names |= {c: prefix + name + c.removeprefix(joint.name) for c in joint.coordinate_names}
        return {coordinate: file_names[coordinate] for coordinate in self.original.coordinate_names if coordinate in file_names}


def _simplify_joint(joint: Joint) -> Joint:
    """A joint with a numeric placement; a cam of constant slope becomes a screw."""
    joint = replace(joint, placement=numeric_placement(joint.placement))
    if joint.type != "cam":
        return joint
    offset, slope = (*expressible.advance_coefficients(joint, 1, "SDF"), 0.0)[:2]
    if offset or not slope:
        return expressible.raise_unsupported_joint(joint, "SDF")
    return replace(joint, type="helical", type_entries=(("axis", joint.axis), ("pitch", slope)))


def _point_pair_element(
    tag: str, links: dict[str, str], a: tuple[str, v.Vector], b: tuple[str, v.Vector], parameters: dict[str, Scalar]
) -> Tag:
    """An element of Drake between two points."""
    element = Tag(tag)
    for body, point, (name, position) in (("body_A", "p_AP", a), ("body_B", "p_BQ", b)):
        element.add(_value_element(f"{tag}_{body}", links[name]), _value_element(f"{tag}_{point}", tuple(position)))
    return element.add(*(_value_element(f"{tag}_{key}", x) for key, x in parameters.items()))


# -- links ---------------------------------------------------------------------------------------------------------------


def _value_element(tag: str, content: Any) -> Tag:
    """An element whose text is a number, numbers or a text."""
    return Tag(
        tag,
        (),
        content
        if isinstance(content, str)
        else format_numbers(content)
        if isinstance(content, (tuple, list))
        else format_number(content),
    )


def _pose_elements(placement: Transform, relative_to: str | None = None) -> list[Tag]:
    """The <pose> of a placement, by a quaternion, which keeps all digits; none for the identity in the default frame."""
    if placement.is_identity and relative_to is None:
        return []
    if placement.rotation == v.IDENTITY:
        return [Tag("pose", (), format_numbers((*placement.position, 0, 0, 0)), relative_to=relative_to)]
    w, x, y, z = quaternion_wxyz(placement.rotation)
    attributes = {"rotation_format": "quat_xyzw", "relative_to": relative_to}
    return [Tag("pose", (), format_numbers((*placement.position, x, y, z, w)), **attributes)]


def _write_inertial(body: Body, min_mass: float, remarks: WriterNotes) -> Tag:
    original = principal_inertia(body)
    inertia = with_minimum_inertia(body, _MIN_INERTIA, min_mass, remarks)
    entries = tuple(float(x) for x in body.inertia) if inertia == original else inertia_tensor(inertia)
    element = Tag("inertial", _pose_elements(Transform(position=tuple(float(x) for x in body.center))))  # type: ignore[arg-type]
    moments = Tag("inertia", [_value_element(key, x) for key, x in zip(_MOMENTS, entries, strict=True)])
    return element.add(_value_element("mass", inertia.mass), moments)


def _write_visuals(body: Body, file: str, remarks: WriterNotes) -> list[Tag]:
    shapes = [x for visual in body.visuals if (x := _write_shape(visual, body.name, file, remarks)) is not None]
    return [
        Tag(
            "visual",
            [*_pose_elements(visual.placement), Tag("geometry", [shape]), *_write_material(visual)],
            name=f"visual{k + 1}",
        )
        for k, (visual, shape) in enumerate(shapes)
    ]


def _write_shape(visual: Visual, body: str, file: str, remarks: WriterNotes) -> tuple[Visual, Tag] | None:
    size = tuple(float(x) for x in visual.size)
    match visual.kind:
        case "box":
            dimensions = [_value_element("size", size)]
        case "cylinder" | "capsule":
            dimensions = [_value_element("radius", size[0]), _value_element("length", size[1])]
        case "sphere":
            dimensions = [_value_element("radius", size[0])]
        case "ellipsoid":
            dimensions = [_value_element("radii", size)]
        case "mesh" if visual.file:
            dimensions = [
                _value_element("uri", absolute_mesh_path(visual.file, file)),
                *([_value_element("scale", size)] if size else []),
            ]
        case _:
            return None
    if not all(x > 0 for x in size):
        remarks.add("body", "{has} visuals without a size, which are left out", body)
        return None
    return visual, Tag(visual.kind, dimensions)


def _write_material(visual: Visual) -> list[Tag]:
    if not visual.color:
        return []
    rgba = (*visual.color, 1.0)[:4]
    return [Tag("material", [_value_element("ambient", rgba), _value_element("diffuse", rgba)])]


# -- joints --------------------------------------------------------------------------------------------------------------


def _write_joint(joint: Joint, name: str, parent: str, child: str, remarks: WriterNotes) -> Tag:
    """A joint as an element; `parent` is a link, or "world"."""
    kind = _JOINT_TYPES[joint.type]
    element = Tag("joint", _pose_elements(joint.placement, _pose_frame(parent)), name=name, type=kind)
    element.add(_value_element("parent", parent), _value_element("child", child))
    if kind == "fixed":
        return element
    if kind == "screw":
        element.add(_value_element("screw_thread_pitch", 2 * math.pi * float(joint.pitch)))
    axes = joint.axes or ((0.0, 0.0, 1.0),)
    axis_properties = _write_axis_properties(joint, remarks)
    for tag, axis in zip(("axis", "axis2"), axes, strict=False):
        element.add(Tag(tag, [_value_element("xyz", tuple(axis)), *axis_properties]))
    if float(joint.rotor.inertia):
        if kind == "ball":
            remarks.add(
                "ball joint", "{has} a rotor, which is left out because ball joints of SDF have none", joint.name, warn=True
            )
            return element
        element.add(
            _value_element("drake:rotor_inertia", joint.rotor.inertia), _value_element("drake:gear_ratio", joint.rotor.ratio)
        )
        remarks.add("joint", "{has} a rotor, which is written by an extension of SDF that only Drake reads", joint.name)
    return element


def _write_axis_properties(joint: Joint, remarks: WriterNotes) -> list[Tag]:
    """The <limit> and <dynamics> of each axis."""
    limits, elements = joint.limits, []
    bounds = {"lower": limits.lower, "upper": limits.upper, "effort": limits.effort, "velocity": limits.speed}
    if not joint.actuated and not float(joint.rotor.inertia):
        bounds["effort"] = 0.0  # in SDF, an effort of 0 means that there is no motor
    elif not joint.actuated:
        remarks.add("joint", "{has} a rotor but no motor, which SDF cannot express", joint.name)
    limit = [_value_element(key, x) for key, x in bounds.items() if math.isfinite(x)]
    elements += [Tag("limit", limit)] if limit else []
    viscous, dry = friction_coefficients(joint, remarks)
    dynamics = [_value_element("damping", viscous)] if viscous else []
    dynamics += [_value_element("friction", dry)] if dry else []
    if float(joint.spring.stiffness):
        if joint.kind.quaternion:
            remarks.add(
                "ball joint", "{has} a spring, which is left out because ball joints of SDF have none", joint.name, warn=True
            )
        else:
            dynamics += [
                _value_element("spring_reference", joint.spring.rest),
                _value_element("spring_stiffness", joint.spring.stiffness),
            ]
    return [*elements, Tag("dynamics", dynamics)] if dynamics else elements


def _write_loop(loop: LoopJoint, kind: str, name: str, parent: str, child: str, relative_rotation: np.ndarray) -> Tag:
    """A joint that closes a loop; `relative_rotation` is that of the frame on b in the frame on a, in the pose of the file."""
    element = Tag("joint", _pose_elements(loop.a_placement, _pose_frame(parent)), name=name, type=kind)
    element.add(_value_element("parent", parent), _value_element("child", child))
    axes: list[v.Vector] = [loop.axis] if kind in ("revolute", "prismatic", "universal") else []
    if kind == "universal":
        axes.append(tuple((relative_rotation @ np.array(loop.axis2, dtype=float)).tolist()))
    return element.add(*(Tag(tag, [_value_element("xyz", tuple(x))]) for tag, x in zip(("axis", "axis2"), axes, strict=False)))


def _pose_frame(link: str) -> str:
    return _MODEL if link == "world" else link
