"""A mechanism from a file of any kind we read, by its suffix."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from lagrangian.description.text_file import as_path, read_text
from lagrangian.errors import ArgumentError, DescriptionError, one_of
from lagrangian.model.mechanism import Mechanism

_BY_SUFFIX = {".toml": "toml", ".urdf": "urdf", ".mjcf": "mjcf", ".xml": "mjcf"}
_OPTIONS: dict[str, tuple[str, ...]] = {"toml": (), "urdf": ("floating",), "mjcf": ()}
_ROOTS = {"robot": "urdf", "mujoco": "mjcf"}
# what may stand before the first element: declaration, comments, document type
_PROLOGUE = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<![^>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL)


def load(path: str | os.PathLike[str], **options: Any) -> Mechanism:
    """The mechanism a file describes: .toml, .urdf, .mjcf, or .xml (MJCF, or URDF if its root is `<robot>`).

    `floating=True` lets a URDF robot's base fly free.
    """
    file = as_path(path)
    kind = _kind(file)
    for option in options:
        if option not in _OPTIONS[kind]:
            where = f"{file}: a {kind.upper()} file takes no option {option!r}"
            raise ArgumentError(f"{where}; {one_of('option', option, _OPTIONS[kind])}" if _OPTIONS[kind] else where)
    if kind == "toml":
        from lagrangian.description import toml

        return toml.read(file)
    if kind == "urdf":
        from lagrangian.description import urdf

        return urdf.read(file, **options)
    from lagrangian.description import mjcf

    return mjcf.read(file)


def _kind(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in _BY_SUFFIX:
        if file.is_dir():
            raise DescriptionError(f"{file}: this is a directory; name a file in it")
        raise DescriptionError(f"{file}: {one_of('reader for the suffix', suffix, _BY_SUFFIX)}")
    return _BY_SUFFIX[suffix] if suffix != ".xml" else _kind_of_xml(file)


def _kind_of_xml(file: Path) -> str:
    """By the name of the root element, which is looked at and not parsed."""
    text = read_text(file)
    at = 0
    while match := _PROLOGUE.match(text, at):
        at = match.end()
    root = re.compile(r"\s*<([A-Za-z_][\w.:-]*)").match(text, at)
    if root is None:
        raise DescriptionError(f"{file}: this is not XML: no element begins it")
    if root.group(1) not in _ROOTS:
        raise DescriptionError(f"{file}: its root is <{root.group(1)[:40]}>; <robot> (URDF) or <mujoco> (MJCF) is needed")
    return _ROOTS[root.group(1)]
