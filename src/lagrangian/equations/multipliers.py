"""Multipliers and accelerations of a mechanism with constraints in closed form, as quotients of polynomials.

Ghosal, lecture 27, equations (16), (17) and, with phi(t), (19), (20):

    A = Psi M^-1 Psi^T,   b = Psi' q' + phi' + Psi M^-1 f,   f = tau - C q' - G - F,
    lambda = -A^-1 b,     M q'' = f - Psi^T A^-1 b.

M is inverted block by block; the blocks are the coordinates that share inertia. lambda and q'' follow by Cramer's rule from

    [ M    Psi^T ] [   q''   ]   [          f         ]
    [ Psi    0   ] [ -lambda ] = [ -(Psi' q' + phi')  ],

whose determinant is their common denominator. It has no factor that could be cancelled at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.matrices import adjugate, inner
from lagrangian.equations.algebra.ring import RationalFunction, RingElement
from lagrangian.equations.constraints import ConstraintEquation
from lagrangian.equations.reading.system import SymbolicSystem, applied_forces, drive_rate


class MultiplierSolution:
    """The multipliers and accelerations of one system, as quotients of elements."""

    def __init__(
        self,
        system: SymbolicSystem,
        M: Sequence[Sequence[RingElement]],
        rows: Sequence[ConstraintEquation],
        torques: Sequence[RingElement],
    ) -> None:
        """`torques` are C q' + G + F; rows that say nothing about the speeds must be left out."""
        self.system, self.ring, self.M, self.rows = system, system.ring, M, rows
        self.n, self.m = system.n, len(rows)
        self.force = [tau - x for tau, x in zip(applied_forces(system), torques, strict=True)]
        speeds = [system.speed(k) for k in range(self.n)]
        self.gamma = [inner(self.ring, row.psi_dot(system), speeds) + drive_rate(system, row) for row in rows]

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The coordinates that share inertia."""
        remaining, blocks = set(range(self.n)), []
        while remaining:
            block, stack = set(), [min(remaining)]
            while stack:
                i = stack.pop()
                if i in remaining:
                    remaining.discard(i)
                    block.add(i)
                    stack += [j for j in remaining if self.M[i][j].poly]
            blocks.append(sorted(block))
        return blocks

    @cached_property
    def _inverses(self) -> list[tuple[list[int], list[list[RingElement]], RingElement]]:
        return [(b, *adjugate(self.ring, [[self.M[i][j] for j in b] for i in b])) for b in self.blocks]

    def _inverse_mass_product(self, x: Sequence[RingElement], y: Sequence[RingElement]) -> RationalFunction:
        """x M^-1 y^T, over the determinants of the blocks that it goes through."""
        numerator, denominator = self.ring.zero, self.ring.one
        for block, adjoint, det in self._inverses:
            part = self.ring.zero
            for a, i in enumerate(block):
                if x[i].poly:
                    part = part + x[i] * inner(self.ring, adjoint[a], [y[j] for j in block])
            if part:
                numerator, denominator = (
                    (numerator + part, denominator)
                    if denominator == det
                    else (numerator * det + part * denominator, denominator * det)
                )
        return numerator, denominator

    @cached_property
    def A(self) -> list[list[RationalFunction]]:
        """Psi M^-1 Psi^T."""
        return [[self._inverse_mass_product(a.psi, b.psi) for b in self.rows] for a in self.rows]

    @cached_property
    def b(self) -> list[RationalFunction]:
        """Psi' q' + phi' + Psi M^-1 f."""
        quotients = []
        for row, gamma in zip(self.rows, self.gamma, strict=True):
            numerator, denominator = self._inverse_mass_product(row.psi, self.force)
            quotients.append((numerator + gamma * denominator, denominator))
        return quotients

    @cached_property
    def _saddle_point_solution(self) -> list[RationalFunction]:
        """Accelerations, then multipliers with the opposite sign."""
        zero = self.ring.zero
        saddle_matrix = [[*self.M[i], *(row.psi[i] for row in self.rows)] for i in range(self.n)]
        saddle_matrix += [[*row.psi, *[zero] * self.m] for row in self.rows]
        adjoint, det = adjugate(self.ring, saddle_matrix)
        right_hand_side = [*self.force, *(-x for x in self.gamma)]
        return [(inner(self.ring, row, right_hand_side), det) for row in adjoint]

    @property
    def singular(self) -> bool:
        """Whether the constraints depend on each other everywhere, so that there are no single multipliers."""
        return not self._saddle_point_solution[0][1]

    @property
    def accelerations(self) -> list[RationalFunction]:
        return self._saddle_point_solution[: self.n]

    @property
    def multipliers(self) -> list[RationalFunction]:
        return [(-numerator, denominator) for numerator, denominator in self._saddle_point_solution[self.n :]]
