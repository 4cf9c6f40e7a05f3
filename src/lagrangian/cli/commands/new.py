"""`lagrangian new`, `lagrangian library`: a file to start from, and the mechanisms of the library."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import ReaderOptions, load_mechanism
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
        text = _study_starter(title, target, study)
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


def library(json: JsonOption = False) -> None:
    """List the mechanisms of the library."""
    import lagrangian as lg

    entries = lg.library().entries
    if json:
        output.print_json({"library": [asdict(entry) for entry in entries]})
        return
    rows = [(e.name, str(e.joints), str(e.loops or ""), e.summary) for e in entries]
    output.stdout().print(output.table(("name", "joints", "loops", "description"), rows, right_aligned=(1, 2), wrapped=(3,)))
    output.print_text("\n`lagrangian show NAME` describes a mechanism; `lagrangian new mine --from NAME` copies its file.", "dim")


def _library_copy(origin: str, title: str) -> str:
    """The file of a mechanism of the library, under another name."""
    import lagrangian as lg

    if origin not in lg.library():
        raise ArgumentError(unknown_name_message("mechanism in the library called", origin, lg.library()))
    text = (files("lagrangian.mechanism_library") / f"{origin}.toml").read_text(encoding="utf-8")
    return re.sub(r'^name = "[^"]*"', f'name = "{title}"', text, count=1, flags=re.MULTILINE)


def _study_starter(name: str, target: Path, mechanism: str) -> str:
    """A commented file of a study, with names of the mechanism."""
    from lagrangian.model.expression.parser import quote_name

    m = load_mechanism(mechanism, ReaderOptions())
    # parameters that no expression defines
    free_names = [n for n, x in m.parameters.items() if str(x) == n and float(x) > 0 and n != "g"][:2]
    over = [f'{n} = "uniform(0.9*{n}, 1.1*{n})"' for n in free_names] or [
        f'{_toml_key(n)} = "normal(0, 0.1)"' for n in m.coordinate_names[:2]
    ]
    frames = [f"{frame.name}.x" for frame in m.frames[:1]]
    keep = [f'path{k + 1} = "rows({quote_name(n)})"' for k, n in enumerate(m.coordinate_names[:2])]
    keep += [f'speed{k + 1} = "peak({quote_name(f"qd_{n}")})"' for k, n in enumerate(m.speed_names[:2])]
    keep += [f'reach = "max({quote_name(x)})"' for x in frames]
    first_speed = m.speed_names[0] if m.speed_names else "theta1"
    quantities = [
        f"{first_speed}, qd_{first_speed}, qdd_{first_speed}, tau_{first_speed}, force_{first_speed}",
        *frames,
        "energy, kinetic_energy, t",
    ]
    source = Path(mechanism)
    template = (files("lagrangian.cli.commands") / "study_starter.toml").read_text(encoding="utf-8")
    return template.format(
        name=name,
        file=target.name,
        mechanism=os.path.relpath(source, target.parent) if source.suffix else mechanism,
        over="\n".join(over),
        time=m.initial.t_span[1] if m.initial.t_span is not None else 10.0,
        keep="\n".join(keep),
        quantities="Quantities are " + ", ".join(quantities) + " and others.",
    )


def _toml_key(name: str) -> str:
    """A name as a key of TOML, in quotes if it needs them."""
    import json

    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)
