"""The order in which a sparse symmetric system is eliminated, from its structure alone (George and Liu 1981, chapters 4 and 5).

A structure is, for every unknown, the set of others that it shares an equation with. Eliminating one joins all that are left of
those it shares with: what is joined then and was not before is fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SparsityGraph = list[set[int]]


def low_fill_order(shares: SparsityGraph) -> list[int]:
    """Return the given order, unless that of minimum degree has clearly less fill."""
    original, reordered = list(range(len(shares))), minimum_degree(shares)
    position = {k: place for place, k in enumerate(reordered)}
    permuted = [{position[j] for j in shares[k]} for k in reordered]
    return reordered if 1.2 * _operations(permuted) < _operations(shares) else original


def minimum_degree(shares: SparsityGraph) -> list[int]:
    """Return an order in which the next unknown always shares with the fewest that remain; the first of several such."""
    remaining = {k: set(x) for k, x in enumerate(shares)}
    order = []
    while remaining:
        k = min(remaining, key=lambda i: (len(remaining[i]), i))
        neighbours = remaining.pop(k)
        for j in neighbours:
            remaining[j] |= neighbours
            remaining[j] -= {j, k}
        order.append(k)
    return order


def fill_in(shares: SparsityGraph) -> SparsityGraph:
    """Return the structure after all unknowns were eliminated in their order."""
    neighbours = [set(x) for x in shares]
    for k, x in enumerate(neighbours):
        later = {j for j in x if j > k}
        for j in later:
            neighbours[j] |= later - {j}
    return neighbours


def sparsity_graph(A: Sequence[Iterable[int]], groups: Sequence[Sequence[int]]) -> SparsityGraph:
    """Return which groups of rows share an entry that is not zero; `A` has the columns of every row's entries."""
    group = {i: g for g, rows in enumerate(groups) for i in rows}
    return [{group[j] for i in rows for j in A[i]} - {g} for g, rows in enumerate(groups)]


def connected_rows(A: Sequence[Mapping[int, Any]]) -> list[list[int]]:
    """Return blocks of rows, in order: two rows belong together if an entry between them is not zero by structure."""
    remaining, blocks = set(range(len(A))), []
    for first in range(len(A)):
        block, stack = set(), [first]
        while stack:
            i = stack.pop()
            if i in remaining:
                remaining.discard(i)
                block.add(i)
                stack += A[i]
        if block:
            blocks.append(sorted(block))
    return blocks


def _operations(shares: SparsityGraph) -> int:
    return sum(sum(j > k for j in x) ** 2 for k, x in enumerate(fill_in(shares)))
