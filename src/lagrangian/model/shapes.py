"""Shapes with a mass, of which bodies are composed, and what is drawn for a body.

Rods without thickness, discs without height and flat plates are the thin bodies of the textbooks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import MechanismError, error_location
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, sqrt
from lagrangian.model.placement import Transform, TransformLike, rotation_z_to
from lagrangian.model.vector import VectorLike
from lagrangian.public import public, unknown_attribute

__all__ = ["box", "capsule", "cylinder", "disc", "ellipsoid", "plate", "point_mass", "rod", "sphere", "tube"]
VISUAL_KINDS = ("box", "cylinder", "sphere", "capsule", "ellipsoid", "point", "mesh")

# of what is drawn: the radius of a rod by its length, the thickness of a disc by its radius
ROD_RADIUS_RATIO, DISC_THICKNESS_RATIO = 0.02, 0.04


@dataclass(frozen=True, slots=True)
class Shape:
    """A homogeneous solid, placed in the frame of a body.

    The functions `box`, `cylinder`, `sphere` and so on return shapes; `Body.from_shapes` composes them to a body.

    Attributes
    ----------
    kind : str
        "box", "cylinder", "sphere", "capsule", "ellipsoid", "point", "rod" or "disc".
    size : tuple of float
        The dimensions in metres, as the function takes them.
    mass : float or Expression
        The mass in kg; a hole has a negative one.
    inertia : tuple
        The inertia about the centre of mass along the axes of the shape, `(xx, xy, xz, yy, yz, zz)` in kg m².
    placement : Transform
        The frame of the shape, whose origin is the centre of mass, in the frame of the body.
    visual : Visual or None
        What is drawn, if it is not the shape itself.
    """

    kind: str
    size: tuple[Any, ...]
    mass: Scalar
    inertia: v.Symmetric
    placement: Transform = field(default_factory=Transform)
    visual: Visual | None = None


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape or a mesh that is drawn for a body.

    Visuals have no effect on the dynamics. A body that is made by `Body.from_shapes` has those of its shapes.

    Parameters
    ----------
    kind : str
        "box", "cylinder", "sphere", "capsule", "ellipsoid", "point" or "mesh".
    size : tuple of float, optional
        The dimensions in metres: three side lengths of a box, radius and length of a cylinder or capsule, the radius of a
        sphere, three semi-axes of an ellipsoid, the scale of a mesh along x, y and z.
    placement : Transform, optional
        The frame of the shape in the frame of the body; by default they are the same.
    color : tuple of float, optional
        Red, green, blue and, if you like, opacity, each from 0 to 1.
    file : str, optional
        The file of a mesh.

    Examples
    --------
    >>> import lagrangian as lg
    >>> from lagrangian.model.shapes import Visual
    >>> link = lg.Body("link", 1.0, visuals=[Visual("sphere", (0.05,), color=(1, 0, 0, 1))])
    >>> link.visuals[0].kind
    'sphere'
    """

    kind: str
    size: tuple[Scalar, ...] = ()
    placement: Transform = field(default_factory=Transform)
    color: tuple[float, ...] = ()
    file: str = ""


@public
def box(size: VectorLike, *, mass: Scalar | None = None, density: Scalar | None = None, at: TransformLike | None = None) -> Shape:
    """Make a solid box.

    Parameters
    ----------
    size : array_like
        The full side lengths along x, y and z in m.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the box is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> bar = lg.shapes.box((0.4, 0.1, 0.1), mass=1.2, at=(0.2, 0, 0))
    >>> lg.Body.from_shapes("bar", [bar]).inertia
    (0.002, 0, 0, 0.017, 0, 0.017)
    """
    x, y, z = _dimensions("box", size)
    m = _solid_mass("box", (x, y, z), x * y * z, mass, density)
    return Shape("box", (x, y, z), m, _box_inertia(m, x, y, z), _shape_placement("box", at))


