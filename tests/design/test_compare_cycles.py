"""Turns with other lengths, side by side: each is the turn of the mechanism that has them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.design.linkages import four_bar, offset_slider_crank

R = np.array([0.05, 0.1, 0.15, 0.3])
L, E = 0.35, 0.04


@pytest.fixture(scope="module")
def bars() -> lg.CycleComparison:
    return lg.compare_cycles("four_bar", {"l1": [0.0, 0.2, 0.3, 0.55], "l3": [0.6, 0.7]}, speed=2.0, rows=91)


def test_each_is_the_turn_of_its_own_mechanism(bars: lg.CycleComparison) -> None:
    assert len(bars) == 8
    assert bars.parameters["l1"].tolist() == [0.0, 0.0, 0.2, 0.2, 0.3, 0.3, 0.55, 0.55]
    for k in (2, 5):
        alone = lg.analyse_cycle(
            lg.library("four_bar").with_parameters({n: x[k] for n, x in bars.parameters.items()}), speed=2.0, rows=91
        )
        np.testing.assert_array_equal(bars[k].torque, alone.torque)
        assert bars.peak_torque[k] == np.abs(alone.torque).max()
        assert bars.travel[k] == alone.travels["phi3"].extent
        assert bars.time_ratio[k] == alone.time_ratio
        assert alone.transmission_angle is not None
        assert bars.transmission_angle[k] == alone.transmission_angle.min()


def test_what_turns_and_what_does_not(bars: lg.CycleComparison) -> None:
    """By Grashof's rule, 0.55 + 1 is more than 0.9 + 0.6 and less than 0.9 + 0.7; an input at a dead centre moves nothing."""
    assert bars.full.tolist() == [True] * 6 + [False, True]
    assert np.isinf(bars.peak_torque[6])
    assert bars.travel[:2].tolist() == [0.0, 0.0]
    assert np.isnan(bars.transmission_angle[:2]).all()


def test_a_slider_crank_over_its_crank() -> None:
    """The stroke is 2 r without an offset."""
    comparison = lg.compare_cycles("slider_crank", {"r": lg.distributions.grid(0.02, 0.1, 3)}, rows=19)
    np.testing.assert_allclose(comparison.travel, [0.04, 0.12, 0.2], atol=1e-12)
    np.testing.assert_allclose(comparison.time_ratio, 1.0, atol=1e-9)


def test_a_table_a_picture_and_a_file(bars: lg.CycleComparison, tmp_path: Path) -> None:
    lines = str(bars).splitlines()
    assert lines[0] == "four_bar: 8 cycles of theta1, of which 7 are full turns"
    assert lines[1].split()[:3] == ["l1", "l3", "full"]
    assert f"{math.degrees(bars.travel[4]):.4g}" in lines[6]
    figure = bars.plot(tmp_path / "turns.png")
    assert len(figure.axes) == 4
    assert {len(axes.lines) for axes in figure.axes} == {2}
    text = bars.save(tmp_path / "turns.csv").read_text().splitlines()
    assert len(text) == 9
    assert text[0].startswith("l1,l3,full,swing [rad],transmission_angle [rad],time_ratio")


def test_a_value_without_a_turn_is_reported_with_its_reason() -> None:
    m = four_bar(1.0, 0.3, 0.9, 0.6)
    start = lg.assemble(m, [1.0, 0.0, 1.5], fixed=("a",))
    comparison = lg.compare_cycles(m, {"d.placement.position.x": [1.0, 3.0]}, q0=start, rows=19)
    assert comparison.full.tolist() == [True, False]
    assert list(comparison.failure_reasons) == [1]
    assert "no cycle with d.placement.position.x = 3" in str(comparison)
    assert comparison.travel[0] > 0
    assert np.isnan(comparison.travel[1])
    with pytest.raises(lg.ArgumentError, match="cycle 1 does not exist"):
        comparison[1]


def test_all_turns_are_of_one_assembly() -> None:
    """A start in numbers closes no other linkage; the nearest that does is taken, not the mirrored one."""
    m = offset_slider_crank(0.1, L, E)
    start = lg.assemble(m, [1.0, -1.0, 0.4], fixed=("theta",))
    comparison = lg.compare_cycles(m, {"pin.a_placement.position.x": [0.25, 0.35, 0.6]}, q0=start, rows=19)
    assert [turn.q[:, 2].min() > 0 for turn in comparison if turn is not None] == [True, True, True]


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ({"l9": [1.0]}, "sweep: there is no parameter 'l9'"),
        ({"l1": []}, "a list of finite numbers"),
        ({"l1": [np.nan]}, "a list of finite numbers"),
        ({"l1": "0.2"}, "a list of finite numbers"),
        ({}, "a mapping of parameters"),
        (3, "a mapping of parameters"),
        ({"l1": np.zeros(20_000)}, "at most 10000"),
    ],
)
def test_what_is_refused(sweep: object, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.compare_cycles("four_bar", sweep)  # type: ignore[arg-type]
