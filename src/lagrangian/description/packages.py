"""Files that a description names: beside it, or in a ROS package that is found by looking around it. Nothing is fetched.

A package is a folder of its name, or one whose package.xml has that name. It is looked for among the folders that the
description is in, then beside each of them, or in a folder `models` there, and then where ROS and Gazebo are told to look
(ROS_PACKAGE_PATH and so on).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lagrangian.errors import DescriptionError

_SCHEMES = ("package", "model", "file")
_PATHS = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_MOST = 100_000  # bytes of a package.xml that are looked at


def find_file(name: str, beside: str | os.PathLike[str]) -> Path:
    """The path of a file that the description `beside` names, as a path or as package://, model:// or file://."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme not in _SCHEMES:
        raise DescriptionError("only local files are read", where=name)
    if not mark or scheme == "file":
        path = Path(rest if mark else name)
        path = path if path.is_absolute() else Path(beside).absolute().parent / path
        if path.is_file():
            return path
        beside_it = "" if mark or Path(name).is_absolute() else " beside the model"
        raise DescriptionError(f"there is no such file{beside_it}", where=name)
    if ".." in rest.replace("\\", "/").split("/"):
        raise DescriptionError("'..' leads out of the package; only files in the package are read", where=name)
    package, _, inside = rest.partition("/")
    found = list(packages(package, beside))
    for folder in found:
        if (folder / inside).is_file():
            return folder / inside
    if found:
        raise DescriptionError(f"the package {found[0]} has no such file", where=name)
    remedy = f"export ROS_PACKAGE_PATH=/folder/that/holds/{package}"
    raise DescriptionError("there is no such file", where=name, remedy=remedy)


def packages(name: str, beside: str | os.PathLike[str]) -> Iterator[Path]:
    """The folders that may be the package of this name, the likeliest first."""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return
    above = list(Path(beside).absolute().parents)
    for folder in above:
        if folder.name == name or _named(folder) == name:
            yield folder
    for folder in above:
        for place in (folder / name, folder / "models" / name):  # where collections for Gazebo keep their models
            if place.is_dir():
                yield place
    for variable in _PATHS:
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            folder = Path(entry)
            yield from (x for x in (folder / name, folder) if x.is_dir() and (x.name == name or _named(x) == name))
    for entry in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        if (Path(entry) / "share" / name).is_dir():
            yield Path(entry) / "share" / name


def _named(folder: Path) -> str:
    """The name in the package.xml of a folder; '' if there is none."""
    file = folder / "package.xml"
    try:
        if not file.is_file():
            return ""
        with file.open(encoding="utf-8", errors="replace") as stream:
            found = _NAME.search(stream.read(_MOST))
    except OSError:
        return ""
    return found.group(1) if found else ""
