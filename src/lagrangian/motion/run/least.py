"""Forces of joints at rest that are not unique: the least of them.

Where joints depend on each other, as in a loop, or are held by a stop and by friction of others, one may give more and another
less, and nothing moves. Of all such forces those of least norm are taken, each measured by the acceleration that it would give
its joint alone: so the choice does not depend on units.
"""

from __future__ import annotations

import numpy as np

from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.motion.run.complementarity import Bounds, surely_independent
from lagrangian.motion.run.discs import Disc, solved_in_discs

# the weight of the norm beside what must be met, where it is only asked which forces are at their bounds
SLIGHT = 1e-4
# what may be left of what must be met, as a part of it
MET = 1e-12


def least(B: np.ndarray, s: np.ndarray, bounds: Bounds, discs: list[Disc], staying: list[int]) -> np.ndarray:
    """The forces s with those of joints that stay at rest replaced by the least that have the same effect, within the bounds."""
    mine = B[:, staying]
    if len(staying) < 2 or surely_independent(mine) is not None or np.linalg.matrix_rank(mine, RANK_TOLERANCE) == len(staying):
        return s
    target = mine @ s[staying]
    within = Bounds(bounds.low[staying], bounds.high[staying])
    number = {k: i for i, k in enumerate(staying)}
    round_ = [Disc(tuple(number[k] for k in disc.members), disc.radius) for disc in discs if disc.members[0] in number]
    weighted, pull = np.vstack([mine, SLIGHT * np.eye(len(staying))]), -mine.T @ target
    tiny = np.full(len(staying), 1e-14 * max(float(np.abs(pull).max()), 1e-300))
    x, _ = solved_in_discs(weighted, pull, within, round_, s[staying], tiny)
    free = (x > within.low) & (x < within.high)
    for disc in round_:
        m = list(disc.members)
        free[m] = np.linalg.norm(x[m]) < disc.radius * (1 - MET)
    x[free] = np.linalg.lstsq(mine[:, free], target - mine[:, ~free] @ x[~free], rcond=RANK_TOLERANCE)[0]
    kept = np.all(within.clipped(x) == x) and all(np.linalg.norm(x[list(d.members)]) <= d.radius for d in round_)
    if not kept or np.abs(mine @ x - target).max() > MET * max(float(np.abs(target).max()), float(np.abs(x).max())):
        return s
    found = s.copy()
    found[staying] = x
    return found
