"""Load a mechanism: from a file, whose suffix names the format, from a text, or from the library.

The readers of the formats are imported when they are needed.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from lagrangian.description.files import read_text
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, unknown_name_message
from lagrangian.files import as_path

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.types import Path

FORMATS = ("toml", "urdf", "mjcf", "sdf")
_FORMAT_BY_SUFFIX = {
    ".toml": "toml",
    ".urdf": "urdf",
    ".xacro": "urdf",
    ".mjcf": "mjcf",
    ".xml": "mjcf",
    ".sdf": "sdf",
    ".world": "sdf",
}
_OPTIONS_BY_FORMAT: dict[str, tuple[str, ...]] = {
    "toml": ("parameters",),
    "urdf": ("floating", "mimic", "loops", "xacro"),
    "mjcf": ("parameters", "keyframe", "root"),
    "sdf": ("floating", "mimic"),
}
# for an option that a format does not have: what has the same effect in this format
_OPTION_REMEDIES = {
    ("toml", "floating"): 'give the base a [[joint]] with type = "free" in the file',
    ("toml", "mimic"): "couple joints by a [[constraint]] with an `equation` in the file",
    ("mjcf", "mimic"): "couple joints by <equality> <joint> in the file",
    ("mjcf", "floating"): "give the base a <freejoint/> in the file",
    ("toml", "root"): "a TOML file names no other files",
    ("urdf", "root"): "a URDF file includes no other files",
    ("sdf", "root"): "included files are searched beside the file, around it, and in GZ_SIM_RESOURCE_PATH",
    ("toml", "loops"): "close loops by [[loop]] in the file",
    ("mjcf", "loops"): "close loops by <equality> in the file",
    ("sdf", "loops"): "close loops by joints in the file",
    ("toml", "xacro"): "xacro makes URDF files",
    ("mjcf", "xacro"): "xacro makes URDF files; run xacro first if this is a xacro file",
    ("sdf", "xacro"): "xacro makes URDF files; run xacro first if this is a xacro file",
    ("toml", "keyframe"): "[initial] in the file says how a simulation starts",
    ("urdf", "keyframe"): "a URDF file has no keyframes",
    ("sdf", "keyframe"): "an SDF file has no keyframes",
    ("urdf", "parameters"): "a URDF file has no named parameters",
    ("sdf", "parameters"): "an SDF file has no named parameters",
}
SUFFIXES = tuple(_FORMAT_BY_SUFFIX)
_FORMAT_BY_ROOT = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf", "sdf": "sdf"}
# what may stand before the first element: declaration, comments, document type
_PROLOGUE = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<![^>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_MAX_PATH_LENGTH = 260
_HEAD_BYTES = 100_000
_DESCRIPTION_START = re.compile(r"\s*(?:\[\[?[A-Za-z]\w*(?:\.\w+)*\]|[A-Za-z_]\w*\s*=|<[?!A-Za-z])")


def load(
    path: Path,
    *,
    parameters: Mapping[str, float] | None = None,
    floating: bool | None = None,
    mimic: bool | None = None,
    loops: Path | bool | None = None,
    xacro: Mapping[str, object] | bool | None = None,
    keyframe: str | int | None = None,
    root: Path | None = None,
) -> Mechanism:
    """Read a mechanism from a file.

    The suffix of the file chooses the format: .toml, .urdf, .xacro, .mjcf, .sdf, .world, or .xml, where the root element tells
    MJCF, URDF and SDF apart. The `notes` of the mechanism list what the reader leaves out; where that changes the dynamics,
    you get a `ReaderWarning` as well. Nothing in a file is executed, except the expressions of a xacro file.

    Parameters
    ----------
    path : str or path-like
        The file.
    parameters : mapping of str to float, optional
        TOML: new values of some parameters. MJCF: controls and gains of the actuators, which the `parameters` of the mechanism
        list.
    floating : bool, optional
        URDF: whether the base moves freely; the default is False. SDF: whether links that no joint holds move freely; the
        default is True.
    mimic : bool, optional
        Whether `<mimic>` joints are coupled to the joints that they follow. The default is False for URDF and True for SDF.
    loops : str, path-like or False, optional
        URDF: the YAML file that closes the loops. By default a file of the same name beside the URDF is read; False ignores it.
    xacro : mapping or bool, optional
        URDF: the arguments of a xacro file. True expands a file whatever its name is, False never expands one.
    keyframe : str or int, optional
        MJCF: the keyframe with which a simulation starts, by its name or its index from 0: its pose, speeds and controls.
    root : str or path-like, optional
        MJCF: the folder that holds all files which the model names. The default is the folder of the model.

    Returns
    -------
    Mechanism
        The mechanism.

    Raises
    ------
    DescriptionError
        If the file does not exist, or cannot be read as a mechanism.
    MechanismError
        If the mechanism is impossible.
    ArgumentError
        If the format does not have the option.

    See Also
    --------
    loads : Read a mechanism from a string.
    save : Write a mechanism to a file.
    library : The mechanisms that come with the package.

    Examples
    --------
    >>> import lagrangian as lg
    >>> file = lg.save("two_r", "arm.toml")
    >>> arm = lg.load(file, parameters={"l1": 0.5})
    >>> arm
    <Mechanism 'two_r': 2 bodies, 2 speeds, 0 constraint equations>
    >>> float(arm.parameters["l1"])
    0.5
    """
    _refuse_text(path)
    file = as_path(path)
    format_name = _detect_format(file)
    options = _reader_options(
        parameters=parameters, floating=floating, mimic=mimic, loops=loops, xacro=xacro, keyframe=keyframe, root=root
    )
    _check_options(format_name, options, str(file))
    return _reader(format_name).read(file, **options)


def loads(
    text: str,
    format: str = "toml",  # noqa: A002
    *,
    parameters: Mapping[str, float] | None = None,
    floating: bool | None = None,
    mimic: bool | None = None,
    loops: Path | bool | None = None,
    xacro: Mapping[str, object] | bool | None = None,
    keyframe: str | int | None = None,
    root: Path | None = None,
) -> Mechanism:
    """Read a mechanism from a string.

    Parameters
    ----------
    text : str
        The description.
    format : str, optional
        The format of the text: "toml", the default, "urdf", "mjcf" or "sdf".
    parameters : mapping of str to float, optional
        TOML: new values of some parameters. MJCF: controls and gains of the actuators.
    floating : bool, optional
        URDF: whether the base moves freely; the default is False. SDF: whether links that no joint holds move freely; the
        default is True.
    mimic : bool, optional
        Whether `<mimic>` joints are coupled to the joints that they follow. The default is False for URDF and True for SDF.
    loops : str, path-like or False, optional
        URDF: the YAML file that closes the loops.
    xacro : mapping or bool, optional
        URDF: only files can be expanded by xacro, so that True and arguments are an error here.
    keyframe : str or int, optional
        MJCF: the keyframe with which a simulation starts, by its name or its index from 0.
    root : str or path-like, optional
        MJCF: the folder that holds all files which the model names. Without it, the text cannot name files.

    Returns
    -------
    Mechanism
        The mechanism.

    Raises
    ------
    DescriptionError
        If the text cannot be read as a mechanism.
    MechanismError
        If the mechanism is impossible.
    ArgumentError
        If the format does not exist, or does not have the option.

    See Also
    --------
    load : Read a mechanism from a file.
    dumps : Write a mechanism to a string.

    Examples
    --------
    >>> import lagrangian as lg
    >>> text = '''
    ... [[body]]
    ... name = "bob"
    ... mass = 1.0
    ... center = [0, 0, -0.5]
    ... [[joint]]
    ... name = "theta"
    ... type = "revolute"
    ... child = "bob"
    ... axis = "y"'''
    >>> lg.loads(text).coordinate_names
    ('theta',)
    """
    if format not in FORMATS:
        raise ArgumentError(unknown_name_message("format", format, FORMATS), concerns="format")
    if not isinstance(text, str):
        raise ArgumentError(f"loads takes a string, not {type(text).__name__}; use load(path) for a file", concerns="text")
    if "\n" not in text and pathlib.Path(text[:_MAX_PATH_LENGTH]).suffix.lower() in _FORMAT_BY_SUFFIX:
        raise ArgumentError(
            f"loads takes the description itself, and {text[:60]!r} is a path; use load(path) for a file", concerns="text"
        )
    options = _reader_options(
        parameters=parameters, floating=floating, mimic=mimic, loops=loops, xacro=xacro, keyframe=keyframe, root=root
    )
    _check_options(format, options, "<text>")
    return _reader(format).read_text(text, **options)


def format_of(path: str | os.PathLike[str], text: str | None = None) -> str:
    """The format of a file, by its suffix, or else by its root element; `text` is the content of the file if it is known."""
    file = as_path(path)
    suffix = file.suffix.lower()
    if text is None or suffix not in _FORMAT_BY_SUFFIX:
        return _detect_format(file)
    if suffix == ".xml":
        return _format_of_xml(text, file)
    return "urdf" if _FORMAT_BY_SUFFIX[suffix] == "sdf" and _root_tag(text) == "robot" else _FORMAT_BY_SUFFIX[suffix]


def _reader_options(**options: Any) -> dict[str, Any]:
    """The options of a call, without those that the caller leaves open."""
    return {option: value for option, value in options.items() if value is not None}


def _reader(format_name: str) -> Any:
    """The module that reads a format, imported when it is needed."""
    return import_module(f"lagrangian.description.{format_name}.reader")


def _check_options(format_name: str, options: dict[str, Any], file: str) -> None:
    for option in options:
        if (format_name, option) in _OPTION_REMEDIES:
            argument = f"'{ArgumentName(option)}'"
            raise ArgumentError(
                f"{file}: {format_name.upper()} takes no option {argument}; {_OPTION_REMEDIES[format_name, option]}"
            )
        if option not in _OPTIONS_BY_FORMAT[format_name]:
            noun = f"option for {format_name.upper()} called"
            raise ArgumentError(f"{file}: {unknown_name_message(noun, option, _OPTIONS_BY_FORMAT[format_name])}")


def _refuse_text(path: Any) -> None:
    """Refuse a description where its path is needed: without this, the error would contain all of it."""
    if not isinstance(path, str):
        return
    has_known_suffix = pathlib.Path(path[-_MAX_PATH_LENGTH:]).suffix.lower() in _FORMAT_BY_SUFFIX
    is_description = "\n" in path or len(path) > _MAX_PATH_LENGTH or (not has_known_suffix and _DESCRIPTION_START.match(path))
    if is_description and not os.path.exists(path):  # some file systems do take such names
        first_line = path.strip()[:30].partition("\n")[0]
        roots = (kind for root, kind in _FORMAT_BY_ROOT.items() if f"<{root}" in path)
        format = "toml" if not first_line.startswith("<") else next(roots, "urdf")  # noqa: A001
        raise ArgumentError(
            f"load takes the path of a file, but this looks like the description itself ({first_line!r}...); "
            f'use loads(text, format="{format}") for a string',
            concerns="path",
        )


def _detect_format(file: pathlib.Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in _FORMAT_BY_SUFFIX:
        if file.is_dir():
            raise DescriptionError(f"{file}: this is a directory; name a file in it")
        if suffix in (".nc", ".csv"):
            advice = (
                f"read it with lagrangian.read({file.name!r})" if suffix == ".nc" else "a table of numbers describes no mechanism"
            )
            raise DescriptionError(f"{file}: this is a saved motion, not a mechanism; {advice}")
        raise DescriptionError(f"{file}: {unknown_name_message('reader for the suffix', suffix, _FORMAT_BY_SUFFIX)}")
    if suffix == ".xml":
        return _format_of_xml(read_text(file), file)
    format_name = _FORMAT_BY_SUFFIX[suffix]
    # in Gazebo's folders a URDF may be called .sdf
    return "urdf" if format_name == "sdf" and _root_tag(_read_head(file)) == "robot" else format_name


def _read_head(file: pathlib.Path) -> str:
    """The beginning of a file, for a search of ASCII; "" if it cannot be read: then the reader of the file raises an error."""
    try:
        if not file.is_file():  # a pipe could give nothing for ever
            return ""
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES).decode("utf-8", "replace").lstrip("\ufeff")
    except (OSError, ValueError):
        return ""


def _format_of_xml(text: str, file: pathlib.Path) -> str:
    root = _root_tag(text)
    if not root:
        raise DescriptionError(f"{file}: this is not XML: it has no element")
    if root not in _FORMAT_BY_ROOT:
        raise DescriptionError(f"{file}: its root is <{root[:40]}>; <robot> (URDF), <mujoco> (MJCF) or <sdf> is expected")
    return _FORMAT_BY_ROOT[root]


def _root_tag(text: str) -> str:
    """The name of the root element, found without parsing the text; "" if there is none."""
    position = 0
    while match := _PROLOGUE.match(text, position):
        position = match.end()
    root = re.compile(r"\s*<([A-Za-z_][\w.:-]*)").match(text, position)
    return root.group(1) if root else ""


# -- the mechanisms of the library, one TOML file each ------------------------------------------------------------------


def library_folder() -> Traversable:
    """The folder of the library in the package."""
    return files("lagrangian.mechanism_library")


@cache
def library_names() -> tuple[str, ...]:
    """The names of all mechanisms of the library, sorted."""
    return tuple(sorted(entry.name[: -len(".toml")] for entry in library_folder().iterdir() if entry.name.endswith(".toml")))


def library_mechanism(name: str, parameters: Mapping[str, float] | None = None) -> Mechanism:
    """A mechanism of the library, with new values of some of its parameters."""
    if name not in library_names():  # looked up in the list, so that a name can never lead out of the folder
        raise ArgumentError(unknown_name_message("mechanism in the library called", name, library_names()), concerns="name")
    from lagrangian.description.toml import reader as toml  # the names are known without it

    return toml.read_text((library_folder() / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml", parameters)
