"""`lagrangian check`: the errors and warnings of a description, with their places and remedies."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, SUCCESS, JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument, load_mechanism
from lagrangian.cli.output import spinner
from lagrangian.errors import LagrangianError, LagrangianWarning
from lagrangian.report.findings import Finding, findings

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

CHECK_EXAMPLES = """
lagrangian check arm.toml
lagrangian check robot.urdf --json
"""
_NOUNS = {  # of the numbers in a summary
    "bodies": "body",
    "joints": "joint",
    "coordinates": "coordinate",
    "speeds": "speed",
    "loops": "loop",
    "constraint_equations": "constraint equation",
    "frames": "frame",
    "poses": "pose",
    "parameters": "parameter",
}


def check(argument: MechanismArgument, json: JsonOption = False) -> int:
    """Check a description and explain errors and warnings.

    The command prints a summary of the description and every error, warning and note, with its place and a remedy. The exit code
    is 1 if the description cannot be used.
    """
    m: Mechanism | None = None
    with warnings.catch_warnings(record=True) as caught_warnings, spinner("checking"):
        warnings.simplefilter("always")
        try:
            m = load_mechanism(argument.mechanism, argument.reader_options)
            problems = list(findings(m))
        except LagrangianError as error:
            problems = [Finding("error", "", str(error))]
    warning_texts = {_without_file(w.message, m): None for w in caught_warnings if issubclass(w.category, UserWarning)}
    problems = [
        *(Finding("warning", "", text) for text in warning_texts),
        *(f for f in problems if f.message not in warning_texts),
    ]
    failed = any(f.kind == "error" for f in problems)
    if json:
        entries = [{"kind": f.kind, "place": f.place, "what": f.message, "remedy": f.remedy} for f in problems]
        summary = None if m is None else _summary(m)
        error_entry = {"error": str(next(f for f in problems if f.kind == "error"))} if failed else {}
        output.print_json({"file": argument.mechanism, "valid": not failed, "read": summary, "findings": entries, **error_entry})
    else:
        _print_findings(argument.mechanism, m, problems, failed)
    return FAILURE if failed else SUCCESS


def _print_findings(name: str, m: Mechanism | None, problems: list[Finding], failed: bool) -> None:
    """Print the summary of a description, its errors to stderr, and its warnings and notes."""
    from rich.table import Table
    from rich.text import Text

    from lagrangian.model.printed_table import pluralise

    console = output.stdout()
    if m is not None:
        summary = _summary(m)
        counts = [pluralise(summary[k], noun) for k, noun in _NOUNS.items() if summary[k]]
        console.print(Text.assemble((m.name, "bold cyan"), f": {', '.join(counts)}; total mass {summary['mass']:.4g} kg"))
    colours = {"error": "bold red", "warning": "bold yellow", "note": "dim"}
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(overflow="fold")
    for finding in problems:
        if finding.kind == "error":
            output.print_error(str(finding))
            continue
        grid.add_row(Text(f"{finding.kind:>7}", style=colours[finding.kind]), Text(str(finding)))
    if grid.row_count:
        console.print(grid)
    warning_count = sum(finding.kind == "warning" for finding in problems)
    if failed:
        output.print_text(f"{name} has errors and cannot be used", "bold red")
    else:
        suffix = f", with {warning_count} warning{'s' * (warning_count != 1)}" if warning_count else ""
        output.print_text(f"{name} is valid{suffix}", "bold green" if not warning_count else "bold yellow")


def _summary(m: Mechanism) -> dict[str, Any]:
    """The numbers of parts of a mechanism, and its mass."""
    return {
        "name": m.name,
        "bodies": len(m.bodies),
        "joints": len(m.joints),
        "coordinates": m.nq,
        "speeds": m.nv,
        "loops": len(m.loops),
        "constraint_equations": m.equation_count,
        "frames": len(m.frames),
        "poses": len(m.poses),
        "parameters": len(m.parameters),
        "mass": sum(float(b.mass) for b in m.bodies),
    }


def _without_file(message: Warning | str, m: Mechanism | None) -> str:
    """The text of a warning, without the file that is checked."""
    return str(message.without_place(m.file)) if m is not None and isinstance(message, LagrangianWarning) else str(message)
