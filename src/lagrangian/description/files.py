"""Files that users and descriptions name: found beside a description or in a ROS package, and read within bounds.

Nothing is read without a bound on its size, nothing is downloaded, and every error says which file is wrong and why.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError
from lagrangian.files import as_path

if TYPE_CHECKING:
    from lagrangian.description.xml import Element

MAX_TEXT_BYTES = 16_000_000
_SCHEMES = ("package", "model", "file")
_PATH_VARIABLES = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_MAX_MANIFEST_BYTES = 100_000  # of a package.xml


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file; a byte-order mark at its start is dropped."""
    file = as_path(path)
    try:
        if file.is_dir():
            raise DescriptionError(f"{file}: this is a directory; name a file in it")
        if not file.exists():
            raise DescriptionError(f"{file}: there is no such file{_siblings_hint(file)}")
        if not file.is_file():  # a pipe or a device could give bytes for ever
            raise DescriptionError(f"{file}: this is not a regular file")
        with file.open("rb") as stream:
            data = stream.read(MAX_TEXT_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise DescriptionError(f"{str(file)!r}: it cannot be read: {reason}") from None
    if len(data) > MAX_TEXT_BYTES:
        raise DescriptionError(f"{file}: the file is larger than the {MAX_TEXT_BYTES // 1_000_000} MB that are allowed")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise DescriptionError(f"{file}: line {line} is not UTF-8 text ({byte}); save it as UTF-8") from None


def read_bytes(path: str, max_bytes: int) -> bytes:
    """The content of a regular file of at most `max_bytes` bytes; an OSError or ValueError says why it cannot be read."""
    info = os.stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise ValueError("it is not a regular file")
    if info.st_size > max_bytes:
        raise ValueError(f"it has {info.st_size / 1e6:.0f} MB; at most {max_bytes / 1e6:.0f} MB are allowed")
    with Path(path).open("rb") as stream:
        return stream.read(max_bytes)


def _siblings_hint(file: Path) -> str:
    """A hint that lists files of the same kind in the folder."""
    try:
        names = sorted(p.name for p in file.parent.iterdir() if p.suffix == file.suffix)[:8]
    except OSError:
        return f"; there is no folder {str(file.parent)!r} either"
    return f". The folder {str(file.parent)!r} contains {', '.join(names)}" if names else ""


# -- files below the folder of a description ---------------------------------------------------------------------------


class DescriptionFolder:
    """Finds the files that a description names, all in `root` or below: a description cannot make us open others.

    `root` is the folder of the description itself, unless another folder that holds it is chosen. Symbolic links are resolved
    before a path is judged.
    """

    def __init__(self, directory: str, root: Any = None) -> None:
        self.directory = os.path.abspath(directory)
        self.root_is_chosen = root is not None
        self.root = os.path.realpath(self.directory if root is None else as_path(root))
        if root is not None and not os.path.isdir(self.root):
            raise ArgumentError(f"there is no folder {str(root)!r}", concerns="root")
        if not is_within(os.path.realpath(self.directory), self.root):
            raise ArgumentError(f"{str(root)!r} does not contain the file; name a folder above it", concerns="root")

    def find(self, element: Element, file: str, *fallback_directories: str) -> str:
        """The path of a file that an element names, in the description's folder or else in a fallback directory."""
        # a path of the other system's kind is as absolute as one of our own
        if os.path.isabs(file) or file.startswith(("/", "\\", "~")) or file[1:2] == ":" or "://" in file or "\0" in file:
            raise element.error(f"file {file!r} is not a relative path; give a path from this file, such as 'arm.xml'")
        relative = os.path.normpath(file.replace("\\", "/"))
        candidates = [os.path.join(directory, relative) for directory in (self.directory, *fallback_directories)]
        allowed = [candidate for candidate in candidates if is_within(os.path.realpath(candidate), self.root)]
        for candidate in allowed:
            if os.path.exists(candidate):
                return candidate
        outside = next((candidate for candidate in candidates if candidate not in allowed), None)
        if outside is not None and (os.path.exists(outside) or not allowed):
            raise element.error(self._explain_outside(file, outside))
        return allowed[0]

    def _explain_outside(self, file: str, path: str) -> str:
        try:
            common_folder = os.path.commonpath([self.root, os.path.realpath(path)])
            common_folder = min(common_folder, os.path.relpath(common_folder), key=len)
        except ValueError:  # on another drive
            common_folder = ".."
        boundary = f"the chosen root {self.root!r}" if self.root_is_chosen else "the model's directory"
        option = ArgumentName("root", common_folder, call="load(path)")
        return f"file {file!r} is outside {boundary}; choose a folder that contains both: {option}"


def is_within(path: str, root: str) -> bool:
    """Whether a path is the folder `root` or lies in it; symbolic links in both are resolved already."""
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:
        return False


def absolute_mesh_path(mesh: str, file: str) -> str:
    """The file of a mesh: a URI stays as it is, and a path relative to the mechanism's file becomes absolute."""
    if "://" in mesh or os.path.isabs(mesh) or not os.path.isfile(file):
        return mesh
    path = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), mesh))
    return path if os.path.isfile(path) else mesh


