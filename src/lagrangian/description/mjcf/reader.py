"""MuJoCo's XML (MJCF): the tree, its inertias, springs and friction, closed loops, tendons, actuators, sites and keyframes.

Coordinates equal MuJoCo's `qpos`, joint by joint in the same order, except that a free joint has its quaternion before its
position. A free joint's speeds are angular, then linear, both in the body's frame; MuJoCo's are linear in the world's, then
angular in the body's. Contacts and sensors are ignored, and the notes say so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from lagrangian.description import xml
from lagrangian.description.folder import Folder
from lagrangian.description.mjcf import equality as mjcf_equality
from lagrangian.description.mjcf import keyframe as mjcf_keyframe
from lagrangian.description.mjcf import option as mjcf_option
from lagrangian.description.mjcf.document import sections
from lagrangian.description.mjcf.forces import passive as mjcf_passive
from lagrangian.description.mjcf.forces import tendon as mjcf_tendon
from lagrangian.description.mjcf.forces.actuator import Actuators, Drives
from lagrangian.description.mjcf.forces.at_rest import AtRest
from lagrangian.description.mjcf.keyframe import Key
from lagrangian.description.mjcf.model import assemble
from lagrangian.description.mjcf.tree import Tree, Walker
from lagrangian.description.notes import Notes
from lagrangian.description.overridden import numbers, overridden
from lagrangian.description.xml import Element, text
from lagrangian.files import as_path
from lagrangian.model.configuration import Initial
from lagrangian.model.joint import Joint, Rotor
from lagrangian.model.mechanism import Mechanism


def read(
    path: str | os.PathLike[str],
    parameters: Mapping[str, float] | None = None,
    root: str | os.PathLike[str] | None = None,
    keyframe: str | int | None = None,
) -> Mechanism:
    """A mechanism from an MJCF file and the files that it names, which must lie in its folder, or in `root`, or below.

    `parameters` are controls and gains of its actuators; `keyframe` is the one that a run begins with, by name or number.
    """
    top = xml.read_file(path)
    mechanism, notes = _mechanism(top, Folder(os.path.dirname(os.path.abspath(top.file)), root), parameters, keyframe)
    notes.warn()
    return mechanism


def read_text(
    model: str,
    file: str = "<text>",
    parameters: Mapping[str, float] | None = None,
    root: str | os.PathLike[str] | None = None,
    keyframe: str | int | None = None,
) -> Mechanism:
    """A mechanism from a text of MJCF; `file` is what its errors call it. The files that it names are in `root`."""
    folder = None if root is None else Folder(str(as_path(root)), root)
    mechanism, notes = _mechanism(xml.read_text(model, file), folder, parameters, keyframe)
    notes.warn()
    return mechanism


def _mechanism(
    root: Element, folder: Folder | None, parameters: Mapping[str, float] | None, keyframe: str | int | None
) -> tuple[Mechanism, Notes]:
    notes = Notes(root.file)
    model = assemble(root, folder, notes)
    _refuse_deformable(root)
    defaults = model.defaults
    gravity = mjcf_option.gravity(root, notes)
    tree = Walker(model).walk()
    if not tree.bodies:
        notes.add("model without a body", "it contains nothing that moves", warn=True)
    tendons = mjcf_tendon.tendons(sections(root, "tendon"), tree, defaults)
    held = mjcf_equality.equalities(sections(root, "equality"), tree, tendons, defaults, notes)
    keys = mjcf_keyframe.keys(sections(root, "keyframe"), tree, notes)
    key = mjcf_keyframe.chosen(keys, keyframe, notes)
    given, actuators = numbers(parameters, root.file), list(sections(root, "actuator"))
    controls = (0.0,) * len(actuators) if key is None else key.controls(len(actuators))
    by_tendons = mjcf_passive.at_joints(tendons, model.compiler)
    reader = Actuators(tree, tendons, defaults, model.compiler, notes, given, by_tendons.armature)
    drives = reader.read(actuators, controls)
    overridden(drives.parameters, given, root.file)  # which refuses those that are not there
    taken = [*(x.name for x in held.loops), *(x.name for x in held.constraints)]
    springs = mjcf_passive.springs(tendons, taken, model.compiler, notes)
    _note_sections(root, notes)
    mechanism = Mechanism(
        name=text(root, "model", "MuJoCo Model"),
        bodies=tuple(tree.bodies),
        joints=_joints(tree, drives, by_tendons, notes),
        loops=tuple(held.loops),
        constraints=tuple(held.constraints),
        springs=(*springs, *mjcf_passive.compensations(tree, (*taken, *(x.name for x in springs)))),
        frames=tuple(tree.frames),
        gravity=gravity,
        poses={name: key.q for name, key in keys.items()},
        initial=replace(_initial(tree, key), torque=tuple(drives.torques.items())),
        parameters=drives.parameters,
        notes=notes.lines(),
        file=root.file,
    )
    return mechanism, notes


def _initial(tree: Tree, key: Key | None) -> Initial:
    """MuJoCo starts in the pose in which the model is written; ours need be said only if it is not the neutral one."""
    if key is not None:
        return Initial(q=key.q, qd=key.speeds(tree.joints))
    written = tree.written_pose()
    neutral = all(part == joint.kind.neutral or not any(part) for joint, part in zip(tree.joints, written, strict=True))
    return Initial() if neutral else Initial(q=tuple(x for part in written for x in part))


def _joints(tree: Tree, drives: Drives, by_tendons: mjcf_passive.AtJoints, notes: Notes) -> tuple[Joint, ...]:
    """The joints, with what actuators and tendons add at them, and with springs and dampers by `springdamper`."""
    at_rest = AtRest.of(tree, drives.armature) if tree.springdampers else None
    found = []
    for joint in tree.joints:
        friction, rotor, spring = joint.friction, joint.rotor, joint.spring
        if at_rest is not None and joint.name in tree.springdampers:
            time, ratio = tree.springdampers[joint.name]
            inertia = at_rest.inertia(joint)
            friction = replace(friction, viscous=2 * inertia / time)
            if "spring" not in joint.kind.refuses:
                spring = replace(spring, stiffness=inertia / (time * ratio) ** 2)
            else:
                notes.add(f"springdamper of a {joint.type} joint", "only its damping is read", joint.name, warn=True)
        if joint.name in drives.damping:
            friction = replace(friction, viscous=friction.viscous + drives.damping[joint.name])
        if joint.name in drives.armature:
            rotor = Rotor(rotor.inertia + drives.armature[joint.name])
        if dry := by_tendons.frictionloss.get(joint.name, 0.0):
            dry += float(friction.coulomb)
            friction = replace(friction, coulomb=dry, coulomb_negative=dry)
        if joint.name in by_tendons.range:
            low, high = by_tendons.range[joint.name]
            kind = "revolute" if joint.type == "continuous" else joint.type
            joint = replace(joint, type=kind, limits=replace(joint.limits, lower=low, upper=high))
        changed = (friction, rotor, spring) != (joint.friction, joint.rotor, joint.spring)
        found.append(replace(joint, friction=friction, rotor=rotor, spring=spring) if changed else joint)
    return tuple(found)


def _refuse_deformable(root: Element) -> None:
    for element in sections(root, "deformable"):
        if element.tag != "skin":
            raise element.error(f"<{element.tag}> is not supported: bodies cannot deform")


def _note_sections(root: Element, notes: Notes) -> None:
    for tag in ("visual", "statistic", "size"):
        if root.find(tag) is not None:
            notes.add(f"<{tag}>", "ignored")
    for tag in ("contact", "sensor", "custom"):
        for element in sections(root, tag):
            notes.add(f"<{tag}>", "ignored", element.attributes.get("name", ""))
    for element in sections(root, "extension"):
        notes.add("<extension>", "ignored", element.attributes.get("plugin", ""), warn=True)
