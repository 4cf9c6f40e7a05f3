"""Configurations of mechanisms with loops in which some coordinates lead, and how the others follow when parameters change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.configuration.loops import STARTS, Loops
from lagrangian.configuration.start import Start
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.sensitivity.quantities import Slopes
from lagrangian.motion.sensitivity.start import coordinate_change, least_change

STEP = 0.5  # rad or m: how far a leading coordinate goes from one closed configuration to the next


def led(dyn: Dynamics, names: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Configurations (rows, nq) with these coordinates at rows of values, each found from the one before: all of one branch."""
    loops = Loops(dyn, 0.0, tuple(names))
    places = [dyn.mechanism.coordinate_names.index(name) for name in names]
    q, found = Start(dyn).closed(), list[np.ndarray]()
    for row in values:
        steps = max(1, int(np.ceil(np.abs(row - q[places]).max() / STEP)))
        for part in np.linspace(q[places], row, steps + 1)[1:]:
            guess = q.copy()
            guess[places] = part
            q = loops.closed(guess, STARTS if not found else 0)
        found.append(q)
    return np.array(found)


def following(dyn: Dynamics, q: np.ndarray, closure: Slopes, row: int, unit: np.ndarray, held: Sequence[int]) -> np.ndarray:
    """How all coordinates change, (nq, columns), with parameters and with leading ones.

    `unit` is the change of the leading coordinates; its first columns are along the parameters that `closure`, what the loops
    miss by at this row, has slopes along. `held` are the places of the leading ones among the speeds.
    """
    count = closure.by_parameter.shape[2]
    off = closure.by_state[row, :, : dyn.nq] @ unit
    off[:, :count] += closure.by_parameter[row]
    psi = dyn.constraint_jacobian(q)[dyn.holonomic]
    change: np.ndarray = unit + coordinate_change(dyn, q, least_change(psi, off, held))
    return change
