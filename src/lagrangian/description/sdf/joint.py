"""A joint of an SDF: between which bodies it is and where, its type and axes, and what sits at it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from lagrangian.description.joint_properties import read_bound, read_joint_friction
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import IGNORED, line_of
from lagrangian.description.sdf.frames import FrameGraph, FrameNode, body_name
from lagrangian.description.sdf.values import child_number, child_text, child_vector
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import error_location, unknown_name_message
from lagrangian.model import joints as joint_types
from lagrangian.model import vector as v
from lagrangian.model.joint import JOINT_PARTS, Friction, JointLimits, JointSpring, Rotor
from lagrangian.model.placement import Transform

_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "ball",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
}
TYPES = (*_TYPES, "gearbox")


@dataclass(frozen=True)
class JointEdge:
    """A joint between two bodies, before it is known whether it is of the tree, and in which direction."""

    name: str
    type: str
    parent: str
    child: str
    placement: Transform
    child_placement: Transform
    element: Element
    type_entries: dict[str, Any] = field(default_factory=dict)  # the entries of its type
    properties: dict[str, Any] = field(default_factory=dict)  # friction, rotor, spring, limits
    actuated: bool = True
    must_close_loop: bool = False  # the file says that this joint is to close a loop
    is_coupled: bool = False  # an equation has its coordinate in it
    world_placement: Transform = field(default_factory=Transform)  # where it is as the file is written
    is_weld: bool = False  # it holds a link of a static model, which is not to be moved

    @property
    def can_be_loop_joint(self) -> bool:
        """Whether nothing sits at it, no friction, rotor, spring or limits, and no equation needs its coordinate."""
        return not self.is_coupled and all(x == JOINT_PARTS[key]() for key, x in self.properties.items())

    def reverse(self) -> JointEdge:
        """The same joint from its child to its parent; its coordinates keep their signs."""
        type_entries = dict(self.type_entries)
        if self.type == "universal":
            type_entries = {"axis": v.neg(type_entries["axis2"]), "axis2": v.neg(type_entries["axis"])}
        elif "axis" in type_entries:
            type_entries["axis"] = v.neg(type_entries["axis"])
        return replace(
            self,
            parent=self.child,
            child=self.parent,
            placement=self.child_placement,
            child_placement=self.placement,
            type_entries=type_entries,
        )


def read_joint_edges(node: FrameNode, frames: FrameGraph, notes: ReaderNotes) -> list[JointEdge]:
    """The joint that an element describes; two, with a body between them that is called after it, where no one of ours does."""
    element, kind = node.element, _read_type(node.element)
    parent, child = joined_links(node, frames, notes)
    joint_pose = frames.pose(node)
    placement = (Transform() if parent is None else frames.pose(parent)).inverse() @ joint_pose
    child_placement = (Transform() if child is None else frames.pose(child)).inverse() @ joint_pose
    physics = element.find("physics")
    simbody = physics.find("simbody") if physics is not None else None
    edge = JointEdge(
        node.path,
        _TYPES[kind],
        body_name(parent),
        body_name(child),
        placement,
        child_placement,
        element,
        world_placement=joint_pose,
        must_close_loop=simbody is not None and child_text(simbody, "must_be_loop_joint", "false").lower() in ("true", "1"),
    )
    if _TYPES[kind] == "universal":
        return _universal_edges(edge, node, frames, notes)
    if kind == "ball":
        return [_with_axis_properties(edge, element.find("axis"), kind, {}, notes)]
    if kind == "fixed":
        return [edge]
    type_entries: dict[str, Any] = {"axis": _read_axis(node, "axis", frames)}
    if kind == "screw":
        type_entries["pitch"] = _read_pitch(element)
        if type_entries["pitch"] == 0:
            type_entries.pop("pitch")
            edge = replace(edge, type="revolute")
    return [_with_axis_properties(edge, element.find("axis"), kind, type_entries, notes)]


def joined_links(node: FrameNode, frames: FrameGraph, notes: ReaderNotes) -> tuple[FrameNode | None, FrameNode | None]:
    """The links that a joint is between; None is the world."""
    element, scope = node.element, node.scope
    assert scope is not None
    links = []
    for role in ("parent", "child"):
        name = child_text(element, role)
        frame = scope.resolve(name, element.find(role) or element)
        links.append(frames.link(frame))
        if role == "parent" and frame.kind == "frame" and not _are_at_one_place(frames.pose(frame), frames.pose(node)):
            notes.add(
                "joint that is not where its parent's <frame> is",
                "its own <pose> places it, as SDF specifies; only the body of the frame counts",
                node.path,
            )
    if links[0] is links[1]:
        both = "the world" if links[0] is None else f"link {links[0].name!r}"
        raise element.error(f"joins {both} to itself; parent and child must differ")
    return links[0], links[1]


def _read_type(element: Element) -> str:
    kind = text_attribute(element, "type")
    if kind not in TYPES:
        raise element.error(f"type: {unknown_name_message('joint type', kind, TYPES)}")
    return kind


def _are_at_one_place(a: Transform, b: Transform) -> bool:
    offset = v.sub(a.position, b.position)
    return math.hypot(*(float(x) for x in offset)) < 1e-6


# -- axes --------------------------------------------------------------------------------------------------------------


def axis_in_world(node: FrameNode, tag: str, frames: FrameGraph) -> v.Vector:
    """An axis along the world's axes, as the file is written."""
    return v.mat_vec(frames.pose(node).rotation, _read_axis(node, tag, frames))


