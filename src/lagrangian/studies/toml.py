"""A study from a TOML file (docs/howto/run_a_study.md describes it). Files are parsed and checked; nothing is executed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lagrangian.description import text_file
from lagrangian.description.load import SUFFIXES
from lagrangian.description.mechanism_of import mechanism_of
from lagrangian.description.toml.reader import document
from lagrangian.description.toml.table import Table
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, spelling
from lagrangian.files import as_path
from lagrangian.model.event import Event
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.design import METHODS
from lagrangian.studies.distributions import Varied, varied
from lagrangian.studies.job import checked_run
from lagrangian.studies.study import job_of

_TOP = ("name", "mechanism", "parameters", "method", "samples", "seed", "chunk", "folder", "over", "run", "keep", "event")


@dataclass(frozen=True)
class Described:
    """The arguments of `study` that a file gives."""

    name: str
    mechanism: Mechanism
    over: dict[str, Varied]
    options: dict[str, Any]


def read(path: str | os.PathLike[str]) -> Described:
    """The study that a file describes; the mechanism's file is looked for beside it."""
    file = as_path(path)
    top = Table(document(text_file.read_text(path), str(file)), (str(file),), {})
    if "joint" in top or "body" in top or "dh" in top:
        raise top.error("this describes a mechanism, not a study")
    top.only(*_TOP)
    mechanism = _mechanism(top, file)
    over = top.section("over")
    if not over.data:
        raise top.error('it varies nothing; give a table [over], such as l1 = "span(0.2, 0.4, 20)"')
    found = {name: _varied(over, name, x, mechanism) for name, x in over.flat().items()}
    options: dict[str, Any] = {"method": top.choice("method", ("auto", *METHODS), "auto"), "run": _run(top)}
    options |= {key: _whole(top, key) for key in ("samples", "seed", "chunk") if key in top}
    if "folder" in top:
        options["folder"] = file.parent / top.name("folder")
    if "keep" in top:
        options["keep"] = _keep(top)
    _check(file, mechanism, found, {key: x for key, x in options.items() if key != "folder"})
    return Described(top.name("name", file.stem), mechanism, found, options)


def _check(file: Path, mechanism: Mechanism, over: dict[str, Varied], options: dict[str, Any]) -> None:
    """What only the whole can tell, such as a name that the mechanism does not have, in the words of the file."""
    with spelling(lambda argument: argument.python):
        try:
            job_of(mechanism, over, **options)
        except LagrangianError as error:
            raise DescriptionError(error.problem, where=(str(file), *map(str, error.where))) from None


def _mechanism(top: Table, file: Path) -> Mechanism:
    name = top.name("mechanism")
    values = {key: float(top.table("parameters").number(key)) for key in top.table("parameters").data}
    beside = file.parent / name
    given = str(beside) if Path(name).suffix.lower() in SUFFIXES and beside.exists() else name
    try:
        return mechanism_of(given, **({"parameters": values} if values else {}))
    except ArgumentError as error:
        raise DescriptionError(error.what, where=top.at("mechanism"), remedy=error.remedy) from None


def _varied(over: Table, name: str, given: Any, mechanism: Mechanism) -> Varied:
    try:
        return varied(given, (), mechanism.parameters)
    except LagrangianError as error:
        raise DescriptionError(error.problem, where=(*over.at(name), *error.where)) from None


def _whole(top: Table, key: str) -> int:
    value = top.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise top.error(f"{value!r} is given; a whole number is needed", key)
    return value


def _run(top: Table) -> dict[str, Any]:
    """Arguments of simulate; times, torques and starts may be numbers or texts. Events are [[event]]s, as of a mechanism."""
    run = top.section("run")
    try:
        found = dict(checked_run(run.data))  # type: ignore[arg-type]
    except LagrangianError as error:
        raise DescriptionError(error.problem, where=run.here) from None
    events = [
        Event(e.text("when"), e.choice("action", ("record", "stop"), "record"), e.text("direction", "both"), e.name("name"))
        for e in top.elements("event")
    ]
    return {**found, "events": events} if events else found


def _keep(top: Table) -> Any:
    given = top.get("keep")
    if isinstance(given, dict):
        return {name: top.section("keep").text(name) for name in given}
    if isinstance(given, (str, list)):
        return given
    raise top.error(f'{given!r} is given; texts such as "max(theta1)" are needed', "keep")
