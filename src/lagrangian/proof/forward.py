"""Forward dynamics as shipped, at exact points: the accelerations that Lagrange's torques came from must be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.algorithms import factorised, forward_dynamics, inverse_dynamics, mass_matrix
from lagrangian.equations import forces
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations import lagrange
from lagrangian.proof.certificate import Entries
from lagrangian.proof.points import Point
from lagrangian.proof.recursions import Recursions

if TYPE_CHECKING:
    from lagrangian.proof.prove import Derived


def undetermined(M: list[list[Element]], point: Point) -> str:
    """Why nothing determines the accelerations at a point, if so."""
    return "the mass matrix is singular at all points tried" if point.singular(M) else ""


class Forward:
    """What is compared at exact points."""

    def __init__(self, recursions: Recursions, given: Derived, points: list[Point]) -> None:
        self.recursions, self.given, self.points, self.n = recursions, given, points, recursions.system.n

    def at(self, point: Point) -> tuple[list[Any], list[Any]]:
        """Accelerations, and Lagrange's torques for them, with joint springs and viscous friction."""
        system, given = self.recursions.system, self.given
        qd = [point.of(system.speed(k)) for k in range(self.n)]
        qdd = [point.of(system.acceleration(k)) for k in range(self.n)]
        tau = [point.of(g) for g in given.G]
        for i in range(self.n):
            tau[i] += sum(point.of(x) * a for x, a in zip(given.M[i], qdd, strict=True))
        for (i, j, k), symbol in given.christoffel.symbols.items():
            if symbol.poly:
                tau[i] += point.of(symbol) * qd[j] * qd[k] * (1 if j == k else 2)
        springs = lagrange.gradient(system, forces.joint_spring_potential(system))
        for k, (spring, viscous) in enumerate(zip(springs, forces.viscous_friction(system), strict=True)):
            tau[k] += point.of(spring) + point.of(viscous)
        return qdd, tau

    def articulated(self) -> Entries:
        algorithm = forward_dynamics.FORWARD_DYNAMICS
        for number, point in enumerate(self.points):
            qdd, tau = self.at(point)
            found = self.recursions.run_at(point, algorithm, tau)
            yield from self._entries(number, found, qdd)

    def factorised(self) -> Entries:
        for number, point in enumerate(self.points):
            qdd, tau = self.at(point)
            M = self.recursions.run_at(point, mass_matrix.MASS_MATRIX)
            bias = self.recursions.run_at(point, inverse_dynamics.BIAS)
            factors = factorised.Factorised(self.recursions.regrouped, M)
            found = factors.solve([t - b for t, b in zip(tau, bias, strict=True)])
            yield from self._entries(number, found, qdd)

    def _entries(self, number: int, found: list[Any], qdd: list[Any]) -> Entries:
        return ((f"q''[{k + 1}] at point {number + 1}", a, b) for k, (a, b) in enumerate(zip(found, qdd, strict=True)))
