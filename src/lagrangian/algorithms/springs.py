"""Springs and dampers, walls, and gravity compensation: their energy and generalised forces, over any scalars.

With s the length of a spring, between points or of coordinates, the tension is k (s - rest) + c s'; by virtual work it exerts
-tension ds/dq on the joints. One with slack has k max(0, s - rest - slack) + k min(0, s - rest) in place of k (s - rest).

With g the gap between a point and a wall, and d = max(0, -g) the depth, the push is d max(0, k + c d') and exerts push dg/dq.
This is Hunt and Crossley's law (J. Appl. Mech. 42:440, 1975) with the exponent 1, and without a pull. Its elastic part k d is in
the energy; the rest of it, d max(-k, c d'), only ever dissipates energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from lagrangian.algorithms.constraints.jet import Jet, Slopes
from lagrangian.algorithms.constraints.world import World
from lagrangian.algorithms.link import is_zero
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring, Spring, Wall

# coordinates as jets, by name; None where forces at joints are not asked for
JetsByName = Mapping[str, Any] | None


def torques(mechanism: Mechanism, world: World, names: JetsByName, elastic: bool = True, viscous: bool = True) -> Slopes:
    """Return the generalised force of all springs, dampers, walls and gravity compensations, by speed."""
    total: Slopes = {}
    for spring in mechanism.springs:
        for force, slopes in _forces(mechanism, world, spring, names, elastic, viscous):
            for i, slope in slopes.items():
                total[i] = total.get(i, 0) + force * slope
    return total


def energy(mechanism: Mechanism, world: World, names: JetsByName) -> Any:
    """Return the potential energy: 1/2 k (s - rest)^2 of springs, 1/2 k d^2 of walls, and that of gravity compensations."""
    total: Any = 0
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            depth = _wall_depth(wall_gap(world, spring).value)
            total = total + (0.5 * world.number(spring.stiffness)) * (depth * depth)
        elif isinstance(spring, GravityCompensation):
            total = total + _weight_potential(mechanism, world, spring).value
        else:
            square = _squared_length_without_rest(world, spring)
            if square is None:
                stretch = _stretch(world, spring, _length(world, spring, names).value)
                total = total + (0.5 * world.number(spring.stiffness)) * (stretch * stretch)
            else:
                total = total + (0.5 * world.number(spring.stiffness)) * square.value
    return total


def forces(mechanism: Mechanism, world: World, names: JetsByName) -> list[Any]:
    """Return the tension of every spring with its damper, the push of every wall, and the force of every gravity compensation."""
    magnitudes: list[Any] = []
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            magnitudes.append(_wall_force(world, spring, wall_gap(world, spring), elastic=True, viscous=True))
        elif isinstance(spring, GravityCompensation):
            g = tuple(world.number(x) for x in mechanism.gravity)
            weight = world.number(mechanism.body(spring.body).mass) * f.sqrt(v.dot(g, g))
            magnitudes.append(world.number(spring.factor) * weight)
        else:
            c, s = world.number(spring.damping), _length(world, spring, names)
            pull = world.number(spring.stiffness) * _stretch(world, spring, s.value)
            magnitudes.append(pull if is_zero(c) else pull + c * s.rate)
    return magnitudes


def kink_quantities(world: World, spring: Spring, names: JetsByName) -> list[Any]:
    """Return the quantities that are zero where the force is not smooth.

    A wall has its gap and, with damping, the force by the elastic one. A spring with slack has the distances to its two ends.
    """
    if isinstance(spring, (PointSpring, CoordinateSpring)):
        s, rest = _length(world, spring, names).value, world.number(spring.rest)
        return [s - rest, s - (rest + world.number(spring.slack))]
    assert isinstance(spring, Wall)
    g, k, c = wall_gap(world, spring), world.number(spring.stiffness), world.number(spring.damping)
    return [g.value] if is_zero(c) else [g.value, 1 - (c / k) * g.rate]


def wall_gap(world: World, wall: Wall) -> Any:
    """Return the gap between a point and a wall as a jet; its slopes are those of the normal force on both bodies."""
    plane = world.frame(wall.on, Transform(position=wall.position))
    point = world.frame(wall.body, Transform(position=wall.point)).origin
    return v.dot(plane.direction(wall.normal), v.sub(point, plane.origin))


def _squared_lengths(world: World, spring: PointSpring) -> list[Any]:
    """Return d.d of every piece between two points, as jets."""
    points = [world.frame(body, Transform(position=point)).origin for body, point in spring.points]
    return [v.dot(d, d) for d in (v.sub(b, a) for a, b in pairwise(points))]


def _length(world: World, spring: PointSpring | CoordinateSpring, names: JetsByName) -> Jet:
    """Return the length of a spring as a jet."""
    if isinstance(spring, CoordinateSpring):
        assert names is not None
        length = f.evaluate(spring.length, names)
        return length if isinstance(length, Jet) else Jet(length)
    total = Jet(0)
    for square in _squared_lengths(world, spring):
        # between points of one body, or on one axis, it does not change, and may be none
        is_variable = isinstance(square, Jet) and not all(is_zero(slope) for slope in square.slopes.values())
        total = total + (square.sqrt() if is_variable else f.sqrt(square.value if isinstance(square, Jet) else square))
    return total


def _stretch(world: World, spring: PointSpring | CoordinateSpring, s: Any) -> Any:
    """Return how far a length is from the lengths without tension."""
    rest, slack = world.number(spring.rest), world.number(spring.slack)
    if is_zero(slack):
        return s - rest
    return f.maximum(s - (rest + slack), 0.0) + f.minimum(s - rest, 0.0)


def _has_length(spring: Spring, names: JetsByName) -> bool:
    return isinstance(spring, PointSpring) or (isinstance(spring, CoordinateSpring) and names is not None)


def _weight_potential(mechanism: Mechanism, world: World, compensation: GravityCompensation) -> Any:
    """Return the potential of a gravity compensation as a jet: m g.p of the body's centre, times its factor."""
    body = mechanism.body(compensation.body)
    p = world.frame(compensation.body, Transform(position=body.center)).origin
    g = tuple(world.number(x) for x in mechanism.gravity)
    potential = v.dot(p, g) * (world.number(compensation.factor) * world.number(body.mass))
    return potential if isinstance(potential, Jet) else Jet(potential)


