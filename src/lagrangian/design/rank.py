"""How near a mechanism is to losing a direction: the singular values of its constraints together with what is asked of it.

With the constraints Psi qd = 0, a motion that leaves the output at rest exists where [Psi; J] loses rank, J being the output's
Jacobian: that is a singularity of type 1. One that leaves the actuators at rest exists where [Psi; S] does, S choosing their
speeds: type 2. Where both do it is of type 3 (Gosselin and Angeles, IEEE Trans. Robot. Autom. 6, 1990). A serial arm has type 1
alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import bisect, brentq, minimize_scalar

from lagrangian.cached import cached_property
from lagrangian.design.circuit import Circuit
from lagrangian.design.freedom import row_sizes, units_of
from lagrangian.kernels.linear import RANK
from lagrangian.kinematics.requirements import Requirements

ZERO = 1e-9  # singular values that are none
SMALL = 0.5  # of their median: least values that may be none


@dataclass(frozen=True, eq=False)
class Rank:
    """The matrix of one type of singularity; `kind` is 1 or 2."""

    kind: int
    requirements: Requirements
    q: np.ndarray  # somewhere, by which constraints are measured

    @cached_property
    def _units(self) -> np.ndarray:
        return units_of(self.requirements.dyn.mechanism)

    @cached_property
    def _sizes(self) -> np.ndarray:
        return row_sizes(self.requirements.dyn, self.q, self._units)[:, None]

    def matrix(self, q: np.ndarray) -> np.ndarray:
        """Its rows without units."""
        A = self.requirements.matrix(q, np.zeros(len(q))) * self._units
        size = self.requirements.goal.sizes(q)
        m = A.shape[1] - size.shape[1]
        goal = A[:, m:] / (self._units.max() if self.kind == 2 else size[..., None])
        return np.concatenate([A[:, :m] / self._sizes, goal], axis=1) if m else goal

    def zeros(self, way: Circuit) -> list[tuple[float, np.ndarray]]:
        """Where along a curve of configurations the rank falls below what it is elsewhere: distances and configurations."""
        M = self.matrix(way.q)
        s = np.linalg.svd(M, compute_uv=False)
        rank = int((s > RANK).sum(axis=1).max())
        if rank == 0:
            return []
        along = _Along(self, way, rank)
        least, square = s[:, rank - 1], M.shape[1] == M.shape[2] == rank
        crossed = np.zeros(len(least) - 1, dtype=bool)
        found: list[float] = []
        if square:
            side = np.linalg.slogdet(M)[0]
            crossed = (side[:-1] * side[1:] < 0) & (least[:-1] > ZERO) & (least[1:] > ZERO)
            found += [along.sign_change(int(k)) for k in np.flatnonzero(crossed)]
        found += [float(way.s[k]) for k in np.flatnonzero(least <= ZERO)]
        low = (
            np.flatnonzero((least[1:-1] <= least[:-2]) & (least[1:-1] < least[2:]) & (least[1:-1] < SMALL * np.median(least))) + 1
        )
        found += [x for k in low if not crossed[k - 1] and not crossed[k] and (x := along.touch(int(k))) is not None]
        places = [way.between(np.array([x]))[0][0] for x in sorted(found)]
        return list(zip(sorted(found), places, strict=True))

    def vectors(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At a singular configuration: the combination of output rows that is lost, and the speeds that become possible."""
        M, m = self.matrix(q[None])[0], len(self.requirements.goal.names)
        U, s, Vt = np.linalg.svd(M)
        k = max(int((s > 1e3 * ZERO).sum()), 0)
        k = min(k, min(M.shape) - 1)
        return U[-m:, k], Vt[k] * self._units


@dataclass(frozen=True, eq=False)
class _Along:
    """The least singular value that counts, along a curve."""

    of: Rank
    way: Circuit
    rank: int

    def _matrix(self, s: float) -> np.ndarray:
        found: np.ndarray = self.of.matrix(self.way.between(np.array([s]))[0])[0]
        return found

    def _least(self, s: float) -> float:
        return float(np.linalg.svd(self._matrix(s), compute_uv=False)[self.rank - 1])

    def sign_change(self, k: int) -> float:
        """Where the determinant is zero, between two points at which it has different signs.

        Where several singular values vanish at once its zero is a multiple one, to which interpolation converges too slowly.
        """

        def determinant(s: float) -> float:
            return float(np.linalg.det(self._matrix(s)))

        low, high = float(self.way.s[k]), float(self.way.s[k + 1])
        x, how = brentq(determinant, low, high, xtol=1e-14, rtol=1e-14, full_output=True, disp=False)
        return float(x if how.converged else bisect(determinant, low, high, xtol=1e-14, rtol=1e-14))

    def touch(self, k: int) -> float | None:
        """Where the least singular value becomes zero without a change of sign, near a point at which it is least; None if it
        does not.

        Between fixed singular vectors u and v, u^T M v is smooth where the value itself has a kink: its zero is the place.
        """
        bounds = (float(self.way.s[k - 1]), float(self.way.s[k + 1]))
        s = float(minimize_scalar(lambda s: self._least(s) ** 2, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x)
        for _ in range(6):
            U, _, Vt = np.linalg.svd(self._matrix(s))
            u, v, h = U[:, self.rank - 1], Vt[self.rank - 1], 1e-6
            value = [float(u @ self._matrix(float(np.clip(x, *bounds))) @ v) for x in (s, s - h, s + h)]
            slope = (value[2] - value[1]) / (2 * h)
            if abs(value[0]) < 1e-14 or abs(slope) < 1e-6:
                break
            s = float(np.clip(s - value[0] / slope, *bounds))
        return s if self._least(s) < 1e2 * ZERO else None
