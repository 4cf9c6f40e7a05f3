"""The one freedom of a mechanism whose loops are closed and whose other coordinates are held: its direction, and the way back.

Angles count as they are and lengths in parts of the mechanism's size, so that a step along the freedom has one measure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE
from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import integrate
from lagrangian.configuration.loop_closure import LoopClosure
from lagrangian.configuration.mobility import SINGULAR_TOLERANCE, regular_configuration
from lagrangian.configuration.newton import Newton
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.least_squares import RANK_TOLERANCE
from lagrangian.model.mechanism import Mechanism

MIN_REGULARITY = 1e-4  # of constraints' slopes: how independent they are next to a change point
CLOSURE_TOLERANCE = 1e-11  # of the slopes' size: what loops may miss by on the way


def characteristic_length(mechanism: Mechanism) -> float:
    """A length that is typical of a mechanism: the longest one in it; one metre where it has none."""
    places = [place for j in mechanism.joints for place in (j.placement, j.child_placement)]
    places += [place for x in mechanism.loops for place in (x.a_placement, x.b_placement)]
    places += [f.placement for f in mechanism.frames]
    lengths = [float(np.linalg.norm([float(x) for x in place.position])) for place in places]
    return max([x for x in lengths if x > 0], default=1.0)


def speed_scales(mechanism: Mechanism) -> np.ndarray:
    """What each speed is measured by: 1 for angles, the mechanism's size for lengths."""
    slides = np.array([slides for joint in mechanism.joints for slides in joint.slides], dtype=bool)
    return np.where(slides, characteristic_length(mechanism), 1.0)


def constraint_row_scales(dyn: Dynamics, q: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """What each constraint's slopes are measured by, everywhere: their length where they do not vanish, at q or near it."""
    slopes = finite_jacobian(dyn, np.array([q, regular_configuration(dyn, q)])) * scales
    size = np.linalg.norm(slopes, axis=2).max(axis=0, initial=0.0)
    return np.where(size > ROUNDING_TOLERANCE, size, 1.0)


class SingleFreedom:
    """The direction in which a mechanism can move, with the coordinates in `held` standing still."""

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
        """Of the constraints, everywhere but in singular configurations."""
        return len(self.free) - self.degrees

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """The constraints' slopes along the coordinates that are free, without units.

        Rows are not made of length one: where one vanishes, branches meet.
        """
        psi: np.ndarray = finite_jacobian(self.dyn, q) * self.scales / self._row_scales
        return psi[:, :, self.free]

    def tangent(self, q: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The directions at rows of configurations, of length one; where there are several, the nearest to `near`."""
        tangents = np.zeros((len(q), self.dyn.nv))
        near = np.broadcast_to(near, tangents.shape)[:, self.free]
        if not self.loops:
            tangents[:, self.free] = near / np.linalg.norm(near, axis=1, keepdims=True)
            return tangents
        _, s, Vt = np.linalg.svd(self._rows(q))
        idle = np.ones((len(q), len(self.free)), dtype=bool)
        idle[:, : s.shape[1]] = s < RANK_TOLERANCE
        idle[:, self.rank :] = True
        components = np.einsum("nkv,nv->nk", Vt, near) * idle
        directions = np.einsum("nkv,nk->nv", Vt, components)
        tangents[:, self.free] = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
        return tangents

    def regularity(self, q: np.ndarray) -> np.ndarray:
        """Of rows of configurations, the least singular value of the constraints that is not zero everywhere.

        Where it vanishes branches meet, and the direction is not determined by the place.
        """
        if not self.loops or not self.rank:
            return np.ones(len(q))
        smallest: np.ndarray = np.linalg.svd(self._rows(q), compute_uv=False)[:, self.rank - 1]
        return smallest

    def any_tangent(self, q: np.ndarray) -> np.ndarray:
        """A direction at one configuration, either way along."""
        if not self.loops:
            return self.tangent(q[None], np.ones(self.dyn.nv))[0]
        near = np.zeros(self.dyn.nv)
        near[self.free] = np.linalg.svd(self._rows(q[None])[0])[2][-1]
        return self.tangent(q[None], near)[0]

    def move_and_close(self, q: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of configurations moved by steps and brought back onto the loops; and by how far, infinite where it failed."""
        trial = integrate(self.dyn.mechanism, q, step * self.scales)
        if not self.loops:
            return trial, np.zeros(len(trial))
        solution = self._newton.solve(trial)
        return solution.q, np.where(solution.violation <= CLOSURE_TOLERANCE, solution.distance, np.inf)

    def rates(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """How all coordinates change along tangents: dq/ds, of quaternions too."""
        if self.dyn.nq == self.dyn.nv:
            return tangent * self.scales
        h = 1e-6
        forward, backward = (integrate(self.dyn.mechanism, q, sign * h * tangent * self.scales) for sign in (1, -1))
        rates_by_difference: np.ndarray = (forward - backward) / (2 * h)
        return rates_by_difference
