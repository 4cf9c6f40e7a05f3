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

NOT_CARRIED = "not carried over"
_VERSIONS = ("1.0", "1.1", "1.2")
_WITHOUT_QUATERNION = ("", "1.0")


@dataclass(frozen=True)
class _Kind:
    """The attributes and children of an element. One that is `strict` is never extended: what is unknown in it is an error."""

    attributes: tuple[str, ...]
    children: tuple[str, ...] = ()
    several: tuple[str, ...] = ()  # children that may be repeated
    strict: bool = True
    dynamics: bool = False  # whether an unknown attribute may change the dynamics
    closeness: float = 0.7  # from which an unknown child is a known one misspelt: published extensions are all less close


_KINDS = {
    "robot": _Kind(("name", "version"), ("link", "joint", "material"), ("link", "joint", "material"), False, closeness=0.85),
    "link": _Kind(("name",), ("inertial", "visual", "collision"), ("visual", "collision"), False),
    "joint": _Kind(
        ("name", "type"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller"),
        strict=False,
    ),
    "inertial": _Kind((), ("origin", "mass", "inertia")),
    "origin": _Kind(("xyz", "rpy", "quat_xyzw")),
    "mass": _Kind(("value",)),
    "inertia": _Kind(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "parent": _Kind(("link",)),
    "child": _Kind(("link",)),
    "axis": _Kind(("xyz",)),
    "limit": _Kind(("lower", "upper", "effort", "velocity"), strict=False),
    "dynamics": _Kind(("damping", "friction"), strict=False, dynamics=True),
}
_READ_IN = {  # the children that carry kinematics or dynamics; the rest is drawn, or not read at all
    "robot": ("link", "joint"),
    "link": ("inertial", "visual"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin",),
}


def check(root: Element, notes: Notes) -> None:
    """Refuse what is misspelt in a robot, and note what of it is not read."""
    version = root.attributes.get("version", "")
    if version and version not in _VERSIONS:
        raise root.error(f"version is {version!r}; there are {', '.join(_VERSIONS)}")
    for element in _read_elements(root):
        kind = _KINDS.get(element.tag)
        if kind is not None:
            _check_attributes(element, kind, notes)
            _check_children(element, kind, notes)
        if element.tag == "origin" and "quat_xyzw" in element.attributes and version in _WITHOUT_QUATERNION:
            meaning = 'read, though others pass over it unless the file says <robot version="1.1">'
            notes.add("quat_xyzw", meaning, _bare(element.owner), warn=True)


def _read_elements(root: Element) -> Iterator[Element]:
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        read = _READ_IN.get(element.tag, ())
        stack.extend(child for child in reversed(element.children) if child.tag in read)


def _check_attributes(element: Element, kind: _Kind, notes: Notes) -> None:
    for attribute in element.attributes:
        if attribute in kind.attributes or attribute == "xmlns" or attribute.startswith("xmlns:"):
            continue
        # what is misspelt is not there in its right spelling
        absent = [known for known in kind.attributes if known not in element.attributes]
        if kind.strict or _close(attribute, absent, 0.6):
            raise element.error(one_of("attribute", attribute, kind.attributes))
        name = element.attributes.get("name") or _bare(element.owner)
        notes.add(f"{attribute!r} of a <{element.tag}>", NOT_CARRIED, name, warn=kind.dynamics)


def _check_children(element: Element, kind: _Kind, notes: Notes) -> None:
    name = element.attributes.get("name") or _bare(element.owner)
    seen: set[str] = set()
    for child in element.children:
        if child.tag not in kind.children:
            missing = [tag for tag in kind.children if element.find(tag) is None or tag in kind.several]
            if _close(child.tag, missing, kind.closeness):
                raise child.error(one_of(f"element in <{element.tag}>", child.tag, kind.children))
            what = f"<{child.tag}>" + ("" if element.tag == "robot" else f" of a <{element.tag}>")
            notes.add(what, NOT_CARRIED, child.attributes.get("name", "") if element.tag == "robot" else name)
        elif child.tag in seen and child.tag not in kind.several:
            notes.add(f"second <{child.tag}> of a <{element.tag}>", "not read: the first one counts", name, warn=True)
        seen.add(child.tag)


def _close(name: str, known: Iterable[str], closeness: float) -> bool:
    return bool(difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=closeness))


def _bare(owner: str) -> str:
    """The name in the label of an element: of <link name="arm">, arm."""
    return owner.partition('"')[2].rpartition('"')[0]
