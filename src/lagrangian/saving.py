"""Mechanisms written to files: the suffix, or the name of a format, says which writer."""

from __future__ import annotations

import pathlib
import warnings
from importlib import import_module
from typing import Any

from lagrangian.description.load import FORMATS
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.description.notes import Conversion
from lagrangian.description.toml.writer import to_toml
from lagrangian.errors import ArgumentError, AssemblyError, LagrangianError, WriterWarning, unknown_name_message, warn
from lagrangian.files import as_path, as_target_path, write
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.types import Path

_FORMAT_BY_SUFFIX = {".toml": "toml", ".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}


def save(mechanism: MechanismLike, path: Path, *, loops: str | bool | None = None) -> pathlib.Path:
    """Write a mechanism to a file.

    The suffix chooses the format: .toml, .urdf, .xml or .mjcf (MuJoCo), or .sdf. A TOML file holds everything: `load` reads the
    same mechanism from it. The other formats hold less; a `WriterWarning` lists what changes the motion, and the `notes` of
    `convert` list all differences. An existing file is overwritten.

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
    convert : The text of a file with the list of what it does not hold.

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
    if target.suffix.lower() not in _FORMAT_BY_SUFFIX:
        raise ArgumentError(
            f"{target}: {unknown_name_message('writer for the suffix', target.suffix, _FORMAT_BY_SUFFIX)}", concerns="path"
        )
    format = _FORMAT_BY_SUFFIX[target.suffix.lower()]  # noqa: A001
    options = _writer_options(format, loops)
    as_target_path(target)
    if format == "toml":
        return write(target, to_toml(mechanism))
    m = as_mechanism(mechanism)
    conversion = convert(m, format, **options)
    conversion.warn(m.name)
    for suffix, text in conversion.extra_files.items():
        write(target.with_suffix(suffix), text)
    if format == "urdf" and not conversion.extra_files:
        _warn_of_foreign_loop_file(target, m.name)
    return write(target, conversion.text)


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
        which `convert` returns in `extra_files`; False leaves them out.

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
        raise ArgumentError(unknown_name_message("format", format, FORMATS), concerns="format")
    options = _writer_options(format, loops)
    if format == "toml":
        return to_toml(mechanism)
    m = as_mechanism(mechanism)
    conversion = convert(m, format, **options)
    conversion.warn(m.name)
    return conversion.text


def convert(mechanism: MechanismLike, format: str, *, loops: str | bool | None = None) -> Conversion:  # noqa: A002
    """Return a mechanism as text of URDF, MJCF or SDF, with the list of what the text does not hold.

    Parameters
    ----------
    mechanism : Mechanism, str or path-like
        The mechanism, its file, or its name in the library.
    format : str
        The format: "urdf", "mjcf" or "sdf".
    loops : str or False, optional
        URDF: how to write the loops. "urdf+", the default, writes `<loop>` elements of URDF+; "yaml" writes a YAML file, which
        is in `extra_files`; False leaves them out.

    Returns
    -------
    Conversion
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
    >>> conversion = lg.convert("slider_crank", "urdf")
    >>> print(conversion.warnings[0])
    loop 'pin' is written by <loop> of URDF+: programs that do not read URDF+, such as Pinocchio, see an open tree
    """
    formats = [name for name in FORMATS if name != "toml"]
    if format == "toml":
        remedy = "`save` and `dumps` write it; `convert` is for urdf, mjcf, sdf"
        raise ArgumentError("TOML holds the whole mechanism", concerns="format", remedy=remedy)
    if format not in formats:
        raise ArgumentError(unknown_name_message("format", format, formats), concerns="format")
    options = _writer_options(format, loops)
    m = as_mechanism(mechanism)
    conversion: Conversion = import_module(f"lagrangian.description.{format}.writer").convert(
        m, **options, **_start_options(m, format)
    )
    _check_readable(m, conversion)
    return conversion


def _start_options(m: Mechanism, format: str) -> dict[str, Any]:  # noqa: A002
    """The configuration in which a file is written: one that closes the loops, where the format gives joints by their bodies."""
    if format not in ("mjcf", "sdf"):
        return {}
    if not m.loops and not isinstance(m.initial.q, PartialState):
        return {}
    from lagrangian.configuration.assemble import assemble

    try:
        return {"start": assemble(m)}
    except AssemblyError as error:
        warn(WriterWarning(f"the file has a pose in which the loops are open: {error}", where=m.name))
        return {}


def _warn_of_foreign_loop_file(target: pathlib.Path, name: str) -> None:
    """Warn of a YAML file beside the URDF, of another mechanism or older, that would close loops of this one."""
    from lagrangian.description.urdf.loop_file import mentions_loops

    for suffix in (".yaml", ".yml"):
        loop_file = target.with_name(target.name.partition(".")[0] + suffix)
        if mentions_loops(loop_file):
            remedy = "remove it, or load the file with loops=False"
            problem = f"{loop_file.name} beside the file closes loops that are not its own; {remedy}"
            warn(WriterWarning(problem, where=name))


def _check_readable(m: Mechanism, conversion: Conversion) -> None:
    """Raise an error unless the text can be read: Python allows names and values that a file cannot hold."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            conversion.text.encode()
            import_module(f"lagrangian.description.{conversion.format}.reader").read_text(conversion.text)
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{m.name}: it cannot be written because a text in it is not Unicode: {error.reason}") from None
    except LagrangianError as error:
        raise ArgumentError(f"it cannot be written as {conversion.format.upper()}: {error}", where=m.name) from None


def _writer_options(format: str, loops: str | bool | None) -> dict[str, Any]:  # noqa: A002
    """The options of a writer; an error if the format does not have them."""
    if loops is not None and format != "urdf":
        raise ArgumentError(f"is an option of URDF; {format.upper()} takes no options", argument="loops")
    return {} if loops is None else {"loops": loops}
