"""What drives a linkage: the force at its input, at rest and at a constant speed, and the forces of its constraints.

With q' = dq/dx along the input x, virtual work gives the force at the input as q'^T h, where h = M qdd + C qd + G + F is that of
the open tree: along q' the forces of constraints do no work. At a constant speed v of the input, qd = q' v and qdd = q'' v^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.freedom import MIN_REGULARITY
from lagrangian.design.linkage import Linkage
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.least_squares import scaled_minimum_norm_solution

STEP = 1e-3  # rad or m: of finite differences along a branch


@dataclass(frozen=True, eq=False)
class LinkageForces:
    """Rows of forces along a cycle; they are NaN where the input stands still, since it cannot move the other joints there."""

    acceleration_ratios: np.ndarray
    torque: np.ndarray
    static_torque: np.ndarray
    inertial_torque: np.ndarray
    friction_torque: np.ndarray
    multipliers: np.ndarray
    wrenches: dict[str, np.ndarray]


def linkage_forces(
    linkage: Linkage,
    external_wrenches: ExternalWrenches,
    x: np.ndarray,
    q: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
    speed: float,
) -> LinkageForces:
    """The forces at rows of configurations; `ratio_function` gives the velocity ratios at values of the input."""
    dyn = linkage.dyn
    ratios = ratio_function(x)
    finite = np.isfinite(ratios).all(axis=1)
    velocity_ratios = np.where(finite[:, None], ratios, 0.0)
    acceleration_ratios = _acceleration_ratios(linkage, x, q, velocity_ratios, ratio_function)
    qd, qdd = speed * velocity_ratios, speed**2 * acceleration_ratios
    t = (x - x[0]) / speed if speed else np.zeros(len(x))
    wrenches = external_wrenches(t, q, qd)
    zero_speeds = np.zeros_like(qd)
    h = np.asarray(dyn.inverse_dynamics(q, qd, qdd, wrenches or None))
    at_rest = np.asarray(dyn.inverse_dynamics(q, zero_speeds, zero_speeds, external_wrenches(t, q, zero_speeds) or None))
    torque, static = ((velocity_ratios * part).sum(axis=1) for part in (h, at_rest))
    friction = (velocity_ratios * np.asarray(dyn.friction(qd, q=q))).sum(axis=1)
    multipliers = _constraint_multipliers(linkage, q, h, torque)

    def mask_rows(rows: np.ndarray) -> np.ndarray:
        return np.where(finite if rows.ndim == 1 else finite[:, None], rows, np.nan)

    return LinkageForces(
        acceleration_ratios=mask_rows(acceleration_ratios),
        torque=mask_rows(torque),
        static_torque=mask_rows(static),
        inertial_torque=mask_rows(torque - static - friction),
        friction_torque=mask_rows(friction),
        multipliers=mask_rows(multipliers),
        wrenches=wrenches,
    )


def _rows_with_constraints(linkage: Linkage, q: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The constraint Jacobian, with a row for each of these coordinates."""
    indices = single_coordinates(linkage.dyn.mechanism)
    rows = np.zeros((len(q), len(names), linkage.dyn.nv))
    for k, name in enumerate(names):
        rows[:, k, indices[name][1]] = 1.0
    return np.concatenate([linkage.dyn.constraint_jacobian(q), rows], axis=1) if linkage.freedom.loops else rows


def _acceleration_ratios(
    linkage: Linkage,
    x: np.ndarray,
    q: np.ndarray,
    velocity_ratios: np.ndarray,
    ratio_function: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """q'' = d2q/dx2 from Psi q'' + gamma(q, q') = 0, with zero for the input itself.

    At a change point, where branches meet, these equations do not tell them apart: there a difference along this branch serves.
    """
    if not linkage.freedom.loops:
        return np.zeros_like(velocity_ratios)
    A = _rows_with_constraints(linkage, q, (*linkage.fixed, linkage.input))
    b = np.zeros(A.shape[:2])
    m = A.shape[1] - len(linkage.fixed) - 1
    b[:, :m] = -np.asarray(linkage.dyn.constraint_bias(q, velocity_ratios))
    acceleration_ratios = scaled_minimum_norm_solution(A, b, full_rank=True)
    near_change_point = linkage.freedom.regularity(q) < MIN_REGULARITY
    if near_change_point.any():
        forward, backward = (ratio_function(x[near_change_point] + sign * STEP) for sign in (1, -1))
        acceleration_ratios[near_change_point] = (forward - backward) / (2 * STEP)
    return acceleration_ratios


def _constraint_multipliers(linkage: Linkage, q: np.ndarray, h: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The multipliers of the constraints: Psi^T lambda is h less the forces at the input and at the fixed coordinates."""
    m = len(linkage.dyn.constraint_names)
    if not m:
        return np.zeros((len(q), 0))
    remaining = h.copy()
    remaining[:, linkage.iv] -= torque
    finite = np.isfinite(remaining).all(axis=1)
    A = np.swapaxes(_rows_with_constraints(linkage, q, linkage.fixed), 1, 2)
    multipliers = scaled_minimum_norm_solution(A, np.where(finite[:, None], remaining, 0.0))[:, :m]
    return np.where(finite[:, None], multipliers, np.nan)
