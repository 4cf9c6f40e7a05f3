"""Equations of motion in the coordinates of a frame: F = M_x x'' + C_x + G_x + F_x (Khatib 1987).

    M_x = J^-T M J^-1,   C_x = J^-T (C q' - M J^-1 J' q'),   G_x = J^-T G,   F_x = J^-T F,   tau = J^T F.

Each is an exact quotient: J^-1 = adj J / det J.
"""

from __future__ import annotations

from dataclasses import dataclass

from lagrangian.equations.algebra.matrices import adjugate, inner, product, transpose
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.system import System


@dataclass(frozen=True)
class CartesianElements:
    """Numerators; `M` and `C` stand over the determinant's square, `G` and `F` over the determinant."""

    jacobian: list[list[Element]]
    determinant: Element
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
) -> CartesianElements:
    """`velocity` is C q'."""
    ring, n = system.ring, system.n
    adjoint, determinant = adjugate(ring, J)
    above = product(ring, product(ring, transpose(adjoint), M), adjoint)
    rates = [system.speed(k) for k in range(n)]
    J_dot = [[inner(ring, [ring.derivative(x, k) for k in range(n)], rates) for x in row] for row in J]
    drift = [inner(ring, row, rates) for row in J_dot]
    pulled = [inner(ring, column, velocity) for column in zip(*adjoint, strict=True)]
    C = [determinant * pulled[i] - inner(ring, above[i], drift) for i in range(n)]
    weight, friction = ([inner(ring, column, x) for column in zip(*adjoint, strict=True)] for x in (G, F))
    return CartesianElements(J, determinant, above, C, weight, friction)
