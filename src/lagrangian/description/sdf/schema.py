"""What SDF knows: the elements that may be in those that are read, of all versions from 1.2 to 1.12.

libsdformat passes over what it does not know with a message that is seldom seen, and a misspelt <friction> is then no friction.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element

_KNOWN = {
    tag: frozenset(names.split())
    for tag, names in {
        "sdf": "world model light actor",
        "world": "audio wind include gravity magnetic_field atmosphere gui physics scene light frame joint model actor plugin "
        "road spherical_coordinates state population",
        "model": "static self_collide allow_auto_disable frame pose link joint plugin gripper include model enable_wind "
        "model_state",
        "include": "uri name namespace static pose placement_frame plugin model_state",
        "link": "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial collision visual "
        "sensor projector audio_sink audio_source battery light particle_emitter frame damping",
        "inertial": "mass density auto_inertia_params pose inertia fluid_added_mass frame",
        "inertia": "ixx ixy ixz iyy iyz izz",
        "joint": "parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch axis axis2 physics pose "
        "sensor frame",
        "axis": "xyz dynamics limit mimic initial_position",
        "axis2": "xyz dynamics limit mimic initial_position",
        "dynamics": "damping friction spring_reference spring_stiffness",
        "limit": "lower upper effort velocity stiffness dissipation",
        "mimic": "multiplier offset reference",
        "frame": "pose",
    }.items()
}
_ATTRIBUTES = {
    "sdf": ("version",),
    "world": ("name",),
    "model": ("name", "canonical_link", "placement_frame", "namespace"),
    "include": ("merge",),
    "link": ("name",),
    "joint": ("name", "type"),
    "frame": ("name", "attached_to", "placement_frame"),  # the last of one that stands for a merged model
    "pose": ("relative_to", "rotation_format", "degrees"),
    "xyz": ("expressed_in",),
    "inertial": ("auto",),
    "mimic": ("joint", "axis"),
}
# what is written as the text of an element: an attribute in its place, as URDF has it, would be passed over
_PLAIN = (
    "mass density ixx ixy ixz iyy iyz izz parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch "
    "damping friction spring_reference spring_stiffness lower upper effort velocity multiplier offset reference uri static"
)
_TEXTS = frozenset((*_PLAIN.split(), "pose", "xyz"))
_MANY = (
    "world model light actor include frame joint link plugin gripper collision visual sensor projector audio_source audio_sink "
    "battery particle_emitter physics road state population"
)
_SEVERAL = frozenset(_MANY.split())
_UNREAD = {  # with what it means for the mechanism
    "sensor": "ignored",
    "plugin": "ignored: nothing is executed",
    "gripper": "ignored",
    "actor": "ignored",
    "light": "ignored",
    "population": "ignored: its models are left out",
    "state": "ignored: the models keep their poses",
    "model_state": "ignored",
    "initial_position": "ignored",
}
_DYNAMICS = frozenset(("population", "state", "initial_position"))


def check(root: Element, notes: Notes) -> None:
    """Note what is unknown, repeated, or known and not read."""
    for element in _read(root):
        known = _KNOWN[element.tag]
        missing = known - {child.tag for child in element.children}
        for part in (element, *(child for child in element.children if child.tag in _TEXTS)):
            _check_attributes(part, notes)
        seen: set[str] = set()
        for child in element.children:
            if child.tag in seen and child.tag in known and child.tag not in _SEVERAL:
                kind = f"second <{child.tag}> of a <{element.tag}>"
                notes.add(kind, "ignored: the first one counts", place(child), warn=True)
            elif child.tag in _UNREAD:
                name = child.attributes.get("name", "")
                notes.add(f"<{child.tag}>", _UNREAD[child.tag], name, warn=child.tag in _DYNAMICS)
            elif child.tag not in known and ":" not in child.tag:
                notes.add(f"unknown element in <{element.tag}>", "not read", _unknown(child, missing), warn=True)
            elif ":" in child.tag and not child.tag.startswith("drake:"):  # those are looked at where they stand
                notes.add("element of an extension", "ignored", f"<{child.tag[:40]}>")
            seen.add(child.tag)


def _check_attributes(element: Element, notes: Notes) -> None:
    known = _ATTRIBUTES.get(element.tag, ())
    for attribute in element.attributes:
        if attribute not in known and attribute != "xmlns" and ":" not in attribute:
            meant = difflib.get_close_matches(attribute[:40], known, n=1, cutoff=0.6)
            hint = f" (did you mean {meant[0]!r}?)" if meant else ""
            where = f"{attribute[:40]!r} in {place(element)}{hint}"
            notes.add(f"unknown attribute of <{element.tag}>", "not read", where, warn=True)


def _unknown(element: Element, missing: frozenset[str]) -> str:
    """What an unknown element is called, where it is, and what may be meant."""
    meant = difflib.get_close_matches(element.tag[:40], sorted(missing), n=1, cutoff=0.7)
    return f"<{element.tag[:40]}> in line {element.line}" + (f" (did you mean <{meant[0]}>?)" if meant else "")


def place(element: Element) -> str:
    """Where a warning is about."""
    return f"line {element.line}"


def _read(root: Element) -> Iterator[Element]:
    """The elements whose children are read, in the order of the file."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(child for child in reversed(element.children) if child.tag in _KNOWN)
