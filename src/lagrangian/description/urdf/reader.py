"""URDF, by the rules of urdfdom: its defaults, what it requires, what it refuses. Nothing is executed or fetched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lagrangian.description import xml
from lagrangian.description.files import find_file
from lagrangian.description.joint_properties import with_passive_followers
from lagrangian.description.notes import ReaderNotes, body_with_noted_inertia
from lagrangian.description.schema import check_urdf_schema, name_and_line
from lagrangian.description.urdf import loop_file
from lagrangian.description.urdf import xacro as expand
from lagrangian.description.urdf.joint import mimic_couplings, read_joint, read_link_name
from lagrangian.description.urdf.loop_file import LoopFile
from lagrangian.description.urdf.loops import read_couplings, read_loop_joints
from lagrangian.description.urdf.origin import read_origin
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import ArgumentError, DescriptionError, as_name, error_location
from lagrangian.files import as_path
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.shapes import Visual
from lagrangian.model.vector import NO_INERTIA

# MERGED lagrangian.description.urdf.visual: What a URDF says is to be seen of a link. Nothing here is an error: what cannot
# be drawn moves all the same.

Colours = Mapping[str, tuple[float, ...]]


def read_materials(root: Element, notes: ReaderNotes) -> dict[str, tuple[float, ...]]:
    """The colours of the materials that the robot names for all its links."""
    colours = {}
    for element in root.find_all("material"):
        colour = _read_colour(element, notes)
        if colour:
            colours[element.attributes.get("name", "")] = colour
    return colours


def read_visual(element: Element, colours: Colours, notes: ReaderNotes) -> Visual | None:
    """A visual, or None if it is not drawn, which is noted."""
    geometry = element.find("geometry")
    if geometry is None or not geometry.children:
        notes.add("<visual> without geometry", "not drawn", name_and_line(element))
        return None
    shape = geometry.children[0]
    if len(geometry.children) > 1:
        notes.add("<geometry> with several shapes", "only the first is drawn", element.attributes.get("name", ""))
    try:
        placement, size = read_origin(element), _read_size(shape)
    except DescriptionError as error:
        notes.add("<visual> with a mistake", f"not drawn: {error.problem}", name_and_line(element))
        return None
    if size is None:
        notes.add(f"<{shape.tag}> of a visual", "ignored: shapes of this kind are not drawn")
        return None
    file = shape.attributes.get("filename", "") if shape.tag == "mesh" else ""
    if file:
        _note_missing_mesh(file, element.file, notes)
    material = element.find("material")
    colour: tuple[float, ...] = ()
    if material is not None:
        colour = _read_colour(material, notes) or colours.get(material.attributes.get("name", ""), ())
    return Visual(shape.tag, size, placement, colour, file)


def _note_missing_mesh(file: str, beside: str, notes: ReaderNotes) -> None:
    """Say which meshes are not there; a text, which is no file, has nothing beside it."""
    try:
        if Path(beside).is_file():
            find_file(file, beside)
    except (DescriptionError, OSError, ValueError):
        notes.add("mesh file", "not found, so that it is not drawn", file)


def _read_size(shape: Element) -> tuple[float, ...] | None:
    """What a shape's kind needs; None of a kind that is not drawn."""
    match shape.tag:
        case "box":
            return number_attributes(shape, "size", 3)
        case "cylinder" | "capsule":
            return number_attribute(shape, "radius"), number_attribute(shape, "length")
        case "sphere":
            return (number_attribute(shape, "radius"),)
        case "mesh":
            text_attribute(shape, "filename")
            is_uniform = len(shape.attributes.get("scale", "").split()) == 1  # along all axes
            return (
                3 * number_attributes(shape, "scale", 1) if is_uniform else number_attributes(shape, "scale", 3, (1.0, 1.0, 1.0))
            )
    return None


def _read_colour(material: Element, notes: ReaderNotes) -> tuple[float, ...]:
    if material.find("texture") is not None:
        notes.add("<texture> of a material", "ignored", material.attributes.get("name", ""))
    element = material.find("color")
    try:
        return number_attributes(element, "rgba", 4) if element is not None else ()
    except DescriptionError as error:
        notes.add("<color> with a mistake", f"ignored: {error.problem}", name_and_line(material))
        return ()


# MERGED lagrangian.description.urdf.link: A link of a URDF as a body, with its inertial data.


def read_body(link: Element, name: str, colours: Colours, notes: ReaderNotes) -> Body:
    """The body of a link; one without <inertial> has no mass."""
    for child in link.children:
        if child.tag == "collision":
            notes.add("<collision>", "ignored: contacts are not simulated")
    visuals = tuple(x for x in (read_visual(element, colours, notes) for element in link.find_all("visual")) if x is not None)
    mass, center, inertia = _read_inertial(link, notes)
    with error_location(*link.where):
        return body_with_noted_inertia(name, mass, center, inertia, visuals, notes)


def _read_inertial(link: Element, notes: ReaderNotes) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia about it, along the link's axes. What is left out is 0, as in urdfdom, and said."""
    element = link.find("inertial")
    if element is None:
        return 0.0, v.ZERO, NO_INERTIA
    mass_element, tensor = element.find("mass"), element.find("inertia")
    if mass_element is None:
        notes.add("<inertial> without <mass>", "the link has neither mass nor inertia", name_and_line(element), warn=True)
        return 0.0, v.ZERO, NO_INERTIA
    mass = number_attribute(mass_element, "value")
    if mass_element.attributes["value"] != mass_element.attributes["value"].strip():
        meaning = "accepted; urdfdom and Pinocchio read mass and inertia of this link as 0"
        notes.add("<mass> with white space in its number", meaning, name_and_line(mass_element))
    if mass < 0:
        raise mass_element.error(f"the mass is {mass:g} kg; it cannot be negative")
    placement = read_origin(element)
    if tensor is None:
        if mass:
            notes.add("<inertial> without <inertia>", "the link is a point mass", name_and_line(element), warn=True)
        return mass, placement.position, NO_INERTIA
    inertia = _read_tensor(tensor, notes)
    return mass, placement.position, inertia if placement.rotation == v.IDENTITY else v.sym_rotate(placement.rotation, inertia)


