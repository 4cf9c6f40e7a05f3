"""Loop types: their equations vanish where the loop is closed, and their multipliers are the forces and moments that they say.

Two frames are put together in an exact position and moved a little, each on its own. How fast an equation changes with the motion
of body a is, by virtual work, what its multiplier does to a; on b the opposite acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from lagrangian.algorithms.closed.jet import Jet
from lagrangian.algorithms.link import is_zero
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v
from lagrangian.model.entries import Kind
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.placement import turn_z_to
from lagrangian.model.rotation import quaternion
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Field
from lagrangian.proof.loops import plain
from lagrangian.proof.points import Point

# orientations of the two frames: not turned, where loops are kept along the world's axes, and some other
ORIENTATIONS: Sequence[tuple[int, int, int, int]] = ((1, 0, 0, 0), (5, 2, -3, 1))


class MovedFrame:
    """A frame at an exact position, as jets: their slopes are along its own turning, keys 0 to 2, and motion, keys 3 to 5."""

    def __init__(self, system: System, field: Field, R: v.Matrix, p: v.Vector, body: str) -> None:
        self.system, self.field, self.R, self.p, self.body = system, field, R, p, body

    @property
    def origin(self) -> Any:
        return tuple(Jet(x, slopes={(self.body, 3 + k): 1}) for k, x in enumerate(self.p))

    def direction(self, axis: v.Vector) -> Any:
        return self._moved(tuple(self.field(x) for x in self.system.vector(axis)))

    def triad(self, axis: v.Vector) -> tuple[Any, Any, Any]:
        T = self.system.rotations.of(turn_z_to(axis), f"frame on {self.body!r}")
        x, y, z = (tuple(self.field(c) for c in column) for column in v.transpose(T))
        return self._moved(x), self._moved(y), self._moved(z)

    def _moved(self, axis: v.Vector) -> Any:
        d = v.mat_vec(self.R, axis)
        turned = [v.cross(e, d) for e in v.IDENTITY]
        return tuple(Jet(d[c], slopes={(self.body, k): turned[k][c] for k in range(3)}) for c in range(3))

    def number(self, scalar: Scalar) -> Any:
        return self.field(self.system.scalars.of(scalar))

    def vanishes(self, x: Any) -> bool:
        return is_zero(x) or is_zero(getattr(x, "value", 1))


def said(system: System) -> list[LoopJoint]:
    """The loops whose types say what their multipliers are."""
    return [loop for loop in system.mechanism.loops if type(loop.kind).forces is not LoopType.forces]


def entries(system: System, point: Point) -> Entries:
    """Of each, in every orientation: the equations, and their slopes along the motions of a and b."""
    field = Field(point)
    for loop in said(system):
        loop = _plain(loop)
        for number, turned in enumerate(ORIENTATIONS):
            R = tuple(tuple(field(Fraction(x)) for x in row) for row in quaternion.rotation([Fraction(x) for x in turned]))
            yield from _closed(system, field, loop, R, f"of {loop.name}, orientation {number + 1}")  # type: ignore[arg-type]


def _plain(loop: LoopJoint) -> LoopJoint:
    """With the axes that its type has by default: those given may be perpendicular to rounding only."""
    own = {entry.name: entry.default for entry in loop.kind.entries if entry.kind is Kind.AXIS}
    return replace(loop, own=tuple({**dict(loop.own), **own}.items()))


def _closed(system: System, field: Field, loop: LoopJoint, R: v.Matrix, where: str) -> Iterator[tuple[str, Any, Any]]:
    gap = v.mat_vec(R, tuple(field(x) for x in system.vector(loop.kind.gap_when_closed(loop))))
    p: v.Vector = tuple(field(Fraction(x)) for x in (3, -2, 5))
    a, b = MovedFrame(system, field, R, p, "a"), MovedFrame(system, field, R, v.sub(p, gap), "b")
    forces = loop.kind.forces(loop, a, b) or []
    for (label, eta), (moment, force) in zip(loop.closure(a, b), forces, strict=True):
        name = f"{label} {where}"
        yield f"eta {name}", plain(eta.value, field.point), field.point.number(0)
        m, f = _values(moment), _values(force)
        on_b = (*v.neg(v.add(m, v.cross(gap, f))), *v.neg(f))
        for k, x in enumerate((*m, *f)):
            yield f"on a: entry {k + 1} {name}", plain(eta.slopes.get(("a", k), 0), field.point), plain(x, field.point)
        for k, x in enumerate(on_b):
            yield f"on b: entry {k + 1} {name}", plain(eta.slopes.get(("b", k), 0), field.point), plain(x, field.point)


def _values(x: Any) -> v.Vector:
    return tuple(c.value if isinstance(c, Jet) else c for c in x)