def mimic_elements(joint: Element) -> list[tuple[Element, str]]:
    """The elements by which axes of a joint mimic another, each with the axis that it belongs to."""
    axis_mimics = [
        (mimic, axis.tag) for axis in joint.children if axis.tag in ("axis", "axis2") for mimic in axis.find_all("mimic")
    ]
    return [*axis_mimics, *((mimic, "axis") for mimic in joint.find_all("drake:mimic"))]


def _read_axis(node: FrameNode, tag: str, frames: FrameGraph) -> v.Vector:
    """An axis in the frame of the joint."""
    element = node.element.find(tag)
    if element is None:
        raise node.element.error(f"has no {tag}; a {node.element.attributes['type']} joint needs <{tag}><xyz>...</xyz></{tag}>")
    xyz = element.find("xyz")
    axis: v.Vector = child_vector(element, "xyz", 3, (0.0, 0.0, 1.0))  # type: ignore[assignment]
    if not math.hypot(*axis) > 1e-14:
        raise (xyz or element).error("is 0 0 0, which has no direction")
    frame = xyz.attributes.get("expressed_in", "") if xyz is not None else ""
    if not frame or xyz is None:
        return axis
    return v.mat_vec(frames.relative_rotation(frame, node, xyz).rotation, axis)


def _read_pitch(element: Element) -> float:
    """The advance in metres per radian. Up to 1.9 a pitch is in radians per metre, and of a left-handed thread."""
    if element.find("screw_thread_pitch") is not None or element.find("thread_pitch") is None:
        return child_number(element, "screw_thread_pitch", 1.0) / (2 * math.pi)
    legacy_pitch = child_number(element, "thread_pitch", 1.0)
    if legacy_pitch == 0:
        raise element.error("thread_pitch is 0 rad/m, so that the screw does not turn; use a prismatic joint")
    return -1 / legacy_pitch


def _universal_edges(edge: JointEdge, node: FrameNode, frames: FrameGraph, notes: ReaderNotes) -> list[JointEdge]:
    """A universal joint; two revolute ones in its place where the axes are not perpendicular, or differ in what is at them."""
    element, kind = node.element, node.element.attributes["type"]
    axis, axis2 = _read_axis(node, "axis", frames), _read_axis(node, "axis2", frames)
    first = _with_axis_properties(replace(edge, type="revolute"), element.find("axis"), kind, {"axis": axis}, notes)
    second = _with_axis_properties(replace(edge, type="revolute"), element.find("axis2"), kind, {"axis": axis2}, notes)
    skew = abs(v.dot(axis, axis2)) / (math.hypot(*axis) * math.hypot(*axis2))
    has_one_follower = len({tag for _, tag in mimic_elements(element)}) == 1  # and so has no motor, where the other has one
    if first.properties == second.properties and skew < 1e-9 and not has_one_follower:
        return [replace(first, type="universal", type_entries={"axis": axis, "axis2": axis2})]
    cross_body = f"{edge.name}::cross"
    return [
        replace(first, name=f"{edge.name}::1", child=cross_body, child_placement=Transform()),
        replace(second, name=f"{edge.name}::2", parent=cross_body, placement=Transform()),
    ]


