"""`lagrangian certify`: the state of a mechanism with smooth forces at given times, with proven digits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lagrangian.cli import output
from lagrangian.cli.command import CostLimitOption, JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.motion_options import Q0Option, Qd0Option, TorqueOption, WrenchOption, parse_torques, parse_wrenches
from lagrangian.cli.output import progress_bar
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity

CERTIFY_EXAMPLES = """
lagrangian certify two_r --time 10 --digits 30
lagrangian certify pendulum -t 1,2,3 --q0 theta=90deg -o pendulum.json
"""


def certify(
    argument: MechanismArgument,
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
    q0: Q0Option = None,
    qd0: Qd0Option = None,
    torque: TorqueOption = None,
    wrench: WrenchOption = None,
    limits: Annotated[
        bool,
        typer.Option("--limits/--no-limits", metavar="", help="Prove that no joint reaches its limits, or ignore limits."),
    ] = True,
    limit: CostLimitOption = 600.0,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the result with all bounds to FILE (.json).")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compute a motion with proven digits.

    The command finds the state of a mechanism at given times and proves that every printed digit is right. The mechanism must
    have no loops and smooth forces.
    """
    import lagrangian as lg

    if out is not None and out.suffix.lower() != ".json":
        raise ArgumentError(f"{out}: proven digits are written to a .json file")
    m = argument.load()
    times = None if time is None else quantity.split_list(time)
    with progress_bar(f"certifying {m.name}") as progress:
        certified_motion = lg.certify(
            m,
            times,
            q0,
            qd0,
            parse_torques(torque),
            digits=digits,
            wrenches=parse_wrenches(wrench),
            limits=limits,
            limit=limit or None,
            progress=progress,
        )
    if json:
        output.print_json(certified_motion.to_dict())
    else:
        head, *lines = str(certified_motion).splitlines()
        output.print_text(head, "bold green")
        for line in lines:
            output.print_text(line)
    if out is not None:
        replaced = out.exists()
        certified_motion.save(out)
        if not json:
            output.print_written_file(out, "the digits, with both bounds of every number", replaced=replaced)
