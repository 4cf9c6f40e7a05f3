"""A joint of an SDF: between which bodies it is and where, its type and axes, and what sits at it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from lagrangian.description.joint_friction import joint_friction
from lagrangian.description.notes import Notes
from lagrangian.description.sdf.frames import Frames, Node, body_name
from lagrangian.description.sdf.schema import place
from lagrangian.description.sdf.values import number, vector, word
from lagrangian.description.writing.at_joint import read_bound
from lagrangian.description.xml import Element, text
from lagrangian.errors import one_of, placed
from lagrangian.model import joints as joint_types
from lagrangian.model import vector as v
from lagrangian.model.joint import AT_JOINT, Friction, JointSpring, Limits, Rotor
from lagrangian.model.placement import Placement

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
NOT_CARRIED = "ignored"


@dataclass(frozen=True)
class Hinge:
    """A joint between two bodies, before it is known whether it is of the tree, and in which direction."""

    name: str
    type: str
    parent: str
    child: str
    at_parent: Placement
    at_child: Placement
    element: Element
    own: dict[str, Any] = field(default_factory=dict)  # the entries of its type
    at: dict[str, Any] = field(default_factory=dict)  # friction, rotor, spring, limits
    actuated: bool = True
    must_close: bool = False  # the file says that this joint is to close a loop
    coupled: bool = False  # an equation has its coordinate in it
    in_world: Placement = field(default_factory=Placement)  # where it is as the file is written
    welded: bool = False  # it holds a link of a static model, which is not to be moved

    @property
    def plain(self) -> bool:
        """Whether nothing sits at it, no friction, rotor, spring or limits, and no equation needs its coordinate."""
        return not self.coupled and all(x == AT_JOINT[key]() for key, x in self.at.items())

    def reversed(self) -> Hinge:
        """The same joint from its child to its parent; its coordinates keep their signs."""
        own = dict(self.own)
        if self.type == "universal":
            own = {"axis": v.neg(own["axis2"]), "axis2": v.neg(own["axis"])}
        elif "axis" in own:
            own["axis"] = v.neg(own["axis"])
        return replace(self, parent=self.child, child=self.parent, at_parent=self.at_child, at_child=self.at_parent, own=own)


def hinges(node: Node, frames: Frames, notes: Notes) -> list[Hinge]:
    """The joint that an element describes; two, with a body between them that is called after it, where no one of ours does."""
    element, kind = node.element, _kind(node.element)
    parent, child = ends(node, frames, notes)
    J = frames.pose(node)
    at_parent = (Placement() if parent is None else frames.pose(parent)).inverse() @ J
    at_child = (Placement() if child is None else frames.pose(child)).inverse() @ J
    loop = element.find("physics")
    simbody = loop.find("simbody") if loop is not None else None
    hinge = Hinge(
        node.path,
        _TYPES[kind],
        body_name(parent),
        body_name(child),
        at_parent,
        at_child,
        element,
        in_world=J,
        must_close=simbody is not None and word(simbody, "must_be_loop_joint", "false").lower() in ("true", "1"),
    )
    if _TYPES[kind] == "universal":
        return _two_axes(hinge, node, frames, notes)
    if kind == "ball":
        return [_with(hinge, element.find("axis"), kind, {}, notes)]
    if kind == "fixed":
        return [hinge]
    own: dict[str, Any] = {"axis": _axis(node, "axis", frames)}
    if kind == "screw":
        own["pitch"] = _pitch(element)
        if own["pitch"] == 0:
            own.pop("pitch")
            hinge = replace(hinge, type="revolute")
    return [_with(hinge, element.find("axis"), kind, own, notes)]


def _kind(element: Element) -> str:
    kind = text(element, "type")
    if kind not in TYPES:
        raise element.error(f"type: {one_of('joint type', kind, TYPES)}")
    return kind


def ends(node: Node, frames: Frames, notes: Notes) -> tuple[Node | None, Node | None]:
    """The links that a joint is between; None is the world."""
    element, scope = node.element, node.scope
    assert scope is not None
    found = []
    for role in ("parent", "child"):
        name = word(element, role)
        frame = scope.resolve(name, element.find(role) or element)
        found.append(frames.link(frame))
        if role == "parent" and frame.kind == "frame" and not _together(frames.pose(frame), frames.pose(node)):
            notes.add(
                "joint that is not where its parent's <frame> is",
                "its own <pose> places it, as SDF specifies; only the body of the frame counts",
                node.path,
            )
    if found[0] is found[1]:
        both = "the world" if found[0] is None else f"link {found[0].name!r}"
        raise element.error(f"joins {both} to itself; parent and child must differ")
    return found[0], found[1]


def _together(a: Placement, b: Placement) -> bool:
    apart = v.sub(a.position, b.position)
    return math.hypot(*(float(x) for x in apart)) < 1e-6


# -- axes --------------------------------------------------------------------------------------------------------------


def _axis(node: Node, tag: str, frames: Frames) -> v.Vector:
    """An axis in the frame of the joint."""
    element = node.element.find(tag)
    if element is None:
        raise node.element.error(f"has no {tag}; a {node.element.attributes['type']} joint needs <{tag}><xyz>...</xyz></{tag}>")
    xyz = element.find("xyz")
    given: v.Vector = vector(element, "xyz", 3, (0.0, 0.0, 1.0))  # type: ignore[assignment]
    if not math.hypot(*given) > 1e-14:
        raise (xyz or element).error("is 0 0 0, which has no direction")
    frame = xyz.attributes.get("expressed_in", "") if xyz is not None else ""
    if not frame or xyz is None:
        return given
    return v.mat_vec(frames.axes(frame, node, xyz).rotation, given)


def axis_in_world(node: Node, tag: str, frames: Frames) -> v.Vector:
    """An axis along the world's axes, as the file is written."""
    return v.mat_vec(frames.pose(node).rotation, _axis(node, tag, frames))


