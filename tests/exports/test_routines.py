"""Routines, run in Python, against the compiled kernels."""

from __future__ import annotations

import pytest

import lagrangian as lg
from lagrangian.exports.reference_values import evaluate_routine, routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from tests.exports.quadruped import quadruped_mechanism
from tests.exports.reference import applicable, expected_results, relative_error

NAMES = ("two_r", "puma560", "panda", "four_bar", "rolling_disc", "quadruped", "heavy_top", "geared_link")
LONGER = [pytest.param(name, marks=pytest.mark.slow) for name in ("stewart", "bicycle")]


def mechanism(name: str) -> lg.Mechanism:
    return quadruped_mechanism() if name == "quadruped" else lg.library(name)


@pytest.mark.parametrize("name", [*NAMES, *LONGER])
def test_every_function_is_that_of_the_kernels(name: str) -> None:
    m = mechanism(name)
    dyn, functions = lg.compile(m), applicable(m)
    assert {"inverse_dynamics", "forward_dynamics", "step", "reactions", "regressor"} <= set(functions)
    generated = package(m, functions)
    for state in sample_states(m, 2):
        for routine in generated.routines:
            inputs = routine_inputs(routine, state)
            assert (
                relative_error(evaluate_routine(generated, routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-12
            ), routine.name
