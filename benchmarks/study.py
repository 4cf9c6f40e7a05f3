"""Many motions against heyoka.py's batch mode and a loop over Pinocchio and SciPy; single motions against heyoka.py.

    python benchmarks/study.py                    # all parts
    python benchmarks/study.py --only batch       # 10,000 motions of the 2R from other starts, one core
    python benchmarks/study.py --only four_bar    # 10,000 four-bars with other lengths and springs, one core
    python benchmarks/study.py --only million     # a million 2R with other parameters, two cores
    python benchmarks/study.py --only single      # one 2R with 1001 rows

Everybody in one process, taking turns, best of many, as ratios; each at the loosest tolerance that brings its error within the
target. heyoka gets the closed form that `lagrangian.derive` finds, and integrates it by Taylor's method, compiled; its batch mode
has as many motions to a vector as it recommends. Errors are measured against our order-9 method at rtol 1e-13. Code is compiled
before the time is taken; all else that `lagrangian.simulate` does is in its time.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from collections.abc import Callable

import heyoka as hy
import numpy as np

import lagrangian as lg
import motion_peers as peers
from heyoka_peer import Many, Single, equations
from lagrangian.motion.run.run import Run
from lagrangian.motion.settings import Settings, method_of
from lagrangian.motion.solver.stepper import Stepper
from lagrangian.motion.torque import source

MOTIONS, END = 10_000, 10.0
TIMES = np.linspace(0.0, END, 1001)
TOLERANCES = 10.0 ** -np.arange(4.0, 14.01, 0.0625)


def interleaved_times(runs: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The shortest CPU time of each, taking turns: others may use the machine."""
    best_times = dict.fromkeys(runs, float("inf"))
    end = time.perf_counter() + seconds * len(runs)
    while time.perf_counter() < end:
        for name, run in runs.items():
            start = time.process_time()
            run()
            best_times[name] = min(best_times[name], time.process_time() - start)
    return best_times


def loosest(error: Callable[[float], float], target: float) -> float:
    """The largest tolerance with which the error is within the target, as with all tighter ones that were looked at."""
    for k, rtol in enumerate(TOLERANCES):
        if error(rtol) <= target and error(TOLERANCES[min(k + 1, len(TOLERANCES) - 1)]) <= target:
            return float(rtol)
    return float("nan")


# ---- one motion ------------------------------------------------------------------------------------------------------


class Ours:
    """A solver of the 2R that was made before."""

    def __init__(self, mechanism: lg.Mechanism, start: np.ndarray, method: str) -> None:
        self.start = start
        settings = Settings(method_of(method))
        self.run = Run(lg.compile(mechanism), source(0, mechanism), [], settings, 0.0, start, TIMES)

    def __call__(self, rtol: float) -> np.ndarray:
        stepper = Stepper(self.run.solver, 0.0, self.start, self.run.supply.u, TIMES, rtol, rtol / 100, keep=0)
        stepper.to(END)
        return stepper.rows


def single(seconds: float) -> None:
    mechanism = lg.library("two_r")
    start = np.array([-np.pi / 2, np.pi / 4, 0.0, 0.0])
    reference = Ours(mechanism, start, "verner9")(1e-14)
    everybody: dict[str, Callable[[float], np.ndarray]] = {
        "dop853": Ours(mechanism, start, "dop853"),
        "verner9": Ours(mechanism, start, "verner9"),
        "heyoka": Single(equations(mechanism), start, TIMES),
    }
    print(f"one 2R over {END:g} s with {len(TIMES)} rows")
    for target in (1e-6, 1e-9, 1e-11):
        rtol = {
            name: loosest(lambda r, run=run: float(np.abs(run(r) - reference).max()), target) for name, run in everybody.items()
        }
        runs = {name: (lambda run=run, r=rtol[name]: run(r)) for name, run in everybody.items() if np.isfinite(rtol[name])}
        times = interleaved_times(runs, seconds)
        for name in runs:
            ratio = f"{times['heyoka'] / times[name]:6.2f}x heyoka's speed" if name != "heyoka" else ""
            print(f"  error {target:g}: {name:<8} {times[name] * 1e3:7.3f} ms at rtol {rtol[name]:.1e} {ratio}", flush=True)


# ---- many ------------------------------------------------------------------------------------------------------------


def starts(count: int, spread: float = 0.8) -> np.ndarray:
    """At rest around hanging down, where the motion is regular: errors of chaotic ones say nothing of a method."""
    rng = np.random.default_rng(0)
    return np.hstack([np.array([-np.pi / 2, 0.0]) + rng.uniform(-spread, spread, (count, 2)), np.zeros((count, 2))])


