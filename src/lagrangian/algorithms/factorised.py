"""Forward dynamics through the mass matrix: qdd = M \\ (tau - bias).

M is factorised as L^T D L, which keeps the zeros a branched tree puts into it (Featherstone 2005; 2008, section 6.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.algorithms.link import KINDS, inverse
from lagrangian.algorithms.tree import Tree


def ancestors(tree: Tree) -> tuple[list[int], list[int]]:
    """For each speed the one before it towards the ground, or -1; and an order with parents first."""
    before = [-1] * tree.nv
    order: list[int] = []
    last: list[int] = []  # the last speed at or above a link
    for i, parent in enumerate(tree.parent):
        at = last[parent] if parent >= 0 else -1
        for k in range(KINDS[tree.kind[i]][1]):
            before[tree.iv[i] + k] = at
            at = tree.iv[i] + k
            order.append(at)
        last.append(at)
    return before, order


def solve(tree: Tree, M: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    """x with M x = right, M flat and row-major."""
    n = tree.nv
    before, order = ancestors(tree)
    H = {(i, j): M[i * n + j] for i in range(n) for j in range(n)}
    y = list(right)
    pivots: list[Any] = [None] * n
    for k in reversed(order):
        pivots[k] = inverse(H[k, k])
        i = before[k]
        while i >= 0:
            a = H[k, i] * pivots[k]
            j = i
            while j >= 0:
                H[i, j] = H[i, j] - a * H[k, j]
                j = before[j]
            y[i] = y[i] - a * y[k]
            H[k, i] = a
            i = before[i]
    for k in order:
        y[k] = y[k] * pivots[k]
        i = before[k]
        while i >= 0:
            y[k] = y[k] - H[k, i] * y[i]
            i = before[i]
    return y
