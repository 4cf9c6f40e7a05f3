"""A link of a URDF as a body, with its inertial data."""

from __future__ import annotations

from lagrangian.description.notes import Notes, tolerant_body
from lagrangian.description.urdf.check import place
from lagrangian.description.urdf.origin import origin
from lagrangian.description.urdf.visual import Colors, visual
from lagrangian.description.xml import Element, number
from lagrangian.errors import placed
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.vector import NO_INERTIA


def body(link: Element, name: str, colors: Colors, notes: Notes) -> Body:
    """The body of a link; one without <inertial> has no mass."""
    for child in link.children:
        if child.tag == "collision":
            notes.add("<collision>", "ignored: contacts are not simulated")
    visuals = tuple(x for x in (visual(element, colors, notes) for element in link.all("visual")) if x is not None)
    mass, center, inertia = _inertial(link, notes)
    with placed(*link.where):
        return tolerant_body(name, mass, center, inertia, visuals, notes)


def _inertial(link: Element, notes: Notes) -> tuple[float, v.Vector, v.Symmetric]:
    """Mass, centre and inertia about it, along the link's axes. What is left out is 0, as in urdfdom, and said."""
    element = link.find("inertial")
    if element is None:
        return 0.0, v.ZERO, NO_INERTIA
    given, tensor = element.find("mass"), element.find("inertia")
    if given is None:
        notes.add("<inertial> without <mass>", "the link has neither mass nor inertia", place(element), warn=True)
        return 0.0, v.ZERO, NO_INERTIA
    mass = number(given, "value")
    if given.attributes["value"] != given.attributes["value"].strip():
        meaning = "accepted; urdfdom and Pinocchio read mass and inertia of this link as 0"
        notes.add("<mass> with white space in its number", meaning, place(given))
    if mass < 0:
        raise given.error(f"the mass is {mass:g} kg; it cannot be negative")
    at = origin(element)
    if tensor is None:
        if mass:
            notes.add("<inertial> without <inertia>", "the link is a point mass", place(element), warn=True)
        return mass, at.position, NO_INERTIA
    own = _tensor(tensor, notes)
    return mass, at.position, own if at.rotation == v.IDENTITY else v.sym_rotate(at.rotation, own)


_TENSOR = {"ixx": "", "ixy": "iyx", "ixz": "izx", "iyy": "", "iyz": "izy", "izz": ""}  # with the same entry across the diagonal


def _tensor(tensor: Element, notes: Notes) -> v.Symmetric:
    """The entries on the diagonal must be there; of a pair across it, the upper one counts."""
    if any(value != value.strip() for value in tensor.attributes.values()):
        meaning = "accepted; urdfdom and Pinocchio read this inertia as 0"
        notes.add("<inertia> with white space in a number", meaning, place(tensor))
    found = []
    for key, across in _TENSOR.items():
        lower = number(tensor, across, None) if across else None
        if key in tensor.attributes or not across:
            found.append(number(tensor, key))
            if lower is not None and lower != found[-1]:
                notes.add(f"<inertia> whose {across} is not its {key}", f"{key} counts", place(tensor), warn=True)
        elif lower is not None:
            found.append(lower)
            notes.add(
                f"<inertia> with {across} instead of {key}", "accepted, because the tensor is symmetric", place(tensor), warn=True
            )
        else:
            found.append(0.0)
            notes.add(f"<inertia> without {key}", "it is 0", place(tensor), warn=True)
    return tuple(found)  # type: ignore[return-value]
