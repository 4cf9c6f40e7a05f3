"""Symmetric positive semidefinite systems in straight-line code: rows that depend on others are left out by selects.

The matrix is A = Psi M^-1 Psi^T, whose rank falls where constraints are redundant, or become so at a singular configuration. A
row is left out when what remains of its diagonal, once the rows before it are taken off, is a small part of it, or when its
diagonal is below `least` to begin with: it is then what rounding left of a row of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms.link import inverse, is_zero
from lagrangian.model.expression import functions as f

Matrix = list[list[Any]]
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


def _largest(A: Matrix) -> Any:
    largest: Any = 0
    for i in range(len(A)):
        largest = A[i][i] if i == 0 else f.maximum(largest, A[i][i])
    return largest


def inner(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


class InOrder:
    """A = L D L^T in the order given, which keeps the zeros of chains of loops."""

    def __init__(self, A: Matrix, threshold: float = INDEPENDENT, least: Sequence[Any] | None = None) -> None:
        n = len(A)
        least = [0.0] * n if least is None else least
        self._L: Matrix = [[0] * n for _ in range(n)]
        self._inverse: list[Any] = []
        largest = _largest(A)
        self.ratio: Any = largest if n else 1.0  # the smallest diagonal that remained, as a part of the largest there was
        L = self._L
        d: list[Any] = []
        for j in range(n):
            scaled = [L[j][k] * d[k] for k in range(j)]
            d.append(A[j][j] - inner(scaled, L[j][:j]))
            self.ratio = f.minimum(self.ratio, f.choose(A[j][j], least[j], largest, d[j]))
            self._inverse.append(f.choose(d[j], threshold * largest + least[j], 0.0, 1 / d[j]))
            for i in range(j + 1, n):
                rest = A[i][j] - inner(L[i][:j], scaled)
                L[i][j] = 0 if is_zero(rest) else rest * self._inverse[j]
        if n:
            self.ratio = f.choose(0.0, largest, self.ratio / largest, 1.0)  # where all is held nothing is singular

    def solve(self, b: Sequence[Any]) -> list[Any]:
        n, L = len(b), self._L
        y = list(b)
        for i in range(n):
            y[i] = y[i] - inner(L[i][:i], y[:i])
        y = [a * inverse for a, inverse in zip(y, self._inverse, strict=True)]
        for i in reversed(range(n)):
            y[i] = y[i] - inner([L[k][i] for k in range(i + 1, n)], y[i + 1 :])
        return y


class Pivoted:
    """A large remaining diagonal first, found by selects; rows scaled to a unit diagonal, whatever their units."""

    def __init__(
        self, A: Matrix, threshold: float = REDUNDANT, least: Sequence[Any] | None = None, rank: int | None = None
    ) -> None:
        """`rank`, where it is known, is how many rows are taken at most: off the constraints the others only seem independent."""
        n = len(A)
        # off the constraints dependent rows differ: there a choice that changes is a jump of the accelerations
        self._clearly = 1.0 if rank is None else CLEARLY
        rank = n if rank is None else min(rank, n)
        least = [0.0] * n if least is None else least
        # a row that vanishes is not made large: it is dependent
        floor = SMALLEST * _largest(A)
        self._scale = [f.choose(A[i][i], least[i], 0.0, inverse(f.sqrt(f.maximum(A[i][i], floor)))) for i in range(n)]
        W = [[A[i][j] * (self._scale[i] * self._scale[j]) for j in range(n)] for i in range(n)]
        self._L: Matrix = [[0] * n for _ in range(n)]
        self._swaps: list[tuple[int, int, Any, Any]] = []
        self._inverse: list[Any] = []
        self.ratio: Any = 1.0
        L = self._L
        for j in range(rank):
            for i in range(j + 1, n):
                self._swap(W, j, i)
            pivot = W[j][j]
            # what is left out is not close to singular but dependent: the least pivot that is used counts
            self.ratio = f.minimum(self.ratio, f.choose(pivot, threshold, 1.0, pivot))
            self._inverse.append(f.choose(pivot, threshold, 0.0, inverse(pivot)))
            for i in range(j + 1, n):
                L[i][j] = W[i][j] * self._inverse[j]
            for i in range(j + 1, n):
                for k in range(j + 1, i + 1):
                    W[i][k] = W[k][i] = W[i][k] - L[i][j] * W[k][j]
        self._inverse += [0] * (n - rank)

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
            self._L[j][k], self._L[i][k] = either(self._L[j][k], self._L[i][k])

    def solve(self, b: Sequence[Any]) -> list[Any]:
        n, L = len(b), self._L
        y = [x * s for x, s in zip(b, self._scale, strict=True)]
        for j, i, p, q in self._swaps:
            y[j], y[i] = f.choose(p, q, y[i], y[j]), f.choose(p, q, y[j], y[i])
        for i in range(n):
            y[i] = y[i] - inner(L[i][:i], y[:i])
        y = [a * inverse for a, inverse in zip(y, self._inverse, strict=True)]
        for i in reversed(range(n)):
            y[i] = y[i] - inner([L[k][i] for k in range(i + 1, n)], y[i + 1 :])
        for j, i, p, q in reversed(self._swaps):
            y[j], y[i] = f.choose(p, q, y[i], y[j]), f.choose(p, q, y[j], y[i])
        return [x * s for x, s in zip(y, self._scale, strict=True)]


class Blocks:
    """Rows that share nothing are solved apart. Where they may be redundant, by pivoting, up to `PIVOTED` that belong together:
    the code for it grows with their cube, and more are taken in order.
    """

    def __init__(self, A: Matrix, redundant: bool, least: Sequence[Any], rank: Rank | None = None) -> None:
        """`rank` gives that of some of the rows, by their numbers, if it is known."""
        self._parts: list[tuple[list[int], InOrder | Pivoted]] = []
        self.ratio: Any = 1.0
        for block in _connected(A):
            part = [[A[i][j] for j in block] for i in block]
            rest = [least[i] for i in block]
            system: InOrder | Pivoted
            if redundant and len(block) <= PIVOTED:
                system = Pivoted(part, least=rest, rank=None if rank is None else rank(block))
            else:
                system = InOrder(part, REDUNDANT if redundant else INDEPENDENT, rest)
            self._parts.append((block, system))
            self.ratio = f.minimum(self.ratio, system.ratio)

    def solve(self, b: Sequence[Any]) -> list[Any]:
        x: list[Any] = [0] * len(b)
        for block, system in self._parts:
            for i, value in zip(block, system.solve([b[i] for i in block]), strict=True):
                x[i] = value
        return x


def _connected(A: Matrix) -> list[list[int]]:
    """Rows by what they share, in order: two belong together if an entry between them is not zero by structure."""
    left, blocks = set(range(len(A))), []
    while left:
        block, stack = set(), [min(left)]
        while stack:
            i = stack.pop()
            if i in left:
                left.discard(i)
                block.add(i)
                stack += [j for j in left if not is_zero(A[i][j])]
        blocks.append(sorted(block))
    return blocks
