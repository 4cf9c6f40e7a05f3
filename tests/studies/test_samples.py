"""Samples by their index: those of SciPy and NumPy, and the same in whatever pieces they are made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import qmc

import lagrangian as lg
from lagrangian.studies.distributions import as_varied_input
from lagrangian.studies.sampling import METHODS, SamplingDesign, permute

UNIT = lg.distributions.uniform(0.0, 1.0)


def all_of(design: SamplingDesign) -> np.ndarray:
    return design.values(0, design.count)


def test_sobol_is_scipys() -> None:
    design = SamplingDesign.from_arguments({"a": UNIT, "b": UNIT, "c": UNIT}, "sobol", 256, seed=5)
    assert np.array_equal(all_of(design), qmc.Sobol(3, rng=np.random.default_rng(5)).random(256))


def test_random_is_numpys_philox() -> None:
    design = SamplingDesign.from_arguments({"a": UNIT, "b": UNIT, "c": UNIT}, "random", 100, seed=5)
    rows = np.random.Generator(np.random.Philox(key=5)).random((100, 4))
    assert np.array_equal(all_of(design), rows[:, :3])


@pytest.mark.parametrize("draws", [1, 2, 7, 100, 1000])
def test_latin_hypercube_has_one_in_every_slice(draws: int) -> None:
    actual = all_of(SamplingDesign.from_arguments({"a": UNIT, "b": UNIT}, "latin", draws, seed=2))
    for column in actual.T:
        assert sorted((column * draws).astype(int)) == list(range(draws))
    if draws == 1000:  # the slices of the names are not those of each other
        assert abs(np.corrcoef(actual.T)[0, 1]) < 0.1


@given(st.integers(1, 3000), st.integers(0, 2**70))
def test_a_permutation_takes_every_place_once(n: int, key: int) -> None:
    assert sorted(permute(np.arange(n), n, key)) == list(range(n))


def test_grids_are_all_combinations_the_last_name_fastest() -> None:
    design = SamplingDesign.from_arguments({"a": lg.distributions.grid(0, 1, 3), "b": as_varied_input([5, 7], "b")})
    assert design.method == "grid"
    assert all_of(design).tolist() == [[0, 5], [0, 7], [0.5, 5], [0.5, 7], [1, 5], [1, 7]]


def test_saltellis_design_changes_one_column_at_a_time() -> None:
    design = SamplingDesign.from_arguments({"a": UNIT, "b": UNIT}, "saltelli", 32, seed=1)
    groups = all_of(design).reshape(32, 4, 2)
    both = qmc.Sobol(4, rng=np.random.default_rng(1)).random(32)
    a, b = both[:, :2], both[:, 2:]
    assert np.array_equal(groups[:, 0], a)
    assert np.array_equal(groups[:, 1], b)
    assert np.array_equal(groups[:, 2], np.column_stack([b[:, 0], a[:, 1]]))
    assert np.array_equal(groups[:, 3], np.column_stack([a[:, 0], b[:, 1]]))


def test_every_point_of_a_grid_has_the_same_draws() -> None:
    design = SamplingDesign.from_arguments(
        {"a": lg.distributions.grid(0, 1, 3), "b": lg.distributions.normal(0, 1)}, "sobol", 8, seed=3
    )
    actual = all_of(design).reshape(3, 8, 2)
    assert np.array_equal(actual[:, :, 0], np.repeat([[0.0], [0.5], [1.0]], 8, axis=1))
    assert np.array_equal(actual[0, :, 1], actual[2, :, 1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("with_span", [False, True])
def test_pieces_make_the_whole(method: str, with_span: bool) -> None:
    over: dict[str, object] = {} if method == "grid" else {"u": UNIT, "v": lg.distributions.normal(1, 2)}
    if with_span and method != "saltelli":
        over["s"] = lg.distributions.grid(0, 1, 4)
    over = over or {"s": lg.distributions.grid(0, 1, 37)}
    design = SamplingDesign.from_arguments(over, method, None if method == "grid" else 37, seed=9)  # type: ignore[arg-type]
    pieces = [design.values(k, min(k + 11, design.count)) for k in range(0, design.count, 11)]
    assert np.array_equal(np.concatenate(pieces), all_of(design))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lg.distributions.uniform(-2, 3), stats.uniform(-2, 5)),
        (lg.distributions.normal(100, 5), stats.norm(100, 5)),
        (lg.distributions.lognormal(0.5, 0.2), stats.lognorm(0.2, scale=np.exp(0.5))),
        (lg.distributions.triangular(1, 2, 5), stats.triang(0.25, 1, 4)),
        (lg.distributions.triangular(1, 1, 5), stats.triang(0, 1, 4)),
    ],
)
def test_distributions_are_scipys(ours: object, theirs: object) -> None:
    u = np.linspace(0.001, 0.999, 501)
    assert ours.quantile(u) == pytest.approx(theirs.ppf(u), rel=1e-12)  # type: ignore[attr-defined]


def test_distributions_are_finite_at_both_ends() -> None:
    for x in (lg.distributions.normal(0, 1), lg.distributions.lognormal(0, 1), lg.distributions.choice(1, 2)):
        assert np.isfinite(x.quantile(np.array([0.0, 1.0]))).all()


def test_choices_are_as_likely_as_each_other() -> None:
    values, counts = np.unique(lg.distributions.choice([1, 2, 5]).quantile((np.arange(300) + 0.5) / 300), return_counts=True)
    assert values.tolist() == [1, 2, 5]
    assert counts.tolist() == [100, 100, 100]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("grid(0.2, 0.4, 5)", lg.distributions.grid(0.2, 0.4, 5)),
        ("span(0.2, 0.4, 5)", lg.distributions.grid(0.2, 0.4, 5)),
        ("0.2:0.4:5", lg.distributions.grid(0.2, 0.4, 5)),
        ("0:90deg:4", lg.distributions.grid(0, np.pi / 2, 4)),
        ("normal(m, m/20)", lg.distributions.normal(2, 0.1)),
        ("uniform(-1, 1)", lg.distributions.uniform(-1, 1)),
        ("choice(1, 2, 5)", lg.distributions.choice(1, 2, 5)),
        ("1, 2, 5", as_varied_input([1, 2, 5], "x")),
    ],
)
def test_texts_say_the_same(text: str, same: object) -> None:
    actual = as_varied_input(text, "x", {"m": 2.0})
    assert actual == same
    assert as_varied_input(str(actual), "x") == actual


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("norml(1, 2)", "Did you mean 'normal'"),
        ("normal(1)", "normal(mean, deviation) is needed"),
        ("normal(1, -2)", "above 0"),
        ("uniform(2, 1)", "lower value comes first"),
        ("1:2", "0.2:0.4:20"),
        ("1:2:3.5", "whole number"),
        ("normal(1, 2", "')' is missing"),
        (3.0, "a list of values is needed"),
        ([], "finite numbers"),
        ([1, np.nan], "finite numbers"),
    ],
)
def test_what_cannot_be_varied_over_is_reported(value: object, message: str) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        as_varied_input(value, "over")
    assert message in str(error.value)
    assert str(error.value).startswith("over: ")


@pytest.mark.parametrize(
    ("over", "options", "message"),
    [
        ({"a": UNIT}, {"method": "grid"}, "'a' has a distribution"),
        ({"a": lg.distributions.grid(0, 1, 3)}, {"method": "sobol"}, "give it a distribution"),
        ({"a": UNIT, "b": lg.distributions.grid(0, 1, 3)}, {"method": "saltelli"}, "'b' is a grid"),
        ({"a": lg.distributions.grid(0, 1, 3)}, {"samples": 4}, "a grid has as many samples as points"),
        ({"a": UNIT}, {"method": "halton"}, "Known: grid"),
        ({"a": UNIT}, {"samples": 0}, "at least 1 samples"),
    ],
)
def test_designs_that_cannot_be_are_reported(over: dict[str, object], options: dict[str, object], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        SamplingDesign.from_arguments(over, **options)  # type: ignore[arg-type]