# -- what sits at it ---------------------------------------------------------------------------------------------------


def _with_axis_properties(
    edge: JointEdge, axis: Element | None, kind: str, type_entries: dict[str, Any], notes: ReaderNotes
) -> JointEdge:
    """The joint with what its axis has at it: friction, a spring, limits, a rotor."""
    effort = _read_bound(axis, "effort")
    properties: dict[str, Any] = {
        "friction": _read_friction(axis),
        "spring": _read_spring(axis),
        "limits": _read_limits(axis, kind, effort, notes),
    }
    properties["rotor"] = _read_rotor(edge, effort, notes)
    # SDF does not say what a spring would be that is along no axis
    refused_keys = (*joint_types.TYPES[edge.type].refuses, *(("spring",) if kind == "ball" else ()))
    for key in refused_keys:
        if key in properties and properties.pop(key) != JOINT_PARTS[key]():
            notes.add(f"{key} of a {kind} joint", f"{IGNORED}: it has no meaning there", edge.name, warn=key == "spring")
    limit = axis.find("limit") if axis is not None else None
    if limit is not None and any(limit.find(tag) is not None for tag in ("stiffness", "dissipation")):
        notes.add("<stiffness> and <dissipation> of a <limit>", f"{IGNORED}: stops are rigid", edge.name)
    return replace(edge, type_entries=type_entries, properties=properties, actuated=effort != 0)


def _read_friction(axis: Element | None) -> Friction:
    element = axis.find("dynamics") if axis is not None else None
    if element is None:
        return Friction()
    return read_joint_friction(element, child_number(element, "damping", 0.0), child_number(element, "friction", 0.0))


def _read_spring(axis: Element | None) -> JointSpring:
    element = axis.find("dynamics") if axis is not None else None
    if element is None:
        return JointSpring()
    stiffness = child_number(element, "spring_stiffness", 0.0)
    return JointSpring(stiffness, child_number(element, "spring_reference", 0.0)) if stiffness else JointSpring()


def _read_bound(axis: Element | None, tag: str) -> float:
    """A limit of speed or effort; a negative one, and none, is none."""
    limit = axis.find("limit") if axis is not None else None
    value = child_number(limit, tag, -1.0, infinite=True) if limit is not None else -1.0
    return math.inf if value < 0 else read_bound(value)


def _read_limits(axis: Element | None, kind: str, effort: float, notes: ReaderNotes) -> JointLimits:
    limit = axis.find("limit") if axis is not None else None
    if limit is None:
        return JointLimits()
    lower, upper = child_number(limit, "lower", -math.inf, infinite=True), child_number(limit, "upper", math.inf, infinite=True)
    if lower > upper:
        notes.add("<limit> whose lower is above its upper", "read as no limit of position", line_of(limit), warn=True)
    if kind == "continuous" or lower > upper:
        lower, upper = -math.inf, math.inf
    lower, upper = read_bound(lower), read_bound(upper)
    with error_location(*limit.where):
        # a joint whose effort is limited to 0 has no motor
        return JointLimits(lower, upper, _read_bound(axis, "velocity"), effort if effort != 0 else math.inf)


def _read_rotor(edge: JointEdge, effort: float, notes: ReaderNotes) -> Rotor:
    element = edge.element
    inertia, ratio = child_number(element, "drake:rotor_inertia", 0.0), child_number(element, "drake:gear_ratio", 1.0)
    if inertia and effort == 0:
        notes.add("<drake:rotor_inertia> of a joint without a motor", f"{IGNORED}, as in Drake", edge.name)
        return Rotor()
    with error_location(*element.where):
        return Rotor(inertia, ratio)
