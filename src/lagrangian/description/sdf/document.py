"""An SDF file as one document of the newest version: old forms are rewritten, and included models take the place of <include>.

An included file may also be a URDF.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from lagrangian.description import xml
from lagrangian.description.notes import ReaderNotes
from lagrangian.description.sdf import from_urdf
from lagrangian.description.sdf.frames import MAX_DEPTH, MODEL
from lagrangian.description.sdf.uris import NEWEST_VERSION, find_description, relative_path
from lagrangian.description.sdf.values import boolean_attribute, child_boolean, child_text
from lagrangian.description.xml import Element, text_attribute
from lagrangian.errors import DescriptionError

OLDEST_VERSION = (1, 2)
_AXES_IN_MODEL = (1, 4)  # up to this version a joint's axis is given in the model's frame
_MAX_INCLUDES = 1000
_GAZEBO_MODELS = ("sun", "ground_plane")
_MERGED_TAGS = ("link", "model", "joint", "frame", "gripper", "plugin")


def upgrade(root: Element) -> None:
    """Rewrite forms of earlier versions."""
    file_version = read_version(root)
    for element in root.walk():
        if element.tag == "pose" and "frame" in element.attributes:  # up to 1.6
            element.attributes.setdefault("relative_to", element.attributes.pop("frame"))
        elif element.tag in ("axis", "axis2"):
            xyz = element.find("xyz")
            is_in_model_frame = child_boolean(element, "use_parent_model_frame", file_version <= _AXES_IN_MODEL)
            if xyz is not None and is_in_model_frame:
                xyz.attributes.setdefault("expressed_in", MODEL)
            element.children = [child for child in element.children if child.tag != "use_parent_model_frame"]
        elif element.tag == "world" and element.find("gravity") is None:  # up to 1.5
            for physics in element.find_all("physics"):
                element.children += physics.find_all("gravity")


def read_version(root: Element) -> tuple[int, int]:
    """The version of SDF of a file; an error if it is not supported."""
    version_text = text_attribute(root, "version")
    match = re.fullmatch(r"\s*(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?\s*", version_text)
    if match is None:
        raise root.error(f"version is {version_text!r}; write a version such as 1.{NEWEST_VERSION[1]}")
    numbers = int(match[1]), int(match[2])
    if not OLDEST_VERSION <= numbers <= NEWEST_VERSION:
        raise root.error(
            f"version is {version_text}; versions from {OLDEST_VERSION[0]}.{OLDEST_VERSION[1]} to "
            f"{NEWEST_VERSION[0]}.{NEWEST_VERSION[1]} are supported"
        )
    return numbers


class IncludeExpander:
    """Replaces <include> elements by the models that they name."""

    def __init__(self, notes: ReaderNotes, forbid_includes: bool) -> None:
        self.notes, self.forbid_includes = notes, forbid_includes
        self._count = 0

    def expand(self, root: Element) -> None:
        """Replace each <include> of a document that is upgraded already; included models may include others."""
        pending: list[tuple[Element, tuple[str, ...]]] = [(root, (_file_key(root.file),))]
        while pending:
            element, including_files = pending.pop()
            position = 0
            while position < len(element.children):
                child = element.children[position]
                if child.tag == "include":
                    replacement, inner_files = self._expand_include(child, element, including_files)
                    element.children[position : position + 1] = replacement
                    pending += [(model, inner_files) for model in replacement if model.tag == "model"]
                    position += len(replacement)
                    continue
                if child.tag in ("world", "model"):
                    pending.append((child, including_files))
                position += 1

    def _expand_include(
        self, element: Element, parent: Element, including_files: tuple[str, ...]
    ) -> tuple[list[Element], tuple[str, ...]]:
        uri = child_text(element, "uri")
        if any(child.tag == "experimental:params" for child in element.children):
            raise element.error("changes the model that it includes by <experimental:params>, which is not supported")
        self._count += 1
        if self._count > _MAX_INCLUDES:
            raise element.error(f"more than {_MAX_INCLUDES} files are included")
        path = self._find_file(element, uri)
        if path is None:
            return [], including_files
        key = _file_key(str(path))
        if key in including_files or len(including_files) > MAX_DEPTH:
            raise element.error(f"{uri!r} includes itself")
        model = self._read_model(element, path)
        if model is None:
            return [], including_files
        model = _apply_include(model, element)
        if not boolean_attribute(element, "merge"):
            return [model], (*including_files, key)
        if child_boolean(model, "static"):
            meaning = "ignored: the model that it is merged into decides whether its links are fixed"
            self.notes.add("<static> of a merged model", meaning, text_attribute(model, "name"), warn=True)
        self._expand_children(model, (*including_files, key))
        return _merge_model(model, parent, element), (*including_files, key)

    def _expand_children(self, model: Element, including_files: tuple[str, ...]) -> None:
        """Replace the <include> elements in a model that is merged, whose links must be known by name."""
        for position in reversed(range(len(model.children))):
            child = model.children[position]
            if child.tag == "include":
                model.children[position : position + 1] = self._expand_include(child, model, including_files)[0]

    def _read_model(self, element: Element, path: Path) -> Element | None:
        """The model in a file; None if the file has only lights or actors."""
        try:
            root = xml.read_file(path)
            if root.tag == "robot":
                return from_urdf.to_sdf_model(root, self.notes)
            if root.tag != "sdf":
                raise root.error(f"its root is <{root.tag}>; <sdf>, or <robot> of a URDF, is needed")
            upgrade(root)
        except DescriptionError as error:
            raise element.error(f"included here: {error}") from None
        models = root.find_all("model")
        lights_and_actors = [child for child in root.children if child.tag in ("light", "actor")]
        if len(models) > 1:
            raise element.error(f"included here: {path} has {len(models)} models; only a file with one model can be included")
        if not models and not lights_and_actors:
            raise element.error(f"included here: {path} has no model")
        for light_or_actor in lights_and_actors if not models else ():
            self.notes.add(f"<{light_or_actor.tag}>", "ignored", light_or_actor.attributes.get("name", ""))
        return models[0] if models else None

    def _find_file(self, element: Element, uri: str) -> Path | None:
        """The file that a URI names; None for Gazebo's sun and ground plane, which do not matter to a mechanism."""
        if self.forbid_includes:
            raise element.error(f"{uri!r} cannot be included: this model is a string without a folder")
        if (path := find_description(element, uri)) is not None:
            return path
        name = relative_path(element, uri)[0].strip("/")
        if name in _GAZEBO_MODELS:
            self.notes.add(f"model://{name}", "ignored: it does not move, and contacts are not simulated")
            return None
        hint = "; files are not downloaded" if uri.lower().startswith("http") else ""
        folder = shlex.quote(f"/folder/that/holds/{name.partition('/')[0]}")
        raise element.error(
            f"there is no {uri!r} beside or around this file{hint}; name its folder by export GZ_SIM_RESOURCE_PATH={folder}"
        )


