"""Determinants and adjugates over the ring, without division."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.equations.algebra.ring import Element, Ring

Matrix = Sequence[Sequence[Element]]


class Minors:
    """Determinants of the last rows of a matrix over any choice of columns, each computed once (Laplace's expansion)."""

    def __init__(self, ring: Ring, rows: Matrix) -> None:
        self.ring, self.rows = ring, rows
        self._known: dict[tuple[int, tuple[int, ...]], Element] = {}

    def of(self, first: int, columns: tuple[int, ...]) -> Element:
        if not columns:
            return self.ring.one
        key = (first, columns)
        if key not in self._known:
            total, sign = self.ring.zero, 1
            for k, column in enumerate(columns):
                entry = self.rows[first][column]
                if entry.poly:
                    total = total + sign * (entry * self.of(first + 1, columns[:k] + columns[k + 1 :]))
                sign = -sign
            self._known[key] = total
        return self._known[key]


def determinant(ring: Ring, A: Matrix) -> Element:
    return Minors(ring, A).of(0, tuple(range(len(A))))


def adjugate(ring: Ring, A: Matrix) -> tuple[list[list[Element]], Element]:
    """(adj A, det A): A^-1 = adj A / det A."""
    n = len(A)
    columns = tuple(range(n))
    adjoint = [[ring.zero] * n for _ in range(n)]
    for i in range(n):
        minors = Minors(ring, [row for r, row in enumerate(A) if r != i])
        for j in range(n):
            cofactor = minors.of(0, columns[:j] + columns[j + 1 :])
            adjoint[j][i] = cofactor if (i + j) % 2 == 0 else -cofactor
    total: Any = ring.zero
    for j in range(n):
        total = total + A[0][j] * adjoint[j][0]
    return adjoint, ring(total)


def product(ring: Ring, A: Matrix, B: Matrix) -> list[list[Element]]:
    columns = list(zip(*B, strict=True))
    return [[inner(ring, row, column) for column in columns] for row in A]


def inner(ring: Ring, a: Sequence[Element], b: Sequence[Element]) -> Element:
    total: Any = ring.zero
    for x, y in zip(a, b, strict=True):
        if x.poly and y.poly:
            total = total + x * y
    return ring(total)


def transpose(A: Matrix) -> list[list[Element]]:
    return [list(column) for column in zip(*A, strict=True)]
