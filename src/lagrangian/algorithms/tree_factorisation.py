"""The mass matrix factorised as L^T D L, which keeps the zeros of a branched tree (Featherstone 2005; 2008, section 6.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lagrangian.algorithms.link import inverse, is_zero
from lagrangian.algorithms.tree import Tree


def parent_speeds(tree: Tree) -> tuple[list[int], list[int]]:
    """Return for each speed the previous one towards the ground, or -1, and an order with parents first."""
    parents = [-1] * tree.nv
    order: list[int] = []
    last: list[int] = []  # the last speed at or above a link
    for i, parent in enumerate(tree.parent):
        parent_speed = last[parent] if parent >= 0 else -1
        for k in range(tree.kind[i].nv):
            parents[tree.iv[i] + k] = parent_speed
            parent_speed = tree.iv[i] + k
            order.append(parent_speed)
        last.append(parent_speed)
    return parents, order


class TreeLDL:
    """M = L^T D L, from M flat and row-major; a `full` M may have entries where those of a tree are zero.

    A locked speed, with the value 1 in `locked`, is not eliminated: its 1/D is zero. So x is zero there, whatever the right side
    is, and the others follow from the equations without it.
    """

    def __init__(self, tree: Tree, M: Sequence[Any], full: bool = False, locked: Mapping[int, Any] | None = None) -> None:
        n = tree.nv
        self._locked = locked or {}
        self._locked_rows: dict[int, dict[int, Any]] = {}  # for a speed that may be locked: the rest of its row
        self._parents, self._order = (list(range(-1, n - 1)), list(range(n))) if full else parent_speeds(tree)
        self._place = {k: place for place, k in enumerate(self._order)}
        H = {(k, i): M[k * n + i] for k in range(n) for i in (k, *self._ancestors(k))}
        self.inverse_pivots: list[Any] = [None] * n  # the diagonal of D^-1
        self.unlocked_pivots = list(self.inverse_pivots)  # the same if no speed is locked
        for k in reversed(self._order):
            self.inverse_pivots[k] = self.unlocked_pivots[k] = inverse(H[k, k])
            if k in self._locked:
                self.inverse_pivots[k] = self.inverse_pivots[k] * (1 - self._locked[k])
                self._locked_rows[k] = {i: H[k, i] for i in self._ancestors(k)}
            i = self._parents[k]
            while i >= 0:
                a = H[k, i] * self.inverse_pivots[k]
                j = i
                while j >= 0:
                    H[i, j] = H[i, j] - a * H[k, j]
                    j = self._parents[j]
                H[k, i] = a
                i = self._parents[i]
        self._L = H

    def _ancestors(self, k: int) -> list[int]:
        chain, i = [], self._parents[k]
        while i >= 0:
            chain.append(i)
            i = self._parents[i]
        return chain

    def locking_torques(self, y: Sequence[Any], x: Sequence[Any]) -> list[Any]:
        """Return what must be added to the right side so that locked speeds stay locked; y = L^-T right."""
        torques: list[Any] = [0] * len(x)
        for k, row in self._locked_rows.items():
            torque = -y[k]
            for i, entry in row.items():
                if not (is_zero(entry) or is_zero(x[i])):
                    torque = torque + entry * x[i]
            torques[k] = self._locked[k] * torque
        return torques

    def solve_transposed(self, right: Sequence[Any]) -> list[Any]:
        """Return y with L^T y = right: from the tips to the ground."""
        y = list(right)
        for k in reversed(self._order):
            i = self._parents[k]
            while i >= 0:
                y[i] = y[i] - self._L[k, i] * y[k]
                i = self._parents[i]
        return y

    def solve_transposed_sparse(self, right: Mapping[int, Any]) -> dict[int, Any]:
        """Return the nonzero entries of y with L^T y = right, in order, for a right side that is zero but for some speeds."""
        path_speeds = {i for k in right for i in (k, *self._ancestors(k))}
        y: dict[int, Any] = {k: right.get(k, 0) for k in path_speeds}
        for k in sorted(path_speeds, key=self._place.__getitem__, reverse=True):
            for i in self._ancestors(k):
                y[i] = y[i] - self._L[k, i] * y[k]
        return {k: z for k, z in sorted(y.items()) if not is_zero(z)}

    def back_substitute(self, y: Sequence[Any]) -> list[Any]:
        """Return x with D L x = y: from the ground to the tips."""
        x = [a * pivot for a, pivot in zip(y, self.inverse_pivots, strict=True)]
        for k in self._order:
            i = self._parents[k]
            while i >= 0:
                x[k] = x[k] - self._L[k, i] * x[i]
                i = self._parents[i]
        return x

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """Return x with M x = right."""
        return self.back_substitute(self.solve_transposed(right))
