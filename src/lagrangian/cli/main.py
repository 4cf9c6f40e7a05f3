"""The command line `lagrangian`: its commands, and what holds for all of them."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from lagrangian.cli import check, derive, inverse, new, output, see, show, simulate
from lagrangian.cli.command import FINE, register

DESCRIBE, EQUATIONS, MOTION, SEE, CHECK = "Describe", "Equations", "Motion", "See", "Check"

app = typer.Typer(
    name="lagrangian",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="[dim]Begin with:[/dim] [cyan]lagrangian tour[/cyan], [dim]or:[/dim] [cyan]lagrangian new arm[/cyan]",
)


def _version(asked: bool) -> None:
    if asked:
        from lagrangian import __version__

        print(f"lagrangian {__version__}")
        raise typer.Exit(FINE)


@app.callback()
def everywhere(
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error comes from.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Equations of motion of mechanisms, open or closed: to read, to run, to trust."""
    if debug:
        os.environ["LAGRANGIAN_DEBUG"] = "1"


register(app, new.new, DESCRIBE, new.NEW)
register(app, new.library, DESCRIBE)
register(app, show.show, DESCRIBE, show.SHOW)
register(app, derive.derive, EQUATIONS, derive.DERIVE)
register(app, derive.prove, EQUATIONS, derive.PROVE)
register(app, simulate.simulate, MOTION, simulate.SIMULATE)
register(app, inverse.inverse, MOTION, inverse.INVERSE)
register(app, inverse.size, MOTION, inverse.SIZE)
register(app, see.plot, SEE, see.PLOT)
register(app, see.animate, SEE, see.ANIMATE)
register(app, see.view, SEE, see.VIEW)
register(app, see.report, SEE, see.REPORT)
register(app, see.tour, SEE, see.TOUR)
register(app, check.check, CHECK, check.CHECK)


def main() -> None:
    """The entry point. A reader that stops reading, as `head` does, is no error."""
    output.settle_streams()
    try:
        app(prog_name="lagrangian")
    except BrokenPipeError:
        # what is still buffered has nowhere to go, and Python would complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FINE)
