"""Springs: between points of bodies, of coordinates, what carries a part of a body's weight, and compliant walls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lagrangian.errors import MechanismError, MechanismPart, error_location, unknown_name_message
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.constraint import as_expression
from lagrangian.model.expression import Scalar, free_symbols
from lagrangian.model.vector import Vector

BodyPoint = tuple[str, v.Vector]  # of a body, in its frame


@dataclass(frozen=True, slots=True)
class PointSpring:
    """A spring and a damper between a point on body `a` and a point on body `b`.

    The tension of the spring is `stiffness (length - rest)`, and that of the damper is `damping` times the rate of the length.

    Parameters
    ----------
    name : str
        The name.
    a, b : str
        The names of the two bodies; one of them may be "ground".
    a_point, b_point : array_like, optional
        The points in the frames of the two bodies, in m; the default is their origins.
    stiffness : float or Expression, optional
        The stiffness in N/m; the default is 0.
    rest : float or Expression, optional
        The length without tension in m; the default is 0.
    damping : float or Expression, optional
        The damping in N s/m; the default is 0.
    slack : float or Expression, optional
        A range of lengths, from `rest` to `rest + slack` in m, without tension, as of a rope or a tendon with play. The default
        is 0.
    via : sequence of pairs, optional
        Points through which the spring runs without friction, from `a` to `b`, as pairs of a body and a point in its frame.

    Raises
    ------
    MechanismError
        If stiffness, rest length, damping or slack is negative.

    Examples
    --------
    >>> import lagrangian as lg
    >>> stay = lg.PointSpring("stay", "ground", "link1", (0, 0, 0.5), (0.4, 0, 0), stiffness=200.0, rest=0.3)
    >>> stay.points
    (('ground', (0, 0, 0.5)), ('link1', (0.4, 0, 0)))
    """

    name: str
    a: str
    b: str
    a_point: Vector = v.ZERO
    b_point: Vector = v.ZERO
    stiffness: Scalar = 0
    rest: Scalar = 0
    damping: Scalar = 0
    slack: Scalar = 0
    via: tuple[BodyPoint, ...] = ()

    def __post_init__(self) -> None:
        with error_location(MechanismPart("spring", self.name)):
            checks.convert_fields(self, checks.text, "name", "a", "b")
            checks.convert_fields(self, checks.point, "a_point", "b_point")
            object.__setattr__(self, "via", _via_points(self.via))
            _check_nonnegative(self, ("stiffness", "rest", "damping", "slack"), "stiffness, rest length, damping and slack")

    @property
    def points(self) -> tuple[BodyPoint, ...]:
        """All points from one end to the other, as pairs of a body and a point in its frame."""
        return ((self.a, self.a_point), *self.via, (self.b, self.b_point))


@dataclass(frozen=True, slots=True)
class CoordinateSpring:
    """A spring and a damper whose length is an expression of coordinates.

    The potential energy is V = 1/2 stiffness (length - rest)². It describes a tendon over pulleys, or a spring between two
    joints.

    Parameters
    ----------
    name : str
        The name.
    length : str or Expression
        The length as an expression of coordinates, such as "theta1 - 2*theta2", in m or rad.
    stiffness : float or Expression, optional
        The stiffness in N/m or N m/rad; the default is 0.
    rest : float or Expression, optional
        The length without tension, which may be negative; the default is 0.
    damping : float or Expression, optional
        The damping in N s/m or N m s/rad; the default is 0.
    slack : float or Expression, optional
        A range of lengths, from `rest` to `rest + slack`, without tension. The default is 0.

    Raises
    ------
    MechanismError
        If the length has no coordinate in it, or if stiffness, damping or slack is negative.

    Examples
    --------
    >>> import lagrangian as lg
    >>> tendon = lg.CoordinateSpring("tendon", "0.02*theta1 + 0.01*theta2", stiffness=5e4)
    >>> print(tendon.length)
    0.02*theta1+0.01*theta2
    """

    name: str
    length: Scalar
    stiffness: Scalar = 0
    rest: Scalar = 0
    damping: Scalar = 0
    slack: Scalar = 0

    def __post_init__(self) -> None:
        with error_location(MechanismPart("spring", self.name)):
            checks.convert_fields(self, checks.text, "name")
            checks.convert_fields(self, as_expression, "length")
            checks.convert_fields(self, checks.number, "rest")  # which may be negative, as the length may
            if not free_symbols(self.length):
                raise MechanismError(
                    f"is {self.length}", argument="length", remedy="it must be an expression with a coordinate in it"
                )
            _check_nonnegative(self, ("stiffness", "damping", "slack"), "stiffness, damping and slack")


@dataclass(frozen=True, slots=True)
class GravityCompensation:
    """A force at the centre of mass of a body that carries a part of its weight.

    Parameters
    ----------
    name : str
        The name.
    body : str
        The name of the body.
    factor : float or Expression, optional
        The part of the weight that is carried; the default, 1, is all of it, so that gravity has no effect on the body.

    Examples
    --------
    Half of the weight of a link is balanced:

    >>> import lagrangian as lg
    >>> lg.GravityCompensation("balance", "link2", factor=0.5)
    GravityCompensation(name='balance', body='link2', factor=0.5)
    """

    name: str
    body: str
    factor: Scalar = 1
    damping: ClassVar[Scalar] = 0

    def __post_init__(self) -> None:
        with error_location(MechanismPart("gravity compensation", self.name)):
            checks.convert_fields(self, checks.text, "name", "body")
            checks.convert_fields(self, checks.number, "factor")


@dataclass(frozen=True, slots=True)
class Wall:
    """A compliant plane that a point of a body can press into; it has no friction and never pulls.

    At the depth d > 0 behind the plane, the point is pushed along the normal by max(0, stiffness d + damping d ḋ), and the body
    `on` by the opposite force. Walls belong to the `springs` of a mechanism.

    Parameters
    ----------
    name : str
        The name.
    body : str
        The name of the body with the point.
    point : array_like, optional
        The point in the frame of `body`, in m; the default is its origin.
    on : str, optional
        The name of the body that carries the plane; the default is "ground".
    position : array_like, optional
        A point of the plane in the frame of `on`, in m; the default is its origin.
    normal : str or array_like, optional
        The outward normal in the frame of `on`; the default is "z".
    stiffness : float or Expression
        The stiffness in N/m, which must be positive.
    damping : float or Expression, optional
        The damping in N s/m²; the default is 0.

    Raises
    ------
    MechanismError
        If the stiffness is not positive or the damping is negative.

    Notes
    -----
    The damping is that of K. H. Hunt and F. R. E. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact",
    Journal of Applied Mechanics 42 (1975). It grows with the depth, so that the force does not jump when contact begins or ends.

    Examples
    --------
    >>> import lagrangian as lg
    >>> floor = lg.Wall("floor", "ball", normal="z", stiffness=1e5, damping=1e4)
    >>> floor.normal
    (0, 0, 1)
    """

    name: str
    body: str
    point: Vector = v.ZERO
    on: str = "ground"
    position: Vector = v.ZERO
    normal: Vector = v.Z
    stiffness: Scalar = 0
    damping: Scalar = 0

    def __post_init__(self) -> None:
        with error_location(MechanismPart("wall", self.name)):
            checks.convert_fields(self, checks.text, "name", "body", "on")
            checks.convert_fields(self, checks.point, "point", "position")
            checks.convert_fields(self, checks.direction, "normal")
            checks.convert_fields(self, checks.number, "stiffness", "damping")
            if float(self.stiffness) <= 0:
                remedy = "it must be positive, such as 1e5"
                raise MechanismError(f"is {float(self.stiffness):g} N/m", argument="stiffness", remedy=remedy)
            if float(self.damping) < 0:
                raise MechanismError(f"is {float(self.damping):g} N s/m^2", argument="damping", remedy="it cannot be negative")
            if self.body == self.on:
                problem = f"it is fixed to body {self.on!r}, which also has the point"
                raise MechanismError(problem, remedy="it needs two bodies")


Spring = PointSpring | CoordinateSpring | GravityCompensation | Wall  # what `Mechanism.springs` may contain


def check_attachment(spring: Any, bodies: Mapping[str, int], coordinates: tuple[str, ...]) -> None:
    """Refuse a spring or a wall at bodies, or of coordinates, that do not exist."""
    if isinstance(spring, CoordinateSpring):
        for name in sorted(free_symbols(spring.length) - set(coordinates)):
            raise MechanismError(
                unknown_name_message("coordinate", name, coordinates), where=MechanismPart("spring", spring.name)
            )
        return
    noun, body_names = "wall", [getattr(spring, key) for key in ("body", "on") if hasattr(spring, key)]
    if isinstance(spring, PointSpring):
        noun, body_names = "spring", [body for body, _ in spring.points]
    elif isinstance(spring, GravityCompensation):
        noun = "gravity compensation"
        bodies = {name: k for name, k in bodies.items() if k >= 0}  # the ground has no weight
    for body in body_names:
        if body not in bodies:
            raise MechanismError(unknown_name_message("body", body, bodies), where=MechanismPart(noun, spring.name))


def _check_nonnegative(spring: Any, names: tuple[str, ...], names_text: str) -> None:
    checks.convert_fields(spring, checks.number, *names)
    for name in names:
        if float(getattr(spring, name)) < 0:
            raise MechanismError(f"is {float(getattr(spring, name)):g}", argument=name, remedy=f"{names_text} cannot be negative")


def _via_points(value: Any) -> tuple[BodyPoint, ...]:
    points = []
    for item in value if isinstance(value, (tuple, list)) else (value,):
        if not isinstance(item, (tuple, list)) or len(item) != 2 or not isinstance(item[0], str):
            raise MechanismError(f"has {item!r:.60}", argument="via", remedy="each entry must be a pair of a body and a point")
        points.append((item[0], checks.point(item[1], "via")))
    return tuple(points)
