"""Where the files are that a description names: beside it, or in the package or model that it names. Nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lagrangian.errors import DescriptionError

PACKAGES = ("package", "model")
# folders that hold packages and models, as ROS and Gazebo are told of them
_HOLDERS = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")


def places(uri: str, beside: str) -> Iterator[Path]:
    """Where a file may be that a description at `beside` names, the likeliest first.

    That is a path beside the description, or `package://name/file` or `model://name/file`, which is looked for in the folders
    that ROS and Gazebo are told of, and in those around the description.
    """
    scheme, mark, rest = uri.partition("://")
    if mark and scheme not in (*PACKAGES, "file"):
        raise DescriptionError("only files of this machine are read", where=uri)
    above = list(Path(beside).absolute().parents)
    if scheme not in PACKAGES or not mark:
        path = Path(rest if mark else uri)
        yield path if path.is_absolute() else above[0] / path
        return
    if ".." in rest.replace("\\", "/").split("/"):
        raise DescriptionError("'..' leads out of the package, where nothing is read", where=uri)
    package, _, inside = rest.partition("/")
    if not package:
        return
    for variable in _HOLDERS:
        for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield Path(folder) / package / inside
            if Path(folder).name == package:
                yield Path(folder) / inside
    for folder in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        yield Path(folder) / "share" / package / inside
    for parent in above[:-1]:  # not in the root of the file system, in which every file of the machine is
        if parent.name == package:
            yield parent / inside
        yield parent / package / inside
