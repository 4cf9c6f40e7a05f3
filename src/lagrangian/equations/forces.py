"""What acts besides inertia and gravity: springs and dampers, at joints and between points, and friction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.names import given
from lagrangian.equations.reading.system import System

HALF = Fraction(1, 2)


def joint_springs(system: System) -> dict[str, Element]:
    """1/2 k (q - rest)^2 of the springs at joints, by the joint's name."""
    of = system.scalars.of
    found: dict[str, Element] = {}
    for link in system.links:
        spring = link.joint.spring
        if given(spring.stiffness):
            stretch = link.q - of(spring.rest)
            found[link.joint.name] = system.ring(of(spring.stiffness) * HALF * (stretch * stretch))
    return found


def point_springs(system: System) -> dict[str, Element]:
    """1/2 k (length - rest)^2 of the springs between points, by the spring's name."""
    ring, of = system.ring, system.scalars.of
    found: dict[str, Element] = {}
    for spring in system.springs:
        if given(spring.stiffness):
            stretch = ring.generator(lengths.name(spring.name)) - of(spring.rest)
            found[spring.name] = ring(of(spring.stiffness) * HALF * (stretch * stretch))
    return found


def joint_spring_potential(system: System) -> Element:
    return system.ring(total(joint_springs(system).values(), system.ring.zero))


def point_spring_potential(system: System) -> Element:
    return system.ring(total(point_springs(system).values(), system.ring.zero))


def viscous_friction(system: System) -> list[Element]:
    """Viscous friction of the joints."""
    F: list[Any] = [system.ring.zero] * system.n
    for link in system.links:
        F[link.k] = F[link.k] + system.scalars.of(link.joint.friction.viscous) * system.speed(link.k)
    return F


def joint_friction(system: System) -> list[Element]:
    """Viscous and Coulomb friction of the joints."""
    ring, of = system.ring, system.scalars.of
    F: list[Any] = viscous_friction(system)
    for link in system.links:
        coulomb = link.joint.friction
        if given(coulomb.coulomb) or given(coulomb.coulomb_negative):
            plus, minus = of(coulomb.coulomb), of(coulomb.coulomb_negative)  # type: ignore[arg-type]
            sign = ring.generator(system.scalars.sign_name(link.k + 1))
            # different in the two directions: the mean follows the sign, half the difference its square
            F[link.k] = F[link.k] + (plus + minus) * HALF * sign + (plus - minus) * HALF * (sign * sign)
    return F


def friction(system: System) -> list[Element]:
    """Friction of the joints, and what dampers between points take."""
    ring, of, n = system.ring, system.scalars.of, system.n
    F: list[Any] = joint_friction(system)
    for spring in system.springs:
        if given(spring.damping):
            length = ring.generator(lengths.name(spring.name))
            slopes = [ring.derivative(length, k) for k in range(n)]
            rate = sum((slopes[k] * system.speed(k) for k in range(n)), ring.zero)
            F = [f + of(spring.damping) * (rate * slope) for f, slope in zip(F, slopes, strict=True)]
    return F
