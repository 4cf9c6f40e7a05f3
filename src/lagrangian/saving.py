"""Mechanisms written to files: the suffix, or the name of a format, says which writer."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from lagrangian.description.load import FORMATS
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.description.toml.writer import dumps as toml
from lagrangian.description.writing.written import Written
from lagrangian.errors import ArgumentError, AssemblyError, LagrangianError, WriterWarning, one_of, warn
from lagrangian.files import as_path, checked_target, write
from lagrangian.model.configuration import Partial
from lagrangian.model.mechanism import Mechanism

_BY_SUFFIX = {".toml": "toml", ".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}
_OPTIONS = {"toml": (), "urdf": ("loops",), "mjcf": (), "sdf": ()}


def save(mechanism: MechanismLike, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write a mechanism to a file, by its suffix: .toml, .urdf, .xml or .mjcf (MuJoCo), .sdf. One of this name is overwritten.

    `load` reads a TOML file back to the same. The others hold less: a `WriterWarning` tells of what would move otherwise, and
    `written(mechanism, format).notes` of all that is left out. `loops="yaml"` writes loops of a URDF to a YAML file beside it.
    """
    target = as_path(path)
    if target.suffix.lower() not in _BY_SUFFIX:
        raise ArgumentError(f"{target}: {one_of('writer for the suffix', target.suffix, _BY_SUFFIX)}", concerns="path")
    format = _BY_SUFFIX[target.suffix.lower()]  # noqa: A001
    _check_options(format, options)
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


def _warn_of_loops_beside(target: Path, name: str) -> None:
    """A YAML file of another mechanism, or of an earlier time, would close loops of this one when it is read."""
    from lagrangian.description.urdf.loop_file import speaks_of_loops

    for suffix in (".yaml", ".yml"):
        beside = target.with_name(target.name.partition(".")[0] + suffix)
        if speaks_of_loops(beside):
            told = f"{beside.name} beside it closes loops, and is not of this file: remove it, or read this one with loops=False"
            warn(WriterWarning(told, where=name))


def dumps(mechanism: MechanismLike, format: str = "toml", **options: Any) -> str:  # noqa: A002
    """A mechanism as a text of the format "toml", "urdf", "mjcf" or "sdf". As TOML, `loads` reads it back to the same."""
    if format not in FORMATS:
        raise ArgumentError(one_of("format", format, FORMATS), concerns="format")
    _check_options(format, options)
    if format == "toml":
        return toml(mechanism)
    m = mechanism_of(mechanism)
    made = written(m, format, **options)
    made.warn(m.name)
    return made.text


def written(mechanism: MechanismLike, format: str, **options: Any) -> Written:  # noqa: A002
    """A mechanism as the texts of files of a foreign format, "urdf", "mjcf" or "sdf", with notes of what these do not hold."""
    foreign = [name for name in FORMATS if name != "toml"]
    if format not in foreign:
        raise ArgumentError(one_of("format", format, foreign), concerns="format")
    _check_options(format, options)
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
        warn(WriterWarning(f"its loops are not closed in the pose that is written: {error}", where=m.name))
        return {}


def _check(m: Mechanism, made: Written) -> None:
    """Whether it can be read: what Python allows to be called and given is more than what a file can hold."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.text.encode()
            import_module(f"lagrangian.description.{made.format}.reader").read_text(made.text)
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{m.name}: it cannot be written: a text in it is not Unicode: {error.reason}") from None
    except LagrangianError as error:
        raise ArgumentError(f"it cannot be written as {made.format.upper()}: {error}", where=m.name) from None


def _check_options(format: str, options: dict[str, Any]) -> None:  # noqa: A002
    for option in options:
        if option not in _OPTIONS[format]:
            known = _OPTIONS[format]
            told = one_of(f"option for {format.upper()} called", option, known) if known else f"{format.upper()} takes no options"
            raise ArgumentError(told, concerns=option)
