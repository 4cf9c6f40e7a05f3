"""Units of what a study varies and keeps, the nominal values of its inputs, and why its samples failed."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.studies.result import study_units
from tests.studies.models import SLIDER


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("max(tip.x)", "m"),
        ("max(tip.x) - min(tip.x)", "m"),
        ("2*end(theta1)", "rad"),
        ("peak(qd_theta1)/3", "rad/s"),
        ("-rms(tau_theta2)", "N m"),
        ("end(kinetic_energy)", "J"),
        ("peak(force_theta1)", "N"),
        ("integral(qd_theta1)", "rad"),
        ("integral(tau_theta1)", "N m s"),
        ("rows(tip.y, 5)", "m"),
        ("tip.x", "m"),
        ("max(tip.x)*end(theta1)", ""),
        ("max(tip.x) + end(theta1)", ""),
        ("end(theta1)^2", ""),
    ],
)
def test_units_of_what_is_kept(text: str, unit: str) -> None:
    assert study_units(lg.library("two_r"), (), {"kept": text}) == {"kept": unit}


def test_units_of_what_is_varied() -> None:
    names = ("l1", "m2", "I1", "g", "theta1", "qd_theta1", "link1.mass", "gravity.y", "kd")
    actual = study_units(lg.library("two_r"), names, None)
    assert [actual[name] for name in names] == ["m", "kg", "kg m²", "m/s²", "rad", "rad/s", "kg", "m/s²", ""]
    assert study_units(lg.library("four_bar"), ("l2",), None) == {"l2": "m"}
    assert study_units(SLIDER, ("x", "qd_x"), {"a": "time(`half way`)", "b": "count(`half way`)"}) == {
        "x": "m",
        "qd_x": "m/s",
        "a": "s",
        "b": "",
    }


def test_what_is_no_number_of_the_mechanism_has_no_nominal_value(tmp_path: Path) -> None:
    """A constant of the run is none; a start has that of the run."""
    over = {"m": [1.0, 2.0], "push": [1.0, 2.0], "x": [0.0, 0.5]}
    study = lg.study(SLIDER, over, {"torque": {"x": "push"}, "q0": [0.25]}, "end(x)", folder=tmp_path / "s", workers=1)
    assert study.about["nominal"] == {"m": 2.0, "x": 0.25}
    assert study.about["kinds"]["constants"] == ["push"]
    assert lg.read_study(tmp_path / "s").units == {"m": "kg", "push": "", "x": "m", "end(x)": "m"}
    page = study.report(tmp_path / "page.html").read_text()
    assert "nominal value" in page
    assert "constant of the run" in page


def test_reasons_that_differ_in_numbers_alone_are_one(tmp_path: Path) -> None:
    study = lg.study(
        "four_bar",
        {"l1": lg.distributions.grid(1.0, 2.0, 6), "m2": [1.0, -1.0]},
        {"t_span": 0.1},
        folder=tmp_path / "s",
        workers=1,
    )
    reasons = study.failure_reasons()
    assert sum(n for _, n, _ in reasons) == len(study.failed)
    assert len(study.failed) >= 6  # all with a negative mass
    study.__dict__["failed"] = {
        3: "four_bar: stopped at t = 0.25 s: m2 is too light",
        5: "four_bar: stopped at t = 1e-3 s: m2 is too light",
        7: "four_bar: stopped at t = 0.25 s: m3 is too light",
    }
    assert study.failure_reasons() == [
        ("four_bar: stopped at t = 0.25 s: m2 is too light", 2, 3),
        ("four_bar: stopped at t = 0.25 s: m3 is too light", 1, 7),
    ]


def test_ticks_have_room(tmp_path: Path) -> None:
    """Of a grid whose values differ in their fifth digit, and of one that is large: no labels meet."""
    for name, values in (("small", np.linspace(1.0, 1.0001, 5)), ("large", np.linspace(1e4, 2e4, 5)), ("plain", np.arange(5.0))):
        study = lg.study(
            SLIDER, {"F": values}, {"t_span": 0.1}, ["end(x)", "start(x)", "max(x)"], folder=tmp_path / name, workers=1
        )
        figure = study.plot("curves")
        figure.canvas.draw()
        for axes in figure.get_axes():
            boxes = [text.get_window_extent() for text in axes.get_xticklabels() if text.get_text()]
            assert len(boxes) >= 2
            assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))
