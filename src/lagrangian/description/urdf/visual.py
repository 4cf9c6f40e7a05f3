"""What a URDF says is to be seen of a link. Nothing here is an error: what cannot be drawn moves all the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lagrangian.description.notes import Notes
from lagrangian.description.packages import find_file
from lagrangian.description.urdf.check import place
from lagrangian.description.urdf.origin import origin
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import DescriptionError
from lagrangian.model.shapes import Visual

Colors = Mapping[str, tuple[float, ...]]


def materials(root: Element, notes: Notes) -> dict[str, tuple[float, ...]]:
    """The colours of the materials that the robot names for all its links."""
    found = {}
    for element in root.all("material"):
        color = _color(element, notes)
        if color:
            found[element.attributes.get("name", "")] = color
    return found


def visual(element: Element, colors: Colors, notes: Notes) -> Visual | None:
    """A visual, or None if it is not drawn, which is noted."""
    geometry = element.find("geometry")
    if geometry is None or not geometry.children:
        notes.add("<visual> without geometry", "not drawn", place(element))
        return None
    shape = geometry.children[0]
    if len(geometry.children) > 1:
        notes.add("<geometry> with several shapes", "only the first is drawn", element.attributes.get("name", ""))
    try:
        at, size = origin(element), _size(shape)
    except DescriptionError as error:
        notes.add("<visual> with a mistake", f"not drawn: {error.problem}", place(element))
        return None
    if size is None:
        notes.add(f"<{shape.tag}> of a visual", "ignored: shapes of this kind are not drawn")
        return None
    file = shape.attributes.get("filename", "") if shape.tag == "mesh" else ""
    if file:
        _note_missing(file, element.file, notes)
    material = element.find("material")
    color: tuple[float, ...] = ()
    if material is not None:
        color = _color(material, notes) or colors.get(material.attributes.get("name", ""), ())
    return Visual(shape.tag, size, at, color, file)


def _note_missing(file: str, beside: str, notes: Notes) -> None:
    """Say which meshes are not there; a text, which is no file, has nothing beside it."""
    try:
        if Path(beside).is_file():
            find_file(file, beside)
    except (DescriptionError, OSError, ValueError):
        notes.add("mesh file", "not found, so that it is not drawn", file)


def _size(shape: Element) -> tuple[float, ...] | None:
    """What a shape's kind needs; None of a kind that is not drawn."""
    match shape.tag:
        case "box":
            return numbers(shape, "size", 3)
        case "cylinder" | "capsule":
            return number(shape, "radius"), number(shape, "length")
        case "sphere":
            return (number(shape, "radius"),)
        case "mesh":
            text(shape, "filename")
            one = len(shape.attributes.get("scale", "").split()) == 1  # along all axes
            return 3 * numbers(shape, "scale", 1) if one else numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
    return None


def _color(material: Element, notes: Notes) -> tuple[float, ...]:
    if material.find("texture") is not None:
        notes.add("<texture> of a material", "ignored", material.attributes.get("name", ""))
    element = material.find("color")
    try:
        return numbers(element, "rgba", 4) if element is not None else ()
    except DescriptionError as error:
        notes.add("<color> with a mistake", f"ignored: {error.problem}", place(material))
        return ()
