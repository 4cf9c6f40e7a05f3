"""Rigid bodies: mass, centre of mass, inertia, and how they are composed from simple shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError, Part, placed
from lagrangian.model import coerce
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.placement import Placement

NO_INERTIA: v.Symmetric = (0, 0, 0, 0, 0, 0)
VISUALS = ("box", "cylinder", "sphere", "capsule", "ellipsoid", "point", "mesh")


@dataclass(frozen=True, slots=True)
class Visual:
    """What to draw for a body: a primitive shape or a mesh file, placed in the body's frame."""

    kind: str  # one of VISUALS
    size: tuple[Scalar, ...] = ()
    placement: Placement = field(default_factory=Placement)
    color: tuple[float, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body in its own frame.

    `center` is the centre of mass, `inertia` the tensor about it along the frame's axes, `(xx, xy, xz, yy, yz, zz)` with
    `xy = -∫ x y dm`; three principal values or a 3x3 matrix will do as well. `effective` says that the numbers are identified or
    regrouped parameters, such as the published PUMA 560's first link, of which only combinations mean something: they are then
    not held to what a real body can have.
    """

    name: str
    mass: Scalar = 0
    center: v.Vector = v.ZERO
    inertia: v.Symmetric = NO_INERTIA
    effective: bool = False
    visuals: tuple[Visual, ...] = ()

    def __post_init__(self) -> None:
        with placed(Part("body", self.name)):
            self._check()

    def _check(self) -> None:
        coerce.keep(self, coerce.text, "name")
        coerce.keep(self, coerce.number, "mass")
        coerce.keep(self, coerce.point, "center")
        coerce.keep(self, coerce.symmetric, "inertia")
        coerce.finite(self.inertia, "inertia")
        coerce.keep(self, coerce.flag, "effective")
        if 0 < abs(float(self.mass)) < coerce.LIGHTEST:
            needed = f"0, or at least {coerce.LIGHTEST:g} kg, is needed"
            raise MechanismError(f"is {float(self.mass):g} kg", argument="mass", remedy=needed)
        object.__setattr__(self, "visuals", coerce.items(Visual, self.visuals, "visuals"))
        if float(self.mass) < 0 and not self.effective:
            raise MechanismError(f"is {float(self.mass):g} kg", argument="mass", remedy="it cannot be negative")
        if not self.effective:
            problem = inertia_problem(self.mass, self.inertia)
            if problem:
                raise MechanismError(
                    f"{problem}. If these are identified or regrouped parameters rather than a real body's, say so with "
                    f"effective = true"
                )

    def scaled(self, factor: float) -> Body:
        """The same body of another density: mass and inertia times `factor`."""
        return replace(self, mass=factor * self.mass, inertia=tuple(factor * x for x in self.inertia))

    @property
    def inertia_matrix(self) -> np.ndarray:
        """The 3x3 inertia tensor about the centre of mass."""
        return np.array(v.sym_full(self.inertia), dtype=float)

    @property
    def inertia_at_origin(self) -> v.Symmetric:
        """The inertia about the frame's origin (parallel-axis theorem)."""
        return v.sym_add(self.inertia, v.point_inertia(self.mass, self.center))

    @property
    def first_moment(self) -> v.Vector:
        return v.scale(self.mass, self.center)

    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments (ascending) and, as columns, the principal axes."""
        moments, axes = np.linalg.eigh(self.inertia_matrix)
        if np.linalg.det(axes) < 0:
            axes[:, 0] = -axes[:, 0]
        return moments, axes

    def pseudo_inertia(self) -> np.ndarray:
        """The 4x4 matrix `∫ r r^T dm` of homogeneous coordinates in the body's frame."""
        I = np.array(v.sym_full(self.inertia_at_origin), dtype=float)
        J = np.zeros((4, 4))
        J[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
        J[:3, 3] = J[3, :3] = np.array(self.first_moment, dtype=float)
        J[3, 3] = float(self.mass)
        return J

    @staticmethod
    def from_shapes(name: str, shapes: Sequence[Shape]) -> Body:
        """One rigid body made of shapes; a shape with negative density or mass is a hole."""
        with placed(Part("body", name)):
            shapes = coerce.items(Shape, shapes, "shapes")
        mass: Scalar = 0
        moment, inertia = v.ZERO, NO_INERTIA
        for shape in shapes:
            m, R, p = shape.mass, shape.placement.rotation, shape.placement.position
            mass = mass + m
            moment = v.add(moment, v.scale(m, p))
            about = v.sym_add(v.sym_rotate(R, shape.inertia), v.point_inertia(m, p))
            inertia = v.sym_add(inertia, about)
        if not float(mass) > 0:
            raise MechanismError(
                f"its shapes add up to {float(mass):g} kg", where=Part("body", name), remedy="the mass must be positive"
            )
        center = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
        back = v.point_inertia(mass, center)
        central = tuple(a - b for a, b in zip(inertia, back, strict=True))
        visuals = tuple(s.drawn or Visual(s.kind, s.size, s.placement) for s in shapes if float(s.mass) > 0)
        return Body(name, mass, center, central, visuals=visuals)


def rotate_inertia(rotation: Any, inertia: Any) -> np.ndarray:
    """R I R^T: an inertia tensor along other axes, with the same origin; `rotation` has the old axes as columns, in the new.

    `inertia` is a 3x3 matrix, three principal values, or the six entries (xx, xy, xz, yy, yz, zz).
    """
    R = Placement.of(Placement(coerce.matrix(rotation, "rotation"), v.ZERO), "rotation").rotation
    return np.array(v.sym_full(v.sym_rotate(R, coerce.symmetric(inertia, "inertia"))), dtype=float)


def inertia_problem(mass: Scalar, inertia: v.Symmetric) -> str:
    """Why no real body can have this inertia about its centre of mass; '' if one can.

    A real tensor is positive semi-definite and its principal moments obey the triangle inequality; equivalently the
    pseudo-inertia is positive semi-definite.
    """
    xx, xy, xz, yy, yz, zz = (float(x) for x in inertia)
    if xy == 0 and xz == 0 and yz == 0:
        a, b, c = sorted((xx, yy, zz))
    else:
        a, b, c = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])).tolist()
    # data written with 5 digits, of thin rods and plates, sit on the boundary: allow their rounding
    # and a point mass's may be the rounding of zero
    slack = 1e-4 * max(abs(a), abs(c)) + 1e-15 * abs(float(mass))
    shown = f"principal moments ({a:g}, {b:g}, {c:g}) kg m^2"
    if a < -slack:
        return f"the inertia is not positive definite: {shown}; all three must be positive"
    if c > a + b + slack:
        return f"the inertia is impossible: {shown}; the largest cannot exceed the sum of the other two ({a + b:g})"
    if float(mass) == 0 and c > 0:
        return f"the mass is 0 but the inertia is not: {shown}; a body without mass has no inertia"
    return ""


