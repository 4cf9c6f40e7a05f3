"""What other numbers cost: compilations, counted, and the time of a changed run beside that of the first one.

    python benchmarks/parameters.py [mechanism ...]

For every named parameter of a mechanism (or, where there are none, for masses and lengths by their paths) it is changed by a
thousandth and run. The first run of a mechanism compiles; `again` is the same run once more; `changed` is a run with another
value, from the mechanism that is given to the motion that comes out, best of all parameters. `off` is the largest difference from
a mechanism that was written with that number.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings

os.environ["LAGRANGIAN_CACHE"] = tempfile.mkdtemp()  # nothing is there yet

import numpy as np

import lagrangian as lg
from lagrangian.kernels.llvm import cache

NAMES = ("two_r", "four_bar", "puma560", "stewart", "andrews_squeezer", "bicycle")
compiled = 0


def counted(name, make, kept=cache.kept):
    global compiled
    compiled += 1
    return kept(name, make)


cache.kept = counted


def numbers(mechanism: lg.Mechanism) -> dict[str, float]:
    if mechanism.parameters:
        return {name: float(x) for name, x in mechanism.parameters.items()}
    found = {f"{body.name}.mass": float(body.mass) for body in mechanism.bodies}
    for joint in mechanism.joints:
        found |= {f"{joint.name}.placement.position.{c}": float(x) for c, x in zip("xyz", joint.placement.position, strict=True)}
    return {name: x for name, x in found.items() if x}


def timed(function):
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
    first, _ = timed(lambda: end_of(mechanism, span))
    again = min(timed(lambda: end_of(mechanism, span))[0] for _ in range(20))
    before, off, refused, best, tried = compiled, 0.0, 0, np.inf, 0
    for parameter, value in numbers(mechanism).items():
        other = value * 1.001 if value else 1e-3
        try:
            wanted = end_of(written_with(name, parameter, other), span)
            cost, found = timed(lambda p=parameter, x=other: end_of(mechanism.with_parameters({p: x}), span))
        except lg.LagrangianError:  # what the mechanism cannot be
            refused += 1
            continue
        best, tried = min(best, cost), tried + 1
        off = max(off, float(np.abs(found - wanted).max()))
    times = "".join(f"{1e3 * x:12.2f}" for x in (first, again, best))
    return f"{name:18}{times}{tried:12}{refused:9}{compiled - before:10}{off:8.0e}"


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"{'':18}{'first, ms':>12}{'again, ms':>12}{'changed, ms':>12}  parameters  refused  compiled     off")
    for name in sys.argv[1:] or NAMES:
        print(row_of(name), flush=True)


if __name__ == "__main__":
    main()
