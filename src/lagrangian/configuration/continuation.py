"""Follow configurations in the same assembly mode: numerical continuation.

A linkage can be assembled in several ways, and Newton's method from afar ends in any of them. From a closed configuration, the
fixed coordinates and the parameters go to their new values in steps, and the other coordinates follow. A step is accepted if
Newton's method closes the loops quickly, without damping and nearby; otherwise half of it is tried. So no step crosses a dead
centre, where assembly modes meet (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003, chapter 2;
Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lagrangian.configuration.coordinates import WRAPPED_TOLERANCE, periodic_coordinates
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE
from lagrangian.configuration.newton import ConfigurationEquations, Newton
from lagrangian.kernels.kernel import suppress_finite_checks

MAX_CHANGE = 0.5  # rad or m: no step changes a coordinate by more
MAX_ITERATIONS = 6  # of Newton's method: enough if each error is the square of the one before, from 1/4 on
MIN_PART = 0.01  # of the path, or of 1 rad or 1 m: if steps must be shorter, there is a dead centre

# (parts of the path, rows) -> the equations there, which number these rows anew, and which rows have equations
EquationsAt = Callable[[np.ndarray, np.ndarray], tuple[ConfigurationEquations, np.ndarray]]


@suppress_finite_checks()
def follow_to(
    equations_at: EquationsAt, q: np.ndarray, targets: np.ndarray, fixed: Sequence[int], free: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """Follow rows of closed configurations to those in which fixed coordinates have their targets; and which rows got there.

    `fixed` are indices in q, with a column of `targets` each; `free` is 1 for the speeds that close the loops. The path leaves
    whole turns out, unless an equation counts them, as that of a pair of gears does.
    """
    rows = np.arange(len(q))
    equations, _ = equations_at(np.ones(len(q)), rows)
    angles = np.isin(fixed, periodic_coordinates(equations.mechanism))
    turns = np.where(angles, np.round((targets - q[:, fixed]) / (2 * np.pi)), 0.0)
    configurations, is_reached = _follow_straight(equations_at, q, targets - 2 * np.pi * turns, fixed, free, t)
    configurations[:, fixed] = targets
    counts_turns = is_reached & (
        np.abs(equations.residual(configurations, np.full(len(q), t), rows)).max(axis=1, initial=0.0) > WRAPPED_TOLERANCE
    )
    for k in np.flatnonzero(counts_turns).tolist():
        row = slice(k, k + 1)
        configurations[row], is_reached[row] = _follow_straight(
            partial(_equations_of_row, equations_at, k), q[row], targets[row], fixed, free, t
        )
    return configurations, is_reached


def _equations_of_row(
    equations_at: EquationsAt, row: int, part: np.ndarray, _: np.ndarray
) -> tuple[ConfigurationEquations, np.ndarray]:
    return equations_at(part, np.array([row]))


def _follow_straight(
    equations_at: EquationsAt, q: np.ndarray, targets: np.ndarray, fixed: Sequence[int], free: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """The same along a straight path of the fixed coordinates, whole turns included."""
    q, start, displacement = q.copy(), q[:, fixed], targets - q[:, fixed]
    longest = np.abs(displacement).max(axis=1, initial=0.0)
    progress, size = np.zeros(len(q)), np.minimum(1.0, MAX_CHANGE / np.maximum(longest, 1e-300))
    min_size = MIN_PART / np.maximum(longest, 1.0)
    is_active = np.isfinite(q).all(axis=1) & np.isfinite(targets).all(axis=1)
    while is_active.any():
        k = np.flatnonzero(is_active)
        part = np.where(progress[k] + 1.01 * size[k] >= 1.0, 1.0, progress[k] + size[k])
        trial = q[k]
        trial[:, fixed] = np.where((part == 1.0)[:, None], targets[k], start[k] + part[:, None] * displacement[k])
        equations, is_defined = equations_at(part, k)
        solution = Newton(equations, free, damped=False, iterations=MAX_ITERATIONS, max_distance=MAX_CHANGE).solve(trial, t)
        is_accepted = is_defined & (solution.violation <= CLOSED_TOLERANCE) & (solution.distance <= MAX_CHANGE)
        q[k[is_accepted]], progress[k[is_accepted]] = solution.q[is_accepted], part[is_accepted]
        size[k] *= np.where(is_accepted, 2.0, 0.5)
        is_active[k] = (progress[k] < 1.0) & (size[k] >= min_size[k])
    return q, progress == 1.0
