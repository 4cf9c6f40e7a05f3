"""`lagrangian check`: what a description says, and what is doubtful in it, each with its place and a remedy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, Json
from lagrangian.cli.given import Described, mechanism_of
from lagrangian.cli.progress import spinner
from lagrangian.errors import LagrangianError, LagrangianWarning

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

CHECK = """
lagrangian check arm.toml
lagrangian check robot.urdf --json
"""
_LISTED = 6  # names in one finding


@dataclass(frozen=True)
class Finding:
    """`kind` is "error", "warning" or "note"."""

    kind: str
    place: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return (f"{self.place}: " if self.place else "") + self.what + (f". {self.remedy}" if self.remedy else "")


def check(given: Described, json: Json = False) -> int:
    """Check a description, and explain what is doubtful.

    What was read, what is wrong or doubtful and where, and what would be right. Exit code 1 if it cannot be used.
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
        console.print(Text.assemble((m.name, "bold cyan"), f": {', '.join(counts)}; {read['mass']:.4g} kg in all"))
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
        output.plain(f"{name} cannot be used as it is", "bold red")
    else:
        told = f", with {doubts} warning{'s' * (doubts != 1)}" if doubts else ""
        output.plain(f"{name} is fine{told}", "bold green" if not doubts else "bold yellow")


# -- what is looked at -------------------------------------------------------------------------------------------------


def findings(m: Mechanism) -> Iterator[Finding]:
    """Of a mechanism that could be read."""
    yield from _bodies(m)
    yield from _joints(m)
    yield from _closure(m)
    yield from _start(m)
    yield from (Finding("note", "reader", note) for note in m.notes)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _bodies(m: Mechanism) -> Iterator[Finding]:
    if not m.joints:
        yield Finding("warning", "joints", "there are none, so nothing moves", "[[joint]] adds one")
    light = [b.name for b in m.bodies if float(b.mass) == 0 and not any(float(x) for x in b.inertia)]
    points = [b.name for b in m.bodies if float(b.mass) > 0 and not any(float(x) for x in b.inertia)]
    if light:
        yield Finding(
            "note", f"body {_listed(light)}", "no mass and no inertia", "fine for a frame between two joints; else give `mass`"
        )
    if points:
        yield Finding(
            "note",
            f"body {_listed(points)}",
            "a point mass: it has no inertia about its centre of mass",
            "`inertia` or `shapes` give it one",
        )
    if missing := _missing_meshes(m):
        yield Finding(
            "note",
            f"mesh {_listed(list(missing))}",
            f"it will not be drawn: {next(iter(missing.values()))}",
            "put it beside the description; the dynamics do without",
        )
    if not any(float(x) for x in m.gravity):
        yield Finding("note", "gravity", "it is zero", "right for a machine that lies flat or floats in space")


def _missing_meshes(m: Mechanism) -> dict[str, str]:
    """Files of meshes that are not found, or not read, and why: as the pictures find them."""
    from lagrangian.viewer.scene.meshes import find

    found = {}
    for file in sorted({v.file for b in m.bodies for v in b.visuals if v.kind == "mesh" and v.file}):
        try:
            find(file, m.file)
        except (OSError, ValueError) as error:
            found[file] = str(error.without(file)) if isinstance(error, LagrangianError) else str(error)
    return found


def _joints(m: Mechanism) -> Iterator[Finding]:
    from lagrangian.algorithms.closed.massless import loose
    from lagrangian.algorithms.tree import build
    from lagrangian.algorithms.undetermined import undetermined_joints
    from lagrangian.model.joints.joint_type import Look

    tree = build(m)
    undetermined = [x for x in [loose(m, tree)] if x] if m.equations else undetermined_joints(tree)
    if undetermined:
        each = "each" if len(undetermined) > 1 else "it"
        yield Finding(
            "error",
            f"joint {_listed([repr(name) for name in undetermined])}",
            f"what {each} moves has no inertia along it, so its acceleration is not determined",
            "give what it carries a mass and an inertia, give the joint a rotor, or make it fixed",
        )
    far = [
        j.name
        for j in m.joints
        if any(math.isfinite(x) and abs(x) > 4 * math.pi + 1e-9 for x in (j.limits.lower, j.limits.upper))
        and j.kind.look is Look.PIN
    ]
    if far:
        yield Finding(
            "warning", f"joint {_listed(far)}", "limits of more than two turns", 'radians are needed: "deg(170)" is 170 degrees'
        )
    if m.joints and not any(j.actuated for j in m.joints if j.kind.nv):
        yield Finding("note", "joints", "none is actuated", "`lagrangian inverse` and `size` need some: actuated = true")


def _closure(m: Mechanism) -> Iterator[Finding]:
    """Degrees of freedom; whether loops and poses can be closed."""
    from lagrangian import mobility
    from lagrangian.cli.closing import pasted, told
    from lagrangian.configuration.dynamics_of import dynamics_of
    from lagrangian.configuration.start import Start

    try:
        freedom = mobility(m)
    except LagrangianError as error:
        yield Finding(
            "error",
            "loops",
            f"they cannot be assembled: {error}",
            "look at the lengths, and at where the loop's ends are on their bodies",
        )
        return
    yield Finding("note", "mobility", str(freedom).rstrip("."))
    if not m.equations:
        return
    if freedom.nearby == 0:
        yield Finding(
            "warning",
            "mobility",
            "it is a structure: nothing can move",
            'fewer loop equations; a planar loop closes with directions = ["x", "y"]',
        )
    for pose in [*m.poses, *([None] if m.initial.q is not None else [])]:
        start = Start(dynamics_of(m), pose)
        where = str(start.given.where)
        if start.given.complete and start.off is None:
            continue
        try:
            near = start.closed()
        except LagrangianError as error:
            yield Finding("error" if pose is None else "warning", where, f"it does not close the loops: {error}")
            continue
        if start.off is None:
            continue
        line = pasted(near) if pose is None else pasted(near).replace("q =", f"{pose} =", 1)
        yield Finding(
            "warning",
            where,
            f"it does not close the loops: {start.off}. The nearest that does{', at which runs begin' * (pose is None)}: "
            f"{told(m, near)}",
            f"To paste: {line}",
        )


def _start(m: Mechanism) -> Iterator[Finding]:
    if m.initial.t_span is None:
        yield Finding("note", "[initial]", "no t_span", "`lagrangian simulate` then needs --time")
    states = [(f"pose {name!r}", pose) for name, pose in m.poses.items()]
    states += [("[initial] q", m.initial.q)] if m.initial.q is not None else []
    for where, q in states:
        at = 0
        for joint in m.joints:
            low, high = joint.limits.lower, joint.limits.upper
            if joint.kind.nq == 1 and not low - 1e-9 <= float(q[at]) <= high + 1e-9:
                yield Finding(
                    "warning", where, f"{joint.name} = {float(q[at]):.4g} is outside its limits, {low:.4g} to {high:.4g}"
                )
            at += joint.kind.nq
