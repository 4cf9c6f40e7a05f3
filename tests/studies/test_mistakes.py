"""What a user gets wrong is told once, before the samples; what a function does not give is told of its sample."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studies.distributions import as_varied_input
from tests.studies.models import SLIDER, gaps, interrupted_within_a_run, nothing, touchy


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_gives_none_stops_the_study(tmp_path: Path, workers: int) -> None:
    with pytest.raises(lg.ArgumentError, match="run: the function returned None; it must return a number"):
        lg.study(None, {"a": [0.0, 1.0, 2.0]}, nothing, chunk=1, folder=tmp_path / "s", workers=workers)


def test_samples_without_a_number_are_failures(tmp_path: Path) -> None:
    study = lg.study(None, {"a": [0.0, 1.0, 2.0, 3.0]}, gaps, folder=tmp_path / "s", workers=1)
    assert list(study.failed) == [1, 2]
    assert "the function returned None" in study.failed[1]
    assert study.failed[2] == "run returned NaN for 'odd'"
    np.testing.assert_array_equal(study["twice"], [0.0, np.nan, 4.0, 6.0])  # what there is, is kept


def test_a_result_that_a_function_does_not_give(tmp_path: Path) -> None:
    with pytest.raises(lg.ArgumentError, match=r"keep: there is no result of the function called 'thrice'.*Known: twice, line"):
        lg.study(None, {"a": [0.5, 0.6]}, touchy, keep=["thrice"], folder=tmp_path / "s", workers=1)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"torque": {"y": "1"}}, "run: torque: there is no joint or speed 'y'. Known: x"),
        ({"torque": {"x": "1 + zz"}}, "run: torque of 'x': in the expression '1 + zz': there is no name 'zz'"),
        ({"wrenches": {"top": (0, 0, 0, 0, 0, 1)}}, "run: wrenches: there is no frame or body 'top'"),
        ({"q0": {"y": 1.0}}, "run: q0: there is no coordinate 'y'"),
        ({"qd0": {"y": 1.0}}, "run: qd0: there is no speed 'y'"),
        ({"method": "dop"}, "run: method: there is no method 'dop'"),
        ({"events": {"full way": "stop"}}, "run: there is no event of the mechanism called 'full way'"),
        ({"t_eval": 0}, "run: t_eval is 0"),
        ({"rtol": 2.0}, "run: rtol is 2"),
    ],
)
def test_settings_that_fail_everywhere_are_reported_once(tmp_path: Path, run: dict[str, Any], message: str) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        lg.study(SLIDER, {"m": [1.0, 2.0]}, run, folder=tmp_path / "s", workers=1)
    assert message in str(error.value)
    assert not (tmp_path / "s").exists()


def test_known_quantities_have_their_natural_order() -> None:
    from lagrangian.studies.reductions import as_output_columns

    with pytest.raises(lg.ArgumentError) as error:
        as_output_columns("max(y)", lg.library("two_r"), None)
    assert "Known: theta1, theta2, qd_theta1, qd_theta2, qdd_theta1, qdd_theta2, tau_theta1" in str(error.value)


@pytest.mark.parametrize(
    "value", [lambda: lg.distributions.choice(), lambda: lg.distributions.choice([]), lambda: as_varied_input("choice()", "L")]
)
def test_a_choice_of_nothing(value: Any) -> None:
    with pytest.raises(lg.ArgumentError, match=r"choice\(\) has no values to choose from; choice\(1, 2, 5\) has three"):
        value()


def test_a_choice_of_lists() -> None:
    assert as_varied_input("choice([1, 2])", "L") == lg.distributions.choice(1, 2) == lg.distributions.choice([1, 2])
    with pytest.raises(lg.ArgumentError, match="it chooses among numbers"):
        lg.distributions.choice([1, 2], [3, 4])


def test_ctrl_c_in_a_run_of_a_function_reaches_the_caller(tmp_path: Path) -> None:
    """Not a number of half a motion."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt, match="slider: interrupted after 2 of 4 samples; run it again"):
            lg.study(SLIDER, {"F": [1.0, 2.0, 3.0, 4.0]}, interrupted_within_a_run, chunk=1, folder=tmp_path / "s", workers=1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert lg.read_study(tmp_path / "s").completed_count == 2
