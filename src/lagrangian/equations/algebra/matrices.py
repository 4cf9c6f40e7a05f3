"""Linear algebra over the ring, without fractions: determinants, adjugates, and elimination.

Determinants are expanded without division. Elimination finds which columns of polynomials depend on others, and how. Columns are
taken one at a time: one that those before it do not span is kept, and any other is written as a combination of the kept ones.
Rows are multiplied through instead of divided, and what all their entries have in common is taken out, so that every step stays
in the ring and "is it zero" stays exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flint import fmpq_mpoly_ctx

from lagrangian.equations.algebra.ring import Polynomial, Ring, RingElement

Matrix = Sequence[Sequence[RingElement]]
SparseRow = dict[Any, Polynomial]  # by row number; a key that is a text is a column's name, and its entry that column's factor


def determinant(ring: Ring, A: Matrix) -> RingElement:
    return Minors(ring, A).minor(0, tuple(range(len(A))))


def adjugate(ring: Ring, A: Matrix) -> tuple[list[list[RingElement]], RingElement]:
    """(adj A, det A): A^-1 = adj A / det A."""
    n = len(A)
    columns = tuple(range(n))
    adjoint = [[ring.zero] * n for _ in range(n)]
    for i in range(n):
        minors = Minors(ring, [row for r, row in enumerate(A) if r != i])
        for j in range(n):
            cofactor = minors.minor(0, columns[:j] + columns[j + 1 :])
            adjoint[j][i] = cofactor if (i + j) % 2 == 0 else -cofactor
    total: Any = ring.zero
    for j in range(n):
        total = total + A[0][j] * adjoint[j][0]
    return adjoint, ring(total)


class Minors:
    """Determinants of the last rows of a matrix over any choice of columns, each computed once (Laplace's expansion)."""

    def __init__(self, ring: Ring, rows: Matrix) -> None:
        self.ring, self.rows = ring, rows
        self._cache: dict[tuple[int, tuple[int, ...]], RingElement] = {}

    def minor(self, first_row: int, columns: tuple[int, ...]) -> RingElement:
        if not columns:
            return self.ring.one
        key = (first_row, columns)
        if key not in self._cache:
            total, sign = self.ring.zero, 1
            for k, column in enumerate(columns):
                entry = self.rows[first_row][column]
                if entry.poly:
                    total = total + sign * (entry * self.minor(first_row + 1, columns[:k] + columns[k + 1 :]))
                sign = -sign
            self._cache[key] = total
        return self._cache[key]


def matrix_product(ring: Ring, A: Matrix, B: Matrix) -> list[list[RingElement]]:
    columns = list(zip(*B, strict=True))
    return [[inner(ring, row, column) for column in columns] for row in A]


def inner(ring: Ring, a: Sequence[RingElement], b: Sequence[RingElement]) -> RingElement:
    total: Any = ring.zero
    for x, y in zip(a, b, strict=True):
        if x.poly and y.poly:
            total = total + x * y
    return ring(total)


def transpose(A: Matrix) -> list[list[RingElement]]:
    return [list(column) for column in zip(*A, strict=True)]


class Elimination:
    """Gaussian elimination of sparse columns `{row number: polynomial}`, one at a time."""

    def __init__(self, ring: Subring) -> None:
        self.ring = ring
        self._pivots: list[tuple[Any, SparseRow]] = []

    def add_column(self, name: str, column: Mapping[Any, Polynomial]) -> tuple[dict[str, Polynomial], Polynomial] | None:
        """Add a column: None if it is independent of the kept ones, and is kept itself.

        Otherwise ({kept column: numerator}, denominator), the combination of kept columns that it is.
        """
        row: SparseRow = {**column, name: self.ring.one}
        for key, pivot in self._pivots:
            if key in row:
                row = self._eliminate(key, row, pivot)
        entries = [key for key in row if not isinstance(key, str)]
        if entries:
            # the simplest entry as a pivot: best of all a number, by which nothing has to be multiplied
            key = min(entries, key=lambda k: (len(row[k]), row[k].total_degree(), k))
            self._pivots.append((key, self._divide(row, self.ring.one * row[key].leading_coefficient())))
            return None
        lead = row[name].leading_coefficient()
        denominator = row.pop(name) / lead
        return {independent: -x / lead for independent, x in row.items()}, denominator

    def _eliminate(self, key: Any, row: SparseRow, pivot: SparseRow) -> SparseRow:
        """The row times a factor, less the pivot's times another, so that the key's entry goes."""
        factor, pivot_factor = lowest_terms(pivot[key], row[key])
        is_unit = factor.is_one()
        eliminated: SparseRow = dict(row) if is_unit else {k: self.ring.product(x, factor) for k, x in row.items()}
        for k, x in pivot.items():
            entry = eliminated.get(k, self.ring.zero) - self.ring.product(x, pivot_factor)
            if self.ring.is_zero(entry):
                eliminated.pop(k, None)
            else:
                eliminated[k] = entry
        return eliminated if is_unit else self._divide(eliminated, self._common_divisor(eliminated))

    def _common_divisor(self, row: SparseRow) -> Polynomial:
        """The greatest common divisor of all entries."""
        common = self.ring.zero
        for x in sorted(row.values(), key=len):
            common = common.gcd(x)
            if common.is_one():
                break
        return common

    def _divide(self, row: SparseRow, divisor: Polynomial) -> SparseRow:
        return row if divisor.is_one() else {k: x / divisor for k, x in row.items()}


class Subring:
    """The subring that some generators of a ring make up, as a ring of its own, whose monomials are shorter."""

    def __init__(self, ring: Ring, generator_indices: Iterable[int]) -> None:
        self.ring = ring
        self.generator_indices = sorted(generator_indices)
        # as the ring calls them, in its order
        self.context = fmpq_mpoly_ctx.get([f"x{k}" for k in self.generator_indices], "lex")
        self.one, self.zero = self.context.constant(1), self.context.constant(0)
        self._squares = []
        for place, k in enumerate(self.generator_indices):
            g = RingElement(ring, ring.generators[k])
            if (g * g).poly != g.poly**2:
                self._squares.append((place, self.from_ring(g.poly**2 - (g * g).poly)))
        # an inverse has no such simple rule: the ring is asked
        self._has_inverses = any(ring.symbols[k].kind == "inverse" for k in self.generator_indices)

    def from_ring(self, p: Polynomial) -> Polynomial:
        return p.project_to_context(self.context)

    def to_ring(self, p: Polynomial) -> Polynomial:
        """The polynomial `p` as one of the ring."""
        return p.project_to_context(self.ring.context)

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product in normal form."""
        self.ring.check_deadline()
        p = a * b
        if self._has_inverses:
            return self.from_ring(self.ring.reduce(self.to_ring(p)))
        if self._squares:
            degrees = p.degrees()
            for place, relation in self._squares:
                if degrees[place] > 1:
                    p = divmod(p, relation)[1]
        return p

    def is_zero(self, p: Polynomial) -> bool:
        return self.ring.is_zero(self.to_ring(p)) if self._has_inverses else bool(p.is_zero())


def lowest_terms(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return the fraction a / b in lowest terms, as its numerator and denominator."""
    if a.is_one():
        return a, b
    common = a.gcd(b)
    return (a, b) if common.is_one() else (a / common, b / common)
