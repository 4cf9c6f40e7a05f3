"""Proof that the equations of a loop type vanish where the loop is closed, and that its multipliers are the wrenches it says.

Two frames are put together in an exact position and moved a little, each on its own. How fast an equation changes with the motion
of body a is, by virtual work, what its multiplier does to a; on b the opposite acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from lagrangian.algorithms.constraints.jet import Jet
from lagrangian.algorithms.link import is_zero
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.placement import rotation_z_to
from lagrangian.model.rotation import quaternion
from lagrangian.model.type_entries import EntryKind
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Field
from lagrangian.proof.loops import field_value
from lagrangian.proof.points import ExactPoint

# orientations of the two frames: the identity, in which loops are kept along the world's axes, and some other one
ORIENTATIONS: Sequence[tuple[int, int, int, int]] = ((1, 0, 0, 0), (5, 2, -3, 1))


def loop_type_entries(system: SymbolicSystem, point: ExactPoint) -> Entries:
    """Yield the equations of each loop in every orientation, and their slopes along the motions of a and b."""
    field = Field(point)
    for loop in loops_with_wrenches(system):
        loop = _with_default_axes(loop)
        for number, orientation in enumerate(ORIENTATIONS):
            R = tuple(tuple(field(Fraction(x)) for x in row) for row in quaternion.rotation([Fraction(x) for x in orientation]))
            yield from _closed_loop_entries(system, field, loop, R, f"of {loop.name}, orientation {number + 1}")  # type: ignore[arg-type]


def loops_with_wrenches(system: SymbolicSystem) -> list[LoopJoint]:
    """The loops whose types define `multiplier_wrenches`, the forces and moments that their multipliers are."""
    return [loop for loop in system.mechanism.loops if type(loop.kind).multiplier_wrenches is not LoopType.multiplier_wrenches]


class PerturbedFrame:
    """A frame at an exact position, as jets with slopes along its own rotation, keys 0 to 2, and translation, keys 3 to 5."""

    def __init__(self, system: SymbolicSystem, field: Field, R: v.Matrix, p: v.Vector, body: str) -> None:
        self.system, self.field, self.R, self.p, self.body = system, field, R, p, body

    @property
    def origin(self) -> Any:
        return tuple(Jet(x, slopes={(self.body, 3 + k): 1}) for k, x in enumerate(self.p))

    def direction(self, axis: v.Vector) -> Any:
        return self._perturb(tuple(self.field(x) for x in self.system.read_vector(axis)))

    def triad(self, axis: v.Vector) -> tuple[Any, Any, Any]:
        T = self.system.rotations.read(rotation_z_to(axis), f"frame on {self.body!r}")
        x, y, z = (tuple(self.field(c) for c in column) for column in v.transpose(T))
        return self._perturb(x), self._perturb(y), self._perturb(z)

    def _perturb(self, axis: v.Vector) -> Any:
        d = v.mat_vec(self.R, axis)
        slopes = [v.cross(e, d) for e in v.IDENTITY]
        return tuple(Jet(d[c], slopes={(self.body, k): slopes[k][c] for k in range(3)}) for c in range(3))

    def number(self, scalar: Scalar) -> Any:
        return self.field(self.system.scalars.read(scalar))

    def vanishes(self, x: Any) -> bool:
        return is_zero(x) or is_zero(getattr(x, "value", 1))


def _with_default_axes(loop: LoopJoint) -> LoopJoint:
    """The loop with the default axes of its type: its own may be perpendicular to rounding only."""
    default_axes = {entry.name: entry.default for entry in loop.kind.entries if entry.kind is EntryKind.AXIS}
    return replace(loop, type_entries=tuple({**dict(loop.type_entries), **default_axes}.items()))


def _closed_loop_entries(
    system: SymbolicSystem, field: Field, loop: LoopJoint, R: v.Matrix, where: str
) -> Iterator[tuple[str, Any, Any]]:
    gap = v.mat_vec(R, tuple(field(x) for x in system.read_vector(loop.kind.gap_when_closed(loop))))
    p: v.Vector = tuple(field(Fraction(x)) for x in (3, -2, 5))
    a, b = PerturbedFrame(system, field, R, p, "a"), PerturbedFrame(system, field, R, v.sub(p, gap), "b")
    forces = loop.kind.multiplier_wrenches(loop, a, b) or []
    for (label, eta), (moment, force) in zip(loop.constraint_equations(a, b), forces, strict=True):
        name = f"{label} {where}"
        yield f"eta {name}", field_value(eta.value, field.point), field.point.number(0)
        m, f = _jet_values(moment), _jet_values(force)
        on_b = (*v.neg(v.add(m, v.cross(gap, f))), *v.neg(f))
        for k, x in enumerate((*m, *f)):
            yield (
                f"on a: entry {k + 1} {name}",
                field_value(eta.slopes.get(("a", k), 0), field.point),
                field_value(x, field.point),
            )
        for k, x in enumerate(on_b):
            yield (
                f"on b: entry {k + 1} {name}",
                field_value(eta.slopes.get(("b", k), 0), field.point),
                field_value(x, field.point),
            )


def _jet_values(x: Any) -> v.Vector:
    return tuple(c.value if isinstance(c, Jet) else c for c in x)
