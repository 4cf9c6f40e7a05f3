"""Functions for many values of parameters: each result is that of the mechanism written with the numbers, from the same code."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import lagrangian as lg
from tests.parameters.test_nothing_is_compiled_again import compile_count  # noqa: F401  # a fixture

LENGTHS, MASSES = np.array([0.25, 0.31, 0.36]), np.array([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def bars():
    dyn = lg.compile("four_bar")
    return dyn.with_parameters(l1=LENGTHS, m2=MASSES, g=9.0)


def load_sample(k):
    """The file, read with the numbers of one sample."""
    return lg.compile(lg.library("four_bar", parameters={"l1": LENGTHS[k], "m2": MASSES[k], "g": 9.0}))


CALLS = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "gravity": ("q",),
    "inverse_dynamics": ("q", "v", "v"),
    "forward_dynamics": ("q", "v", "v"),
    "multipliers": ("q", "v", "v"),
    "kinetic_energy": ("q", "v"),
    "potential_energy": ("q",),
    "constraint_jacobian": ("q",),
    "closure": ("q",),
    "forward_dynamics_derivatives": ("q", "v", "v"),
    "regressor": ("q", "v", "v"),
    "inertial_parameters": (),
    "friction": ("v",),
}


@pytest.mark.parametrize("name", list(CALLS))
@pytest.mark.parametrize("kind", ["one", "each", "many"])
def test_every_result_is_that_of_the_written_mechanism(bars, name, kind):
    shape = {"one": (), "each": (3,), "many": (3, 2)}[kind]
    rng = np.random.default_rng(7)
    arguments = [rng.uniform(-1, 1, (*shape, 3)) for _ in CALLS[name]]
    actual = getattr(bars, name)(*arguments)
    for k in range(3):
        expected = getattr(load_sample(k), name)(*(x if kind == "one" else x[k] for x in arguments))
        parts = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
        for ours, theirs in parts:
            np.testing.assert_allclose(ours[k], theirs, rtol=1e-12, atol=1e-12)


def test_frames_and_wrenches(bars):
    q, v = np.array([0.3, 0.2, 1.4]), np.ones(3)
    wrench = np.arange(18.0).reshape(3, 6)
    poses = bars.pose(q, "C")
    loaded = bars.inverse_dynamics(q, v, v, {"C": wrench})
    same = bars.inverse_dynamics(q, v, v, wrenches={"C": wrench[1]})
    carried = bars.multipliers(q, v, v)
    reactions = bars.reactions(q, v, v, multipliers=carried)
    for k in range(3):
        np.testing.assert_allclose(reactions[k], load_sample(k).reactions(q, v, v, multipliers=carried[k]), atol=1e-11)
        np.testing.assert_allclose(poses[k], load_sample(k).pose(q, "C"), atol=1e-13)
        np.testing.assert_allclose(loaded[k], load_sample(k).inverse_dynamics(q, v, v, {"C": wrench[k]}), atol=1e-12)
        np.testing.assert_allclose(same[k], load_sample(k).inverse_dynamics(q, v, v, {"C": wrench[1]}), atol=1e-12)


@pytest.mark.parametrize(("name", "path"), [("two_r", "l1"), ("puma560", "link3.mass"), ("stewart", "")])
def test_nothing_is_compiled_again(name, path, compile_count):  # noqa: F811
    model = lg.library(name)
    path = path or next(iter(model.parameters))
    value = float(model.parameters[path]) if path in model.parameters else 6.0
    dyn = lg.compile(model)
    q = np.full(dyn.nq, 0.2)
    dyn.mass_matrix(q), dyn.gravity(q)
    before = compile_count[0]
    many = dyn.with_parameters({path: value * np.linspace(1.01, 1.2, 5)})
    assert many.mass_matrix(q).shape == (5, dyn.nv, dyn.nv)
    assert many.gravity(np.tile(q, (5, 1))).shape == (5, dyn.nv)
    assert compile_count[0] == before


def test_one_sample_is_a_dynamics(bars):
    assert (len(bars), len(list(bars)), bars.parameters["g"].tolist()) == (3, 3, [9.0, 9.0, 9.0])
    assert isinstance(bars[-1], lg.Dynamics)
    assert bars[-1] is bars[2]
    assert "3 samples of l1, m2, g" in repr(bars)
    again = pickle.loads(pickle.dumps(bars))
    np.testing.assert_array_equal(again.gravity(np.zeros(3)), bars.gravity(np.zeros(3)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"l1": [0.2, 0.3], "l2": [1.0, 1.1, 1.2]}, "different numbers of samples: l1 2, l2 3"),
        ({"l9": [0.2, 0.3]}, "no parameter 'l9'"),
        ({"l1": [[0.2, 0.3]]}, r"l1 has shape \(1, 2\)"),
        ({"l1": []}, r"l1 has shape \(0,\)"),
        ({"l1": ["a", "b"]}, "l1 is an array of"),
    ],
)
def test_what_is_wrong_with_parameters_is_reported(value, message):
    with pytest.raises(lg.LagrangianError, match=message):
        lg.compile("four_bar").with_parameters(value)


def test_what_is_wrong_with_a_call_is_reported(bars):
    with pytest.raises(lg.ArgumentError, match="has 2 rows, and the parameters have 3 samples"):
        bars.mass_matrix(np.zeros((2, 3)))
    with pytest.raises(AttributeError, match=r"dyn\[k\]\.cartesian gives it for one sample"):
        bars.cartesian(np.zeros(3), np.zeros(3), "C")
    with pytest.raises(lg.LagrangianError, match="sample 1"):
        lg.compile("four_bar").with_parameters(m1=[1.0, -1.0]).gravity(np.zeros(3))