@dataclass(frozen=True, slots=True)
class Shape:
    """A homogeneous solid: its mass and its inertia about its own centre, placed in the body's frame."""

    kind: str
    size: tuple[Any, ...]
    mass: Scalar
    inertia: v.Symmetric
    placement: Placement = field(default_factory=Placement)
    drawn: Visual | None = None  # what to draw, where it is not the shape itself


def _numbers(kind: str, **given: Any) -> list[Scalar]:
    """What a shape is given, as finite numbers or expressions."""
    with placed(kind):
        return [coerce.number(x, name) for name, x in given.items()]


def _check_dimensions(kind: str, size: tuple[Scalar, ...]) -> None:
    for x in size:
        if not float(x) > 0:
            raise MechanismError(f"a dimension is {float(x):g} m", where=kind, remedy="dimensions must be positive")


def _solid(kind: str, size: tuple[Scalar, ...], volume: Scalar, mass: Any, density: Any) -> Scalar:
    _check_dimensions(kind, size)
    if (mass is None) == (density is None):
        raise MechanismError("give either a mass or a density", where=kind)
    if mass is not None:
        return _numbers(kind, mass=mass)[0]
    return _numbers(kind, density=density)[0] * volume


def _three(kind: str, size: Any) -> v.Vector:
    with placed(kind):
        return coerce.vector(size, "its size", "(0.1, 0.2, 0.3)")


def _at(kind: str, at: Any) -> Placement:
    return Placement() if at is None else Placement.of(at, f"{kind}: at")


def _diagonal(xx: Scalar, yy: Scalar, zz: Scalar) -> v.Symmetric:
    return (xx, 0, 0, yy, 0, zz)