def batch(seconds: float) -> None:
    mechanism, y = lg.library("two_r"), starts(MOTIONS)
    few = y[:800]

    def ours(states: np.ndarray, rtol: float, method: str = "dop853") -> np.ndarray:
        motion = lg.simulate(
            *(mechanism, END), q0=states[:, :2], qd0=states[:, 2:], method=method, rtol=rtol, atol=rtol / 100, threads=1
        )
        return np.hstack([motion.q_end, motion.qd_end])

    reference = ours(few, 1e-13, "verner9")
    heyoka = Many(equations(mechanism), END, hy.recommended_simd_size())
    for what, part in (("99 % of the motions", 0.99), ("every motion", 1.0)):

        def error(run: Callable[[np.ndarray, float], np.ndarray], rtol: float, part: float = part) -> float:
            return float(np.quantile(np.abs(run(few, rtol) - reference).max(axis=1), part))

        everybody: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
            "lagrangian": ours,
            "lagrangian, verner9": lambda s, r: ours(s, r, "verner9"),
            "heyoka, batch": heyoka,
        }
        rtol = {name: loosest(lambda r, run=run: error(run, r), 1e-6) for name, run in everybody.items()}
        times = interleaved_times({name: (lambda run=run, r=rtol[name]: run(y, r)) for name, run in everybody.items()}, seconds)
        print(f"{MOTIONS} motions of the 2R over {END:g} s, one core, {what} within 1e-6")
        for name, spent in times.items():
            ratio = f"{times['heyoka, batch'] / spent:6.2f}x" if "heyoka" not in name else ""
            print(f"  {name:<20} {spent:7.3f} s, {spent / MOTIONS * 1e6:6.2f} us a motion, at rtol {rtol[name]:.1e} {ratio}")
    pinocchio_loop("two_r", times["lagrangian"])


def pinocchio_loop(problem: str, ours: float) -> None:
    """How long as many motions take one at a time, from that of one: SciPy's steps are in Python."""
    known = peers.problems()[problem]()
    for name, run in known.peers.items():
        if "Pinocchio" in name:
            rtol = peers.loosest(known, run)
            if rtol is not None:
                each = interleaved_times({name: lambda run=run, r=rtol: run(r, r / 100)}, 2.0)[name]
                print(f"  {name:<20} {each * MOTIONS:7.1f} s from one motion, {each * MOTIONS / ours:6.0f}x", flush=True)


def identical() -> None:
    """The same bits as one at a time."""
    mechanism, y = lg.library("two_r"), starts(50)
    motion = lg.simulate(mechanism, END, q0=y[:, :2])
    for i in range(len(y)):
        alone = lg.simulate(mechanism, END, q0=y[i, :2]).trajectory
        assert alone is not None
        assert np.array_equal(alone.y, [*motion.q_end[i], *motion.qd_end[i]])
    print("  bit for bit what 50 of them are one at a time")


def four_bar(seconds: float) -> None:
    """A spring at the crank, three lengths, and nothing that takes energy: the ends tell the error."""
    mechanism = lg.library("four_bar").with_parameters({"theta1.spring.stiffness": 2.0, "theta1.spring.rest": 0.3})
    rng = np.random.default_rng(0)
    names = ("l1", "l2", "l3")
    varied = {name: float(mechanism.parameters[name]) * rng.uniform(0.95, 1.05, MOTIONS) for name in names}
    varied["theta1.spring.stiffness"] = rng.uniform(1.0, 4.0, MOTIONS)

    def run(count: int = MOTIONS, rtol: float = 1e-7, method: str = "dop853") -> lg.Motions:
        some = {name: x[:count] for name, x in varied.items()}
        options = {"method": method, "rtol": rtol, "atol": rtol / 100, "threads": 1}
        return lg.simulate(mechanism, END, torque=0, parameters=some, **options)

    few = 200
    reference = run(few, 1e-12, "verner9").q_end
    rtol = loosest(lambda r: float(np.quantile(np.abs(run(few, r).q_end - reference).max(axis=1), 0.99)), 1e-6)
    spent = interleaved_times({"ours": lambda: run(MOTIONS, rtol)}, seconds)["ours"]
    print(f"{MOTIONS} four-bars over {END:g} s, lengths and springs of each its own, one core, 99 % within 1e-6")
    print(f"  lagrangian           {spent:7.3f} s, {spent / MOTIONS * 1e6:6.2f} us a motion, at rtol {rtol:.1e}")
    result = run(MOTIONS, rtol)
    alone = result.motion(17).trajectory
    assert alone is not None
    assert np.array_equal(alone.y[:3], result.q_end[17])
    pinocchio_loop("four_bar", spent)


def million() -> None:
    count, rng, mechanism = 1_000_000, np.random.default_rng(0), lg.library("two_r")
    varied = {name: float(mechanism.parameters[name]) * rng.uniform(0.9, 1.1, count) for name in ("l1", "m2", "r2", "I1")}
    some = {name: x[:100] for name, x in varied.items()}
    lg.simulate(mechanism, END, parameters=some, rtol=1e-7, atol=1e-9)
    start = time.perf_counter()
    motion = lg.simulate(mechanism, END, parameters=varied, rtol=1e-7, atol=1e-9, threads=2)
    statistics = motion.statistics()
    spent = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{count} motions of the 2R over {END:g} s, four parameters of each its own, two threads: {spent:.1f} s, {memory:.2f} GB"
    )
    print(f"  mean of theta1 at the end {statistics['mean'][0]:.6f}, standard deviation {statistics['std'][0]:.6f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("single", "batch", "four_bar", "million"), default=None)
    parser.add_argument("--seconds", type=float, default=4.0, help="time for each of the compared")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.only in (None, "million"):
        million()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core from here on
    if options.only in (None, "single"):
        single(options.seconds)
    if options.only in (None, "batch"):
        batch(options.seconds)
        identical()
    if options.only in (None, "four_bar"):
        four_bar(options.seconds)


if __name__ == "__main__":
    main()
