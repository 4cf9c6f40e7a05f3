"""Texts of the command line as numbers."""

from __future__ import annotations

import math

import pytest

import lagrangian as lg
from lagrangian.cli.motion_options import parse_time
from lagrangian.cli.output import to_json_data
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import quantity
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("-pi/2", -math.pi / 2),
        ("30deg", math.pi / 6),
        ("-45 deg", -math.pi / 4),
        ("90°", math.pi / 2),
        ("(10+20)deg", math.pi / 6),
        ("250mm", 0.25),
        ("1.5e-3m", 1.5e-3),
        ("2 s", 2.0),
        ("deg(30)", math.pi / 6),
        ("atan2(1, 1)", math.pi / 4),
        ("2*m", 6.0),  # a parameter, not metres
    ],
)
def test_quantities_are_numbers_units_or_expressions(text: str, value: float) -> None:
    assert quantity.parse_quantity(text, "--x", {"m": 3.0}) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("text", ["", "deg", "1,2", "x", "1/0", "1e999", "sqrt(-1)", "nan", "().__class__", "0x10", "1e5000deg"])
def test_texts_that_are_no_quantities_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="--x"):
        quantity.parse_quantity(text, "--x")


def test_parts_keep_what_is_in_parentheses() -> None:
    assert quantity.split_list("a=atan2(1, 2), b=3; c") == ["a=atan2(1, 2)", "b=3", "c"]
    assert quantity.parse_quantities("[1, max(2, 3), 4]", "--x") == [1, 3, 4]


def test_a_time_is_an_end_or_a_span() -> None:
    assert parse_time("10") == 10
    assert parse_time("2:10s") == (2, 10)
    assert parse_time(None) is None


def test_json_has_no_infinities() -> None:
    assert to_json_data({"a": math.inf, "b": (1, math.nan), 3: True}) == {"a": None, "b": [1, None], "3": True}


@pytest.mark.parametrize(
    ("text", "value"), [("60rpm", 2 * math.pi), ("2rev/s", 4 * math.pi), ("90 deg/s", math.pi / 2), ("1.5", 1.5)]
)
def test_speeds_take_units(run: Run, text: str, value: float) -> None:
    assert run("cycle", "four_bar", "--speed", text, "--json").json["speed"] == pytest.approx(value, rel=1e-15)


def test_a_speed_that_is_not_understood(run: Run) -> None:
    done = run("cycle", "four_bar", "--speed", "60 rounds")
    assert done.code == 2
    assert "the units are deg, rad, rev" in " ".join(done.err.replace("│", " ").split())


def test_a_description_says_how_degrees_are_written() -> None:
    with pytest.raises(lg.DescriptionError, match=r"'deg' is not expected here \(column 3\); write deg\(60\)"):
        lg.loads(
            'name = "x"\nbody = [{ name = "b" }]\njoint = [{ name = "h", type = "revolute", child = "b", rpy = ["60deg", 0, 0] }]'
        )