def box(size: Sequence[Scalar], *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A box of full side lengths along x, y, z."""
    x, y, z = _three("box", size)
    m = _solid("box", (x, y, z), x * y * z, mass, density)
    return Shape("box", (x, y, z), m, _box_inertia(m, x, y, z), _at("box", at))


def _box_inertia(m: Scalar, x: Scalar, y: Scalar, z: Scalar) -> v.Symmetric:
    return _diagonal(m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)


def cylinder(radius: Scalar, length: Scalar, *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A solid cylinder along z."""
    radius, length = _numbers("cylinder", radius=radius, length=length)
    r2 = radius * radius
    m = _solid("cylinder", (radius, length), math.pi * r2 * length, mass, density)
    side = m * (3 * r2 + length * length) / 12
    return Shape("cylinder", (radius, length), m, _diagonal(side, side, m * r2 / 2), _at("cylinder", at))


def sphere(radius: Scalar, *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A solid ball."""
    (radius,) = _numbers("sphere", radius=radius)
    m = _solid("sphere", (radius,), 4 / 3 * math.pi * radius * radius * radius, mass, density)
    i = m * (radius * radius) * 2 / 5
    return Shape("sphere", (radius,), m, _diagonal(i, i, i), _at("sphere", at))


def tube(outer: Scalar, inner: Scalar, length: Scalar, *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A hollow cylinder along z, by its outer and inner radius."""
    outer, inner, length = _numbers("tube", outer=outer, inner=inner, length=length)
    if not 0 <= float(inner) < float(outer):
        raise MechanismError(
            f"inner radius {float(inner):g} m must be at least 0 and less than outer {float(outer):g} m", where="tube"
        )
    r2 = outer * outer + inner * inner
    m = _solid("tube", (outer, length), math.pi * (outer * outer - inner * inner) * length, mass, density)
    side = m * (3 * r2 + length * length) / 12
    return Shape("cylinder", (outer, length), m, _diagonal(side, side, m * r2 / 2), _at("tube", at))


def ellipsoid(radii: Sequence[Scalar], *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A solid ellipsoid by its three semi-axes."""
    a, b, c = _three("ellipsoid", radii)
    m = _solid("ellipsoid", (a, b, c), 4 / 3 * math.pi * a * b * c, mass, density)
    return Shape(
        "ellipsoid",
        (a, b, c),
        m,
        _diagonal(m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5),
        _at("ellipsoid", at),
    )


def capsule(radius: Scalar, length: Scalar, *, mass: Any = None, density: Any = None, at: Any = None) -> Shape:
    """A cylinder along z of the given length between its two half-ball caps."""
    r, h = _numbers("capsule", radius=radius, length=length)
    volume = math.pi * (r * r) * (h + 4 / 3 * r)
    m = _solid("capsule", (r, h), volume, mass, density)
    mc = m * h / (h + 4 / 3 * r)
    ms = m - mc
    axial = mc * (r * r) / 2 + ms * (r * r) * 2 / 5
    side = mc * (3 * (r * r) + h * h) / 12 + ms * ((r * r) * 2 / 5 + h * h / 4 + 3 / 8 * h * r)
    return Shape("capsule", (r, h), m, _diagonal(side, side, axial), _at("capsule", at))


def point_mass(mass: Scalar, at: Any = None) -> Shape:
    """A particle."""
    (mass,) = _numbers("point_mass", mass=mass)
    return Shape("point", (), mass, NO_INERTIA, _at("point_mass", at))


def _holes(given: Any) -> list[v.Vector]:
    with placed("plate"):
        several = given if isinstance(given, (list, tuple, np.ndarray)) else [given]
        return [coerce.point(hole, "a hole") for hole in several]


def plate(
    size: Sequence[Scalar],
    *,
    holes: Sequence[tuple[Scalar, Scalar, Scalar]] = (),
    mass: Any = None,
    density: Any = None,
    at: Any = None,
) -> tuple[Shape, ...]:
    """A flat plate (x, y, thickness along z) with round through-holes `(x, y, radius)`; of no thickness it is a lamina.

    `mass` is that of the plate as it is, with its holes; a lamina has a mass, and no density.
    """
    x, y, z = _three("plate", size)
    thin = float(z) == 0
    _check_dimensions("plate", (x, y) if thin else (x, y, z))
    area = x * y
    holes = _holes(holes)
    for hx, hy, r in holes:
        area = area - math.pi * (r * r)
        fx, fy, fr = abs(float(hx)), abs(float(hy)), float(r)
        if not fr > 0 or fx + fr > float(x) / 2 or fy + fr > float(y) / 2:
            raise MechanismError(
                f"the hole at ({float(hx):g}, {float(hy):g}) of radius {fr:g} m does not lie inside it", where="plate"
            )
    if not float(area) > 0:
        raise MechanismError("its holes take more than the whole plate", where="plate")
    if thin and density is not None:
        raise MechanismError("it has no thickness, and so no volume to be of a density", where="plate", remedy="give its mass")
    m = _solid("plate", (), area * z, mass, density)
    base = _at("plate", at)
    shapes = [Shape("box", (x, y, z), whole := m * (x * y) / area, _box_inertia(whole, x, y, z), base)]
    for hx, hy, r in holes:
        taken = -m * (math.pi * (r * r)) / area
        side = taken * (3 * (r * r) + z * z) / 12
        inertia = _diagonal(side, side, taken * (r * r) / 2)
        shapes.append(Shape("cylinder", (r, z), taken, inertia, base @ Placement(position=(hx, hy, 0))))
    return tuple(shapes)
