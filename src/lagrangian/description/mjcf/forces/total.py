"""Sums of as many terms as a file has."""

from __future__ import annotations

from collections.abc import Iterable

from lagrangian.model.expression import Scalar


def total(terms: Iterable[Scalar]) -> Scalar:
    """In pairs: a sum of hundreds, one after the other, would be nested as deeply, and Python gives up on that."""
    left = list(terms)
    while len(left) > 1:
        left = [sum(left[k : k + 2]) for k in range(0, len(left), 2)]
    return left[0] if left else 0
