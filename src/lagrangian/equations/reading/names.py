"""Which parameters of a mechanism are inertial, which are geometric, and which scalars are given at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lagrangian.equations.reading.polynomial import polynomial_springs, scalars_of, spring_scalars
from lagrangian.model.expression import parameters
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


def given(x: Any) -> bool:
    """Whether a scalar is there at all: a name whose value is zero is."""
    return bool(parameters(x)) or float(x) != 0


def inertial_names(mechanism: Mechanism) -> set[str]:
    """Parameters in which the equations are linear: the names in masses and inertias that no length, angle or gravity has."""
    masses: set[str] = set()
    others = geometric_names(mechanism)
    for body in mechanism.bodies:
        masses |= names_in((body.mass, *body.inertia))
        others |= names_in(body.center)
    for joint in mechanism.joints:
        masses |= names_in((joint.rotor.inertia,))
        others |= names_in((joint.rotor.ratio,))
    return masses - others


def body_names(mechanism: Mechanism) -> set[str]:
    """Parameters of the bodies and rotors."""
    found: set[str] = set()
    for body in mechanism.bodies:
        found |= names_in((body.mass, *body.center, *body.inertia))
    for joint in mechanism.joints:
        found |= names_in((joint.rotor.inertia, joint.rotor.ratio))
    return found


def geometric_names(mechanism: Mechanism) -> set[str]:
    """Parameters of everything but the bodies and rotors."""
    found = names_in(mechanism.gravity)
    for joint in mechanism.joints:
        friction = (joint.friction.viscous, joint.friction.coulomb, joint.friction.coulomb_negative)
        found |= names_in((*joint.scalars, *friction, joint.spring.stiffness, joint.spring.rest))
        found |= _placed_names(joint.placement) | _placed_names(joint.child_placement)
    for loop in mechanism.loops:
        found |= _placed_names(loop.a_placement) | _placed_names(loop.b_placement) | names_in(loop.scalars)
    for frame in mechanism.frames:
        found |= _placed_names(frame.placement)
    for spring in polynomial_springs(mechanism):
        found |= names_in(spring_scalars(spring))
    for constraint in mechanism.constraints:
        found |= names_in(scalars_of(constraint))
    return found


def _placed_names(placement: Placement) -> set[str]:
    return names_in((*placement.position, *(x for row in placement.rotation for x in row)))


def names_in(scalars: Iterable[Any]) -> set[str]:
    """The parameters that stand in scalars."""
    return {name for x in scalars for name in parameters(x)}
