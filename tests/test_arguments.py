"""Numbers and arrays of every kind that a caller may give: they are read rightly, or refused with a sentence."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.arguments import count, floats, number

HUGE = 2**2000
FIELDS = np.zeros(2, dtype=[("a", float), ("b", float)])
MASKED = np.ma.array([0.1, 0.2], mask=[False, True])
NUMBERS_OF_OTHER_KINDS = [
    np.longdouble([0.3, -0.2]),
    np.float32([0.3, -0.2]),
    np.array([0.3, -0.2], dtype=">f8"),
    np.array([0.3, -0.2], dtype=object),
    np.ma.array([0.3, -0.2]),
    np.array([[0.3, 9.0], [-0.2, 9.0]])[:, 0],
    [np.array(0.3), np.float64(-0.2)],
]
NO_NUMBERS = [
    FIELDS,
    MASKED,
    np.array([1j, 2]),
    [HUGE, 1],
    [None, 1.0],
    object(),
    np.array(["2020"], dtype="M8[D]"),
    [[1], [2, 3]],
    np.array(["1", "2"]),
    [b"1", b"2"],
    np.array([1.0, "2"], dtype=object),
]


@pytest.fixture(scope="module")
def arm() -> lg.Dynamics:
    return lg.compile(lg.library("two_r"))


@pytest.mark.parametrize("value", NUMBERS_OF_OTHER_KINDS, ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}")
def test_numbers_of_every_kind_are_doubles(arm: lg.Dynamics, value: Any) -> None:
    assert floats(value).dtype == np.float64
    plain = [float(x) for x in value]
    np.testing.assert_array_equal(floats(value), plain)
    np.testing.assert_array_equal(arm.mass_matrix(value), arm.mass_matrix(np.array(plain)))
    np.testing.assert_array_equal(lg.simulate(arm, 0.1, value).q, lg.simulate(arm, 0.1, plain).q)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}")
def test_what_is_no_number_is_refused(arm: lg.Dynamics, value: Any) -> None:
    with pytest.raises(TypeError):
        floats(value)
    for call in (
        lambda: arm.mass_matrix(value),
        lambda: arm.forward_dynamics(np.zeros(2), np.zeros(2), value),
        lambda: lg.simulate(arm, 0.1, value),
        lambda: lg.simulate(arm, 0.1, torque=value if not isinstance(value, tuple) else 0),
        lambda: lg.simulate(arm, 0.1, torque=lambda t, q, qd: value),
        lambda: lg.simulate(arm, 0.1, t_eval=value),
        lambda: lg.simulate(arm, t_span=value),
        lambda: lg.linearise(arm, value),
        lambda: lg.paths.joint_line(value, [1, 1], 1.0),
        lambda: lg.paths.joint_line([0, 0], [1, 1], 1.0)(value),
    ):
        with pytest.raises(lg.LagrangianError):
            call()


def test_texts_are_no_numbers_of_an_array(arm: lg.Dynamics) -> None:
    """In a list of coordinates they are quantities, which may have units; everywhere else they are refused."""
    texts: Any = ["0.5", "30deg"]
    assert lg.simulate(arm, 0.1, texts).q[0] == pytest.approx([0.5, math.pi / 6])
    for call in (
        lambda: arm.mass_matrix(["1", "2.5"]),
        lambda: lg.simulate(arm, 0.1, torque=["1", "2.5"]),
        lambda: lg.simulate(arm, 0.1, torque=lambda t, q, qd: ["1", "2.5"]),
        lambda: lg.simulate(arm, t_span=["1", "2.5"]),
        lambda: lg.paths.joint_line(["1", "2.5"], [1, 1], 1.0),
    ):
        with pytest.raises(lg.LagrangianError):
            call()


@pytest.mark.parametrize("name", ["step", "max_step", "atol"])
@pytest.mark.parametrize("value", [2**64, 2**1000, np.longdouble(1e30), np.uint64(2**63), np.array(1e20)])
def test_options_of_every_kind_reach_compiled_code_as_doubles(arm: lg.Dynamics, name: str, value: Any) -> None:
    plain = lg.simulate(arm, 0.1, **{name: float(value)})
    np.testing.assert_array_equal(lg.simulate(arm, 0.1, **{name: value}).q, plain.q)


@pytest.mark.parametrize("name", ["step", "max_step", "atol", "rtol", "max_steps", "restitution", "t_eval", "t_span"])
@pytest.mark.parametrize("value", [HUGE, -HUGE, math.nan, 1j, "a", FIELDS, MASKED, True, -1, 0, [], None])
def test_options_that_are_none_are_refused(arm: lg.Dynamics, name: str, value: Any) -> None:
    fine = {("step", None), ("t_span", None), ("t_span", True), ("restitution", 0), ("max_step", HUGE), ("max_step", math.inf)}
    if any(name == n and (value is x or (type(value) is type(x) and value == x)) for n, x in fine):
        return  # these mean something
    with pytest.raises(lg.LagrangianError):
        lg.simulate(arm, **{"t_span": 0.1, name: value})


def test_masked_entries_do_not_pass_as_numbers(arm: lg.Dynamics) -> None:
    arm.mass_matrix(np.zeros(2))
    arm.mass_matrix(np.zeros(2))  # by the entry for one state from here on
    with pytest.raises(lg.ArgumentError, match="masked"):
        arm.mass_matrix(MASKED)


@pytest.mark.parametrize("value", [0, -1, 1.5, math.nan, math.inf, True, "3", HUGE, None])
def test_counts_are_positive_whole_numbers(value: Any) -> None:
    with pytest.raises(lg.ArgumentError, match="n is "):
        count(value, "n")
    assert count(np.int8(3), "n") == count(3.0, "n") == 3


def test_bounds_of_numbers() -> None:
    assert number(2**64, "x") == 2.0**64
    assert number(math.inf, "x", infinite=True) == math.inf
    with pytest.raises(lg.ArgumentError, match=r"x is 0; a finite number above 0 is needed"):
        number(0, "x", above=0)
    with pytest.raises(lg.ArgumentError, match=r"x is 2; a number of at least 0 and at most 1 is needed"):
        number(2, "x", least=0, most=1)


@pytest.mark.parametrize("most", [1, 2, 7])
@pytest.mark.parametrize("torque", [None, lg.Sampled(lambda t, q, qd: np.zeros(2), 1e-3)], ids=["smooth", "sampled"])
def test_a_run_makes_no_more_steps_than_it_may(arm: lg.Dynamics, most: int, torque: Any) -> None:
    with pytest.warns(lg.errors.EndedEarlyWarning, match=f"{most} steps were made"):
        motion = lg.simulate(arm, 0.1, torque=torque, max_steps=most, max_step=1e-3)
    assert motion.ending.status is lg.Status.TOO_MANY_STEPS
    assert motion.statistics["accepted"] + motion.statistics["rejected"] == most


def test_a_run_ends_where_memory_for_its_steps_does(arm: lg.Dynamics, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagrangian.motion.run.run.MEMORY", 6 * 8 * 5000)
    with pytest.warns(lg.errors.EndedEarlyWarning, match="5000 steps were made, and there is no memory for more"):
        motion = lg.simulate(arm, 10.0, method="rk4", step=1e-4, t_eval=11)
    assert motion.last == pytest.approx(0.5)
    q, _ = motion(0.25)
    np.testing.assert_allclose(q, lg.simulate(arm, 0.25).q[-1], atol=1e-8)


def test_what_is_kept_of_samples_counts(arm: lg.Dynamics, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every sample some hundred bytes are kept, whatever the number of steps: objects, and the inputs that hold."""
    monkeypatch.setattr("lagrangian.motion.run.run.MEMORY", 2_000_000)
    controller = lg.Sampled(lambda t, q, qd: [np.sin(t), 0.0], 1e-3)
    tracemalloc.start()
    try:
        with pytest.warns(lg.errors.EndedEarlyWarning, match="steps were made, and there is no memory for more"):
            motion = lg.simulate(arm, 10.0, torque=controller, t_eval=11)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.5 < motion.last < 5
    assert taken < 10_000_000


def test_steps_are_the_same_in_one_block_or_many(arm: lg.Dynamics, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = lg.simulate(arm, 1.0, method="rk4", step=1e-4)
    monkeypatch.setattr("lagrangian.motion.solver.stepper.KEPT", 0)
    monkeypatch.setattr("lagrangian.motion.run.run.KEPT", 0)
    monkeypatch.setattr("lagrangian.motion.solver.stepper.MERGED", 2)
    merged = lg.simulate(arm, 1.0, method="rk4", step=1e-4)
    times = np.linspace(0, 1, 777)
    np.testing.assert_allclose(merged(times)[0], plain(times)[0], rtol=0, atol=1e-14)


def test_a_controller_that_would_be_asked_without_end_is_refused(arm: lg.Dynamics) -> None:
    for period in (1e-300, 5e-324, 1e-11):
        with pytest.raises(lg.ArgumentError, match="called more than 1e\\+10 times in 1 s"):
            lg.simulate(arm, 1.0, torque=lg.Sampled(lambda t, q, qd: np.zeros(2), period))
    lg.simulate(arm, 0.05, torque=lg.Sampled(lambda t, q, qd: np.zeros(2), 0.01, 1e308))
