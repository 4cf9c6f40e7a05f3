"""What is kept of a motion: against a slider whose motion is known, and against the rows of a motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studies.quantities import OneMotion, quantity_readers
from lagrangian.studies.reductions import OutputColumn, as_output_columns, output_times
from tests.studies.models import SLIDER

T, M, F = 2.0, 2.0, 3.0
END = F * T**2 / (2 * M)


def number(text: str, mechanism: lg.Mechanism = SLIDER, rows: int = 1001, **options: Any) -> Any:
    columns = as_output_columns([text], mechanism, None)
    times, places = output_times(columns, np.linspace(0, T, rows), (0.0, T))
    motion = lg.simulate(mechanism, t_eval=times, **options)
    return columns[0].evaluate(OneMotion(motion, quantity_readers(mechanism)), places.get(text))[0]


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("x", END),
        ("end(x)", END),
        ("start(x)", 0.0),
        ("max(x)", END),
        ("min(x)", 0.0),
        ("peak(-x)", END),
        ("max(x) - min(x)", END),
        ("max(x, 100)", 100.0),
        ("mean(x)", END / 3),
        ("integral(qd_x)", END),
        ("rms(qd_x)", F * T / M / math.sqrt(3)),
        ("end(qdd_x)", F / M),
        ("peak(tau_x)", F),
        ("peak(tau_x*qd_x)", F * F * T / M),
        ("end(tip.x)", END + 0.5),
        ("end(kinetic_energy)", 0.5 * M * (F * T / M) ** 2),
        ("end(work_torque)", F * END),
        ("time(`half way`)", math.sqrt(2 * M / F)),
        ("at(`half way`, qd_x)", math.sqrt(2 * F / M)),
        ("count(`half way`)", 1.0),
        ("end(t)", T),
        ("x/F + m", END / F + M),
        ("sqrt(end(x))*2^3", 8 * math.sqrt(END)),
        ("max(x - mean(x))", END * 2 / 3),
    ],
)
def test_numbers_of_a_slider(text: str, exact: float) -> None:
    assert number(text) == pytest.approx(exact, rel=1e-5, abs=1e-9)


def test_an_event_that_did_not_take_place_has_no_time() -> None:
    assert math.isnan(number("time(`half way`)", torque=0))
    assert number("count(`half way`)", torque=0) == 0


def test_rows_are_kept_at_equal_times() -> None:
    t = np.linspace(0, T, 11)
    assert number("rows(x^2, 11)") == pytest.approx((F * t**2 / (2 * M)) ** 2, abs=1e-8)
    assert number("rows(x)").shape == (101,)


def test_rows_between_the_times_of_the_others() -> None:
    """Seven rows of a run with eleven: none is at another's time, and extremes are those of all."""
    t = np.linspace(0, T, 7)
    assert number("rows(x, 7)", rows=11) == pytest.approx(F * t**2 / (2 * M), abs=1e-8)
    columns = as_output_columns(["rows(x, 7)", "rows(x, 101)"], SLIDER, None)
    times, places = output_times(columns, np.linspace(0, T, 11), (0.0, T))
    assert len(times) == 101 + 4
    for column in columns:
        assert times[places[column.name]] == pytest.approx(np.linspace(0, T, column.rows), abs=1e-12)


def test_rows_that_a_motion_did_not_reach_are_missing() -> None:
    actual = number("rows(x, 21)", events=[lg.Event("x - 1.5", "stop")])
    reached = np.linspace(0, T, 21) <= math.sqrt(2 * M * 1.5 / F)
    assert np.array_equal(np.isfinite(actual), reached)


def test_reactions_and_multipliers_are_the_motions() -> None:
    four_bar = lg.library("four_bar")
    motion = lg.simulate(four_bar, 1.0)
    names = motion.constraint_names
    columns = as_output_columns(["peak(force_phi2)", f"max(lambda_{names[0]})"], four_bar, None, names)
    actual = [column.evaluate(OneMotion(motion, quantity_readers(four_bar, names)))[0] for column in columns]
    assert actual[0] == np.linalg.norm(motion.reactions[:, 1, 3:], axis=1).max()
    assert actual[1] == motion.multipliers[:, 0].max()


def test_outputs_can_be_named_by_the_user() -> None:
    columns = as_output_columns({"way": "end(x)", "speed": "peak(qd_x)"}, SLIDER, None)
    assert [(x.name, x.text) for x in columns] == [("way", "end(x)"), ("speed", "peak(qd_x)")]
    assert all(isinstance(x, OutputColumn) for x in columns)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("max(y)", "there is no name 'y'"),
        ("maks(x)", "there is no function 'maks'"),
        ("rms(x, 2)", "rms takes 1 argument, not 2"),
        ("max(x, 1, 2)", "max takes 1 or 2 arguments, not 3"),
        ("time(x)", "there is no event 'x'"),
        ("`half way` + 1", "time(`half way`) is when"),
        ("rows(x) + 1", "rows(...) cannot be a part of an expression"),
        ("rows(x, 1)", "at least 2 rows"),
        ("max(x", "')' is missing"),
        ("", "a text such as"),
        (["x", "x"], "'x' is kept twice"),
        ([3], "a text such as"),
        ([], "name what to keep"),
        (7, "texts such as"),
    ],
)
def test_what_cannot_be_kept_is_reported(value: Any, message: str) -> None:
    with pytest.raises(lg.ArgumentError) as error:
        as_output_columns(value, SLIDER, None)
    assert message in str(error.value)
    assert "keep" in str(error.value) or error.value.argument == "keep"
