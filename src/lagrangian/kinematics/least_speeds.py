"""Where a path leaves coordinates free: the smallest speeds, integrated, and the accelerations that go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.algorithms.closed.constraints import coordinate_rates
from lagrangian.configuration.coordinates import moved
from lagrangian.kernels.linear import decomposed, least_norm, unit_rows
from lagrangian.kinematics.requirements import Requirements
from lagrangian.motion.tableaus.dormand_prince8 import DOP853

if TYPE_CHECKING:
    from lagrangian.kinematics.follower import Follower, Knot

TOLERANCE = 1e-11


def integrated(follower: Follower, knot: Knot, t: np.ndarray, check: bool = False) -> np.ndarray | None:
    """Coordinates at times after a knot, by one step of Dormand and Prince's to each; None if it is too long, when checked."""
    model, of = follower.dyn.mechanism, follower.requirements
    h = (t - knot.t)[:, None]
    q0 = np.repeat(knot.q[None], len(t), axis=0)
    slopes: list[np.ndarray] = []
    for c, row in zip(DOP853.c, DOP853.a, strict=False):
        q = q0 + h * sum((a * k for a, k in zip(row, slopes, strict=False) if a), np.zeros_like(q0))
        when = knot.t + c * h[:, 0]
        velocity = follower.path(np.minimum(when, follower.path.end))[1]
        qd = least_norm(of.matrix(q, when), of.speeds(q, velocity, when), follower.rank == follower.dyn.nv)
        slopes.append(np.array(coordinate_rates(model, list(q.T), list(qd.T))).T)
    if check:
        errors = [sum((e * k for e, k in zip(row, slopes, strict=False)), np.zeros_like(q0)) for row in DOP853.errors]
        e5, e3 = (float(np.abs(h * e).max()) for e in errors[:2])
        if e5 and e5 * e5 / np.sqrt(e5 * e5 + 0.01 * e3 * e3) > TOLERANCE:
            return None
    q = q0 + h * sum((b * k for b, k in zip(DOP853.b, slopes, strict=False)), np.zeros_like(q0))
    return moved(model, q, np.zeros((len(t), follower.dyn.nv)))


def null_acceleration(of: Requirements, A: np.ndarray, q: np.ndarray, qd: np.ndarray, t: np.ndarray) -> np.ndarray:
    """What the smallest qdd with A qdd = b' - A' qd lacks to be the derivative of the smallest qd: (1 - A+ A) A'^T A+^T qd.

    Golub and Pereyra 1973 have the derivative of a pseudo-inverse. A' along the motion is by differences of fourth order.
    """
    model = of.dyn.mechanism
    h = 1e-3 / (1.0 + np.abs(qd).max())
    at = {k: of.matrix(moved(model, q, k * h * qd), t + k * h) for k in (-2, -1, 1, 2)}
    rate = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    rows, size = unit_rows(A)
    U, inverse, Vt = decomposed(rows)
    back = np.einsum("nik,nk->ni", U, inverse * np.einsum("nkj,nj->nk", Vt, qd)) / size  # A+^T qd
    along = np.einsum("nij,ni->nj", rate, back)
    inside = np.einsum("nkj,nk->nj", Vt, (inverse > 0) * np.einsum("nkj,nj->nk", Vt, along))
    result: np.ndarray = along - inside
    return result
