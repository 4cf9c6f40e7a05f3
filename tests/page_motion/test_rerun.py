"""Runs that are made again with other values of a page's inputs are those that `simulate` makes, asked for them by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.page_motion import compile_page, simulate_again
from tests.page_motion.motions import mechanism, motion, simulate
from tests.page_motion.test_motion import CHANGES, SLIDERS


def rerun(actual: lg.Motion, sliders: list[Any], change: dict[str, float]) -> lg.Motion:
    inputs = compile_page(actual, sliders).plan["inputs"]
    return simulate_again(actual, inputs, {x["label"]: x["value"] for x in inputs} | change)


@pytest.mark.parametrize("name", ["two_r", "four_bar", "scara", pytest.param("puma560", marks=pytest.mark.slow)])
def test_a_run_with_other_values(name: str) -> None:
    assert rerun(motion(name), SLIDERS[name], {}) is motion(name)
    for change, arguments in CHANGES[name]:
        actual, expected = rerun(motion(name), SLIDERS[name], change), simulate(name, **arguments)
        assert actual.t == pytest.approx(expected.t)
        assert np.abs(actual.q - expected.q).max() < 1e-8
        assert np.abs(actual.qd - expected.qd).max() < 1e-7


def test_a_start_that_was_given_is_kept_in_its_assembly() -> None:
    model = mechanism("four_bar")
    first = lg.simulate(model, 1.0, q0={"theta1": 2.0}, qd0={"theta1": 3.0})
    motion = rerun(first, ["l1", "m2"], {"m2": 3.0})
    assert motion.q[0] == pytest.approx(first.q[0], abs=1e-9)
    assert motion.qd[0] == pytest.approx(first.qd[0], abs=1e-9)
    expected = lg.simulate(model, 1.0, q0={"theta1": 2.0}, qd0={"theta1": 3.0}, parameters={"m2": 3.0})
    assert np.abs(motion.q - expected.q).max() < 1e-8
    longer = rerun(first, ["l1", "m2"], {"l1": 0.32})
    assert longer.q[0, 0] == pytest.approx(2.0, abs=1e-9)
    assert longer.qd[0, 0] == pytest.approx(3.0, abs=1e-9)
    assert np.abs(longer.q[0] - first.q[0]).max() < 0.1


def test_what_drives_a_run_and_what_it_watches_stay() -> None:
    model = mechanism("two_r")
    options: dict[str, Any] = {
        "torque": {"theta1": "20*sin(3*t) - m2*qd_theta1"},
        "wrenches": {"tip": (0, 0, 0, 0, "-5*cos(t)", 0)},
        "events": [lg.Event("theta2", "record", name="straight")],
        "rtol": 1e-9,
        "max_step": 0.1,
    }
    first = lg.simulate(model, 1.5, **options)
    motion = rerun(first, ["l1", "m2"], {"m2": 15.0})
    expected = lg.simulate(model, 1.5, parameters={"m2": 15.0}, **options)
    assert np.abs(motion.q - expected.q).max() < 1e-9
    assert [(e.name, round(e.t, 6)) for e in motion.events] == [(e.name, round(e.t, 6)) for e in expected.events]
    assert len(motion.events) > 0
    assert motion.statistics["rtol"] == 1e-9
    times = np.linspace(0, 1.5, 7)
    table = (times, np.stack([30 * np.sin(times), 5 * np.cos(times)], axis=1))
    for torque in (table, lg.Traced(lambda t, q, qd: [3 * q[1], -qd[1]])):
        expected = lg.simulate(model, 1.5, torque=torque, parameters={"l1": 0.8})
        motion = rerun(lg.simulate(model, 1.5, torque=torque), ["l1"], {"l1": 0.8})
        assert np.abs(motion.q - expected.q).max() < 1e-9


@pytest.mark.parametrize(
    ("name", "change"), [("bicycle", {"zB": -0.95}), ("rolling_disc", {"m": 2.0}), ("deployable_four_bar", {"m2": 0.7})]
)
def test_events_of_the_mechanism_itself(name: str, change: dict[str, float]) -> None:
    model = mechanism(name)
    actual, expected = rerun(lg.simulate(model, 0.5), list(change), change), lg.simulate(model, 0.5, parameters=change)
    assert np.abs(actual.q - expected.q).max() < 1e-8
    assert [e.name for e in actual.events] == [e.name for e in expected.events]


def test_other_actions_of_own_events_stay() -> None:
    text = lg.dumps(mechanism("two_r")) + '\n[[event]]\nname = "straight"\nwhen = "theta2"\naction = "record"\n'
    model = lg.loads(text)
    events = {"straight": "stop", "down": lg.Event("theta1 + 1.4", "record")}
    first = lg.simulate(model, 3.0, events=events)
    expected = lg.simulate(model, 3.0, events=events, parameters={"m2": 15.0})
    motion = rerun(first, ["m2"], {"m2": 15.0})
    assert [(e.name, round(e.t, 6)) for e in motion.events] == [(e.name, round(e.t, 6)) for e in expected.events]
    assert {e.name for e in motion.events} == {"straight", "down"}
    assert motion.last == pytest.approx(expected.last)


def test_a_run_that_was_stopped_goes_on_with_other_values() -> None:
    model, events = mechanism("two_r"), ["theta1 + 0.9"]
    first = lg.simulate(model, 2.0, qd0=[2.0, 0.0], events=events, t_eval=301)
    assert first.last < 0.6
    motion = rerun(first, ["qd0.theta1"], {"qd0.theta1": 0.2})
    expected = lg.simulate(model, 2.0, qd0=[0.2, 0.0], events=events, t_eval=301)
    assert motion.last == pytest.approx(expected.last)
    assert motion.last > first.last
    assert motion.t == pytest.approx(expected.t)
    assert np.abs(motion.q - expected.q).max() < 1e-8
