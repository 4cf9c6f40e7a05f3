"""The recursions cost the same for every further link: O(N), counted in operations of the code that is compiled."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.sweep import Algorithm
from lagrangian.kernels.programs import sweeps
from tests.mechanisms import random_mechanism


@pytest.mark.parametrize("algorithm", [INVERSE_DYNAMICS, FORWARD_DYNAMICS], ids=lambda a: a.name)
def test_row_14_operations_grow_linearly(algorithm: Algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "MAX_FACTORISED_SPEEDS", 0)  # articulated bodies, for short chains too
    counts = []
    for links in (10, 20, 30, 40):
        chain = trees.build_tree(random_mechanism(["revolute"] * links, 1, chain=True))
        counts.append(sweeps.trace_unrolled(algorithm, sweeps.TreeProgram(algorithm, chain).structure).operations)
    first, *others = [b - a for a, b in pairwise(counts)]
    assert all(abs(more - first) <= 0.01 * first for more in others), counts
    assert counts[0] > 10
