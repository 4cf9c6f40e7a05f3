"""What a URDF has that its reader would otherwise pass over: unknown attributes and elements, and elements that are repeated.

urdfdom passes over all of these without a word, and a misspelt `friction` is then no friction. Here what looks misspelt is an
error; what is somebody's extension of the format is a note, with a warning where it may change the dynamics.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element
from lagrangian.errors import one_of

NOT_CARRIED = "ignored"
_VERSIONS = ("1.0", "1.1", "1.2")
_WITHOUT_QUATERNION = ("", "1.0")
_WITHOUT_AXIS = ("fixed", "floating")


@dataclass(frozen=True)
class _Kind:
    """The attributes and children of an element. One that is `strict` is never extended: what is unknown in it is warned of."""

    attributes: tuple[str, ...]
    children: tuple[str, ...] = ()
    several: tuple[str, ...] = ()  # children that may be repeated
    strict: bool = True
    dynamics: bool = False  # whether an unknown attribute may change the dynamics
    closeness: float = 0.7  # from which an unknown child is a known one misspelt: published extensions are all less close


_TOP_LEVEL = ("link", "joint", "material", "loop", "coupling")
_ENDS = _Kind(("link",), ("origin",), strict=False)
_KINDS = {
    "robot": _Kind(("name", "version"), _TOP_LEVEL, _TOP_LEVEL, False, closeness=0.85),
    "link": _Kind(("name",), ("inertial", "visual", "collision"), ("visual", "collision"), False),
    "joint": _Kind(
        ("name", "type", "independent"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"),
        strict=False,
    ),
    "inertial": _Kind((), ("origin", "mass", "inertia")),
    "origin": _Kind(("xyz", "rpy", "quat_xyzw")),
    "mass": _Kind(("value",)),
    "inertia": _Kind(("ixx", "ixy", "ixz", "iyy", "iyz", "izz", "iyx", "izx", "izy")),
    "parent": _Kind(("link",)),
    "child": _Kind(("link",)),
    "axis": _Kind(("xyz",)),
    "limit": _Kind(("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"), strict=False),
    "dynamics": _Kind(("damping", "friction"), strict=False, dynamics=True),
    "loop": _Kind(("name", "type"), ("predecessor", "successor", "axis"), dynamics=True),
    "coupling": _Kind(("name",), ("predecessor", "successor", "ratio"), dynamics=True),
    "predecessor": _ENDS,
    "successor": _ENDS,
    "ratio": _Kind(("value",)),
}
_READ_IN = {  # the children that carry kinematics or dynamics; the rest is drawn, or not read at all
    "robot": ("link", "joint", "loop", "coupling"),
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics"),
    "inertial": ("origin", "mass", "inertia"),
    "loop": ("predecessor", "successor", "axis"),
    "coupling": ("predecessor", "successor", "ratio"),
    "predecessor": ("origin",),
    "successor": ("origin",),
}
# elements of a robot with which other programs say that bodies are joined: without them, it moves otherwise
_JOINING = ("loop_joint", "loop_constraint", "joint_constraint", "rotation_constraint", "drake:joint", "drake:ball_constraint")


def check(root: Element, notes: Notes) -> None:
    """Refuse what is misspelt in a robot, and note what of it is not read."""
    version = root.attributes.get("version", "")
    if version and version not in _VERSIONS:
        raise root.error(f"version is {version!r}; the versions are {', '.join(_VERSIONS)}")
    for element in _read_elements(root):
        kind = _KINDS.get(element.tag)
        if kind is not None:
            _check_attributes(element, kind, notes)
            _check_children(element, kind, notes)
        if element.tag == "origin" and "quat_xyzw" in element.attributes and version in _WITHOUT_QUATERNION:
            meaning = 'accepted; other programs ignore it unless the file has <robot version="1.1">'
            notes.add("quat_xyzw", meaning, place(element), warn=True)


def place(element: Element) -> str:
    """Where a warning is about: the name of the element or of that around it, and the line."""
    name = element.attributes.get("name") or _bare(element.owner)
    return f"{name} in line {element.line}" if name else f"line {element.line}"


def _read_elements(root: Element) -> Iterator[Element]:
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        read = _READ_IN.get(element.tag, ())
        if element.attributes.get("type") in _WITHOUT_AXIS:
            read = tuple(tag for tag in read if tag != "axis")
        stack.extend(child for child in reversed(element.children) if child.tag in read)


def _check_attributes(element: Element, kind: _Kind, notes: Notes) -> None:
    for attribute in element.attributes:
        if attribute in kind.attributes or attribute == "xmlns" or attribute.startswith("xmlns:"):
            continue
        # what is misspelt is not there in its right spelling
        absent = [known for known in kind.attributes if known not in element.attributes]
        if ":" not in attribute and _close(attribute, absent, 0.6):  # a namespace is an extension's
            raise element.error(one_of("attribute", attribute, kind.attributes))
        warn = kind.strict or kind.dynamics
        name = place(element) if warn else element.attributes.get("name") or _bare(element.owner)
        notes.add(f"{attribute!r} of a <{element.tag}>", NOT_CARRIED, name, warn=warn)


def _check_children(element: Element, kind: _Kind, notes: Notes) -> None:
    name = element.attributes.get("name") or _bare(element.owner)
    there = {child.tag for child in element.children}
    missing = [tag for tag in kind.children if tag not in there or tag in kind.several]
    extensions: set[str] = set()  # whose tags were looked at
    seen: set[str] = set()
    for child in element.children:
        if child.tag not in kind.children:
            if child.tag not in extensions and _close(child.tag, missing, kind.closeness):
                raise child.error(one_of(f"element in <{element.tag}>", child.tag, kind.children))
            extensions.add(child.tag)
            _extension(element, child, name, notes)
        elif child.tag in seen and child.tag not in kind.several:
            notes.add(f"second <{child.tag}> of a <{element.tag}>", "ignored: the first one counts", place(child), warn=True)
        seen.add(child.tag)


def _extension(element: Element, child: Element, name: str, notes: Notes) -> None:
    if child.tag.startswith("xacro:"):
        return  # which is said where it is
    if element.tag != "robot":
        notes.add(f"<{child.tag}> of a <{element.tag}>", NOT_CARRIED, name)
        return
    joins = child.tag in _JOINING
    named = place(child) if joins else child.attributes.get("name", "")
    notes.add(
        f"<{child.tag}>", f"{NOT_CARRIED}: the links that it connects move freely" if joins else NOT_CARRIED, named, warn=joins
    )


def _close(name: str, known: Iterable[str], closeness: float) -> bool:
    return bool(difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=closeness))


def _bare(owner: str) -> str:
    """The name in the label of an element: of <link name="arm">, arm."""
    return owner.partition('"')[2].rpartition('"')[0]