def _wall_depth(g: Any) -> Any:
    """Return max(0, -g), and NaN of NaN."""
    return f.choose(0.0, g, 0.0, -g)


def _wall_force(world: World, wall: Wall, g: Any, elastic: bool, viscous: bool) -> Any:
    k, c = world.number(wall.stiffness), world.number(wall.damping)
    stiffness: Any = k if elastic else 0
    if viscous and not is_zero(c):
        stiffness = stiffness + f.maximum(-c * g.rate, -k)
    return _wall_depth(g.value) * stiffness


def _forces(
    mechanism: Mechanism, world: World, spring: Spring, names: JetsByName, elastic: bool, viscous: bool
) -> list[tuple[Any, Slopes]]:
    """Return the forces of one element, each with the slopes of the length along which it acts."""
    if isinstance(spring, Wall):
        g = wall_gap(world, spring)
        return [(_wall_force(world, spring, g, elastic, viscous), g.slopes)]
    if isinstance(spring, GravityCompensation):
        return [(-1, _weight_potential(mechanism, world, spring).slopes)] if elastic else []
    if not _has_length(spring, names):
        return []
    k, c = world.number(spring.stiffness), world.number(spring.damping)
    forces, is_damped = [], viscous and not is_zero(c)
    square = _squared_length_without_rest(world, spring)
    if elastic and square is not None:
        # a spring without rest length pulls by k d, also where its ends meet and it has no direction
        forces.append((-0.5 * k, square.slopes))
        elastic = False
    if (elastic and not is_zero(k)) or is_damped:
        s = _length(world, spring, names)
        tension: Any = k * _stretch(world, spring, s.value) if elastic else 0
        forces.append((-(tension + c * s.rate if is_damped else tension), s.slopes))
    return forces


def _squared_length_without_rest(world: World, spring: PointSpring | CoordinateSpring) -> Any:
    """Return the squared length of a spring between two points without rest length, which its energy needs alone; else None."""
    has_no_rest = is_zero(world.number(spring.rest)) and is_zero(world.number(spring.slack))
    if not isinstance(spring, PointSpring) or spring.via or not has_no_rest:
        return None
    return _squared_lengths(world, spring)[0]