@public
def cylinder(
    radius: Scalar,
    length: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
    at: TransformLike | None = None,
) -> Shape:
    """Make a solid cylinder along z.

    Parameters
    ----------
    radius : float or Expression
        The radius in m.
    length : float or Expression
        The length along z in m.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the cylinder is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    A steel shaft of 20 mm diameter:

    >>> import lagrangian as lg
    >>> shaft = lg.shapes.cylinder(radius=0.01, length=0.3, density=7850)
    >>> print(f"{shaft.mass:.4f} kg")
    0.7398 kg
    """
    radius, length = _finite_numbers("cylinder", radius=radius, length=length)
    r2 = radius * radius
    m = _solid_mass("cylinder", (radius, length), math.pi * r2 * length, mass, density)
    side = m * (3 * r2 + length * length) / 12
    return Shape("cylinder", (radius, length), m, _diagonal(side, side, m * r2 / 2), _shape_placement("cylinder", at))


@public
def sphere(
    radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, at: TransformLike | None = None
) -> Shape:
    """Make a solid sphere.

    Parameters
    ----------
    radius : float or Expression
        The radius in m.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the sphere is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> ball = lg.shapes.sphere(0.1, mass=2.0)
    >>> print(f"{ball.inertia[0]:.3f} kg m²")
    0.008 kg m²
    """
    (radius,) = _finite_numbers("sphere", radius=radius)
    m = _solid_mass("sphere", (radius,), 4 / 3 * math.pi * radius * radius * radius, mass, density)
    i = m * (radius * radius) * 2 / 5
    return Shape("sphere", (radius,), m, _diagonal(i, i, i), _shape_placement("sphere", at))


@public
def tube(
    outer: Scalar,
    inner: Scalar,
    length: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
    at: TransformLike | None = None,
) -> Shape:
    """Make a hollow cylinder along z.

    Parameters
    ----------
    outer : float or Expression
        The outer radius in m.
    inner : float or Expression
        The inner radius in m, which is less than the outer one.
    length : float or Expression
        The length along z in m.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the tube is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    An aluminium tube of 60 mm diameter and 3 mm wall thickness:

    >>> import lagrangian as lg
    >>> link = lg.shapes.tube(outer=0.03, inner=0.027, length=0.5, density=2700)
    >>> print(f"{link.mass:.3f} kg")
    0.725 kg
    """
    outer, inner, length = _finite_numbers("tube", outer=outer, inner=inner, length=length)
    if not 0 <= float(inner) < float(outer):
        raise MechanismError(
            f"the inner radius, {float(inner):g} m, must be at least 0 and less than the outer radius, {float(outer):g} m",
            where="tube",
        )
    r2 = outer * outer + inner * inner
    m = _solid_mass("tube", (outer, length), math.pi * (outer * outer - inner * inner) * length, mass, density)
    side = m * (3 * r2 + length * length) / 12
    return Shape("cylinder", (outer, length), m, _diagonal(side, side, m * r2 / 2), _shape_placement("tube", at))


@public
def ellipsoid(
    radii: VectorLike, *, mass: Scalar | None = None, density: Scalar | None = None, at: TransformLike | None = None
) -> Shape:
    """Make a solid ellipsoid.

    Parameters
    ----------
    radii : array_like
        The semi-axes along x, y and z in m.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the ellipsoid is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> hull = lg.shapes.ellipsoid((0.3, 0.2, 0.1), mass=5.0)
    >>> [round(x, 3) for x in lg.Body.from_shapes("hull", [hull]).principal_inertia()[0].tolist()]
    [0.05, 0.1, 0.13]
    """
    a, b, c = _dimensions("ellipsoid", radii)
    m = _solid_mass("ellipsoid", (a, b, c), 4 / 3 * math.pi * a * b * c, mass, density)
    return Shape(
        "ellipsoid",
        (a, b, c),
        m,
        _diagonal(m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5),
        _shape_placement("ellipsoid", at),
    )


@public
def capsule(
    radius: Scalar,
    length: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
    at: TransformLike | None = None,
) -> Shape:
    """Make a solid capsule along z: a cylinder between two hemispheres.

    Parameters
    ----------
    radius : float or Expression
        The radius of the cylinder and of the hemispheres in m.
    length : float or Expression
        The length of the cylinder alone in m; the whole capsule is longer by twice the radius.
    mass : float or Expression, optional
        The mass in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A negative density or mass makes a hole.
    at : Transform or array_like, optional
        Where the capsule is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, or if not exactly one of mass and density is given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> forearm = lg.shapes.capsule(radius=0.04, length=0.3, mass=1.5)
    >>> forearm.mass
    1.5
    """
    r, h = _finite_numbers("capsule", radius=radius, length=length)
    volume = math.pi * (r * r) * (h + 4 / 3 * r)
    m = _solid_mass("capsule", (r, h), volume, mass, density)
    mc = m * h / (h + 4 / 3 * r)
    ms = m - mc
    axial = mc * (r * r) / 2 + ms * (r * r) * 2 / 5
    side = mc * (3 * (r * r) + h * h) / 12 + ms * ((r * r) * 2 / 5 + h * h / 4 + 3 / 8 * h * r)
    return Shape("capsule", (r, h), m, _diagonal(side, side, axial), _shape_placement("capsule", at))


