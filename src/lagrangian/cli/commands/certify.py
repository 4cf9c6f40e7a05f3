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
        typer.Option("-t", "--time", metavar="TIME", help="When, in seconds: 10, or several: 1,2,3. Default: the file's."),
    ] = None,
    digits: Annotated[int, typer.Option("--digits", metavar="N", help="How many digits of every number.")] = 30,
    q0: Begin = None,
    qd0: BeginSpeeds = None,
    torque: Torque = None,
    wrench: Wrench = None,
    limits: Annotated[
        bool, typer.Option("--limits/--no-limits", metavar="", help="Prove that no joint reaches its limits.")
    ] = True,
    limit: Limit = 600.0,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it with all bounds, as .json.")
    ] = None,
    json: Json = False,
) -> None:
    """Prove where a smooth mechanism without loops is after a time, to as many digits as are asked for."""
    import lagrangian as lg

    if out is not None and out.suffix.lower() != ".json":
        raise ArgumentError(f"{out}: proven digits are written as .json")
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
