"""`lagrangian export`, `lagrangian targets`: mechanisms and their functions for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import spinner
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

EXPORT_EXAMPLES = """
lagrangian export two_r --to c
lagrangian export puma560 --to c --functions inverse_dynamics,jacobian:tool --output puma
lagrangian export panda --to c --option real=float --parameters link7.mass
"""


def export(
    argument: MechanismArgument,
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
    json: JsonOption = False,
) -> None:
    """Export source code, an FMU or a robot file.

    The command [cyan]targets[/cyan] lists the targets, their options and the functions.
    """
    import lagrangian as lg
    from lagrangian.exports.targets import find_target

    target = find_target(to)
    if not target.writes_files:
        raise ArgumentError(f'{to} makes functions in Python and writes no files; use lagrangian.export(mechanism, "{to}")')
    mechanism = argument.load()
    options: dict[str, Any] = dict(quantity.collect_assignments(option or [], "--option"))
    target_path = out or Path(f"{argument.stem}{target.file_suffix}" if target.file_suffix else f"{argument.stem}-{target.name}")
    with spinner(f"exporting to {target.name}"):
        result = lg.export(
            mechanism,
            to,
            target_path,
            functions=_split_names(functions),
            frames=_split_names(frames),
            parameters=[] if parameters == ["none"] else _split_names(parameters),
            **{name: target.parse_option(name, text) for name, text in options.items()},
        )
    if json:
        output.print_json({"target": result.target, "files": [str(path) for path in result.paths], "notes": list(result.notes)})
        return
    for note in result.notes:
        output.print_message("note", note, "yellow")
    for path in result.paths:
        output.print_written_file(path, f"{path.stat().st_size / 1000:.1f} kB")


def targets(json: JsonOption = False) -> None:
    """List the export targets, their options and the functions to export."""
    from lagrangian.exports import targets as registry
    from lagrangian.functions.catalogue import FUNCTIONS

    export_targets = registry.targets()
    if json:
        output.print_json(
            {
                "targets": {
                    target.name: {
                        "about": target.about,
                        "options": {name: option.about for name, option in target.options.items()},
                    }
                    for target in export_targets
                },
                "functions": {f.name: f.about for f in FUNCTIONS.values()},
            }
        )
        return
    rows = [(target.name, target.about) for target in export_targets]
    output.stdout().print(output.table(("target", "description"), rows, wrapped=(1,)))
    options = [
        (target.name, name, " or ".join(map(str, option.choices)) or str(option.default), option.about)
        for target in export_targets
        for name, option in target.options.items()
    ]
    if options:
        output.stdout().print(output.table(("target", "option", "values", "description"), options, wrapped=(3,)))
    function_rows = [(f"{f.name}:FRAME" if f.of_frame else f.name, ", ".join(f.inputs), f.about) for f in FUNCTIONS.values()]
    output.stdout().print(output.table(("function", "arguments", "result"), function_rows, wrapped=(2,)))


def _split_names(texts: list[str] | None) -> list[str] | None:
    """The names of an option that takes several between commas and can be repeated."""
    if not texts:
        return None
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise ArgumentError(f"{','.join(texts)!r} contains an empty name; separate names by single commas")
    return names
