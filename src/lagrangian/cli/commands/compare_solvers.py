"""`lagrangian compare-solvers`: one motion by several integrators and tolerances."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.motion_options import Q0Option, Qd0Option, StabilisationOption, TorqueOption, parse_time, parse_torques
from lagrangian.cli.output import spinner
from lagrangian.model.expression import quantity

COMPARE_SOLVERS_EXAMPLES = """
lagrangian compare-solvers two_r
lagrangian compare-solvers deployable_four_bar --methods dp5,rodas5p --rtol 1e-4,1e-8
lagrangian compare-solvers pendulum --methods rk4,symplectic --step 0.01,0.001
"""


def compare_solvers(
    argument: MechanismArgument,
    time: Annotated[
        str | None,
        typer.Option("-t", "--time", metavar="TIME", help="The duration in seconds. Default: the time span in the description."),
    ] = None,
    q0: Q0Option = None,
    qd0: Qd0Option = None,
    torque: TorqueOption = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="NAME,NAME",
            help="The integrators: dp5, dop853, verner9, rodas5p, rk4, symplectic. Default: the first four.",
        ),
    ] = None,
    rtol: Annotated[
        str,
        typer.Option("--rtol", metavar="X,X", help="The relative tolerances; the absolute tolerance is a hundredth of each."),
    ] = "1e-6,1e-8,1e-10",
    step: Annotated[
        str | None, typer.Option("--step", metavar="S,S", help="The time steps of rk4 and symplectic, in seconds.")
    ] = None,
    stabilisation: StabilisationOption = "projection",
    json: JsonOption = False,
) -> Any:
    """Compare integrators and tolerances on one motion.

    The command lists steps, evaluations, computing time, energy error, and the difference from a run with rtol 1e-13.
    """
    import lagrangian as lg

    m = argument.load()
    with spinner("comparing"):
        comparison = lg.compare_solvers(
            m,
            parse_time(time),
            q0,
            qd0,
            parse_torques(torque),
            methods=quantity.split_list(methods) if methods else None,
            rtols=quantity.parse_quantities(rtol, "--rtol"),
            steps=quantity.parse_quantities(step, "--step") if step else (),
            stabilisation=stabilisation,
        )
    if json:
        return output.print_json(comparison.to_dict())
    head, *lines = str(comparison).splitlines()
    output.print_text(head, "bold")
    for line in lines:
        output.print_text(line)
    return None
