"""Speeds of a mechanism: those of joints with a motor, and those that satisfy the constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms import singular_mass
from lagrangian.configuration.loop_closure import EXACT_TOLERANCE
from lagrangian.configuration.slopes import check_finite, finite_jacobian
from lagrangian.errors import AssemblyError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.kernel import suppress_finite_checks
from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.model.mechanism import Mechanism


def actuated_speeds(mechanism: Mechanism) -> tuple[str, ...]:
    """The speeds of joints with a motor."""
    return tuple(name for joint in mechanism.joints if joint.actuated for name in joint.speed_names)


def actuated_speed_mask(mechanism: Mechanism) -> np.ndarray:
    """For each speed, whether its joint has a motor."""
    return np.array([joint.actuated for joint in mechanism.joints for _ in joint.speed_names], dtype=bool)


@suppress_finite_checks()
def nearest_speeds(dyn: Dynamics, q: np.ndarray, qd: np.ndarray, fixed: Sequence[str] = (), t: float = 0.0) -> np.ndarray:
    """The speeds nearest to `qd` in the metric of the mass matrix that satisfy all constraints; `fixed` ones do not change."""
    if not dyn.mechanism.equation_count:
        return qd
    rate = dyn.constraint_rate(q, qd, t)
    check_finite(dyn, rate[None], q[None], "rate")
    if np.abs(rate).max() <= EXACT_TOLERANCE:
        return qd
    names = dyn.mechanism.speed_names
    free = np.array([name not in fixed for name in names])
    psi = finite_jacobian(dyn, q, t)
    M = dyn.mass_matrix(q)[np.ix_(free, free)]
    L = singular_mass.cholesky_factor(M, psi[:, free], [name for name in names if name not in fixed])
    half = np.linalg.solve(L, psi[:, free].T).T
    speeds = qd.copy()
    speeds[free] += np.linalg.solve(L.T, np.linalg.lstsq(half, -rate, rcond=RANK_TOLERANCE)[0])
    remaining_rate = np.abs(dyn.constraint_rate(q, speeds, t))
    worst = int(np.argmax(remaining_rate))
    if remaining_rate[worst] > 1e-9 * (1 + np.abs(psi).max() * np.abs(speeds).max()):
        fixed_text = f" with {', '.join(fixed)} given" if fixed else ""
        problem = f"{dyn.constraint_names[worst]} changes at {remaining_rate[worst]:.3g} per second"
        raise AssemblyError(f"no speeds satisfy the constraints{fixed_text}: {problem}")
    return speeds
