"""Whether the actuated joints command a mechanism along its path: where they lose it, torques grow without bound.

With the actuated joints held, the passive ones can still move where their columns of Psi, the lectures' K*, lose rank (Gosselin
and Angeles 1990, singularities of the second type). A path passes through such a place with finite torques only if nothing
pushes along that motion there (Briot and Arakelian 2008).
"""

from __future__ import annotations

import numpy as np

from lagrangian.errors import ActuationError, PathWarning, warn
from lagrangian.inverse_dynamics.actuation import actuated_speeds
from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.linear import unit_rows
from lagrangian.kinematics.follower import NEAR_SINGULAR, Follower

PUSHED = 1e-6  # of the largest force: what counts as none


def check_command(follower: Follower, outside: Outside, t: np.ndarray, q: np.ndarray) -> None:
    """An error where the path passes a place at which command is lost, a warning where it comes near one."""
    dyn = follower.dyn
    passive = ~actuated_speeds(dyn)
    if not dyn.mechanism.equations or not 0 < passive.sum() <= len(dyn.constraint_names):
        return
    least, side = _measures(follower, t, q, passive)
    through = np.flatnonzero(side[1:] * side[:-1] < 0)
    for k in through:
        _check_place(follower, outside, _crossing(follower, t[k], t[k + 1], passive), passive)
    worst = int(np.argmin(least))
    if not through.size and least[worst] < NEAR_SINGULAR:
        warn(
            f"{dyn.mechanism.name}: the path passes near a singularity at t = {t[worst]:.6g} s, where the actuated joints do not "
            f"control the passive ones (the smallest singular value of their constraint Jacobian is {least[worst]:.2g}); torques "
            f"may be large there",
            PathWarning,
        )


def _measures(follower: Follower, t: np.ndarray, q: np.ndarray, passive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest singular value of K*, and the sign of its determinant if it has one."""
    K = unit_rows(follower.dyn.constraint_jacobian(q, t))[0][:, :, passive]
    least = np.linalg.svd(K, compute_uv=False)[:, -1]
    side = np.linalg.slogdet(K)[0] if K.shape[1] == K.shape[2] else np.ones(len(t))
    return least, side


def _crossing(follower: Follower, low: float, high: float, passive: np.ndarray) -> float:
    """When the determinant is zero, between two times at which its signs differ."""
    before = _measures(follower, np.array([low]), follower(np.array([low]))[0], passive)[1][0]
    for _ in range(40):
        middle = 0.5 * (low + high)
        at = np.array([middle])
        same = _measures(follower, at, follower(at)[0], passive)[1][0] == before
        low, high = (middle, high) if same else (low, middle)
    return high


def _check_place(follower: Follower, outside: Outside, t: float, passive: np.ndarray) -> None:
    dyn, at = follower.dyn, np.array([t])
    q, qd, qdd = follower(at)
    free = np.zeros(dyn.nv)
    K = unit_rows(dyn.constraint_jacobian(q, at))[0][0][:, passive]
    free[passive] = np.linalg.svd(K)[2][-1]
    h = dyn.inverse_dynamics(q, qd, qdd, outside(at, q, qd) or None)[0]
    if abs(free @ h) <= PUSHED * np.abs(h).max(initial=0.0) + 1e-12:
        return
    names = dyn.mechanism.coordinate_names
    where = ", ".join(f"{n} = {x:.6g}" for n, x in zip(names[:8], q[0], strict=False))
    moving = [n for n, x in zip(dyn.mechanism.speed_names, free, strict=True) if abs(x) > 0.1]
    raise ActuationError(
        f"{dyn.mechanism.name}: the path passes a singularity at t = {t:.6g} s ({where}): with the actuated joints held, "
        f"{', '.join(moving[:6])} can still move there, and the torques grow without bound. Choose another branch with q0, a "
        f"path that avoids it, or more actuated joints",
        t=float(t),
    )
