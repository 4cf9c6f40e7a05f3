"""`lagrangian new`, `lagrangian library`: a file to begin with, and what there is to begin from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.commands.study import study_starter
from lagrangian.description.toml.starter import starter_text
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.files import as_target_path, write

NEW_EXAMPLES = """
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
    json: JsonOption = False,
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
    as_target_path(target)
    if study is not None and origin is not None:
        raise ArgumentError("--study and --from exclude each other; use one of them")
    if study is not None:
        text = study_starter(title, target, study)
    else:
        text = _library_copy(origin, title) if origin is not None else starter_text(title, target.name)
    if target.exists() and not force:
        raise ArgumentError(f"{target} exists and was not changed; use --force to overwrite it, or choose another name")
    replaced = target.exists()
    write(target, text)
    if json:
        output.print_json({"file": str(target), "name": title})
        return
    output.print_written_file(target, f"a {'mechanism' if study is None else 'study'}, with comments", replaced=replaced)
    if study is not None:
        output.print_text(f"  next: lagrangian study {target}", "dim")
        return
    output.print_text(f"  next: lagrangian derive {target}\n        lagrangian simulate {target} --plot --animate", "dim")


def _library_copy(origin: str, title: str) -> str:
    """A file of the library under another name."""
    from lagrangian import library

    if origin not in library():
        raise ArgumentError(unknown_name_message("mechanism in the library called", origin, library()))
    text = (files("lagrangian.mechanism_library") / f"{origin}.toml").read_text(encoding="utf-8")
    return re.sub(r'^name = "[^"]*"', f'name = "{title}"', text, count=1, flags=re.MULTILINE)


def library(json: JsonOption = False) -> None:
    """List the mechanisms of the library."""
    from dataclasses import asdict

    from lagrangian import library as catalogue

    entries = catalogue().entries
    if json:
        output.print_json({"library": [asdict(entry) for entry in entries]})
        return
    rows = [(e.name, str(e.joints), str(e.loops or ""), e.summary) for e in entries]
    output.stdout().print(output.table(("name", "joints", "loops", "description"), rows, right_aligned=(1, 2), wrapped=(3,)))
    output.print_text("\n`lagrangian show NAME` describes a mechanism; `lagrangian new mine --from NAME` copies its file.", "dim")
