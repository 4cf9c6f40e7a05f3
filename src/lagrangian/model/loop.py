"""Loop joints, which close loops of the tree, and their residual in numbers; frames on bodies; compliant walls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError, MechanismPart, error_location
from lagrangian.model import checks, loops
from lagrangian.model import vector as v
from lagrangian.model.checks import direction
from lagrangian.model.expression import Scalar
from lagrangian.model.loops.loop_type import LabelledEquations, LoopType, PlacedFrame
from lagrangian.model.placement import Transform, TransformLike, rotation_z_to
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring
from lagrangian.model.type_entries import TypedElement, validate_entries
from lagrangian.model.vector import AxisLike, Vector

# the components of a frame's velocity along the axes of the world: angular, then linear
TWIST_COMPONENTS = ("wx", "wy", "wz", "x", "y", "z")
ANGULAR_COMPONENTS = TWIST_COMPONENTS[:3]


@dataclass(frozen=True, slots=True, init=False)
class LoopJoint(TypedElement):
    """A joint that closes a loop: it connects a frame on body `a` to a frame on body `b`.

    Both bodies are already in the tree of joints. A loop joint adds constraint equations and no coordinates.

    ===========  =========  ===================================================  ===========
    type         equations  constraint                                           entries
    ===========  =========  ===================================================  ===========
    point        1 to 3     the origins coincide along some directions           directions
    ball         3          the origins coincide
    universal    4          the origins coincide and two axes stay at 90°        axis, axis2
    revolute     5          the origins and the axes coincide                    axis
    cylindrical  4          the axes coincide; the bodies slide and turn         axis
    prismatic    5          the axes coincide; the bodies slide without turning  axis
    planar       3          the bodies share a plane normal to the axis          axis
    fixed        6          the frames coincide
    distance     1          the origins have a fixed distance                    length
    ===========  =========  ===================================================  ===========

    Parameters
    ----------
    name : str
        The name.
    type : str
        The type, one of the table above.
    a, b : str
        The names of the two bodies; one of them may be "ground".
    a_placement, b_placement : Transform or array_like, optional
        The frame on body `a` in its frame, and the frame on body `b`: a `Transform`, or a position in m. By default they are
        the frames of the bodies.
    type_entries : iterable of pairs, optional
        The entries of the type as pairs of name and value, another way to give the parameters below.
    **entries
        What only some types have: see Other Parameters.

    Other Parameters
    ----------------
    axis : str or array_like
        The axis in the frame on `a`: "x", "-y", ... or three numbers. The default is "z".
    axis2 : str or array_like
        The second axis of a universal joint in the frame on `b`, perpendicular to the first; the default is "y".
    directions : sequence of str
        The directions of a point joint; the default is ("x", "y", "z"). A planar linkage closes with ("x", "y").
    length : float or Expression
        The distance of a distance joint in m.

    Raises
    ------
    MechanismError
        If the type does not exist, or if a loop joint of this type has no such entry.

    See Also
    --------
    mobility : The number of degrees of freedom, with redundant equations taken into account.

    Examples
    --------
    The coupler of a four-bar linkage meets the rocker:

    >>> import lagrangian as lg
    >>> closure = lg.LoopJoint(
    ...     "closure", "point", "coupler", "rocker", (0.9, 0, 0), (0.6, 0, 0), directions=("x", "y")
    ... )
    >>> closure.equation_count
    2
    """

    name: str
    type: str
    a: str
    b: str
    a_placement: Transform
    b_placement: Transform
    type_entries: tuple[tuple[str, Any], ...]  # the entries of its type, by name

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        a: str,
        b: str,
        a_placement: TransformLike | None = None,
        b_placement: TransformLike | None = None,
        *,
        type_entries: Iterable[tuple[str, Any]] = (),
        **entries: AxisLike | Scalar,
    ) -> None:
        with error_location(MechanismPart("loop", name)):
            kind = loops.find_type(checks.text(type, "type"))
            for key, text in {"name": name, "a": a, "b": b}.items():
                checks.text(text, key)
            if a == b:
                raise MechanismError(f"it joins body {a!r} to itself", remedy="it needs two bodies")
            entry_values = {**checks.pairs(type_entries, "type_entries"), **entries}
            values = {
                "name": name,
                "type": type,
                "a": a,
                "b": b,
                "a_placement": Transform.from_value(Transform() if a_placement is None else a_placement, "a_placement"),
                "b_placement": Transform.from_value(Transform() if b_placement is None else b_placement, "b_placement"),
                "type_entries": validate_entries(kind, entry_values, f"a {type} loop", loops.TYPES.values(), self.__slots__),
            }
            for key, value in values.items():
                object.__setattr__(self, key, value)
            kind.check(self)

    @property
    def kind(self) -> LoopType:
        """The type as an object, which has its equations."""
        return loops.TYPES[self.type]

    @property
    def equation_count(self) -> int:
        """The number of constraint equations."""
        return self.kind.equation_count(self)

    def constraint_equations(self, a: PlacedFrame, b: PlacedFrame) -> LabelledEquations:
        """Return the constraint equations for given frames of the two bodies.

        Parameters
        ----------
        a, b : PlacedFrame
            The frames on the two bodies, seen from the world, over numbers or expressions.

        Returns
        -------
        list of tuple
            A label and an expression for each equation. The loop is closed if all expressions are zero.
        """
        equations = self.kind.equations(self, a, b)
        if len(equations) != self.equation_count:
            raise MechanismError(
                f"its type {self.type!r} returns {len(equations)} equations, but its `equation_count` is {self.equation_count}",
                where=MechanismPart("loop", self.name),
            )
        return equations


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame that is fixed to a body, such as the tool of a robot.

    Paths, forces, payloads and plots name frames. The frame of a body has the name of the body and need not be listed.

    Parameters
    ----------
    name : str
        The name, which no body or other frame has.
    body : str
        The name of the body; "ground" is the fixed world.
    placement : Transform or array_like, optional
        The frame in the frame of the body: a `Transform`, or a position in m. By default they are the same.

    Examples
    --------
    >>> import lagrangian as lg
    >>> tool = lg.Frame("tool", "link2", (0.5, 0, 0))
    >>> tool.placement.position
    (0.5, 0, 0)
    """

    name: str
    body: str
    placement: Transform = field(default_factory=Transform)

    def __post_init__(self) -> None:
        with error_location(MechanismPart("frame", self.name)):
            checks.convert_fields(self, checks.text, "name", "body")
            object.__setattr__(self, "placement", Transform.from_value(self.placement, "placement"))


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
            checks.convert_fields(self, direction, "normal")
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


def loop_residual(loop: LoopJoint, a: np.ndarray, b: np.ndarray) -> list[float]:
    """Return the values of a loop's equations: by how much it is open, for the poses of its bodies in the world."""
    A, B = NumericFrame(a @ loop.a_placement.matrix()), NumericFrame(b @ loop.b_placement.matrix())
    return [float(eta) for _, eta in loop.constraint_equations(A, B)]


class NumericFrame:
    """A frame in numbers, from its homogeneous matrix in the world."""

    def __init__(self, T: np.ndarray) -> None:
        self.T = T

    @property
    def origin(self) -> v.Vector:
        return tuple(self.T[:3, 3].tolist())

    def direction(self, axis: v.Vector) -> v.Vector:
        return tuple((self.T[:3, :3] @ np.array(axis, dtype=float)).tolist())

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        x, y, z = v.transpose(rotation_z_to(tuple(float(c) for c in axis)))  # type: ignore[arg-type]
        return self.direction(x), self.direction(y), self.direction(z)

    def number(self, scalar: Scalar) -> float:
        return float(scalar)

    def vanishes(self, x: float) -> bool:
        return False  # a number says nothing about other configurations: equations go along the axes of frame a
