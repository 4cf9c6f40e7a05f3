"""The equations of motion with multipliers, at one state, over any scalars (Ghosal, lectures 27 and 29):

M qdd + C qd + G + F = tau + Psi^T lambda,    Psi qdd + gamma = 0,
lambda = -(Psi M^-1 Psi^T)^-1 (gamma + Psi M^-1 f),    f = tau - C qd - G - F.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.constraints import rows as constraints
from lagrangian.algorithms.constraints.cholesky import BlockLDL, Sparse, sparse_dot
from lagrangian.algorithms.constraints.world import World
from lagrangian.algorithms.inverse_dynamics import BIAS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.algorithms.tree_factorisation import TreeLDL
from lagrangian.cached import cached_property
from lagrangian.model.mechanism import Mechanism

# slopes of a constraint, in metres or radians per metre or radian, that are rounding: measured by M, as A's diagonal is
ROUNDING_TOLERANCE = 1e-12

# of rows by name: the number of a group, and how many of its rows are independent of each other and of the groups before
GroupRanks = tuple[tuple[str, int, int], ...]


def rank_function(names: Sequence[str], ranks: GroupRanks) -> Callable[[Sequence[int]], int]:
    """Return the rank of groups of rows with these names; a row in no group is independent of all others."""
    groups_by_name = {name: (group, rank) for name, group, rank in ranks}

    def rank(numbers: Sequence[int]) -> int:
        row_names = [names[i] for i in numbers]
        groups = dict(groups_by_name[name] for name in row_names if name in groups_by_name)
        return sum(groups.values()) + sum(name not in groups_by_name for name in row_names)

    return rank


class MechanismState:
    """A mechanism at one state, with the terms of its equations of motion; each is computed when it is first needed."""

    def __init__(
        self,
        mechanism: Mechanism,
        tree: Tree,
        links: Sequence[Link],
        q: Sequence[Any],
        qd: Sequence[Any],
        t: Any = 0,
        decision_time: Any = None,
    ) -> None:
        """`decision_time` is the time at which functions of time that jump are decided, if not t itself.

        With `relative` set, Psi of a loop leaves out the joints that carry the loop as a whole: see `constraints.rows`.
        """
        self.relative = False
        self.mechanism, self.tree, self.links = mechanism, tree, links
        self.q, self.qd, self.t, self.decision_time = q, qd, t, decision_time

    @cached_property
    def world(self) -> World:
        return World(self.tree, self.links)

    @cached_property
    def mass_matrix(self) -> list[Any]:
        return run(MASS_MATRIX, self.tree, self.links)

    @cached_property
    def factors(self) -> TreeLDL:
        return TreeLDL(self.tree, self.mass_matrix)

    @cached_property
    def bias(self) -> list[Any]:
        """C qd + G + F, springs between points included."""
        bias_torque = run(BIAS, self.tree, self.links)
        if self.mechanism.springs:
            for k, torque in springs.torques(self.mechanism, self.world, self.coordinates_by_name).items():
                bias_torque[k] = bias_torque[k] - torque
        return bias_torque

    @cached_property
    def coordinates(self) -> constraints.CoordinateJets:
        return constraints.CoordinateJets(
            self.mechanism, self.q, self.qd, self.t, self.decision_time, self.tree.reader.symbol_values
        )

    @property
    def coordinates_by_name(self) -> Mapping[str, Any]:
        """The coordinates as jets, by name."""
        return self.coordinates.by_name

    @cached_property
    def rows(self) -> list[constraints.ConstraintRow]:
        return constraints.constraint_rows(self.mechanism, self.world, self.coordinates, self.relative)


class ConstrainedDynamics:
    """The multipliers' equations at one state; `rows` has only equations that restrict the speeds."""

    def __init__(
        self,
        state: MechanismState,
        rows: Sequence[constraints.ConstraintRow],
        redundant: bool,
        locked: Mapping[int, Any] | None = None,
        ranks: GroupRanks = (),
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """`locked` has the value 1 for locked speeds, 0 for those that could be: see `TreeLDL`.

        `ranks` has for redundant rows, by name, the group of each row and how many rows of the group are independent.
        `weights` of rows, by name, are needed where M is singular: see `singular_mass`.
        """
        self.state, self.rows = state, [row for row in rows if row.psi]
        self._weights = weights or {}
        self._locked = locked or {}
        if self._weights:
            self._factors = self._augmented_factors()
        else:
            self._factors = TreeLDL(state.tree, state.mass_matrix, locked=locked) if locked else state.factors
        self._halves = [self._factors.solve_transposed_sparse(row.psi) for row in self.rows]
        pivots = self._factors.inverse_pivots
        self._scaled = [{k: z * pivots[k] for k, z in half.items()} for half in self._halves]
        self._columns: list[dict[int, Any]] = [{} for _ in range(state.tree.nv)]  # the halves by speed
        for i, half in enumerate(self._halves):
            for k, z in half.items():
                self._columns[k][i] = z
        # a row of a planar loop in a plane across no axis of the world is not zero by structure, but by rounding
        sizes = self._factors.unlocked_pivots
        thresholds = [ROUNDING_TOLERANCE**2 * sum(sizes[k] for k in half) for half in self._halves]
        owners = [constraints.row_owner(row.name) for row in self.rows]
        rank = rank_function([row.name for row in self.rows], ranks) if ranks else None
        self.system = BlockLDL(self._matrix(), redundant, thresholds, owners, rank)

    def _matrix(self) -> Sparse:
        """Psi M^-1 Psi^T."""
        A: Sparse = []
        for i, scaled in enumerate(self._scaled):
            sharing = sorted({j for k in scaled for j in self._columns[k] if j <= i})
            A.append({j: sparse_dot(scaled, self._halves[j]) for j in sharing})
            for j in sharing[:-1]:
                A[j][i] = A[i][j]
        return A

    def _augmented_factors(self) -> TreeLDL:
        """M + Psi^T W Psi."""
        n, M = self.state.tree.nv, list(self.state.mass_matrix)
        for row in self.rows:
            for i, x in row.psi.items() if row.name in self._weights else ():
                for j, y in row.psi.items():
                    M[i * n + j] = M[i * n + j] + self._weights[row.name] * (x * y)
        return TreeLDL(self.state.tree, M, full=True, locked=self._locked)

    @property
    def ratio(self) -> Any:
        """How independent the rows are: the smallest remaining diagonal of the system by the original one."""
        return self.system.ratio

    def acceleration(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return qdd, lambda and the forces that lock speeds, for f = `force`; gamma as the rows have it, or stabilised."""
        if self._weights:
            force = list(force)
            for row, g in zip(self.rows, gamma, strict=True):
                for k, x in row.psi.items() if row.name in self._weights else ():
                    force[k] = force[k] - self._weights[row.name] * (x * g)
        free_half = self._factors.solve_transposed(force)
        right = [-(g + sparse_dot(z, free_half)) for g, z in zip(gamma, self._scaled, strict=True)]
        multipliers = self.system.solve(right)
        half = [a + b for a, b in zip(free_half, self._combine_halves(multipliers), strict=True)]
        qdd = self._factors.back_substitute(half)
        return qdd, multipliers, self._factors.locking_torques(half, qdd)

    def correction(self, residual: Sequence[Any]) -> list[Any]:
        """Return the smallest x, measured by M, with Psi x = -residual."""
        return self._factors.back_substitute(self._combine_halves(self.system.solve([-r for r in residual])))

    def _combine_halves(self, multipliers: Sequence[Any]) -> list[Any]:
        """Return L^-T Psi^T lambda, half of M^-1 Psi^T lambda."""
        return [sparse_dot(column, multipliers) for column in self._columns]
