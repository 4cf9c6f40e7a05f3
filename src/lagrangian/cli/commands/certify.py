"""`lagrangian certify`: where a smooth mechanism is after a time, with proven digits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json, Limit
from lagrangian.cli.given import Described
from lagrangian.cli.motion_options import Begin, BeginSpeeds, Torque, Wrench, torques, wrenches
from lagrangian.cli.progress import bar
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

CERTIFY = """
lagrangian certify two_r --time 10 --digits 30
lagrangian certify pendulum -t 1,2,3 --q0 theta=90deg -o pendulum.json
"""


def certify(
    given: Described,
    time: Annotated[
        str | None,
        typer.Option(
            "-t",
            "--time",
            metavar="TIME",
            help="The time in seconds, or several, such as 1,2,3. Default: the end of the time span in the description.",
        ),
    ] = None,
    digits: Annotated[int, typer.Option("--digits", metavar="N", help="The number of digits to prove.")] = 30,
    q0: Begin = None,
    qd0: BeginSpeeds = None,
    torque: Torque = None,
    wrench: Wrench = None,
    limits: Annotated[
        bool,
        typer.Option("--limits/--no-limits", metavar="", help="Prove that no joint reaches its limits, or ignore limits."),
    ] = True,
    limit: Limit = 600.0,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the result with all bounds to FILE (.json).")
    ] = None,
    json: Json = False,
) -> None:
    """Compute a motion with proven digits.

    The command finds the state of a mechanism at given times and proves that every printed digit is right. The mechanism must
    have no loops and smooth forces.
    """
    import lagrangian as lg

    if out is not None and out.suffix.lower() != ".json":
        raise ArgumentError(f"{out}: proven digits are written to a .json file")
    m = given.load()
    when = None if time is None else quantity.parts(time)
    with bar(f"certifying {m.name}") as shown:
        found = lg.certify(
            m,
            when,
            q0,
            qd0,
            torques(torque),
            digits=digits,
            wrenches=wrenches(wrench),
            limits=limits,
            limit=limit or None,
            progress=shown,
        )
    if json:
        output.document(found.as_dict())
    else:
        head, *rest = str(found).splitlines()
        output.plain(head, "bold green")
        for line in rest:
            output.plain(line)
    if out is not None:
        again = out.exists()
        found.save(out)
        if not json:
            output.wrote(out, "the digits, with both bounds of every number", again=again)
