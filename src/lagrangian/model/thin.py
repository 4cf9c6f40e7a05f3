"""Thin bodies of the textbooks: rods without thickness and discs without height. A rectangular lamina is a flat `plate`."""

from __future__ import annotations

from lagrangian.errors import MechanismError, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, sqrt
from lagrangian.model.placement import Placement, PlacementLike, turn_z_to
from lagrangian.model.shapes import Shape, Visual
from lagrangian.model.vector import VectorLike

# of what is drawn: a rod's radius against its length, a disc's thickness against its radius
ROD, DISC = 0.02, 0.04


def rod(start: VectorLike, end: VectorLike, *, mass: Scalar) -> Shape:
    """Make a uniform thin rod between two points.

    Its moment of inertia is m l²/12 about its middle and 0 about its own axis.

    Parameters
    ----------
    start, end : array_like
        The two ends in the frame of the body, in m.
    mass : float or Expression
        The mass in kg.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If both ends are the same point.

    Examples
    --------
    >>> import lagrangian as lg
    >>> link = lg.Body.from_shapes("link", [lg.rod((0, 0, 0), (0.5, 0, 0), mass=1.2)])
    >>> link.center, round(link.inertia[5], 4)
    ((0.25, 0.0, 0.0), 0.025)
    """
    with placed("rod"):
        a, b, mass = coerce.point(start, "start"), coerce.point(end, "end"), coerce.number(mass, "mass")
        d = v.sub(b, a)
        length = sqrt(v.dot(d, d))
        if not float(length) > 0:
            raise MechanismError("both ends are the same point", remedy="the two ends must differ")
    # m/12 (d.d 1 - d d^T)
    xx, yy, zz = (x * x for x in d)
    inertia = tuple(mass * x / 12 for x in (yy + zz, -d[0] * d[1], -d[0] * d[2], xx + zz, -d[1] * d[2], xx + yy))
    middle = (a[0] + d[0] / 2, a[1] + d[1] / 2, a[2] + d[2] / 2)
    along = (d[0] / length, d[1] / length, d[2] / length)
    drawn = Visual("capsule", (ROD * length, length), Placement(turn_z_to(along), middle))
    return Shape("rod", (length,), mass, inertia, Placement(position=middle), drawn)


def disc(radius: Scalar, *, mass: Scalar, at: PlacementLike | None = None) -> Shape:
    """Make a uniform thin disc about z.

    Its moment of inertia is m r²/2 about its axis and m r²/4 about a diameter.

    Parameters
    ----------
    radius : float or Expression
        The radius in m.
    mass : float or Expression
        The mass in kg.
    at : Placement or array_like, optional
        Where the disc is in the frame of the body: a `Placement`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If the radius is not positive.

    Examples
    --------
    >>> import lagrangian as lg
    >>> wheel = lg.Body.from_shapes("wheel", [lg.disc(0.2, mass=3.0)])
    >>> [round(x, 4) for x in wheel.principal()[0].tolist()]
    [0.03, 0.03, 0.06]
    """
    with placed("disc"):
        radius, mass = coerce.number(radius, "radius"), coerce.number(mass, "mass")
    if not float(radius) > 0:
        raise MechanismError(f"its radius is {float(radius):g} m", where="disc", remedy="it must be positive")
    square = mass * (radius * radius)
    where = Placement() if at is None else Placement.of(at, "disc: at")
    drawn = Visual("cylinder", (radius, DISC * radius), where)
    return Shape("disc", (radius,), mass, (square / 4, 0, 0, square / 4, 0, square / 2), where, drawn)
