"""Configurations of mechanisms with loops in which some coordinates lead, and how the others follow when parameters change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.configuration.continuation import reached
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.newton import Equations
from lagrangian.configuration.start import Start
from lagrangian.errors import AssemblyError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.sensitivity.quantities import Slopes
from lagrangian.motion.sensitivity.start import coordinate_change, least_change


def led(dyn: Dynamics, names: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Configurations (rows, nq) with these coordinates at rows of values, each reached from the one before, in one assembly."""
    loops = Loops(dyn, 0.0, tuple(names))
    places = [dyn.mechanism.coordinate_names.index(name) for name in names]
    q, found = Start(dyn).closed(), list[np.ndarray]()

    def at(part: np.ndarray, rows: np.ndarray) -> tuple[Equations, np.ndarray]:
        return loops, np.ones(len(rows), dtype=bool)

    for row in np.atleast_2d(values):
        there, arrived = reached(at, q[None], row[None], places, loops.free, 0.0)
        if not arrived[0]:
            wanted = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, row, strict=True))
            raise AssemblyError(
                f"{dyn.mechanism.name}: a configuration with {wanted} cannot be reached from the start and the poses before: "
                "the loops do not close there, or a dead centre lies on the way"
            )
        q = there[0]
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
