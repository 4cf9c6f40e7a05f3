"""Forward dynamics as shipped, at exact points: the accelerations that Lagrange's torques came from must be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.algorithms import forward_dynamics, inverse_dynamics, mass_matrix, tree_factorisation
from lagrangian.equations import energies
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations import lagrange
from lagrangian.proof.certificate import Entries
from lagrangian.proof.points import ExactPoint
from lagrangian.proof.shipped import Recursions

if TYPE_CHECKING:
    from lagrangian.proof.prove import DerivedEquations


def singularity_problem(M: list[list[RingElement]], point: ExactPoint) -> str:
    """Why nothing determines the accelerations at a point; "" if something does."""
    return "the mass matrix is singular at all points tried" if point.singular(M) else ""


class ForwardDynamicsProof:
    """Accelerations compared at exact points."""

    def __init__(self, recursions: Recursions, derived: DerivedEquations, points: list[ExactPoint]) -> None:
        self.recursions, self.derived, self.points, self.n = recursions, derived, points, recursions.system.n

    def motion_and_torques(self, point: ExactPoint) -> tuple[list[Any], list[Any]]:
        """Accelerations, and Lagrange's torques for them, with joint springs and viscous friction."""
        system, derived = self.recursions.system, self.derived
        qd = [point.evaluate(system.speed(k)) for k in range(self.n)]
        qdd = [point.evaluate(system.acceleration(k)) for k in range(self.n)]
        tau = [point.evaluate(g) for g in derived.G]
        for i in range(self.n):
            tau[i] += sum(point.evaluate(x) * a for x, a in zip(derived.M[i], qdd, strict=True))
        for (i, j, k), symbol in derived.christoffel.symbols.items():
            if symbol.poly:
                tau[i] += point.evaluate(symbol) * qd[j] * qd[k] * (1 if j == k else 2)
        springs = lagrange.gradient(system, energies.joint_spring_potential(system))
        for k, (spring, viscous) in enumerate(zip(springs, energies.viscous_friction_forces(system), strict=True)):
            tau[k] += point.evaluate(spring) + point.evaluate(viscous)
        return qdd, tau

    def articulated_entries(self) -> Entries:
        algorithm = forward_dynamics.FORWARD_DYNAMICS
        for number, point in enumerate(self.points):
            qdd, tau = self.motion_and_torques(point)
            accelerations = self.recursions.run_at(point, algorithm, tau)
            yield from self._acceleration_entries(number, accelerations, qdd)

    def factorised_entries(self) -> Entries:
        for number, point in enumerate(self.points):
            qdd, tau = self.motion_and_torques(point)
            M = self.recursions.run_at(point, mass_matrix.MASS_MATRIX)
            bias = self.recursions.run_at(point, inverse_dynamics.BIAS)
            factors = tree_factorisation.TreeLDL(self.recursions.regrouped, M)
            accelerations = factors.solve([t - b for t, b in zip(tau, bias, strict=True)])
            yield from self._acceleration_entries(number, accelerations, qdd)

    def _acceleration_entries(self, number: int, accelerations: list[Any], qdd: list[Any]) -> Entries:
        return ((f"q''[{k + 1}] at point {number + 1}", a, b) for k, (a, b) in enumerate(zip(accelerations, qdd, strict=True)))
