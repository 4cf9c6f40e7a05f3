"""A body with something in its gripper: the two as one rigid body, by the parallel-axis theorem."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError, Part, placed
from lagrangian.model import vector as v
from lagrangian.model.body import NO_INERTIA, Body
from lagrangian.model.expression import parameters

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


def with_payload(mechanism: Mechanism, frame: Any, mass: Any, center: Any = v.ZERO, inertia: Any = NO_INERTIA) -> Mechanism:
    """`center` is in the frame, and `inertia` about it along the frame's axes."""
    place = mechanism.frame(frame)
    if place.body not in mechanism.body_index:
        raise MechanismError("it is fixed to the ground, which nothing weighs down", where=Part("frame", place.name))
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
        raise MechanismError(f"neither it nor {a.name!r}, which carries it, has a mass", where="payload", argument="mass")
    moment = v.add(v.scale(a.mass, a.center), v.scale(b.mass, b.center))
    center = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
    total = a.inertia
    for body in (a, b):
        total = v.sym_add(total, v.point_inertia(body.mass, v.sub(body.center, center)))
    total = v.sym_add(total, b.inertia)
    return replace(a, mass=mass, center=center, inertia=total)
