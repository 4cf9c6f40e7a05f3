"""The command line `lagrangian`: all commands, and the options that stand before a command."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import SUCCESS, CommandGroup, JsonOption, paragraphs, register
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
    plot,
    show,
    simulate,
    studio,
    study,
    tour,
)

START = "Start here"
DESCRIBE = "Describe a mechanism"
EQUATIONS = "Equations of motion"
MOTION = "Motion, torques and motors"
DESIGN = "Design"
SEE = "Plots, animations and reports"
EXPORT = "Export to other programs"
CHECK = "Comparisons and timing"
ABOUT = """
Analyse, simulate and design mechanisms with rigid bodies, with or without closed loops.

Describe a mechanism in a TOML, URDF, MJCF or SDF file, or take one from the library. The commands derive its equations of motion
in closed form and prove them, simulate it, find the torques and motors that a motion needs, study designs, draw plots and
animations, and write code for other programs.
"""

app = typer.Typer(
    name="lagrangian",
    cls=CommandGroup,
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="[dim]For help on a command:[/dim] [cyan]lagrangian COMMAND --help[/cyan]",
)


@app.callback(help=paragraphs(ABOUT))
def global_options(
    debug: Annotated[bool, typer.Option("--debug", metavar="", help="Show where in the code an error occurs.")] = False,
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options that stand before a command."""
    if debug:
        os.environ["LAGRANGIAN_DEBUG"] = "1"


def _print_version(requested: bool) -> None:
    if requested:
        from lagrangian import __version__

        print(f"lagrangian {__version__}")
        raise typer.Exit(SUCCESS)


def version(json: JsonOption = False) -> None:
    """Show the versions of lagrangian, Python and the packages it uses."""
    import platform
    from importlib import metadata

    from lagrangian import __version__

    versions = {"lagrangian": __version__, "python": platform.python_version()}
    for name in ("numpy", "llvmlite", "python-flint", "pin", "mujoco"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = ""
    if json:
        return output.print_json(versions)
    for name, number in versions.items():
        output.print_text(f"{name:<13} {number or 'not installed'}", "" if number else "dim")
    return None


register(app, tour.tour, START, tour.TOUR_EXAMPLES)
register(app, studio.studio, START, studio.STUDIO_EXAMPLES)
register(app, new.new, DESCRIBE, new.NEW_EXAMPLES)
register(app, new.library, DESCRIBE)
register(app, show.show, DESCRIBE, show.SHOW_EXAMPLES)
register(app, check.check, DESCRIBE, check.CHECK_EXAMPLES)
register(app, derive.derive, EQUATIONS, derive.DERIVE_EXAMPLES)
register(app, derive.prove, EQUATIONS, derive.PROVE_EXAMPLES)
register(app, simulate.simulate, MOTION, simulate.SIMULATE_EXAMPLES)
register(app, inverse.inverse, MOTION, inverse.INVERSE_EXAMPLES)
register(app, inverse.size, MOTION, inverse.SIZE_EXAMPLES)
register(app, certify.certify, MOTION, certify.CERTIFY_EXAMPLES)
register(app, study.study, DESIGN, study.STUDY_EXAMPLES)
register(app, design.workspace, DESIGN, design.WORKSPACE_EXAMPLES)
register(app, design.cycle, DESIGN, design.CYCLE_EXAMPLES)
register(app, design.singularities, DESIGN, design.SINGULARITIES_EXAMPLES)
register(app, plot.plot, SEE, plot.PLOT_EXAMPLES)
register(app, plot.animate, SEE, plot.ANIMATE_EXAMPLES)
register(app, plot.view, SEE, plot.VIEW_EXAMPLES)
register(app, plot.report, SEE, plot.REPORT_EXAMPLES)
register(app, export.export, EXPORT, export.EXPORT_EXAMPLES)
register(app, export.targets, EXPORT)
register(app, compare.compare, CHECK, compare.COMPARE_EXAMPLES)
register(app, compare_solvers.compare_solvers, CHECK, compare_solvers.COMPARE_SOLVERS_EXAMPLES)
register(app, bench.bench, CHECK, bench.BENCH_EXAMPLES)
register(app, version, CHECK)


def main() -> None:
    """Run the command line."""
    output.configure_streams()
    app(prog_name="lagrangian")
