"""URDF, by the rules of urdfdom: its defaults, what it requires, what it refuses. Nothing is executed or fetched."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lagrangian.description import xml
from lagrangian.description.notes import Notes
from lagrangian.description.urdf.check import NOT_CARRIED, check
from lagrangian.description.urdf.link import body, materials, origin
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import one_of, placed
from lagrangian.model import joints as joint_types
from lagrangian.model.body import Body
from lagrangian.model.constraint import Holonomic
from lagrangian.model.expression import symbol
from lagrangian.model.joint import AT_JOINT, Friction, Joint, Limits
from lagrangian.model.mechanism import GROUND, Mechanism

ROOT_JOINT = "root_joint"
_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_TOP_LEVEL = ("link", "joint", "material")
_XACRO = "this is a xacro file, not yet a URDF; run xacro first: `xacro robot.urdf.xacro > robot.urdf`"


def read(path: str | os.PathLike[str], *, floating: bool = False, mimic: bool = False) -> Mechanism:
    """A mechanism from a URDF file.

    The root link is held to the ground by the joint `root_joint`: fixed, or free if `floating`. Joints are in the order of the
    file, after that one. Joints that `<mimic>` others move on their own, as in most other tools, unless `mimic` couples them.
    """
    root = xml.read_file(path)
    mechanism, notes = _mechanism(root, floating, mimic)
    notes.warn()
    return mechanism


def read_text(model: str, file: str = "<text>", *, floating: bool = False, mimic: bool = False) -> Mechanism:
    """A mechanism from a text of URDF; `file` is what its errors call it."""
    mechanism, notes = _mechanism(xml.read_text(model, file), floating, mimic)
    notes.warn()
    return mechanism


def _mechanism(root: Element, floating: bool, mimic: bool) -> tuple[Mechanism, Notes]:
    _refuse_xacro(root)
    _check_root(root)
    notes = Notes(root.file)
    check(root, notes)
    links = _by_name(root, "link")
    joints = _by_name(root, "joint")
    if not links:
        raise root.error('has no link; a robot needs at least one, such as <link name="base"/>')
    colors = materials(root, notes)
    names = _body_names(links, notes)
    base = _root_link(root, links, joints)
    bodies = [body(element, names[name], colors, notes) for name, element in links.items()]
    tree = [_root_joint(names[base], joints, floating, notes)]
    tree += [_joint(element, names, notes) for element in joints.values()]
    coupled = _couplings(joints, tree, mimic, notes)
    return _assembled(root, bodies, tree, coupled, notes), notes


def _assembled(root: Element, bodies: list[Body], joints: list[Joint], coupled: tuple[Holonomic, ...], notes: Notes) -> Mechanism:
    return Mechanism(
        name=text(root, "name"),
        bodies=tuple(bodies),
        joints=tuple(joints),
        constraints=coupled,
        gravity=(0, 0, -9.81),
        notes=notes.lines(),
        file=root.file,
    )


# -- the file as a whole -----------------------------------------------------------------------------------------------


def _check_root(root: Element) -> None:
    if root.tag == "robot":
        text(root, "name")
        return
    known = {"mujoco": "this is a MuJoCo model (MJCF), not URDF", "sdf": "this is SDF, not URDF; convert it to URDF first"}
    raise root.error(known.get(root.tag, 'a URDF file starts with <robot name="...">'))


def _refuse_xacro(root: Element) -> None:
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise element.error(_XACRO)
    for part in (root, *(part for part in root.children if part.tag in _TOP_LEVEL)):  # extensions may hold any text
        for element in (part,) if part is root else part.walk():
            if any("${" in value or "$(" in value for value in element.attributes.values()):
                raise element.error(_XACRO)


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = text(element, "name")
        first = found.setdefault(name, element)
        if first is not element:
            raise element.error(f"a {tag} of this name is already in line {first.line}; names must differ")
    return found


def _body_names(links: Mapping[str, Element], notes: Notes) -> dict[str, str]:
    """The body of each link: the link's own name, unless it is that of the fixed world."""
    names = {name: name for name in links}
    if GROUND in names:
        names[GROUND] = _free_name(f"{GROUND}_link", links)
        notes.add(f"link named {GROUND!r}", f"called {names[GROUND]!r}, as {GROUND!r} is the fixed world")
    return names


def _free_name(name: str, taken: Iterable[str]) -> str:
    known = set(taken)
    while name in known:
        name += "_"
    return name


def _root_joint(base: str, joints: Mapping[str, Element], floating: bool, notes: Notes) -> Joint:
    name = _free_name(ROOT_JOINT, joints)
    if name != ROOT_JOINT:
        notes.add(f"joint named {ROOT_JOINT!r}", f"the joint of the root link to {GROUND!r} is therefore called {name!r}")
    return Joint(name, "free" if floating else "fixed", GROUND, base, actuated=not floating)


# -- the tree ----------------------------------------------------------------------------------------------------------


def _end(joint: Element, role: str, links: Collection[str]) -> str:
    element = joint.find(role)
    if element is None:
        raise joint.error(f'has no {role}; it needs <{role} link="..."/>')
    link = text(element, "link")
    if link not in links:
        raise element.error(one_of("link", link, links))
    return link


