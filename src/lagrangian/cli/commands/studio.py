"""`lagrangian studio`: the page in which you design a mechanism."""

from __future__ import annotations

from typing import Annotated

import typer

from lagrangian.cli.mechanism_options import complete_mechanism

STUDIO_EXAMPLES = """
lagrangian studio
lagrangian studio arm.toml
lagrangian studio four_bar --no-browser
lagrangian studio --draw
"""


def studio(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A description (.toml, .urdf, .xml, .sdf), a folder, or a mechanism of the library, which the studio copies. "
            "Default: the current folder.",
            show_default=False,
            autocompletion=complete_mechanism,
        ),
    ] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="The port of the page. Default: a free port.")] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page in the browser, or do not.")
    ] = True,
    draw: Annotated[
        bool, typer.Option("--draw", metavar="", help="Open the page for drawing a planar linkage with the mouse.")
    ] = False,
) -> None:
    """Design a mechanism in the browser.

    The studio shows an editor for the description, the mechanism in 3D, and tabs for equations, motion, torques, studies and
    checks. It keeps a draft of your changes on disk as you type. Ctrl-C stops it.
    """
    from lagrangian.studio.serve import run_studio

    run_studio(file, port, browser, "/draw" if draw else "/")
