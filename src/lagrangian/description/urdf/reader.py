"""Read a URDF by the rules of urdfdom: with its defaults, what it requires and what it refuses.

Nothing is downloaded, and nothing is executed except the expressions of a xacro file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lagrangian.description import xml
from lagrangian.description.joint_properties import with_passive_followers
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_urdf_schema, name_and_line
from lagrangian.description.urdf.joint import mimic_couplings, read_joint, read_link_name
from lagrangian.description.urdf.link import read_body, read_materials
from lagrangian.description.urdf.loop_file import LoopFile, find_loop_file
from lagrangian.description.urdf.loops import read_couplings, read_loop_joints
from lagrangian.description.urdf.xacro import NOT_EXPANDED, expand_xacro, is_xacro
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import ArgumentError, as_name, error_location
from lagrangian.files import as_path
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism

ROOT_JOINT = "root_joint"
_TOP_LEVEL = ("link", "joint", "material", "loop", "coupling")
_NOT_EXPANDED_MESSAGE = (
    f"{NOT_EXPANDED}; or name it robot.urdf.xacro or use load(path, xacro=True), and it is expanded automatically"
)
# elements of xacro that define or include something; other elements with its prefix call a macro
_XACRO_TAGS = tuple(f"xacro:{tag}" for tag in ("property", "macro", "include", "arg", "if", "unless", "insert_block", "call"))
LoopsOption = str | os.PathLike[str] | bool | None


def read(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    mimic: bool = False,
    loops: LoopsOption = None,
    xacro: bool | Mapping[str, Any] | None = None,
) -> Mechanism:
    """A mechanism from a URDF file.

    The joint `root_joint`, which comes first, connects the root link to the ground; it is fixed, or free if `floating`. The other
    joints are in the order of the file. Joints that `<mimic>` others move independently, as in most other tools, unless `mimic`
    couples them; then they are passive. `loops` is a YAML file of loops and motors, or False; by default a file of the same name
    beside the URDF is read. A file called .xacro, or any file if `xacro` is True or a mapping of arguments, is expanded first.
    """
    file = as_path(path)
    notes = ReaderNotes(str(file))
    if is_xacro(file, xacro):
        notes.add("xacro file", "expanded by xacro; line numbers refer to the expanded text")
        text = expand_xacro(file, xacro)
        with error_location(f"{file}, expanded by xacro"):
            return _read(xml.read_text(text, str(file)), file, floating, mimic, loops, notes)
    return _read(xml.read_file(file), file, floating, mimic, loops, notes)


def read_text(
    model: str,
    file: str = "<text>",
    *,
    floating: bool = False,
    mimic: bool = False,
    loops: LoopsOption = None,
    xacro: bool | Mapping[str, Any] | None = None,
) -> Mechanism:
    """A mechanism from a text of URDF; `file` is what its errors call it."""
    if xacro:
        raise ArgumentError(
            "is for files", argument="xacro", remedy="save the text to a file, so that xacro finds the files around it"
        )
    return _read(xml.read_text(model, file), None, floating, mimic, loops, ReaderNotes(file))


def _read(root: Element, file: Path | None, floating: bool, mimic: bool, loops: LoopsOption, notes: ReaderNotes) -> Mechanism:
    mechanism = _read_mechanism(root, floating, mimic, find_loop_file(file, loops, notes), notes)
    notes.warn()
    return mechanism


def _read_mechanism(root: Element, floating: bool, mimic: bool, loop_file: LoopFile, notes: ReaderNotes) -> Mechanism:
    _refuse_xacro(root, notes)
    _check_root(root)
    check_urdf_schema(root, notes)
    links = _elements_by_name(root, "link")
    joints = _elements_by_name(root, "joint")
    if not links:
        raise root.error('has no link; a robot needs at least one, such as <link name="base"/>')
    colours = read_materials(root, notes)
    names, joint_names = _body_names(links, notes), _fill_empty_names(joints, "joint", notes)
    base = _root_link(root, links, joints)
    bodies = [read_body(element, names[name], colours, notes) for name, element in links.items()]
    tree = [_root_joint(names[base], joints, floating, notes)]
    tree += [read_joint(element, joint_names[name], names, loop_file, notes) for name, element in joints.items()]
    _note_massless(bodies, tree, notes)
    mimics = mimic_couplings({joint_names[name]: element for name, element in joints.items()}, tree, mimic, notes)
    if loop_file.motors is None:  # else the file says which joints have one
        tree = with_passive_followers(tree, mimics)
    return Mechanism(
        name=text_attribute(root, "name", "").strip() or _name_from_file(root, notes),
        bodies=tuple(bodies),
        joints=tuple(tree),
        loops=(*read_loop_joints(root, names), *loop_file.loop_joints(names, tree, notes)),
        constraints=(*mimics.values(), *read_couplings(root, names, tree)),
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
    formats = {"mujoco": "this is a MuJoCo model (MJCF), not URDF", "sdf": "this is SDF, not URDF; give the file the suffix .sdf"}
    raise root.error(formats.get(root.tag, 'a URDF file starts with <robot name="...">'))


def _name_from_file(root: Element, notes: ReaderNotes) -> str:
    """A name for a robot whose name is empty."""
    name = as_name(Path(root.file).stem) or "robot"
    notes.add("<robot> with an empty name", f"called {name!r}")
    return name


def _refuse_xacro(root: Element, notes: ReaderNotes) -> None:
    """Refuse a file that xacro must expand first; in an expanded one, note macros that xacro did not know."""
    for element in root.walk():
        if element.tag in _XACRO_TAGS:
            raise element.error(_NOT_EXPANDED_MESSAGE)
        if element.tag.startswith("xacro:"):
            notes.add(
                f"<{element.tag}>",
                "xacro did not expand this element, so that its content is missing",
                name_and_line(element),
                warn=True,
            )
    for part in (root, *(part for part in root.children if part.tag in _TOP_LEVEL)):  # extensions may hold any text
        for element in (part,) if part is root else part.walk():
            if any("${" in value or "$(" in value for value in element.attributes.values()):
                raise element.error(_NOT_EXPANDED_MESSAGE)


def _note_massless(bodies: Iterable[Body], tree: Iterable[Joint], notes: ReaderNotes) -> None:
    """Warn of a robot without inertial data, such as one that is only drawn: all its torques would be 0."""
    if any(j.kind.nv for j in tree) and not any(float(x) for b in bodies for x in (b.mass, *b.inertia)):
        meaning = "no link has an <inertial>; all torques are 0, a simulation is impossible, and only the kinematics are valid"
        notes.add("robot without mass", meaning, warn=True)


def _elements_by_name(root: Element, tag: str) -> dict[str, Element]:
    elements: dict[str, Element] = {}
    for element in root.find_all(tag):
        name = text_attribute(element, "name", None)
        if name is None:
            raise element.error("needs the attribute 'name'")
        first = elements.setdefault(name, element)
        if first is not element:
            raise element.error(f"a {tag} of this name is already used in line {first.line}; names must differ")
    return elements


def _fill_empty_names(elements: Mapping[str, Element], tag: str, notes: ReaderNotes) -> dict[str, str]:
    """The name of each element: its own, unless that is empty."""
    names = {name: name for name in elements}
    for name in [name for name in names if not name.strip()]:
        names[name] = _free_name(f"unnamed_{tag}", elements)
        notes.add(f"<{tag}> with an empty name", f"called {names[name]!r}", name_and_line(elements[name]))
    return names


def _body_names(links: Mapping[str, Element], notes: ReaderNotes) -> dict[str, str]:
    """The body of each link: the link's own name, unless it is empty or that of the fixed world."""
    names = _fill_empty_names(links, "link", notes)
    if GROUND in names:
        names[GROUND] = _free_name(f"{GROUND}_link", links)
        notes.add(f"link named {GROUND!r}", f"renamed to {names[GROUND]!r}, because {GROUND!r} is the fixed world")
    return names