def _root_link(root: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> str:
    """The one link that is no joint's child, from which all others hang."""
    parent: dict[str, str] = {}
    by: dict[str, Element] = {}
    for joint in joints.values():
        link, child = _end(joint, "parent", links), _end(joint, "child", links)
        if link == child:
            raise joint.error(f"joins link {link!r} to itself; parent and child must differ")
        if child in by:
            other = by[child]
            raise joint.error(
                f"link {child!r} is already the child of {other.label} in line {other.line}; a URDF is a tree, "
                f"in which every link has one parent"
            )
        parent[child], by[child] = link, joint
    roots = [link for link in links if link not in parent]
    if len(roots) > 1:
        shown = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:6]) + (", ..." if len(roots) > 6 else "")
        raise root.error(f"has {len(roots)} root links: {shown}; only one may be without a parent: connect the others by a joint")
    _refuse_cycle(parent, by, set(roots))
    return roots[0]


def _refuse_cycle(parent: Mapping[str, str], by: Mapping[str, Element], reached: set[str]) -> None:
    for link in parent:
        path: dict[str, None] = {}  # an ordered set
        at = link
        while at not in reached:
            if at in path:
                around = list(path)
                cycle = around[around.index(at) :][::-1]  # from parent to child
                shown = " -> ".join([*cycle[:8], *(["..."] if len(cycle) > 8 else []), cycle[0]])
                last = max((by[name] for name in cycle), key=lambda element: element.line)
                raise last.error(f"the joints form a cycle: {shown}; a URDF is a tree with one root link")
            path[at] = None
            at = parent[at]
        reached.update(path)


# -- joints ------------------------------------------------------------------------------------------------------------


def _joint(element: Element, names: Mapping[str, str], notes: Notes) -> Joint:
    name = text(element, "name")
    kind = text(element, "type")
    if kind not in _TYPES:
        raise element.error(f"type: {one_of('joint type', kind, _TYPES)}")
    for tag in ("calibration", "safety_controller"):
        if element.find(tag) is not None:
            notes.add(f"<{tag}> of a <joint>", NOT_CARRIED, name)
    own: dict[str, Any] = {}
    if any(entry.name == "axis" for entry in joint_types.TYPES[_TYPES[kind]].entries):
        given = element.find("axis")
        own["axis"] = (1.0, 0.0, 0.0) if given is None else numbers(given, "xyz", 3)
    with placed(*element.where):
        return Joint(
            name,
            _TYPES[kind],
            names[_end(element, "parent", names)],
            names[_end(element, "child", names)],
            origin(element),
            **own,
            **_at_joint(element, kind, notes),
            actuated=kind != "floating",
        )


def _at_joint(element: Element, kind: str, notes: Notes) -> dict[str, Any]:
    """Friction and limits, without those that mean nothing for a joint of this type, which URDF allows."""
    found: dict[str, Any] = {"friction": _friction(element), "limits": _limits(element, kind, notes)}
    for key, tag in (("friction", "dynamics"), ("limits", "limit")):
        if key in joint_types.TYPES[_TYPES[kind]].refuses and found.pop(key) != AT_JOINT[key]():
            notes.add(f"<{tag}> of a {kind} joint", f"{NOT_CARRIED}: it means nothing there", element.attributes["name"])
    return found


def _couplings(joints: Mapping[str, Element], tree: list[Joint], mimic: bool, notes: Notes) -> tuple[Holonomic, ...]:
    """follower = multiplier * leader + offset, of every `<mimic>` joint; if they are not to be coupled, it is said."""
    single = {joint.name for joint in tree if joint.kind.nq == 1}
    found = []
    for name, joint in joints.items():
        element = joint.find("mimic")
        if element is None:
            continue
        if not mimic:
            notes.add("<mimic> joint", f"{NOT_CARRIED}: it moves on its own; load(path, mimic=True) couples it", name, warn=True)
            continue
        leader = text(element, "joint")
        if name not in single:
            raise element.error(f"joint {name!r} has no single coordinate that could follow another's")
        if leader not in single or leader == name:
            raise element.error(f"joint: {one_of('other joint of one coordinate called', leader, single - {name})}")
        multiplier, offset = number(element, "multiplier", 1.0), number(element, "offset", 0.0)
        found.append(Holonomic(f"{name}_mimic", symbol(name) - multiplier * symbol(leader) - offset))
    return tuple(found)


def _limits(joint: Element, kind: str, notes: Notes) -> Limits:
    element = joint.find("limit")
    bounded = kind in ("revolute", "prismatic")
    if element is None:
        if not bounded:
            return Limits()
        instead = '; one that turns without end is of type "continuous"' if kind == "revolute" else ""
        raise joint.error(f'a {kind} joint needs <limit lower="..." upper="..." effort="..." velocity="..."/>{instead}')
    speed, effort = number(element, "velocity", infinite=True), number(element, "effort", infinite=True)
    # urdfdom's default of both is 0
    lower, upper = number(element, "lower", 0.0, infinite=True), number(element, "upper", 0.0, infinite=True)
    if not bounded:
        if (lower or upper) and not (math.isinf(lower) and math.isinf(upper)):
            notes.add(f"<limit> lower and upper of a {kind} joint", NOT_CARRIED, joint.attributes["name"])
        with placed(*element.where):
            return Limits(speed=speed, effort=effort)
    if "lower" not in element.attributes and "upper" not in element.attributes:
        notes.add("<limit> without lower and upper", "both are 0, as URDF says", joint.attributes["name"])
    with placed(*element.where):
        return Limits(lower, upper, speed, effort)


def _friction(joint: Element) -> Friction:
    element = joint.find("dynamics")
    if element is None:
        return Friction()
    damping, friction = number(element, "damping", 0.0), number(element, "friction", 0.0)
    for what, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            raise element.error(f"{what} is {value:g}; it cannot be negative, or it would drive the joint")
    return Friction(damping, friction, friction)
