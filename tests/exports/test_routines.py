"""Routines, run in Python, against the compiled kernels."""

from __future__ import annotations

import pytest

import lagrangian as lg
from lagrangian.exports.evaluate import evaluated
from lagrangian.exports.functions.catalogue import package
from lagrangian.exports.samples import inputs, states
from tests.exports.quadruped import quadruped
from tests.exports.reference import applicable, expected, miss

NAMES = ("two_r", "puma560", "panda", "four_bar", "rolling_disc", "quadruped", "heavy_top", "geared_link")
LONGER = [pytest.param(name, marks=pytest.mark.slow) for name in ("stewart", "bicycle")]


def mechanism(name: str) -> lg.Mechanism:
    return quadruped() if name == "quadruped" else lg.library(name)


@pytest.mark.parametrize("name", [*NAMES, *LONGER])
def test_every_function_is_that_of_the_kernels(name: str) -> None:
    m = mechanism(name)
    dyn, functions = lg.compile(m), applicable(m)
    assert {"inverse_dynamics", "forward_dynamics", "step", "reactions", "regressor"} <= set(functions)
    made = package(m, functions)
    for state in states(m, 2):
        for routine in made.routines:
            given = inputs(routine, state)
            assert miss(evaluated(made, routine, given), expected(dyn, routine.name, given)) < 1e-12, routine.name
