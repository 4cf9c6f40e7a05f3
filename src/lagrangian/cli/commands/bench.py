"""`lagrangian bench`: the time that the compiled functions take, and those of Pinocchio and MuJoCo, in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lagrangian.cli import output
from lagrangian.cli.command import JsonOption
from lagrangian.cli.commands.compare import PeerOption
from lagrangian.cli.mechanism_options import MechanismArgument
from lagrangian.cli.output import progress_bar
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

BENCH_EXAMPLES = "lagrangian bench panda --batch 4096"
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
OWN_NAME = "lagrangian"
Runners = dict[str, tuple[Callable[[], object], int]]  # calls by the names of functions, with the number of states of a call


def bench(
    argument: MechanismArgument,
    peer: PeerOption = None,
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", min=1, max=10_000_000, help="The number of states in a batch.")
    ] = 4096,
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", min=1, max=10_000, help="The number of rounds; the command prints the fastest."),
    ] = 20,
    json: JsonOption = False,
) -> None:
    """Time the compiled functions, and those of Pinocchio and MuJoCo.

    The functions run on one thread, for one state and for a batch of states. The installed programs run in turn.
    """
    from lagrangian.peers import models as peers

    m = argument.load()
    if not m.nv:
        raise ArgumentError(f"{m.name} has no joint that moves, so there is nothing to time")
    names = peers.installed_peers(peer)
    compile_seconds = compile_times(m)
    runners = {OWN_NAME: _own_runners(m, batch), **_peer_runners(m, names, batch)}
    times = fastest_times(runners, rounds)
    if json:
        table = {
            program: {function: seconds * 1e9 for function, seconds in seconds_by_function.items()}
            for program, seconds_by_function in times.items()
        }
        return output.print_json({"mechanism": m.name, "batch": batch, "nanoseconds": table, "compile_seconds": compile_seconds})
    rows = []
    for name, one_state in [*((name, False) for name in FUNCTIONS), *((name, True) for name in FUNCTIONS)]:
        function = f"one {name}" if one_state else name
        cells = []
        for program, seconds_by_function in times.items():
            ratio = (
                ""
                if program == OWN_NAME or function not in seconds_by_function
                else f"  {seconds_by_function[function] / times[OWN_NAME][function]:.3g}x"
            )
            cells.append(f"{seconds_by_function[function] * 1e9:.4g} ns{ratio}" if function in seconds_by_function else "")
        rows.append((f"{name.replace('_', ' ')}, {'one state' if one_state else 'per state of a batch'}", *cells))
    output.print_text(f"{m.name}, {m.nv} speeds: one thread, batches of {batch}, fastest of {rounds} rounds", "bold cyan")
    output.stdout().print(output.table(("", *times), rows, right_aligned=range(1, len(times) + 1), wrapped=(0,)))
    compiled = ", ".join(f"{name.replace('_', ' ')} {seconds:.2f} s" for name, seconds in compile_seconds.items())
    output.print_text(f"\nCompile time without the cache: {compiled}")
    _, left_out = peers.plain_mechanism(m)
    if left_out and len(times) > 1:
        output.print_text(f"The models of the other programs leave out {', '.join(left_out)}.", "dim")
    if not names:
        output.print_text(f"To time other programs as well: {peers.INSTALL_COMMAND}", "dim")
    return None


def compile_times(m: Mechanism) -> dict[str, float]:
    """The time from a mechanism to the first result of each function, in seconds, without the cache."""
    import lagrangian as lg
    from lagrangian.kernels.llvm.object_cache import VARIABLE

    q, qd, x = (a[0] for a in _random_states(m, 1))
    previous, seconds = os.environ.get(VARIABLE), {}
    os.environ[VARIABLE] = "off"
    try:
        for name in FUNCTIONS:
            start = time.perf_counter()
            getattr(lg.compile(m), name)(*((q,) if name == "mass_matrix" else (q, qd, x)))
            seconds[name] = time.perf_counter() - start
    finally:
        os.environ.pop(VARIABLE)
        if previous is not None:
            os.environ[VARIABLE] = previous
    return seconds


def fastest_times(runners: dict[str, Runners], rounds: int, seconds: float = 0.01) -> dict[str, dict[str, float]]:
    """The shortest time of each function for one state, in seconds.

    All functions take turns, so that other work of the machine delays them alike.
    """
    call_counts = {}
    for program, functions in runners.items():
        for function, (run, _) in functions.items():
            run()
            start = time.perf_counter()
            run()
            call_counts[program, function] = max(1, int(seconds / 4 / max(time.perf_counter() - start, 1e-9)))
    fastest = {program: dict.fromkeys(functions, float("inf")) for program, functions in runners.items()}
    with progress_bar("timing") as progress:
        for round_index in range(rounds):
            progress(round_index, rounds)
            for (program, function), call_count in call_counts.items():
                run, state_count = runners[program][function]
                start = time.perf_counter()
                for _ in range(call_count):
                    run()
                fastest[program][function] = min(
                    fastest[program][function], (time.perf_counter() - start) / call_count / state_count
                )
    return fastest


def _own_runners(m: Mechanism, batch: int) -> Runners:
    """The compiled functions, for a batch and for one state."""
    import lagrangian as lg

    dyn = lg.compile(m, threads=1)
    q, qd, x = _random_states(m, batch)
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


def _peer_runners(m: Mechanism, names: list[str], batch: int) -> dict[str, Runners]:
    """The functions of other programs; a program that cannot build the model is left out with a warning."""
    from lagrangian.peers import models as peers

    bare, _ = peers.plain_mechanism(m)
    runners = {}
    for name in names:
        try:
            peer = peers.build_peer_model(name, bare)
        except ArgumentError as error:
            output.print_warning(str(error))
            continue
        functions = peer.runners(*_random_states(bare, batch))
        if m.equation_count:  # the forward dynamics of other programs would be that of the open tree
            functions = {function: run for function, run in functions.items() if "forward" not in function}
        runners[peer.name] = functions
    return runners


def _random_states(m: Mechanism, batch: int) -> tuple[Any, Any, Any]:
    """Configurations, speeds, and accelerations or torques of a batch."""
    import numpy as np

    rng = np.random.default_rng(0)
    configurations = np.array([m.random_configuration(rng) for _ in range(min(batch, 256))])
    q = np.ascontiguousarray(np.resize(configurations, (batch, m.nq)))
    qd, x = rng.normal(size=(2, batch, m.nv))
    return q, qd, x
