"""`lagrangian export`: a mechanism, or functions of it, for other programs; and what it can be exported to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json
from lagrangian.cli.given import Described
from lagrangian.cli.progress import spinner
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

EXPORT = """lagrangian export two_r --to c
lagrangian export puma560 --to c --functions inverse_dynamics,jacobian:tool --output puma
lagrangian export panda --to c --option real=float --parameters link7.mass"""


def export(
    given: Described,
    to: Annotated[
        str, typer.Option("--to", metavar="TARGET", help="The target to export to; [cyan]lagrangian targets[/cyan] lists them.")
    ],
    functions: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--functions",
            metavar="A,B",
            help="The functions to export; those of a frame are written jacobian:tool. Default: the equations of motion.",
        ),
    ] = None,
    frames: Annotated[
        list[str] | None,
        typer.Option("--frames", metavar="A,B", help="The frames for functions that name no frame. Default: all frames of MECH."),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--parameters",
            metavar="A,B",
            help="The parameters that stay adjustable: names, paths such as link2.mass, or none.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=X", help="Set an option of the target, such as real=float. You can repeat this option."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="The folder or file to write. Default: a name made from MECH."),
    ] = None,
    json: Json = False,
) -> None:
    """Export source code, an FMU or a robot file.

    The command [cyan]targets[/cyan] lists the targets, their options and the functions.
    """
    from lagrangian import export as exported
    from lagrangian.exports.targets import target_of

    target = target_of(to)
    if not target.writes:
        raise ArgumentError(f'{to} makes functions in Python and writes no files; use lagrangian.export(mechanism, "{to}")')
    mechanism = given.load()
    options: dict[str, Any] = dict(quantity.pairs(option or [], "--option"))
    place = out or Path(f"{given.stem}{target.single}" if target.single else f"{given.stem}-{target.name}")
    with spinner(f"exporting to {target.name}"):
        made = exported(
            mechanism,
            to,
            place,
            functions=_listed(functions),
            frames=_listed(frames),
            parameters=[] if parameters == ["none"] else _listed(parameters),
            **{name: target.read(name, text) for name, text in options.items()},
        )
    if json:
        output.document({"target": made.target, "files": [str(path) for path in made.paths], "notes": list(made.notes)})
        return
    for note in made.notes:
        output.said("note", note, "yellow")
    for path in made.paths:
        output.wrote(path, f"{path.stat().st_size / 1000:.1f} kB")


def _listed(given: list[str] | None) -> list[str] | None:
    """Names separated by commas, of an option that may be given again."""
    if not given:
        return None
    found = [name.strip() for text in given for name in text.split(",")]
    if not all(found):
        raise ArgumentError(f"{','.join(given)!r} contains an empty name; separate names by single commas")
    return found


def targets(json: Json = False) -> None:
    """List the export targets, their options and the functions to export."""
    from lagrangian.exports.functions.catalogue import FUNCTIONS
    from lagrangian.exports.targets import targets as found

    known = found()
    if json:
        output.document(
            {
                "targets": {t.name: {"about": t.about, "options": {n: o.about for n, o in t.options.items()}} for t in known},
                "functions": {f.name: f.about for f in FUNCTIONS.values()},
            }
        )
        return
    rows = [(t.name, t.about) for t in known]
    output.stdout().print(output.table(("target", "description"), rows, words=(1,)))
    options = [
        (t.name, name, " or ".join(map(str, o.choices)) or str(o.usual), o.about) for t in known for name, o in t.options.items()
    ]
    if options:
        output.stdout().print(output.table(("target", "option", "values", "description"), options, words=(3,)))
    shown = [(f"{f.name}:FRAME" if f.framed else f.name, ", ".join(f.inputs), f.about) for f in FUNCTIONS.values()]
    output.stdout().print(output.table(("function", "arguments", "result"), shown, words=(2,)))
