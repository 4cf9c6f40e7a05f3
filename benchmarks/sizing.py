"""Sizing the actuators of a 7-joint arm for a task of 1000 rows, with the whole shipped catalogue and all standard gears.

    python benchmarks/sizing.py

Cold: kernels compiled in an empty cache. Then again in the same process.
"""

from __future__ import annotations

import os
import tempfile
import time

os.environ["LAGRANGIAN_CACHE"] = tempfile.mkdtemp()

from types import SimpleNamespace

import numpy as np

import lagrangian as lg
from lagrangian.sizing.gears import STANDARD_GEARS


def task(arm: lg.Mechanism, rows: int, seconds: float = 2.0) -> SimpleNamespace:
    """All joints along a quintic, from rest to rest."""
    t = np.linspace(0, seconds, rows)
    s, way = t / seconds, 0.8 * np.cos(np.arange(arm.nv))
    q = np.outer(10 * s**3 - 15 * s**4 + 6 * s**5, way) + np.linspace(0.2, 0.5, arm.nv)
    qd = np.outer(30 * s**2 - 60 * s**3 + 30 * s**4, way) / seconds
    qdd = np.outer(60 * s - 180 * s**2 + 120 * s**3, way) / seconds**2
    return SimpleNamespace(t=t, q=q, qd=qd, qdd=qdd, tau=lg.compile(arm).inverse_dynamics(q, qd, qdd))


def main() -> None:
    for name, rows in (("panda", 1000), ("puma560", 1000), ("panda", 100_000)):
        arm = lg.library(name)
        motion = task(arm, rows)
        times, used = [], []
        for _ in range(4):
            start, cpu = time.perf_counter(), time.process_time()
            sizing = lg.size_actuators(arm, motion, dwell=0.5)
            times.append(time.perf_counter() - start)
            used.append(time.process_time() - cpu)
        tried = len(lg.read_catalogue()) * len(STANDARD_GEARS)
        what = f"{name}: {arm.nv} joints, {rows} rows, {tried} motor-gear pairs a joint"
        cold = f"{times[0]:.2f} s cold ({used[0]:.2f} s of a processor)"
        print(f"{what}: {cold}, {min(times[1:]):.2f} s again ({min(used[1:]):.2f}); fits: {sizing.fits}")


if __name__ == "__main__":
    main()
