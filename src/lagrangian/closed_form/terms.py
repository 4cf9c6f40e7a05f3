"""The terms of the equations of motion as exact elements: velocity terms, springs, friction, torques, energies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lagrangian.cached import cached_property
from lagrangian.equations import forces
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.system import System
from lagrangian.proof.prove import Derived


class Terms:
    """What follows from the mass matrix, the Christoffel symbols and the potential, computed when it is first asked for."""

    def __init__(self, system: System, derived: Derived) -> None:
        self.system, self.derived = system, derived

    @cached_property
    def velocity(self) -> tuple[list[Element], list[Element]]:
        """C q' in two parts: squares q'_j^2 (centripetal), and products q'_j q'_k of different speeds (Coriolis)."""
        return lagrange.velocity_terms(self.system, self.derived.christoffel)

    @cached_property
    def spring_potential(self) -> Element:
        return forces.joint_spring_potential(self.system) + forces.other_spring_potential(self.system)

    @cached_property
    def springs(self) -> list[Element]:
        """The gradient of the springs' potential."""
        return lagrange.gradient(self.system, self.spring_potential)

    @cached_property
    def slopes(self) -> list[Element]:
        """dV/dq: gravity and springs."""
        return [g + s for g, s in zip(self.derived.G, self.springs, strict=True)]

    @cached_property
    def friction(self) -> list[Element]:
        return forces.friction(self.system)

    @cached_property
    def rotors(self) -> list[Element]:
        """What the rotors add to the diagonal of M."""
        made = [self.system.ring.zero] * self.system.n
        for link in self.system.links:
            made[link.k] = self.system.ring(link.rotor)
        return made

    @cached_property
    def torques(self) -> list[Element]:
        """M q'' + C q' + dV/dq + F."""
        n = self.system.n
        centripetal, coriolis = self.velocity
        made = []
        for i in range(n):
            x: Any = centripetal[i] + coriolis[i] + self.slopes[i] + self.friction[i]
            for j in range(n):
                x = x + self.derived.M[i][j] * self.system.acceleration(j)
            made.append(self.system.ring(x))
        return made

    @cached_property
    def kinetic_energy(self) -> Element:
        """1/2 q'^T M q'."""
        total: Any = self.system.ring.zero
        for i in range(self.system.n):
            for j in range(i, self.system.n):
                times = Fraction(1, 2) if i == j else 1
                total = total + self.derived.M[i][j] * times * (self.system.speed(i) * self.system.speed(j))
        return self.system.ring(total)
