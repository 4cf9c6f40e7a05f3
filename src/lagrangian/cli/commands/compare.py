"""`lagrangian compare`: the compiled functions and those of Pinocchio and MuJoCo at random states."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILURE, SUCCESS, JsonOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import progress_bar
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism
    from lagrangian.peers.models import PeerModel

COMPARE_EXAMPLES = """
lagrangian compare panda
lagrangian compare robot.urdf --peer pinocchio --states 100
"""
CLOSED_LOOPS = "loops closed"  # stands for the accelerations with closed loops among the names of programs
TOLERANCE = 1e-8  # largest relative difference of results that agree
FUNCTION_TITLES = {
    "mass_matrix": "mass matrix M",
    "gravity": "gravity G",
    "bias": "bias C qd + G",
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "closed": "forward dynamics, loops closed",
}
PeerOption = Annotated[
    str | None,
    typer.Option(
        "--peer", metavar="NAME", help="The program to compare with: pinocchio or mujoco. Default: every one that is installed."
    ),
]


def compare(
    argument: MechanismArgument,
    peer: PeerOption = None,
    states: Annotated[int, typer.Option("--states", metavar="N", min=1, max=100_000, help="The number of random states.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed of the random states.")] = 0,
    json: JsonOption = False,
) -> int:
    """Compare the dynamics with Pinocchio and MuJoCo.

    The command prints the largest relative differences at random states. The exit code is 1 if they exceed rounding errors.
    """
    from lagrangian.peers import models as peers

    names = peers.installed_peers(peer)
    m = argument.load()
    if not names:
        raise ArgumentError(f"neither Pinocchio nor MuJoCo is installed; install them with {peers.INSTALL_COMMAND}")
    if not m.nv:
        raise ArgumentError(f"{m.name} has no joint that moves, so there is nothing to compare")
    bare, left_out = peers.plain_mechanism(m)
    differences_by_peer: dict[str, dict[str, float]] = {}
    models, refused, failed = {}, {}, False
    for name in names:
        try:
            model = peers.build_peer_model(name, bare)
            unread_reason = "the payload is in no file" if argument.reader_options.payload else ""
            file_model, reason = (None, unread_reason) if unread_reason else peers.read_same_file(name, bare)
        except peers.JointMismatchError as error:
            refused[name], failed = str(error), True
            continue
        except ArgumentError as error:
            refused[name] = str(error)
            continue
        models[model.name] = (
            f"read {m.file} itself" if file_model else f"used the model that lagrangian read{f': {reason}' * bool(reason)}"
        )
        differences_by_peer[model.name] = largest_differences(bare, file_model or model, states, seed)
        if m.loops and name == "pinocchio":
            worst, message, comparison_failed = loop_acceleration_difference(m, model, states, seed)
            if worst is not None:
                differences_by_peer[model.name]["closed"] = worst
            if comparison_failed:
                refused[CLOSED_LOOPS], failed = message, True
            elif message:
                left_out.append(f"accelerations with closed loops {message}")
    agree = bool(differences_by_peer) and all(
        x <= TOLERANCE for peer_differences in differences_by_peer.values() for x in peer_differences.values()
    )
    if json:
        header = {"mechanism": m.name, "states": states, "tolerance": TOLERANCE, "agree": agree}
        output.print_json(
            {**header, "differences": differences_by_peer, "models": models, "left_out": left_out, "not_compared": refused}
        )
    else:
        _print_comparison(m.name, states, differences_by_peer, models, left_out, refused, agree)
    return SUCCESS if agree and not failed else FAILURE


def largest_differences(m: Mechanism, other: PeerModel, states: int, seed: int) -> dict[str, float]:
    """The largest difference of each function, over its largest entry or, for gravity and bias, over the largest torque."""
    import numpy as np

    from lagrangian import compile  # noqa: A004

    dyn, rng = compile(m), np.random.default_rng(seed)
    worst = {function: 0.0 for function in FUNCTION_TITLES if function != "closed"}
    with progress_bar(f"comparing with {other.name}") as progress:
        for k in range(states):
            progress(k, states)
            q, zero = m.random_configuration(rng), np.zeros(m.nv)
            qd, qdd, tau = rng.normal(size=(3, m.nv))
            M = dyn.mass_matrix(q)
            pairs: dict[str, tuple[Any, Any]] = {
                "mass_matrix": (M, other.mass_matrix(q)),
                "gravity": (dyn.gravity(q), other.bias(q, zero)),
                "bias": (dyn.inverse_dynamics(q, qd, zero), other.bias(q, qd)),
                "inverse_dynamics": (dyn.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd)),
                "forward_dynamics": (dyn.forward_dynamics(q, qd, tau), other.forward_dynamics(q, qd, tau)),
            }
            largest_torque = max_abs(pairs["inverse_dynamics"][1])
            for function, (ours, theirs) in pairs.items():
                scale = largest_torque if function in ("gravity", "bias") else max_abs(theirs)
                difference = relative_difference(ours, theirs, scale)
                if function == "forward_dynamics":  # rounding grows with the condition number of M
                    difference /= max(1.0, 1e-6 * float(np.linalg.cond(M))) if np.isfinite(M).all() else 1.0
                worst[function] = max(worst[function], difference)
    return worst


def max_abs(x: Any) -> float:
    """The largest absolute value of an array; 0 if it is empty."""
    import numpy as np

    return float(np.abs(x).max(initial=0.0))


def relative_difference(ours: Any, theirs: Any, scale: float) -> float:
    """The largest difference over a scale; it is infinite if a value is not finite, because NaN does not agree with NaN."""
    import numpy as np

    if not (np.isfinite(ours).all() and np.isfinite(theirs).all() and math.isfinite(scale)):
        return math.inf
    return max_abs(ours - theirs) / max(scale, 1e-300)  # the scale of gravity may be zero


def loop_acceleration_difference(m: Mechanism, other: Any, states: int, seed: int) -> tuple[float | None, str, bool]:
    """The largest relative difference of accelerations with closed loops, or None if no state was compared.

    The second value is the reason why not all states were compared, and the third says whether that is a failure.
    """
    from lagrangian import AssemblyError, compile  # noqa: A004
    from lagrangian.peers import loop_accelerations
    from lagrangian.peers import models as peers

    if reason := loop_accelerations.unsupported_reason(m):
        return None, reason, False
    mechanism = peers.without_forces(m)
    dyn, worst, count = compile(mechanism), 0.0, 0
    try:
        for q, qd, tau in loop_accelerations.consistent_states(mechanism, states, seed):
            theirs = loop_accelerations.constrained_accelerations(other, mechanism, q, qd, tau)
            # the accelerations of a structure are only rounding: those of its open tree are a scale, too
            scale = max(max_abs(theirs), 1e-6 * max_abs(other.forward_dynamics(q, qd, tau)))
            worst, count = max(worst, relative_difference(dyn.forward_dynamics(q, qd, tau), theirs, scale)), count + 1
    except AssemblyError as error:
        return worst if count else None, f"the comparison stopped after {count} of {states} states: {error}", True
    return (worst, "", False) if count else (None, "no closed configurations were found", True)


def _print_comparison(
    name: str,
    states: int,
    differences_by_peer: dict[str, dict[str, float]],
    models: dict[str, str],
    left_out: list[str],
    refused: dict[str, str],
    agree: bool,
) -> None:
    """Print the differences as a table, with the models that were used and what was not compared."""
    output.print_text(f"{name}: the largest relative difference at {states} random states", "bold cyan")
    if differences_by_peer:
        functions = [
            name for name in FUNCTION_TITLES if any(name in peer_differences for peer_differences in differences_by_peer.values())
        ]
        rows = [
            (
                FUNCTION_TITLES[function],
                *(
                    f"{peer_differences[function]:.1e}" if function in peer_differences else ""
                    for peer_differences in differences_by_peer.values()
                ),
            )
            for function in functions
        ]
        output.stdout().print(
            output.table(("", *differences_by_peer), rows, right_aligned=range(1, len(differences_by_peer) + 1), wrapped=(0,))
        )
    output.print_text()
    for peer, usage in models.items():
        output.print_text(f"{peer} {usage}", "dim")
    for omission in left_out:
        output.print_text(f"Not compared: {omission}", "dim")
    for peer, reason in refused.items():
        output.print_text(f"Not compared{'' if peer == CLOSED_LOOPS else ' with'}: {peer}: {reason}", "yellow")
    if differences_by_peer:
        output.print_text(
            "The results agree." if agree else f"The results differ by more than {TOLERANCE:g}.",
            "bold green" if agree else "bold red",
        )
