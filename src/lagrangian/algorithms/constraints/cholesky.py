"""Symmetric positive semidefinite systems in straight-line code: rows that depend on others are left out by selects.

The matrix is A = Psi M^-1 Psi^T, whose rank falls where constraints are redundant, or become so at a singular configuration. A
row is left out when what remains of its diagonal, once the rows before it are taken off, is a small part of it, or when its
diagonal is below its `thresholds` from the start: it is then the rounding of a row of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lagrangian.algorithms.constraints import elimination_order
from lagrangian.algorithms.link import inverse, is_zero
from lagrangian.model.expression import functions as f

Matrix = list[list[Any]]
Sparse = list[dict[int, Any]]  # for every row, by column in order, the entries that are not zero by structure
RankFunction = Callable[[Sequence[int]], int]

# of a system that is redundant throughout: stages of an integrator leave the manifold, where the dependence is not exact
REDUNDANT_THRESHOLD = 1e-8

# of one that is independent but for singular configurations
INDEPENDENT_THRESHOLD = 1e-13

# the most rows of a group in which pivoting finds the dependent ones
MAX_PIVOTED_ROWS = 12

# where some rows are known to be dependent, a row goes first only if its diagonal is this many times larger: between rows about
# as large, as all are at the beginning, rounding would choose
SWAP_RATIO = 3.0

# rows are scaled to a unit diagonal if it is not below this part of the largest
MIN_SCALE = 1e-6


class BlockLDL:
    """A system in blocks that share no entries; rows that may be redundant are in groups, or up to `MAX_PIVOTED_ROWS` in one."""

    def __init__(
        self, A: Sparse, redundant: bool, thresholds: Sequence[Any], owners: Sequence[str] = (), rank: RankFunction | None = None
    ) -> None:
        """`owners` names what each row is an equation of; `rank` returns the rank of some rows, by their indices, if known."""
        self._parts: list[tuple[list[int], OrderedLDL | GroupedLDL]] = []
        self.ratio: Any = 1.0
        for block in elimination_order.connected_rows(A):
            # the ranks of groups are known for the order given alone
            rows = block if redundant or len(block) <= MAX_PIVOTED_ROWS else _low_fill_order(A, block)
            part, block_thresholds = _submatrix(A, rows), [thresholds[i] for i in rows]
            system: OrderedLDL | GroupedLDL
            if redundant:
                groups = None if len(rows) <= MAX_PIVOTED_ROWS else rows_by_owner([owners[i] for i in rows])
                system = GroupedLDL(part, groups, block_thresholds, None if rank is None else _rank_in_block(rank, rows))
            else:
                system = OrderedLDL(part, INDEPENDENT_THRESHOLD, block_thresholds)
            self._parts.append((rows, system))
            self.ratio = f.minimum(self.ratio, system.ratio)

    def solve(self, b: Sequence[Any]) -> list[Any]:
        x: list[Any] = [0] * len(b)
        for block, system in self._parts:
            for i, value in zip(block, system.solve([b[i] for i in block]), strict=True):
                x[i] = value
        return x


def _submatrix(A: Sparse, rows: Sequence[int]) -> Sparse:
    """Return some rows and their columns, with new indices."""
    position = {i: k for k, i in enumerate(rows)}
    return [dict(sorted((position[j], x) for j, x in A[i].items())) for i in rows]


def _low_fill_order(A: Sparse, rows: Sequence[int]) -> list[int]:
    graph = elimination_order.sparsity_graph(_submatrix(A, rows), [[k] for k in range(len(rows))])
    return [rows[k] for k in elimination_order.low_fill_order(graph)]


def _rank_in_block(rank: RankFunction, block: Sequence[int]) -> RankFunction:
    return lambda rows: rank([block[i] for i in rows])


def rows_by_owner(owners: Sequence[str]) -> list[list[int]]:
    """Return the indices of rows, grouped by owner, in order."""
    groups: dict[str, list[int]] = {}
    for i, owner in enumerate(owners):
        groups.setdefault(owner, []).append(i)
    return list(groups.values())


class OrderedLDL:
    """A = L D L^T with the rows in their order, which keeps the zeros of chains of loops."""

    def __init__(self, A: Sparse, threshold: float = INDEPENDENT_THRESHOLD, thresholds: Sequence[Any] | None = None) -> None:
        n = len(A)
        thresholds = [0.0] * n if thresholds is None else thresholds
        self._L: Sparse = [{} for _ in range(n)]
        self._columns: Sparse = [{} for _ in range(n)]  # the same, by columns
        self._inverse: list[Any] = []
        largest = _largest_diagonal(A, range(n))
        self.ratio: Any = largest if n else 1.0  # the smallest remaining diagonal by the largest one
        L = self._L
        d: list[Any] = []
        for j in range(n):
            scaled = {k: x * d[k] for k, x in L[j].items()}
            diagonal = A[j].get(j, 0)
            d.append(diagonal - sparse_dot(scaled, L[j]))
            self.ratio = f.minimum(self.ratio, f.choose(diagonal, thresholds[j], largest, d[j]))
            self._inverse.append(f.choose(d[j], threshold * largest + thresholds[j], 0.0, 1 / d[j]))
            below = {i for i in A[j] if i > j}.union(*(self._columns[k] for k in scaled))
            for i in sorted(below):
                if i > j:
                    entry = A[i].get(j, 0) - sparse_dot(L[i], scaled)
                    if not is_zero(entry):
                        L[i][j] = self._columns[j][i] = entry * self._inverse[j]
        if n:
            self.ratio = f.choose(0.0, largest, self.ratio / largest, 1.0)  # nothing is singular where all speeds are locked

    def solve(self, b: Sequence[Any]) -> list[Any]:
        y = list(b)
        for i, row in enumerate(self._L):
            y[i] = y[i] - sparse_dot(row, y)
        y = [a * inverse for a, inverse in zip(y, self._inverse, strict=True)]
        for i in reversed(range(len(y))):
            y[i] = y[i] - sparse_dot(self._columns[i], y)
        return y


class GroupedLDL:
    """A = L D L^T of rows some of which depend on others: groups of rows in their order, each by pivoting.

    The rows of a loop are such a group: which of them follow from others changes as it turns, and every one may be small where
    bodies are heavy. So each is scaled to a unit diagonal, whatever its units, and what remains of it once the groups before are
    taken off is compared with that. Pivoting among all rows would be better still, but its code grows with their cube.
    """

    def __init__(
        self,
        A: Sparse,
        groups: Sequence[Sequence[int]] | None = None,
        thresholds: Sequence[Any] | None = None,
        rank: RankFunction | None = None,
        threshold: float = REDUNDANT_THRESHOLD,
    ) -> None:
        """One group of all rows unless others are given; `rank` is how many of a group's rows do not follow from those before."""
        n = len(A)
        groups = [list(range(n))] if groups is None else groups
        thresholds = [0.0] * n if thresholds is None else thresholds
        self._groups: Sequence[Sequence[int]] = groups
        self._scale: list[Any] = [0] * n
        for group in groups:
            # a row that vanishes is not made large: it is dependent
            floor = MIN_SCALE * _largest_diagonal(A, group)
            for i in group:
                diagonal = A[i].get(i, 0)
                self._scale[i] = f.choose(diagonal, thresholds[i], 0.0, inverse(f.sqrt(f.maximum(diagonal, floor))))
        self.ratio: Any = 1.0
        self._parts: list[PivotedLDL] = []
        # for every group, by earlier group: the rows of L that are taken
        self._earlier_rows: list[dict[int, Matrix]] = []
        structure = elimination_order.fill_in(elimination_order.sparsity_graph(A, groups))
        for g, group in enumerate(groups):
            scaled_rows, rows = self._eliminate_earlier(A, group, sorted(h for h in structure[g] if h < g))
            W = self._scaled_block(A, group, group)
            for h, scaled in scaled_rows.items():
                for i in range(len(group)):
                    for k in range(i + 1):
                        W[i][k] = W[k][i] = W[i][k] - dot(scaled[i], rows[h][k])
            part = PivotedLDL(W, threshold, None if rank is None else rank(group))
            self._parts.append(part)
            self._earlier_rows.append({h: _selected_columns(part, L) for h, L in rows.items()})
            self.ratio = f.minimum(self.ratio, part.ratio)

    def _scaled_block(self, A: Sparse, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
        s = self._scale
        return [[A[i][j] * (s[i] * s[j]) if j in A[i] else 0 for j in columns] for i in rows]

    def _eliminate_earlier(
        self, A: Sparse, group: Sequence[int], earlier_groups: Sequence[int]
    ) -> tuple[dict[int, Matrix], dict[int, Matrix]]:
        """Return this group's rows of L D and of L for each earlier group that it shares entries with."""
        scaled_rows: dict[int, Matrix] = {}
        rows: dict[int, Matrix] = {}
        for h in earlier_groups:
            part, earlier = self._parts[h], self._earlier_rows[h]
            scaled = [part.select_rows(row) for row in self._scaled_block(A, group, self._groups[h])]
            group_rows: Matrix = []
            for i, row in enumerate(scaled):
                factor_row: list[Any] = []
                for c in range(part.rank):
                    for mid, earlier_scaled in scaled_rows.items():
                        if mid in earlier:
                            row[c] = row[c] - dot(earlier_scaled[i], earlier[mid][c])
                    row[c] = row[c] - dot(row[:c], part.L[c][:c])
                    factor_row.append(0 if is_zero(row[c]) else row[c] * part.inverse[c])
                group_rows.append(factor_row)
            scaled_rows[h] = scaled
            rows[h] = group_rows
        return scaled_rows, rows

    def solve(self, b: Sequence[Any]) -> list[Any]:
        y: list[list[Any]] = []
        for group, part, before in zip(self._groups, self._parts, self._earlier_rows, strict=True):
            group_solution = part.select_rows([b[i] * self._scale[i] for i in group])
            for i in range(part.rank):
                for h, L in before.items():
                    group_solution[i] = group_solution[i] - dot(L[i], y[h])
                group_solution[i] = group_solution[i] - dot(part.L[i][:i], group_solution[:i])
            y.append(group_solution)
        y = [
            [a * x for a, x in zip(group_solution, part.inverse, strict=True)]
            for group_solution, part in zip(y, self._parts, strict=True)
        ]
        x: list[Any] = [0] * len(b)
        for g in reversed(range(len(y))):
            part = self._parts[g]
            for i in reversed(range(part.rank)):
                y[g][i] = y[g][i] - dot([part.L[k][i] for k in range(i + 1, part.rank)], y[g][i + 1 :])
            for h, L in self._earlier_rows[g].items():
                y[h] = [a - dot([row[c] for row in L], y[g]) for c, a in enumerate(y[h])]
            for i, value in zip(self._groups[g], part.scatter_rows(y[g]), strict=True):
                x[i] = value * self._scale[i]
        return x


def _selected_columns(part: PivotedLDL, L: Matrix) -> Matrix:
    """Return the rows of L that are taken."""
    columns = [part.select_rows(column) for column in zip(*L, strict=True)]
    return [[column[i] for column in columns] for i in range(part.rank)]


class PivotedLDL:
    """One group of rows, scaled by `GroupedLDL`: the row with the largest remaining diagonal first, found by selects."""

    def __init__(self, W: Matrix, threshold: float, rank: int | None = None) -> None:
        """`rank`, if known, is the largest number of rows taken: off the constraints the others only seem independent."""
        n = len(W)
        # off the constraints dependent rows differ, and a change of the choice makes the accelerations jump
        self._swap_ratio = 1.0 if rank is None else SWAP_RATIO
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
            # a row that is left out is dependent, not nearly singular: only pivots that are used count
            self.ratio = f.minimum(self.ratio, f.choose(pivot, threshold, 1.0, pivot))
            self.inverse.append(f.choose(pivot, threshold, 0.0, inverse(pivot)))
            for i in range(j + 1, n):
                L[i][j] = W[i][j] * self.inverse[j]
            for i in range(j + 1, n):
                for k in range(j + 1, i + 1):
                    W[i][k] = W[k][i] = W[i][k] - L[i][j] * W[k][j]

    def _swap(self, W: Matrix, j: int, i: int) -> None:
        """Exchange rows and columns j and i where the diagonal of i is clearly larger."""
        a, b = W[j][j], W[i][i]
        scaled_pivot = a if self._swap_ratio == 1.0 else self._swap_ratio * a
        self._swaps.append((j, i, scaled_pivot, b))

        def either(x: Any, y: Any) -> tuple[Any, Any]:
            return f.choose(scaled_pivot, b, y, x), f.choose(scaled_pivot, b, x, y)

        for k in range(len(W)):
            if k not in (i, j):
                W[j][k], W[i][k] = either(W[j][k], W[i][k])
                W[k][j], W[k][i] = W[j][k], W[i][k]
        W[j][j], W[i][i] = either(a, b)
        for k in range(j):
            self.L[j][k], self.L[i][k] = either(self.L[j][k], self.L[i][k])

    def select_rows(self, values: Sequence[Any]) -> list[Any]:
        """Return the values of the rows that are taken, in their order, from values of all rows."""
        return self._apply_swaps(values, self._swaps)[: self.rank]

    def scatter_rows(self, values: Sequence[Any]) -> list[Any]:
        """Return values of all rows from those of the rows that are taken: zero for those left out."""
        return self._apply_swaps([*values, *[0] * (len(self.L) - self.rank)], self._swaps[::-1])

    def _apply_swaps(self, values: Sequence[Any], swaps: Sequence[tuple[int, int, Any, Any]]) -> list[Any]:
        y = list(values)
        for j, i, p, q in swaps:
            if not (is_zero(y[i]) and is_zero(y[j])):
                y[j], y[i] = f.choose(p, q, y[i], y[j]), f.choose(p, q, y[j], y[i])
        return y


def _largest_diagonal(A: Sparse, rows: Sequence[int]) -> Any:
    largest: Any = 0
    for i in rows:
        largest = A[i].get(i, 0) if i == rows[0] else f.maximum(largest, A[i].get(i, 0))
    return largest


def sparse(A: Sequence[Sequence[Any]]) -> Sparse:
    """Return the entries of a matrix that are not zero by structure."""
    return [{j: x for j, x in enumerate(row) if not is_zero(x)} for row in A]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def sparse_dot(a: Mapping[int, Any], b: Mapping[int, Any] | Sequence[Any]) -> Any:
    """Return the inner product of a sparse row and a sparse or dense one, in the order of the first."""
    total: Any = 0
    whole = not isinstance(b, Mapping)
    for k, x in a.items():
        if (whole or k in b) and not is_zero(y := b[k]):
            total = total + x * y
    return total
