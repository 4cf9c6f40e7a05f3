"""Sums of squares: x^2 - 2 x y + y^2 is written (x - y)^2."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lagrangian.equations.writing.horner import Polynomial
from lagrangian.equations.writing.tree import Name, Tree, add, power, product


def squares(polynomial: Polynomial, names: Sequence[str]) -> list[Tree]:
    """The polynomial as a sum of squares of names and of differences or sums of two, if it is one and has such a difference."""
    if any(sum(e for _, e in m) != 2 for m in polynomial):
        return []
    left = {m[0][0]: c for m, c in polynomial.items() if len(m) == 1}
    terms = []
    for monomial, c in polynomial.items():
        if len(monomial) == 2:
            (i, _), (j, _) = monomial
            half = abs(c) / 2
            size = left.get(i, Fraction(0))
            if left.get(j) != size or abs(size) != half:
                return []
            del left[i], left[j]
            second = product([Name(names[j])], Fraction(1 if c * size > 0 else -1))
            terms.append(product([power(add([Name(names[i]), second]), 2)], size))
    if not terms:
        return []
    return [add([*terms, *(product([power(Name(names[k]), 2)], c) for k, c in left.items())])]
