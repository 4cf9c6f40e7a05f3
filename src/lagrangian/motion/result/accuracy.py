"""What is worse than the tolerances of a run promise: its energy balance, and the drift of its constraints.

The balance over all rows takes as long as the run itself, or longer. So it is estimated first, by compiled code at few places in
every step, and found exactly where the estimate comes near what is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import ArgumentName
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.solver import balance

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

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
    moved: float = 0.0  # the most energy that was moved, as far as it is known

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
    impacts = sorted([*trajectory.impacts, *((when, change) for when, change, _ in trajectory.changes)])
    for segment in trajectory.segments:
        while impacts and impacts[0][0] <= segment.start:
            totals[balance.WORK] += impacts.pop(0)[1]
        segment.solver.balance(segment, totals, trajectory.settings.rtol, trajectory.settings.atol)
    _, _, off, kinetic, highest, lowest, done, drift = totals.tolist()
    scale = max(kinetic, highest - lowest, done, 1e-300)
    return Estimate(unbalance(off, kinetic, max(abs(highest), abs(lowest)), scale), drift, scale)


def worse_than_promised(motion: Motion) -> list[str]:
    """A sentence for everything that is worse than the tolerances of its run promise."""
    run, rows = motion.trajectory, motion.rows
    if run is None or rows is None or not len(motion.t) or not run.settings.method.adaptive:  # a fixed step promises nothing
        return []
    if run.settings.off_constraint:  # it drifts as it was asked to, and the forces that bring it back do work
        return []
    rtol, steps = run.settings.rtol, max(1, run.accepted)
    allowed, estimate, told = promised(rtol, steps), estimated(run), []
    balanced, closed = estimate.surely_within(allowed)
    if not balanced and not (off := _off(motion, run, estimate)) <= allowed:
        told.append(
            f"the energy balance is off by {off:.2g} of the energy moved, more than rtol = {rtol:g} promises over {steps} steps; "
            f"{_remedy_of_balance(run)}"
        )
    if not closed and not (drift := rows.drift_between_steps) <= allowed:
        projects = run.settings.stabilisation.kind == "projection"
        other = f"limit the steps by {ArgumentName('max_step')}, or use" if projects else ""
        remedy = other or f"use {ArgumentName('stabilisation', 'projection')}, or"
        told.append(f"constraints drift by up to {drift:.2g}, more than rtol = {rtol:g} promises; {remedy} a smaller rtol")
    return told


def _off(motion: Motion, run: Trajectory, estimate: Estimate) -> float:
    """By what part of the energy moved the balance is off, at the worst of the rows; what atol allows is not counted."""
    off, kinetic, potential = (
        float(np.abs(x).max()) for x in (motion.energy_balance, motion.kinetic_energy, motion.potential_energy)
    )
    # between the rows more may have moved than at them
    scale = max(motion.energy_scale, estimate.moved if np.isfinite(estimate.moved) else 0.0)
    return unbalance(float(np.maximum(0.0, off - _tolerated(motion, run))), kinetic, potential, scale)


def _tolerated(motion: Motion, run: Trajectory) -> float:
    """The energy by which states may be off that are right to atol: of coordinates against forces, of speeds against momenta."""
    atol, k = run.settings.atol, int(np.argmax(motion.kinetic_energy))
    q, qd = motion.q[k], motion.qd[k]
    momenta = run.dyn.mass_matrix(q) @ (np.abs(qd) + atol)
    forces = np.abs(run.dyn.gravity(q)) + np.abs(motion.tau).max(axis=0)
    return promised(atol, max(1, run.accepted)) * float(np.abs(momenta).sum() + forces.sum())


def _remedy_of_balance(run: Trajectory) -> str:
    """What may be wrong, of what there is in the run."""
    source = run.supply.source
    asked = source.asks or source.traced is not None or bool(run.supply.functions)
    rough = "a function of torques, wrenches or events may not be smooth, or "
    return f"{rough if asked else ''}a smaller rtol is needed"


def stands(motion: Motion) -> bool:
    """Whether nothing moved, but for what is less than the tolerances tell from rest."""
    run = motion.trajectory
    atol = 0.0 if run is None else run.settings.atol
    least = 0.0 if run is None else atol * atol * float(np.trace(run.dyn.mass_matrix(motion.q[0])))  # atol**2 may overflow
    return motion.energy_scale <= max(least, 1e-300)
