"""The files that URIs in an SDF name: beside it, or in models and packages around it.

Nothing is downloaded, and no link leads out of the folder of a model.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from lagrangian.description import xml
from lagrangian.description.files import is_within, package_folders
from lagrangian.description.xml import Element

NEWEST_VERSION = (1, 12)  # the newest version of SDF that is read
_SUFFIXES = (".sdf", ".world", ".xml")
_SCHEMES = ("model", "package")
_FUEL = re.compile(r"https?://fuel\.[^/]+/[^/]+/[^/]+/models/([^/]+)(?:/(?:\d+|tip))?/?", re.IGNORECASE)


def relative_path(element: Element, uri: str) -> tuple[str, bool]:
    """The path in a URI, and whether the URI is a plain path from the file; an error if it leads anywhere else.

    A model of Gazebo's collection on the web is looked for by its name, as if it were model://name: many keep a copy of it.
    """
    if fuel := _FUEL.fullmatch(uri):
        uri = f"model://{unquote(fuel[1])}"
    scheme, separator, path_part = uri.partition("://")
    if scheme == "file" and separator:
        uri, separator = path_part, ""
    path = path_part if separator else uri
    if scheme not in _SCHEMES if separator else path.startswith(("/", "~", "\\")) or path[1:2] == ":" or "\0" in path:
        raise element.error(f"{uri!r} is not read: files are not downloaded; give a path from this file, or model://name")
    if path.startswith("/") or ".." in path.replace("\\", "/").split("/"):
        raise element.error(f"{uri!r} leads out of the folder of the model; only files in it are read")
    return path, not separator


def candidate_paths(element: Element, uri: str) -> Iterator[tuple[Path, Path]]:
    """Where a file may be, the likeliest first, each with the folder that it must be in."""
    path, is_relative = relative_path(element, uri)
    directory = Path(element.file).absolute().parent
    if is_relative:
        yield directory / path, directory
    model, _, path_in_package = path.partition("/")
    ancestors = Path(element.file).absolute().parents
    for folder in package_folders(model, element.file):
        if folder in ancestors or folder.parent != Path(folder.anchor):  # not in the root, where every file of the machine is
            yield folder / path_in_package, folder


def find_description(element: Element, uri: str) -> Path | None:
    """The description that a URI names; None if there is none."""
    for path, folder in candidate_paths(element, uri):
        manifest = path / "model.config"
        if manifest.is_file():
            _check_within(element, uri, manifest, folder)
        if (file := _description_file(path, element)) is not None:
            _check_within(element, uri, file, folder)
            return file
    return None


def find_mesh(element: Element, uri: str) -> Path:
    """The file of a mesh that a URI names."""
    for path, folder in candidate_paths(element, uri):
        if path.is_file():
            _check_within(element, uri, path, folder)
            return path
    raise element.error(f"there is no mesh {uri!r} beside or around this file")


def _check_within(element: Element, uri: str, path: Path, folder: Path) -> None:
    """Refuse a link that leads out of a folder."""
    if not is_within(os.path.realpath(path), os.path.realpath(folder)):
        raise element.error(f"{uri!r} is a link that leads out of the folder {str(folder)!r}; only files in it are read")


def _description_file(path: Path, element: Element) -> Path | None:
    """The description at a path: the file itself, or what the model in a folder has for the newest version that we read."""
    if path.is_file():
        return path if path.suffix.lower() in (*_SUFFIXES, ".urdf") else None
    manifest = path / "model.config"
    if not manifest.is_file():
        model_file = path / "model.sdf"
        return model_file if model_file.is_file() else None
    newest: tuple[tuple[int, int], str] | None = None
    for child in xml.read_file(manifest).find_all("sdf"):
        match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", child.attributes.get("version", "1.0").strip())
        file_version = (int(match[1]), int(match[2])) if match else (1, 0)
        if file_version <= NEWEST_VERSION and child.text and (newest is None or file_version > newest[0]):
            newest = file_version, child.text
    if newest is None:
        raise element.error(f"{manifest} names no file of a supported version")
    if "/" in newest[1] or "\\" in newest[1] or Path(newest[1]).suffix.lower() not in (*_SUFFIXES, ".urdf"):
        raise element.error(f"{manifest} names the file {newest[1]!r}; it must be beside the manifest, such as model.sdf")
    return path / newest[1]
