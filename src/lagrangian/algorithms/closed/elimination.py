"""In which order a sparse symmetric system is eliminated, by its structure alone (George and Liu 1981, chapters 4 and 5).

A structure is, for every unknown, the set of others that it shares an equation with. Eliminating one joins all that are left of
those it shares with: what is joined then and was not before is fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Structure = list[set[int]]


def structure(A: Sequence[Iterable[int]], groups: Sequence[Sequence[int]]) -> Structure:
    """Of groups of rows: which share an entry that is not zero; `A` has the columns of every row's entries."""
    group = {i: g for g, rows in enumerate(groups) for i in rows}
    return [{group[j] for i in rows for j in A[i]} - {g} for g, rows in enumerate(groups)]


def filled(shares: Structure) -> Structure:
    """The structure when all were eliminated in their order."""
    found = [set(x) for x in shares]
    for k, x in enumerate(found):
        later = {j for j in x if j > k}
        for j in later:
            found[j] |= later - {j}
    return found


def minimum_degree(shares: Structure) -> list[int]:
    """An order in which the next is always one that shares with the fewest that are left; the first of several such."""
    left = {k: set(x) for k, x in enumerate(shares)}
    order = []
    while left:
        k = min(left, key=lambda i: (len(left[i]), i))
        joined = left.pop(k)
        for j in joined:
            left[j] |= joined
            left[j] -= {j, k}
        order.append(k)
    return order


def order(shares: Structure) -> list[int]:
    """The order given, unless another one has clearly less fill."""
    given, other = list(range(len(shares))), minimum_degree(shares)
    at = {k: place for place, k in enumerate(other)}
    moved = [{at[j] for j in shares[k]} for k in other]
    return other if 1.2 * _operations(moved) < _operations(shares) else given


def _operations(shares: Structure) -> int:
    return sum(sum(j > k for j in x) ** 2 for k, x in enumerate(filled(shares)))


def connected(A: Sequence[Mapping[int, Any]]) -> list[list[int]]:
    """Rows by what they share, in order: two belong together if an entry between them is not zero by structure."""
    left, blocks = set(range(len(A))), []
    for first in range(len(A)):
        block, stack = set(), [first]
        while stack:
            i = stack.pop()
            if i in left:
                left.discard(i)
                block.add(i)
                stack += A[i]
        if block:
            blocks.append(sorted(block))
    return blocks