_MIRRORED_ENTRIES = {
    "ixx": "",
    "ixy": "iyx",
    "ixz": "izx",
    "iyy": "",
    "iyz": "izy",
    "izz": "",
}  # with the same entry across the diagonal


def _read_tensor(tensor: Element, notes: ReaderNotes) -> v.Symmetric:
    """The entries on the diagonal must be there; of a pair across it, the upper one counts."""
    if any(value != value.strip() for value in tensor.attributes.values()):
        meaning = "accepted; urdfdom and Pinocchio read this inertia as 0"
        notes.add("<inertia> with white space in a number", meaning, name_and_line(tensor))
    entries = []
    for key, mirrored_key in _MIRRORED_ENTRIES.items():
        mirrored_value = number_attribute(tensor, mirrored_key, None) if mirrored_key else None
        if key in tensor.attributes or not mirrored_key:
            entries.append(number_attribute(tensor, key))
            if mirrored_value is not None and mirrored_value != entries[-1]:
                notes.add(f"<inertia> whose {mirrored_key} is not its {key}", f"{key} counts", name_and_line(tensor), warn=True)
        elif mirrored_value is not None:
            entries.append(mirrored_value)
            notes.add(
                f"<inertia> with {mirrored_key} instead of {key}",
                "accepted, because the tensor is symmetric",
                name_and_line(tensor),
                warn=True,
            )
        else:
            entries.append(0.0)
            notes.add(f"<inertia> without {key}", "it is 0", name_and_line(tensor), warn=True)
    return tuple(entries)  # type: ignore[return-value]


ROOT_JOINT = "root_joint"
_TOP_LEVEL = ("link", "joint", "material", "loop", "coupling")
_NOT_EXPANDED = (
    f"{expand.NOT_EXPANDED}; or name it robot.urdf.xacro or use load(path, xacro=True), and it is expanded automatically"
)
# what defines or includes something; other elements of xacro's name call a macro
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

    The root link is held to the ground by the joint `root_joint`: fixed, or free if `floating`. Joints are in the order of the
    file, after that one. Joints that `<mimic>` others move on their own, as in most other tools, unless `mimic` couples them;
    then they are passive.
    `loops` names a YAML file of loops and motors, or is False; otherwise it is looked for beside the URDF, under its name.
    A file called .xacro, or any file if `xacro` is True or the values of its arguments, is expanded first.
    """
    file = as_path(path)
    notes = ReaderNotes(str(file))
    if expand.is_xacro(file, xacro):
        notes.add("xacro file", "expanded by xacro; line numbers refer to the expanded text")
        text = expand.expand_xacro(file, xacro)
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
    mechanism = _read_mechanism(root, floating, mimic, loop_file.find_loop_file(file, loops, notes), notes)
    notes.warn()
    return mechanism


def _read_mechanism(root: Element, floating: bool, mimic: bool, loop_description: LoopFile, notes: ReaderNotes) -> Mechanism:
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
    tree += [read_joint(element, joint_names[name], names, loop_description, notes) for name, element in joints.items()]
    _note_massless(bodies, tree, notes)
    mimics = mimic_couplings({joint_names[name]: element for name, element in joints.items()}, tree, mimic, notes)
    if loop_description.motors is None:  # else the file says which joints have one
        tree = with_passive_followers(tree, mimics)
    return Mechanism(
        name=text_attribute(root, "name", "").strip() or _name_from_file(root, notes),
        bodies=tuple(bodies),
        joints=tuple(tree),
        loops=(*read_loop_joints(root, names), *loop_description.loop_joints(names, tree, notes)),
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
    """The name of a robot that has none."""
    name = as_name(Path(root.file).stem) or "robot"
    notes.add("<robot> with an empty name", f"called {name!r}")
    return name


def _refuse_xacro(root: Element, notes: ReaderNotes) -> None:
    """Refuse a file that is yet to be expanded; of one that was, say which macros were not known then."""
    for element in root.walk():
        if element.tag in _XACRO_TAGS:
            raise element.error(_NOT_EXPANDED)
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
                raise element.error(_NOT_EXPANDED)


def _note_massless(bodies: Iterable[Body], tree: Iterable[Joint], notes: ReaderNotes) -> None:
    """Many files are made to be drawn, and say nothing of inertia: torques of such a robot would be 0 without a word."""
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
    """The one link that is no joint's child, from which all others hang."""
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
        link_at = link
        while link_at not in visited_links:
            if link_at in path:
                links_on_path = list(path)
                cycle = links_on_path[links_on_path.index(link_at) :][::-1]  # from parent to child
                cycle_text = " -> ".join([*cycle[:8], *(["..."] if len(cycle) > 8 else []), cycle[0]])
                last = max((joint_of_child[name] for name in cycle), key=lambda element: element.line)
                raise last.error(f"the joints form a cycle: {cycle_text}; a URDF is a tree with one root link")
            path[link_at] = None
            link_at = parent[link_at]
        visited_links.update(path)
