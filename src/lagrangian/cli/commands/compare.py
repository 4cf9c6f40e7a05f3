"""`lagrangian compare`: the compiled functions against those of Pinocchio and MuJoCo, at random states."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import FAILED, FINE, Json
from lagrangian.cli.given import Described
from lagrangian.cli.progress import bar
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.cli.peers.models import Peer
    from lagrangian.model.mechanism import Mechanism

COMPARE = """
lagrangian compare panda
lagrangian compare robot.urdf --peer pinocchio --states 100
"""
LOOPS = "loops closed"  # compared beside the trees
TOLERANCE = 1e-8
WHAT = {
    "mass_matrix": "mass matrix M",
    "gravity": "gravity G",
    "bias": "bias C qd + G",
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "closed": "forward dynamics, loops closed",
}
Name = Annotated[
    str | None,
    typer.Option(
        "--peer", metavar="NAME", help="The program to compare with: pinocchio or mujoco. Default: every one that is installed."
    ),
]


def compare(
    given: Described,
    peer: Name = None,
    states: Annotated[int, typer.Option("--states", metavar="N", min=1, max=100_000, help="The number of random states.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed of the random states.")] = 0,
    json: Json = False,
) -> int:
    """Compare the dynamics with Pinocchio and MuJoCo.

    The command prints the largest relative differences at random states. The exit code is 1 if they exceed rounding errors.
    """
    from lagrangian.cli.peers import models as peers

    names = peers.installed(peer)
    m = given.load()
    if not names:
        raise ArgumentError(f"neither Pinocchio nor MuJoCo is installed; install them with {peers.INSTALL}")
    if not m.nv:
        raise ArgumentError(f"{m.name} has no joint that moves, so there is nothing to compare")
    bare, left = peers.plain(m)
    found: dict[str, dict[str, float]] = {}
    models, refused, failed = {}, {}, False
    for name in names:
        try:
            other = peers.peer(name, bare)
            apart = "the payload is in no file" if given.reading.payload else ""
            read, why = (None, apart) if apart else peers.reading(name, bare)
        except peers.OtherReadingError as error:
            refused[name], failed = str(error), True
            continue
        except ArgumentError as error:
            refused[name] = str(error)
            continue
        models[other.name] = f"read {m.file} itself" if read else f"used the model that lagrangian read{f': {why}' * bool(why)}"
        found[other.name] = differences(bare, read or other, states, seed)
        if m.loops and name == "pinocchio":
            worst, told, broke = closed_difference(m, other, states, seed)
            if worst is not None:
                found[other.name]["closed"] = worst
            if broke:
                refused[LOOPS], failed = told, True
            elif told:
                left.append(f"accelerations with closed loops {told}")
    agree = bool(found) and all(x <= TOLERANCE for by in found.values() for x in by.values())
    if json:
        about = {"mechanism": m.name, "states": states, "tolerance": TOLERANCE, "agree": agree}
        output.document({**about, "differences": found, "models": models, "left_out": left, "not_compared": refused})
    else:
        _print(m.name, states, found, models, left, refused, agree)
    return FINE if agree and not failed else FAILED


def differences(m: Mechanism, other: Peer, states: int, seed: int) -> dict[str, float]:
    """The largest difference of each function, relative to its largest entry, or to that of the forces."""
    import numpy as np

    from lagrangian import compile  # noqa: A004

    dyn, rng = compile(m), np.random.default_rng(seed)
    worst = {what: 0.0 for what in WHAT if what != "closed"}
    with bar(f"comparing with {other.name}") as shown:
        for k in range(states):
            shown(k, states)
            q, rest = m.random_configuration(rng), np.zeros(m.nv)
            qd, qdd, tau = rng.normal(size=(3, m.nv))
            M = dyn.mass_matrix(q)
            pairs: dict[str, tuple[Any, Any]] = {
                "mass_matrix": (M, other.mass_matrix(q)),
                "gravity": (dyn.gravity(q), other.bias(q, rest)),
                "bias": (dyn.inverse_dynamics(q, qd, rest), other.bias(q, qd)),
                "inverse_dynamics": (dyn.inverse_dynamics(q, qd, qdd), other.inverse_dynamics(q, qd, qdd)),
                "forward_dynamics": (dyn.forward_dynamics(q, qd, tau), other.forward_dynamics(q, qd, tau)),
            }
            forces = largest(pairs["inverse_dynamics"][1])
            for what, (ours, theirs) in pairs.items():
                size = forces if what in ("gravity", "bias") else largest(theirs)
                off = relative(ours, theirs, size)
                if what == "forward_dynamics":  # a solution cannot be more alike than M's condition lets it
                    off /= max(1.0, 1e-6 * float(np.linalg.cond(M))) if np.isfinite(M).all() else 1.0
                worst[what] = max(worst[what], off)
    return worst


def largest(x: Any) -> float:
    import numpy as np

    return float(np.abs(x).max(initial=0.0))


def relative(ours: Any, theirs: Any, scale: float) -> float:
    """The largest difference over a scale; infinite where anything is not finite, for NaN is no agreement."""
    import numpy as np

    if not (np.isfinite(ours).all() and np.isfinite(theirs).all() and math.isfinite(scale)):
        return math.inf
    return largest(ours - theirs) / max(scale, 1e-300)  # gravity may be none, but for rounding


def closed_difference(m: Mechanism, other: Any, states: int, seed: int) -> tuple[float | None, str, bool]:
    """The largest of accelerations that keep loops closed, if any were compared; why not all were, and if that is a failure."""
    from lagrangian import AssemblyError, compile  # noqa: A004
    from lagrangian.cli.peers import loops as peer_loops
    from lagrangian.cli.peers import models as peers

    if why := peer_loops.unlike(m):
        return None, why, False
    closed = peers.without_forces(m)
    dyn, worst, met = compile(closed), 0.0, 0
    try:
        for q, qd, tau in peer_loops.states(closed, states, seed):
            theirs = peer_loops.accelerations(other, closed, q, qd, tau)
            # a structure does not accelerate, but for rounding: what the open tree would do is a scale, too
            scale = max(largest(theirs), 1e-6 * largest(other.forward_dynamics(q, qd, tau)))
            worst, met = max(worst, relative(dyn.forward_dynamics(q, qd, tau), theirs, scale)), met + 1
    except AssemblyError as error:
        return worst if met else None, f"the comparison stopped after {met} of {states} states: {error}", True
    return (worst, "", False) if met else (None, "no closed configurations were found", True)


def _print(
    name: str,
    states: int,
    found: dict[str, dict[str, float]],
    models: dict[str, str],
    left: list[str],
    refused: dict[str, str],
    agree: bool,
) -> None:
    output.plain(f"{name}: the largest relative difference at {states} random states", "bold cyan")
    if found:
        met = [what for what in WHAT if any(what in by for by in found.values())]
        rows = [(WHAT[what], *(f"{by[what]:.1e}" if what in by else "" for by in found.values())) for what in met]
        output.stdout().print(output.table(("", *found), rows, right=range(1, len(found) + 1), words=(0,)))
    output.plain()
    for peer, how in models.items():
        output.plain(f"{peer} {how}", "dim")
    for what in left:
        output.plain(f"Not compared: {what}", "dim")
    for peer, why in refused.items():
        output.plain(f"Not compared{'' if peer == LOOPS else ' with'}: {peer}: {why}", "yellow")
    if found:
        output.plain(
            "The results agree." if agree else f"The results differ by more than {TOLERANCE:g}.",
            "bold green" if agree else "bold red",
        )
