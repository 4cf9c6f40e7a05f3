"""A joint of a URDF, and joints that mimic others."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from lagrangian.description.joint_friction import joint_friction
from lagrangian.description.notes import Notes
from lagrangian.description.urdf.check import NOT_CARRIED, place
from lagrangian.description.urdf.loop_file import LoopFile
from lagrangian.description.urdf.origin import origin
from lagrangian.description.writing.at_joint import read_bound
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import Argument, one_of, placed
from lagrangian.model import joints as joint_types
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import symbol
from lagrangian.model.joint import AT_JOINT, Friction, Joint, Limits

_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_BEYOND_SPEED = ("acceleration", "deceleration", "jerk")  # limits of URDF 1.2


def end(joint: Element, role: str, links: Collection[str]) -> str:
    """The link that is a joint's `parent` or `child`, or an end of a loop."""
    element = joint.find(role)
    if element is None:
        raise joint.error(f'has no {role}; it needs <{role} link="..."/>')
    link = text(element, "link", None)
    if link is None:
        raise element.error("needs the attribute 'link'")
    if link not in links:
        raise element.error(one_of("link", link, links))
    return link


def joint(element: Element, name: str, bodies: Mapping[str, str], beside: LoopFile, notes: Notes) -> Joint:
    """A joint called `name`, between the bodies of links; `beside` may give it another type."""
    kind = text(element, "type")
    if kind not in _TYPES:
        raise element.error(f"type: {one_of('joint type', kind, _TYPES)}")
    for tag in ("calibration", "safety_controller"):
        if element.find(tag) is not None:
            notes.add(f"<{tag}> of a <joint>", NOT_CARRIED, name)
    if "independent" in element.attributes:
        notes.add("'independent' of a <joint>", f"{NOT_CARRIED}: any coordinates can be independent", name)
    parent, child = (bodies[end(element, role, bodies)] for role in ("parent", "child"))
    at = origin(element)
    own: dict[str, Any] = {}
    other = beside.types.get(name)
    if other is not None:
        own = other.entries
        if element.find("dynamics") is not None or element.find("limit") is not None:
            notes.add(f"<dynamics> and <limit> of a joint that {beside.name} makes another", NOT_CARRIED, name)
    else:
        if any(entry.name == "axis" for entry in joint_types.TYPES[_TYPES[kind]].entries):
            given = element.find("axis")
            own["axis"] = (1.0, 0.0, 0.0) if given is None else numbers(given, "xyz", 3)
        own |= _at_joint(element, name, kind, notes)
    actuated = kind != "floating" if beside.motors is None else name in beside.motors
    with placed(*element.where):
        return Joint(name, _TYPES[kind] if other is None else other.type, parent, child, at, **own, actuated=actuated)


def _at_joint(element: Element, name: str, kind: str, notes: Notes) -> dict[str, Any]:
    """Friction and limits, without those that mean nothing for a joint of this type, which URDF allows."""
    found: dict[str, Any] = {"friction": _friction(element), "limits": _limits(element, name, kind, notes)}
    for key, tag in (("friction", "dynamics"), ("limits", "limit")):
        if key in joint_types.TYPES[_TYPES[kind]].refuses and found.pop(key) != AT_JOINT[key]():
            notes.add(f"<{tag}> of a {kind} joint", f"{NOT_CARRIED}: it has no meaning there", name)
    return found


def mimicked(joints: Mapping[str, Element], tree: list[Joint], mimic: bool, notes: Notes) -> dict[str, Holonomic]:
    """follower = multiplier * leader + offset, by the follower, of every `<mimic>` joint; if they are not coupled, it is said."""
    single = {joint.name for joint in tree if joint.kind.nq == 1}
    found: dict[str, Holonomic] = {}
    for name, joint in joints.items():
        element = joint.find("mimic")
        if element is None:
            continue
        if not mimic:
            meaning = f"{NOT_CARRIED}: the joint moves independently; {Argument('mimic', True, of='load(path)')} couples it"
            notes.add("<mimic> joint", meaning, place(joint), warn=True)
            continue
        leader = text(element, "joint")
        if name not in single:
            raise element.error(f"joint {name!r} does not have exactly one coordinate, so that it cannot follow another")
        if leader not in single or leader == name:
            raise element.error(f"joint: {one_of('other joint of one coordinate called', leader, single - {name})}")
        multiplier, offset = number(element, "multiplier", 1.0), number(element, "offset", 0.0)
        found[name] = Holonomic(f"{name}_mimic", symbol(name) - multiplier * symbol(leader) - offset)
    return found


def _limits(joint: Element, name: str, kind: str, notes: Notes) -> Limits:
    element = joint.find("limit")
    bounded = kind in ("revolute", "prismatic")
    if element is None:
        if not bounded:
            return Limits()
        instead = '; a joint without limits has the type "continuous"' if kind == "revolute" else ""
        raise joint.error(f'a {kind} joint needs <limit lower="..." upper="..." effort="..." velocity="..."/>{instead}')
    for beyond in _BEYOND_SPEED:
        if beyond in element.attributes:
            notes.add(f"{beyond!r} of a <limit>", f"{NOT_CARRIED}: only position, speed and force have limits", name)
    speed, effort = _bound(element, "velocity", notes), _bound(element, "effort", notes)
    lower, upper = (read_bound(number(element, key, 0.0, infinite=True)) for key in ("lower", "upper"))
    if not bounded:
        if (lower or upper) and not (math.isinf(lower) and math.isinf(upper)):
            notes.add(f"<limit> lower and upper of a {kind} joint", NOT_CARRIED, name)
        with placed(*element.where):
            return Limits(speed=speed, effort=effort)
    # URDF's default of each is 0; but a joint that is held at 0 by both is not what anybody means
    unsaid = "lower" not in element.attributes and "upper" not in element.attributes
    if unsaid:
        meaning = "read as no limit; other programs read both as 0, as the format specifies"
        notes.add("<limit> without lower and upper", meaning, place(element), warn=True)
    elif lower > upper:  # no position is within: Bullet's way to say that there is no limit
        notes.add("<limit> whose lower is above its upper", "read as no limit of position", place(element), warn=True)
    if unsaid or lower > upper:
        lower, upper = -math.inf, math.inf
    with placed(*element.where):
        return Limits(lower, upper, speed, effort)


def _bound(limit: Element, attribute: str, notes: Notes) -> float:
    """The largest speed or force; a negative one is written where there is none, as it is in SDF."""
    value = number(limit, attribute, infinite=True)
    if value >= 0:
        return read_bound(value)
    notes.add(f"<limit> with a negative {attribute}", "read as no limit, as in SDF", place(limit), warn=True)
    return math.inf


def _friction(joint: Element) -> Friction:
    element = joint.find("dynamics")
    if element is None:
        return Friction()
    return joint_friction(element, number(element, "damping", 0.0), number(element, "friction", 0.0))
