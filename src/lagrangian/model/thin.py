"""Thin bodies of the textbooks: rods without thickness and discs without height. A rectangular lamina is a flat `plate`."""

from __future__ import annotations

from typing import Any

from lagrangian.errors import MechanismError, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.body import Shape, Visual
from lagrangian.model.expression import Scalar, sqrt
from lagrangian.model.placement import Placement, turn_z_to

# of what is drawn: a rod's radius against its length, a disc's thickness against its radius
ROD, DISC = 0.02, 0.04


def rod(start: Any, end: Any, *, mass: Scalar) -> Shape:
    """A uniform thin rod between two points of the body's frame: m l^2/12 about its middle, and nothing about itself."""
    with placed("rod"):
        a, b, mass = coerce.point(start, "start"), coerce.point(end, "end"), coerce.number(mass, "mass")
        d = v.sub(b, a)
        length = sqrt(v.dot(d, d))
        if not float(length) > 0:
            raise MechanismError("it begins and ends at the same point", remedy="a rod has a length")
    # m/12 (d.d 1 - d d^T)
    xx, yy, zz = (x * x for x in d)
    inertia = tuple(mass * x / 12 for x in (yy + zz, -d[0] * d[1], -d[0] * d[2], xx + zz, -d[1] * d[2], xx + yy))
    middle = (a[0] + d[0] / 2, a[1] + d[1] / 2, a[2] + d[2] / 2)
    along = (d[0] / length, d[1] / length, d[2] / length)
    drawn = Visual("capsule", (ROD * length, length), Placement(turn_z_to(along), middle))
    return Shape("rod", (length,), mass, inertia, Placement(position=middle), drawn)


def disc(radius: Scalar, *, mass: Scalar, at: Any = None) -> Shape:
    """A uniform thin disc about z, a round lamina: m r^2/2 about its axis, m r^2/4 about a diameter."""
    with placed("disc"):
        radius, mass = coerce.number(radius, "radius"), coerce.number(mass, "mass")
    if not float(radius) > 0:
        raise MechanismError(f"its radius is {float(radius):g} m", where="disc", remedy="it must be positive")
    square = mass * (radius * radius)
    where = Placement() if at is None else Placement.of(at, "disc: at")
    drawn = Visual("cylinder", (radius, DISC * radius), where)
    return Shape("disc", (radius,), mass, (square / 4, 0, 0, square / 4, 0, square / 2), where, drawn)
