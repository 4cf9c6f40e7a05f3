"""Which constraint equations belong together, and how many of each group are independent."""

from __future__ import annotations

import numpy as np

from lagrangian.algorithms.closed.cholesky import grouped
from lagrangian.algorithms.closed.constrained import Ranks
from lagrangian.algorithms.closed.constraints import owner
from lagrangian.algorithms.factorised import ancestors
from lagrangian.configuration.mobility import SINGULAR
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.kernels.direct import elimination_order
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import unit_rows


def ranks(dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> Ranks:
    """Of each loop and constraint, how many equations do not follow from its others and from those before it.

    At a configuration that is not singular. Equations that share no motion do not follow from each other. Those before are those
    that code eliminates before: of long mechanisms the loops further out.
    """
    rows = unit_rows(finite_jacobian(dyn, q, t))[0]
    owners = [owner(name) for name in dyn.constraint_names]
    place = {i: k for k, i in enumerate(elimination_order(dyn))}
    found: dict[int, tuple[int, int]] = {}
    for equations in _connected(dyn, rows):
        before = np.zeros((0, rows.shape[1]))  # an orthonormal basis of the rows so far
        equations = sorted(equations, key=place.__getitem__)
        for part in grouped([owners[i] for i in equations]):
            own = [equations[i] for i in part]
            rest = rows[own]
            for _ in range(2):  # what rounding leaves of the first time is taken off the second
                rest = rest - (rest @ before.T) @ before
            _, sizes, directions = np.linalg.svd(rest, full_matrices=False)
            rank = int((sizes > SINGULAR).sum())
            before = np.vstack([before, directions[:rank]])
            found |= dict.fromkeys(own, (own[0], rank))
    return tuple((name, *found[i]) for i, name in enumerate(dyn.constraint_names))


def _connected(dyn: Dynamics, rows: np.ndarray) -> list[list[int]]:
    """Groups of equations that share no motion with others, in order."""
    before, _ = ancestors(dyn.tree)
    groups: list[tuple[set[int], list[int]]] = []  # speeds that move the bodies of a group, and its equations
    for i in range(len(rows)):
        speeds: set[int] = set()
        for k in np.flatnonzero(rows[i]).tolist():
            while k >= 0:
                speeds.add(k)
                k = before[k]
        equations = [i]
        for group in [g for g in groups if g[0] & speeds]:
            groups.remove(group)
            speeds |= group[0]
            equations = group[1] + equations
        groups.append((speeds, equations))
    return [sorted(equations) for _, equations in groups]
