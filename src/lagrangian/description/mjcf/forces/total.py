"""Sums of as many terms as a file has."""

from __future__ import annotations

from collections.abc import Iterable

from lagrangian.model.expression import Scalar


def pairwise_sum(terms: Iterable[Scalar]) -> Scalar:
    """In pairs: a sum of hundreds, one after the other, would be nested as deeply, and Python gives up on that."""
    partial_sums = list(terms)
    while len(partial_sums) > 1:
        partial_sums = [sum(partial_sums[k : k + 2]) for k in range(0, len(partial_sums), 2)]
    return partial_sums[0] if partial_sums else 0
