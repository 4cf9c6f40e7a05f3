"""Constraints that are not joints between two frames: equations, prescribed motion, rolling, knife edges, Pfaffian forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lagrangian.errors import DescriptionError, MechanismError, MechanismPart, error_location
from lagrangian.model import checks
from lagrangian.model import vector as v
from lagrangian.model.checks import direction
from lagrangian.model.expression import FUNCTIONS, Scalar, parse, symbol
from lagrangian.model.vector import Vector

GROUND = "ground"
EQUALS_SIGN = re.compile(r"(?<![<>])=")  # what stands between the sides of an equation; <= and >= are conditions


@dataclass(frozen=True, slots=True)
class PfaffianConstraint:
    """A constraint that is linear in the speeds: phi(t) + Σ coefficient(q, t) speed = 0.

    Parameters
    ----------
    name : str
        The name.
    coefficients : mapping or sequence of pairs
        The coefficient of each speed by the name of the speed: a number, an `Expression`, or text such as "cos(psi)" with
        coordinates and t.
    phi : float, str or Expression, optional
        The term without a speed, a number or an expression of t; the default is 0.

    Raises
    ------
    MechanismError
        If there are no coefficients, or if an expression cannot be read.

    Examples
    --------
    A skate that moves only along its heading psi:

    >>> import lagrangian as lg
    >>> skate = lg.PfaffianConstraint("skate", {"x": "sin(psi)", "y": "-cos(psi)"})
    >>> print(skate.coefficients[0][1])
    sin(psi)
    """

    name: str
    coefficients: tuple[tuple[str, Scalar], ...]
    phi: Scalar = 0

    def __post_init__(self) -> None:
        coefficients = self.coefficients
        pairs = tuple(
            coefficients.items()
            if isinstance(coefficients, Mapping)
            else coefficients
            if isinstance(coefficients, (list, tuple))
            else ()
        )
        with error_location(MechanismPart("constraint", self.name)):
            checks.convert_fields(self, checks.text, "name")
            are_pairs = (isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs)
            if not pairs or not all(are_pairs):
                remedy = "it must map speeds to their coefficients, such as {'x': 1}"
                raise MechanismError(f"is {coefficients!r:.60}", argument="coefficients", remedy=remedy)
            terms = tuple((speed, as_expression(x, f"the coefficient of {speed!r}")) for speed, x in pairs)
            object.__setattr__(self, "coefficients", terms)
            object.__setattr__(self, "phi", as_expression(self.phi, "phi"))

    @property
    def equation_count(self) -> int:
        """The number of constraint equations."""
        return 1


@dataclass(frozen=True, slots=True)
class HolonomicConstraint:
    """A constraint equation of coordinates and time: equation(q, t) = 0.

    It describes gears and couplings between joints, prescribed motion, and curves that a point follows.

    Parameters
    ----------
    name : str
        The name.
    equation : str or Expression
        The equation as text, "left = right" or an expression that is zero, with coordinates and t; or an `Expression`.
    unilateral : bool, optional
        Whether the constraint is a contact, which keeps `left - right` from becoming negative but cannot pull. A simulation
        then reports where the contact would have to pull. The default is False.

    Raises
    ------
    MechanismError
        If the equation cannot be read.

    Examples
    --------
    A gear that turns `b` three times as fast as `a`, in the other direction:

    >>> import lagrangian as lg
    >>> gear = lg.HolonomicConstraint("gear", "b = -3*a")
    >>> print(gear.equation)
    b+3*a

    A prescribed motion:

    >>> crank = lg.HolonomicConstraint("crank", "theta = 0.5*sin(2*pi*t)")
    """

    name: str
    equation: Scalar
    unilateral: bool = False

    def __post_init__(self) -> None:
        with error_location(MechanismPart("constraint", self.name)):
            checks.convert_fields(self, checks.text, "name")
            checks.convert_fields(self, as_expression, "equation")
            checks.convert_fields(self, checks.boolean, "unilateral")

    @property
    def equation_count(self) -> int:
        """The number of constraint equations."""
        return 1


@dataclass(frozen=True, slots=True)
class KnifeEdgeConstraint:
    """A knife edge: a point of a body does not move along a direction that is fixed to the body.

    It describes a skate, a blade, or a wheel that does not slip sideways.

    Parameters
    ----------
    name : str
        The name.
    body : str
        The name of the body.
    direction : str or array_like
        The direction in the frame of the body, along which the point does not move: "y" or three numbers.
    point : array_like, optional
        The point in the frame of the body, in m; the default is its origin.

    Examples
    --------
    >>> import lagrangian as lg
    >>> blade = lg.KnifeEdgeConstraint("blade", "sleigh", direction="y")
    >>> blade.direction
    (0, 1, 0)
    """

    name: str
    body: str
    direction: Vector
    point: Vector = v.ZERO

    def __post_init__(self) -> None:
        with error_location(MechanismPart("constraint", self.name)):
            checks.convert_fields(self, checks.text, "name", "body")
            checks.convert_fields(self, direction, "direction")
            checks.convert_fields(self, checks.point, "point")

    @property
    def equation_count(self) -> int:
        """The number of constraint equations."""
        return 1


@dataclass(frozen=True, slots=True)
class RollingConstraint:
    """A sphere or a thin wheel that rolls on a plane without slipping.

    There are three equations: one for the distance of the centre from the plane, and two for the velocity of the point of
    contact along the plane.

    Parameters
    ----------
    name : str
        The name.
    body : str
        The name of the body that rolls.
    radius : float or Expression
        The radius in m.
    center : array_like, optional
        The centre of the sphere or wheel in the frame of `body`, in m; the default is its origin.
    axis : str or array_like, optional
        The axis of a thin disc or wheel in the frame of `body`. Without it, a sphere rolls.
    on : str, optional
        The name of the body that carries the plane; the default is "ground".
    normal : str or array_like, optional
        The normal of the plane in the frame of `on`; the default is "z".
    point : array_like, optional
        A point of the plane in the frame of `on`, in m; the default is its origin.
    unilateral : bool, optional
        Whether the plane only pushes. A simulation then reports where it would have to pull. The default is True.

    Raises
    ------
    MechanismError
        If the radius is not positive.

    Examples
    --------
    >>> import lagrangian as lg
    >>> wheel = lg.RollingConstraint("wheel", "disc", radius=0.3, axis="y")
    >>> wheel.equation_count
    3
    """

    name: str
    body: str
    radius: Scalar
    center: Vector = v.ZERO
    axis: Vector | None = None
    on: str = GROUND
    normal: Vector = v.Z
    point: Vector = v.ZERO
    unilateral: bool = True

    def __post_init__(self) -> None:
        with error_location(MechanismPart("constraint", self.name)):
            checks.convert_fields(self, checks.text, "name", "body", "on")
            checks.convert_fields(self, checks.number, "radius")
            checks.convert_fields(self, checks.boolean, "unilateral")
            if float(self.radius) <= 0:
                raise MechanismError(f"is {float(self.radius):g} m", argument="radius", remedy="it must be positive")
            if self.body == self.on:
                raise MechanismError(f"body {self.body!r} cannot roll on itself")
            checks.convert_fields(self, checks.point, "center", "point")
            checks.convert_fields(self, direction, "normal", *(() if self.axis is None else ("axis",)))

    @property
    def equation_count(self) -> int:
        """The number of constraint equations."""
        return 3


@dataclass(frozen=True)
class PfaffianFunctionConstraint:
    """A constraint that is linear in the speeds, given as a Python function: function(t, q, qd) = 0.

    The function is called once with symbols, and the result is compiled. It may use arithmetic and numpy functions such as
    sin, cos, sqrt, exp, log, tanh and arctan. It must not branch on values.

    Parameters
    ----------
    name : str
        The name.
    function : callable
        A function of the time t, the coordinates q and the speeds qd, which returns a number or a list of numbers.
    equation_count : int, optional
        How many numbers the function returns; the default is 1.

    Raises
    ------
    MechanismError
        If `function` cannot be called, or if `equation_count` is less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> import lagrangian as lg
    >>> def no_slip(t, q, qd):
    ...     return qd[0] - 0.1 * np.cos(q[1]) * qd[1]
    >>> lg.PfaffianFunctionConstraint("no_slip", no_slip).equation_count
    1
    """

    name: str
    function: Callable[[Any, Any, Any], Any]
    equation_count: int = 1

    def __post_init__(self) -> None:
        where = MechanismPart("constraint", self.name)
        if not callable(self.function):
            remedy = "it must be a function of (t, q, qd)"
            raise MechanismError(f"is {self.function!r:.60}", where=where, argument="function", remedy=remedy)
        if isinstance(self.equation_count, bool) or not isinstance(self.equation_count, int) or self.equation_count < 1:
            remedy = "it is the number of equations, at least 1"
            raise MechanismError(f"is {self.equation_count!r}", where=where, argument="equation_count", remedy=remedy)


Constraint = PfaffianConstraint | HolonomicConstraint | KnifeEdgeConstraint | RollingConstraint | PfaffianFunctionConstraint


def as_expression(value: Any, name: str) -> Scalar:
    """A number, an expression, or text with `left = right` or an expression: any name in it is a coordinate, or t."""
    if not isinstance(value, str):
        return checks.scalar(value, name)
    try:
        left, *right = (parse(side, _AnySymbol()) for side in EQUALS_SIGN.split(value))
    except DescriptionError as error:
        raise MechanismError(error.what, where=(name, *error.where), remedy=error.remedy) from None
    if len(right) > 1:
        raise MechanismError(f"{value!r} has more than one '='", where=name)
    return left - right[0] if right else left


class _AnySymbol(dict[str, Scalar]):
    """A mapping in which every name but pi and those of functions is a symbol; the mechanism checks which names exist."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name not in ("pi", *FUNCTIONS)

    def __getitem__(self, name: str) -> Scalar:
        return symbol(name)
