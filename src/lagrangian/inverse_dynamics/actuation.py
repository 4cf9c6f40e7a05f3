"""Torques of the actuated joints alone, through the constraints, and the constraints' forces with them.

    S^T tau_a + Psi^T lambda = h,    h = M qdd + C qd + G + F

Along the motions that the constraints allow, N with Psi N = 0, the unknown forces drop out: N^T S^T tau_a = N^T h. With as many
actuators as degrees of freedom tau_a is unique; with more, the smallest is taken; with fewer, few motions have one (Ghosal,
lectures 27 and 29; Nakamura and Ghodoussi 1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.errors import ActuationError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK, decomposed, minimum_norm, smallest, unit_rows

LEFT = 1e-8  # of the largest force: what may be left over by rounding


def actuated_speeds(dyn: Dynamics) -> np.ndarray:
    """Whether each speed is driven."""
    return np.array([joint.actuated for joint in dyn.mechanism.joints for _ in range(joint.kind.nv)], dtype=bool)


def actuator_torques(dyn: Dynamics, q: Any, h: Any, t: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """tau, zero at passive joints, and the multipliers, for joint forces h of the open tree; one state or many."""
    single = np.ndim(q) == 1
    q, h = np.atleast_2d(array(q, "q")), np.atleast_2d(array(h, "h"))
    times = np.broadcast_to(array(t, "t").reshape(-1), (len(q),))
    driven = actuated_speeds(dyn)
    if not dyn.mechanism.equations:
        _check_tree(dyn, h, driven, times)
        tau, multipliers = np.where(driven, h, 0.0), np.zeros((len(q), 0))
    else:
        tau, multipliers = _through_constraints(dyn, q, h, driven, times)
    return (tau[0], multipliers[0]) if single else (tau, multipliers)


def _through_constraints(
    dyn: Dynamics, q: np.ndarray, h: np.ndarray, driven: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    psi = dyn.constraint_jacobian(q, t)
    unique = _unique(psi, h, driven)
    if unique is not None:
        return unique
    rows, size = unit_rows(psi)
    U, inverse, Vt = decomposed(rows, whole=True)
    ranks = (inverse > 0).sum(axis=1)
    tau, multipliers = np.zeros_like(h), np.zeros((len(q), psi.shape[1]))
    for rank in np.unique(ranks):
        here = ranks == rank
        allowed = Vt[here, rank:]  # N^T
        left = np.einsum("ndv,nv->nd", allowed, h[here])
        tau[np.ix_(here, driven)] = smallest(allowed[:, :, driven], left)
        missing = left - np.einsum("ndv,nv->nd", allowed, tau[here])
        _check(dyn, missing, h[here], driven, allowed.shape[1], t[here])
        carried = np.einsum("nkv,nv->nk", Vt[here, :rank], (h - tau)[here]) * inverse[here, :rank]
        multipliers[here] = np.einsum("nmk,nk->nm", U[here, :, :rank], carried) / size[here]
    return tau, minimum_norm(psi, multipliers) if (ranks < psi.shape[1]).any() else multipliers


def _unique(psi: np.ndarray, h: np.ndarray, driven: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """All unknowns at once, where there are as many as equations, and these have a solution each."""
    n, m, nv = psi.shape
    count = int(driven.sum())
    if count + m != nv:
        return None
    A = np.concatenate([np.broadcast_to(np.eye(nv)[:, driven], (n, nv, count)), np.swapaxes(psi, 1, 2)], axis=2)
    # equations that always depend on each other do so anywhere; where they do at some place alone, the solution shows it
    if np.linalg.svd(A[[0, n // 2, n - 1]], compute_uv=False)[:, -1].min() < RANK:
        return None
    try:
        x = np.linalg.solve(A, h[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return None
    scale = np.abs(h).max(axis=1, keepdims=True) + 1e-3
    if not (np.abs(x) < scale / RANK).all() or not (np.abs(np.einsum("nij,nj->ni", A, x) - h) < LEFT * scale).all():
        return None
    tau = np.zeros_like(h)
    tau[:, driven] = x[:, :count]
    return tau, x[:, count:]


def _check(dyn: Dynamics, missing: np.ndarray, h: np.ndarray, driven: np.ndarray, freedom: int, t: np.ndarray) -> None:
    off = np.abs(missing).max(axis=1, initial=0.0)
    bad = off > LEFT * (1e-3 + np.abs(h).max(axis=1))
    if not bad.any():
        return
    k = int(np.argmax(np.where(bad, off, 0.0)))
    names = [n for n, d in zip(dyn.mechanism.speed_names, driven, strict=True) if d]
    count = f"{len(names)} actuated coordinate{'s' * (len(names) > 1)} ({', '.join(names[:8])})" if names else "no actuators"
    if len(names) < freedom:
        why = f"it is under-actuated: it has {freedom} degrees of freedom and {count}"
    else:
        every = "its degree of freedom" if freedom == 1 else f"all of its {freedom} degrees of freedom"
        why = f"its actuated joints ({', '.join(names[:8])}) do not control {every} there"
    raise _at(
        t[k],
        f"{dyn.mechanism.name}: no torques of the actuated joints bring this motion about at t = {t[k]:.6g} s; a generalised "
        f"force of {off[k]:.3g} is missing. {why[0].upper()}{why[1:]}. Mark further joints "
        f"`actuated = true`, or choose another path",
    )


def _check_tree(dyn: Dynamics, h: np.ndarray, driven: np.ndarray, t: np.ndarray) -> None:
    missing = np.where(driven, 0.0, np.abs(h))
    bad = missing.max(axis=1, initial=0.0) > LEFT * (1e-3 + np.abs(h).max(axis=1, initial=0.0))
    if not bad.any():
        return
    k = int(np.argmax(np.where(bad, missing.max(axis=1), 0.0)))
    name = dyn.mechanism.speed_names[int(np.argmax(missing[k]))]
    raise _at(
        t[k],
        f"{dyn.mechanism.name}: it is under-actuated: {name} is passive, and this motion needs {missing[k].max():.3g} there at "
        f"t = {t[k]:.6g} s. Mark it `actuated = true`, or choose a motion that needs no force there",
    )


def _at(t: float, message: str) -> ActuationError:
    return ActuationError(message, t=float(t))
