"""Equations of motion in the coordinates of a frame: F = M_x x'' + C_x + G_x + F_x (Khatib 1987).

    M_x = J^-T M J^-1,   C_x = J^-T (C q' - M J^-1 J' q'),   G_x = J^-T G,   F_x = J^-T F,   tau = J^T F.

Each is an exact quotient: J^-1 = adj J / det J. Rows of J may stand over denominators, as those of Euler angles do: with
J = D^-1 N, D = diag(d), it is J^-1 = N^-1 D and D J' = N' - D' D^-1 N.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lagrangian.equations.algebra.matrices import adjugate, inner, product, transpose
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.system import System


@dataclass(frozen=True)
class Over:
    """What the rows of a Jacobian stand over: a power of `square` each, 1, 1/2 (its `root`) or 0."""

    square: Element
    root: Element
    powers: tuple[Fraction, ...]

    def of(self, row: int) -> Element:
        one = self.square.ring.one
        return {Fraction(1): self.square, Fraction(1, 2): self.root, Fraction(0): one}[self.powers[row]]


@dataclass(frozen=True)
class CartesianElements:
    """Numerators; `M` stands over the determinant's square, `C` also over `over.square`, `G` and `F` over the determinant."""

    jacobian: list[list[Element]]
    over: Over
    determinant: Element  # of the numerators of the Jacobian
    M: list[list[Element]]
    C: list[Element]
    G: list[Element]
    F: list[Element]


def cartesian(
    system: System,
    J: list[list[Element]],
    M: list[list[Element]],
    velocity: list[Element],
    G: list[Element],
    F: list[Element],
    over: Over | None = None,
) -> CartesianElements:
    """`velocity` is C q'; `J` are numerators, if they stand `over` something."""
    ring, n = system.ring, system.n
    over = over or Over(ring.one, ring.one, (Fraction(0),) * n)
    d = [over.of(row) for row in range(n)]
    adjoint, determinant = adjugate(ring, J)
    above = product(ring, product(ring, transpose(adjoint), M), adjoint)
    rates = [system.speed(k) for k in range(n)]
    J_dot = [[inner(ring, [ring.derivative(x, k) for k in range(n)], rates) for x in row] for row in J]
    # square D J' q' = square N' q' - power square' N q'
    growth = inner(ring, [ring.derivative(over.square, k) for k in range(n)], rates)
    moved = [inner(ring, row, rates) for row in J]
    drift = []
    for s in range(n):
        turning = over.square * inner(ring, J_dot[s], rates)
        drift.append(ring(turning - growth * moved[s] * over.powers[s]))
    columns = list(zip(*adjoint, strict=True))
    pulled = [inner(ring, column, velocity) for column in columns]
    C = [ring(d[i] * (determinant * pulled[i] * over.square - inner(ring, above[i], drift))) for i in range(n)]
    weight, friction = ([ring(d[i] * inner(ring, column, x)) for i, column in enumerate(columns)] for x in (G, F))
    M_x = [[ring(above[i][j] * d[i] * d[j]) for j in range(n)] for i in range(n)]
    return CartesianElements(J, over, determinant, M_x, C, weight, friction)
