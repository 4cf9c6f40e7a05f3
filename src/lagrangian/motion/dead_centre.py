"""Dead centres: where the driven joints of a closed mechanism no longer determine the passive ones.

With Psi = [K | K*] over driven and passive speeds, det K* = 0 there: a crank and its coupler in line, a deployed linkage locked.
The motion itself goes on, as Psi keeps its rank; but the driven joints stand still, and cannot move it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.algorithms.constraints.rows import ConstraintRow
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism

NAME = "dead centre"
LARGEST = 8


def passive_speeds(mechanism: Mechanism) -> list[int]:
    return [k for k, driven in enumerate(j.actuated for j in mechanism.joints for _ in range(j.kind.nv)) if not driven]


def determinant(mechanism: Mechanism, rows: list[ConstraintRow]) -> Any:
    """det K*, over any scalars: by expansion along rows, every minor once."""
    rows = [row for row in rows if row.psi]
    passive = passive_speeds(mechanism)
    if not rows or len(rows) != len(passive):
        raise ArgumentError(
            f"{mechanism.name}: a dead centre needs as many passive speeds as constraint equations; there are "
            f"{len(passive)} and {len(rows)}. `actuated` marks the driven joints"
        )
    if len(rows) > LARGEST:
        raise ArgumentError(
            f"{mechanism.name}: dead centres can be found with up to {LARGEST} constraint equations; there are {len(rows)}"
        )
    # minors of the first rows, by the set of columns used
    minors: dict[frozenset[int], Any] = {frozenset(): 1}
    for row in rows:
        grown: dict[frozenset[int], Any] = {}
        for used, minor in minors.items():
            for place, speed in enumerate(passive):
                entry = row.psi.get(speed, 0)
                if place in used or (isinstance(entry, (int, float)) and entry == 0):
                    continue
                swaps = sum(other > place for other in used)
                term = entry * minor if swaps % 2 == 0 else -(entry * minor)
                key = used | {place}
                grown[key] = grown[key] + term if key in grown else term
        minors = grown
    return minors.get(frozenset(range(len(passive))), 0)


def found_in(dyn: Dynamics, t: np.ndarray, q: np.ndarray, states: Any) -> list[tuple[float, np.ndarray]]:
    """Dead centres between rows of a run, located to rounding; `states(times)` interpolates it."""
    passive = passive_speeds(dyn.mechanism)
    says = dyn.velocity_constraint_mask
    if not says.any() or int(says.sum()) != len(passive) or len(t) < 2:
        return []

    def value(q: np.ndarray, at: np.ndarray) -> np.ndarray:
        return np.linalg.det(dyn.constraint_jacobian(q, at)[:, says][:, :, passive])

    d = value(q, t)
    scale = np.abs(d).max()
    found = []
    for k in np.flatnonzero((d[:-1] * d[1:] < 0) & (np.abs(d[:-1]) + np.abs(d[1:]) > 1e-9 * scale)):
        low, high, first = float(t[k]), float(t[k + 1]), d[k]
        for _ in range(60):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            y = states(np.array([middle]))
            if float(value(y[:, : dyn.nq], np.array([middle]))[0]) * first > 0:
                low = middle
            else:
                high = middle
        found.append((high, states(np.array([high]))[0]))
    return found
