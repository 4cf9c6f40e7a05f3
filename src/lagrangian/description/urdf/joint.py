"""A joint of a URDF, and joints that mimic others."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from lagrangian.description.joint_properties import read_bound, read_joint_friction
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import IGNORED, name_and_line
from lagrangian.description.urdf.loop_file import LoopFile
from lagrangian.description.urdf.origin import read_origin
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import ArgumentName, error_location, unknown_name_message
from lagrangian.model import joints as joint_types
from lagrangian.model.constraint import HolonomicConstraint
from lagrangian.model.expression import symbol
from lagrangian.model.joint import JOINT_PARTS, Friction, Joint, JointLimits

_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_IGNORED_LIMITS = ("acceleration", "deceleration", "jerk")  # limits of URDF 1.2


def read_link_name(joint: Element, role: str, links: Collection[str]) -> str:
    """The link in the `parent` or `child` of a joint, or at an end of a loop."""
    element = joint.find(role)
    if element is None:
        raise joint.error(f'has no {role}; it needs <{role} link="..."/>')
    link = text_attribute(element, "link", None)
    if link is None:
        raise element.error("needs the attribute 'link'")
    if link not in links:
        raise element.error(unknown_name_message("link", link, links))
    return link


def read_joint(element: Element, name: str, bodies: Mapping[str, str], loop_file: LoopFile, notes: ReaderNotes) -> Joint:
    """A joint called `name`, between the bodies of links; `loop_file` may give it another type."""
    kind = text_attribute(element, "type")
    if kind not in _TYPES:
        raise element.error(f"type: {unknown_name_message('joint type', kind, _TYPES)}")
    for tag in ("calibration", "safety_controller"):
        if element.find(tag) is not None:
            notes.add(f"<{tag}> of a <joint>", IGNORED, name)
    if "independent" in element.attributes:
        notes.add("'independent' of a <joint>", f"{IGNORED}: any coordinates can be independent", name)
    parent, child = (bodies[read_link_name(element, role, bodies)] for role in ("parent", "child"))
    placement = read_origin(element)
    type_entries: dict[str, Any] = {}
    override = loop_file.type_overrides.get(name)
    if override is not None:
        type_entries = override.entries
        if element.find("dynamics") is not None or element.find("limit") is not None:
            notes.add(f"<dynamics> and <limit> of a joint that {loop_file.name} makes another", IGNORED, name)
    else:
        if any(entry.name == "axis" for entry in joint_types.TYPES[_TYPES[kind]].entries):
            axis_element = element.find("axis")
            type_entries["axis"] = (1.0, 0.0, 0.0) if axis_element is None else number_attributes(axis_element, "xyz", 3)
        type_entries |= _read_friction_and_limits(element, name, kind, notes)
    actuated = kind != "floating" if loop_file.motors is None else name in loop_file.motors
    with error_location(*element.where):
        return Joint(
            name, _TYPES[kind] if override is None else override.type, parent, child, placement, **type_entries, actuated=actuated
        )


def mimic_couplings(
    joints: Mapping[str, Element], tree: list[Joint], couples: bool, notes: ReaderNotes
) -> dict[str, HolonomicConstraint]:
    """The equations follower = multiplier * leader + offset of `<mimic>` joints, by follower; without `couples`, only notes."""
    scalar_joints = {joint.name for joint in tree if joint.kind.nq == 1}
    couplings: dict[str, HolonomicConstraint] = {}
    for name, joint in joints.items():
        element = joint.find("mimic")
        if element is None:
            continue
        if not couples:
            meaning = f"{IGNORED}: the joint moves independently; {ArgumentName('mimic', True, call='load(path)')} couples it"
            notes.add("<mimic> joint", meaning, name_and_line(joint), warn=True)
            continue
        leader = text_attribute(element, "joint")
        if name not in scalar_joints:
            raise element.error(f"joint {name!r} does not have exactly one coordinate, so that it cannot follow another")
        if leader not in scalar_joints or leader == name:
            raise element.error(
                f"joint: {unknown_name_message('other joint of one coordinate called', leader, scalar_joints - {name})}"
            )
        multiplier, offset = number_attribute(element, "multiplier", 1.0), number_attribute(element, "offset", 0.0)
        couplings[name] = HolonomicConstraint(f"{name}_mimic", symbol(name) - multiplier * symbol(leader) - offset)
    return couplings


def _read_friction_and_limits(element: Element, name: str, kind: str, notes: ReaderNotes) -> dict[str, Any]:
    """Friction and limits, without those that mean nothing for a joint of this type, which URDF allows."""
    properties: dict[str, Any] = {"friction": _read_friction(element), "limits": _read_limits(element, name, kind, notes)}
    for key, tag in (("friction", "dynamics"), ("limits", "limit")):
        if key in joint_types.TYPES[_TYPES[kind]].refuses and properties.pop(key) != JOINT_PARTS[key]():
            notes.add(f"<{tag}> of a {kind} joint", f"{IGNORED}: it has no meaning there", name)
    return properties


def _read_limits(joint: Element, name: str, kind: str, notes: ReaderNotes) -> JointLimits:
    element = joint.find("limit")
    has_range = kind in ("revolute", "prismatic")
    if element is None:
        if not has_range:
            return JointLimits()
        advice = '; a joint without limits has the type "continuous"' if kind == "revolute" else ""
        raise joint.error(f'a {kind} joint needs <limit lower="..." upper="..." effort="..." velocity="..."/>{advice}')
    for attribute in _IGNORED_LIMITS:
        if attribute in element.attributes:
            notes.add(f"{attribute!r} of a <limit>", f"{IGNORED}: only position, speed and force have limits", name)
    speed, effort = _read_bound(element, "velocity", notes), _read_bound(element, "effort", notes)
    lower, upper = (read_bound(number_attribute(element, key, 0.0, infinite=True)) for key in ("lower", "upper"))
    if not has_range:
        if (lower or upper) and not (math.isinf(lower) and math.isinf(upper)):
            notes.add(f"<limit> lower and upper of a {kind} joint", IGNORED, name)
        with error_location(*element.where):
            return JointLimits(speed=speed, effort=effort)
    # URDF's default of each is 0, but nobody means a joint that both limits hold at 0
    is_unlimited = "lower" not in element.attributes and "upper" not in element.attributes
    if is_unlimited:
        meaning = "read as no limit; other programs read both as 0, as the format specifies"
        notes.add("<limit> without lower and upper", meaning, name_and_line(element), warn=True)
    elif lower > upper:  # no position is within: Bullet's way to say that there is no limit
        notes.add("<limit> whose lower is above its upper", "read as no limit of position", name_and_line(element), warn=True)
    if is_unlimited or lower > upper:
        lower, upper = -math.inf, math.inf
    with error_location(*element.where):
        return JointLimits(lower, upper, speed, effort)


def _read_bound(limit: Element, attribute: str, notes: ReaderNotes) -> float:
    """The largest speed or force; as in SDF, a negative one means that there is no limit."""
    value = number_attribute(limit, attribute, infinite=True)
    if value >= 0:
        return read_bound(value)
    notes.add(f"<limit> with a negative {attribute}", "read as no limit, as in SDF", name_and_line(limit), warn=True)
    return math.inf


def _read_friction(joint: Element) -> Friction:
    element = joint.find("dynamics")
    if element is None:
        return Friction()
    return read_joint_friction(element, number_attribute(element, "damping", 0.0), number_attribute(element, "friction", 0.0))
