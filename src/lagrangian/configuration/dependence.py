"""Which constraint equations belong together, and how many of each group are independent."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.closed.constrained import Ranks
from lagrangian.algorithms.factorised import ancestors
from lagrangian.configuration.mobility import SINGULAR
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import unit_rows


def ranks(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> Ranks:
    """The groups of equations that share no motion with others, each with its rank at a configuration that is not singular."""
    psi = finite_jacobian(dyn, q, t)
    rows = unit_rows(psi)[0]
    before, _ = ancestors(dyn.tree)
    groups: list[tuple[set[int], list[int]]] = []  # speeds that move the bodies of a group, and its equations
    for i in range(len(psi)):
        speeds: set[int] = set()
        for k in np.flatnonzero(psi[i]).tolist():
            while k >= 0:
                speeds.add(k)
                k = before[k]
        equations = [i]
        for group in [g for g in groups if g[0] & speeds]:
            groups.remove(group)
            speeds |= group[0]
            equations = group[1] + equations
        groups.append((speeds, equations))
    found: dict[int, tuple[int, int]] = {}
    for number, (_, equations) in enumerate(groups):
        rank = int((np.linalg.svd(rows[equations], compute_uv=False) > SINGULAR).sum())
        found |= dict.fromkeys(equations, (number, rank))
    return tuple((name, *found[i]) for i, name in enumerate(dyn.constraint_names))
