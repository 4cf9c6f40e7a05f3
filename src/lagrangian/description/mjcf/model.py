"""A model of one or more MJCF files: included files put in place, copies made, models attached."""

from __future__ import annotations

import os

from lagrangian.description import xml
from lagrangian.description.folder import Folder
from lagrangian.description.mjcf.compiler import Compiler
from lagrangian.description.mjcf.copies import Model, put_in_place
from lagrangian.description.mjcf.document import MAIN, Defaults, expand_includes, sections
from lagrangian.description.mjcf.schema import check_attributes
from lagrangian.description.notes import Notes
from lagrangian.description.xml import Element, text
from lagrangian.errors import DescriptionError, one_of

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
_PART = "this is part of a model that another file includes; load that file"
_OTHER_ROOTS = {"robot": "this is URDF, not MJCF", "sdf": "this is SDF, not MJCF", "mujocoinclude": _PART}
_DEEPEST = 30  # models that attach models that attach models


def assemble(root: Element, folder: Folder | None, notes: Notes, around: tuple[str, ...] = ()) -> Model:
    """The model of a root element; `around` are the files that attach it."""
    if root.tag != "mujoco":
        raise root.error(_OTHER_ROOTS.get(root.tag, "an MJCF file starts with <mujoco>"))
    check_attributes(root)
    expand_includes(root, folder)
    for section in root.children:
        if section.tag == "body":
            meaning = f"ignored, as in MuJoCo: {_PART}, or put it into <worldbody>"
            notes.add("<body> outside <worldbody>", meaning, section.attributes.get("name", ""), warn=True)
        elif section.tag not in _SECTIONS:
            raise section.error(one_of("section", section.tag, _SECTIONS))
    defaults = Defaults(root)
    compiler = Compiler.read(root)
    model = Model(root, folder, defaults, notes, [compiler])
    model.assets += [(defaults.applied(e, MAIN), compiler, folder) for e in sections(root, "asset") if e.tag != "model"]
    around = (*around, os.path.realpath(root.file))

    put_in_place(model, lambda element: _other(element, model, around))
    return model


def _other(element: Element, model: Model, around: tuple[str, ...]) -> Model:
    """The model that a <model> of <asset> names."""
    check_attributes(element)
    file = text(element, "file")
    if model.folder is None:
        raise element.error(f"file {file!r} cannot be read: this model is a string without a folder")
    path = model.folder.path(element, file)
    if os.path.realpath(path) in around or len(around) > _DEEPEST:
        raise element.error(f"file {file!r} attaches itself, or models are attached more than {_DEEPEST} levels deep")
    try:
        folder = Folder(os.path.dirname(os.path.abspath(path)), model.folder.root)
        return assemble(xml.read_file(path), folder, model.notes, around)
    except DescriptionError as error:
        raise element.error(f"attached from here: {error}") from None
