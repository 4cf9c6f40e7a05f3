"""External wrenches along a motion, as `simulate` takes them, for many states at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.arguments import jump_times
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.expression import functions, pulses, switching_times
from lagrangian.model.expression.functions import TimeArray
from lagrangian.motion import torque, wrench


class ExternalWrenches:
    """The external wrenches: called with (t, q, qd), it returns the wrenches on each frame that has one, (n, 6)."""

    def __init__(self, dyn: Dynamics, wrenches: wrench.WrenchesLike) -> None:
        self.mechanism = dyn.mechanism
        self.wrenches = wrench.checked(wrenches, self.mechanism)

    def discontinuities(self, start: float, end: float) -> tuple[float, ...]:
        """Return the times at which functions say they jump, and at which expressions of time jump, have kinks or pulses."""
        times = [t for w in self.wrenches for t in jump_times(w.called, "wrenches")]
        entries = [x for w in self.wrenches for x in w.entries]
        try:
            jumps = switching_times.switching_times(entries, start, end)
            times += [*jumps, *pulses.pulse_times(entries, start, end, jumps)]
        except switching_times.TooManySwitches:  # no quadrature resolves what changes that often
            pass
        return tuple(switching_times.distinct_times(times, start, end))

    def __call__(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        names: dict[str, Any] = {"t": TimeArray.from_values(t)}
        if self.wrenches:
            names |= {n: TimeArray.from_values(q[:, k]) for k, n in enumerate(self.mechanism.coordinate_names)}
            names |= {f"qd_{n}": TimeArray.from_values(qd[:, k]) for k, n in enumerate(self.mechanism.speed_names)}
        return {
            w.frame.name: _evaluate_entries(w, names) if w.called is None else _call_function(w, t, q, qd) for w in self.wrenches
        }


def _evaluate_entries(frame_wrench: wrench.Wrench, names: Mapping[str, Any]) -> np.ndarray:
    t = names["t"]
    with np.errstate(all="ignore"):  # values that are not finite are an error below
        columns = [np.broadcast_to(np.asarray(functions.evaluate(e, names), dtype=float), t.shape) for e in frame_wrench.entries]
    values = np.array(columns).T.copy()
    not_finite = ~np.isfinite(values)
    if not_finite.any():
        row, entry = np.argwhere(not_finite)[0]
        raise ArgumentError(f"wrench on {frame_wrench.frame.name!r}: {wrench.ENTRIES[entry]} is not finite at t = {t[row]:g} s")
    return values


def _call_function(frame_wrench: wrench.Wrench, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Call a Python function state by state."""
    assert frame_wrench.called is not None
    label = f"the function of the wrench on {frame_wrench.frame.name!r}"
    rows = np.zeros((len(t), 6))
    for k, time in enumerate(t):
        try:
            value = frame_wrench.called(float(time), q[k].copy(), qd[k].copy())
        except Exception as error:
            raise ArgumentError(f"{label} failed at t = {time:g} s: {type(error).__name__}: {error}") from error
        rows[k] = torque.checked(value, 6, float(time), label, ArgumentError)
    return rows