@public
def plate(
    size: VectorLike,
    *,
    holes: Sequence[tuple[Scalar, Scalar, Scalar]] = (),
    mass: Scalar | None = None,
    density: Scalar | None = None,
    at: TransformLike | None = None,
) -> tuple[Shape, ...]:
    """Make a flat rectangular plate with round through-holes.

    Parameters
    ----------
    size : array_like
        The side lengths along x and y and the thickness along z, in m. A plate of thickness 0 is a lamina.
    holes : sequence of tuple, optional
        The holes as `(x, y, radius)` in m, from the centre of the plate.
    mass : float or Expression, optional
        The mass of the plate with its holes, in kg. Give either the mass or the density.
    density : float or Expression, optional
        The density in kg/m³. A lamina has no volume, so that it needs a mass.
    at : Transform or array_like, optional
        Where the plate is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
        origin.

    Returns
    -------
    tuple of Shape
        The plate and its holes, for `Body.from_shapes`.

    Raises
    ------
    MechanismError
        If a dimension is not positive, if a hole is not inside the plate, or if not exactly one of mass and density is given.

    Examples
    --------
    >>> import lagrangian as lg
    >>> flange = lg.shapes.plate((0.2, 0.2, 0.01), holes=[(0, 0, 0.05)], density=7850)
    >>> print(f"{lg.Body.from_shapes('flange', flange).mass:.3f} kg")
    2.523 kg
    """
    x, y, z = _dimensions("plate", size)
    thin = float(z) == 0
    _check_dimensions("plate", (x, y) if thin else (x, y, z))
    area = x * y
    holes = _hole_vectors(holes)
    for hx, hy, r in holes:
        area = area - math.pi * (r * r)
        fx, fy, fr = abs(float(hx)), abs(float(hy)), float(r)
        if not fr > 0 or fx + fr > float(x) / 2 or fy + fr > float(y) / 2:
            raise MechanismError(
                f"the hole at ({float(hx):g}, {float(hy):g}) with radius {fr:g} m is not inside the plate", where="plate"
            )
    if not float(area) > 0:
        raise MechanismError("its holes are larger than the plate", where="plate")
    if thin and density is not None:
        raise MechanismError("it has no thickness, so that a density gives no mass", where="plate", remedy="give its mass")
    m = _solid_mass("plate", (), area * z, mass, density)
    base = _shape_placement("plate", at)
    shapes = [Shape("box", (x, y, z), filled_mass := m * (x * y) / area, _box_inertia(filled_mass, x, y, z), base)]
    for hx, hy, r in holes:
        hole_mass = -m * (math.pi * (r * r)) / area
        side = hole_mass * (3 * (r * r) + z * z) / 12
        inertia = _diagonal(side, side, hole_mass * (r * r) / 2)
        shapes.append(Shape("cylinder", (r, z), hole_mass, inertia, base @ Transform(position=(hx, hy, 0))))
    return tuple(shapes)


