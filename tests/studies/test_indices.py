"""Indices against those that are known: Ishigami's function, Sobol's g-function, SciPy's rank correlation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import lagrangian as lg
from lagrangian.studies.indices import rank_correlations, sobol_indices
from tests.studies.models import g_function, g_indices, ishigami, ishigami_indices


@pytest.mark.parametrize(
    ("function", "over", "exact"),
    [
        (ishigami, {f"x{k}": lg.distributions.uniform(-math.pi, math.pi) for k in (1, 2, 3)}, ishigami_indices()),
        (g_function, {f"x{k}": lg.distributions.uniform(0, 1) for k in range(4)}, g_indices()),
    ],
    ids=["Ishigami", "Sobol's g"],
)
def test_sobols_indices(function: Any, over: dict[str, Any], exact: tuple[list[float], list[float]], tmp_path: Path) -> None:
    study = lg.study(None, over, function, method="saltelli", samples=4096, folder=tmp_path / "s", workers=1)
    indices = study.indices(study.outputs[0])
    assert indices.kind == "sobol"
    assert indices.first == pytest.approx(exact[0], abs=0.02)
    assert indices.total == pytest.approx(exact[1], abs=0.02)
    for values, interval in ((exact[0], indices.first_interval), (exact[1], indices.total_interval)):
        # low discrepancy makes estimates better than the bootstrap believes
        assert (interval[:, 0] <= values).all()
        assert (values <= interval[:, 1]).all()


def test_intervals_of_independent_groups_hold_what_they_promise() -> None:
    """Of 200 estimates from plain random numbers, about 95 % have the truth in their intervals."""
    rng = np.random.default_rng(0)
    inside = 0
    for k in range(200):
        a, b = rng.random((2, 128, 2))
        columns = [a, b, np.column_stack([b[:, 0], a[:, 1]]), np.column_stack([a[:, 0], b[:, 1]])]
        values = np.column_stack([2 * x[:, 0] + x[:, 1] for x in columns])  # of the variance 4/5 and 1/5
        actual = sobol_indices("y", ("x1", "x2"), values, seed=k)
        inside += bool(actual.total_interval[0, 0] <= 0.8 <= actual.total_interval[0, 1])
    assert 175 <= inside <= 200


def test_groups_with_a_failure_are_left_out() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(64, 4))
    holes = values.copy()
    holes[5, 2] = np.nan
    whole, partly = sobol_indices("y", ("a", "b"), np.delete(values, 5, axis=0)), sobol_indices("y", ("a", "b"), holes)
    assert np.array_equal(whole.first, partly.first)
    assert partly.samples == 63 * 4


def test_rank_correlations_are_scipys() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 3))
    y = np.exp(x[:, 0]) - 0.5 * x[:, 1] + 0.2 * rng.normal(size=300)
    y[7] = np.nan
    good = np.isfinite(y)
    actual = rank_correlations("y", ("a", "b", "c"), x, y)
    for k in range(3):
        assert actual.first[k] == pytest.approx(stats.spearmanr(x[good, k], y[good]).statistic, abs=1e-12)
        assert actual.first_interval[k, 0] < actual.first[k] < actual.first_interval[k, 1]


def test_few_results_have_no_indices() -> None:
    assert np.isnan(rank_correlations("y", ("a",), np.zeros((3, 1)), np.zeros(3)).first).all()
    assert np.isnan(sobol_indices("y", ("a",), np.full((3, 3), np.nan)).first).all()
