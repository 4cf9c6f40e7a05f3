"""The single degree of freedom of a mechanism with closed loops and fixed coordinates: its direction, and steps along it.

Angles count in radians and lengths in parts of the mechanism's size, so that a step along the freedom has one measure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import integrate, speed_scales
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.mobility import SINGULAR_TOLERANCE, regular_configuration
from lagrangian.configuration.newton import Newton
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE

MIN_REGULARITY = 1e-4  # the least singular value of the constraints: nearer to zero, a change point is next to it
CLOSURE_TOLERANCE = 1e-11  # of the size of the constraint Jacobian: the violation of loops that counts as closed


class SingleFreedom:
    """The direction in which a mechanism can move while the coordinates `fixed` stand still."""

    def __init__(self, dyn: Dynamics, fixed: Sequence[str], q: np.ndarray) -> None:
        self.dyn, self.fixed = dyn, tuple(fixed)
        self.loops = LoopClosure(dyn, 0.0, fixed)
        self.scales = speed_scales(dyn.mechanism)
        self.free = np.flatnonzero(self.loops.free)
        self._newton = Newton(self.loops, self.loops.free, self.scales, damped=False, iterations=12)
        self._check_holonomic()
        self._row_scales = constraint_row_scales(dyn, q, self.scales)[:, None] if self.loops else np.ones((0, 1))
        self.degrees = len(self.free) - self._generic_rank(q)

    def _check_holonomic(self) -> None:
        model = self.dyn.mechanism
        if self.dyn.depends_on_time:
            raise ArgumentError(
                "has constraints that depend on time, so its configurations do not form a curve", where=model.name
            )
        if not self.dyn.holonomic.all():
            raise ArgumentError(
                "has constraints of speeds, such as rolling, which do not determine its configurations", where=model.name
            )

    def _generic_rank(self, q: np.ndarray) -> int:
        if not self.loops:
            return 0
        configurations = [q, regular_configuration(self.dyn, q)]
        return int(
            max((np.linalg.svd(self._rows(x[None])[0], compute_uv=False) > SINGULAR_TOLERANCE).sum() for x in configurations)
        )

    @cached_property
    def rank(self) -> int:
        """The rank of the constraints everywhere but in singular configurations."""
        return len(self.free) - self.degrees

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """The constraint Jacobian along the free coordinates, without units.

        Rows are not normalised at each configuration: where one vanishes, branches meet.
        """
        psi: np.ndarray = finite_jacobian(self.dyn, q) * self.scales / self._row_scales
        return psi[:, :, self.free]

    def tangent(self, q: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The unit tangents at rows of configurations; where there are several, the nearest to `near`."""
        tangents = np.zeros((len(q), self.dyn.nv))
        near = np.broadcast_to(near, tangents.shape)[:, self.free]
        if not self.loops:
            tangents[:, self.free] = near / np.linalg.norm(near, axis=1, keepdims=True)
            return tangents
        _, s, Vt = np.linalg.svd(self._rows(q))
        in_null_space = np.ones((len(q), len(self.free)), dtype=bool)
        in_null_space[:, : s.shape[1]] = s < RANK_TOLERANCE
        in_null_space[:, self.rank :] = True
        components = np.einsum("nkv,nv->nk", Vt, near) * in_null_space
        directions = np.einsum("nkv,nk->nv", Vt, components)
        tangents[:, self.free] = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
        return tangents

    def regularity(self, q: np.ndarray) -> np.ndarray:
        """The least singular value of the constraints, at rows of configurations, of those that do not vanish everywhere.

        Where it vanishes branches meet, and the configuration does not determine the direction.
        """
        if not self.loops or not self.rank:
            return np.ones(len(q))
        smallest: np.ndarray = np.linalg.svd(self._rows(q), compute_uv=False)[:, self.rank - 1]
        return smallest

    def any_tangent(self, q: np.ndarray) -> np.ndarray:
        """A unit tangent at one configuration, in either direction."""
        if not self.loops:
            return self.tangent(q[None], np.ones(self.dyn.nv))[0]
        near = np.zeros(self.dyn.nv)
        near[self.free] = np.linalg.svd(self._rows(q[None])[0])[2][-1]
        return self.tangent(q[None], near)[0]

    def move_and_close(self, q: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move rows of configurations by steps and close their loops; also how far closing moved them, infinite if it failed."""
        trial = integrate(self.dyn.mechanism, q, step * self.scales)
        if not self.loops:
            return trial, np.zeros(len(trial))
        solution = self._newton.solve(trial)
        return solution.q, np.where(solution.violation <= CLOSURE_TOLERANCE, solution.distance, np.inf)

    def rates(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """The rates dq/ds of all coordinates along tangents, those of quaternions too."""
        if self.dyn.nq == self.dyn.nv:
            return tangent * self.scales
        h = 1e-6
        forward, backward = (integrate(self.dyn.mechanism, q, sign * h * tangent * self.scales) for sign in (1, -1))
        rates_by_difference: np.ndarray = (forward - backward) / (2 * h)
        return rates_by_difference


def constraint_row_scales(dyn: Dynamics, q: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """What each row of the constraint Jacobian is divided by: its length at q or near it, where it does not vanish."""
    psi = finite_jacobian(dyn, np.array([q, regular_configuration(dyn, q)])) * scales
    size = np.linalg.norm(psi, axis=2).max(axis=0, initial=0.0)
    return np.where(size > ROUNDING_TOLERANCE, size, 1.0)
