"""The directive `command`: arguments and options of a command of `lagrangian`, as the command line itself knows them.

The body has them as plain text; `python -m tests.test_docs --sync` writes it, and a test compares it.
"""

from __future__ import annotations

import re
from typing import Any

# told once for all commands
OF_ALL = {
    "--help",
    "--json",
    "--set",
    "--payload",
    "--floating",
    "--mimic",
    "--loops",
    "--no-loops",
    "--xacro",
    "--keyframe",
    "--root",
}


def documented_commands() -> dict[str, Any]:
    import typer.main

    from lagrangian.cli.main import app

    return typer.main.get_command(app).commands  # type: ignore[attr-defined, no-any-return]


def row(option: Any) -> tuple[str, str]:
    """How it is written, and what it does."""
    from rich.text import Text

    if option.param_type_name == "argument":
        written = re.sub(r"[{}\[\]]", "", option.metavar or option.name.upper())
    else:
        names = [*option.opts, *option.secondary_opts]
        written = ", ".join(sorted(names, key=len)) + (f" {option.metavar}" if option.metavar else "")
    help_ = Text.from_markup(option.help or "").plain
    default = option.default
    if isinstance(default, (int, float, str)) and not isinstance(default, bool) and default != "":
        help_ += f" Default: {default}."
    elif isinstance(default, bool) and option.secondary_opts:
        help_ += f" Default: {(option.opts if default else option.secondary_opts)[0]}."
    return written, " ".join(help_.split())


def rows(name: str) -> list[tuple[str, str]]:
    return [row(p) for p in documented_commands()[name].params if not p.hidden and not OF_ALL.intersection(p.opts)]


def body(name: str) -> str:
    """Usage and options as plain text."""
    arguments = [p for p in documented_commands()[name].params if p.param_type_name == "argument"]
    usage = [row(p)[0] if p.required else f"[{row(p)[0]}]" for p in arguments]
    options = rows(name)
    width = max((len(written) for written, _ in options), default=0)
    lines = [
        " ".join(["lagrangian", name, *usage, "[OPTIONS]"]),
        *(f"  {written:<{width}}  {help_}" for written, help_ in options),
    ]
    return "\n".join(lines) + "\n"


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    class Command(SphinxDirective):
        required_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            (name,) = self.arguments
            if name not in documented_commands():
                raise self.error(f"there is no command {name!r}; known: {', '.join(documented_commands())}")
            shown = []
            for written, help_ in rows(name):
                cells = (nodes.literal(written, written), nodes.inline(help_, help_))
                shown.append(nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells)))
            if not shown:
                return []
            columns = (nodes.colspec(colwidth=2), nodes.colspec(colwidth=3))
            group = nodes.tgroup("", *columns, nodes.tbody("", *shown), cols=2)
            return [nodes.table("", group, classes=["options"])]

    app.add_directive("command", Command)
    return {"parallel_read_safe": True}
