"""`lagrangian new`, `lagrangian library`: a file to begin with, and what there is to begin from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json
from lagrangian.cli.commands.study import study_starter
from lagrangian.description.toml.starter import starter
from lagrangian.errors import ArgumentError, one_of
from lagrangian.files import checked_target, write

NEW = """
lagrangian new arm
lagrangian new linkage --from four_bar
lagrangian new reach --study arm.toml
"""


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the mechanism; its file is NAME.toml.")] = "arm",
    origin: Annotated[str | None, typer.Option("--from", metavar="NAME", help="Copy this mechanism of the library.")] = None,
    study: Annotated[
        str | None,
        typer.Option("--study", metavar="MECH", help="Write a design study of MECH instead, for [cyan]lagrangian study[/cyan]."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Overwrite an existing file.")] = False,
    json: Json = False,
) -> None:
    """Write a commented description to start from.

    The file describes a planar arm with two links, a mechanism copied from the library, or a design study. An existing file is
    kept unless you give --force.
    """
    ending = Path(name).suffix.lower()
    if ending in (".urdf", ".xml", ".mjcf", ".sdf", ".world", ".nc", ".json", ".yaml"):
        raise ArgumentError(f"{name}: `lagrangian new` writes .toml files; use lagrangian new {name[: -len(ending)]}")
    target = Path(name if ending == ".toml" else f"{name}.toml")
    title = re.sub(r"\W+", "_", target.stem)
    if not title.strip("_"):
        raise ArgumentError(f"{name!r} cannot name a mechanism; use letters and digits, such as arm")
    checked_target(target)
    if study is not None and origin is not None:
        raise ArgumentError("--study and --from exclude each other; use one of them")
    if study is not None:
        text = study_starter(title, target, study)
    else:
        text = _copied(origin, title) if origin is not None else starter(title, target.name)
    if target.exists() and not force:
        raise ArgumentError(f"{target} exists and was not changed; use --force to overwrite it, or choose another name")
    again = target.exists()
    write(target, text)
    if json:
        output.document({"file": str(target), "name": title})
        return
    output.wrote(target, f"a {'mechanism' if study is None else 'study'}, with comments", again=again)
    if study is not None:
        output.plain(f"  next: lagrangian study {target}", "dim")
        return
    output.plain(f"  next: lagrangian derive {target}\n        lagrangian simulate {target} --plot --animate", "dim")


def _copied(origin: str, title: str) -> str:
    """A file of the library under another name."""
    from lagrangian import library

    if origin not in library():
        raise ArgumentError(one_of("mechanism in the library called", origin, library()))
    text = (files("lagrangian.library") / f"{origin}.toml").read_text(encoding="utf-8")
    return re.sub(r'^name = "[^"]*"', f'name = "{title}"', text, count=1, flags=re.MULTILINE)


def library(json: Json = False) -> None:
    """List the mechanisms of the library."""
    from dataclasses import asdict

    from lagrangian import library as catalogue

    found = catalogue().entries
    if json:
        output.document({"library": [asdict(entry) for entry in found]})
        return
    rows = [(e.name, str(e.joints), str(e.loops or ""), e.summary) for e in found]
    output.stdout().print(output.table(("name", "joints", "loops", "description"), rows, right=(1, 2), words=(3,)))
    output.plain("\n`lagrangian show NAME` describes a mechanism; `lagrangian new mine --from NAME` copies its file.", "dim")
