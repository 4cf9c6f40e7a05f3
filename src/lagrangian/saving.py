"""Mechanisms written to files: the suffix, or the name of a format, says which writer."""

from __future__ import annotations

import pathlib
import warnings
from importlib import import_module
from typing import Any

from lagrangian.description.load import FORMATS
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.description.toml.writer import dumps as toml
from lagrangian.description.writing.written import Written
from lagrangian.errors import ArgumentError, AssemblyError, LagrangianError, WriterWarning, one_of, warn
from lagrangian.files import as_path, checked_target, write
from lagrangian.model.configuration import Partial
from lagrangian.model.mechanism import Mechanism
from lagrangian.types import Path

_BY_SUFFIX = {".toml": "toml", ".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}


def save(mechanism: MechanismLike, path: Path, *, loops: str | bool | None = None) -> pathlib.Path:
    """Write a mechanism to a file.

    The suffix chooses the format: .toml, .urdf, .xml or .mjcf (MuJoCo), or .sdf. A TOML file holds everything: `load` reads the
    same mechanism from it. The other formats hold less; a `WriterWarning` lists what changes the motion, and the `notes` of
    `written` list all differences. An existing file is overwritten.

    Parameters
    ----------
    mechanism : Mechanism, str or path-like
        The mechanism, its file, or its name in the library.
    path : str or path-like
        The file to write.
    loops : str or False, optional
        URDF: how to write the loops. "urdf+", the default, writes `<loop>` elements of URDF+; "yaml" writes a YAML file beside
        the URDF; False leaves the loops out.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Raises
    ------
    ArgumentError
        If there is no format for the suffix, if the format does not have the option, or if the format cannot hold the
        mechanism.

    See Also
    --------
    load : Read a mechanism from a file.
    written : The text of a file with the list of what it does not hold.

    Examples
    --------
    >>> import lagrangian as lg
    >>> file = lg.save("two_r", "arm.urdf")
    >>> file.name
    'arm.urdf'
    >>> lg.load(file).coordinate_names
    ('theta1', 'theta2')
    """
    target = as_path(path)
    if target.suffix.lower() not in _BY_SUFFIX:
        raise ArgumentError(f"{target}: {one_of('writer for the suffix', target.suffix, _BY_SUFFIX)}", concerns="path")
    format = _BY_SUFFIX[target.suffix.lower()]  # noqa: A001
    options = _given(format, loops)
    checked_target(target)
    if format == "toml":
        return write(target, toml(mechanism))
    m = mechanism_of(mechanism)
    made = written(m, format, **options)
    made.warn(m.name)
    for suffix, text in made.beside.items():
        write(target.with_suffix(suffix), text)
    if format == "urdf" and not made.beside:
        _warn_of_loops_beside(target, m.name)
    return write(target, made.text)


def _warn_of_loops_beside(target: pathlib.Path, name: str) -> None:
    """A YAML file of another mechanism, or of an earlier time, would close loops of this one when it is read."""
    from lagrangian.description.urdf.loop_file import speaks_of_loops

    for suffix in (".yaml", ".yml"):
        beside = target.with_name(target.name.partition(".")[0] + suffix)
        if speaks_of_loops(beside):
            told = (
                f"{beside.name} beside the file closes loops that are not its own; remove it, or load the file with loops=False"
            )
            warn(WriterWarning(told, where=name))


def dumps(mechanism: MechanismLike, format: str = "toml", *, loops: str | bool | None = None) -> str:  # noqa: A002
    """Write a mechanism to a string.

    Parameters
    ----------
    mechanism : Mechanism, str or path-like
        The mechanism, its file, or its name in the library.
    format : str, optional
        The format: "toml", the default, "urdf", "mjcf" or "sdf". `loads` reads the same mechanism from TOML; the other formats
        hold less, and a `WriterWarning` lists what changes the motion.
    loops : str or False, optional
        URDF: how to write the loops. "urdf+", the default, writes `<loop>` elements of URDF+; "yaml" leaves them to a YAML file,
        which `written` has in `beside`; False leaves them out.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ArgumentError
        If the format does not exist, does not have the option, or cannot hold the mechanism.

    See Also
    --------
    loads : Read a mechanism from a string.
    save : Write a mechanism to a file.

    Examples
    --------
    >>> import lagrangian as lg
    >>> text = lg.dumps("pendulum")
    >>> print(text.splitlines()[0])
    name = "pendulum"
    >>> lg.loads(text).bodies == lg.library("pendulum").bodies
    True
    """
    if format not in FORMATS:
        raise ArgumentError(one_of("format", format, FORMATS), concerns="format")
    options = _given(format, loops)
    if format == "toml":
        return toml(mechanism)
    m = mechanism_of(mechanism)
    made = written(m, format, **options)
    made.warn(m.name)
    return made.text


def written(mechanism: MechanismLike, format: str, *, loops: str | bool | None = None) -> Written:  # noqa: A002
    """Return a mechanism as text of URDF, MJCF or SDF, with the list of what the text does not hold.

    Parameters
    ----------
    mechanism : Mechanism, str or path-like
        The mechanism, its file, or its name in the library.
    format : str
        The format: "urdf", "mjcf" or "sdf".
    loops : str or False, optional
        URDF: how to write the loops. "urdf+", the default, writes `<loop>` elements of URDF+; "yaml" writes a YAML file, which
        is in `beside`; False leaves them out.

    Returns
    -------
    Written
        The text and the notes.

    Raises
    ------
    ArgumentError
        If the format does not exist, does not have the option, or cannot hold the mechanism.

    See Also
    --------
    save : Write a mechanism to a file.

    Examples
    --------
    >>> import lagrangian as lg
    >>> made = lg.written("slider_crank", "urdf")
    >>> print(made.warnings[0])
    loop 'pin' is written by <loop> of URDF+: programs that do not read URDF+, such as Pinocchio, see an open tree
    """
    foreign = [name for name in FORMATS if name != "toml"]
    if format not in foreign:
        raise ArgumentError(one_of("format", format, foreign), concerns="format")
    options = _given(format, loops)
    m = mechanism_of(mechanism)
    made: Written = import_module(f"lagrangian.description.{format}.writer").written(m, **options, **_start(m, format))
    _check(m, made)
    return made


def _start(m: Mechanism, format: str) -> dict[str, Any]:  # noqa: A002
    """The configuration in which a file is written: one that closes the loops, where its joints are where its bodies are."""
    if format not in ("mjcf", "sdf"):
        return {}
    if not m.loops and not isinstance(m.initial.q, Partial):
        return {}
    from lagrangian.configuration.assemble import assemble

    try:
        return {"start": assemble(m)}
    except AssemblyError as error:
        warn(WriterWarning(f"the file has a pose in which the loops are open: {error}", where=m.name))
        return {}


def _check(m: Mechanism, made: Written) -> None:
    """Whether it can be read: what Python allows to be called and given is more than what a file can hold."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.text.encode()
            import_module(f"lagrangian.description.{made.format}.reader").read_text(made.text)
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{m.name}: it cannot be written because a text in it is not Unicode: {error.reason}") from None
    except LagrangianError as error:
        raise ArgumentError(f"it cannot be written as {made.format.upper()}: {error}", where=m.name) from None


def _given(format: str, loops: str | bool | None) -> dict[str, Any]:  # noqa: A002
    """The options of a writer."""
    if loops is not None and format != "urdf":
        raise ArgumentError(f"is an option of URDF; {format.upper()} takes no options", argument="loops")
    return {} if loops is None else {"loops": loops}
