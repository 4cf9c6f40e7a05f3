"""A study from a TOML file (docs/howto/run_a_study.md describes it). Files are parsed and checked; nothing is executed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lagrangian.description import files
from lagrangian.description.load import SUFFIXES
from lagrangian.description.mechanism_like import as_mechanism
from lagrangian.description.toml.reader import parse_toml
from lagrangian.description.toml.table import TomlTable
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, argument_spelling
from lagrangian.files import as_path
from lagrangian.model.event import Event
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.distributions import VariedInput, as_varied_input
from lagrangian.studies.job import as_run
from lagrangian.studies.sampling import METHODS
from lagrangian.studies.study import make_job

_TOP = ("name", "mechanism", "parameters", "method", "samples", "seed", "chunk", "folder", "over", "run", "keep", "event")


@dataclass(frozen=True)
class StudyDescription:
    """The arguments of `study` that a file gives."""

    name: str
    mechanism: Mechanism
    over: dict[str, VariedInput]
    options: dict[str, Any]


def read_study_file(path: str | os.PathLike[str]) -> StudyDescription:
    """Read the study that a file describes; the mechanism's file is searched for beside it."""
    file = as_path(path)
    top = TomlTable(parse_toml(files.read_text(path), str(file)), (str(file),), {})
    if "joint" in top or "body" in top or "dh" in top:
        raise top.error("this describes a mechanism, not a study")
    top.check_keys(*_TOP)
    mechanism = _read_mechanism(top, file)
    over = top.section("over")
    if not over.data:
        raise top.error('it varies nothing; give a table [over], such as l1 = "grid(0.2, 0.4, 20)"')
    varied_inputs = {name: _read_varied(over, name, x, mechanism) for name, x in over.flatten().items()}
    options: dict[str, Any] = {"method": top.choice("method", ("auto", *METHODS), "auto"), "run": _read_run(top)}
    options |= {key: _whole_number(top, key) for key in ("samples", "seed", "chunk") if key in top}
    if "folder" in top:
        options["folder"] = file.parent / top.name("folder")
    if "keep" in top:
        options["keep"] = _read_keep(top)
    _check(file, mechanism, varied_inputs, {key: x for key, x in options.items() if key != "folder"})
    return StudyDescription(top.name("name", file.stem), mechanism, varied_inputs, options)


def _check(file: Path, mechanism: Mechanism, over: dict[str, VariedInput], options: dict[str, Any]) -> None:
    """Find the errors that only the whole study shows, such as a name that the mechanism does not have."""
    with argument_spelling(lambda argument: argument.python_text):
        try:
            make_job(mechanism, over, **options)
        except LagrangianError as error:
            raise DescriptionError(error.problem, where=(str(file), *map(str, error.where))) from None


def _read_mechanism(top: TomlTable, file: Path) -> Mechanism:
    name = top.name("mechanism")
    values = {key: float(top.subtable("parameters").number(key)) for key in top.subtable("parameters").data}
    file_beside = file.parent / name
    source = str(file_beside) if Path(name).suffix.lower() in SUFFIXES and file_beside.exists() else name
    try:
        return as_mechanism(source, **({"parameters": values} if values else {}))
    except ArgumentError as error:
        raise DescriptionError(error.what, where=top.places_of("mechanism"), remedy=error.remedy) from None


def _read_varied(over: TomlTable, name: str, value: Any, mechanism: Mechanism) -> VariedInput:
    try:
        return as_varied_input(value, (), mechanism.parameters)
    except LagrangianError as error:
        raise DescriptionError(error.problem, where=(*over.places_of(name), *error.where)) from None


def _whole_number(top: TomlTable, key: str) -> int:
    value = top.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise top.error(f"{value!r} is given; a whole number is needed", key)
    return value


def _read_run(top: TomlTable) -> dict[str, Any]:
    """Read the arguments of simulate, whose times, torques and starts may be numbers or texts, and the events of the file."""
    run = top.section("run")
    try:
        run_arguments = dict(as_run(run.data))  # type: ignore[arg-type]
    except LagrangianError as error:
        raise DescriptionError(error.problem, where=run.places) from None
    events = [
        Event(e.text("when"), e.choice("action", ("record", "stop"), "record"), e.text("direction", "both"), e.name("name"))
        for e in top.elements("event")
    ]
    return {**run_arguments, "events": events} if events else run_arguments


def _read_keep(top: TomlTable) -> Any:
    keep = top.get("keep")
    if isinstance(keep, dict):
        return {name: top.section("keep").text(name) for name in keep}
    if isinstance(keep, (str, list)):
        return keep
    raise top.error(f'{keep!r} is given; texts such as "max(theta1)" are needed', "keep")
