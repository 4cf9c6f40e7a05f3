"""MuJoCo's XML (MJCF): the tree, its inertias, springs and friction, closed loops, sites and keyframes.

Coordinates equal MuJoCo's `qpos`, joint by joint in the same order, except that a free joint has its quaternion before its
position. A free joint's speeds are angular, then linear, both in the body's frame; MuJoCo's are linear in the world's, then
angular in the body's. Contacts, actuators, tendons and sensors are not carried over, and the notes say so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from lagrangian.description import xml
from lagrangian.description.mjcf import equality as mjcf_equality
from lagrangian.description.mjcf import keyframe as mjcf_keyframe
from lagrangian.description.mjcf import option as mjcf_option
from lagrangian.description.mjcf import passive as mjcf_passive
from lagrangian.description.mjcf import tendon as mjcf_tendon
from lagrangian.description.mjcf.actuator import Actuators, Drives
from lagrangian.description.mjcf.at_rest import AtRest
from lagrangian.description.mjcf.compiler import Compiler
from lagrangian.description.mjcf.document import MAIN, Defaults, expand_includes, sections
from lagrangian.description.mjcf.inertia import Assets
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.mjcf.tree import Tree, Walker
from lagrangian.description.notes import Notes
from lagrangian.description.overridden import overridden
from lagrangian.description.xml import Element, text
from lagrangian.errors import one_of
from lagrangian.model.joint import Joint, Rotor
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


def read(path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None) -> Mechanism:
    """A mechanism from an MJCF file and the files that it includes; `parameters` are controls and gains of its actuators."""
    root = xml.read_file(path)
    mechanism, notes = _mechanism(root, os.path.dirname(os.path.abspath(root.file)), parameters)
    notes.warn()
    return mechanism


def read_text(model: str, file: str = "<text>", parameters: Mapping[str, float] | None = None) -> Mechanism:
    """A mechanism from a text of MJCF, which can include no other files; `file` is what its errors call it."""
    mechanism, notes = _mechanism(xml.read_text(model, file), None, parameters)
    notes.warn()
    return mechanism


def _mechanism(root: Element, directory: str | None, parameters: Mapping[str, float] | None) -> tuple[Mechanism, Notes]:
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
    drives = Actuators(tree, tendons, defaults, compiler, notes, parameters).read(sections(root, "actuator"))
    overridden(drives.parameters, parameters, root.file)  # which refuses those that are not there
    taken = [*(x.name for x in held.loops), *(x.name for x in held.constraints)]
    springs = mjcf_passive.springs(tendons, taken, compiler, notes)
    poses = mjcf_keyframe.poses(sections(root, "keyframe"), tree, notes)
    _note_sections(root, notes)
    mechanism = Mechanism(
        name=text(root, "model", "MuJoCo Model"),
        bodies=tuple(tree.bodies),
        joints=_joints(tree, drives, notes),
        loops=tuple(held.loops),
        constraints=tuple(held.constraints),
        springs=(*springs, *mjcf_passive.compensations(tree, (*taken, *(x.name for x in springs)))),
        frames=tuple(tree.frames),
        gravity=gravity,
        poses=poses,
        initial=replace(_initial(tree), torque=tuple(drives.torques.items())),
        parameters=drives.parameters,
        notes=notes.lines(),
        file=root.file,
    )
    return mechanism, notes


def _initial(tree: Tree) -> Initial:
    """MuJoCo starts in the pose in which the model is written; ours need be said only if it is not the neutral one."""
    written = tree.written_pose()
    neutral = all(part == joint.kind.neutral or not any(part) for joint, part in zip(tree.joints, written, strict=True))
    return Initial() if neutral else Initial(q=tuple(x for part in written for x in part))


def _joints(tree: Tree, drives: Drives, notes: Notes) -> tuple[Joint, ...]:
    """The joints, with what actuators add to their armature and damping, and with springs and dampers by `springdamper`."""
    at_rest = AtRest.of(tree, drives.armature) if tree.springdampers else None
    found = []
    for joint in tree.joints:
        friction, rotor, spring = joint.friction, joint.rotor, joint.spring
        if at_rest is not None and joint.name in tree.springdampers:
            time, ratio = tree.springdampers[joint.name]
            inertia = at_rest.inertia(joint)
            friction = replace(friction, viscous=2 * inertia / time)
            if joint.kind.nq == 1:
                spring = replace(spring, stiffness=inertia / (time * ratio) ** 2)
            else:
                notes.add(f"springdamper of a {joint.type} joint", "only its damping is carried over", joint.name, warn=True)
        if joint.name in drives.damping:
            friction = replace(friction, viscous=friction.viscous + drives.damping[joint.name])
        if joint.name in drives.armature:
            rotor = Rotor(rotor.inertia + drives.armature[joint.name])
        changed = (friction, rotor, spring) != (joint.friction, joint.rotor, joint.spring)
        found.append(replace(joint, friction=friction, rotor=rotor, spring=spring) if changed else joint)
    return tuple(found)


def _note_sections(root: Element, notes: Notes) -> None:
    for element in sections(root, "deformable"):
        if element.tag != "skin":
            raise element.error(f"<{element.tag}> is not supported: deformable bodies are not")
    for tag in ("visual", "statistic", "size"):
        if root.find(tag) is not None:
            notes.add(f"<{tag}>", "not carried over")
    for tag in ("contact", "sensor", "custom"):
        for element in sections(root, tag):
            notes.add(f"<{tag}>", "not carried over", element.attributes.get("name", ""))
    for element in sections(root, "extension"):
        notes.add("<extension>", "not carried over", element.attributes.get("plugin", ""), warn=True)
