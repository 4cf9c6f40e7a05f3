"""Simulation against CasADi + CVODES, heyoka and Pinocchio + SciPy: in one process, interleaved, best of many, at equal accuracy.

    python benchmarks/motion.py                  # all problems
    python benchmarks/motion.py --only four_bar  # one of them
    python benchmarks/motion.py --target 1e-8    # another accuracy

Everybody computes 1001 rows over 10 s from a solver that was made before, as CasADi's integrator objects are; each at the
loosest tolerance that brings all its rows within the target of a reference. Ours has its torques as expressions of a
description, and watches an event. What `lagrangian.simulate` takes in all, with its checks, is compared with its solver, once
more interleaved; forces, energies and work it computes when they are asked for.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable

import numpy as np

import lagrangian as lg
import motion_peers as peers
from lagrangian.motion.events import checked
from lagrangian.motion.run.run import Run
from lagrangian.motion.settings import Settings, method_of
from lagrangian.motion.solver.stepper import KEPT, Stepper
from lagrangian.motion.torque import source

OURS = "lagrangian"


class Ours:
    """A prepared solver: called with tolerances, it gives rows."""

    def __init__(self, problem: peers.Problem, method: str) -> None:
        mechanism = problem.mechanism
        name = mechanism.coordinate_names[0]
        events = [lg.Event(f"{name} - 0.1")]
        watched, driven = checked(events, mechanism), source(problem.torques, mechanism)
        self.start = problem.start
        self.run = Run(lg.compile(mechanism), driven, watched, Settings(method_of(method)), 0.0, self.start, peers.TIMES)

    def __call__(self, rtol: float, atol: float, keep: int = 0) -> np.ndarray:
        """`keep` is how many numbers of the steps' interpolants are kept: none where rows alone are wanted, as of the peers."""
        u, kinds = self.run.supply.u, [(0, 0)]
        self.stepper = Stepper(self.run.solver, 0.0, self.start, u, peers.TIMES, rtol, atol, kinds=kinds, keep=keep)
        self.stepper.to(float(peers.TIMES[-1]))
        return self.stepper.rows

    def states_at_steps(self) -> np.ndarray:
        self.stepper.close()
        return self.stepper.segments[0].steps[:, 2:]


def interleaved_times(runs: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The shortest time of each: they take turns of some milliseconds."""
    best_times = dict.fromkeys(runs, float("inf"))
    for run in runs.values():
        run()
    end = time.perf_counter() + seconds * len(runs)
    while time.perf_counter() < end:
        for name, run in runs.items():
            turn = time.perf_counter() + 0.01
            while True:
                start = time.perf_counter()
                run()
                stop = time.perf_counter()
                best_times[name] = min(best_times[name], stop - start)
                if stop > turn:
                    break
    return best_times


def compare(problem: peers.Problem, target: float, seconds: float) -> None:
    stiff = problem.name == "governor"
    ours = Ours(problem, "rodas5p" if stiff else "dop853")
    everybody = {OURS: ours, **problem.peers}
    rtol = {name: peers.loosest(problem, run, target) for name, run in everybody.items()}
    runs = {name: (lambda run=run, r=rtol[name]: run(r, r / 100)) for name, run in everybody.items() if rtol[name] is not None}
    times = interleaved_times(runs, seconds)
    print(f"\n{problem.name}: rows within {target:g} of the reference")
    for name, run in runs.items():
        rows = run()
        ratio = "" if name == OURS else f"{times[name] / times[OURS]:8.1f}x"
        drift = "" if problem.eta is None else f"  drift {problem.drift(rows):.1e}"
        print(
            f"  {name:<28} {times[name] * 1e3:9.3f} ms {ratio:>10}   rtol {rtol[name]:.1e} error {problem.error(rows):.1e}{drift}"
        )
    if problem.eta is not None:
        ours(rtol[OURS], rtol[OURS] / 100)
        print(f"  {OURS}: drift at the steps {problem.drift(ours.states_at_steps()):.1e}")
    r = float(rtol[OURS])
    q0, qd0 = np.split(problem.start, 2)

    def whole() -> lg.Motion:
        method = "rodas5p" if stiff else "dop853"
        span = (0.0, float(peers.TIMES[-1]))
        return lg.simulate(problem.mechanism, span, q0, qd0, problem.torques, method=method, rtol=r, atol=r / 100)

    def alone() -> object:
        return ours(r, r / 100, keep=KEPT)  # as `simulate` does

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = interleaved_times({"solver": alone, "simulate": whole, "with rows": lambda: whole().q}, seconds)
    for what, name in (("lagrangian.simulate in all", "simulate"), ("and its rows q, qd", "with rows")):
        print(f"  {what:<28} {result[name] * 1e3:9.3f} ms {result[name] / result['solver']:8.1f}x its solver")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=tuple(peers.problems()), default=None)
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each of the compared")
    parser.add_argument("--target", type=float, default=1e-6, help="the error to reach")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core, so that nothing moves between them
    for name, make in peers.problems().items():
        if options.only in (None, name):
            problem = make()
            peers.check(problem)
            compare(problem, options.target, options.seconds)


if __name__ == "__main__":
    main()
