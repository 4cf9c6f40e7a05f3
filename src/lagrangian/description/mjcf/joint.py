"""A joint of MuJoCo as a joint of a mechanism.

In the pose in which the model is written, MuJoCo's coordinate of a hinge or slide is `ref`. The coordinate of a mechanism is 0
where the two frames of the joint coincide. The frame in the parent is therefore turned or shifted back by `ref`, and the two
coordinates are equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lagrangian.description.joint_properties import read_bound
from lagrangian.description.mjcf.compiler import CompilerSettings, quaternion_wxyz, rotation_about
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, choice_attribute, number_attribute, number_attributes
from lagrangian.errors import error_location
from lagrangian.model import vector as v
from lagrangian.model.checks import unit_vector
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.placement import Transform

_TYPES = ("hinge", "slide", "ball", "free")
_LIMITED_CHOICES = ("true", "false", "auto")


@dataclass(frozen=True)
class JointElement:
    """A joint element with its defaults applied, and the frame of its body that it stands in."""

    element: Element
    type: str
    frame: Transform
    compiler: CompilerSettings


def read_joint_element(element: Element, frame: Transform, compiler: CompilerSettings) -> JointElement:
    check_mjcf_attributes(element)
    kind = "free" if element.tag == "freejoint" else choice_attribute(element, "type", _TYPES, "hinge")
    return JointElement(element, kind, frame, compiler)


def build_joint(
    joint_element: JointElement,
    name: str,
    parent: str,
    child: str,
    pose: Transform,
    compiler: CompilerSettings,
    notes: ReaderNotes,
) -> tuple[Joint, float]:
    """The joint, and its coordinate in the pose in which the model is written; `pose` is that of the body in its parent."""
    element = joint_element.element
    if joint_element.type == "free":
        return _build_free_joint(joint_element, name, parent, child, compiler, notes), 0.0
    anchor = Transform(position=_transform_point(joint_element.frame, number_attributes(element, "pos", 3, v.ZERO)))  # type: ignore[arg-type]
    _note_nonlinear(element, name, notes)
    friction, rotor = _read_friction(element), Rotor(inertia=non_negative_number(element, "armature"))
    spring = JointSpring(number_attributes(element, "stiffness", 3, (0.0,), min_count=1)[0])
    if joint_element.type == "ball":
        _note_ball(element, name, notes)
        with error_location(*element.where):
            joint = Joint(name, "ball", parent, child, pose @ anchor, anchor, friction=friction, rotor=rotor, spring=spring)
            return joint, 0.0
    with error_location(*element.where):
        axis = unit_vector(v.mat_vec(joint_element.frame.rotation, number_attributes(element, "axis", 3, v.Z)), "axis")  # type: ignore[arg-type]
    is_hinge = joint_element.type == "hinge"
    ref, spring_rest = number_attribute(element, "ref", 0.0), number_attribute(element, "springref", 0.0)
    if is_hinge:
        ref, spring_rest = compiler.to_radians(ref), compiler.to_radians(spring_rest)
    ref_offset = Transform()
    if ref:
        ref_offset = Transform(rotation_about(axis, -ref)) if is_hinge else Transform(position=v.scale(-ref, axis))
    limits = _read_limits(element, is_hinge, name, compiler, notes)
    is_unlimited = math.isinf(limits.lower) and math.isinf(limits.upper)
    with error_location(*element.where):
        joint = Joint(
            name,
            ("continuous" if is_unlimited else "revolute") if is_hinge else "prismatic",
            parent,
            child,
            pose @ anchor @ ref_offset,
            anchor,
            axis=axis,
            friction=friction,
            rotor=rotor,
            spring=replace(spring, rest=spring_rest),
            limits=limits,
        )
    return joint, ref


def non_negative_number(element: Element, attribute: str, default: float = 0.0) -> float:
    """A number that must not be negative; the default if the element does not have it."""
    value = number_attribute(element, attribute, default)
    if value < 0:
        raise element.error(f"{attribute} is {value:g}; it cannot be negative")
    return value


def read_range(
    element: Element, attribute: str, limited_attribute: str, compiler: CompilerSettings
) -> tuple[float, float] | None:
    """A range of an element if it applies, else None."""
    low, high = number_attributes(element, attribute, 2, (0.0, 0.0), infinite=True)
    limited_choice = choice_attribute(element, limited_attribute, _LIMITED_CHOICES, "auto")
    if limited_choice == "auto" and not compiler.autolimits and attribute in element.attributes:
        raise element.error(
            f'has {attribute} but not {limited_attribute}; with autolimits="false" it needs {limited_attribute}="true"'
        )
    if limited_choice == "true" and not low < high:
        raise element.error(f"{attribute} needs two numbers, the first less than the second, got {low:g} {high:g}")
    return (low, high) if limited_choice == "true" or (limited_choice == "auto" and low < high) else None


def check_joints_of_body(name: str, joints: list[JointElement], body: Element, on_world: bool) -> None:
    """Refuse combinations of joints of one body that MuJoCo refuses."""
    if any(joint.type == "free" for joint in joints):
        if len(joints) > 1:
            raise body.error(f"has a free joint and {len(joints) - 1} more; a free joint must be the body's only joint")
        if not on_world:
            raise body.error("has a free joint but is not a child of the worldbody; move it there, or give it other joints")


def written_coordinates(joint: Joint, ref: float, poses: Mapping[str, Transform]) -> tuple[float, ...]:
    """A joint's coordinates in the pose in which the model is written."""
    if joint.kind.quaternion and joint.kind.nq > 4:
        body_pose = poses[joint.child]
        return (*quaternion_wxyz(body_pose.rotation), *(float(x) for x in body_pose.position))
    return (ref,) if joint.kind.nq == 1 else joint.kind.neutral


