"""What other numbers cost: compilations, counted, and the time of a changed run beside that of the first one.

    python benchmarks/parameters.py [mechanism ...]
    python benchmarks/parameters.py --beside ../other/src    # whole runs, beside those of another version of the package

For every named parameter of a mechanism (or, where there are none, for masses and lengths by their paths) it is changed by a
thousandth and run. The first run of a mechanism compiles; `again` is the same run once more; `changed` is a run with another
value, from the mechanism that is given to the motion that comes out, best of all parameters. `off` is the largest difference from
a mechanism that was written with that number.

`--beside` compares the CPU time of `lagrangian.simulate` with that of other sources, as of an earlier commit in a worktree: each
in processes of its own, taking turns, best of many. Of both it tells the whole, what of it the time loop takes, and the steps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

if "--whole-runs" not in sys.argv:
    os.environ["LAGRANGIAN_CACHE"] = tempfile.mkdtemp()  # nothing is there yet

import numpy as np

import lagrangian as lg

NAMES = ("two_r", "four_bar", "puma560", "stewart", "andrews_squeezer", "bicycle")
compiled = 0


def count_compilations() -> None:
    """Count in `compiled` what is compiled from now on. Whole runs, which may be those of another version, do not need it."""
    from lagrangian.kernels.llvm import object_cache

    original = object_cache.load_or_store

    def count_and_load(name, make):
        global compiled
        compiled += 1
        return original(name, make)

    object_cache.load_or_store = count_and_load


def numbers(mechanism: lg.Mechanism) -> dict[str, float]:
    if mechanism.parameters:
        return {name: float(x) for name, x in mechanism.parameters.items()}
    results = {f"{body.name}.mass": float(body.mass) for body in mechanism.bodies}
    for joint in mechanism.joints:
        results |= {
            f"{joint.name}.placement.position.{c}": float(x) for c, x in zip("xyz", joint.placement.position, strict=True)
        }
    return {name: x for name, x in results.items() if x}


def time_call(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def written_with(name: str, parameter: str, value: float) -> lg.Mechanism:
    if parameter in lg.library(name).parameters:
        return lg.library(name, parameters={parameter: value})
    return lg.loads(lg.dumps(lg.library(name).with_parameters({parameter: value})))


def end_of(mechanism: lg.Mechanism, span: float) -> np.ndarray:
    motion = lg.simulate(mechanism, span)
    return np.concatenate([motion.q[-1], motion.qd[-1]])


def row_of(name: str) -> str:
    mechanism = lg.library(name)
    span = 0.03 if name == "andrews_squeezer" else 0.5
    first, _ = time_call(lambda: end_of(mechanism, span))
    again = min(time_call(lambda: end_of(mechanism, span))[0] for _ in range(20))
    before, off, refused, best, tried = compiled, 0.0, 0, np.inf, 0
    for parameter, value in numbers(mechanism).items():
        other = value * 1.001 if value else 1e-3
        try:
            expected = end_of(written_with(name, parameter, other), span)
            cost, result = time_call(lambda p=parameter, x=other: end_of(mechanism.with_parameters({p: x}), span))
        except lg.LagrangianError:  # what the mechanism cannot be
            refused += 1
            continue
        best, tried = min(best, cost), tried + 1
        off = max(off, float(np.abs(result - expected).max()))
    times = "".join(f"{1e3 * x:12.2f}" for x in (first, again, best))
    return f"{name:18}{times}{tried:12}{refused:9}{compiled - before:10}{off:8.0e}"


# ---- beside another version ------------------------------------------------------------------------------------------

SPANS = {"two_r": 10.0, "four_bar": 5.0, "puma560": 1.0, "stewart": 2.0}
SECONDS, TURNS = 1.5, 5  # for a mechanism in one process; processes of each version


def whole_runs(name: str) -> tuple[float, float, int]:
    """The shortest CPU times of a run and of its time loop, in microseconds, and the steps that it tries."""
    from lagrangian.motion.solver.stepper import Stepper

    loop, to = [0.0], Stepper.to

    def timed_to(self, *arguments):
        start = time.process_time()
        status = to(self, *arguments)
        loop[0] += time.process_time() - start
        return status

    Stepper.to = timed_to
    dyn, span = lg.compile(lg.library(name)), SPANS.get(name, 1.0)
    statistics = lg.simulate(dyn, span).statistics
    best, end = [np.inf, np.inf], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        loop[0], start = 0.0, time.process_time()
        lg.simulate(dyn, span)
        best = [min(a, 1e6 * b) for a, b in zip(best, (time.process_time() - start, loop[0]), strict=True)]
    Stepper.to = to
    return best[0], best[1], statistics["accepted"] + statistics["rejected"]


def compare(other: str, names: list[str]) -> None:
    """Runs of these sources beside those of others, in turns."""
    sources = {"other": other, "now": str(Path(lg.__file__).parents[1])}
    best: dict[tuple[str, str], list[float]] = {}
    for _ in range(TURNS):
        for which, path in sources.items():
            environment = {**os.environ, "PYTHONPATH": path, "LAGRANGIAN_CACHE": f"{os.environ['LAGRANGIAN_CACHE']}-{which}"}
            asked = [sys.executable, __file__, "--whole-runs", *names]
            times = json.loads(subprocess.run(asked, env=environment, capture_output=True, text=True, check=True).stdout)
            for name, x in times.items():
                best[which, name] = [min(a, b) for a, b in zip(best.get((which, name), x), x, strict=True)]
    print(f"{'':14}{'run, us: other':>16}{'now':>8}{'ratio':>8}{'loop: other':>14}{'now':>8}{'steps: other':>15}{'now':>6}")
    for name in names:
        a, b = best["other", name], best["now", name]
        print(f"{name:14}{a[0]:16.0f}{b[0]:8.0f}{b[0] / a[0]:8.3f}{a[1]:14.0f}{b[1]:8.0f}{a[2]:15.0f}{b[2]:6.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mechanisms", nargs="*")
    parser.add_argument("--beside", metavar="SOURCES", help="the `src` folder of another version")
    parser.add_argument("--whole-runs", action="store_true", help="what --beside asks its processes for")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.beside:
        compare(options.beside, options.mechanisms or list(SPANS))
        return
    if options.whole_runs:
        print(json.dumps({name: whole_runs(name) for name in options.mechanisms}))
        return
    count_compilations()
    print(f"{'':18}{'first, ms':>12}{'again, ms':>12}{'changed, ms':>12}  parameters  refused  compiled     off")
    for name in options.mechanisms or NAMES:
        print(row_of(name), flush=True)


if __name__ == "__main__":
    main()
