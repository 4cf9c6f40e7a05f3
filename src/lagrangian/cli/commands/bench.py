"""`lagrangian bench`: how long the compiled functions take, and those of peers, in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import Json
from lagrangian.cli.commands.compare import Name
from lagrangian.cli.given import Described
from lagrangian.cli.progress import bar
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

BENCH = "lagrangian bench panda --batch 4096"
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
OURS = "lagrangian"


def bench(
    given: Described,
    peer: Name = None,
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", min=1, max=10_000_000, help="The number of states in a batch.")
    ] = 4096,
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=1, max=10_000, help="The number of rounds; the command prints the fastest."),
    ] = 20,
    json: Json = False,
) -> None:
    """Time the compiled functions, and those of Pinocchio and MuJoCo.

    The functions run on one thread, for one state and for a batch of states. The installed programs run in turn.
    """
    from lagrangian.cli.peers import models as peers

    m = given.load()
    if not m.nv:
        raise ArgumentError(f"{m.name} has no joint that moves, so there is nothing to time")
    names = peers.installed(peer)
    built = compile_times(m)
    runners = {OURS: _ours(m, batch), **_peers(m, names, batch)}
    times = best(runners, rounds)
    if json:
        table = {who: {what: seconds * 1e9 for what, seconds in by.items()} for who, by in times.items()}
        return output.document({"mechanism": m.name, "batch": batch, "nanoseconds": table, "compile_seconds": built})
    rows = []
    for name, single in [*((name, False) for name in FUNCTIONS), *((name, True) for name in FUNCTIONS)]:
        what = f"one {name}" if single else name
        cells = []
        for who, by in times.items():
            ratio = "" if who == OURS or what not in by else f"  {by[what] / times[OURS][what]:.3g}x"
            cells.append(f"{by[what] * 1e9:.4g} ns{ratio}" if what in by else "")
        rows.append((f"{name.replace('_', ' ')}, {'one state' if single else 'per state of a batch'}", *cells))
    output.plain(f"{m.name}, {m.nv} speeds: one thread, batches of {batch}, fastest of {rounds} rounds", "bold cyan")
    output.stdout().print(output.table(("", *times), rows, right=range(1, len(times) + 1), words=(0,)))
    compiled = ", ".join(f"{name.replace('_', ' ')} {seconds:.2f} s" for name, seconds in built.items())
    output.plain(f"\nCompile time without the cache: {compiled}")
    _, left = peers.plain(m)
    if left and len(times) > 1:
        output.plain(f"The models of the other programs leave out {', '.join(left)}.", "dim")
    if not names:
        output.plain(f"To time other programs as well: {peers.INSTALL}", "dim")
    return None


def _states(m: Mechanism, batch: int) -> tuple[Any, Any, Any]:
    import numpy as np

    rng = np.random.default_rng(0)
    some = np.array([m.random_configuration(rng) for _ in range(min(batch, 256))])
    q = np.ascontiguousarray(np.resize(some, (batch, m.nq)))
    qd, x = rng.normal(size=(2, batch, m.nv))
    return q, qd, x


def compile_times(m: Mechanism) -> dict[str, float]:
    """From a mechanism to a first result, nothing kept from before."""
    import lagrangian as lg
    from lagrangian.kernels.llvm.cache import VARIABLE

    q, qd, x = (a[0] for a in _states(m, 1))
    kept, found = os.environ.get(VARIABLE), {}
    os.environ[VARIABLE] = "off"
    try:
        for name in FUNCTIONS:
            start = time.perf_counter()
            getattr(lg.compile(m), name)(*((q,) if name == "mass_matrix" else (q, qd, x)))
            found[name] = time.perf_counter() - start
    finally:
        os.environ.pop(VARIABLE)
        if kept is not None:
            os.environ[VARIABLE] = kept
    return found


Runners = dict[str, tuple[Callable[[], object], int]]


def _ours(m: Mechanism, batch: int) -> Runners:
    import lagrangian as lg

    dyn = lg.compile(m, threads=1)
    q, qd, x = _states(m, batch)
    a, b, c = q[0].copy(), qd[0].copy(), x[0].copy()
    inverse, forward, mass = dyn.inverse_dynamics, dyn.forward_dynamics, dyn.mass_matrix
    return {
        "inverse_dynamics": (lambda: inverse(q, qd, x), batch),
        "forward_dynamics": (lambda: forward(q, qd, x), batch),
        "mass_matrix": (lambda: mass(q), batch),
        "one inverse_dynamics": (lambda: inverse(a, b, c), 1),
        "one forward_dynamics": (lambda: forward(a, b, c), 1),
        "one mass_matrix": (lambda: mass(a), 1),
    }


def _peers(m: Mechanism, names: list[str], batch: int) -> dict[str, Runners]:
    from lagrangian.cli.peers import models as peers

    bare, _ = peers.plain(m)
    found = {}
    for name in names:
        try:
            other = peers.peer(name, bare)
        except ArgumentError as error:
            output.warning(str(error))
            continue
        made = other.runners(*_states(bare, batch))
        if m.equations:  # their forward dynamics would be that of the open tree
            made = {what: run for what, run in made.items() if "forward" not in what}
        found[other.name] = made
    return found


def best(runners: dict[str, Runners], rounds: int, seconds: float = 0.01) -> dict[str, dict[str, float]]:
    """The shortest time of each for one state, all taking turns, so that what else the machine does falls on all."""
    calls = {}
    for who, by in runners.items():
        for what, (run, _) in by.items():
            run()
            start = time.perf_counter()
            run()
            calls[who, what] = max(1, int(seconds / 4 / max(time.perf_counter() - start, 1e-9)))
    found = {who: dict.fromkeys(by, float("inf")) for who, by in runners.items()}
    with bar("timing") as shown:
        for k in range(rounds):
            shown(k, rounds)
            for (who, what), n in calls.items():
                run, states = runners[who][what]
                start = time.perf_counter()
                for _ in range(n):
                    run()
                found[who][what] = min(found[who][what], (time.perf_counter() - start) / n / states)
    return found
