"""Exact derivatives of inverse and forward dynamics at given states, from those of the residual.

The residual's derivatives are a program of `programs.derivatives`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import (
    Kernel,
    as_rows,
)
from lagrangian.kernels.programs.derivatives import solve_accelerations

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics


def inverse_dynamics_derivatives(dyn: Dynamics, residual: Kernel, motion: tuple[ArrayLike, ...]) -> tuple[np.ndarray, ...]:
    """The matrices that `Dynamics.inverse_dynamics_derivatives` gives for the motion (q, qd, qdd)."""
    n, m = dyn.nv, dyn.mechanism.equation_count
    (q, qd, qdd), batch = as_rows("inverse_dynamics_derivatives", ("q", "qd", "qdd"), (dyn.nq, n, n), motion)
    slopes = _residual_derivatives(residual, q, qd, qdd, np.zeros((1, m)), np.zeros((1, 1)))[:, :n]
    slopes = slopes[0] if batch is None else slopes
    M = dyn.mass_matrix(q[0] if batch is None else q)
    return slopes[..., :n], slopes[..., n:], np.broadcast_to(M, (*slopes.shape[:-2], n, n))


def _residual_derivatives(
    residual: Kernel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, multipliers: np.ndarray, times: np.ndarray
) -> np.ndarray:
    """Derivatives of the residuals of the equations of motion and of the constraints, by q and by qd, for each state."""
    forces = (multipliers,) if multipliers.shape[1] else ()
    derivatives: np.ndarray = residual(q, qd, qdd, *forces, times)
    return derivatives


def forward_dynamics_derivatives(
    dyn: Dynamics, residual: Kernel, motion: tuple[ArrayLike, ...], t: ArrayLike
) -> tuple[np.ndarray, ...]:
    """The matrices that `Dynamics.forward_dynamics_derivatives` gives for the motion (q, qd, tau)."""
    n, m = dyn.nv, dyn.mechanism.equation_count
    (q, qd, tau), batch = as_rows("forward_dynamics_derivatives", ("q", "qd", "tau"), (dyn.nq, n, n), motion)
    count, times = len(q), array(t, "t").reshape(-1, 1)
    if len(times) not in (1, count):
        message = f"has {len(times)} times, and there are {count} states"
        raise ArgumentError(message, where="forward_dynamics_derivatives", argument="t", remedy="they must agree")
    qdd = dyn.forward_dynamics(q, qd, tau, t=t)
    forces = dyn.multipliers(q, qd, tau, t=t) if m else np.zeros((1, 0))
    slopes = _residual_derivatives(residual, q, qd, qdd, forces, times)
    psi = np.broadcast_to(dyn.constraint_jacobian(q, t), (count, m, n)) if m else np.zeros((count, 0, n))
    right = np.concatenate([-slopes[:, :n], np.broadcast_to(np.eye(n), (count, n, n))], axis=2)
    bias = np.concatenate([-slopes[:, n:], np.zeros((count, m, n))], axis=2)
    x = solve_accelerations(dyn.mass_matrix(q), psi, right, bias, dyn.mechanism.speed_names)
    x = x[0] if batch is None else x
    return x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]
