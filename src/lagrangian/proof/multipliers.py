"""Accelerations and multipliers as shipped, at exact points, against the linear equations that they solve:

M q'' - Psi^T lambda = f,    Psi q'' = -(Psi' q' + phi'),    f = tau - C q' - G - F    (Ghosal, lecture 27, equations 14 and 15).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from flint import fmpq_mat, nmod_mat

from lagrangian.algorithms.closed.constrained import Constrained, State
from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.system import System
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Number
from lagrangian.proof.forward import Forward
from lagrangian.proof.loops import AtPoint, plain
from lagrangian.proof.points import Point


def undetermined(system: System, M: list[list[Element]], rows: Sequence[constraints.Row], point: Point) -> str:
    """Why the equations have no single solution at a point, if so."""
    if point.singular(M):
        return "the mass matrix is singular at all points tried"
    n, m = len(M), len(rows)
    block = [[*M[i], *(row.psi[i] for row in rows)] for i in range(n)]
    block += [[*row.psi, *[system.ring.zero] * m] for row in rows]
    return "the constraints depend on each other at all points tried" if point.singular(block) else ""


def telling(rows: Sequence[constraints.Row]) -> list[constraints.Row]:
    """The rows that say something about the speeds: others have no multiplier."""
    return [row for row in rows if any(x.poly for x in row.psi)]


class Multipliers:
    """What is compared at exact points."""

    def __init__(self, forward: Forward, rows: Sequence[constraints.Row], points: Sequence[Point]) -> None:
        self.forward, self.recursions, self.rows, self.points = forward, forward.recursions, telling(rows), points
        self.n = forward.n

    def entries(self) -> Entries:
        for number, point in enumerate(self.points):
            here = AtPoint(self.recursions, point)
            torques = [point.number(3 * k + 2) for k in range(self.n)]
            accelerations, multipliers = self._shipped(here, torques)
            wanted = self._solved(here, torques)
            names = [*(f"q''[{k + 1}]" for k in range(self.n)), *(f"lambda of {row.name}" for row in self.rows)]
            for name, a, b in zip(names, [*accelerations, *multipliers], wanted, strict=True):
                yield f"{name} at point {number + 1}", plain(a, point), b

    def _shipped(self, here: AtPoint, torques: list[Any]) -> tuple[list[Any], list[Any]]:
        """By `algorithms.closed.constrained`, without springs between points."""
        bare: Any = SimpleNamespace(springs=())
        state = State(bare, here.tree, here.links, here.q, here.qd, here.field.t)
        rows = [row for row in here.rows if row.psi]
        force = [Number(here.field, tau) - h for tau, h in zip(torques, state.bias, strict=True)]
        return Constrained(state, rows, redundant=False).acceleration(force, [row.gamma for row in rows])[:2]

    def _solved(self, here: AtPoint, torques: list[Any]) -> list[Any]:
        """By elimination, over the field, from the closed form."""
        point, system, n = here.point, self.forward.recursions.system, self.n
        M = [[point.of(x) for x in row] for row in self.forward.given.M]
        qdd, tau = self.forward.at(point)
        bias = [t - sum(x * a for x, a in zip(row, qdd, strict=True)) for t, row in zip(tau, M, strict=True)]
        psi = [[point.of(x) for x in row.psi] for row in self.rows]
        qd = [point.of(system.speed(k)) for k in range(n)]
        gamma = []
        for row in self.rows:
            rate = sum((point.of(x) * y for x, y in zip(row.psi_dot(system), qd, strict=True)), point.number(0))
            gamma.append(rate + plain(here.phi(row)[1], point))
        m = len(self.rows)
        block = [x for i in range(n) for x in (*M[i], *(-psi[r][i] for r in range(m)))]
        block += [x for r in range(m) for x in (*psi[r], *[0] * m)]
        right = [t - h for t, h in zip(torques, bias, strict=True)] + [-g for g in gamma]
        solved: Any
        if point.modulus:
            solved = nmod_mat(n + m, n + m, block, point.modulus).solve(nmod_mat(n + m, 1, right, point.modulus))
        else:
            solved = fmpq_mat(n + m, n + m, block).solve(fmpq_mat(n + m, 1, right))
        return [solved[k, 0] for k in range(n + m)]
