"""Equations free of constraint forces: N^T (Y phi - tau) = 0, where the columns of N are the motions the constraints allow.

Of the speeds some are independent, the actuated ones before others; N has the identity in their rows, so that each equation is
the force of one independent speed and what the others add to it. Forces of passive joints are zero. Without constraints N is the
identity and is not used.
"""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.record import close_rows
from lagrangian.configuration.speeds import actuated_speed_mask
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE, unit_rows

STEPS, STEP = 15, 0.1  # how many steps lead from recorded configurations to general ones, and their size in rad or m
MIN_REGULARITY_SHARE = 0.3  # of the recorded configurations' distance to singular ones, where assemblies meet, must be left


class Projection:
    """The projection for a mechanism, whose independent speeds are chosen at a configuration that closes its loops."""

    def __init__(self, dyn: Dynamics, q: np.ndarray, t: float = 0.0) -> None:
        from scipy.linalg import qr

        self.dyn = dyn
        mechanism = dyn.mechanism
        self.actuated: list[int] = np.flatnonzero(actuated_speed_mask(mechanism)).tolist()
        self.independent = list(range(dyn.nv))
        if mechanism.equation_count:
            psi = unit_rows(np.atleast_2d(dyn.constraint_jacobian(q, t)))[0]
            rank = int(np.linalg.matrix_rank(psi, tol=RANK_TOLERANCE))
            passive = [k for k in range(dyn.nv) if k not in self.actuated]
            dependent: list[int] = []
            residual = psi
            for group in (passive, self.actuated):
                if group and len(dependent) < rank:
                    _, R, pivots = qr(residual[:, group], mode="economic", pivoting=True)
                    sizes = np.abs(np.diag(R))
                    selected = [group[p] for p, size in zip(pivots, sizes, strict=False) if size > 1e-6][: rank - len(dependent)]
                    dependent += selected
                    Q = np.linalg.qr(psi[:, dependent])[0]
                    residual = psi - Q @ (Q.T @ psi)
            self.independent = [k for k in range(dyn.nv) if k not in dependent]

    def set_independent(self, names: tuple[str, ...]) -> None:
        """Take other speeds as the independent ones."""
        self.independent = [self.dyn.mechanism.speed_names.index(name) for name in names]

    @property
    def dependent(self) -> list[int]:
        return [k for k in range(self.dyn.nv) if k not in self.independent]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.dyn.mechanism.speed_names[k] for k in self.independent)

    @property
    def trivial(self) -> bool:
        return not self.dependent

    def basis(self, q: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrix N of every row, and the pseudoinverse that gives the dependent speeds."""
        psi = self.dyn.constraint_jacobian(q, t)
        inverse = np.linalg.pinv(psi[:, :, self.dependent], rcond=RANK_TOLERANCE)
        N = np.zeros((len(q), self.dyn.nv, len(self.independent)))
        N[:, self.independent] = np.eye(len(self.independent))
        N[:, self.dependent] = -inverse @ psi[:, :, self.independent]
        return N, inverse

    def smallest_singular_value(self, q: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The distance of each row from singular ones: the smallest singular value of the dependent speeds' part of Psi."""
        singular_values = np.linalg.svd(self.dyn.constraint_jacobian(q, t)[:, :, self.dependent], compute_uv=False)
        smallest: np.ndarray = singular_values[:, len(self.dependent) - 1]
        return smallest

    def full_rates(self, q: np.ndarray, u: np.ndarray, a: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute all speeds and accelerations from the independent ones."""
        if self.trivial:
            return u, a
        N, inverse = self.basis(q, t)
        qd = np.einsum("sij,sj->si", N, u)
        qd[:, self.dependent] -= np.einsum("sij,sj->si", inverse, self.dyn.constraint_rate(q, np.zeros_like(qd), t))
        qdd = np.einsum("sij,sj->si", N, a)
        qdd[:, self.dependent] -= np.einsum("sij,sj->si", inverse, self.dyn.constraint_bias(q, qd, t))
        return qd, qdd

    def project(self, q: np.ndarray, t: np.ndarray, *forces: np.ndarray) -> list[np.ndarray]:
        """Multiply arrays, whose second axis is that of the speeds, by N^T."""
        if self.trivial:
            return list(forces)
        N, _ = self.basis(q, t)
        return [np.einsum("sij,si...->sj...", N, x) for x in forces]


def general_states(
    projection: Projection, count: int, configurations: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Random states that keep the constraints: q, qd, qdd and t = 0.

    With loops, configurations are reached from the given ones by small steps, so that they are assembled in the same way: in
    another assembly, a parallelogram that has crossed over, say, other parameters may act together.
    """
    dyn = projection.dyn
    if projection.trivial:
        q = np.array([dyn.mechanism.random_configuration(rng) for _ in range(count)])
        qd, qdd = rng.normal(size=(2, count, dyn.nv))
        return q, qd, qdd, np.zeros(count)
    t = np.zeros(count)
    q = configurations[rng.integers(len(configurations), size=count)]
    if dyn.nq == dyn.nv:
        u = rng.normal(size=(count, len(projection.independent)))
        u /= np.abs(u).max(axis=1, keepdims=True)
        min_regularity = MIN_REGULARITY_SHARE * projection.smallest_singular_value(q, t)
        for _ in range(STEPS):
            N, _ = projection.basis(q, t)
            step = np.einsum("sij,sj->si", N, u)
            step *= STEP / np.abs(step).max(axis=1, keepdims=True)
            trial, is_closed = close_rows(dyn, q + step, t)
            accepted = (
                is_closed
                & (np.abs(trial - q).max(axis=1) < 2 * STEP)
                & (projection.smallest_singular_value(trial, t) > min_regularity)
            )
            q = np.where(accepted[:, None], trial, q)
    u, a = rng.normal(size=(2, count, len(projection.independent)))
    qd, qdd = projection.full_rates(q, u, a, t)
    regular = np.isfinite(qdd).all(axis=1) & (np.abs(qd).max(axis=1) < 100)  # not beside a singular configuration
    if regular.sum() < count // 4:
        raise ArgumentError(
            f"{dyn.mechanism.name}: the recorded configurations are singular, so the loops do not determine the motion"
        )
    return q[regular], qd[regular], qdd[regular], t[regular]
