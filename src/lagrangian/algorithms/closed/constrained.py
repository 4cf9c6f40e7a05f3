"""The equations of motion with multipliers, at one state, over any scalars (Ghosal, lectures 27 and 29):

M qdd + C qd + G + F = tau + Psi^T lambda,    Psi qdd + gamma = 0,
lambda = -(Psi M^-1 Psi^T)^-1 (gamma + Psi M^-1 f),    f = tau - C qd - G - F.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lagrangian.algorithms import springs
from lagrangian.algorithms.closed import constraints
from lagrangian.algorithms.closed.cholesky import Blocks, Sparse, product
from lagrangian.algorithms.closed.world import World
from lagrangian.algorithms.factorised import Factorised
from lagrangian.algorithms.inverse_dynamics import BIAS
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.sweep import run
from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.model.mechanism import Mechanism

# slopes of a constraint, in metres or radians per metre or radian, that are rounding: measured by M, as A's diagonal is
ROUNDING = 1e-12

# of rows by name: the number of a group, and how many of its rows are independent of each other and of the groups before
Ranks = tuple[tuple[str, int, int], ...]


def rank_by(names: Sequence[str], ranks: Ranks) -> Callable[[Sequence[int]], int]:
    """Of whole groups of rows that have these names; one that is in none is independent of all others."""
    known = {name: (group, rank) for name, group, rank in ranks}

    def rank(numbers: Sequence[int]) -> int:
        some = [names[i] for i in numbers]
        groups = dict(known[name] for name in some if name in known)
        return sum(groups.values()) + sum(name not in known for name in some)

    return rank


class State:
    """A mechanism at one state: what its equations of motion are made of, each computed when first asked for."""

    def __init__(
        self,
        mechanism: Mechanism,
        tree: Tree,
        links: Sequence[Link],
        q: Sequence[Any],
        qd: Sequence[Any],
        t: Any = 0,
        decided: Any = None,
    ) -> None:
        """`decided` is the time at which functions of time that jump are decided, if not t itself.

        With `relative` set, Psi of a loop leaves out the joints that carry the loop as a whole: see `constraints.rows`.
        """
        self.relative = False
        self.mechanism, self.tree, self.links = mechanism, tree, links
        self.q, self.qd, self.t, self.decided = q, qd, t, decided

    @cached_property
    def world(self) -> World:
        return World(self.tree, self.links)

    @cached_property
    def mass_matrix(self) -> list[Any]:
        return run(MASS_MATRIX, self.tree, self.links)

    @cached_property
    def factors(self) -> Factorised:
        return Factorised(self.tree, self.mass_matrix)

    @cached_property
    def bias(self) -> list[Any]:
        """C qd + G + F, springs between points included."""
        bias = run(BIAS, self.tree, self.links)
        if self.mechanism.springs:
            for k, torque in springs.torques(self.mechanism, self.world, self.names).items():
                bias[k] = bias[k] - torque
        return bias

    @cached_property
    def coordinates(self) -> constraints.Coordinates:
        return constraints.Coordinates(self.mechanism, self.q, self.qd, self.t, self.decided, self.tree.read.names)

    @property
    def names(self) -> Mapping[str, Any]:
        """The coordinates as jets, by name."""
        return self.coordinates.names

    @cached_property
    def rows(self) -> list[constraints.Row]:
        return constraints.rows(self.mechanism, self.world, self.coordinates, self.relative)


class Constrained:
    """The multipliers' equations at one state: `rows` holds only equations that say something about the speeds."""

    def __init__(
        self,
        state: State,
        rows: Sequence[constraints.Row],
        redundant: bool,
        held: Mapping[int, Any] | None = None,
        ranks: Ranks = (),
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """`held` has the value 1 for speeds that are held, 0 for those that could be: see `Factorised`.

        `ranks` says of redundant rows, by name, to which group each belongs and how many of the group are independent.
        `weights` of rows, by name, are needed where M is singular: see `massless`.
        """
        self.state, self.rows = state, [row for row in rows if row.psi]
        self._weights = weights or {}
        self._held = held or {}
        if self._weights:
            self._factors = self._augmented()
        else:
            self._factors = Factorised(state.tree, state.mass_matrix, held=held) if held else state.factors
        self._halves = [self._factors.half_of(row.psi) for row in self.rows]
        pivots = self._factors.pivots
        self._scaled = [{k: z * pivots[k] for k, z in half.items()} for half in self._halves]
        self._columns: list[dict[int, Any]] = [{} for _ in range(state.tree.nv)]  # the halves by speed
        for i, half in enumerate(self._halves):
            for k, z in half.items():
                self._columns[k][i] = z
        # a row of a planar loop in a plane across no axis of the world is not zero by structure, but by rounding
        sizes = self._factors.unheld
        least = [ROUNDING**2 * sum(sizes[k] for k in half) for half in self._halves]
        owners = [constraints.owner(row.name) for row in self.rows]
        known = rank_by([row.name for row in self.rows], ranks) if ranks else None
        self.system = Blocks(self._matrix(), redundant, least, owners, known)

    def _matrix(self) -> Sparse:
        """Psi M^-1 Psi^T."""
        A: Sparse = []
        for i, scaled in enumerate(self._scaled):
            sharing = sorted({j for k in scaled for j in self._columns[k] if j <= i})
            A.append({j: product(scaled, self._halves[j]) for j in sharing})
            for j in sharing[:-1]:
                A[j][i] = A[i][j]
        return A

    def _augmented(self) -> Factorised:
        """M + Psi^T W Psi."""
        n, M = self.state.tree.nv, list(self.state.mass_matrix)
        for row in self.rows:
            for i, x in row.psi.items() if row.name in self._weights else ():
                for j, y in row.psi.items():
                    M[i * n + j] = M[i * n + j] + self._weights[row.name] * (x * y)
        return Factorised(self.state.tree, M, full=True, held=self._held)

    @property
    def ratio(self) -> Any:
        """How independent the rows are: the smallest diagonal that remained of the system, as a part of what it was."""
        return self.system.ratio

    def acceleration(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """qdd, lambda, and what holds each speed, for f = `force`; gamma as the rows have it, or stabilised."""
        if self._weights:
            force = list(force)
            for row, g in zip(self.rows, gamma, strict=True):
                for k, x in row.psi.items() if row.name in self._weights else ():
                    force[k] = force[k] - self._weights[row.name] * (x * g)
        free = self._factors.half(force)
        right = [-(g + product(z, free)) for g, z in zip(gamma, self._scaled, strict=True)]
        multipliers = self.system.solve(right)
        half = [a + b for a, b in zip(free, self._sum(multipliers), strict=True)]
        qdd = self._factors.back(half)
        return qdd, multipliers, self._factors.holding(half, qdd)

    def correction(self, residual: Sequence[Any]) -> list[Any]:
        """The smallest x, measured by M, with Psi x = -residual."""
        return self._factors.back(self._sum(self.system.solve([-r for r in residual])))

    def _sum(self, multipliers: Sequence[Any]) -> list[Any]:
        """Half of M^-1 Psi^T lambda."""
        return [product(column, multipliers) for column in self._columns]
