"""Exact derivatives of the equations of motion, differentiated on the trace and solved for implicitly.

With r = M qdd + C qd + G + F - tau - Psi^T lambda = 0 and c = Psi qdd + gamma = 0, derivatives of the accelerations follow from
those of r and c at fixed qdd and lambda (Carpentier and Mansard 2018), which are short, and one linear system. A derivative by q
is along the speeds: it says how things change when the configuration moves at unit speed, also where q has quaternions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.algorithms import singular_mass, springs
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.algorithms.constraints.rows import coordinate_rates
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.structure import Structure
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.arguments import array
from lagrangian.errors import ArgumentError
from lagrangian.kernels.kernel import Kernel, as_rows
from lagrangian.kernels.least_squares import RANK_TOLERANCE, mask_not_finite
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import digest, traced_state
from lagrangian.kernels.programs.sweeps import links_at_state
from lagrangian.kernels.trace.derivative import directional_derivative
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    from lagrangian.kernels.dynamics import Dynamics

MAX_SPEEDS = 40  # up to which derivatives are written out: their code grows with the square of the number of speeds
Torques = Callable[[Graph, MechanismState], list[Any]]


def residual_derivatives(
    mechanism: Mechanism,
    tree: Tree,
    torques: Torques | None = None,
    inputs: int = 0,
    key: bytes = b"",
    structure: Structure | None = None,
) -> TracedProgram:
    """d r / dq, d r / dqd, d c / dq, d c / dqd, from q, qd, qdd, the multipliers, further inputs u of the torques, and t.

    `structure` is one whose numbers have those of the torques behind them.
    """
    n, m = tree.nv, mechanism.equation_count
    if n > MAX_SPEEDS:
        raise ArgumentError(
            f"derivatives of {mechanism.name} are not available: it has {n} speeds, and at most {MAX_SPEEDS} are supported"
        )
    structure = Structure(mechanism, regroup(tree)) if structure is None else structure
    sizes = {"q": tree.nq, "qd": n, "qdd": n, "multipliers": m, "u": inputs, "t": 1}

    def outputs(graph: Graph) -> list[Any]:
        state = traced_state(graph, structure, graph.input("t", 0))
        moving_links = links_at_state(state.tree, ("q", "qd", "qdd"), graph.input, lambda x: x.cos(), lambda x: x.sin())
        r = run(INVERSE_DYNAMICS, state.tree, moving_links)
        for k, torque in springs.torques(state.mechanism, state.world, state.coordinates_by_name).items():
            r[k] = r[k] - torque
        if torques is not None:
            r = [a - b for a, b in zip(r, torques(graph, state), strict=True)]
        c: list[Any] = []
        for i, row in enumerate(state.rows):
            total = row.gamma
            for k, x in row.psi.items():
                r[k] = r[k] - x * graph.input("multipliers", i)
                total = total + x * graph.input("qdd", k)
            c.append(total)
        residuals = [*r, *c]
        columns = []
        for k in range(n):
            unit = [int(j == k) for j in range(n)]
            rates = coordinate_rates(mechanism, state.q, unit)
            columns.append(
                directional_derivative(graph, residuals, {x.index: rate for x, rate in zip(state.q, rates, strict=True)})
            )
        columns += [directional_derivative(graph, residuals, {x.index: 1}) for x in state.qd]
        return [columns[k][i] for i in range(n + m) for k in range(2 * n)]

    nonempty_sizes = {name: size for name, size in sizes.items() if size}
    numbers = structure.numbers
    return TracedProgram(
        "residual_derivatives", nonempty_sizes, (n + m, 2 * n), tree.angles, outputs, digest(structure) + key, numbers
    )


def rate_derivatives(mechanism: Mechanism, tree: Tree) -> TracedProgram:
    """d (Psi qd + phi) / dq, along the speeds, from q, qd and t."""
    n, m = tree.nv, mechanism.equation_count
    structure = Structure(mechanism, regroup(tree))

    def outputs(graph: Graph) -> list[Any]:
        state = traced_state(graph, structure, graph.input("t", 0))
        rates = [row.rate for row in state.rows]
        columns = []
        for k in range(n):
            moves = coordinate_rates(mechanism, state.q, [int(j == k) for j in range(n)])
            columns.append(directional_derivative(graph, rates, {x.index: move for x, move in zip(state.q, moves, strict=True)}))
        return [columns[k][i] for i in range(m) for k in range(n)]

    sizes = {"q": tree.nq, "qd": n, "t": 1}
    return TracedProgram("rate_derivatives", sizes, (m, n), tree.angles, outputs, digest(structure), structure.numbers)


def holonomic_mask(mechanism: Mechanism, tree: Tree) -> np.ndarray:
    """Which constraint equations are equations of coordinates, and not of speeds alone."""
    graph = Graph()
    state = traced_state(graph, Structure(mechanism, regroup(tree)), graph.input("t", 0))
    return np.array([row.eta is not None for row in state.rows], dtype=bool)


# -- at given states ------------------------------------------------------------------------------------------------------


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


def solve_accelerations(
    M: np.ndarray, psi: np.ndarray, right: np.ndarray, bias: np.ndarray, names: Sequence[str] = ()
) -> np.ndarray:
    """x of M x - Psi^T y = right, Psi x = bias, for matrices of right sides; dependent rows of Psi are left out.

    `names` are those of the speeds, for an error that tells which of them nothing determines.
    """
    stacked = np.concatenate([M, np.broadcast_to(psi, (*M.shape[:-2], *psi.shape[-2:]))], axis=-2)
    _, bad = mask_not_finite(stacked)
    if bad is not None:  # what is not a number must not hide those that are
        M, psi = np.where(bad, np.eye(M.shape[-1]), M), np.where(bad, 0.0, psi)
        return np.where(bad, np.nan, solve_accelerations(M, psi, np.where(bad, 0.0, right), np.where(bad, 0.0, bias), names))
    L = singular_mass.cholesky_factor(M, psi, names)
    free = np.linalg.solve(L, right)
    if not psi.shape[-2]:
        return np.linalg.solve(np.swapaxes(L, -1, -2), free)
    half = np.linalg.solve(L, np.swapaxes(psi, -1, -2))  # n x m
    inverse = np.linalg.pinv(np.swapaxes(half, -1, -2), rcond=RANK_TOLERANCE)  # n x m, of rank-deficient rows too
    constrained = free + inverse @ (bias - np.swapaxes(half, -1, -2) @ free)
    return np.linalg.solve(np.swapaxes(L, -1, -2), constrained)