def _file_key(file: str) -> str:
    return os.path.normcase(os.path.abspath(file))


def _apply_include(model: Element, include: Element) -> Element:
    """A model with the name, pose, placement frame and <static> of its <include>."""
    attributes = dict(model.attributes)
    if name := child_text(include, "name", ""):
        attributes["name"] = name
    if placement_frame := child_text(include, "placement_frame", ""):
        if include.find("pose") is None:
            raise include.error("has a placement_frame, which needs a pose")
        attributes["placement_frame"] = placement_frame
    replacements = [child for tag in ("pose", "static") if (child := include.find(tag)) is not None]
    tags = {child.tag for child in replacements}
    changed_model = model.with_attributes(attributes)
    changed_model.children = [*replacements, *(child for child in model.children if child.tag not in tags)]
    changed_model.owner = include.owner
    return changed_model


# -- merging -----------------------------------------------------------------------------------------------------------


def _merge_model(model: Element, parent: Element, include: Element) -> list[Element]:
    """The parts of a model as parts of the one around it, with a frame in place of the model's own frame."""
    name = f"_merged__{text_attribute(model, 'name')}__model__"
    first_part = model.find("link") or model.find("model")
    attached_link = model.attributes.get("canonical_link") or (
        first_part.attributes.get("name", "") if first_part is not None else ""
    )
    model_frame = Element("frame", {"name": name, "attached_to": attached_link}, include.file, include.line, include.owner)
    if "placement_frame" in model.attributes:
        model_frame.attributes["placement_frame"] = model.attributes["placement_frame"]
    pose = model.find("pose") or Element("pose", {}, include.file, include.line, include.owner)
    parent_frame = MODEL if parent.tag == "model" else "world"
    pose_in_parent = pose.with_attributes({**pose.attributes, "relative_to": pose.attributes.get("relative_to") or parent_frame})
    model_frame.children = [pose_in_parent]
    parts = [model_frame]
    for part in model.children:
        if part.tag not in _MERGED_TAGS and ":" not in part.tag:
            continue
        if parent.tag == "world" and part.tag in ("link", "gripper"):
            raise include.error(f"merges a model with a <{part.tag}> into a world; a world has models, frames and joints")
        _rebase(part, name)
        parts.append(part)
    return parts


def _rebase(part: Element, frame_name: str) -> None:
    """Give in another frame what a part gives in the model's own frame."""
    pose = part.find("pose")
    if part.tag in ("link", "model"):
        if pose is None:
            pose = Element("pose", {}, part.file, part.line, part.label)
            part.children.append(pose)
        if pose.attributes.get("relative_to", "") in ("", MODEL):
            pose.attributes["relative_to"] = frame_name
        return
    if pose is not None and pose.attributes.get("relative_to") == MODEL:
        pose.attributes["relative_to"] = frame_name
    if part.tag == "frame" and part.attributes.get("attached_to", "") in ("", MODEL):
        part.attributes["attached_to"] = frame_name
    for end in (*part.find_all("parent"), *part.find_all("child")):
        if end.text == MODEL:
            end.text = frame_name
    for axis in (*part.find_all("axis"), *part.find_all("axis2")):
        for xyz in axis.find_all("xyz"):
            if xyz.attributes.get("expressed_in") == MODEL:
                xyz.attributes["expressed_in"] = frame_name
