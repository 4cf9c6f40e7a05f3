"""Which parameters of a mechanism are inertial, which are geometric, and which scalars are given at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lagrangian.equations.reading.scalars import constraint_scalars, polynomial_springs, spring_scalars
from lagrangian.model.expression import parameters
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform


def is_present(x: Any) -> bool:
    """Whether a scalar is there at all: a name whose value is zero is."""
    return bool(parameters(x)) or float(x) != 0


def inertial_names(mechanism: Mechanism) -> set[str]:
    """Parameters in which the equations are linear: the names in masses and inertias that no length, angle or gravity has."""
    masses: set[str] = set()
    excluded = geometric_names(mechanism)
    for body in mechanism.bodies:
        masses |= parameter_names((body.mass, *body.inertia))
        excluded |= parameter_names(body.center)
    for joint in mechanism.joints:
        masses |= parameter_names((joint.rotor.inertia,))
        excluded |= parameter_names((joint.rotor.ratio,))
    return masses - excluded


def body_names(mechanism: Mechanism) -> set[str]:
    """Parameters of the bodies and rotors."""
    names: set[str] = set()
    for body in mechanism.bodies:
        names |= parameter_names((body.mass, *body.center, *body.inertia))
    for joint in mechanism.joints:
        names |= parameter_names((joint.rotor.inertia, joint.rotor.ratio))
    return names


def geometric_names(mechanism: Mechanism) -> set[str]:
    """Parameters of everything but the bodies and rotors."""
    names = parameter_names(mechanism.gravity)
    for joint in mechanism.joints:
        friction = (joint.friction.viscous, joint.friction.coulomb, joint.friction.coulomb_negative)
        names |= parameter_names((*joint.scalars, *friction, joint.spring.stiffness, joint.spring.rest))
        names |= _placement_names(joint.placement) | _placement_names(joint.child_placement)
    for loop in mechanism.loops:
        names |= _placement_names(loop.a_placement) | _placement_names(loop.b_placement) | parameter_names(loop.scalars)
    for frame in mechanism.frames:
        names |= _placement_names(frame.placement)
    for spring in polynomial_springs(mechanism):
        names |= parameter_names(spring_scalars(spring))
    for constraint in mechanism.constraints:
        names |= parameter_names(constraint_scalars(constraint))
    return names


def _placement_names(placement: Transform) -> set[str]:
    return parameter_names((*placement.position, *(x for row in placement.rotation for x in row)))


def parameter_names(scalars: Iterable[Any]) -> set[str]:
    """The parameters that stand in scalars."""
    return {name for x in scalars for name in parameters(x)}
