"""Forces whose bound is a disc or a ball: dry friction in a plane, which gives at most its whole whatever the direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.motion.run.complementarity import Bounds, solved

ROUNDS, GRADIENTS = 60, 30
# what may be left of the conditions, as a part of the forces: no more than rounding
LEFT = 1e-15


@dataclass(frozen=True)
class Disc:
    """Which of a problem's forces are the components of one, and what that is at most."""

    members: tuple[int, ...]
    radius: float


def solved_in_discs(
    B: np.ndarray, w: np.ndarray, bounds: Bounds, discs: list[Disc], start: np.ndarray, tiny: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As `solved`, with |s| <= radius for the forces of each disc: where they are at its edge they oppose the accelerations.

    The conditions say that s is the point of the bounds nearest to s - a. They are solved by Newton's method on that equation
    (Alart and Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, 1991), and by
    steps of projected gradients, which always get nearer, where a step of Newton's does not.
    """
    low, high = bounds.low.copy(), bounds.high.copy()
    for disc in discs:  # within the squares around the discs first: a problem without a solution is seen there
        low[list(disc.members)], high[list(disc.members)] = -disc.radius, disc.radius
    s, a = solved(B, w, Bounds(low, high), start, tiny)
    if not discs:
        return s, a
    A = B.T @ B
    rho = 1.0 / max(float(np.linalg.norm(A, 2)), 1e-300)

    def nearest(z: np.ndarray) -> np.ndarray:
        found = bounds.clipped(z)
        for disc in discs:
            m = list(disc.members)
            found[m] = z[m] * min(1.0, disc.radius / max(float(np.linalg.norm(z[m])), 1e-300))
        return found

    def gap(s: np.ndarray) -> np.ndarray:
        return nearest(s - rho * (w + A @ s)) - s

    s = nearest(s)
    for _ in range(ROUNDS):
        off = gap(s)
        if np.abs(off).max() <= LEFT * (np.abs(s).max() + rho * np.abs(w).max()):
            break
        slope = _slope(s - rho * (w + A @ s), bounds, discs)
        step = np.linalg.lstsq(np.eye(len(w)) - slope @ (np.eye(len(w)) - rho * A), off, rcond=1e-13)[0]
        tried = nearest(s + step)
        if np.linalg.norm(gap(tried)) < 0.5 * np.linalg.norm(off):
            s = tried
            continue
        for _ in range(GRADIENTS):
            s = s + gap(s)
    return s, w + A @ s


def _slope(z: np.ndarray, bounds: Bounds, discs: list[Disc]) -> np.ndarray:
    """The derivative of the nearest point of the bounds."""
    slope = np.diag(((z > bounds.low) & (z < bounds.high)).astype(float))
    for disc in discs:
        m = list(disc.members)
        size = float(np.linalg.norm(z[m]))
        block = np.eye(len(m))
        if size > disc.radius:
            block = (block - np.outer(z[m], z[m]) / size**2) * (disc.radius / size)
        slope[np.ix_(m, m)] = block
    return slope
