"""URDF, by the rules of urdfdom: its defaults, what it requires, what it refuses. Nothing is executed or fetched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lagrangian.description import xml
from lagrangian.description.mimic import without_motors
from lagrangian.description.notes import Notes
from lagrangian.description.urdf import expand, loop_file
from lagrangian.description.urdf.check import check, place
from lagrangian.description.urdf.joint import end, joint, mimicked
from lagrangian.description.urdf.link import body
from lagrangian.description.urdf.loop_file import LoopFile
from lagrangian.description.urdf.loops import couplings, loop_joints
from lagrangian.description.urdf.visual import materials
from lagrangian.description.xml import Element, text
from lagrangian.errors import ArgumentError, placed
from lagrangian.files import as_path
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.visible import as_name

ROOT_JOINT = "root_joint"
_TOP_LEVEL = ("link", "joint", "material", "loop", "coupling")
_XACRO = f"{expand.NOT_YET}; or name it robot.urdf.xacro or use load(path, xacro=True), and it is expanded automatically"
# what defines or includes something; other elements of xacro's name call a macro
_XACRO_ITSELF = tuple(f"xacro:{tag}" for tag in ("property", "macro", "include", "arg", "if", "unless", "insert_block", "call"))
LoopsOf = str | os.PathLike[str] | bool | None


def read(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    mimic: bool = False,
    loops: LoopsOf = None,
    xacro: bool | Mapping[str, Any] | None = None,
) -> Mechanism:
    """A mechanism from a URDF file.

    The root link is held to the ground by the joint `root_joint`: fixed, or free if `floating`. Joints are in the order of the
    file, after that one. Joints that `<mimic>` others move on their own, as in most other tools, unless `mimic` couples them;
    then they are passive.
    `loops` names a YAML file of loops and motors, or is False; otherwise it is looked for beside the URDF, under its name.
    A file called .xacro, or any file if `xacro` is True or the values of its arguments, is expanded first.
    """
    file = as_path(path)
    notes = Notes(str(file))
    if expand.wanted(file, xacro):
        notes.add("xacro file", "expanded by xacro; line numbers refer to the expanded text")
        text = expand.expanded(file, xacro)
        with placed(f"{file}, expanded by xacro"):
            return _read(xml.read_text(text, str(file)), file, floating, mimic, loops, notes)
    return _read(xml.read_file(file), file, floating, mimic, loops, notes)


def read_text(
    model: str,
    file: str = "<text>",
    *,
    floating: bool = False,
    mimic: bool = False,
    loops: LoopsOf = None,
    xacro: bool | Mapping[str, Any] | None = None,
) -> Mechanism:
    """A mechanism from a text of URDF; `file` is what its errors call it."""
    if xacro:
        raise ArgumentError(
            "is for files", argument="xacro", remedy="save the text to a file, so that xacro finds the files around it"
        )
    return _read(xml.read_text(model, file), None, floating, mimic, loops, Notes(file))


def _read(root: Element, file: Path | None, floating: bool, mimic: bool, loops: LoopsOf, notes: Notes) -> Mechanism:
    mechanism = _mechanism(root, floating, mimic, loop_file.beside(file, loops, notes), notes)
    notes.warn()
    return mechanism


def _mechanism(root: Element, floating: bool, mimic: bool, beside: LoopFile, notes: Notes) -> Mechanism:
    _refuse_xacro(root, notes)
    _check_root(root)
    check(root, notes)
    links = _by_name(root, "link")
    joints = _by_name(root, "joint")
    if not links:
        raise root.error('has no link; a robot needs at least one, such as <link name="base"/>')
    colors = materials(root, notes)
    names, joint_names = _body_names(links, notes), _named(joints, "joint", notes)
    base = _root_link(root, links, joints)
    bodies = [body(element, names[name], colors, notes) for name, element in links.items()]
    tree = [_root_joint(names[base], joints, floating, notes)]
    tree += [joint(element, joint_names[name], names, beside, notes) for name, element in joints.items()]
    _note_massless(bodies, tree, notes)
    mimics = mimicked({joint_names[name]: element for name, element in joints.items()}, tree, mimic, notes)
    if beside.motors is None:  # else the file says which joints have one
        tree = without_motors(tree, mimics)
    return Mechanism(
        name=text(root, "name", "").strip() or _stem(root, notes),
        bodies=tuple(bodies),
        joints=tuple(tree),
        loops=(*loop_joints(root, names), *beside.closures(names, tree, notes)),
        constraints=(*mimics.values(), *couplings(root, names, tree)),
        gravity=(0, 0, -9.81),
        notes=notes.lines(),
        file=root.file,
    )


# -- the file as a whole -----------------------------------------------------------------------------------------------


def _check_root(root: Element) -> None:
    if root.tag == "robot":
        if "name" not in root.attributes:
            raise root.error("needs the attribute 'name'")
        return
    known = {"mujoco": "this is a MuJoCo model (MJCF), not URDF", "sdf": "this is SDF, not URDF; give the file the suffix .sdf"}
    raise root.error(known.get(root.tag, 'a URDF file starts with <robot name="...">'))


def _stem(root: Element, notes: Notes) -> str:
    """The name of a robot that has none."""
    name = as_name(Path(root.file).stem) or "robot"
    notes.add("<robot> with an empty name", f"called {name!r}")
    return name


def _refuse_xacro(root: Element, notes: Notes) -> None:
    """Refuse a file that is yet to be expanded; of one that was, say which macros were not known then."""
    for element in root.walk():
        if element.tag in _XACRO_ITSELF:
            raise element.error(_XACRO)
        if element.tag.startswith("xacro:"):
            notes.add(
                f"<{element.tag}>", "xacro did not expand this element, so that its content is missing", place(element), warn=True
            )
    for part in (root, *(part for part in root.children if part.tag in _TOP_LEVEL)):  # extensions may hold any text
        for element in (part,) if part is root else part.walk():
            if any("${" in value or "$(" in value for value in element.attributes.values()):
                raise element.error(_XACRO)


def _note_massless(bodies: Iterable[Body], tree: Iterable[Joint], notes: Notes) -> None:
    """Many files are made to be drawn, and say nothing of inertia: torques of such a robot would be 0 without a word."""
    if any(j.kind.nv for j in tree) and not any(float(x) for b in bodies for x in (b.mass, *b.inertia)):
        meaning = "no link has an <inertial>; all torques are 0, a simulation is impossible, and only the kinematics are valid"
        notes.add("robot without mass", meaning, warn=True)


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = text(element, "name", None)
        if name is None:
            raise element.error("needs the attribute 'name'")
        first = found.setdefault(name, element)
        if first is not element:
            raise element.error(f"a {tag} of this name is already used in line {first.line}; names must differ")
    return found


def _named(elements: Mapping[str, Element], tag: str, notes: Notes) -> dict[str, str]:
    """The name of each element: its own, unless that is empty."""
    names = {name: name for name in elements}
    for name in [name for name in names if not name.strip()]:
        names[name] = _free_name(f"unnamed_{tag}", elements)
        notes.add(f"<{tag}> with an empty name", f"called {names[name]!r}", place(elements[name]))
    return names


def _body_names(links: Mapping[str, Element], notes: Notes) -> dict[str, str]:
    """The body of each link: the link's own name, unless it is empty or that of the fixed world."""
    names = _named(links, "link", notes)
    if GROUND in names:
        names[GROUND] = _free_name(f"{GROUND}_link", links)
        notes.add(f"link named {GROUND!r}", f"renamed to {names[GROUND]!r}, because {GROUND!r} is the fixed world")
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


def _root_link(root: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> str:
    """The one link that is no joint's child, from which all others hang."""
    parent: dict[str, str] = {}
    by: dict[str, Element] = {}
    for element in joints.values():
        link, child = end(element, "parent", links), end(element, "child", links)
        if link == child:
            raise element.error(f"joins link {link!r} to itself; parent and child must differ")
        if child in by:
            other = by[child]
            raise element.error(
                f"link {child!r} is already the child of {other.label} in line {other.line}; a URDF is a tree, "
                f"in which every link has one parent"
            )
        parent[child], by[child] = link, element
    roots = [link for link in links if link not in parent]
    if len(roots) > 1:
        shown = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:6]) + (", ..." if len(roots) > 6 else "")
        raise root.error(f"has {len(roots)} root links: {shown}; only one link may have no parent: connect the others by joints")
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
