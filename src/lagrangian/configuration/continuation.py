"""Configurations that are reached from others in the same assembly: numerical continuation.

A linkage can be assembled in several ways, and Newton's method from afar ends in any of them. From a closed configuration the
coordinates that are given, and the parameters, go to their new values in steps, and the others follow. A step is taken if
Newton's method closes the loops again at once, without damping and not far away; else half of it is tried. So no step crosses a
dead centre, where assemblies meet (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003, chapter 2;
Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lagrangian.configuration.coordinates import periodic_coordinates
from lagrangian.configuration.loops import CLOSED
from lagrangian.configuration.newton import Equations, Newton
from lagrangian.kernels.not_finite import looked_at

FAR = 0.5  # rad or m: more than a step changes any coordinate by
AT_ONCE = 6  # steps of Newton's method, as many as it takes if each error is the square of the last, from a quarter on
TURNED = 1e-9  # what loops may miss by after angles were turned back
LEAST = 0.01  # of the way, or of a radian or a metre: where steps must be shorter, there is a dead centre

# the equations at parts of the way of some rows, which are numbered anew, and which of the rows have any
At = Callable[[np.ndarray, np.ndarray], tuple[Equations, np.ndarray]]


@looked_at()
def reached(
    at: At, q: np.ndarray, targets: np.ndarray, held: Sequence[int], free: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """From rows of closed configurations those in which the coordinates `held` have their targets; and which were reached.

    `held` are places in q, with a column of `targets` each; `free` is 1 for the speeds that close the loops. Whole turns are not
    gone, unless an equation counts them, as that of a pair of gears does.
    """
    rows = np.arange(len(q))
    here, _ = at(np.ones(len(q)), rows)
    angles = np.isin(held, periodic_coordinates(here.mechanism))
    turns = np.where(angles, np.round((targets - q[:, held]) / (2 * np.pi)), 0.0)
    found, arrived = _gone(at, q, targets - 2 * np.pi * turns, held, free, t)
    found[:, held] = targets
    counted = arrived & (np.abs(here.residual(found, np.full(len(q), t), rows)).max(axis=1, initial=0.0) > TURNED)
    for k in np.flatnonzero(counted).tolist():
        own = slice(k, k + 1)
        found[own], arrived[own] = _gone(partial(_at_one, at, k), q[own], targets[own], held, free, t)
    return found, arrived


def _at_one(at: At, row: int, part: np.ndarray, _: np.ndarray) -> tuple[Equations, np.ndarray]:
    return at(part, np.array([row]))


def _gone(
    at: At, q: np.ndarray, targets: np.ndarray, held: Sequence[int], free: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """The same along the straight way of the coordinates that are held."""
    q, begin, way = q.copy(), q[:, held], targets - q[:, held]
    longest = np.abs(way).max(axis=1, initial=0.0)
    done, size = np.zeros(len(q)), np.minimum(1.0, FAR / np.maximum(longest, 1e-300))
    least = LEAST / np.maximum(longest, 1.0)
    going = np.isfinite(q).all(axis=1) & np.isfinite(targets).all(axis=1)
    while going.any():
        k = np.flatnonzero(going)
        part = np.where(done[k] + 1.01 * size[k] >= 1.0, 1.0, done[k] + size[k])
        trial = q[k]
        trial[:, held] = np.where((part == 1.0)[:, None], targets[k], begin[k] + part[:, None] * way[k])
        equations, known = at(part, k)
        found = Newton(equations, free, damped=False, iterations=AT_ONCE, reach=FAR).solve(trial, t)
        taken = known & (found.miss <= CLOSED) & (found.way <= FAR)
        q[k[taken]], done[k[taken]] = found.q[taken], part[taken]
        size[k] *= np.where(taken, 2.0, 0.5)
        going[k] = (done[k] < 1.0) & (size[k] >= least[k])
    return q, done == 1.0
