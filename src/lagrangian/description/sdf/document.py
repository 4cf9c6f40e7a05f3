"""An SDF file as one document of the newest version: old forms rewritten, included models put in place.

Where a file is included, the model in it stands instead, also where that file is a URDF.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from lagrangian.description import xml
from lagrangian.description.notes import Notes
from lagrangian.description.sdf import files, from_urdf
from lagrangian.description.sdf.files import NEWEST
from lagrangian.description.sdf.frames import DEEPEST, MODEL
from lagrangian.description.sdf.values import truth, truth_of, word
from lagrangian.description.xml import Element, text
from lagrangian.errors import DescriptionError

OLDEST = (1, 2)
_AXES_IN_MODEL = (1, 4)  # up to this version a joint's axis is given in the model's frame
_MOST = 1000
_GAZEBO = ("sun", "ground_plane")
_MERGED = ("link", "model", "joint", "frame", "gripper", "plugin")


def version(root: Element) -> tuple[int, int]:
    given = text(root, "version")
    match = re.fullmatch(r"\s*(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?\s*", given)
    if match is None:
        raise root.error(f"version is {given!r}; write a version such as 1.{NEWEST[1]}")
    found = int(match[1]), int(match[2])
    if not OLDEST <= found <= NEWEST:
        raise root.error(f"version is {given}; versions from {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]} are supported")
    return found


def upgrade(root: Element) -> None:
    """Rewrite what earlier versions say otherwise."""
    found = version(root)
    for element in root.walk():
        if element.tag == "pose" and "frame" in element.attributes:  # up to 1.6
            element.attributes.setdefault("relative_to", element.attributes.pop("frame"))
        elif element.tag in ("axis", "axis2"):
            xyz = element.find("xyz")
            in_model = truth(element, "use_parent_model_frame", found <= _AXES_IN_MODEL)
            if xyz is not None and in_model:
                xyz.attributes.setdefault("expressed_in", MODEL)
            element.children = [child for child in element.children if child.tag != "use_parent_model_frame"]
        elif element.tag == "world" and element.find("gravity") is None:  # up to 1.5
            for physics in element.all("physics"):
                element.children += physics.all("gravity")


class Includer:
    """Puts what <include> names in place."""

    def __init__(self, notes: Notes, text_only: bool) -> None:
        self.notes, self.text_only = notes, text_only
        self._count = 0

    def expand(self, root: Element) -> None:
        """Replace each <include> of a document that is upgraded already."""
        waiting: list[tuple[Element, tuple[str, ...]]] = [(root, (_key(root.file),))]
        while waiting:
            element, files = waiting.pop()
            # what is put in place may itself include files
            at = 0
            while at < len(element.children):
                child = element.children[at]
                if child.tag == "include":
                    put, inside = self._included(child, element, files)
                    element.children[at : at + 1] = put
                    waiting += [(model, inside) for model in put if model.tag == "model"]
                    at += len(put)
                    continue
                if child.tag in ("world", "model"):
                    waiting.append((child, files))
                at += 1

    def _included(self, element: Element, outer: Element, files: tuple[str, ...]) -> tuple[list[Element], tuple[str, ...]]:
        uri = word(element, "uri")
        if any(child.tag == "experimental:params" for child in element.children):
            raise element.error("changes the model that it includes by <experimental:params>, which is not supported")
        self._count += 1
        if self._count > _MOST:
            raise element.error(f"more than {_MOST} files are included")
        path = self._find(element, uri)
        if path is None:
            return [], files
        key = _key(str(path))
        if key in files or len(files) > DEEPEST:
            raise element.error(f"{uri!r} includes itself")
        model = self._model(element, path)
        if model is None:
            return [], files
        model = _overridden(model, element)
        if not truth_of(element, "merge"):
            return [model], (*files, key)
        if truth(model, "static"):
            meaning = "ignored: the model that it is merged into decides whether its links are fixed"
            self.notes.add("<static> of a merged model", meaning, text(model, "name"), warn=True)
        self._expand_inside(model, (*files, key))
        return _merged(model, outer, element), (*files, key)

    def _expand_inside(self, model: Element, files: tuple[str, ...]) -> None:
        """What is merged is put in place whole: its links must be known by name."""
        for at in reversed(range(len(model.children))):
            child = model.children[at]
            if child.tag == "include":
                model.children[at : at + 1] = self._included(child, model, files)[0]

    def _model(self, element: Element, path: Path) -> Element | None:
        """The model in a file; None if it holds something else, which does not move."""
        try:
            root = xml.read_file(path)
            if root.tag == "robot":
                return from_urdf.model(root, self.notes)
            if root.tag != "sdf":
                raise root.error(f"its root is <{root.tag}>; <sdf>, or <robot> of a URDF, is needed")
            upgrade(root)
        except DescriptionError as error:
            raise element.error(f"included here: {error}") from None
        models = root.all("model")
        others = [child for child in root.children if child.tag in ("light", "actor")]
        if len(models) > 1:
            raise element.error(f"included here: {path} has {len(models)} models; only a file with one model can be included")
        if not models and not others:
            raise element.error(f"included here: {path} has no model")
        for other in others if not models else ():
            self.notes.add(f"<{other.tag}>", "ignored", other.attributes.get("name", ""))
        return models[0] if models else None

    def _find(self, element: Element, uri: str) -> Path | None:
        """The file that a URI names; None for Gazebo's own that every world includes, and that are nothing to a mechanism."""
        if self.text_only:
            raise element.error(f"{uri!r} cannot be included: this model is a string without a folder")
        if (found := files.description(element, uri)) is not None:
            return found
        name = files.inside(element, uri)[0].strip("/")
        if name in _GAZEBO:
            self.notes.add(f"model://{name}", "ignored: it does not move, and contacts are not simulated")
            return None
        fetched = "; files are not downloaded" if uri.lower().startswith("http") else ""
        folder = shlex.quote(f"/folder/that/holds/{name.partition('/')[0]}")
        raise element.error(
            f"there is no {uri!r} beside or around this file{fetched}; name its folder by export GZ_SIM_RESOURCE_PATH={folder}"
        )


