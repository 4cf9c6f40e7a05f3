"""Rigid bodies: mass, centre of mass and inertia; and a body with a payload as one rigid body, by the parallel-axis theorem."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import MechanismError, MechanismPart, error_location
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, parameters
from lagrangian.model.placement import Transform
from lagrangian.model.shapes import Shape, Visual
from lagrangian.model.vector import NO_INERTIA, InertiaLike, MatrixLike, Symmetric, Vector

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


EPSILON = sys.float_info.epsilon


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body with its mass, centre of mass and inertia.

    All quantities are in the frame of the body. A joint places this frame: see `Joint`.

    Parameters
    ----------
    name : str
        The name, which no other body or frame has.
    mass : float or Expression, optional
        The mass in kg; the default is 0.
    center : array_like, optional
        The centre of mass in m; the default is the origin of the frame.
    inertia : array_like, optional
        The inertia tensor about the centre of mass, along the axes of the frame, in kg m²: three principal moments, the six
        entries `(xx, xy, xz, yy, yz, zz)` with `xy = -∫ x y dm`, or a 3x3 matrix. The default is zero.
    effective : bool, optional
        Whether the numbers are identified or regrouped parameters, of which only combinations have a meaning, such as those
        published for the first link of the PUMA 560. Such a body may have an inertia that no real body has.
    visuals : sequence of Visual, optional
        What is drawn for the body.

    Raises
    ------
    MechanismError
        If the mass is negative, or if no real body has this inertia and `effective` is False.

    Examples
    --------
    >>> import lagrangian as lg
    >>> link = lg.Body("link", mass=2.0, center=(0.25, 0, 0), inertia=(0.0, 0.04, 0.04))
    >>> link.inertia_matrix
    array([[0.  , 0.  , 0.  ],
           [0.  , 0.04, 0.  ],
           [0.  , 0.  , 0.04]])

    An impossible inertia is refused:

    >>> lg.Body("link", mass=2.0, inertia=(0.01, 0.01, 0.04))
    Traceback (most recent call last):
        ...
    lagrangian.errors.MechanismError: body 'link': the inertia is impossible: ...
    """

    name: str
    mass: Scalar = 0
    center: Vector = v.ZERO
    inertia: Symmetric = v.NO_INERTIA
    effective: bool = False
    visuals: tuple[Visual, ...] = ()

    def __post_init__(self) -> None:
        with error_location(MechanismPart("body", self.name)):
            self._check()

    def _check(self) -> None:
        checks.convert_fields(self, checks.text, "name")
        checks.convert_fields(self, checks.number, "mass")
        checks.convert_fields(self, checks.point, "center")
        checks.convert_fields(self, checks.symmetric, "inertia")
        checks.check_finite(self.inertia, "inertia")
        checks.convert_fields(self, checks.boolean, "effective")
        if 0 < abs(float(self.mass)) < checks.MIN_MASS:
            remedy = f"0, or at least {checks.MIN_MASS:g} kg, is needed"
            raise MechanismError(f"is {float(self.mass):g} kg", argument="mass", remedy=remedy)
        object.__setattr__(self, "visuals", checks.tuple_of(Visual, self.visuals, "visuals"))
        if float(self.mass) < 0 and not self.effective:
            raise MechanismError(f"is {float(self.mass):g} kg", argument="mass", remedy="it cannot be negative")
        if not self.effective:
            problem = inertia_problem(self.mass, self.inertia)
            if problem:
                raise MechanismError(
                    f"{problem}. If these are identified or regrouped parameters rather than those of a real body, "
                    f"set effective = true"
                )

    def with_scaled_mass(self, factor: float) -> Body:
        """Return the same body with another density.

        Parameters
        ----------
        factor : float
            What the mass and the inertia are multiplied by.

        Returns
        -------
        Body
            The body with the same centre of mass.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Body("link", 2.0, (0.1, 0, 0)).with_scaled_mass(1.5).mass
        3.0
        """
        return replace(self, mass=factor * self.mass, inertia=tuple(factor * x for x in self.inertia))

    @property
    def inertia_matrix(self) -> np.ndarray:
        """The 3x3 inertia tensor about the centre of mass, in kg m²."""
        return np.array(v.sym_full(self.inertia), dtype=float)

    @property
    def inertia_at_origin(self) -> Symmetric:
        """The inertia about the origin of the frame as six entries, by the parallel-axis theorem, in kg m²."""
        return v.sym_add(self.inertia, v.point_inertia(self.mass, self.center))

    @property
    def first_moment(self) -> Vector:
        """The mass times the centre of mass, in kg m."""
        return v.scale(self.mass, self.center)

    def principal_inertia(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the principal moments of inertia and the principal axes.

        Returns
        -------
        moments : numpy.ndarray
            The three principal moments about the centre of mass in ascending order, in kg m².
        axes : numpy.ndarray
            The principal axes in the frame of the body, as the columns of a 3x3 rotation matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> bar = lg.Body.from_shapes("bar", [lg.shapes.box((0.4, 0.1, 0.1), mass=1.2)])
        >>> moments, axes = bar.principal_inertia()
        >>> moments
        array([0.002, 0.017, 0.017])
        """
        moments, axes = np.linalg.eigh(self.inertia_matrix)
        if np.linalg.det(axes) < 0:
            axes[:, 0] = -axes[:, 0]
        return moments, axes

    def pseudo_inertia(self) -> np.ndarray:
        """Return the 4x4 pseudo-inertia matrix, the integral `∫ r rᵀ dm` of homogeneous coordinates in the frame of the body.

        Returns
        -------
        numpy.ndarray
            The 4x4 matrix. It is positive semi-definite exactly if a real body can have this mass, centre and inertia.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.Body("ball", 2.0, (0.5, 0, 0)).pseudo_inertia()[0]
        array([0.5, 0. , 0. , 1. ])
        """
        I = np.array(v.sym_full(self.inertia_at_origin), dtype=float)
        J = np.zeros((4, 4))
        J[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
        J[:3, 3] = J[3, :3] = np.array(self.first_moment, dtype=float)
        J[3, 3] = float(self.mass)
        return J

    @staticmethod
    def from_shapes(name: str, shapes: Sequence[Shape]) -> Body:
        """Compose a rigid body from shapes.

        Parameters
        ----------
        name : str
            The name of the body.
        shapes : sequence of Shape
            Shapes as `box`, `cylinder` and the other functions return them. A shape with a negative mass or density is a hole.

        Returns
        -------
        Body
            The body with the sum of the masses, its centre of mass and its inertia. It is drawn as its shapes.

        Raises
        ------
        MechanismError
            If the total mass is not positive.

        Examples
        --------
        A bar with a sphere at its end:

        >>> import lagrangian as lg
        >>> bar = lg.shapes.box((0.4, 0.05, 0.05), mass=2.0, at=(0.2, 0, 0))
        >>> ball = lg.shapes.sphere(0.1, mass=1.0, at=(0.5, 0, 0))
        >>> body = lg.Body.from_shapes("arm", [bar, ball])
        >>> body.mass, body.center
        (3.0, (0.3, 0.0, 0.0))
        """
        with error_location(MechanismPart("body", name)):
            shapes = checks.tuple_of(Shape, shapes, "shapes")
        mass: Scalar = 0
        moment, inertia = v.ZERO, v.NO_INERTIA
        for shape in shapes:
            m, R, p = shape.mass, shape.placement.rotation, shape.placement.position
            mass = mass + m
            moment = v.add(moment, v.scale(m, p))
            shape_inertia = v.sym_add(v.sym_rotate(R, shape.inertia), v.point_inertia(m, p))
            inertia = v.sym_add(inertia, shape_inertia)
        if not float(mass) > 0:
            raise MechanismError(
                f"its shapes add up to {float(mass):g} kg", where=MechanismPart("body", name), remedy="the mass must be positive"
            )
        center = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
        steiner_term = v.point_inertia(mass, center)
        central = tuple(a - b for a, b in zip(inertia, steiner_term, strict=True))
        visuals = tuple(s.visual or Visual(s.kind, s.size, s.placement) for s in shapes if float(s.mass) > 0)
        return Body(name, mass, center, central, visuals=visuals)


def rotate_inertia(rotation: MatrixLike, inertia: InertiaLike) -> np.ndarray:
    """Express an inertia tensor along other axes with the same origin.

    Parameters
    ----------
    rotation : array_like
        The 3x3 rotation matrix R whose columns are the old axes in the new frame.
    inertia : array_like
        The tensor I along the old axes: three principal moments, the six entries `(xx, xy, xz, yy, yz, zz)`, or a 3x3 matrix.

    Returns
    -------
    numpy.ndarray
        The 3x3 tensor R I Rᵀ along the new axes.

    Raises
    ------
    MechanismError
        If `rotation` is not a rotation matrix, or if `inertia` is not symmetric.

    Examples
    --------
    A quarter turn about z exchanges x and y:

    >>> import lagrangian as lg
    >>> lg.rotate_inertia([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1.0, 2.0, 3.0))
    array([[2., 0., 0.],
           [0., 1., 0.],
           [0., 0., 3.]])
    """
    R = Transform.from_value(Transform(checks.matrix(rotation, "rotation"), v.ZERO), "rotation").rotation
    return np.array(v.sym_full(v.sym_rotate(R, checks.symmetric(inertia, "inertia"))), dtype=float)


def inertia_problem(mass: Scalar, inertia: v.Symmetric) -> str:
    """Return why no real body can have this inertia about its centre of mass; '' if one can.

    A real tensor is positive semi-definite and its principal moments obey the triangle inequality; equivalently the
    pseudo-inertia is positive semi-definite.
    """
    xx, xy, xz, yy, yz, zz = (float(x) for x in inertia)
    if xy == 0 and xz == 0 and yz == 0:
        a, b, c = sorted((xx, yy, zz))
    else:
        a, b, c = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])).tolist()
    # thin rods and plates lie on the boundary, and files give five digits: allow for their rounding;
    # the inertia of a point mass may be the rounding of zero
    slack = 1e-4 * max(abs(a), abs(c)) + 1e-15 * abs(float(mass))
    moments_text = f"principal moments ({a:g}, {b:g}, {c:g}) kg m^2"
    if a < -slack:
        return f"the inertia is not positive definite: {moments_text}; all three must be positive"
    if c > a + b + slack:
        return f"the inertia is impossible: {moments_text}; the largest cannot exceed the sum of the other two ({a + b:g})"
    if float(mass) == 0 and c > 0:
        return f"the mass is 0 but the inertia is not: {moments_text}; a body without mass has no inertia"
    return ""


def with_payload(mechanism: Mechanism, frame: Any, mass: Any, center: Any = v.ZERO, inertia: Any = NO_INERTIA) -> Mechanism:
    """Return the mechanism with a payload at a frame; `center` is in the frame, `inertia` about it along the frame's axes."""
    payload_frame = mechanism.frame(frame)
    if payload_frame.body not in mechanism.body_index:
        raise MechanismError(
            "it is fixed to the ground, which cannot carry a payload", where=MechanismPart("frame", payload_frame.name)
        )
    with error_location("payload"):
        payload = Body("payload", mass, center, inertia)  # checked as any body is
    carrier = mechanism.body(payload_frame.body)
    R, p = payload_frame.placement.rotation, payload_frame.placement.position
    position = v.add(p, v.mat_vec(R, payload.center))
    rotated_inertia = payload.inertia if R == v.IDENTITY else v.sym_rotate(R, payload.inertia)
    loaded_body = _merge_bodies(carrier, replace(payload, center=position, inertia=rotated_inertia))
    bodies = tuple(loaded_body if body is carrier else body for body in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def _merge_bodies(a: Body, b: Body) -> Body:
    """Return both bodies as one with the name of the first; its inertia is about their common centre of mass."""
    if float(b.mass) == 0 and not parameters(b.mass):
        return a
    mass = a.mass + b.mass
    if float(mass) == 0:
        raise MechanismError(
            f"neither the payload nor {a.name!r}, which carries it, has a mass", where="payload", argument="mass"
        )
    moment = v.add(v.scale(a.mass, a.center), v.scale(b.mass, b.center))
    carrier_is_massless = float(a.mass) == 0 and not parameters(a.mass)  # without the rounding of m c / m
    center = b.center if carrier_is_massless else (moment[0] / mass, moment[1] / mass, moment[2] / mass)
    total = a.inertia
    for body in (a, b):
        total = v.sym_add(total, v.point_inertia(body.mass, _offset_without_rounding(body.center, center)))
    total = v.sym_add(total, b.inertia)
    return replace(a, mass=mass, center=center, inertia=total)


def _offset_without_rounding(a: v.Vector, b: v.Vector) -> v.Vector:
    """Return the vector from b to a; a difference that is only rounding counts as zero, or it would become an inertia."""
    rounding = 4 * EPSILON * max(abs(float(x)) for x in (*a, *b))
    x, y, z = (0.0 if abs(float(d)) <= rounding and not parameters(d) else d for d in v.sub(a, b))
    return x, y, z