def _pitch(element: Element) -> float:
    """The advance in metres per radian. Up to 1.9 a pitch is in radians per metre, and of a left-handed thread."""
    if element.find("screw_thread_pitch") is not None or element.find("thread_pitch") is None:
        return number(element, "screw_thread_pitch", 1.0) / (2 * math.pi)
    old = number(element, "thread_pitch", 1.0)
    if old == 0:
        raise element.error("thread_pitch is 0 rad/m, so that the screw does not turn; use a prismatic joint")
    return -1 / old


def _two_axes(hinge: Hinge, node: Node, frames: Frames, notes: Notes) -> list[Hinge]:
    """A universal joint; two revolute ones in its place where the axes are not perpendicular, or differ in what is at them."""
    element, kind = node.element, node.element.attributes["type"]
    axis, axis2 = _axis(node, "axis", frames), _axis(node, "axis2", frames)
    first = _with(replace(hinge, type="revolute"), element.find("axis"), kind, {"axis": axis}, notes)
    second = _with(replace(hinge, type="revolute"), element.find("axis2"), kind, {"axis": axis2}, notes)
    skew = abs(v.dot(axis, axis2)) / (math.hypot(*axis) * math.hypot(*axis2))
    one_follows = len({tag for _, tag in followers(element)}) == 1  # and so has no motor, where the other has one
    if first.at == second.at and skew < 1e-9 and not one_follows:
        return [replace(first, type="universal", own={"axis": axis, "axis2": axis2})]
    between = f"{hinge.name}::cross"
    return [
        replace(first, name=f"{hinge.name}::1", child=between, at_child=Placement()),
        replace(second, name=f"{hinge.name}::2", parent=between, at_parent=Placement()),
    ]


def followers(joint: Element) -> list[tuple[Element, str]]:
    """What says that an axis of a joint mimics another, and which axis it is."""
    own = [(mimic, axis.tag) for axis in joint.children if axis.tag in ("axis", "axis2") for mimic in axis.all("mimic")]
    return [*own, *((mimic, "axis") for mimic in joint.all("drake:mimic"))]


# -- what sits at it ---------------------------------------------------------------------------------------------------


def _with(hinge: Hinge, axis: Element | None, kind: str, own: dict[str, Any], notes: Notes) -> Hinge:
    """The joint with what its axis has at it: friction, a spring, limits, a rotor."""
    effort = _bound(axis, "effort")
    at: dict[str, Any] = {"friction": _friction(axis), "spring": _spring(axis), "limits": _limits(axis, kind, effort, notes)}
    at["rotor"] = _rotor(hinge, effort, notes)
    refused = joint_types.TYPES[hinge.type].refuses
    for key in refused if kind != "ball" else (*refused, "spring"):  # along no axis: SDF does not say what that would be
        if key in at and at.pop(key) != AT_JOINT[key]():
            notes.add(f"{key} of a {kind} joint", f"{NOT_CARRIED}: it has no meaning there", hinge.name, warn=key == "spring")
    limit = axis.find("limit") if axis is not None else None
    if limit is not None and any(limit.find(tag) is not None for tag in ("stiffness", "dissipation")):
        notes.add("<stiffness> and <dissipation> of a <limit>", f"{NOT_CARRIED}: stops are rigid", hinge.name)
    return replace(hinge, own=own, at=at, actuated=effort != 0)


def _friction(axis: Element | None) -> Friction:
    element = axis.find("dynamics") if axis is not None else None
    if element is None:
        return Friction()
    return joint_friction(element, number(element, "damping", 0.0), number(element, "friction", 0.0))


def _spring(axis: Element | None) -> JointSpring:
    element = axis.find("dynamics") if axis is not None else None
    if element is None:
        return JointSpring()
    stiffness = number(element, "spring_stiffness", 0.0)
    return JointSpring(stiffness, number(element, "spring_reference", 0.0)) if stiffness else JointSpring()


def _bound(axis: Element | None, tag: str) -> float:
    """A limit of speed or effort; a negative one, and none, is none."""
    limit = axis.find("limit") if axis is not None else None
    given = number(limit, tag, -1.0, infinite=True) if limit is not None else -1.0
    return math.inf if given < 0 else read_bound(given)


def _limits(axis: Element | None, kind: str, effort: float, notes: Notes) -> Limits:
    limit = axis.find("limit") if axis is not None else None
    if limit is None:
        return Limits()
    lower, upper = number(limit, "lower", -math.inf, infinite=True), number(limit, "upper", math.inf, infinite=True)
    if lower > upper:
        notes.add("<limit> whose lower is above its upper", "read as no limit of position", place(limit), warn=True)
    if kind == "continuous" or lower > upper:
        lower, upper = -math.inf, math.inf
    lower, upper = read_bound(lower), read_bound(upper)
    with placed(*limit.where):
        # a joint whose effort is limited to 0 has no motor
        return Limits(lower, upper, _bound(axis, "velocity"), effort if effort != 0 else math.inf)


def _rotor(hinge: Hinge, effort: float, notes: Notes) -> Rotor:
    element = hinge.element
    inertia, ratio = number(element, "drake:rotor_inertia", 0.0), number(element, "drake:gear_ratio", 1.0)
    if inertia and effort == 0:
        notes.add("<drake:rotor_inertia> of a joint without a motor", f"{NOT_CARRIED}, as in Drake", hinge.name)
        return Rotor()
    with placed(*element.where):
        return Rotor(inertia, ratio)
