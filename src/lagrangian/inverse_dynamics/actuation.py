"""Torques of the actuated joints alone, with the forces of constraints, and whether these joints control the mechanism.

    S^T tau_a + Psi^T lambda = h,    h = M qdd + C qd + G + F

Along the motions that the constraints allow, N with Psi N = 0, the unknown forces drop out: N^T S^T tau_a = N^T h. With as many
actuators as degrees of freedom tau_a is unique; with more, the smallest is taken; with fewer, few motions have one (Ghosal,
lectures 27 and 29; Nakamura and Ghodoussi 1989).

With the actuated joints held, the passive ones can still move where their columns of Psi, the lectures' K*, lose rank (Gosselin
and Angeles 1990, singularities of the second type). Near such a place torques grow without bound. A path passes through it with
finite torques only if nothing pushes along that motion there (Briot and Arakelian 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.configuration.speeds import actuated_speed_mask
from lagrangian.errors import ActuationError, PathWarning, warn
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import (
    RANK_TOLERANCE,
    minimum_norm_multipliers,
    minimum_norm_solution,
    pseudoinverse_factors,
    unit_rows,
)
from lagrangian.kinematics.follower import Follower
from lagrangian.kinematics.path_failures import NEAR_SINGULAR_TOLERANCE

RESIDUAL_TOLERANCE = 1e-8  # by the largest force: a smaller residual is rounding
FORCE_TOLERANCE = 1e-6  # by the largest force: a smaller one counts as zero


def actuator_torques(dyn: Dynamics, q: Any, h: Any, t: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return tau, zero at passive joints, and the multipliers, for joint forces h of the open tree; of one state or many."""
    single = np.ndim(q) == 1
    q, h = np.atleast_2d(array(q, "q")), np.atleast_2d(array(h, "h"))
    times = np.broadcast_to(array(t, "t").reshape(-1), (len(q),))
    driven = actuated_speed_mask(dyn.mechanism)
    if not dyn.mechanism.equation_count:
        _check_tree_actuation(dyn, h, driven, times)
        tau, multipliers = np.where(driven, h, 0.0), np.zeros((len(q), 0))
    else:
        tau, multipliers = _constrained_torques(dyn, q, h, driven, times)
    return (tau[0], multipliers[0]) if single else (tau, multipliers)


