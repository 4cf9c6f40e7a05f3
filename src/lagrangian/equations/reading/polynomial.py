"""What of a mechanism has a polynomial form. The rest is refused, with a word on what takes it instead."""

from __future__ import annotations

from typing import Any

from lagrangian.errors import MechanismError
from lagrangian.model.constraint import Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.expression import free_symbols
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.loop import Spring, Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring


def scalars_of(constraint: Constraint) -> list[Any]:
    """The expressions a constraint is made of. What has no polynomial form is refused."""
    match constraint:
        case Pfaffian():
            return [coefficient for _, coefficient in constraint.coefficients]
        case Holonomic():
            moving = derivative(constraint.equation, "t")
            for name in sorted(free_symbols(moving) - {"t"}):
                raise MechanismError(
                    f"constraint {constraint.name!r}: its time derivative depends on {name!r}, which the closed form does "
                    f"not support; compile() and simulate() accept it"
                )
            return [constraint.equation]
        case KnifeEdge():
            return [*constraint.direction, *constraint.point]
        case Rolling():
            return [constraint.radius, *constraint.center, *constraint.point, *constraint.normal, *(constraint.axis or ())]
    raise MechanismError(
        f"constraint {constraint.name!r}: a Python function has no closed form; write its equations as Pfaffian "
        f"coefficients. compile() and simulate() accept it"
    )


def polynomial_springs(mechanism: Mechanism) -> tuple[Spring, ...]:
    """All springs; walls, and springs with slack, are refused."""
    for spring in mechanism.springs:
        if float(getattr(spring, "slack", 0)):
            raise MechanismError(
                f"spring {spring.name!r}: it is slack over a part of its length, so its force has no closed form. "
                f"Remove it with mechanism.replace(springs=...); compile() and simulate() accept it"
            )
        if isinstance(spring, Wall):
            raise MechanismError(
                f"wall {spring.name!r}: a wall pushes on one side only, so its force has no closed form. "
                f"Remove it with mechanism.replace(springs=...); compile() and simulate() accept it"
            )
    return mechanism.springs


def spring_scalars(spring: Spring) -> list[Any]:
    """The expressions that a spring is made of."""
    if isinstance(spring, GravityCompensation):
        return [spring.factor]
    assert isinstance(spring, (PointSpring, CoordinateSpring))
    of = [spring.length] if isinstance(spring, CoordinateSpring) else [x for _, point in spring.points for x in point]
    return [*of, spring.stiffness, spring.rest, spring.damping]
