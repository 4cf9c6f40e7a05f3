"""What acts besides inertia and gravity: springs and dampers, at joints and between points, and friction."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.kinematics import point
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.names import given
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar

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
            stretch = lengths.length(system, spring) - of(spring.rest)
            found[spring.name] = ring(of(spring.stiffness) * HALF * (stretch * stretch))
    return found


def coordinate_springs(system: System) -> dict[str, Element]:
    """1/2 k (length - rest)^2 of the springs of coordinates, by the spring's name."""
    of = system.scalars.of
    found: dict[str, Element] = {}
    for spring in system.coordinate_springs:
        if given(spring.stiffness):
            stretch = of(spring.length) - of(spring.rest)
            found[spring.name] = system.ring(of(spring.stiffness) * HALF * (stretch * stretch))
    return found


def compensations(system: System) -> dict[str, Element]:
    """factor m g.p_C of what carries weight, by its name."""
    return {name: system.ring(-v.dot(force, p)) for name, _, force, p in carried_weights(system)}


def carried_weights(system: System) -> Iterator[tuple[str, str, v.Vector, v.Vector]]:
    """Of what carries weight its name, its body, the force -factor m g, and the centre where it acts, in the world."""
    for each in system.compensations:
        body = system.mechanism.body(each.body)
        weight = system.scalars.of(each.factor) * system.scalars.of(body.mass)
        yield each.name, each.body, v.scale(-1 * weight, system.gravity), point(system, each.body, body.center)


def joint_spring_potential(system: System) -> Element:
    return system.ring(total(joint_springs(system).values(), system.ring.zero))


def coordinate_spring_potential(system: System) -> Element:
    return system.ring(total(coordinate_springs(system).values(), system.ring.zero))


def other_spring_potential(system: System) -> Element:
    """Of all springs but those at one joint, and of what carries weight."""
    parts = (point_springs(system), coordinate_springs(system), compensations(system))
    return system.ring(total((energy for part in parts for energy in part.values()), system.ring.zero))


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
    """Friction of the joints, and what dampers of coordinates and between points take."""
    F = at_joints(system)
    for spring in system.springs:
        F = _damped(system, F, lengths.length(system, spring), spring.damping)
    return F


def at_joints(system: System) -> list[Element]:
    """Friction of the joints, and what dampers of coordinates take."""
    F = joint_friction(system)
    for spring in system.coordinate_springs:
        F = _damped(system, F, system.ring(system.scalars.of(spring.length)), spring.damping)
    return F


def _damped(system: System, F: list[Element], length: Element, damping: Scalar) -> list[Element]:
    """Friction with that of a damper of this length."""
    if not given(damping):
        return F
    slopes = [system.ring.derivative(length, k) for k in range(system.n)]
    rate = sum((slope * system.speed(k) for k, slope in enumerate(slopes)), system.ring.zero)
    return [f + system.scalars.of(damping) * (rate * slope) for f, slope in zip(F, slopes, strict=True)]