def _constrained_torques(
    dyn: Dynamics, q: np.ndarray, h: np.ndarray, driven: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    psi = dyn.constraint_jacobian(q, t)
    unique = _unique_torques(psi, h, driven)
    if unique is not None:
        return unique
    rows, size = unit_rows(psi)
    U, inverse, Vt = pseudoinverse_factors(rows, full_matrices=True)
    ranks = (inverse > 0).sum(axis=1)
    tau, multipliers = np.zeros_like(h), np.zeros((len(q), psi.shape[1]))
    for rank in np.unique(ranks):
        of_rank = ranks == rank
        allowed = Vt[of_rank, rank:]  # N^T
        projected_forces = np.einsum("ndv,nv->nd", allowed, h[of_rank])
        tau[np.ix_(of_rank, driven)] = minimum_norm_solution(allowed[:, :, driven], projected_forces)
        missing = projected_forces - np.einsum("ndv,nv->nd", allowed, tau[of_rank])
        _check_actuation(dyn, missing, h[of_rank], driven, allowed.shape[1], t[of_rank])
        coefficients = np.einsum("nkv,nv->nk", Vt[of_rank, :rank], (h - tau)[of_rank]) * inverse[of_rank, :rank]
        multipliers[of_rank] = np.einsum("nmk,nk->nm", U[of_rank, :, :rank], coefficients) / size[of_rank]
    return tau, minimum_norm_multipliers(psi, multipliers) if (ranks < psi.shape[1]).any() else multipliers


def _unique_torques(psi: np.ndarray, h: np.ndarray, driven: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the torques and multipliers where they are as many as the equations and unique; None elsewhere."""
    n, m, nv = psi.shape
    count = int(driven.sum())
    if count + m != nv:
        return None
    A = np.concatenate([np.broadcast_to(np.eye(nv)[:, driven], (n, nv, count)), np.swapaxes(psi, 1, 2)], axis=2)
    # three rows show whether the equations always depend on each other; where they do at one time only, the solution shows it
    if np.linalg.svd(A[[0, n // 2, n - 1]], compute_uv=False)[:, -1].min() < RANK_TOLERANCE:
        return None
    try:
        x = np.linalg.solve(A, h[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return None
    scale = np.abs(h).max(axis=1, keepdims=True) + 1e-3
    if (
        not (np.abs(x) < scale / RANK_TOLERANCE).all()
        or not (np.abs(np.einsum("nij,nj->ni", A, x) - h) < RESIDUAL_TOLERANCE * scale).all()
    ):
        return None
    tau = np.zeros_like(h)
    tau[:, driven] = x[:, :count]
    return tau, x[:, count:]


def _check_actuation(dyn: Dynamics, missing: np.ndarray, h: np.ndarray, driven: np.ndarray, freedom: int, t: np.ndarray) -> None:
    largest_missing = np.abs(missing).max(axis=1, initial=0.0)
    violated = largest_missing > RESIDUAL_TOLERANCE * (1e-3 + np.abs(h).max(axis=1))
    if not violated.any():
        return
    k = int(np.argmax(np.where(violated, largest_missing, 0.0)))
    names = [n for n, d in zip(dyn.mechanism.speed_names, driven, strict=True) if d]
    actuator_text = (
        f"{len(names)} actuated coordinate{'s' * (len(names) > 1)} ({', '.join(names[:8])})" if names else "no actuators"
    )
    if len(names) < freedom:
        reason = f"it is under-actuated: it has {freedom} degrees of freedom and {actuator_text}"
    else:
        freedom_text = "its degree of freedom" if freedom == 1 else f"all of its {freedom} degrees of freedom"
        reason = f"its actuated joints ({', '.join(names[:8])}) do not control {freedom_text} there"
    raise _actuation_error(
        t[k],
        f"{dyn.mechanism.name}: no torques of the actuated joints bring this motion about at t = {t[k]:.6g} s; a generalised "
        f"force of {largest_missing[k]:.3g} is missing. {reason[0].upper()}{reason[1:]}. Mark further joints "
        f"`actuated = true`, or choose another path",
    )


def _check_tree_actuation(dyn: Dynamics, h: np.ndarray, driven: np.ndarray, t: np.ndarray) -> None:
    missing = np.where(driven, 0.0, np.abs(h))
    violated = missing.max(axis=1, initial=0.0) > RESIDUAL_TOLERANCE * (1e-3 + np.abs(h).max(axis=1, initial=0.0))
    if not violated.any():
        return
    k = int(np.argmax(np.where(violated, missing.max(axis=1), 0.0)))
    name = dyn.mechanism.speed_names[int(np.argmax(missing[k]))]
    raise _actuation_error(
        t[k],
        f"{dyn.mechanism.name}: it is under-actuated: {name} is passive, and this motion needs {missing[k].max():.3g} there at "
        f"t = {t[k]:.6g} s. Mark it `actuated = true`, or choose a motion that needs no force there",
    )


def _actuation_error(t: float, message: str) -> ActuationError:
    return ActuationError(message, t=float(t))


def check_controllability(follower: Follower, external_wrenches: ExternalWrenches, t: np.ndarray, q: np.ndarray) -> None:
    """Raise an error where the path passes a singularity of the actuated joints; warn where it comes near one."""
    dyn = follower.dyn
    passive = ~actuated_speed_mask(dyn.mechanism)
    if not dyn.mechanism.equation_count or not 0 < passive.sum() <= len(dyn.constraint_names):
        return
    K = _passive_jacobian(follower, t, q, passive)
    smallest, signs = np.linalg.svd(K, compute_uv=False)[:, -1], _determinant_signs(K)
    crossings = np.flatnonzero(signs[1:] * signs[:-1] < 0)
    for k in crossings:
        _check_crossing(follower, external_wrenches, _crossing_time(follower, t[k], t[k + 1], passive), passive)
    worst = int(np.argmin(smallest))
    if not crossings.size and smallest[worst] < NEAR_SINGULAR_TOLERANCE:
        warn(
            f"{dyn.mechanism.name}: the path passes near a singularity at t = {t[worst]:.6g} s, where the actuated joints do not "
            f"control the passive ones (the smallest singular value of their constraint Jacobian is {smallest[worst]:.2g}); "
            f"torques may be large there",
            PathWarning,
        )


def _check_crossing(follower: Follower, external_wrenches: ExternalWrenches, t: float, passive: np.ndarray) -> None:
    dyn, times = follower.dyn, np.array([t])
    q, qd, qdd = follower(times)
    free = np.zeros(dyn.nv)
    free[passive] = np.linalg.svd(_passive_jacobian(follower, times, q, passive)[0])[2][-1]
    h = dyn.inverse_dynamics(q, qd, qdd, external_wrenches(times, q, qd) or None)[0]
    if abs(free @ h) <= FORCE_TOLERANCE * np.abs(h).max(initial=0.0) + 1e-12:
        return
    names = dyn.mechanism.coordinate_names
    configuration_text = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q[0], strict=False))
    moving = [n for n, x in zip(dyn.mechanism.speed_names, free, strict=True) if abs(x) > 0.1]
    raise ActuationError(
        f"{dyn.mechanism.name}: the path passes a singularity at t = {t:.6g} s ({configuration_text}): with the actuated joints "
        f"held, {', '.join(moving[:6])} can still move there, and the torques grow without bound. Choose another branch with q0, "
        f"a path that avoids it, or more actuated joints",
        t=float(t),
    )


def _crossing_time(follower: Follower, low: float, high: float, passive: np.ndarray) -> float:
    """Return when the determinant is zero, between two times at which its signs differ."""

    def sign(t: float) -> float:
        times = np.array([t])
        return float(_determinant_signs(_passive_jacobian(follower, times, follower(times)[0], passive))[0])

    first_sign = sign(low)
    for _ in range(40):
        middle = 0.5 * (low + high)
        same = sign(middle) == first_sign
        low, high = (middle, high) if same else (low, middle)
    return high


def _passive_jacobian(follower: Follower, t: np.ndarray, q: np.ndarray, passive: np.ndarray) -> np.ndarray:
    """Return K*, the constraint Jacobian of the passive speeds with rows of length one."""
    return unit_rows(follower.dyn.constraint_jacobian(q, t))[0][:, :, passive]


def _determinant_signs(K: np.ndarray) -> np.ndarray:
    """Return the signs of the determinants of K*; they are 1 if K* is not square."""
    return np.asarray(np.linalg.slogdet(K)[0]) if K.shape[1] == K.shape[2] else np.ones(len(K))
