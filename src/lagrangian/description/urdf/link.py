"""A link of a URDF as a body: its inertial data, and what to draw."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lagrangian.description.notes import Notes, tolerant_body
from lagrangian.description.xml import Element, number, numbers, text
from lagrangian.errors import placed
from lagrangian.model import vector as v
from lagrangian.model.body import NO_INERTIA, Body, Visual
from lagrangian.model.placement import Placement

_ZERO = (0.0, 0.0, 0.0)
Colors = Mapping[str, tuple[float, ...]]


def origin(element: Element) -> Placement:
    """The <origin> of an element; none is no offset."""
    found = element.find("origin")
    if found is None:
        return Placement()
    xyz, rpy = numbers(found, "xyz", 3, _ZERO), numbers(found, "rpy", 3, _ZERO)
    if "quat_xyzw" in found.attributes:
        return _turned(found, xyz)
    if rpy == _ZERO:
        return Placement(position=xyz)  # type: ignore[arg-type]
    return Placement.from_rpy(xyz, rpy)


def _turned(found: Element, xyz: tuple[float, ...]) -> Placement:
    """An origin with a quaternion, whose real part URDF has last; its length does not matter."""
    if "rpy" in found.attributes:
        raise found.error("has rpy and quat_xyzw; an orientation is given in one way only")
    x, y, z, w = numbers(found, "quat_xyzw", 4)
    if not math.hypot(x, y, z, w) > 1e-14:
        raise found.error("quat_xyzw is a quaternion of length 0; 0 0 0 1 is no rotation")
    if (x, y, z) == _ZERO:
        return Placement(position=xyz)  # type: ignore[arg-type]
    return Placement.from_quaternion(xyz, (w, x, y, z))


def body(link: Element, name: str, colors: Colors, notes: Notes) -> Body:
    """The body of a link; one without <inertial> has no mass."""
    for child in link.children:
        if child.tag == "collision":
            notes.add("<collision>", "not carried over: there are no contacts")
    visuals = tuple(x for x in (_visual(element, colors, notes) for element in link.all("visual")) if x is not None)
    mass, center, inertia = _inertial(link)
    with placed(*link.where):
        return tolerant_body(name, mass, center, inertia, visuals, notes)


def _inertial(link: Element) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia about it, along the link's axes."""
    element = link.find("inertial")
    if element is None:
        return 0.0, v.ZERO, NO_INERTIA
    given = element.find("mass")
    if given is None:
        raise element.error('has no mass; it needs <mass value="..."/>')
    mass = number(given, "value")
    if mass < 0:
        raise given.error(f"the mass is {mass:g} kg; it cannot be negative")
    tensor = element.find("inertia")
    if tensor is None:
        raise element.error('has no inertia; it needs <inertia ixx="..." ixy="..." ixz="..." iyy="..." iyz="..." izz="..."/>')
    own: v.Symmetric = tuple(number(tensor, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))  # type: ignore[assignment]
    at = origin(element)
    return mass, at.position, own if at.rotation == v.IDENTITY else v.sym_rotate(at.rotation, own)


# -- what to draw ------------------------------------------------------------------------------------------------------


def materials(root: Element, notes: Notes) -> dict[str, tuple[float, ...]]:
    """The colours of the materials that the robot names for all its links."""
    found = {}
    for element in root.all("material"):
        color = _color(element, notes)
        if color:
            found[text(element, "name")] = color
    return found


def _color(material: Element, notes: Notes) -> tuple[float, ...]:
    if material.find("texture") is not None:
        notes.add("<texture> of a material", "not carried over", material.attributes.get("name", ""))
    element = material.find("color")
    return numbers(element, "rgba", 4) if element is not None else ()


def _visual(element: Element, colors: Colors, notes: Notes) -> Visual | None:
    geometry = element.find("geometry")
    if geometry is None or not geometry.children:
        raise element.error("has no geometry; it needs <geometry> with a box, cylinder, sphere or mesh in it")
    shape = geometry.children[0]
    if len(geometry.children) > 1:
        notes.add("<geometry> with several shapes", "only the first is drawn", element.attributes.get("name", ""))
    size: tuple[float, ...]
    file = ""
    if shape.tag == "box":
        size = numbers(shape, "size", 3)
    elif shape.tag in ("cylinder", "capsule"):
        size = (number(shape, "radius"), number(shape, "length"))
    elif shape.tag == "sphere":
        size = (number(shape, "radius"),)
    elif shape.tag == "mesh":
        size, file = numbers(shape, "scale", 3, (1.0, 1.0, 1.0)), text(shape, "filename")
    else:
        notes.add(f"<{shape.tag}> of a visual", "not carried over: it is not drawn")
        return None
    material = element.find("material")
    color: tuple[float, ...] = ()
    if material is not None:
        color = _color(material, notes) or colors.get(material.attributes.get("name", ""), ())
    return Visual(shape.tag, size, origin(element), color, file)
