"""Wrenches from outside along a motion: those that `simulate` takes, for many states at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.expression import features, functions, switching
from lagrangian.model.expression.arrays import Times
from lagrangian.motion import torque, wrench


class Outside:
    """`outside(t, q, qd)` gives the wrench on every frame that has one, (n, 6) each."""

    def __init__(self, dyn: Dynamics, wrenches: wrench.WrenchesLike) -> None:
        self.mechanism = dyn.mechanism
        self.given = wrench.checked(wrenches, self.mechanism)

    def breaks(self, start: float, end: float) -> tuple[float, ...]:
        """Times at which functions say they jump, and at which expressions of time do, have kinks, or are pulses."""
        said = [float(t) for w in self.given for t in getattr(w.called, "breaks", ())]
        entries = [x for w in self.given for x in w.entries]
        try:
            jumps = switching.of_time(entries, start, end)
            said += [*jumps, *features.of_time(entries, start, end, jumps)]
        except switching.TooMany:  # what changes that often is resolved by no quadrature
            pass
        return tuple(switching.distinct(said, start, end))

    def __call__(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        names: dict[str, Any] = {"t": Times.of(t)}
        if self.given:
            names |= {n: Times.of(q[:, k]) for k, n in enumerate(self.mechanism.coordinate_names)}
            names |= {f"qd_{n}": Times.of(qd[:, k]) for k, n in enumerate(self.mechanism.speed_names)}
        return {w.frame.name: _evaluated(w, names) if w.called is None else _asked(w, t, q, qd) for w in self.given}


def _evaluated(of: wrench.Wrench, names: Mapping[str, Any]) -> np.ndarray:
    t = names["t"]
    with np.errstate(all="ignore"):  # what is not finite is said below
        columns = [np.broadcast_to(np.asarray(functions.evaluate(e, names), dtype=float), t.shape) for e in of.entries]
    found = np.array(columns).T.copy()
    bad = ~np.isfinite(found)
    if bad.any():
        row, entry = np.argwhere(bad)[0]
        raise ArgumentError(f"wrench on {of.frame.name!r}: {wrench.ENTRIES[entry]} is not finite at t = {t[row]:g} s")
    return found


def _asked(of: wrench.Wrench, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """What a Python function gives, state by state."""
    assert of.called is not None
    what = f"the function of the wrench on {of.frame.name!r}"
    rows = np.zeros((len(t), 6))
    for k, when in enumerate(t):
        try:
            found = of.called(float(when), q[k].copy(), qd[k].copy())
        except Exception as error:
            raise ArgumentError(f"{what} failed at t = {when:g} s: {type(error).__name__}: {error}") from error
        rows[k] = torque.checked(found, 6, float(when), what, ArgumentError)
    return rows
