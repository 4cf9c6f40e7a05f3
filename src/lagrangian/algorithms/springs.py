"""Springs and dampers between two points, and walls: energy, and the generalised forces they exert, over any scalars.

With s the distance of the points, the tension is k (s - rest) + c s'; by virtual work it exerts -tension ds/dq on the joints.

With g the gap between a point and a wall, and d = max(0, -g) the depth, the push is d max(0, k + c d') and exerts push dg/dq.
This is Hunt and Crossley's law (J. Appl. Mech. 42:440, 1975) with the exponent 1, and without a pull. Its elastic part k d is in
the energy; what is left of it, d max(-k, c d'), only ever takes energy.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.closed.jet import Slopes
from lagrangian.algorithms.closed.world import World
from lagrangian.algorithms.link import is_zero
from lagrangian.errors import MechanismError, Part
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f
from lagrangian.model.loop import PointSpring, Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


def _separation(world: World, spring: PointSpring) -> Any:
    """d.d, as a jet."""
    a = world.frame(spring.a, Placement(position=spring.a_point)).origin
    b = world.frame(spring.b, Placement(position=spring.b_point)).origin
    d = v.sub(b, a)
    return v.dot(d, d)


def _varies(square: Any) -> bool:
    """Whether some motion changes it; a spring of one length does no work, and where that is none it has no direction."""
    return not all(is_zero(slope) for slope in square.slopes.values())


def gap(world: World, wall: Wall) -> Any:
    """How far the point is outside the wall, as a jet: its slopes are those of the normal force on both bodies."""
    plane = world.frame(wall.on, Placement(position=wall.position))
    point = world.frame(wall.body, Placement(position=wall.point)).origin
    return v.dot(plane.direction(wall.normal), v.sub(point, plane.origin))


def _depth(g: Any) -> Any:
    """max(0, -g), and NaN of NaN."""
    return f.choose(0.0, g, 0.0, -g)


def _push(wall: Wall, g: Any, elastic: bool, viscous: bool) -> Any:
    k, c = float(wall.stiffness), float(wall.damping)
    hardness: Any = k if elastic else 0
    if viscous and c:
        hardness = hardness + f.maximum(-c * g.rate, -k)
    return _depth(g.value) * hardness


def kinks(world: World, wall: Wall) -> list[Any]:
    """The gap, and where there is damping what is left of the stiffness, over it: the force is smooth but where one is zero."""
    g, k, c = gap(world, wall), float(wall.stiffness), float(wall.damping)
    return [g.value, 1 - (c / k) * g.rate] if c else [g.value]


def torques(mechanism: Mechanism, world: World, elastic: bool = True, viscous: bool = True) -> Slopes:
    """The generalised force of all springs and dampers, by speed."""
    total: Slopes = {}
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            g = gap(world, spring)
            push = _push(spring, g, elastic, viscous)
            for i, slope in g.slopes.items():
                total[i] = total.get(i, 0) + push * slope
            continue
        k, rest, c = (world.number(x) for x in (spring.stiffness, spring.rest, spring.damping))
        stretches, damps = elastic and not is_zero(rest), viscous and not is_zero(c)
        square = _separation(world, spring)
        if elastic and not stretches:
            # a spring without rest length pulls by k d, also where its ends meet and it has no direction
            for i, slope in square.slopes.items():
                total[i] = total.get(i, 0) - (0.5 * k) * slope
        if (stretches or damps) and _varies(square):
            if is_zero(square.value):
                raise MechanismError("its ends are at one place in every configuration", where=Part("spring", spring.name))
            s = square.sqrt()
            tension: Any = k * (s.value - rest) if stretches else 0
            if damps:
                tension = tension + c * s.rate
            for i, slope in s.slopes.items():
                total[i] = total.get(i, 0) - tension * slope
    return total


def energy(mechanism: Mechanism, world: World) -> Any:
    """1/2 k (s - rest)^2 of all springs, 1/2 k d^2 of all walls."""
    total: Any = 0
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            depth = _depth(gap(world, spring).value)
            total = total + (0.5 * float(spring.stiffness)) * (depth * depth)
            continue
        square = _separation(world, spring).value
        k, rest = world.number(spring.stiffness), world.number(spring.rest)
        stretch = None if is_zero(rest) else f.sqrt(square) - rest
        total = total + (0.5 * k) * (square if stretch is None else stretch * stretch)
    return total


def forces(mechanism: Mechanism, world: World) -> list[Any]:
    """The tension of every spring with its damper, and the push of every wall."""
    found: list[Any] = []
    for spring in mechanism.springs:
        if isinstance(spring, Wall):
            found.append(_push(spring, gap(world, spring), elastic=True, viscous=True))
            continue
        k, rest, c = float(spring.stiffness), float(spring.rest), float(spring.damping)
        square = _separation(world, spring)
        s = square.sqrt() if _varies(square) else None
        length = f.sqrt(square.value) if s is None else s.value
        found.append(k * (length - rest) + (c * s.rate if c and s is not None else 0))
    return found