@public
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
    >>> link = lg.Body.from_shapes("link", [lg.shapes.rod((0, 0, 0), (0.5, 0, 0), mass=1.2)])
    >>> link.center, round(link.inertia[5], 4)
    ((0.25, 0.0, 0.0), 0.025)
    """
    with error_location("rod"):
        a, b, mass = checks.point(start, "start"), checks.point(end, "end"), checks.number(mass, "mass")
        d = v.sub(b, a)
        length = sqrt(v.dot(d, d))
        if not float(length) > 0:
            raise MechanismError("both ends are the same point", remedy="the two ends must differ")
    # m/12 (d.d 1 - d d^T)
    xx, yy, zz = (x * x for x in d)
    inertia = tuple(mass * x / 12 for x in (yy + zz, -d[0] * d[1], -d[0] * d[2], xx + zz, -d[1] * d[2], xx + yy))
    middle = (a[0] + d[0] / 2, a[1] + d[1] / 2, a[2] + d[2] / 2)
    direction = (d[0] / length, d[1] / length, d[2] / length)
    visual = Visual("capsule", (ROD_RADIUS_RATIO * length, length), Transform(rotation_z_to(direction), middle))
    return Shape("rod", (length,), mass, inertia, Transform(position=middle), visual)


@public
def disc(radius: Scalar, *, mass: Scalar, at: TransformLike | None = None) -> Shape:
    """Make a uniform thin disc about z.

    Its moment of inertia is m r²/2 about its axis and m r²/4 about a diameter.

    Parameters
    ----------
    radius : float or Expression
        The radius in m.
    mass : float or Expression
        The mass in kg.
    at : Transform or array_like, optional
        Where the disc is in the frame of the body: a `Transform`, or the position of its centre in m. The default is the
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
    >>> wheel = lg.Body.from_shapes("wheel", [lg.shapes.disc(0.2, mass=3.0)])
    >>> [round(x, 4) for x in wheel.principal_inertia()[0].tolist()]
    [0.03, 0.03, 0.06]
    """
    with error_location("disc"):
        radius, mass = checks.number(radius, "radius"), checks.number(mass, "mass")
    if not float(radius) > 0:
        raise MechanismError(f"its radius is {float(radius):g} m", where="disc", remedy="it must be positive")
    square = mass * (radius * radius)
    placement = Transform() if at is None else Transform.from_value(at, "disc: at")
    visual = Visual("cylinder", (radius, DISC_THICKNESS_RATIO * radius), placement)
    return Shape("disc", (radius,), mass, (square / 4, 0, 0, square / 4, 0, square / 2), placement, visual)


@public
def point_mass(mass: Scalar, at: TransformLike | None = None) -> Shape:
    """Make a point mass.

    Parameters
    ----------
    mass : float or Expression
        The mass in kg.
    at : Transform or array_like, optional
        The position in the frame of the body in m; the default is the origin.

    Returns
    -------
    Shape
        The shape, for `Body.from_shapes`.

    Examples
    --------
    >>> import lagrangian as lg
    >>> bob = lg.Body.from_shapes("bob", [lg.shapes.point_mass(1.0, at=(0, 0, -0.5))])
    >>> bob.center
    (0.0, 0.0, -0.5)
    """
    (mass,) = _finite_numbers("point_mass", mass=mass)
    return Shape("point", (), mass, v.NO_INERTIA, _shape_placement("point_mass", at))


def _solid_mass(kind: str, size: tuple[Scalar, ...], volume: Scalar, mass: Any, density: Any) -> Scalar:
    _check_dimensions(kind, size)
    if (mass is None) == (density is None):
        raise MechanismError("give either a mass or a density", where=kind)
    if mass is not None:
        return _finite_numbers(kind, mass=mass)[0]
    return _finite_numbers(kind, density=density)[0] * volume


def _check_dimensions(kind: str, size: tuple[Scalar, ...]) -> None:
    for x in size:
        if not float(x) > 0:
            raise MechanismError(f"a dimension is {float(x):g} m", where=kind, remedy="dimensions must be positive")


def _dimensions(kind: str, size: Any) -> v.Vector:
    with error_location(kind):
        return checks.vector(size, "size", "(0.1, 0.2, 0.3)")


def _finite_numbers(kind: str, **values: Any) -> list[Scalar]:
    """Return the arguments of a shape as finite numbers or expressions."""
    with error_location(kind):
        return [checks.number(x, name) for name, x in values.items()]


def _shape_placement(kind: str, at: Any) -> Transform:
    return Transform() if at is None else Transform.from_value(at, f"{kind}: at")


def _box_inertia(m: Scalar, x: Scalar, y: Scalar, z: Scalar) -> v.Symmetric:
    return _diagonal(m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)


def _diagonal(xx: Scalar, yy: Scalar, zz: Scalar) -> v.Symmetric:
    return (xx, 0, 0, yy, 0, zz)


def _hole_vectors(value: Any) -> list[v.Vector]:
    with error_location("plate"):
        holes = value if isinstance(value, (list, tuple, np.ndarray)) else [value]
        return [checks.point(hole, "a hole") for hole in holes]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise unknown_attribute("lagrangian.shapes", name, __all__)
