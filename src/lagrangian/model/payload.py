"""A body with something in its gripper: the two as one rigid body, by the parallel-axis theorem."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError, Part, placed
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import parameters
from lagrangian.model.vector import NO_INERTIA

EPSILON = sys.float_info.epsilon

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


def with_payload(mechanism: Mechanism, frame: Any, mass: Any, center: Any = v.ZERO, inertia: Any = NO_INERTIA) -> Mechanism:
    """`center` is in the frame, and `inertia` about it along the frame's axes."""
    place = mechanism.frame(frame)
    if place.body not in mechanism.body_index:
        raise MechanismError("it is fixed to the ground, which cannot carry a payload", where=Part("frame", place.name))
    with placed("payload"):
        payload = Body("payload", mass, center, inertia)  # checked as any body is
    carrier = mechanism.body(place.body)
    R, p = place.placement.rotation, place.placement.position
    at = v.add(p, v.mat_vec(R, payload.center))
    turned = payload.inertia if R == v.IDENTITY else v.sym_rotate(R, payload.inertia)
    loaded = _together(carrier, replace(payload, center=at, inertia=turned))
    bodies = tuple(loaded if body is carrier else body for body in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def _together(a: Body, b: Body) -> Body:
    """Both as one, called as the first; the inertia is about their common centre of mass."""
    if float(b.mass) == 0 and not parameters(b.mass):
        return a
    mass = a.mass + b.mass
    if float(mass) == 0:
        raise MechanismError(
            f"neither the payload nor {a.name!r}, which carries it, has a mass", where="payload", argument="mass"
        )
    moment = v.add(v.scale(a.mass, a.center), v.scale(b.mass, b.center))
    bare = float(a.mass) == 0 and not parameters(a.mass)  # without the rounding of m c / m
    center = b.center if bare else (moment[0] / mass, moment[1] / mass, moment[2] / mass)
    total = a.inertia
    for body in (a, b):
        total = v.sym_add(total, v.point_inertia(body.mass, _apart(body.center, center)))
    total = v.sym_add(total, b.inertia)
    return replace(a, mass=mass, center=center, inertia=total)


def _apart(a: v.Vector, b: v.Vector) -> v.Vector:
    """The way from b to a. What is but the rounding of a common centre of mass is zero: it would become an inertia."""
    rounding = 4 * EPSILON * max(abs(float(x)) for x in (*a, *b))
    x, y, z = (0.0 if abs(float(d)) <= rounding and not parameters(d) else d for d in v.sub(a, b))
    return x, y, z
