"""Multipliers and accelerations in closed form (Ghosal, lecture 27, equations 16, 17 and, with phi(t), 19, 20).

    A = Psi M^-1 Psi^T,   b = Psi' q' + phi' + Psi M^-1 f,   f = tau - C q' - G - F,
    lambda = -A^-1 b,     M q'' = f - Psi^T A^-1 b.

M is inverted block by block, the blocks being the coordinates that share inertia. lambda and q'' are found by Cramer's rule from

    [ M    Psi^T ] [  q''    ]   [    f              ]
    [ Psi   0    ] [ -lambda ] = [ -(Psi' q' + phi') ],

whose determinant is their common denominator, and has no factor that could be cancelled at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.matrices import adjugate, inner
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.constraints import Row
from lagrangian.equations.reading import applied
from lagrangian.equations.reading.system import System

Quotient = tuple[Element, Element]  # above and below the line


class Multipliers:
    """What the multipliers of one system are, as quotients of elements."""

    def __init__(self, system: System, M: Sequence[Sequence[Element]], rows: Sequence[Row], torques: Sequence[Element]) -> None:
        """`torques` are C q' + G + F; rows that say nothing about the speeds must be left out."""
        self.system, self.ring, self.M, self.rows = system, system.ring, M, rows
        self.n, self.m = system.n, len(rows)
        self.force = [tau - x for tau, x in zip(applied.forces(system), torques, strict=True)]
        rates = [system.speed(k) for k in range(self.n)]
        self.drift = [inner(self.ring, row.psi_dot(system), rates) + applied.rate(system, row) for row in rows]

    @cached_property
    def blocks(self) -> list[list[int]]:
        """The coordinates that share inertia."""
        left, found = set(range(self.n)), []
        while left:
            block, stack = set(), [min(left)]
            while stack:
                i = stack.pop()
                if i in left:
                    left.discard(i)
                    block.add(i)
                    stack += [j for j in left if self.M[i][j].poly]
            found.append(sorted(block))
        return found

    @cached_property
    def _inverses(self) -> list[tuple[list[int], list[list[Element]], Element]]:
        return [(b, *adjugate(self.ring, [[self.M[i][j] for j in b] for i in b])) for b in self.blocks]

    def _through(self, x: Sequence[Element], y: Sequence[Element]) -> Quotient:
        """x M^-1 y^T, over the determinants of the blocks that it goes through."""
        above, below = self.ring.zero, self.ring.one
        for block, adjoint, det in self._inverses:
            part = self.ring.zero
            for a, i in enumerate(block):
                if x[i].poly:
                    part = part + x[i] * inner(self.ring, adjoint[a], [y[j] for j in block])
            if part:
                above, below = (above + part, below) if below == det else (above * det + part * below, below * det)
        return above, below

    @cached_property
    def A(self) -> list[list[Quotient]]:
        """Psi M^-1 Psi^T."""
        return [[self._through(a.psi, b.psi) for b in self.rows] for a in self.rows]

    @cached_property
    def b(self) -> list[Quotient]:
        """Psi' q' + phi' + Psi M^-1 f."""
        found = []
        for row, drift in zip(self.rows, self.drift, strict=True):
            above, below = self._through(row.psi, self.force)
            found.append((above + drift * below, below))
        return found

    @cached_property
    def _solved(self) -> list[Quotient]:
        """Accelerations, then multipliers with the opposite sign."""
        zero = self.ring.zero
        block = [[*self.M[i], *(row.psi[i] for row in self.rows)] for i in range(self.n)]
        block += [[*row.psi, *[zero] * self.m] for row in self.rows]
        adjoint, det = adjugate(self.ring, block)
        right = [*self.force, *(-x for x in self.drift)]
        return [(inner(self.ring, row, right), det) for row in adjoint]

    @property
    def singular(self) -> bool:
        """Whether the constraints depend on each other everywhere, so that there are no single multipliers."""
        return not self._solved[0][1]

    @property
    def accelerations(self) -> list[Quotient]:
        return self._solved[: self.n]

    @property
    def multipliers(self) -> list[Quotient]:
        return [(-above, below) for above, below in self._solved[self.n :]]
