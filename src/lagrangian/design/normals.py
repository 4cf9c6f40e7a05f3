"""Normals of a workspace's boundary, from the configurations that reach it.

At the boundary no motion that the joints are free to make leads out: the frame's velocities, with joints at limits held and loops
closed, leave one direction out, and that is the normal. It is the left null vector of the Jacobian along those motions.
"""

from __future__ import annotations

import numpy as np

from lagrangian.design.freedom import units_of
from lagrangian.design.reaching import Reaching

AT_LIMIT = (1e-7, 1e-5, 1e-3)  # rad or m: a joint that is nearer to its limit is at it, as near as a normal needs it
LOST = 0.1  # of the next singular value: where the least is smaller, a direction is lost
KEPT = 1e-3  # of the greatest: where the next is smaller two are lost, and there is no one normal
RANK = 1e-10


def normals(reaching: Reaching, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions across the boundary at rows of configurations on it, either way; and which of them are known."""
    found, known = np.zeros((len(q), 3)), np.zeros(len(q), dtype=bool)
    for near in AT_LIMIT:
        left = np.flatnonzero(~known)
        found[left], known[left] = _lost(reaching, q[left], near)
    return found, known


def _lost(reaching: Reaching, q: np.ndarray, near: float) -> tuple[np.ndarray, np.ndarray]:
    """The direction that the frame loses with joints held that are so near to a limit; and whether it is one alone."""
    dyn, bounds = reaching.dyn, reaching.bounds
    units, at = units_of(dyn.mechanism), q[:, bounds.iq]
    free = np.ones((len(q), dyn.nv))
    free[:, bounds.iv] = (np.abs(at - bounds.low) > near) & (np.abs(at - bounds.high) > near)
    along = reaching.basis @ np.asarray(dyn.jacobian(q, reaching.frame))[:, 3:] * units * free[:, None]
    if dyn.mechanism.equations:
        psi = dyn.constraint_jacobian(q)[:, dyn.holonomic] * units * free[:, None]
        along = along - along @ np.linalg.pinv(psi, rcond=RANK) @ psi
    U, s, _ = np.linalg.svd(along, full_matrices=True)
    s = np.pad(s, ((0, 0), (0, 3 - s.shape[1])))
    return U[:, :, 2], (s[:, 2] < LOST * s[:, 1]) & (s[:, 1] > KEPT * s[:, 0])
