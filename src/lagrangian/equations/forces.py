"""What acts besides inertia and gravity: springs and dampers, at joints and between points, and friction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lagrangian.equations import lengths
from lagrangian.equations.ring import Element
from lagrangian.equations.system import System

HALF = Fraction(1, 2)


def spring_potential(system: System) -> Element:
    """1/2 k (q - rest)^2 of joints, 1/2 k (length - rest)^2 between points."""
    ring, of = system.ring, system.scalars.of
    total: Any = ring.zero
    for link in system.links:
        spring = link.joint.spring
        if float(spring.stiffness):
            stretch = link.q - of(spring.rest)
            total = total + of(spring.stiffness) * HALF * (stretch * stretch)
    for between in system.mechanism.springs:
        if float(between.stiffness):
            stretch = ring.generator(lengths.name(between.name)) - of(between.rest)
            total = total + of(between.stiffness) * HALF * (stretch * stretch)
    return total  # type: ignore[no-any-return]


def friction(system: System) -> list[Element]:
    """Viscous and Coulomb friction of the joints, and what dampers between points take."""
    ring, of, n = system.ring, system.scalars.of, system.n
    F: list[Any] = [ring.zero] * n
    for link in system.links:
        given = link.joint.friction
        rate = system.speed(link.k)
        F[link.k] = F[link.k] + of(given.viscous) * rate
        plus, minus = of(given.coulomb), of(given.coulomb_negative)  # type: ignore[arg-type]
        if plus or minus:
            sign = ring.generator(f"sgn{link.k + 1}")
            # different in the two directions: the mean follows the sign, half the difference its square
            F[link.k] = F[link.k] + (plus + minus) * HALF * sign + (plus - minus) * HALF * (sign * sign)
    for spring in system.mechanism.springs:
        if float(spring.damping):
            length = ring.generator(lengths.name(spring.name))
            slopes = [ring.derivative(length, k) for k in range(n)]
            rate = sum((slopes[k] * system.speed(k) for k in range(n)), ring.zero)
            F = [f + of(spring.damping) * (rate * slope) for f, slope in zip(F, slopes, strict=True)]
    return F
