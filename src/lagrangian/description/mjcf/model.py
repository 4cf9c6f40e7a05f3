"""A model of one or more MJCF files: included files put in place, copies made, models attached."""

from __future__ import annotations

import os

from lagrangian.description import xml
from lagrangian.description.files import DescriptionFolder
from lagrangian.description.mjcf.compiler import CompilerSettings
from lagrangian.description.mjcf.copies import MjcfModel, expand_copies
from lagrangian.description.mjcf.document import MAIN_CLASS, DefaultClasses, expand_includes, section_children
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.schema import check_mjcf_attributes
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import DescriptionError, unknown_name_message

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


def read_model(
    root: Element, folder: DescriptionFolder | None, notes: ReaderNotes, attaching_files: tuple[str, ...] = ()
) -> MjcfModel:
    """The model of a root element; `attaching_files` are the files that attach it, outermost first."""
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
        return read_model(xml.read_file(path), folder, model.notes, attaching_files)
    except DescriptionError as error:
        raise element.error(f"attached from here: {error}") from None
