"""The folder that files named in a description must lie in."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from lagrangian.description.xml import Element
from lagrangian.errors import Argument, ArgumentError
from lagrangian.files import as_path


class Folder:
    """Finds the files that a description names, all in `root` or below: a description cannot make us open others.

    `root` is the folder of the description itself unless another one, which holds it, is chosen. Links are followed before a
    path is judged.
    """

    def __init__(self, directory: str, root: Any = None) -> None:
        self.directory = os.path.abspath(directory)
        self.chosen = root is not None
        self.root = os.path.realpath(self.directory if root is None else as_path(root))
        if root is not None and not os.path.isdir(self.root):
            raise ArgumentError(f"there is no folder {str(root)!r}", concerns="root")
        if not within(os.path.realpath(self.directory), self.root):
            raise ArgumentError(f"{str(root)!r} does not contain the file; name a folder above it", concerns="root")

    def path(self, element: Element, file: str, *others: str) -> str:
        """The path of a file that an element names, from the description's folder or else from one of the `others`."""
        # a path of the other system's kind is as absolute as one of our own
        if os.path.isabs(file) or file.startswith(("/", "\\", "~")) or file[1:2] == ":" or "://" in file or "\0" in file:
            raise element.error(f"file {file!r} is not a relative path; give a path from this file, such as 'arm.xml'")
        inner = os.path.normpath(file.replace("\\", "/"))
        places = [os.path.join(directory, inner) for directory in (self.directory, *others)]
        allowed = [place for place in places if within(os.path.realpath(place), self.root)]
        for place in allowed:
            if os.path.exists(place):
                return place
        outside = next((place for place in places if place not in allowed), None)
        if outside is not None and (os.path.exists(outside) or not allowed):
            raise element.error(self._outside(file, outside))
        return allowed[0]

    def _outside(self, file: str, place: str) -> str:
        try:
            above = os.path.commonpath([self.root, os.path.realpath(place)])
            above = min(above, os.path.relpath(above), key=len)
        except ValueError:  # on another drive
            above = ".."
        what = f"the chosen root {self.root!r}" if self.chosen else "the model's directory"
        how = Argument("root", above, of="load(path)")
        return f"file {file!r} is outside {what}; choose a folder that contains both: {how}"


def within(path: str, root: str) -> bool:
    """Whether a path, whose links are followed already, is a folder or in it."""
    try:
        return os.path.commonpath([path, root]) == root
    except ValueError:
        return False


def read_bytes(path: str, most: int) -> bytes:
    """What a regular file of at most `most` bytes holds; an OSError or ValueError says why not."""
    info = os.stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise ValueError("it is not a regular file")
    if info.st_size > most:
        raise ValueError(f"it has {info.st_size / 1e6:.0f} MB; at most {most / 1e6:.0f} MB are allowed")
    with Path(path).open("rb") as stream:
        return stream.read(most)
