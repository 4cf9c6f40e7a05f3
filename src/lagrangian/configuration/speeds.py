"""Speeds that keep the constraints of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.closed import massless
from lagrangian.configuration.loops import EXACT
from lagrangian.configuration.slopes import check_finite, finite_jacobian
from lagrangian.errors import AssemblyError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK
from lagrangian.kernels.not_finite import looked_at


@looked_at()
def nearest_speeds(dyn: Dynamics, q: np.ndarray, qd: np.ndarray, fixed: Sequence[str] = (), t: float = 0.0) -> np.ndarray:
    """The speeds that keep all constraints and are nearest to `qd`, as the mass matrix measures it; `fixed` ones are as given."""
    if not dyn.mechanism.equations:
        return qd
    rate = dyn.constraint_rate(q, qd, t)
    check_finite(dyn, rate[None], q[None], "rate")
    if np.abs(rate).max() <= EXACT:
        return qd
    names = dyn.mechanism.speed_names
    free = np.array([name not in fixed for name in names])
    psi = finite_jacobian(dyn, q, t)
    M = dyn.mass_matrix(q)[np.ix_(free, free)]
    L = massless.factor(M, psi[:, free], [name for name in names if name not in fixed])
    half = np.linalg.solve(L, psi[:, free].T).T
    found = qd.copy()
    found[free] += np.linalg.solve(L.T, np.linalg.lstsq(half, -rate, rcond=RANK)[0])
    left = np.abs(dyn.constraint_rate(q, found, t))
    worst = int(np.argmax(left))
    if left[worst] > 1e-9 * (1 + np.abs(psi).max() * np.abs(found).max()):
        held = f" with {', '.join(fixed)} given" if fixed else ""
        raise AssemblyError(
            f"no speeds satisfy the constraints{held}: {dyn.constraint_names[worst]} changes at {left[worst]:.3g} per second"
        )
    return found
