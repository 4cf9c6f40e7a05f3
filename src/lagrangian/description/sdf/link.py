"""A link of an SDF as a body: its inertial data, and what to draw."""

from __future__ import annotations

import os

from lagrangian.description.notes import Notes, tolerant_body
from lagrangian.description.packages import find_file
from lagrangian.description.sdf.collisions import At, from_collisions
from lagrangian.description.sdf.frames import WORLD, Frames, Node
from lagrangian.description.sdf.schema import place
from lagrangian.description.sdf.values import number, pose, relative_to, truth, truth_of, vector
from lagrangian.description.xml import Element
from lagrangian.errors import DescriptionError, placed
from lagrangian.model import vector as v
from lagrangian.model.body import Body, inertia_problem
from lagrangian.model.placement import Placement
from lagrangian.model.shapes import Visual

_MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # with the values that SDF gives them
_DECAY = ("linear", "angular")


def body(node: Node, name: str, frames: Frames, main: str, notes: Notes) -> Body:
    """The body of a link, by the name it has in the mechanism; `main` is the file that is read, beside which meshes are."""
    link, static = node.element, node.still

    def at(element: Element) -> Placement:
        return frames.in_link(node, element)

    _note(link, name, static, notes)
    visuals = tuple(x for element in link.all("visual") if (x := _drawn(element, at, main, notes)) is not None)
    mass, center, inertia = _inertial(link, name, static, at, notes)
    with placed(*link.where):
        if static and inertia_problem(mass, inertia):  # it does not move
            return Body(name, visuals=visuals)
        return tolerant_body(name, mass, center, inertia, visuals, notes)


def weightless(node: Node) -> bool:
    """Whether a link that moves feels no gravity."""
    return not node.still and not truth(node.element, "gravity", True)


def _note(link: Element, name: str, static: bool, notes: Notes) -> None:
    if link.find("drake:deformable_properties") is not None:
        raise link.error("is deformable; only rigid links are supported")
    if link.attributes["name"] == WORLD:
        meaning = "fixed in place: this name is reserved for the world in SDF"
        notes.add(f"link named {WORLD!r}", meaning, name, warn=True)
    for _ in link.all("collision"):
        notes.add("<collision>", "ignored: contacts are not simulated")
    if static:
        return
    if truth(link, "kinematic"):
        notes.add("<kinematic> link", "ignored: forces act on it", name, warn=True)
    decay = link.find("velocity_decay")
    if decay is not None and any(number(decay, tag, 0.0) for tag in _DECAY):
        notes.add("<velocity_decay> of a link", "ignored", name, warn=True)


def _inertial(link: Element, name: str, static: bool, at: At, notes: Notes) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia about it, along the link's axes; SDF gives a link that says nothing 1 kg and 1 kg m^2."""
    element = link.find("inertial")
    if element is None:
        if not static:
            notes.add("link without <inertial>", "has 1 kg, and 1 kg m^2 about each axis, as SDF specifies", name)
        return 1.0, v.ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    if truth_of(element, "auto"):
        if static:  # it does not move
            return 1.0, v.ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        return from_collisions(link, element, at, notes)
    if element.find("fluid_added_mass") is not None and not static:
        notes.add("<fluid_added_mass> of a link", "ignored", name, warn=True)
    mass = number(element, "mass", 1.0)
    if mass < 0:
        raise element.error(f"the mass is {mass:g} kg; it cannot be negative")
    moments = element.find("inertia")
    given = dict(_MOMENTS) if moments is None else {key: number(moments, key, x) for key, x in _MOMENTS.items()}
    missing = [key for key in given if moments is None or moments.find(key) is None]
    if any(_MOMENTS[key] for key in missing) and not static:
        notes.add("<inertial> without all of ixx, iyy, izz", "has 1 kg m^2 for those, as SDF specifies", name)
    own: v.Symmetric = tuple(given.values())  # type: ignore[assignment]
    if relative_to(element):  # libsdformat passes over it in silence
        meaning = "ignored: the pose is relative to the link, as SDF specifies"
        notes.add("relative_to of the <pose> of an <inertial>", meaning, name, warn=True)
    own_axes = pose(element)
    turned = own if own_axes.rotation == v.IDENTITY else v.sym_rotate(own_axes.rotation, own)
    return mass, own_axes.position, turned


# -- what to draw ------------------------------------------------------------------------------------------------------


def _drawn(element: Element, at: At, main: str, notes: Notes) -> Visual | None:
    """A visual, or None if it is not drawn, which is noted: what cannot be drawn moves all the same."""
    try:
        return _visual(element, at, main, notes)
    except DescriptionError as error:
        notes.add("<visual> with a mistake", f"not drawn: {error.problem}", place(element))
        return None


def _visual(element: Element, at: At, main: str, notes: Notes) -> Visual | None:
    geometry = element.find("geometry")
    shape = next(iter(geometry.children), None) if geometry is not None else None
    if shape is None:
        notes.add("<visual> without a shape", "not drawn", element.attributes.get("name", ""))
        return None
    tag = shape.tag.removeprefix("drake:")
    size: tuple[float, ...]
    file = ""
    if tag == "box":
        size = vector(shape, "size", 3, (1.0, 1.0, 1.0))
    elif tag in ("cylinder", "capsule"):
        size = (number(shape, "radius", 1.0 if tag == "cylinder" else 0.5), number(shape, "length", 1.0))
    elif tag == "sphere":
        size = (number(shape, "radius", 1.0),)
    elif tag == "ellipsoid":
        size = vector(shape, "radii", 3, (1.0, 1.0, 1.0))
    elif tag == "mesh":
        uri = shape.find("uri") or shape.find("filename")
        if uri is None or not uri.text:
            notes.add("<mesh> without a file", "not drawn", element.attributes.get("name", ""))
            return None
        size, file = vector(shape, "scale", 3, (1.0, 1.0, 1.0)), _mesh(uri.text, shape.file, main)
    else:
        notes.add(f"<{shape.tag}> of a visual", "not drawn")
        return None
    return Visual(tag, size, at(element), _color(element), file)


def _color(element: Element) -> tuple[float, ...]:
    """The colour that a material shines back, with the visual's transparency."""
    material = element.find("material")
    color: tuple[float, ...] = ()
    for tag in ("diffuse", "ambient"):
        given = material.find(tag) if material is not None else None
        if given is not None and len(given.text.split()) in (3, 4) and not color:
            color = vector(material, tag, len(given.text.split()), ())  # type: ignore[arg-type]
    clear = number(element, "transparency", 0.0)
    if clear and color:
        color = (*color[:3], (color[3] if len(color) > 3 else 1.0) * (1 - clear))
    return color


def _mesh(uri: str, file: str, main: str) -> str:
    """The file of a mesh as seen from the file that is read, which may include the one that names it."""
    if os.path.dirname(file) == os.path.dirname(main):
        return uri
    try:
        return str(find_file(uri, file))
    except DescriptionError:
        return uri  # whoever draws it says what is wrong
