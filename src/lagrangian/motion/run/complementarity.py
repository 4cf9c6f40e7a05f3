"""The forces on joints at rest, as one complementarity problem over all of them.

Dry friction is bounded and a stop only pushes: the force s on a joint at rest lies between a lower and an upper bound. Without
these forces the joints would have the accelerations w, and with them they have a = w + B^T B s, where B^T B is the inverse mass
that the constraints leave (Delassus' operator). A joint stays at rest, or its force is at the bound that opposes its motion:

    s = low and a >= 0,    or low < s < high and a = 0,    or s = high and a <= 0.

The same holds of impulses and speeds in an impact. Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996),
derive it; Cottle, Pang and Stone, The Linear Complementarity Problem (1992), give its theory. As the bounds do not depend on s,
the conditions are those of a least value of |B s|^2/2 + w.s within the bounds, which is convex: the accelerations are unique. The
forces are not where columns of B depend on each other, as those of two joints of a four-bar do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.kernels.least_squares import RANK_TOLERANCE

# rounding of accelerations, as a part of those of the whole mechanism
ROUNDING = 1e-12
# passes for each force, after which the first that is wrong is taken instead of the worst: so no pass repeats another
PASSES = 4
# what is left of a column when those before it are taken off, from which it does not depend on them
SURELY = 1e-4


class Contradiction(Exception):
    """No force can keep what the joint `which` of the problem must keep: a drive moves it against its stop."""

    def __init__(self, which: int) -> None:
        super().__init__(which)
        self.which = which


@dataclass(frozen=True)
class Bounds:
    """Between which the forces lie, each of them from `low` to `high`."""

    low: np.ndarray
    high: np.ndarray

    def clipped(self, s: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.minimum(np.maximum(s, self.low), self.high)
        return found

    def reach(self, s: np.ndarray, step: np.ndarray) -> tuple[float, int]:
        """By how many times `step` s can go before the first of it meets a bound, and which does."""
        far = np.full(len(s), np.inf)
        np.divide(np.where(step > 0, self.high, self.low) - s, step, out=far, where=step != 0)
        which = int(np.argmin(far))
        return max(0.0, float(far[which])), which


def solved(B: np.ndarray, w: np.ndarray, bounds: Bounds, start: np.ndarray, tiny: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The forces s and the accelerations a, from forces `start` on by changes as small as they can be.

    An active-set method (Nocedal and Wright, Numerical Optimization, 16.5). Columns of B are at most of length one; accelerations
    below `tiny` are none.
    """
    s = bounds.clipped(start)
    free = (s > bounds.low) & (s < bounds.high)
    n = len(w)
    for turn in range(20 * PASSES * (n + 1)):
        a = w + B.T @ (B @ s)
        step, endless = _step(B, a, free, tiny)
        far, blocking = bounds.reach(s, step)
        if endless and not np.isfinite(far):
            raise Contradiction(int(np.argmax(np.abs(step))))
        if endless or far < 1.0:
            s = bounds.clipped(s + far * step)
            s[blocking] = bounds.high[blocking] if step[blocking] > 0 else bounds.low[blocking]
            free[blocking] = False
            continue
        s = bounds.clipped(s + step)
        a = w + B.T @ (B @ s)
        inward = np.where(s <= bounds.low, -a, np.where(s >= bounds.high, a, 0.0))
        inward[free | (bounds.low == bounds.high)] = 0.0
        wrong = np.flatnonzero(inward > tiny)
        if not len(wrong):
            break
        free[wrong[0] if turn > PASSES * (n + 1) else wrong[np.argmax(inward[wrong])]] = True
    return s, a


def _step(B: np.ndarray, a: np.ndarray, free: np.ndarray, tiny: np.ndarray) -> tuple[np.ndarray, bool]:
    """The smallest change of the free forces that takes their accelerations away; or, endlessly long, one that lessens them."""
    step = np.zeros(len(a))
    if not free.any():
        return step, False
    R = surely_independent(B[:, free])
    if R is not None:
        step[free] = -np.linalg.solve(R, np.linalg.solve(R.T, a[free]))
        return step, False
    _, s, Vt = np.linalg.svd(B[:, free], full_matrices=False)
    acts = s > RANK_TOLERANCE
    along = Vt[acts] @ a[free]
    flat = a[free] - Vt[acts].T @ along  # what no force changes
    endless = bool((np.abs(flat) > tiny[free]).any())
    step[free] = -flat if endless else -Vt[acts].T @ (along / s[acts] ** 2)
    return step, endless


def surely_independent(B: np.ndarray) -> np.ndarray | None:
    """R with R^T R = B^T B if no column depends on others; None if one may, which takes longer to be told."""
    m, n = B.shape
    if n > m:
        return None
    if n == 1:
        length = np.linalg.norm(B)
        return np.array([[length]]) if length > SURELY else None
    R = np.asarray(np.linalg.qr(B, mode="r"))
    return R if np.abs(np.diag(R)).min(initial=1.0) > SURELY else None


def independent(B: np.ndarray, order: list[int]) -> list[int]:
    """Those of the columns, taken in an order, that do not depend on the ones before."""
    if not order or surely_independent(B[:, order]) is not None:
        return list(order)
    found: list[int] = []
    basis = np.zeros((len(B), 0))
    for k in order:
        rest = B[:, k] - basis @ (basis.T @ B[:, k])
        rest = rest - basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > RANK_TOLERANCE:
            found.append(k)
            basis = np.column_stack([basis, rest / size])
    return found
