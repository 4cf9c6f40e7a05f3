"""Constraints whose motion jumps: speeds that jump are impacts, and places cannot jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.errors import MechanismPart, SimulationError

if TYPE_CHECKING:
    from lagrangian.motion.run.run import Run

# by what part of the time constraints are looked at after a jump
AFTER = 1e-9
# what rounding, and the tolerances of a run, may leave of a constraint, or of its rate: what is more has jumped
OPEN, RATE = 1e-6, 1e-7


def follow_jump(run: Run) -> bool:
    """Let speeds follow constraints whose rates have just jumped, by the balance of momentum; whether any did."""
    dyn, nq = run.dyn, run.system.nq
    if not dyn.mechanism.equation_count or not dyn.depends_on_time:
        return False
    q, qd = run.y[:nq], run.y[nq:]
    ahead = min(AFTER * max(1.0, abs(run.t)), 0.25 * (min(run.supply.jump, run.end) - run.t))

    def just_after(function: Callable[[float], np.ndarray]) -> np.ndarray:
        """Its limit from after the jump, linear from there on."""
        return np.abs(2 * function(run.t + ahead) - function(run.t + 2 * ahead))

    if dyn.holonomic.any():
        opened = just_after(lambda t: dyn.closure(q, t))
        k = int(np.argmax(opened))
        if opened[k] > OPEN * (1 + np.abs(q).max()):
            name = np.array(dyn.constraint_names)[dyn.holonomic][k]
            raise SimulationError(
                f"it requires a jump of the configuration, by {opened[k]:.3g}, at t = {run.t:g} s",
                where=MechanismPart("constraint", str(name)),
                remedy="no force can make a configuration jump; let the constraint move continuously",
            )
    if just_after(lambda t: dyn.constraint_rate(q, qd, t)).max() <= RATE * (1 + np.abs(qd).max()):
        return False
    before = run.y.copy()
    run.impacts.impact(run.modes, run.supply.u, run.y, run.t + ahead)
    run.note_impact(before)
    return True
