"""`lagrangian compare`: the compiled functions and those of Pinocchio and MuJoCo at random states."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
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
    comparison = _Comparison(m.name, states, left_out)
    for name in names:
        try:
            model = peers.build_peer_model(name, bare)
            unread_reason = "the payload is in no file" if argument.reader_options.payload else ""
            file_model, reason = (None, unread_reason) if unread_reason else peers.read_same_file(name, bare)
        except peers.JointMismatchError as error:
            comparison.refused[name], comparison.failed = str(error), True
            continue
        except ArgumentError as error:
            comparison.refused[name] = str(error)
            continue
        comparison.models[model.name] = (
            f"read {m.file} itself" if file_model else f"used the model that lagrangian read{f': {reason}' * bool(reason)}"
        )
        comparison.differences[model.name] = largest_differences(bare, file_model or model, states, seed)
        if m.loops and name == "pinocchio":
            comparison.add_closed_loops(model.name, compare_loop_accelerations(m, model, states, seed))
    if json:
        output.print_json(comparison.data())
    else:
        _print_comparison(comparison)
    return SUCCESS if comparison.agree and not comparison.failed else FAILURE


@dataclass
class _Comparison:
    """The results of a comparison: by program the differences by function, the model it used, or why it was not compared."""

    mechanism: str
    states: int
    left_out: list[str]
    differences: dict[str, dict[str, float]] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    failed: bool = False

    def add_closed_loops(self, peer: str, loops: LoopComparison) -> None:
        """Add the comparison of accelerations with closed loops to that of a program."""
        if loops.difference is not None:
            self.differences[peer]["closed"] = loops.difference
        if loops.failed:
            self.refused[CLOSED_LOOPS], self.failed = loops.message, True
        elif loops.message:
            self.left_out.append(f"accelerations with closed loops {loops.message}")

    @property
    def agree(self) -> bool:
        """Whether there are differences, and none is larger than rounding."""
        return bool(self.differences) and all(
            x <= TOLERANCE for by_function in self.differences.values() for x in by_function.values()
        )

    def data(self) -> dict[str, Any]:
        """The comparison as `--json` prints it."""
        return {
            "mechanism": self.mechanism,
            "states": self.states,
            "tolerance": TOLERANCE,
            "agree": self.agree,
            "differences": self.differences,
            "models": self.models,
            "left_out": self.left_out,
            "not_compared": self.refused,
        }


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


@dataclass(frozen=True)
class LoopComparison:
    """The largest relative difference of accelerations with closed loops, or None if no state was compared.

    `message` is the reason why not all states were compared, and `failed` says whether that is a failure.
    """

    difference: float | None
    message: str = ""
    failed: bool = False


def compare_loop_accelerations(m: Mechanism, other: Any, states: int, seed: int) -> LoopComparison:
    """Compare the accelerations with closed loops at random states."""
    from lagrangian import AssemblyError, compile  # noqa: A004
    from lagrangian.peers import loop_accelerations
    from lagrangian.peers import models as peers

    if reason := loop_accelerations.unsupported_reason(m):
        return LoopComparison(None, reason)
    mechanism = peers.without_forces(m)
    dyn, worst, count = compile(mechanism), 0.0, 0
    try:
        for q, qd, tau in loop_accelerations.consistent_states(mechanism, states, seed):
            theirs = loop_accelerations.constrained_accelerations(other, mechanism, q, qd, tau)
            # the accelerations of a structure are only rounding: those of its open tree are a scale, too
            scale = max(max_abs(theirs), 1e-6 * max_abs(other.forward_dynamics(q, qd, tau)))
            worst, count = max(worst, relative_difference(dyn.forward_dynamics(q, qd, tau), theirs, scale)), count + 1
    except AssemblyError as error:
        message = f"the comparison stopped after {count} of {states} states: {error}"
        return LoopComparison(worst if count else None, message, failed=True)
    return LoopComparison(worst) if count else LoopComparison(None, "no closed configurations were found", failed=True)


def _print_comparison(comparison: _Comparison) -> None:
    """Print the differences as a table, with the models that were used and what was not compared."""
    differences = comparison.differences
    output.print_text(
        f"{comparison.mechanism}: the largest relative difference at {comparison.states} random states", "bold cyan"
    )
    if differences:
        functions = [name for name in FUNCTION_TITLES if any(name in by_function for by_function in differences.values())]
        rows = [
            (
                FUNCTION_TITLES[function],
                *(f"{by_function[function]:.1e}" if function in by_function else "" for by_function in differences.values()),
            )
            for function in functions
        ]
        output.stdout().print(output.table(("", *differences), rows, right_aligned=range(1, len(differences) + 1), wrapped=(0,)))
    output.print_text()
    for peer, usage in comparison.models.items():
        output.print_text(f"{peer} {usage}", "dim")
    for omission in comparison.left_out:
        output.print_text(f"Not compared: {omission}", "dim")
    for peer, reason in comparison.refused.items():
        output.print_text(f"Not compared{'' if peer == CLOSED_LOOPS else ' with'}: {peer}: {reason}", "yellow")
    if differences:
        output.print_text(
            "The results agree." if comparison.agree else f"The results differ by more than {TOLERANCE:g}.",
            "bold green" if comparison.agree else "bold red",
        )