def _key(file: str) -> str:
    return os.path.normcase(os.path.abspath(file))


def _overridden(model: Element, include: Element) -> Element:
    """A model as the <include> has it: under another name, elsewhere, at rest."""
    attributes = dict(model.attributes)
    if name := word(include, "name", ""):
        attributes["name"] = name
    if placed_by := word(include, "placement_frame", ""):
        if include.find("pose") is None:
            raise include.error("has a placement_frame, which needs a pose")
        attributes["placement_frame"] = placed_by
    changed = [child for tag in ("pose", "static") if (child := include.find(tag)) is not None]
    tags = {child.tag for child in changed}
    made = model.with_attributes(attributes)
    made.children = [*changed, *(child for child in model.children if child.tag not in tags)]
    made.owner = include.owner
    return made


# -- merging -----------------------------------------------------------------------------------------------------------


def _merged(model: Element, outer: Element, include: Element) -> list[Element]:
    """The parts of a model as parts of the one around it; a frame stands for the model's own."""
    name = f"_merged__{text(model, 'name')}__model__"
    first = model.find("link") or model.find("model")
    on = model.attributes.get("canonical_link") or (first.attributes.get("name", "") if first is not None else "")
    proxy = Element("frame", {"name": name, "attached_to": on}, include.file, include.line, include.owner)
    if "placement_frame" in model.attributes:
        proxy.attributes["placement_frame"] = model.attributes["placement_frame"]
    pose = model.find("pose") or Element("pose", {}, include.file, include.line, include.owner)
    own = MODEL if outer.tag == "model" else "world"
    given = pose.with_attributes({**pose.attributes, "relative_to": pose.attributes.get("relative_to") or own})
    proxy.children = [given]
    parts = [proxy]
    for part in model.children:
        if part.tag not in _MERGED and ":" not in part.tag:
            continue
        if outer.tag == "world" and part.tag in ("link", "gripper"):
            raise include.error(f"merges a model with a <{part.tag}> into a world; a world has models, frames and joints")
        _rebase(part, name)
        parts.append(part)
    return parts


def _rebase(part: Element, name: str) -> None:
    """What is given in the model's own frame is given in the frame that stands for it."""
    pose = part.find("pose")
    if part.tag in ("link", "model"):
        if pose is None:
            pose = Element("pose", {}, part.file, part.line, part.label)
            part.children.append(pose)
        if pose.attributes.get("relative_to", "") in ("", MODEL):
            pose.attributes["relative_to"] = name
        return
    if pose is not None and pose.attributes.get("relative_to") == MODEL:
        pose.attributes["relative_to"] = name
    if part.tag == "frame" and part.attributes.get("attached_to", "") in ("", MODEL):
        part.attributes["attached_to"] = name
    for end in (*part.all("parent"), *part.all("child")):
        if end.text == MODEL:
            end.text = name
    for axis in (*part.all("axis"), *part.all("axis2")):
        for xyz in axis.all("xyz"):
            if xyz.attributes.get("expressed_in") == MODEL:
                xyz.attributes["expressed_in"] = name
