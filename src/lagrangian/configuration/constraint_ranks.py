"""Groups of constraint equations that depend on each other, and the number of independent ones in each."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.constraints.cholesky import rows_by_owner
from lagrangian.algorithms.constraints.constrained_dynamics import GroupRanks
from lagrangian.algorithms.constraints.rows import row_owner
from lagrangian.algorithms.tree_factorisation import parent_speeds
from lagrangian.configuration.mobility import SINGULAR_TOLERANCE
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.kernels.catalogue import elimination_order
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import unit_rows


def constraint_ranks(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> GroupRanks:
    """Return how many equations of each loop and constraint do not follow from its others and from those before it.

    The configuration must not be singular. Equations that share no motion are independent. "Before" is the order in which code
    eliminates them: in long mechanisms, loops further out come first.
    """
    rows = unit_rows(finite_jacobian(dyn, q, t))[0]
    owners = [row_owner(name) for name in dyn.constraint_names]
    place = {i: k for k, i in enumerate(elimination_order(dyn))}
    ranks_by_equation: dict[int, tuple[int, int]] = {}
    for equations in _connected_equations(dyn, rows):
        basis = np.zeros((0, rows.shape[1]))  # an orthonormal basis of the rows so far
        equations = sorted(equations, key=place.__getitem__)
        for part in rows_by_owner([owners[i] for i in equations]):
            group = [equations[i] for i in part]
            remainder = rows[group]
            for _ in range(2):  # the second time removes the rounding errors of the first
                remainder = remainder - (remainder @ basis.T) @ basis
            _, sizes, directions = np.linalg.svd(remainder, full_matrices=False)
            rank = int((sizes > SINGULAR_TOLERANCE).sum())
            basis = np.vstack([basis, directions[:rank]])
            ranks_by_equation |= dict.fromkeys(group, (group[0], rank))
    return tuple((name, *ranks_by_equation[i]) for i, name in enumerate(dyn.constraint_names))


def _connected_equations(dyn: Dynamics, rows: np.ndarray) -> list[list[int]]:
    """Groups of equations that share no motion with others, in order."""
    parents, _ = parent_speeds(dyn.tree)
    groups: list[tuple[set[int], list[int]]] = []  # speeds that move the bodies of a group, and its equations
    for i in range(len(rows)):
        speeds: set[int] = set()
        for k in np.flatnonzero(rows[i]).tolist():
            while k >= 0:
                speeds.add(k)
                k = parents[k]
        equations = [i]
        for group in [g for g in groups if g[0] & speeds]:
            groups.remove(group)
            speeds |= group[0]
            equations = group[1] + equations
        groups.append((speeds, equations))
    return [sorted(equations) for _, equations in groups]
