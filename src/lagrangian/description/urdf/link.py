"""A link of a URDF as a body: its inertial data, and its visuals, with the colours of materials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lagrangian.description.files import find_file
from lagrangian.description.notes import ReaderNotes, body_with_noted_inertia
from lagrangian.description.schema import name_and_line
from lagrangian.description.urdf.origin import read_origin
from lagrangian.description.xml import Element, number_attribute, number_attributes, text_attribute
from lagrangian.errors import DescriptionError, error_location
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.shapes import Visual
from lagrangian.model.vector import NO_INERTIA

Colours = Mapping[str, tuple[float, ...]]

# the entries of an inertia, and the same entry across the diagonal
_MIRRORED_ENTRIES = {"ixx": "", "ixy": "iyx", "ixz": "izx", "iyy": "", "iyz": "izy", "izz": ""}


def read_body(link: Element, name: str, colours: Colours, notes: ReaderNotes) -> Body:
    """The body of a link; one without <inertial> has no mass."""
    for child in link.children:
        if child.tag == "collision":
            notes.add("<collision>", "ignored: contacts are not simulated")
    visuals = tuple(x for x in (_read_visual(element, colours, notes) for element in link.find_all("visual")) if x is not None)
    mass, center, inertia = _read_inertial(link, notes)
    with error_location(*link.where):
        return body_with_noted_inertia(name, mass, center, inertia, visuals, notes)


def _read_inertial(link: Element, notes: ReaderNotes) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre, and inertia about it along the link's axes. Missing values are 0, as in urdfdom, with a note."""
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


def _read_tensor(tensor: Element, notes: ReaderNotes) -> v.Symmetric:
    """The six entries: those on the diagonal are required; of a pair across the diagonal, the upper one counts."""
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


# -- visuals -------------------------------------------------------------------------------------------------------------


def read_materials(root: Element, notes: ReaderNotes) -> dict[str, tuple[float, ...]]:
    """The colours of the materials that all links of the robot can use."""
    colours = {}
    for element in root.find_all("material"):
        colour = _read_colour(element, notes)
        if colour:
            colours[element.attributes.get("name", "")] = colour
    return colours


def _read_visual(element: Element, colours: Colours, notes: ReaderNotes) -> Visual | None:
    """A visual, or None with a note if it cannot be drawn, which is no error: the link moves all the same."""
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


def _note_missing_mesh(file: str, description: str, notes: ReaderNotes) -> None:
    """Note a mesh that does not exist; a description that is a text has no files beside it."""
    try:
        if Path(description).is_file():
            find_file(file, description)
    except (DescriptionError, OSError, ValueError):
        notes.add("mesh file", "not found, so that it is not drawn", file)


def _read_size(shape: Element) -> tuple[float, ...] | None:
    """The size of a shape; None for a kind of shape that is not drawn."""
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
