"""Speeds that keep the constraints of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lagrangian.configuration import reading
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.configuration.loops import EXACT
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import Argument, ArgumentError, AssemblyError, one_of
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK


def consistent_speeds(
    mechanism: MechanismLike | Dynamics, q: Any, qd0: Any = None, fixed: Iterable[str] | Mapping[str, float] = (), t: float = 0.0
) -> np.ndarray:
    """Find the speeds that keep all constraints and are nearest to `qd0`, as the mass matrix measures it.

    `fixed` names speeds that keep their value in qd0, or maps them to values, as those of driven joints.
    """
    dyn = dynamics_of(mechanism)
    names = dyn.mechanism.speed_names
    q = np.asarray(q, dtype=float)
    qd = np.zeros(dyn.nv) if qd0 is None else reading.in_order(dyn.mechanism, qd0, names, "qd0")
    fixed = (fixed,) if isinstance(fixed, str) else fixed
    free = np.ones(dyn.nv, dtype=bool)
    for name in fixed:
        if name not in names:
            raise ArgumentError(one_of("speed", name, names), where=Argument("fixed"))
        free[names.index(name)] = False
        if isinstance(fixed, Mapping):
            qd[names.index(name)] = reading.number(dyn.mechanism, fixed[name], (Argument("fixed"), repr(name)))
    if not len(dyn.constraint_names):
        return qd
    rate = dyn.constraint_rate(q, qd, t)
    if np.abs(rate).max() <= EXACT:
        return qd
    psi = dyn.constraint_jacobian(q, t)
    M = dyn.mass_matrix(q)[np.ix_(free, free)]
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, psi[:, free].T).T
    qd[free] += np.linalg.solve(L.T, np.linalg.lstsq(half, -rate, rcond=RANK)[0])
    left = np.abs(dyn.constraint_rate(q, qd, t))
    worst = int(np.argmax(left))
    if left[worst] > 1e-9 * (1 + np.abs(psi).max() * np.abs(qd).max()):
        held = f" with {', '.join(fixed)} given" if list(fixed) else ""
        raise AssemblyError(
            f"no speeds keep the constraints{held}: {dyn.constraint_names[worst]} is left with a rate of {left[worst]:.3g}"
        )
    return qd
