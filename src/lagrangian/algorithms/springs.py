"""Springs and dampers in line between two points: energy, and the generalised forces they exert, over any scalars.

With s the distance of the points, the tension is k (s - rest) + c s'; by virtual work it exerts -tension ds/dq on the joints.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.jet import Slopes
from lagrangian.algorithms.world import World
from lagrangian.model import functions as f
from lagrangian.model import vector as v
from lagrangian.model.loop import PointSpring
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement


def _separation(world: World, spring: PointSpring) -> Any:
    """d.d, as a jet."""
    a = world.frame(spring.a, Placement(position=spring.point_a)).origin
    b = world.frame(spring.b, Placement(position=spring.point_b)).origin
    d = v.sub(b, a)
    return v.dot(d, d)


def torques(mechanism: Mechanism, world: World, elastic: bool = True, viscous: bool = True) -> Slopes:
    """The generalised force of all springs and dampers, by speed."""
    total: Slopes = {}
    for spring in mechanism.springs:
        k, rest, c = float(spring.stiffness), float(spring.rest), float(spring.damping)
        square = _separation(world, spring)
        if elastic and rest == 0:
            # a spring without rest length pulls by k d, also where its ends meet and it has no direction
            for i, slope in square.slopes.items():
                total[i] = total.get(i, 0) - (0.5 * k) * slope
        if (elastic and rest != 0) or (viscous and c):
            s = square.sqrt()
            tension: Any = k * (s.value - rest) if elastic and rest != 0 else 0
            if viscous and c:
                tension = tension + c * s.rate
            for i, slope in s.slopes.items():
                total[i] = total.get(i, 0) - tension * slope
    return total


def energy(mechanism: Mechanism, world: World) -> Any:
    """1/2 k (s - rest)^2 of all of them."""
    total: Any = 0
    for spring in mechanism.springs:
        square = _separation(world, spring).value
        stretch = f.sqrt(square) - float(spring.rest) if float(spring.rest) else None
        total = total + (0.5 * float(spring.stiffness)) * (square if stretch is None else stretch * stretch)
    return total
