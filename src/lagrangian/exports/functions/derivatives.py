"""Exact derivatives of inverse and forward dynamics; those by q are along the speeds.

With r = M qdd + C qd + G + F - tau - Psi^T lambda and c = Psi qdd + gamma, derivatives of the accelerations follow from those
of r and c at fixed qdd and lambda, and one linear system (Carpentier and Mansard 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lagrangian.algorithms.closed.constrained import Constrained
from lagrangian.algorithms.factorised import Factorised
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.tree import Tree
from lagrangian.exports.functions.dynamics import accelerations
from lagrangian.exports.functions.function import Function
from lagrangian.exports.model import Model
from lagrangian.exports.routine import Argument
from lagrangian.kernels.programs.derivatives import LARGEST, residual_derivatives


class _Row(NamedTuple):
    name: str
    psi: dict[int, Any]


class _Masses:
    """What the multipliers' equations need of a state."""

    def __init__(self, tree: Tree, mass_matrix: list[Any]) -> None:
        self.tree, self.mass_matrix = tree, mass_matrix
        self.factors = Factorised(tree, mass_matrix)


def _slopes(model: Model, **given: list[Any]) -> list[list[Any]]:
    """d r and d c, by q and then by qd: a row for every speed and every equation."""
    t = {} if model.timed else {"t": [0.0]}
    found = model.of(residual_derivatives(model.mechanism, model.tree), **given, **t)
    wide = 2 * model.nv
    return [found[k : k + wide] for k in range(0, len(found), max(1, wide))]


def of_inverse_dynamics(model: Model, frame: str = "") -> list[Any]:
    n = model.nv
    rows = _slopes(model, multipliers=[0.0] * model.equations)[:n]
    by_q, by_qd = [x for row in rows for x in row[:n]], [x for row in rows for x in row[n:]]
    return [*by_q, *by_qd, *model.sweep(MASS_MATRIX)]


def of_forward_dynamics(model: Model, frame: str = "") -> list[Any]:
    n, m = model.nv, model.equations
    found = accelerations(model)
    rows = _slopes(model, qdd=found[:n], multipliers=found[n:])
    solve = _solver(model)
    columns = [solve([-row[k] for row in rows[:n]], [row[k] for row in rows[n:]]) for k in range(2 * n)]
    columns += [solve([int(i == k) for i in range(n)], [0] * m) for k in range(n)]
    return [columns[first + k][i] for first in (0, n, 2 * n) for i in range(n) for k in range(n)]


def _solver(model: Model) -> Callable[[list[Any], list[Any]], list[Any]]:
    """x of M x - Psi^T y = right, Psi x + bias = 0."""
    masses = _Masses(model.tree, model.sweep(MASS_MATRIX))
    if not model.equations:
        return lambda right, bias: masses.factors.solve(right)
    rows = [_Row(name, {}) for name in model.closed.names]
    for i, k, x in zip(*model.closed.pattern, model.of(model.closed.jacobian()), strict=True):
        rows[i].psi[k] = x
    weights = {name: model.number(w) for name, w in model.closed.weights.items()}
    system = Constrained(masses, rows, redundant=True, weights=weights)  # type: ignore[arg-type]
    acting = [i for i, row in enumerate(rows) if row.psi]
    return lambda right, bias: system.acceleration(right, [bias[i] for i in acting])[0]


def _refused(model: Model) -> str:
    if model.nv > LARGEST:
        return f"it has {model.nv} speeds, and derivatives of more than {LARGEST} are not written out"
    if model.friction.planes:
        return "dry friction in planes is not differentiated"
    return ""


def _of(name: str, what: str, last: str) -> Callable[[Model], tuple[Argument, ...]]:
    def outputs(model: Model) -> tuple[Argument, ...]:
        shape = (model.nv, model.nv)
        names = (f"{name}_q", "by q, along the speeds"), (f"{name}_qd", "by qd"), (f"{name}_{last}", f"by {last}")
        return tuple(Argument(label, shape, f"the derivative of {what} {by}") for label, by in names)

    return outputs


FUNCTIONS = (
    Function(
        "inverse_dynamics_derivatives",
        "The derivatives of the joint forces by q, qd and qdd.",
        ("q", "qd", "qdd"),
        _of("tau", "tau", "qdd"),
        of_inverse_dynamics,
        refused=_refused,
    ),
    Function(
        "forward_dynamics_derivatives",
        "The derivatives of the accelerations by q, qd and tau, with the constraints kept.",
        ("q", "qd", "tau"),
        _of("qdd", "qdd", "tau"),
        of_forward_dynamics,
        timed=True,
        refused=_refused,
    ),
)
