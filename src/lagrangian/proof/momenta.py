"""Centre of mass, momentum and joint reactions as shipped.

The first two divide by the mass, and are compared at exact points, with what 4x4 transforms say: the first moments are
`sum_j T_j (h_j, m_j)`, and angular momentum is the antisymmetric part of `sum_j T_j' J_j T_j^T`.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import energy, inverse_dynamics
from lagrangian.equations.derivations import newton_euler
from lagrangian.equations.derivations.uicker_kahn import Transform, UickerKahn
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v
from lagrangian.proof.certificate import Entries
from lagrangian.proof.points import Point
from lagrangian.proof.recursions import Recursions


def reactions(recursions: Recursions) -> Entries:
    """Newton and Euler's, moved from the link's own frame to its joint's, which is the tree's."""
    found = recursions.run(inverse_dynamics.REACTIONS)
    rows = {k: found[6 * i : 6 * i + 6] for i, k in enumerate(recursions.tree.iv)}
    for link, (f, n) in zip(recursions.system.links, newton_euler.reactions(recursions.system), strict=True):
        force = v.mat_vec(link.after.R, f)
        moment = v.add(v.mat_vec(link.after.R, n), v.cross(link.after.p, force))
        for k, (a, b) in enumerate(zip(rows[link.k], (*moment, *force), strict=True)):
            yield f"reaction at {link.joint.name!r}, entry {k + 1}", a, b


def total_mass(system: System, point: Point) -> Any:
    return sum(point.of(link.inertia.mass) for link in system.links)


class Momenta:
    """What is compared at exact points."""

    def __init__(self, recursions: Recursions, traces: UickerKahn) -> None:
        self.recursions, self.traces, self.n = recursions, traces, recursions.system.n

    def entries(self, points: list[Point]) -> Entries:
        for number, point in enumerate(points):
            center = self.recursions.run_at(point, energy.CENTER_OF_MASS)
            momentum = self.recursions.run_at(point, energy.MOMENTUM)
            for name, found, wanted in zip(
                ("centre of mass", "momentum"), (center, momentum), self._expected(point), strict=True
            ):
                for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
                    yield f"{name}, entry {k + 1} at point {number + 1}", a, b

    def _expected(self, point: Point) -> tuple[list[Any], list[Any]]:
        """The centre of mass, and angular momentum about it before linear momentum."""
        mass = total_mass(self.recursions.system, point)
        first: list[Any] = [0] * 3
        linear: list[Any] = [0] * 3
        K: list[list[Any]] = [[0] * 3 for _ in range(3)]
        for j in range(self.n):
            T, J, rate = self._at(point, self.traces.T(j)), self._at(point, self.traces.pseudo_inertia(j)), self._rate(point, j)
            for a in range(3):
                first[a] += _dot(T[a], J[3])
                linear[a] += _dot(rate[a], J[3])
                weighted = [_dot(rate[a], row) for row in J]
                for b in range(3):
                    K[a][b] += _dot(weighted, T[b])
        center = [x / mass for x in first]
        about = v.cross(tuple(center), tuple(linear))
        angular = [K[2][1] - K[1][2], K[0][2] - K[2][0], K[1][0] - K[0][1]]
        return center, [*(a - b for a, b in zip(angular, about, strict=True)), *linear]

    def _rate(self, point: Point, j: int) -> list[list[Any]]:
        """T_j' = sum_k U_jk q'_k."""
        total: list[list[Any]] = [[0] * 4 for _ in range(4)]
        for k in range(self.n):
            qd, U = point.of(self.recursions.system.speed(k)), self._at(point, self.traces.U(j, k))
            total = [[x + qd * u for x, u in zip(*rows, strict=True)] for rows in zip(total, U, strict=True)]
        return total

    def _at(self, point: Point, X: Transform) -> list[list[Any]]:
        return [[point.of(x) for x in row] for row in X]


def _dot(x: Any, y: Any) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))
