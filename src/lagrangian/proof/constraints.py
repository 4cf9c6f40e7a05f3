"""What a proof needs of a mechanism's constraints: their rows in closed form, and points at which they are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from flint import fmpq_mat, nmod_mat

from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics, MechanismState
from lagrangian.algorithms.constraints.jet import Jet
from lagrangian.algorithms.link import is_zero
from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.placement import rotation_z_to
from lagrangian.model.rotation import quaternion
from lagrangian.model.type_entries import EntryKind
from lagrangian.proof import loops
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import Field, FieldNumber
from lagrangian.proof.forward_dynamics import ForwardDynamicsProof
from lagrangian.proof.loops import PointMechanism, field_value
from lagrangian.proof.points import ExactPoint, sample_points
from lagrangian.proof.shipped import Recursions

if TYPE_CHECKING:
    from lagrangian.proof.prove import DerivedEquations


class ConstraintProof:
    """The constraints of one system; without any, there is nothing to be proved of them."""

    def __init__(self, system: SymbolicSystem, M: list[list[RingElement]], points: int) -> None:
        self.system = system
        self.rows = constraints.constraint_equations(system)
        self.holonomic = any(row.eta is not None for row in self.rows)
        self.rates = loops.ConstraintRateProof(system, self.rows)
        self.roots = any(length.quantity == "height" for length in system.scalars.lengths.values())
        self.checked_loops = loops_with_wrenches(system)
        self.points: list[ExactPoint] = []
        self.regular_points: list[ExactPoint] = []
        self.points_problem = self.singular_problem = ""
        self.unprovable = loops.unprovable_constraints(system)
        if self.rows:
            active_rows = velocity_rows(self.rows)
            self.points, self.points_problem = sample_points(system, points, lambda _: "")
            if not self.unprovable:
                self.regular_points, self.singular_problem = sample_points(
                    system, points, lambda p: singularity_problem(system, M, active_rows, p)
                )

    def multiplier_entries(self, recursions: Recursions, derived: DerivedEquations) -> Entries:
        return MultiplierProof(
            ForwardDynamicsProof(recursions, derived, self.regular_points), self.rows, self.regular_points
        ).entries()

    def left_out(self) -> list[str]:
        """What is not proved of them, and why."""
        reasons = [
            f"the meaning of the multipliers of loop {loop.name!r}, because its type {loop.type!r} does not define "
            f"`multiplier_wrenches`"
            for loop in self.system.mechanism.loops
            if loop not in self.checked_loops
        ]
        reasons += [
            f"the compiled equation of constraint {name!r}, because {why} has no exact value" for name, why in self.unprovable
        ]
        if self.unprovable:
            reasons.append("accelerations and multipliers, because they follow from it")
        for claim, reason in (
            ("the compiled constraint equations", self.points_problem),
            ("accelerations and multipliers", self.singular_problem),
        ):
            if reason:
                reasons.append(f"{claim}, at all or some exact points: {reason}")
        return reasons


# MERGED lagrangian.proof.multipliers: Accelerations and multipliers as shipped, at exact points, against the linear equations
# that they solve: M q'' - Psi^T lambda = f, Psi q'' = -(Psi' q' + phi'), f = tau - C q' - G - F (Ghosal, lecture 27,
# equations 14 and 15).


def singularity_problem(
    system: SymbolicSystem, M: list[list[RingElement]], rows: Sequence[constraints.ConstraintEquation], point: ExactPoint
) -> str:
    """Why the equations have no single solution at a point, if so."""
    if point.singular(M):
        return "the mass matrix is singular at all points tried"
    n, m = len(M), len(rows)
    block = [[*M[i], *(row.psi[i] for row in rows)] for i in range(n)]
    block += [[*row.psi, *[system.ring.zero] * m] for row in rows]
    return "the constraints depend on each other at all points tried" if point.singular(block) else ""


def velocity_rows(rows: Sequence[constraints.ConstraintEquation]) -> list[constraints.ConstraintEquation]:
    """The rows that say something about the speeds: others have no multiplier."""
    return [row for row in rows if any(x.poly for x in row.psi)]


class MultiplierProof:
    """What is compared at exact points."""

    def __init__(
        self, forward: ForwardDynamicsProof, rows: Sequence[constraints.ConstraintEquation], points: Sequence[ExactPoint]
    ) -> None:
        self.forward, self.recursions, self.rows, self.points = forward, forward.recursions, velocity_rows(rows), points
        self.n = forward.n

    def entries(self) -> Entries:
        for number, point in enumerate(self.points):
            mechanism = PointMechanism(self.recursions, point)
            torques = [point.number(3 * k + 2) for k in range(self.n)]
            accelerations, multipliers = self._compiled_solution(mechanism, torques)
            expected = self._closed_form_solution(mechanism, torques)
            names = [*(f"q''[{k + 1}]" for k in range(self.n)), *(f"lambda of {row.name}" for row in self.rows)]
            for name, a, b in zip(names, [*accelerations, *multipliers], expected, strict=True):
                yield f"{name} at point {number + 1}", field_value(a, point), b

    def _compiled_solution(self, mechanism: PointMechanism, torques: list[Any]) -> tuple[list[Any], list[Any]]:
        """By `algorithms.closed.constrained`, without springs between points."""
        without_springs: Any = SimpleNamespace(springs=())
        state = MechanismState(without_springs, mechanism.tree, mechanism.links, mechanism.q, mechanism.qd, mechanism.field.t)
        rows = [row for row in mechanism.rows if row.psi]
        force = [FieldNumber(mechanism.field, tau) - h for tau, h in zip(torques, state.bias, strict=True)]
        return ConstrainedDynamics(state, rows, redundant=False).acceleration(force, [row.gamma for row in rows])[:2]

    def _closed_form_solution(self, mechanism: PointMechanism, torques: list[Any]) -> list[Any]:
        """By elimination, over the field, from the closed form."""
        point, system, n = mechanism.point, self.forward.recursions.system, self.n
        M = [[point.evaluate(x) for x in row] for row in self.forward.derived.M]
        qdd, tau = self.forward.motion_and_torques(point)
        bias = [t - sum(x * a for x, a in zip(row, qdd, strict=True)) for t, row in zip(tau, M, strict=True)]
        psi = [[point.evaluate(x) for x in row.psi] for row in self.rows]
        qd = [point.evaluate(system.speed(k)) for k in range(n)]
        gamma = []
        for row in self.rows:
            rate = sum((point.evaluate(x) * y for x, y in zip(row.psi_dot(system), qd, strict=True)), point.number(0))
            gamma.append(rate + field_value(mechanism.phi(row)[1], point))
        m = len(self.rows)
        block = [x for i in range(n) for x in (*M[i], *(-psi[r][i] for r in range(m)))]
        block += [x for r in range(m) for x in (*psi[r], *[0] * m)]
        right = [t - h for t, h in zip(torques, bias, strict=True)] + [-g for g in gamma]
        solved: Any
        if point.modulus:
            solved = nmod_mat(n + m, n + m, block, point.modulus).solve(nmod_mat(n + m, 1, right, point.modulus))
        else:
            solved = fmpq_mat(n + m, n + m, block).solve(fmpq_mat(n + m, 1, right))
        return [solved[k, 0] for k in range(n + m)]


# MERGED lagrangian.proof.loop_types: Loop types: their equations vanish where the loop is closed, and their multipliers are
# the forces and moments that they say. Two frames are put together in an exact position and moved a little, each on its own.
# How fast an equation changes with the motion of body a is, by virtual work, what its multiplier does to a; on b the opposite
# acts.

# orientations of the two frames: not turned, where loops are kept along the world's axes, and some other
ORIENTATIONS: Sequence[tuple[int, int, int, int]] = ((1, 0, 0, 0), (5, 2, -3, 1))


class PerturbedFrame:
    """A frame at an exact position, as jets: their slopes are along its own turning, keys 0 to 2, and motion, keys 3 to 5."""

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


def loops_with_wrenches(system: SymbolicSystem) -> list[LoopJoint]:
    """The loops whose types say what their multipliers are."""
    return [loop for loop in system.mechanism.loops if type(loop.kind).multiplier_wrenches is not LoopType.multiplier_wrenches]


def entries(system: SymbolicSystem, point: ExactPoint) -> Entries:
    """Of each, in every orientation: the equations, and their slopes along the motions of a and b."""
    field = Field(point)
    for loop in loops_with_wrenches(system):
        loop = _with_default_axes(loop)
        for number, orientation in enumerate(ORIENTATIONS):
            R = tuple(tuple(field(Fraction(x)) for x in row) for row in quaternion.rotation([Fraction(x) for x in orientation]))
            yield from _closed_loop_entries(system, field, loop, R, f"of {loop.name}, orientation {number + 1}")  # type: ignore[arg-type]


def _with_default_axes(loop: LoopJoint) -> LoopJoint:
    """With the axes that its type has by default: those given may be perpendicular to rounding only."""
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
