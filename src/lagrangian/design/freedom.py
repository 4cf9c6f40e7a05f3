"""The one freedom of a mechanism whose loops are closed and whose other coordinates are held: its direction, and the way back.

Angles count as they are and lengths in parts of the mechanism's size, so that a step along the freedom has one measure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lagrangian.algorithms.closed.constrained import ROUNDING
from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.mobility import SINGULAR, regular
from lagrangian.configuration.newton import Newton
from lagrangian.configuration.slopes import finite_jacobian
from lagrangian.errors import ArgumentError
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import RANK
from lagrangian.model.mechanism import Mechanism

LOST = 1e-4  # of constraints' slopes: how independent they are next to a change point
CLOSED = 1e-11  # of the slopes' size: what loops may miss by on the way


def size_of(mechanism: Mechanism) -> float:
    """A length that is typical of a mechanism: the longest one in it; one metre where it has none."""
    places = [place for j in mechanism.joints for place in (j.placement, j.child_placement)]
    places += [place for x in mechanism.loops for place in (x.a_placement, x.b_placement)]
    places += [f.placement for f in mechanism.frames]
    lengths = [float(np.linalg.norm([float(x) for x in place.position])) for place in places]
    return max([x for x in lengths if x > 0], default=1.0)


def units_of(mechanism: Mechanism) -> np.ndarray:
    """What each speed is measured by: 1 for angles, the mechanism's size for lengths."""
    slides = np.array([slides for joint in mechanism.joints for slides in joint.slides], dtype=bool)
    return np.where(slides, size_of(mechanism), 1.0)


def row_sizes(dyn: Dynamics, q: np.ndarray, units: np.ndarray) -> np.ndarray:
    """What each constraint's slopes are measured by, everywhere: their length where they do not vanish, at q or near it."""
    near = finite_jacobian(dyn, np.array([q, regular(dyn, q)])) * units
    size = np.linalg.norm(near, axis=2).max(axis=0, initial=0.0)
    return np.where(size > ROUNDING, size, 1.0)


class Freedom:
    """The direction in which a mechanism can move, with the coordinates in `held` standing still."""

    def __init__(self, dyn: Dynamics, held: Sequence[str], q: np.ndarray) -> None:
        self.dyn, self.held = dyn, tuple(held)
        self.loops = Loops(dyn, 0.0, held)
        self.units = units_of(dyn.mechanism)
        self.free = np.flatnonzero(self.loops.free)
        self._newton = Newton(self.loops, self.loops.free, self.units, damped=False, iterations=12)
        self._refuse_others()
        self._sizes = row_sizes(dyn, q, self.units)[:, None] if self.loops else np.ones((0, 1))
        self.degrees = len(self.free) - self._generic_rank(q)

    def _refuse_others(self) -> None:
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
        near = [q, regular(self.dyn, q)]
        return int(max((np.linalg.svd(self._rows(x[None])[0], compute_uv=False) > SINGULAR).sum() for x in near))

    @cached_property
    def rank(self) -> int:
        """Of the constraints, everywhere but in singular configurations."""
        return len(self.free) - self.degrees

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """The constraints' slopes along the coordinates that are free, without units.

        Rows are not made of length one: where one vanishes, branches meet.
        """
        psi: np.ndarray = finite_jacobian(self.dyn, q) * self.units / self._sizes
        return psi[:, :, self.free]

    def tangent(self, q: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The directions at rows of configurations, of length one; where there are several, the nearest to `near`."""
        found = np.zeros((len(q), self.dyn.nv))
        near = np.broadcast_to(near, found.shape)[:, self.free]
        if not self.loops:
            found[:, self.free] = near / np.linalg.norm(near, axis=1, keepdims=True)
            return found
        _, s, Vt = np.linalg.svd(self._rows(q))
        idle = np.ones((len(q), len(self.free)), dtype=bool)
        idle[:, : s.shape[1]] = s < RANK
        idle[:, self.rank :] = True
        part = np.einsum("nkv,nv->nk", Vt, near) * idle
        along = np.einsum("nkv,nk->nv", Vt, part)
        found[:, self.free] = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
        return found

    def regularity(self, q: np.ndarray) -> np.ndarray:
        """Of rows of configurations, the least singular value of the constraints that is not zero everywhere.

        Where it vanishes branches meet, and the direction is not determined by the place.
        """
        if not self.loops or not self.rank:
            return np.ones(len(q))
        found: np.ndarray = np.linalg.svd(self._rows(q), compute_uv=False)[:, self.rank - 1]
        return found

    def any_tangent(self, q: np.ndarray) -> np.ndarray:
        """A direction at one configuration, either way along."""
        if not self.loops:
            return self.tangent(q[None], np.ones(self.dyn.nv))[0]
        near = np.zeros(self.dyn.nv)
        near[self.free] = np.linalg.svd(self._rows(q[None])[0])[2][-1]
        return self.tangent(q[None], near)[0]

    def stepped(self, q: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of configurations moved by steps and brought back onto the loops; and by how far, infinite where it failed."""
        there = moved(self.dyn.mechanism, q, step * self.units)
        if not self.loops:
            return there, np.zeros(len(there))
        found = self._newton.solve(there)
        return found.q, np.where(found.miss <= CLOSED, found.way, np.inf)

    def rates(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """How all coordinates change along tangents: dq/ds, of quaternions too."""
        if self.dyn.nq == self.dyn.nv:
            return tangent * self.units
        h = 1e-6
        ahead, back = (moved(self.dyn.mechanism, q, sign * h * tangent * self.units) for sign in (1, -1))
        found: np.ndarray = (ahead - back) / (2 * h)
        return found
