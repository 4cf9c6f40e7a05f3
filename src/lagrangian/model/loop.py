"""Loop joints, which close loops of the tree, and their residual in numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.errors import MechanismError, MechanismPart, error_location
from lagrangian.model import checks, loops
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.loops.loop_type import LabelledEquations, LoopType, PlacedFrame
from lagrangian.model.placement import Transform, TransformLike, rotation_z_to
from lagrangian.model.type_entries import TypedElement, validate_entries
from lagrangian.model.vector import AxisLike


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