def _transform_point(frame: Transform, p: v.Vector) -> v.Vector:
    return p if frame.is_identity else v.add(frame.position, v.mat_vec(frame.rotation, p))


def _build_free_joint(
    joint_element: JointElement, name: str, parent: str, child: str, compiler: CompilerSettings, notes: ReaderNotes
) -> Joint:
    """A free joint, whose coordinates are the body's pose in the world, whatever pose the file gives the body."""
    element = joint_element.element
    align = choice_attribute(element, "align", _LIMITED_CHOICES, "auto") if element.tag == "freejoint" else "auto"
    if align == "true" or (align == "auto" and compiler.alignfree):
        notes.add(
            "free joint aligned with the inertia",
            "the coordinates are those of the frame of the body as written in the file",
            name,
        )
    if any(number_attributes(element, "stiffness", 3, (0.0,), min_count=1)):
        notes.add("stiffness of a free joint", "ignored", name, warn=True)
    friction = _read_friction(element)
    if friction.coulomb:
        meaning = "acts on the linear speeds along the axes of the body; in MuJoCo, along those of the world"
        notes.add("frictionloss of a free joint", meaning, name, warn=True)
    _note_nonlinear(element, name, notes)
    with error_location(*element.where):
        return Joint(name, "free", parent, child, friction=friction, actuated=False)


def _read_friction(element: Element) -> Friction:
    damping = number_attributes(element, "damping", 3, (0.0,), min_count=1)[0]
    if damping < 0:
        raise element.error(f"damping is {damping:g}; it cannot be negative, or it would drive the joint")
    dry = non_negative_number(element, "frictionloss")
    return Friction(damping, dry, dry)


def _note_nonlinear(element: Element, name: str, notes: ReaderNotes) -> None:
    for attribute in ("damping", "stiffness"):
        if any(number_attributes(element, attribute, 3, (0.0,), min_count=1)[1:]):
            notes.add(f"nonlinear {attribute}", "only its linear part is read", name, warn=True)
    if number_attribute(element, "springyield", 0.0) > 0:
        notes.add("springyield", "ignored: the spring is linear", name, warn=True)


def _note_ball(element: Element, name: str, notes: ReaderNotes) -> None:
    limited_choice = choice_attribute(element, "limited", _LIMITED_CHOICES, "auto")
    if limited_choice == "true" or (
        limited_choice == "auto" and any(number_attributes(element, "range", 2, (0.0, 0.0), infinite=True))
    ):
        notes.add("range of a ball joint", "ignored", name)


def _read_limits(element: Element, is_hinge: bool, name: str, compiler: CompilerSettings, notes: ReaderNotes) -> JointLimits:
    span = read_range(element, "range", "limited", compiler)
    force = read_range(element, "actuatorfrcrange", "actuatorfrclimited", compiler)
    effort = math.inf
    if force is not None:
        effort = max(abs(force[0]), abs(force[1]))
        if force[0] != -force[1]:
            notes.add("actuatorfrcrange with unequal ends", "the larger one is the limit of effort in both directions", name)
    if span is None:
        return JointLimits(effort=effort)
    if element.attributes.get("actuatorgravcomp") == "true":
        notes.add("actuatorgravcomp of a joint", "read as a separate force, which actuatorfrcrange does not limit", name)
    if number_attribute(element, "margin", 0.0):
        notes.add("margin of a joint", "ignored: limits act exactly where they are reached", name)
    low, high = (compiler.to_radians(x) for x in span) if is_hinge else span
    low, high = (read_bound(x) for x in (low, high))
    return JointLimits(low, high, effort=effort)
