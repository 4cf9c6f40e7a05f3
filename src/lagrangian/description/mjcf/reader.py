"""MuJoCo's XML (MJCF): the tree, its inertias, springs and friction, closed loops, sites and keyframes.

Coordinates equal MuJoCo's `qpos`, joint by joint in the same order, except that a free joint has its quaternion before its
position. A free joint's speeds are angular, then linear, both in the body's frame; MuJoCo's are linear in the world's, then
angular in the body's. Contacts, actuators, tendons and sensors are not carried over, and the notes say so.
"""

from __future__ import annotations

import os

from lagrangian.description import xml
from lagrangian.description.mjcf import equality as mjcf_equality
from lagrangian.description.mjcf import keyframe as mjcf_keyframe
from lagrangian.description.mjcf import option as mjcf_option
from lagrangian.description.mjcf import tendon as mjcf_tendon
from lagrangian.description.mjcf.compiler import Compiler
from lagrangian.description.mjcf.document import MAIN, Defaults, expand_includes, sections
from lagrangian.description.mjcf.inertia import Assets
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree, Walker
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, numbers, text
from lagrangian.errors import one_of
from lagrangian.model.mechanism import Initial, Mechanism

_SECTIONS = (
    "compiler",
    "option",
    "size",
    "statistic",
    "visual",
    "default",
    "extension",
    "asset",
    "worldbody",
    "deformable",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "custom",
    "keyframe",
)


def read(path: str | os.PathLike[str]) -> Mechanism:
    """A mechanism from an MJCF file and the files that it includes."""
    root = xml.read_file(path)
    mechanism, notes = _mechanism(root, os.path.dirname(os.path.abspath(root.file)))
    notes.warn()
    return mechanism


def read_text(model: str, file: str = "<text>") -> Mechanism:
    """A mechanism from a text of MJCF, which can include no other files; `file` is what its errors call it."""
    mechanism, notes = _mechanism(xml.read_text(model, file), None)
    notes.warn()
    return mechanism


def _mechanism(root: Element, directory: str | None) -> tuple[Mechanism, Notes]:
    if root.tag != "mujoco":
        known = {"robot": "this is URDF, not MJCF", "sdf": "this is SDF, not MJCF", "mujocoinclude": "this is a part of a model"}
        raise root.error(known.get(root.tag, "an MJCF file starts with <mujoco>"))
    check_attributes(root)
    expand_includes(root, directory)
    for section in root.children:
        if section.tag not in _SECTIONS:
            raise section.error(one_of("section", section.tag, _SECTIONS))
    notes = Notes(root.file)
    compiler = Compiler.read(root)
    defaults = Defaults(root)
    assets = Assets.read([defaults.applied(element, MAIN) for element in sections(root, "asset")], compiler)
    gravity = mjcf_option.gravity(root, notes)
    tree = Walker(root, compiler, defaults, assets, notes).walk(root.all("worldbody"))
    if not tree.bodies:
        raise root.error('has no body; a mechanism needs at least one, such as <worldbody><body name="link">')
    tendons = mjcf_tendon.tendons(sections(root, "tendon"), tree, defaults)
    held = mjcf_equality.equalities(sections(root, "equality"), tree, tendons, defaults, notes)
    poses = mjcf_keyframe.poses(sections(root, "keyframe"), tree, notes)
    _note_sections(root, defaults, notes)
    mechanism = Mechanism(
        name=text(root, "model", "MuJoCo Model"),
        bodies=tuple(tree.bodies),
        joints=tuple(tree.joints),
        loops=tuple(held.loops),
        constraints=tuple(held.constraints),
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
