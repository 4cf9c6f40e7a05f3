"""Shapes that follow parameters: where a page moves vertices, they are those of the scene that is built for these values."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.page_program import ShapeDifferentiator, _ComparableBuilder
from lagrangian.viewer.scene.primitives import fewer_sides

CASES = [
    ("two_r", "l2", 0.5, 2.0, {"link2"}),
    ("two_r", "m1", 6.0, 24.0, set()),
    ("four_bar", "l0", 0.5, 2.0, {"ground"}),  # at 2 m its start cannot be computed: a nearer value tells the slope
    ("four_bar", "l2", 0.6, 1.2, {"coupler", "loop closure"}),
    ("stewart", "rp", 0.5, 2.0, {"platform"}),
]


@pytest.fixture(scope="module")
def reshapers() -> dict[str, ShapeDifferentiator]:
    models = {name: lg.library(name) for name in dict.fromkeys(case[0] for case in CASES)}
    return {name: ShapeDifferentiator(m, np.atleast_2d(np.array(m.initial.q, dtype=float))) for name, m in models.items()}


@pytest.mark.parametrize(("name", "parameter", "least", "most", "parts"), CASES)
def test_parts_that_change(
    reshapers: dict[str, ShapeDifferentiator], name: str, parameter: str, least: float, most: float, parts: set[str]
) -> None:
    it = reshapers[name]
    value = float(it.mechanism.parameters[parameter])
    actual = it.change_with(parameter, value, least, most)
    assert {it.scene.parts[k].name for k in actual.up.parts} == parts
    assert set(actual.up.parts) == set(actual.down.parts)
    for slopes, end in ((actual.up, most), (actual.down, least)):
        part = 0.05 * (end - value)  # any value between, at which there is such a mechanism
        other = it.mechanism.with_parameters({parameter: value + part})
        with fewer_sides(len(other.bodies)):
            there = _ComparableBuilder(other, it.rows, it.builder).scene()
        for k, slope in slopes.parts.items():
            moved = it.scene.parts[k].vertices + part * slope
            assert np.abs(moved - there.parts[k].vertices).max() < 2e-3 * it.scene.size


def test_ends_of_struts_follow() -> None:
    model = lg.library("andrews_squeezer")
    it = ShapeDifferentiator(model, np.atleast_2d(np.array(model.initial.q, dtype=float)))
    value = float(model.parameters["sd"])
    actual = it.change_with("sd", value, 0.5 * value, 2 * value)
    assert np.allclose(actual.up.struts[0], [[1, 0, 0], [0, 0, 0]])  # its end on K3 is at ["sd", "-sc", 0]
    assert np.allclose(actual.down.struts[0], actual.up.struts[0])
