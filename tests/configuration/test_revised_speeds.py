"""Speeds of a start that is written in numbers, for other values of the parameters: those of the motors stay."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg


def test_the_crank_keeps_its_speed_and_the_others_follow():
    model = lg.library("slider_crank")
    longer = lg.simulate(model, 0.01, parameters={"r": 0.12})
    assert longer.qd[0, 0] == model.initial.qd[0]
    dyn = lg.compile(longer.mechanism)
    assert np.abs(dyn.constraint_rate(longer.q[0], longer.qd[0])).max() < 1e-12
    # upright, the slider has the crank's speed r theta'
    assert longer.qd[0, 2] == pytest.approx(-0.12 * longer.qd[0, 0])


def test_numbers_that_break_the_constraints_as_they_are_written_are_refused():
    with pytest.raises(lg.ArgumentError, match="violates the constraints"):
        lg.simulate("slider_crank", 0.01, qd0=[10, -10, 5])
