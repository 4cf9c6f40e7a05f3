"""The directive `command`: usage, arguments and options of a command of `lagrangian`, as the command line itself knows them."""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    import typer.main
    from docutils import nodes
    from rich.text import Text
    from sphinx.util.docutils import SphinxDirective

    from lagrangian.cli.main import app as commands

    known = typer.main.get_command(commands).commands  # type: ignore[attr-defined]

    def row(option: Any) -> tuple[str, str]:
        """How it is written, and what it does."""
        if option.param_type_name == "argument":
            written = (option.metavar or option.name.upper()).strip("{}[]")
        else:
            names = [*option.opts, *option.secondary_opts]
            written = ", ".join(sorted(names, key=len)) + (f" {option.metavar}" if option.metavar else "")
        help_ = Text.from_markup(option.help or "").plain
        default = option.default
        if isinstance(default, (int, float, str)) and not isinstance(default, bool) and default != "":
            help_ += f" Default: {default}."
        return written, help_

    class Command(SphinxDirective):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            (name,) = self.arguments
            if name not in known:
                raise self.error(f"there is no command {name!r}; known: {', '.join(known)}")
            options = [p for p in known[name].params if not p.hidden and p.name not in ("help", "json", "set", "floating")]
            if not options:
                return []
            rows = []
            for written, help_ in map(row, options):
                cells = (nodes.literal(written, written), nodes.inline(help_, help_))
                rows.append(nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells)))
            columns = (nodes.colspec(colwidth=2), nodes.colspec(colwidth=3))
            group = nodes.tgroup("", *columns, nodes.tbody("", *rows), cols=2)
            return [nodes.table("", group, classes=["options"])]

    app.add_directive("command", Command)
    return {"parallel_read_safe": True}