def _free_name(name: str, used_names: Iterable[str]) -> str:
    name_set = set(used_names)
    while name in name_set:
        name += "_"
    return name


def _root_joint(base: str, joints: Mapping[str, Element], floating: bool, notes: ReaderNotes) -> Joint:
    name = _free_name(ROOT_JOINT, joints)
    if name != ROOT_JOINT:
        notes.add(f"joint named {ROOT_JOINT!r}", f"the joint of the root link to {GROUND!r} is therefore called {name!r}")
    return Joint(name, "free" if floating else "fixed", GROUND, base, actuated=not floating)


# -- the tree ----------------------------------------------------------------------------------------------------------


def _root_link(root: Element, links: Mapping[str, Element], joints: Mapping[str, Element]) -> str:
    """The root link: the one link that is not the child of a joint."""
    parent: dict[str, str] = {}
    joint_of_child: dict[str, Element] = {}
    for element in joints.values():
        parent_link, child = read_link_name(element, "parent", links), read_link_name(element, "child", links)
        if parent_link == child:
            raise element.error(f"joins link {parent_link!r} to itself; parent and child must differ")
        if child in joint_of_child:
            other_joint = joint_of_child[child]
            raise element.error(
                f"link {child!r} is already the child of {other_joint.label} in line {other_joint.line}; a URDF is a tree, "
                f"in which every link has one parent"
            )
        parent[child], joint_of_child[child] = parent_link, element
    roots = [parent_link for parent_link in links if parent_link not in parent]
    if len(roots) > 1:
        names = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:6]) + (", ..." if len(roots) > 6 else "")
        raise root.error(f"has {len(roots)} root links: {names}; only one link may have no parent: connect the others by joints")
    _refuse_cycle(parent, joint_of_child, set(roots))
    return roots[0]


def _refuse_cycle(parent: Mapping[str, str], joint_of_child: Mapping[str, Element], visited_links: set[str]) -> None:
    for link in parent:
        path: dict[str, None] = {}  # an ordered set
        current = link
        while current not in visited_links:
            if current in path:
                links_on_path = list(path)
                cycle = links_on_path[links_on_path.index(current) :][::-1]  # from parent to child
                cycle_text = " -> ".join([*cycle[:8], *(["..."] if len(cycle) > 8 else []), cycle[0]])
                last = max((joint_of_child[name] for name in cycle), key=lambda element: element.line)
                raise last.error(f"the joints form a cycle: {cycle_text}; a URDF is a tree with one root link")
            path[current] = None
            current = parent[current]
        visited_links.update(path)
