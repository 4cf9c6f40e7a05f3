"""The proof of a mechanism's constraints: their rows in closed form, and accelerations and multipliers at exact points.

Accelerations and multipliers of the shipped algorithms are compared with the linear equations that they solve:
M q'' - Psi^T lambda = f, Psi q'' = -(Psi' q' + phi'), f = tau - C q' - G - F (Ghosal, lecture 27, equations (14) and (15)).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from flint import fmpq_mat, nmod_mat

from lagrangian.algorithms.constraints.constrained_dynamics import ConstrainedDynamics, MechanismState
from lagrangian.equations import constraints
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.proof import loops
from lagrangian.proof.certificate import Entries
from lagrangian.proof.field import FieldNumber
from lagrangian.proof.forward_dynamics import ForwardDynamicsProof
from lagrangian.proof.loop_types import loops_with_wrenches
from lagrangian.proof.loops import PointMechanism, field_value
from lagrangian.proof.points import ExactPoint, sample_points
from lagrangian.proof.shipped import Recursions

if TYPE_CHECKING:
    from lagrangian.proof.prove import DerivedEquations


class ConstraintProof:
    """The proof of the constraints of one system: its claims, and the exact points for them."""

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
        """What is not proved of the constraints, and the reasons."""
        reasons = [
            f"the meaning of the multipliers of loop {loop.name!r}, because its type {loop.type!r} does not define "
            f"`multiplier_wrenches`"
            for loop in self.system.mechanism.loops
            if loop not in self.checked_loops
        ]
        reasons += [
            f"the compiled equation of constraint {name!r}, because {operation} has no exact value"
            for name, operation in self.unprovable
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


def singularity_problem(
    system: SymbolicSystem, M: list[list[RingElement]], rows: Sequence[constraints.ConstraintEquation], point: ExactPoint
) -> str:
    """Why the equations have no unique solution at a point; "" if they have one."""
    if point.singular(M):
        return "the mass matrix is singular at all points tried"
    n, m = len(M), len(rows)
    saddle_matrix = [[*M[i], *(row.psi[i] for row in rows)] for i in range(n)]
    saddle_matrix += [[*row.psi, *[system.ring.zero] * m] for row in rows]
    return "the constraints depend on each other at all points tried" if point.singular(saddle_matrix) else ""


def velocity_rows(rows: Sequence[constraints.ConstraintEquation]) -> list[constraints.ConstraintEquation]:
    """The rows whose Psi is not zero; others have no multiplier."""
    return [row for row in rows if any(x.poly for x in row.psi)]


class MultiplierProof:
    """Accelerations and multipliers compared at exact points."""

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
        """Accelerations and multipliers by `algorithms.constraints.constrained_dynamics`, without springs between points."""
        without_springs: Any = SimpleNamespace(springs=())
        state = MechanismState(without_springs, mechanism.tree, mechanism.links, mechanism.q, mechanism.qd, mechanism.field.t)
        rows = [row for row in mechanism.rows if row.psi]
        force = [FieldNumber(mechanism.field, tau) - h for tau, h in zip(torques, state.bias, strict=True)]
        return ConstrainedDynamics(state, rows, redundant=False).acceleration(force, [row.gamma for row in rows])[:2]

    def _closed_form_solution(self, mechanism: PointMechanism, torques: list[Any]) -> list[Any]:
        """Accelerations and multipliers by elimination over the field, from the closed form."""
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
        entries = [x for i in range(n) for x in (*M[i], *(-psi[r][i] for r in range(m)))]
        entries += [x for r in range(m) for x in (*psi[r], *[0] * m)]
        right_side = [t - h for t, h in zip(torques, bias, strict=True)] + [-g for g in gamma]
        solution: Any
        if point.modulus:
            solution = nmod_mat(n + m, n + m, entries, point.modulus).solve(nmod_mat(n + m, 1, right_side, point.modulus))
        else:
            solution = fmpq_mat(n + m, n + m, entries).solve(fmpq_mat(n + m, 1, right_side))
        return [solution[k, 0] for k in range(n + m)]
