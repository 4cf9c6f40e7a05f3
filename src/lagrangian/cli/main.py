"""The command line `lagrangian`: its commands, and what holds for all of them."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FINE, Group, Json, paragraphs, register
from lagrangian.cli.commands import (
    bench,
    certify,
    check,
    compare,
    compare_solvers,
    derive,
    design,
    export,
    inverse,
    new,
    see,
    show,
    simulate,
    studio,
    study,
)

START = "Start here"
DESCRIBE = "Describe a mechanism"
EQUATIONS = "Equations of motion"
MOTION = "Motion, torques and motors"
DESIGN = "Design"
SEE = "Plots, animations and reports"
EXPORT = "Export to other programs"
CHECK = "Comparisons and timing"

app = typer.Typer(
    name="lagrangian",
    cls=Group,
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="[dim]For help on a command:[/dim] [cyan]lagrangian COMMAND --help[/cyan]",
)


def _version(asked: bool) -> None:
    if asked:
        from lagrangian import __version__

        print(f"lagrangian {__version__}")
        raise typer.Exit(FINE)


ABOUT = """
Analyse, simulate and design mechanisms with rigid bodies, with or without closed loops.

Describe a mechanism in a TOML, URDF, MJCF or SDF file, or take one from the library. The commands derive its equations of motion
in closed form and prove them, simulate it, find the torques and motors that a motion needs, study designs, draw plots and
animations, and write code for other programs.
"""


@app.callback(help=paragraphs(ABOUT))
def everywhere(
    debug: Annotated[bool, typer.Option("--debug", metavar="", help="Show where in the code an error occurs.")] = False,
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options that stand before a command."""
    if debug:
        os.environ["LAGRANGIAN_DEBUG"] = "1"


def version(json: Json = False) -> None:
    """Show the versions of lagrangian, Python and the packages it uses."""
    import platform
    from importlib import metadata

    from lagrangian import __version__

    found = {"lagrangian": __version__, "python": platform.python_version()}
    for name in ("numpy", "llvmlite", "python-flint", "pin", "mujoco"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    if json:
        return output.document(found)
    for name, number in found.items():
        output.plain(f"{name:<13} {number or 'not installed'}", "" if number else "dim")
    return None


register(app, see.tour, START, see.TOUR)
register(app, studio.studio, START, studio.STUDIO)
register(app, new.new, DESCRIBE, new.NEW)
register(app, new.library, DESCRIBE)
register(app, show.show, DESCRIBE, show.SHOW)
register(app, check.check, DESCRIBE, check.CHECK)
register(app, derive.derive, EQUATIONS, derive.DERIVE)
register(app, derive.prove, EQUATIONS, derive.PROVE)
register(app, simulate.simulate, MOTION, simulate.SIMULATE)
register(app, inverse.inverse, MOTION, inverse.INVERSE)
register(app, inverse.size, MOTION, inverse.SIZE)
register(app, certify.certify, MOTION, certify.CERTIFY)
register(app, study.study, DESIGN, study.STUDY)
register(app, design.workspace, DESIGN, design.WORKSPACE)
register(app, design.turn, DESIGN, design.TURN)
register(app, design.singularities, DESIGN, design.SINGULARITIES)
register(app, see.plot, SEE, see.PLOT)
register(app, see.animate, SEE, see.ANIMATE)
register(app, see.view, SEE, see.VIEW)
register(app, see.report, SEE, see.REPORT)
register(app, export.export, EXPORT, export.EXPORT)
register(app, export.targets, EXPORT)
register(app, compare.compare, CHECK, compare.COMPARE)
register(app, compare_solvers.compare_solvers, CHECK, compare_solvers.COMPARE_SOLVERS)
register(app, bench.bench, CHECK, bench.BENCH)
register(app, version, CHECK)


def main() -> None:
    """The entry point."""
    output.settle_streams()
    app(prog_name="lagrangian")