# -- ROS packages --------------------------------------------------------------------------------------------------------


def find_file(name: str, description: str | os.PathLike[str]) -> Path:
    """The path of a file that the file `description` names, as a path or as package://, model:// or file://.

    A package is a folder of its name, or one whose package.xml has that name. It is looked for among the folders that the
    description is in, then beside each of them, or in a folder `models` there, and then where ROS and Gazebo are told to look
    (ROS_PACKAGE_PATH and so on).
    """
    scheme, separator, path_part = name.partition("://")
    if separator and scheme not in _SCHEMES:
        raise DescriptionError("only local files are read", where=name)
    if not separator or scheme == "file":
        path = Path(path_part if separator else name)
        path = path if path.is_absolute() else Path(description).absolute().parent / path
        if path.is_file():
            return path
        hint = "" if separator or Path(name).is_absolute() else " beside the model"
        raise DescriptionError(f"there is no such file{hint}", where=name)
    if ".." in path_part.replace("\\", "/").split("/"):
        raise DescriptionError("'..' leads out of the package; only files in the package are read", where=name)
    package, _, inside = path_part.partition("/")
    folders = list(package_folders(package, description))
    for folder in folders:
        if (folder / inside).is_file():
            return folder / inside
    if folders:
        raise DescriptionError(f"the package {folders[0]} has no such file", where=name)
    remedy = f"export ROS_PACKAGE_PATH=/folder/that/holds/{package}"
    raise DescriptionError("there is no such file", where=name, remedy=remedy)


def package_folders(name: str, description: str | os.PathLike[str]) -> Iterator[Path]:
    """The folders that may be the package of this name, the likeliest first."""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return
    ancestors = list(Path(description).absolute().parents)
    for folder in ancestors:
        if folder.name == name or _manifest_name(folder) == name:
            yield folder
    for folder in ancestors:
        for candidate in (folder / name, folder / "models" / name):  # where collections for Gazebo keep their models
            if candidate.is_dir():
                yield candidate
    for variable in _PATH_VARIABLES:
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            folder = Path(entry)
            yield from (x for x in (folder / name, folder) if x.is_dir() and (x.name == name or _manifest_name(x) == name))
    for entry in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        if (Path(entry) / "share" / name).is_dir():
            yield Path(entry) / "share" / name


def _manifest_name(folder: Path) -> str:
    """The name in the package.xml of a folder; '' if there is none."""
    file = folder / "package.xml"
    try:
        if not file.is_file():
            return ""
        with file.open(encoding="utf-8", errors="replace") as stream:
            match = _NAME.search(stream.read(_MAX_MANIFEST_BYTES))
    except OSError:
        return ""
    return match.group(1) if match else ""
