"""What is worse than the tolerances of a run promise: its energy balance, and the drift of its constraints.

The balance over all rows takes as long as the run itself, or longer. So it is estimated first, by compiled code at few places in
every step, and found exactly where the estimate comes near what is promised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.solver import balance

# the part of what is promised from which an estimate is not enough: between its places errors may be a few times as large
NEAR = 0.1


def promised(rtol: float, steps: int) -> float:
    """The error, as a part of what is moved, that a run may have."""
    return max(100, steps) * rtol


def unbalance(off: float, kinetic: float, potential: float, scale: float) -> float:
    """By what part of the energy moved the balance is off, from the largest amounts of all; NaN if one of them is."""
    # of a motion that hardly moves, the stored energy is the measure
    return float(np.maximum(0.0, off - 1e-10 * (kinetic + potential))) / scale


@dataclass(frozen=True)
class Estimate:
    """By what part of the energy moved the balance is off, and the largest violation of a constraint; NaN if it is not known."""

    unbalance: float
    drift: float

    def surely_within(self, promised: float) -> tuple[bool, bool]:
        """Of the balance, and of the drift."""
        return self.unbalance <= NEAR * promised, self.drift <= NEAR * promised


UNKNOWN = Estimate(np.nan, np.nan)


def estimated(trajectory: Trajectory) -> Estimate:
    """From few places in every step, without moving states onto the constraints."""
    if not all(segment.solver.balances for segment in trajectory.segments):
        return UNKNOWN
    if not trajectory.segments:
        return Estimate(0.0, 0.0)
    totals = balance.no_totals()
    impacts = list(trajectory.impacts)
    for segment in trajectory.segments:
        while impacts and impacts[0][0] <= segment.start:
            totals[balance.WORK] += impacts.pop(0)[1]
        segment.solver.balance(segment, totals, trajectory.settings.rtol, trajectory.settings.atol)
    _, _, off, kinetic, highest, lowest, done, drift = totals.tolist()
    scale = max(kinetic, highest - lowest, done, 1e-300)
    return Estimate(unbalance(off, kinetic, max(abs(highest), abs(lowest)), scale), drift)
