"""`lagrangian check`: what a description says, and what is doubtful in it, each with its place and a remedy."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, Json
from lagrangian.cli.given import Described, mechanism_of
from lagrangian.cli.progress import spinner
from lagrangian.errors import LagrangianError, LagrangianWarning
from lagrangian.report.findings import Finding, findings

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

CHECK = """
lagrangian check arm.toml
lagrangian check robot.urdf --json
"""


def check(given: Described, json: Json = False) -> int:
    """Check a description and explain errors and warnings.

    The command prints a summary of the description and every error, warning and note, with its place and a remedy. The exit code
    is 1 if the description cannot be used.
    """
    m: Mechanism | None = None
    with warnings.catch_warnings(record=True) as met, spinner("checking"):
        warnings.simplefilter("always")
        try:
            m = mechanism_of(given.mechanism, given.reading)
            found = list(findings(m))
        except LagrangianError as error:
            found = [Finding("error", "", str(error))]
    said = {_without_file(w.message, m): None for w in met if issubclass(w.category, UserWarning)}
    found = [*(Finding("warning", "", text) for text in said), *(f for f in found if f.what not in said)]
    failed = any(f.kind == "error" for f in found)
    if json:
        listed = [{"kind": f.kind, "place": f.place, "what": f.what, "remedy": f.remedy} for f in found]
        read = None if m is None else _read(m)
        wrong = {"error": str(next(f for f in found if f.kind == "error"))} if failed else {}
        output.document({"file": given.mechanism, "valid": not failed, "read": read, "findings": listed, **wrong})
    else:
        _print(given.mechanism, m, found, failed)
    return FAILED if failed else FINE


def _without_file(message: Warning | str, m: Mechanism | None) -> str:
    return str(message.without(m.file)) if m is not None and isinstance(message, LagrangianWarning) else str(message)


def _read(m: Mechanism) -> dict[str, Any]:
    return {
        "name": m.name,
        "bodies": len(m.bodies),
        "joints": len(m.joints),
        "coordinates": m.nq,
        "speeds": m.nv,
        "loops": len(m.loops),
        "constraint_equations": m.equations,
        "frames": len(m.frames),
        "poses": len(m.poses),
        "parameters": len(m.parameters),
        "mass": sum(float(b.mass) for b in m.bodies),
    }


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n != 1 else f"1 {'body' if what == 'bodies' else what.removesuffix('s')}"


def _print(name: str, m: Mechanism | None, found: list[Finding], failed: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    console = output.stdout()
    if m is not None:
        read = _read(m)
        counts = [_count(read[k], k.replace("_", " ")) for k in read if k not in ("name", "mass") and read[k]]
        console.print(Text.assemble((m.name, "bold cyan"), f": {', '.join(counts)}; total mass {read['mass']:.4g} kg"))
    colours = {"error": "bold red", "warning": "bold yellow", "note": "dim"}
    listed = Table.grid(padding=(0, 2))
    listed.add_column()
    listed.add_column(overflow="fold")
    for finding in found:
        if finding.kind == "error":
            output.error(str(finding))
            continue
        listed.add_row(Text(f"{finding.kind:>7}", style=colours[finding.kind]), Text(str(finding)))
    if listed.row_count:
        console.print(listed)
    doubts = sum(f.kind == "warning" for f in found)
    if failed:
        output.plain(f"{name} has errors and cannot be used", "bold red")
    else:
        told = f", with {doubts} warning{'s' * (doubts != 1)}" if doubts else ""
        output.plain(f"{name} is valid{told}", "bold green" if not doubts else "bold yellow")
