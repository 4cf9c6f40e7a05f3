"""MuJoCo's XML (MJCF): the tree, its inertias, springs and friction, closed loops, sites and keyframes.

Coordinates equal MuJoCo's `qpos`, joint by joint in the same order, except that a free joint has its quaternion before its
position. A free joint's speeds are angular, then linear, both in the body's frame; MuJoCo's are linear in the world's, then
angular in the body's. Contacts, actuators, tendons and sensors are not carried over, and the notes say so.
"""

from __future__ import annotations

import os

from lagrangian.description import xml
from lagrangian.description.folder import Folder
from lagrangian.description.mjcf import equality as mjcf_equality
from lagrangian.description.mjcf import option as mjcf_option
from lagrangian.description.mjcf.document import MAIN, Defaults, sections
from lagrangian.description.mjcf.model import assemble
from lagrangian.description.mjcf.tree import Tree, Walker
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, numbers, text
from lagrangian.model.configuration import Initial
from lagrangian.model.mechanism import Mechanism

_EXACT = "held exactly, where MuJoCo lets them give (solref, solimp)"


def read(path: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> Mechanism:
    """A mechanism from an MJCF file and the files that it names, which must lie in its folder, or in `root`, or below."""
    top = xml.read_file(path)
    mechanism, notes = _mechanism(top, Folder(os.path.dirname(os.path.abspath(top.file)), root))
    notes.warn()
    return mechanism


def read_text(model: str, file: str = "<text>", root: str | os.PathLike[str] | None = None) -> Mechanism:
    """A mechanism from a text of MJCF; `file` is what its errors call it. The files that it names are in `root`."""
    mechanism, notes = _mechanism(xml.read_text(model, file), None if root is None else Folder(os.fspath(root), root))
    notes.warn()
    return mechanism


def _mechanism(root: Element, folder: Folder | None) -> tuple[Mechanism, Notes]:
    notes = Notes(root.file)
    model = assemble(root, folder, notes)
    defaults = model.defaults
    gravity = mjcf_option.gravity(root, notes)
    tree = Walker(model).walk()
    if not tree.bodies:
        notes.add("model without a body", "there is nothing in it that could move", warn=True)
    loops = mjcf_equality.loops(sections(root, "equality"), tree, defaults, notes)
    for loop in loops:
        notes.add("<connect> and <weld>", _EXACT, loop.name)
    poses = mjcf_equality.poses(sections(root, "keyframe"), tree, notes)
    _note_sections(root, defaults, notes)
    mechanism = Mechanism(
        name=text(root, "model", "MuJoCo Model"),
        bodies=tuple(tree.bodies),
        joints=tuple(tree.joints),
        loops=tuple(loops),
        frames=tuple(tree.frames),
        gravity=gravity,
        poses=poses,
        initial=_initial(tree),
        notes=notes.lines(),
        file=root.file,
    )
    return mechanism, notes


def _initial(tree: Tree) -> Initial:
    """MuJoCo starts in the pose in which the model is written; ours need be said only if it is not the neutral one."""
    written = tree.written_pose()
    neutral = all(part == joint.kind.neutral or not any(part) for joint, part in zip(tree.joints, written, strict=True))
    return Initial() if neutral else Initial(q=tuple(x for part in written for x in part))


def _note_sections(root: Element, defaults: Defaults, notes: Notes) -> None:
    for element in sections(root, "deformable"):
        if element.tag != "skin":
            raise element.error(f"<{element.tag}> is not supported: deformable bodies are not")
    for element in sections(root, "tendon"):
        applied = defaults.applied(element, MAIN, "tendon")
        pulls = any(
            any(numbers(applied, key, 3, (0.0,), least=1)) for key in ("stiffness", "damping", "frictionloss", "armature")
        )
        meaning = "not carried over, and with it its spring, damping or friction" if pulls else "not carried over"
        notes.add("<tendon>", meaning, element.attributes.get("name", ""), warn=pulls)
    for element in sections(root, "actuator"):
        applied = defaults.applied(element, MAIN)
        adds = any(any(numbers(applied, key, 3, (0.0,), least=1)) for key in ("armature", "damping"))
        meaning = "not carried over, and with it its armature or damping" if adds else "not carried over: give joint torques"
        notes.add("<actuator>", meaning, element.attributes.get("name", ""), warn=adds)
    for tag in ("visual", "statistic", "size"):
        if root.find(tag) is not None:
            notes.add(f"<{tag}>", "not carried over")
    for tag in ("contact", "sensor", "custom"):
        for element in sections(root, tag):
            notes.add(f"<{tag}>", "not carried over", element.attributes.get("name", ""))
    for element in sections(root, "extension"):
        notes.add("<extension>", "not carried over", element.attributes.get("plugin", ""), warn=True)
