"""Symmetric positive semidefinite systems in straight-line code: rows that depend on others are left out by selects.

The matrix is A = Psi M^-1 Psi^T, whose rank falls where constraints are redundant, or become so at a singular configuration. A
row is left out when what remains of its diagonal, once the rows before it are taken off, is a small part of it, or when its
diagonal is below `least` to begin with: it is then what rounding left of a row of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lagrangian.algorithms.closed import elimination
from lagrangian.algorithms.link import inverse, is_zero
from lagrangian.model.expression import functions as f

Matrix = list[list[Any]]
Sparse = list[dict[int, Any]]  # of every row, in the order of its columns, what is not zero by structure
Rank = Callable[[Sequence[int]], int]

# of a system that is redundant throughout: stages of an integrator leave the manifold, where the dependence is not exact
REDUNDANT = 1e-8
# of one that is independent but for singular configurations
INDEPENDENT = 1e-13

# rows that belong together, up to which dependent ones are found by pivoting
PIVOTED = 12
# by how many times a diagonal is larger before its row goes first, where some rows are known to be dependent: between rows about
# as large, as all are at the beginning, rounding would choose
CLEARLY = 3.0
# rows are scaled to a unit diagonal down to this part of the largest
SMALLEST = 1e-6


def sparse(A: Sequence[Sequence[Any]]) -> Sparse:
    """The entries of a matrix that are not zero by structure."""
    return [{j: x for j, x in enumerate(row) if not is_zero(x)} for row in A]


def _largest(A: Sparse, rows: Sequence[int]) -> Any:
    largest: Any = 0
    for i in rows:
        largest = A[i].get(i, 0) if i == rows[0] else f.maximum(largest, A[i].get(i, 0))
    return largest


def inner(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def product(a: Mapping[int, Any], b: Mapping[int, Any] | Sequence[Any]) -> Any:
    """The inner product of rows: `a` sparse, `b` sparse too or dense; in the order of `a`."""
    total: Any = 0
    whole = not isinstance(b, Mapping)
    for k, x in a.items():
        if (whole or k in b) and not is_zero(y := b[k]):
            total = total + x * y
    return total


class InOrder:
    """A = L D L^T in the order given, which keeps the zeros of chains of loops."""

    def __init__(self, A: Sparse, threshold: float = INDEPENDENT, least: Sequence[Any] | None = None) -> None:
        n = len(A)
        least = [0.0] * n if least is None else least
        self._L: Sparse = [{} for _ in range(n)]
        self._columns: Sparse = [{} for _ in range(n)]  # the same, by columns
        self._inverse: list[Any] = []
        largest = _largest(A, range(n))
        self.ratio: Any = largest if n else 1.0  # the smallest diagonal that remained, as a part of the largest there was
        L = self._L
        d: list[Any] = []
        for j in range(n):
            scaled = {k: x * d[k] for k, x in L[j].items()}
            own = A[j].get(j, 0)
            d.append(own - product(scaled, L[j]))
            self.ratio = f.minimum(self.ratio, f.choose(own, least[j], largest, d[j]))
            self._inverse.append(f.choose(d[j], threshold * largest + least[j], 0.0, 1 / d[j]))
            below = {i for i in A[j] if i > j}.union(*(self._columns[k] for k in scaled))
            for i in sorted(below):
                if i > j:
                    rest = A[i].get(j, 0) - product(L[i], scaled)
                    if not is_zero(rest):
                        L[i][j] = self._columns[j][i] = rest * self._inverse[j]
        if n:
            self.ratio = f.choose(0.0, largest, self.ratio / largest, 1.0)  # where all is held nothing is singular

    def solve(self, b: Sequence[Any]) -> list[Any]:
        y = list(b)
        for i, row in enumerate(self._L):
            y[i] = y[i] - product(row, y)
        y = [a * inverse for a, inverse in zip(y, self._inverse, strict=True)]
        for i in reversed(range(len(y))):
            y[i] = y[i] - product(self._columns[i], y)
        return y


class Pivoted:
    """One group of rows, scaled as `Grouped` does: a large remaining diagonal first, found by selects."""

    def __init__(self, W: Matrix, threshold: float, rank: int | None = None) -> None:
        """`rank`, where it is known, is how many rows are taken at most: off the constraints the others only seem independent."""
        n = len(W)
        # off the constraints dependent rows differ: there a choice that changes is a jump of the accelerations
        self._clearly = 1.0 if rank is None else CLEARLY
        self.rank = n if rank is None else min(rank, n)
        self._swaps: list[tuple[int, int, Any, Any]] = []
        self.L: Matrix = [[0] * n for _ in range(n)]
        self.inverse: list[Any] = []
        self.ratio: Any = 1.0
        L = self.L
        for j in range(self.rank):
            for i in range(j + 1, n):
                self._swap(W, j, i)
            pivot = W[j][j]
            # what is left out is not close to singular but dependent: the least pivot that is used counts
            self.ratio = f.minimum(self.ratio, f.choose(pivot, threshold, 1.0, pivot))
            self.inverse.append(f.choose(pivot, threshold, 0.0, inverse(pivot)))
            for i in range(j + 1, n):
                L[i][j] = W[i][j] * self.inverse[j]
            for i in range(j + 1, n):
                for k in range(j + 1, i + 1):
                    W[i][k] = W[k][i] = W[i][k] - L[i][j] * W[k][j]

    def _swap(self, W: Matrix, j: int, i: int) -> None:
        """Rows and columns j and i exchanged where the diagonal of i is clearly larger."""
        a, b = W[j][j], W[i][i]
        clearly = a if self._clearly == 1.0 else self._clearly * a
        self._swaps.append((j, i, clearly, b))

        def either(x: Any, y: Any) -> tuple[Any, Any]:
            return f.choose(clearly, b, y, x), f.choose(clearly, b, x, y)

        for k in range(len(W)):
            if k not in (i, j):
                W[j][k], W[i][k] = either(W[j][k], W[i][k])
                W[k][j], W[k][i] = W[j][k], W[i][k]
        W[j][j], W[i][i] = either(a, b)
        for k in range(j):
            self.L[j][k], self.L[i][k] = either(self.L[j][k], self.L[i][k])

    def taken(self, values: Sequence[Any]) -> list[Any]:
        """Of numbers for every row, those of the rows that are taken, in the order in which they are."""
        return self._exchanged(values, self._swaps)[: self.rank]

    def given_back(self, values: Sequence[Any]) -> list[Any]:
        """Numbers of the rows that are taken, for every row again: zero for those left out."""
        return self._exchanged([*values, *[0] * (len(self.L) - self.rank)], self._swaps[::-1])

    def _exchanged(self, values: Sequence[Any], swaps: Sequence[tuple[int, int, Any, Any]]) -> list[Any]:
        y = list(values)
        for j, i, p, q in swaps:
            if not (is_zero(y[i]) and is_zero(y[j])):
                y[j], y[i] = f.choose(p, q, y[i], y[j]), f.choose(p, q, y[j], y[i])
        return y


class Grouped:
    """A = L D L^T of rows some of which depend on others: groups of rows in their order, each by pivoting.

    The rows of a loop are such a group: which of them follow from others changes as it turns, and every one may be small where
    bodies are heavy. So each is scaled to a unit diagonal, whatever its units, and what remains of it once the groups before are
    taken off is compared with that. Pivoting among all rows would be better still, but its code grows with their cube.
    """

    def __init__(
        self,
        A: Sparse,
        groups: Sequence[Sequence[int]] | None = None,
        least: Sequence[Any] | None = None,
        rank: Rank | None = None,
        threshold: float = REDUNDANT,
    ) -> None:
        """One group of all rows unless others are given; `rank` is how many of a group's rows do not follow from those before."""
        n = len(A)
        groups = [list(range(n))] if groups is None else groups
        least = [0.0] * n if least is None else least
        self._groups: Sequence[Sequence[int]] = groups
        self._scale: list[Any] = [0] * n
        for group in groups:
            # a row that vanishes is not made large: it is dependent
            floor = SMALLEST * _largest(A, group)
            for i in group:
                own = A[i].get(i, 0)
                self._scale[i] = f.choose(own, least[i], 0.0, inverse(f.sqrt(f.maximum(own, floor))))
        self.ratio: Any = 1.0
        self._parts: list[Pivoted] = []
        self._before: list[dict[int, Matrix]] = []  # of every group, for those before: rows of L, those that are taken alone
        shared = elimination.filled(elimination.structure(A, groups))
        for g, group in enumerate(groups):
            rests, rows = self._taken_off(A, group, sorted(h for h in shared[g] if h < g))
            W = self._scaled(A, group, group)
            for h, rest in rests.items():
                for i in range(len(group)):
                    for k in range(i + 1):
                        W[i][k] = W[k][i] = W[i][k] - inner(rest[i], rows[h][k])
            part = Pivoted(W, threshold, None if rank is None else rank(group))
            self._parts.append(part)
            self._before.append({h: _by_columns(part, L) for h, L in rows.items()})
            self.ratio = f.minimum(self.ratio, part.ratio)

    def _scaled(self, A: Sparse, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
        s = self._scale
        return [[A[i][j] * (s[i] * s[j]) if j in A[i] else 0 for j in columns] for i in rows]

    def _taken_off(self, A: Sparse, group: Sequence[int], before: Sequence[int]) -> tuple[dict[int, Matrix], dict[int, Matrix]]:
        """For each group before that shares something, this one's rows of L D and of L."""
        rests: dict[int, Matrix] = {}
        rows: dict[int, Matrix] = {}
        for h in before:
            part, earlier = self._parts[h], self._before[h]
            rest = [part.taken(row) for row in self._scaled(A, group, self._groups[h])]
            found: Matrix = []
            for i, row in enumerate(rest):
                mine: list[Any] = []
                for c in range(part.rank):
                    for mid, taken in rests.items():
                        if mid in earlier:
                            row[c] = row[c] - inner(taken[i], earlier[mid][c])
                    row[c] = row[c] - inner(row[:c], part.L[c][:c])
                    mine.append(0 if is_zero(row[c]) else row[c] * part.inverse[c])
                found.append(mine)
            rests[h] = rest
            rows[h] = found
        return rests, rows

    def solve(self, b: Sequence[Any]) -> list[Any]:
        y: list[list[Any]] = []
        for group, part, before in zip(self._groups, self._parts, self._before, strict=True):
            mine = part.taken([b[i] * self._scale[i] for i in group])
            for i in range(part.rank):
                for h, L in before.items():
                    mine[i] = mine[i] - inner(L[i], y[h])
                mine[i] = mine[i] - inner(part.L[i][:i], mine[:i])
            y.append(mine)
        y = [[a * x for a, x in zip(mine, part.inverse, strict=True)] for mine, part in zip(y, self._parts, strict=True)]
        x: list[Any] = [0] * len(b)
        for g in reversed(range(len(y))):
            part = self._parts[g]
            for i in reversed(range(part.rank)):
                y[g][i] = y[g][i] - inner([part.L[k][i] for k in range(i + 1, part.rank)], y[g][i + 1 :])
            for h, L in self._before[g].items():
                y[h] = [a - inner([row[c] for row in L], y[g]) for c, a in enumerate(y[h])]
            for i, value in zip(self._groups[g], part.given_back(y[g]), strict=True):
                x[i] = value * self._scale[i]
        return x


def _by_columns(part: Pivoted, L: Matrix) -> Matrix:
    """Rows of L, those that are taken alone."""
    columns = [part.taken(column) for column in zip(*L, strict=True)]
    return [[column[i] for column in columns] for i in range(part.rank)]


class Blocks:
    """Rows that share nothing are solved apart; where they may be redundant, by groups: up to `PIVOTED` rows are one."""

    def __init__(
        self, A: Sparse, redundant: bool, least: Sequence[Any], owners: Sequence[str] = (), rank: Rank | None = None
    ) -> None:
        """`owners` names what each row is an equation of; `rank` gives that of some of the rows, by their numbers, if known."""
        self._parts: list[tuple[list[int], InOrder | Grouped]] = []
        self.ratio: Any = 1.0
        for block in elimination.connected(A):
            # the ranks of groups are known for the order given alone
            rows = block if redundant or len(block) <= PIVOTED else _with_little_fill(A, block)
            part, rest = _part(A, rows), [least[i] for i in rows]
            system: InOrder | Grouped
            if redundant:
                groups = None if len(rows) <= PIVOTED else grouped([owners[i] for i in rows])
                system = Grouped(part, groups, rest, None if rank is None else _of_part(rank, rows))
            else:
                system = InOrder(part, INDEPENDENT, rest)
            self._parts.append((rows, system))
            self.ratio = f.minimum(self.ratio, system.ratio)

    def solve(self, b: Sequence[Any]) -> list[Any]:
        x: list[Any] = [0] * len(b)
        for block, system in self._parts:
            for i, value in zip(block, system.solve([b[i] for i in block]), strict=True):
                x[i] = value
        return x


def _part(A: Sparse, rows: Sequence[int]) -> Sparse:
    """Some rows and their columns, numbered by their places."""
    at = {i: k for k, i in enumerate(rows)}
    return [dict(sorted((at[j], x) for j, x in A[i].items())) for i in rows]


def _with_little_fill(A: Sparse, rows: Sequence[int]) -> list[int]:
    return [rows[k] for k in elimination.order(elimination.structure(_part(A, rows), [[k] for k in range(len(rows))]))]


def _of_part(rank: Rank, block: Sequence[int]) -> Rank:
    return lambda rows: rank([block[i] for i in rows])


def grouped(owners: Sequence[str]) -> list[list[int]]:
    """The numbers of rows, those of one owner together, in order."""
    found: dict[str, list[int]] = {}
    for i, owner in enumerate(owners):
        found.setdefault(owner, []).append(i)
    return list(found.values())
