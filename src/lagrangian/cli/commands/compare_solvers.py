"""`lagrangian compare-solvers`: one motion by several integrators and tolerances."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lagrangian.cli import output, values
from lagrangian.cli.command import Json
from lagrangian.cli.given import Described
from lagrangian.cli.motion_options import Begin, BeginSpeeds, Stabilisation, Torque, torques
from lagrangian.cli.progress import spinner
from lagrangian.model.expression import quantity

COMPARE_SOLVERS = """
lagrangian compare-solvers two_r
lagrangian compare-solvers deployable_four_bar --methods dp5,rodas5p --rtol 1e-4,1e-8
lagrangian compare-solvers pendulum --methods rk4,symplectic --step 0.01,0.001
"""


def compare_solvers(
    given: Described,
    time: Annotated[
        str | None,
        typer.Option("-t", "--time", metavar="TIME", help="The duration in seconds. Default: the time span in the description."),
    ] = None,
    q0: Begin = None,
    qd0: BeginSpeeds = None,
    torque: Torque = None,
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
    stabilisation: Stabilisation = "projection",
    json: Json = False,
) -> Any:
    """Compare integrators and tolerances on one motion.

    The command lists steps, evaluations, computing time, energy error, and the difference from a run with rtol 1e-13.
    """
    from lagrangian.motion.compare_solvers import compare_solvers as compared

    m = given.load()
    with spinner("comparing"):
        found = compared(
            m,
            values.span(time),
            q0,
            qd0,
            torques(torque),
            methods=quantity.parts(methods) if methods else None,
            rtols=quantity.numbers(rtol, "--rtol"),
            steps=quantity.numbers(step, "--step") if step else (),
            stabilisation=stabilisation,
        )
    if json:
        return output.document(found.to_dict())
    head, *rest = str(found).splitlines()
    output.plain(head, "bold")
    for line in rest:
        output.plain(line)
    return None
