"""Routines of random mechanisms, with every type of joint and of loop, against the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.exports.reference_values import evaluate_routine, routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from lagrangian.model import joints, loops
from tests.exports.reference import applicable, expected_results, relative_error
from tests.mechanisms import random_mechanism, two_chains

OPEN = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "reactions", "friction", "regressor", "step")
CLOSED = ("forward_dynamics", "closure", "constraint_jacobian", "constraint_bias", "multipliers", "reactions")
TYPES = [name for name, kind in joints.TYPES.items() if kind.nv]
LOOPS = list(loops.TYPES)


def compare(m: lg.Mechanism, names: tuple[str, ...], tolerance: float) -> None:
    generated, dyn = package(m, [name for name in names if name in applicable(m)]), lg.compile(m)
    for state in sample_states(m, 1):
        for routine in generated.routines:
            inputs = routine_inputs(routine, state)
            assert (
                relative_error(evaluate_routine(generated, routine, inputs), expected_results(dyn, routine.name, inputs))
                < tolerance
            ), routine.name


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(TYPES), min_size=2, max_size=4), st.integers(0, 10_000))
def test_random_trees(types: list[str], seed: int) -> None:
    compare(random_mechanism(types, seed, passive=True), OPEN, 1e-11)


@pytest.mark.parametrize("kind", LOOPS)
def test_loops_of_every_type(kind: str) -> None:
    m = two_chains(["ball", "revolute", "prismatic"], ["revolute", "universal", "revolute"], kind, seed=3)
    generated, dyn = package(m, [name for name in CLOSED if name != "multipliers"]), lg.compile(m)
    rng = np.random.default_rng(5)
    state = next(iter(sample_states(m, 1))) | {"qd": rng.normal(size=m.nv)}
    for routine in generated.routines:
        inputs = routine_inputs(routine, state)
        assert (
            relative_error(evaluate_routine(generated, routine, inputs), expected_results(dyn, routine.name, inputs)) < 1e-10
        ), routine.name


@pytest.mark.parametrize("name", ["parallelogram", "delta", "slider_crank", "andrews_squeezer", "peaucellier"])
def test_multipliers_are_the_least_where_equations_are_redundant(name: str) -> None:
    m = lg.library(name)
    generated, dyn = package(m, ["multipliers"]), lg.compile(m)
    for state in sample_states(m, 1):
        inputs = routine_inputs(generated.routines[0], state)
        actual, reference = (
            evaluate_routine(generated, generated.routines[0], inputs),
            expected_results(dyn, "multipliers", inputs),
        )
        assert relative_error(actual, reference) < 1e-9
