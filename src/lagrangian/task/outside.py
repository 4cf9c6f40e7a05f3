"""Wrenches from outside along a motion: numbers, or expressions of time and state, for many states at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.store import checked
from lagrangian.model import functions
from lagrangian.motion.torque import expression
from lagrangian.task.formulas import Times

ENTRIES = ("mx", "my", "mz", "fx", "fy", "fz")


class Outside:
    """`outside(t, q, qd)` gives the wrench on every frame that has one, (n, 6) each."""

    def __init__(self, dyn: Dynamics, wrenches: Mapping[str, Any] | None) -> None:
        self.mechanism = dyn.mechanism
        self.given: dict[str, list[Any]] = {}
        for frame, wrench in checked(wrenches).items():
            self.mechanism.frame(frame)
            try:
                entries = list(wrench)
            except TypeError:
                entries = []
            if len(entries) != 6 or isinstance(wrench, str):
                raise ArgumentError(f"the wrench on {frame!r} is {shown(wrench)}; six entries are needed: moment, then force")
            named = zip(entries, ENTRIES, strict=True)
            self.given[frame] = [expression(x, self.mechanism, f"the wrench on {frame!r}: {name}") for x, name in named]

    def __call__(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        if not self.given:
            return {}
        names: dict[str, Any] = {"t": Times.of(t)}
        names |= {n: Times.of(q[:, k]) for k, n in enumerate(self.mechanism.coordinate_names)}
        names |= {f"qd_{n}": Times.of(qd[:, k]) for k, n in enumerate(self.mechanism.speed_names)}
        found = {}
        for frame, entries in self.given.items():
            with np.errstate(all="ignore"):  # what is not finite is said below
                columns = [np.broadcast_to(np.asarray(functions.evaluate(e, names), dtype=float), t.shape) for e in entries]
            found[frame] = np.array(columns).T.copy()
            bad = ~np.isfinite(found[frame])
            if bad.any():
                row, entry = np.argwhere(bad)[0]
                raise ArgumentError(f"the wrench on {frame!r}: {ENTRIES[entry]} is not finite at t = {t[row]:g} s")
        return found
