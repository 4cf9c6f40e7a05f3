"""Which columns of polynomials depend on others, and how: elimination without fractions.

Columns are taken one at a time. One that the columns before it do not span is kept; of any other is found how the kept ones make
it up. Rows are multiplied through instead of divided, and what all their entries have in common is taken out, so that every
step stays in the ring and "is it zero" stays exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flint import fmpq_mpoly_ctx

from lagrangian.equations.algebra.ring import Element, Polynomial, Ring

Row = dict[Any, Polynomial]  # by key; a key that is a text is a column's own name, and its entry how often it was taken


class Subring:
    """The part of a ring that some of its generators make up, as a ring of its own: its monomials are short."""

    def __init__(self, ring: Ring, numbers: Iterable[int]) -> None:
        self.ring = ring
        self.numbers = sorted(numbers)
        self.context = fmpq_mpoly_ctx.get([f"x{k}" for k in self.numbers], "lex")  # as the ring calls them, in its order
        self.one, self.zero = self.context.constant(1), self.context.constant(0)
        self._squares = []
        for place, k in enumerate(self.numbers):
            g = Element(ring, ring.generators[k])
            if (g * g).poly != g.poly**2:
                self._squares.append((place, self.inside(g.poly**2 - (g * g).poly)))
        # an inverse has no such simple rule: the ring is asked
        self._ask = any(ring.symbols[k].kind == "inverse" for k in self.numbers)

    def inside(self, p: Polynomial) -> Polynomial:
        return p.project_to_context(self.context)

    def outside(self, p: Polynomial) -> Polynomial:
        """As a polynomial of the ring."""
        return p.project_to_context(self.ring.context)

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """In normal form."""
        self.ring.check_deadline()
        p = a * b
        if self._ask:
            return self.inside(self.ring.reduce(self.outside(p)))
        if self._squares:
            degrees = p.degrees()
            for place, relation in self._squares:
                if degrees[place] > 1:
                    p = divmod(p, relation)[1]
        return p

    def is_zero(self, p: Polynomial) -> bool:
        return self.ring.is_zero(self.outside(p)) if self._ask else bool(p.is_zero())


class Elimination:
    """Of columns `{key: polynomial}`, sparse; keys are numbers."""

    def __init__(self, ring: Subring) -> None:
        self.ring = ring
        self._pivots: list[tuple[Any, Row]] = []

    def take(self, name: str, column: Mapping[Any, Polynomial]) -> tuple[dict[str, Polynomial], Polynomial] | None:
        """None if the column is independent of those taken before.

        Otherwise ({kept column: numerator}, denominator): what it is the sum of.
        """
        row: Row = {**column, name: self.ring.one}
        for key, pivot in self._pivots:
            if key in row:
                row = self._without(key, row, pivot)
        entries = [key for key in row if not isinstance(key, str)]
        if entries:
            # the simplest entry as a pivot: best of all a number, by which nothing has to be multiplied
            key = min(entries, key=lambda k: (len(row[k]), row[k].total_degree(), k))
            self._pivots.append((key, self._divided(row, self.ring.one * row[key].leading_coefficient())))
            return None
        lead = row[name].leading_coefficient()
        denominator = row.pop(name) / lead
        return {kept: -x / lead for kept, x in row.items()}, denominator

    def _without(self, key: Any, row: Row, pivot: Row) -> Row:
        """The row times a factor, less the pivot's times another, so that the key's entry goes."""
        factor, less = reduced(pivot[key], row[key])
        plain = factor.is_one()
        made: Row = dict(row) if plain else {k: self.ring.product(x, factor) for k, x in row.items()}
        for k, x in pivot.items():
            entry = made.get(k, self.ring.zero) - self.ring.product(x, less)
            if self.ring.is_zero(entry):
                made.pop(k, None)
            else:
                made[k] = entry
        return made if plain else self._divided(made, self._common(made))

    def _common(self, row: Row) -> Polynomial:
        """What all entries can be divided by."""
        common = self.ring.zero
        for x in sorted(row.values(), key=len):
            common = common.gcd(x)
            if common.is_one():
                break
        return common

    def _divided(self, row: Row, by: Polynomial) -> Row:
        return row if by.is_one() else {k: x / by for k, x in row.items()}


def reduced(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """A fraction a / b in lowest terms."""
    if a.is_one():
        return a, b
    common = a.gcd(b)
    return (a, b) if common.is_one() else (a / common, b / common)
