"""A mechanism from a file of any kind we read, by its suffix, or from a text of a kind that is named."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from lagrangian.description.text_file import read_text
from lagrangian.errors import Argument, ArgumentError, DescriptionError, one_of
from lagrangian.files import as_path
from lagrangian.model.mechanism import Mechanism

FORMATS = ("toml", "urdf", "mjcf", "sdf")
_BY_SUFFIX = {
    ".toml": "toml",
    ".urdf": "urdf",
    ".xacro": "urdf",
    ".mjcf": "mjcf",
    ".xml": "mjcf",
    ".sdf": "sdf",
    ".world": "sdf",
}
_OPTIONS: dict[str, tuple[str, ...]] = {
    "toml": ("parameters",),
    "urdf": ("floating", "mimic", "loops", "xacro"),
    "mjcf": ("parameters", "keyframe", "root"),
    "sdf": ("floating", "mimic"),
}
# an option of another format, and what does the same in this one
_INSTEAD = {
    ("toml", "floating"): 'give the base a [[joint]] with type = "free" in the file',
    ("toml", "mimic"): "couple joints by a [[constraint]] with an `equation` in the file",
    ("mjcf", "mimic"): "couple joints by <equality> <joint> in the file",
    ("mjcf", "floating"): "give the base a <freejoint/> in the file",
    ("toml", "root"): "a TOML file names no other files",
    ("urdf", "root"): "a URDF file includes no other files",
    ("sdf", "root"): "files that it includes are looked for beside it and around it, and where GZ_SIM_RESOURCE_PATH says",
    ("toml", "loops"): "close loops by [[loop]] in the file",
    ("mjcf", "loops"): "close loops by <equality> in the file",
    ("sdf", "loops"): "close loops by joints in the file",
    ("toml", "xacro"): "xacro files become URDF",
    ("mjcf", "xacro"): "xacro files become URDF; run xacro first if this is one",
    ("sdf", "xacro"): "xacro files become URDF; run xacro first if this is one",
    ("toml", "keyframe"): "the file says under [initial] how a run begins",
    ("urdf", "keyframe"): "a URDF file has no keyframes",
    ("sdf", "keyframe"): "an SDF file has no keyframes",
    ("urdf", "parameters"): "a URDF file has no named parameters",
    ("sdf", "parameters"): "an SDF file has no named parameters",
}
SUFFIXES = tuple(_BY_SUFFIX)
_ROOTS = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf", "sdf": "sdf"}
# what may stand before the first element: declaration, comments, document type
_PROLOGUE = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<![^>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_LONGEST_PATH = 260
_HEAD = 100_000  # bytes
_TEXT_BEGINS = re.compile(r"\s*(?:\[\[?[A-Za-z]\w*(?:\.\w+)*\]|[A-Za-z_]\w*\s*=|<[?!A-Za-z])")


def load(path: str | os.PathLike[str], **options: Any) -> Mechanism:
    """The mechanism a file describes: .toml, .urdf, .xacro, .mjcf, .sdf, .world, or .xml (MJCF, URDF or SDF: its root tells).

    Each format has its own options. `parameters={"l1": 1.0}` gives other values to some of a TOML file's parameters, or to the
    controls and gains of an MJCF file's actuators, which `mechanism.parameters` lists. `floating=True` lets a URDF robot's base
    fly free, and `mimic=True` couples its `<mimic>` joints to those they follow, which are otherwise free. Both are the rule in
    SDF: there `floating=False` holds what no joint holds, and `mimic=False` leaves the joints uncoupled. `loops="robot.yaml"`
    names the file that closes a URDF's loops, which is otherwise looked for beside it; False leaves it out.
    `xacro={"prefix": "left_"}` gives values to arguments of a .xacro file, which must have them. `keyframe="home"`, or the
    number of its place from 0, is the keyframe of an MJCF file with which a run begins: its pose, speeds and controls. Files
    that an MJCF file names (`<include>`, `<model>`, meshes that give inertia) must lie in its folder or below, unless `root` is a
    folder above it.
    """
    _refuse_text(path)
    file = as_path(path)
    kind = _kind(file)
    _check_options(kind, options, str(file))
    return _reader(kind).read(file, **options)


def loads(text: str, format: str = "toml", **options: Any) -> Mechanism:  # noqa: A002
    """The mechanism a text describes, of the format "toml", "urdf", "mjcf" or "sdf"; the options are those of `load`."""
    if format not in FORMATS:
        raise ArgumentError(one_of("format", format, FORMATS), concerns="format")
    if not isinstance(text, str):
        raise ArgumentError(f"loads takes a text, not {type(text).__name__}; for a file there is load(path)", concerns="text")
    if "\n" not in text and Path(text[:_LONGEST_PATH]).suffix.lower() in _BY_SUFFIX:
        raise ArgumentError(f"loads takes a text, and {text[:60]!r} is a path; for a file there is load(path)", concerns="text")
    _check_options(format, options, "<text>")
    return _reader(format).read_text(text, **options)


def _reader(kind: str) -> Any:
    """The module that reads a format, imported when it is needed."""
    return import_module(f"lagrangian.description.{kind}.reader")


def _check_options(kind: str, options: dict[str, Any], file: str) -> None:
    for option in options:
        if (kind, option) in _INSTEAD:
            spelled = f"'{Argument(option)}'"
            raise ArgumentError(f"{file}: {kind.upper()} takes no option {spelled}; {_INSTEAD[kind, option]}")
        if option not in _OPTIONS[kind]:
            raise ArgumentError(f"{file}: {one_of(f'option for {kind.upper()} called', option, _OPTIONS[kind])}")


def _refuse_text(path: Any) -> None:
    """A description itself, given where its path belongs: without this, the whole of it would be in the error."""
    if not isinstance(path, str):
        return
    known = Path(path[-_LONGEST_PATH:]).suffix.lower() in _BY_SUFFIX
    text = "\n" in path or len(path) > _LONGEST_PATH or (not known and _TEXT_BEGINS.match(path))
    if text and not os.path.exists(path):  # some file systems do take such names
        begin = path.strip()[:30].partition("\n")[0]
        roots = (kind for root, kind in _ROOTS.items() if f"<{root}" in path)
        format = "toml" if not begin.startswith("<") else next(roots, "urdf")  # noqa: A001
        raise ArgumentError(
            f"load takes the path of a file, and this names none: it looks like a description itself ({begin!r}...); "
            f'for a text there is loads(text, format="{format}")',
            concerns="path",
        )


def _kind(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in _BY_SUFFIX:
        if file.is_dir():
            raise DescriptionError(f"{file}: this is a directory; name a file in it")
        if suffix in (".nc", ".csv"):
            instead = f"lagrangian.read({file.name!r}) reads it" if suffix == ".nc" else "rows of numbers describe no mechanism"
            raise DescriptionError(f"{file}: this is a saved motion, not a mechanism; {instead}")
        raise DescriptionError(f"{file}: {one_of('reader for the suffix', suffix, _BY_SUFFIX)}")
    if suffix == ".xml":
        return _kind_of_xml(read_text(file), file)
    kind = _BY_SUFFIX[suffix]
    # in Gazebo's folders a URDF may be called .sdf
    return "urdf" if kind == "sdf" and _root(_head(file)) == "robot" else kind


def _head(file: Path) -> str:
    """The beginning of a file, in which only ASCII is looked for; "" if it cannot be read, which its reader tells."""
    try:
        if not file.is_file():  # a pipe could give nothing for ever
            return ""
        with file.open("rb") as stream:
            return stream.read(_HEAD).decode("utf-8", "replace").lstrip("\ufeff")
    except (OSError, ValueError):
        return ""


def _kind_of_xml(text: str, file: Path) -> str:
    root = _root(text)
    if not root:
        raise DescriptionError(f"{file}: this is not XML: no element begins it")
    if root not in _ROOTS:
        raise DescriptionError(f"{file}: its root is <{root[:40]}>; <robot> (URDF), <mujoco> (MJCF) or <sdf> is needed")
    return _ROOTS[root]


def _root(text: str) -> str:
    """The name of the root element, which is looked at and not parsed; "" if there is none."""
    at = 0
    while match := _PROLOGUE.match(text, at):
        at = match.end()
    root = re.compile(r"\s*<([A-Za-z_][\w.:-]*)").match(text, at)
    return root.group(1) if root else ""
