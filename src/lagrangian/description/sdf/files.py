"""Files that an SDF names: beside it, or in models and packages around it. Nothing is fetched, and no link leads outside."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from lagrangian.description import xml
from lagrangian.description.folder import within
from lagrangian.description.packages import packages
from lagrangian.description.xml import Element

NEWEST = (1, 12)
_SUFFIXES = (".sdf", ".world", ".xml")
_SCHEMES = ("model", "package")
_FUEL = re.compile(r"https?://fuel\.[^/]+/[^/]+/[^/]+/models/([^/]+)(?:/(?:\d+|tip))?/?", re.IGNORECASE)


def inside(element: Element, uri: str) -> tuple[str, bool]:
    """The path in a URI, and whether it is a plain one, beside the file; an error if it leads anywhere else.

    A model of Gazebo's collection on the web is looked for by its name, as if it were model://name: many keep a copy of it.
    """
    if fuel := _FUEL.fullmatch(uri):
        uri = f"model://{unquote(fuel[1])}"
    scheme, mark, rest = uri.partition("://")
    if scheme == "file" and mark:
        uri, mark = rest, ""
    path = rest if mark else uri
    if scheme not in _SCHEMES if mark else path.startswith(("/", "~", "\\")) or path[1:2] == ":" or "\0" in path:
        raise element.error(f"{uri!r} is not read: files are not downloaded; give a path from this file, or model://name")
    if path.startswith("/") or ".." in path.replace("\\", "/").split("/"):
        raise element.error(f"{uri!r} leads out of the folder of the model; only files in it are read")
    return path, not mark


def places(element: Element, uri: str) -> Iterator[tuple[Path, Path]]:
    """Where a file may be, the likeliest first, each with the folder that it must be in."""
    path, plain = inside(element, uri)
    here = Path(element.file).absolute().parent
    if plain:
        yield here / path, here
    model, _, rest = path.partition("/")
    around = Path(element.file).absolute().parents
    for folder in packages(model, element.file):
        if folder in around or folder.parent != Path(folder.anchor):  # not in the root, where every file of the machine is
            yield folder / rest, folder


def description(element: Element, uri: str) -> Path | None:
    """The description that a URI names; None if there is none."""
    for path, folder in places(element, uri):
        manifest = path / "model.config"
        if manifest.is_file():
            _kept(element, uri, manifest, folder)
        if (found := _described(path, element)) is not None:
            return _kept(element, uri, found, folder)
    return None


def mesh(element: Element, uri: str) -> Path:
    """The file of a mesh that a URI names."""
    for path, folder in places(element, uri):
        if path.is_file():
            return _kept(element, uri, path, folder)
    raise element.error(f"there is no mesh {uri!r} beside or around this file")


def _kept(element: Element, uri: str, path: Path, folder: Path) -> Path:
    if not within(os.path.realpath(path), os.path.realpath(folder)):
        raise element.error(f"{uri!r} is a link that leads out of the folder {str(folder)!r}; only files in it are read")
    return path


def _described(path: Path, element: Element) -> Path | None:
    """The description at a path: the file itself, or what the model in a folder has for the newest version that we read."""
    if path.is_file():
        return path if path.suffix.lower() in (*_SUFFIXES, ".urdf") else None
    manifest = path / "model.config"
    if not manifest.is_file():
        plain = path / "model.sdf"
        return plain if plain.is_file() else None
    best: tuple[tuple[int, int], str] | None = None
    for child in xml.read_file(manifest).all("sdf"):
        match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", child.attributes.get("version", "1.0").strip())
        own = (int(match[1]), int(match[2])) if match else (1, 0)
        if own <= NEWEST and child.text and (best is None or own > best[0]):
            best = own, child.text
    if best is None:
        raise element.error(f"{manifest} names no file of a supported version")
    if "/" in best[1] or "\\" in best[1] or Path(best[1]).suffix.lower() not in (*_SUFFIXES, ".urdf"):
        raise element.error(f"{manifest} names the file {best[1]!r}; it must be beside the manifest, such as model.sdf")
    return path / best[1]
