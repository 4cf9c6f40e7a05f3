"""MuJoCo's XML (MJCF): the tree, its inertias, springs and friction, closed loops, tendons, actuators, sites and keyframes.

Coordinates equal MuJoCo's `qpos`, joint by joint in the same order, except that a free joint has its quaternion before its
position. A free joint's speeds are angular, then linear, both in the body's frame; MuJoCo's are linear in the world's, then
angular in the body's. Contacts and sensors are ignored, and the notes say so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace

from lagrangian.description import xml
from lagrangian.description.files import DescriptionFolder
from lagrangian.description.mjcf.actuators import ActuatorReader, JointActuation
from lagrangian.description.mjcf.compiler import CompilerSettings
from lagrangian.description.mjcf.copies import expand_copies
from lagrangian.description.mjcf.document import (
    MAIN_CLASS,
    DefaultClasses,
    MjcfModel,
    expand_includes,
    read_gravity,
    section_children,
)
from lagrangian.description.mjcf.equality import read_equalities
from lagrangian.description.mjcf.keyframe import Keyframe, note_unused_attributes, read_keyframes, select_keyframe
from lagrangian.description.mjcf.mass_matrix import WrittenMassMatrix
from lagrangian.description.mjcf.tendons import TendonJointEffects, joint_effects, read_springs, read_tendons
from lagrangian.description.mjcf.tree import MjcfTree, TreeBuilder, gravity_compensations
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.parameter_values import apply_parameter_values, as_parameter_values
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message
from lagrangian.files import as_path
from lagrangian.model.initial_state import InitialState
from lagrangian.model.joint import Joint, Rotor
from lagrangian.model.mechanism import Mechanism

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
_PART_NOTE = "this is part of a model that another file includes; load that file"
_OTHER_ROOTS = {"robot": "this is URDF, not MJCF", "sdf": "this is SDF, not MJCF", "mujocoinclude": _PART_NOTE}
_MAX_ATTACH_DEPTH = 30  # models that attach models that attach models


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
    mechanism, notes = _read_mechanism(
        top, DescriptionFolder(os.path.dirname(os.path.abspath(top.file)), root), parameters, keyframe
    )
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
    folder = None if root is None else DescriptionFolder(str(as_path(root)), root)
    mechanism, notes = _read_mechanism(xml.read_text(model, file), folder, parameters, keyframe)
    notes.warn()
    return mechanism


def _read_mechanism(
    root: Element, folder: DescriptionFolder | None, parameters: Mapping[str, float] | None, keyframe: str | int | None
) -> tuple[Mechanism, ReaderNotes]:
    notes = ReaderNotes(root.file)
    model = _read_model(root, folder, notes)
    _refuse_deformable(root)
    defaults = model.defaults
    gravity = read_gravity(root, notes)
    tree = TreeBuilder(model).build()
    if not tree.bodies:
        notes.add("model without a body", "it contains nothing that moves", warn=True)
    tendons = read_tendons(section_children(root, "tendon"), tree, defaults)
    equalities = read_equalities(section_children(root, "equality"), tree, tendons, defaults, notes)
    keys = read_keyframes(section_children(root, "keyframe"), tree, notes)
    key = select_keyframe(keys, keyframe, notes.file)
    note_unused_attributes(keys, key, notes)
    parameter_values, actuators = as_parameter_values(parameters, root.file), list(section_children(root, "actuator"))
    controls = (0.0,) * len(actuators) if key is None else key.controls(len(actuators))
    tendon_effects = joint_effects(tendons, model.compiler)
    actuator_reader = ActuatorReader(tree, tendons, defaults, model.compiler, notes, parameter_values, tendon_effects.armature)
    drives = actuator_reader.read(actuators, controls)
    apply_parameter_values(drives.parameters, parameter_values, root.file)  # refuses unknown ones
    used_names = [*(x.name for x in equalities.loops), *(x.name for x in equalities.constraints)]
    springs = read_springs(tendons, used_names, model.compiler, notes)
    _note_sections(root, notes)
    mechanism = Mechanism(
        name=text_attribute(root, "model", "MuJoCo Model"),
        bodies=tuple(tree.bodies),
        joints=tuple(_complete_joints(tree, drives, tendon_effects, notes)),
        loops=tuple(equalities.loops),
        constraints=tuple(equalities.constraints),
        springs=(*springs, *gravity_compensations(tree, (*used_names, *(x.name for x in springs)))),
        frames=tuple(tree.frames),
        gravity=gravity,
        poses={name: key.q for name, key in keys.items()},
        initial=replace(_initial_state(tree, key), torque=tuple(drives.torques.items())),
        parameters=drives.parameters,
        notes=notes.lines(),
        file=root.file,
    )
    return mechanism, notes


def _initial_state(tree: MjcfTree, key: Keyframe | None) -> InitialState:
    """The start: that of the keyframe, or the pose in which the model is written if that is not the neutral one."""
    if key is not None:
        return InitialState(q=key.q, qd=key.speeds(tree.joints))
    coordinates = tree.written_coordinates()
    is_neutral = all(part == joint.kind.neutral or not any(part) for joint, part in zip(tree.joints, coordinates, strict=True))
    return InitialState() if is_neutral else InitialState(q=tuple(x for part in coordinates for x in part))


def _complete_joints(
    tree: MjcfTree, drives: JointActuation, tendon_effects: TendonJointEffects, notes: ReaderNotes
) -> Iterator[Joint]:
    """The joints, with the effects of `springdamper`, actuators and tendons added."""
    mass_matrix = WrittenMassMatrix.from_tree(tree, drives.armature) if tree.springdampers else None
    for joint in tree.joints:
        if mass_matrix is not None and joint.name in tree.springdampers:
            joint = _with_springdamper(joint, mass_matrix.effective_inertia(joint), *tree.springdampers[joint.name], notes)
        yield _with_tendon_effects(_with_actuation(joint, drives), tendon_effects)


def _with_springdamper(joint: Joint, inertia: float, time: float, ratio: float, notes: ReaderNotes) -> Joint:
    """The joint with the damping and the stiffness that give an inertia this time constant and damping ratio."""
    joint = replace(joint, friction=replace(joint.friction, viscous=2 * inertia / time))
    if "spring" in joint.kind.refuses:
        notes.add(f"springdamper of a {joint.type} joint", "only its damping is read", joint.name, warn=True)
        return joint
    return replace(joint, spring=replace(joint.spring, stiffness=inertia / (time * ratio) ** 2))


def _with_actuation(joint: Joint, drives: JointActuation) -> Joint:
    """The joint with the damping and the armature of its actuators."""
    if joint.name in drives.damping:
        viscous = joint.friction.viscous + drives.damping[joint.name]
        joint = replace(joint, friction=replace(joint.friction, viscous=viscous))
    if joint.name in drives.armature:
        joint = replace(joint, rotor=Rotor(joint.rotor.inertia + drives.armature[joint.name]))
    return joint


def _with_tendon_effects(joint: Joint, effects: TendonJointEffects) -> Joint:
    """The joint with the dry friction and the limits of tendons along it."""
    if dry_friction := effects.frictionloss.get(joint.name, 0.0):
        dry_friction += float(joint.friction.coulomb)
        joint = replace(joint, friction=replace(joint.friction, coulomb=dry_friction, coulomb_negative=dry_friction))
    if joint.name in effects.range:
        low, high = effects.range[joint.name]
        kind = "revolute" if joint.type == "continuous" else joint.type
        joint = replace(joint, type=kind, limits=replace(joint.limits, lower=low, upper=high))
    return joint


# -- the document ------------------------------------------------------------------------------------------------------


def _read_model(
    root: Element, folder: DescriptionFolder | None, notes: ReaderNotes, attaching_files: tuple[str, ...] = ()
) -> MjcfModel:
    """The model of a root element, with included files put in place, copies made, and models attached.

    `attaching_files` are the files that attach it, outermost first.
    """
    if root.tag != "mujoco":
        raise root.error(_OTHER_ROOTS.get(root.tag, "an MJCF file starts with <mujoco>"))
    check_mjcf_attributes(root)
    expand_includes(root, folder)
    for section in root.children:
        if section.tag == "body":
            meaning = f"ignored, as in MuJoCo: {_PART_NOTE}, or put it into <worldbody>"
            notes.add("<body> outside <worldbody>", meaning, section.attributes.get("name", ""), warn=True)
        elif section.tag not in _SECTIONS:
            raise section.error(unknown_name_message("section", section.tag, _SECTIONS))
    defaults = DefaultClasses(root)
    compiler = CompilerSettings.read(root)
    model = MjcfModel(root, folder, defaults, notes, [compiler])
    model.assets += [
        (defaults.apply_defaults(e, MAIN_CLASS), compiler, folder) for e in section_children(root, "asset") if e.tag != "model"
    ]
    attaching_files = (*attaching_files, os.path.realpath(root.file))
    expand_copies(model, lambda element: _read_attached_model(element, model, attaching_files))
    return model


def _read_attached_model(element: Element, model: MjcfModel, attaching_files: tuple[str, ...]) -> MjcfModel:
    """The model that a <model> of <asset> names."""
    check_mjcf_attributes(element)
    file = text_attribute(element, "file")
    if model.folder is None:
        raise element.error(f"file {file!r} cannot be read: this model is a string without a folder")
    path = model.folder.find(element, file)
    if os.path.realpath(path) in attaching_files or len(attaching_files) > _MAX_ATTACH_DEPTH:
        raise element.error(f"file {file!r} attaches itself, or models are attached more than {_MAX_ATTACH_DEPTH} levels deep")
    try:
        folder = DescriptionFolder(os.path.dirname(os.path.abspath(path)), model.folder.root)
        return _read_model(xml.read_file(path), folder, model.notes, attaching_files)
    except DescriptionError as error:
        raise element.error(f"attached from here: {error}") from None


def _refuse_deformable(root: Element) -> None:
    for element in section_children(root, "deformable"):
        if element.tag != "skin":
            raise element.error(f"<{element.tag}> is not supported: bodies cannot deform")


def _note_sections(root: Element, notes: ReaderNotes) -> None:
    for tag in ("visual", "statistic", "size"):
        if root.find(tag) is not None:
            notes.add(f"<{tag}>", "ignored")
    for tag in ("contact", "sensor", "custom"):
        for element in section_children(root, tag):
            notes.add(f"<{tag}>", "ignored", element.attributes.get("name", ""))
    for element in section_children(root, "extension"):
        notes.add("<extension>", "ignored", element.attributes.get("plugin", ""), warn=True)
