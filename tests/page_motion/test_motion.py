"""What a page computes is what `simulate` gives, for the numbers that it was made with and for others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.page_motion import compile_page
from tests.page_motion.motions import BEGIN, SECONDS, controller, mechanism, motion, simulate
from tests.page_motion.node import run

SLIDERS = {
    "two_r": ["l1", "m2", "g", "q0.theta1", "qd0.theta2"],
    "four_bar": ["l1", "l3", "m2", "q0.theta1"],
    "stewart": ["h", "mp", "k", "rb", "q0.leg1"],
    "scara": ["m4", "q0.theta1", "qd0.theta1"],
    "puma560": ["frequency", "damping", "link6.mass", "q0.q2"],
}
# sliders moved, and the same for `simulate`
CHANGES: dict[str, list[tuple[dict[str, float], dict[str, Any]]]] = {
    "two_r": [
        ({"l1": 0.8, "m2": 20.0}, {"parameters": {"l1": 0.8, "m2": 20.0}}),
        ({"g": 1.6, "q0.theta1": 0.4, "qd0.theta2": 1.5}, {"parameters": {"g": 1.6}, "q0": [0.4, np.pi / 4], "qd0": [0, 1.5]}),
    ],
    "four_bar": [
        ({"l1": 0.35, "l3": 0.7}, {"parameters": {"l1": 0.35, "l3": 0.7}}),
        ({"m2": 3.0, "q0.theta1": 1.0}, {"parameters": {"m2": 3.0}, "q0": {"theta1": 1.0}}),
    ],
    "stewart": [
        ({"h": 2.2, "mp": 900.0}, {"parameters": {"h": 2.2, "mp": 900.0}}),
        ({"k": 20000.0}, {"parameters": {"k": 20000.0}}),
        ({"rb": 3.9, "h": 2.4}, {"parameters": {"rb": 3.9, "h": 2.4}}),  # the loops are open on the straight way there
    ],
    "scara": [({"m4": 0.8, "q0.theta1": 0.3}, {"parameters": {"m4": 0.8}, "q0": {"theta1": 0.3}})],
    "puma560": [
        ({"frequency": 12.0, "damping": 0.7}, {"torque": controller(frequency=12.0, damping=0.7)}),
        ({"link6.mass": 2.0, "q0.q2": 1.0}, {"parameters": {"link6.mass": 2.0}, "q0": [*BEGIN[:1], 1.0, *BEGIN[2:]]}),
    ],
}


def _expected_motion(name: str, arguments: dict[str, Any]) -> lg.Motion:
    if not arguments:
        return motion(name)
    return simulate(name, **arguments)


@pytest.mark.parametrize("name", ["two_r", "four_bar", "scara", "puma560", pytest.param("stewart", marks=pytest.mark.slow)])
def test_a_page_computes_what_simulate_does(name, tmp_path):
    answers = run(compile_page(motion(name), SLIDERS[name]), tmp_path, {}, *(change for change, _ in CHANGES[name]))
    for answer, (_, value) in zip(answers, [({}, {}), *CHANGES[name]], strict=True):
        assert answer.ended is None
        actual = _expected_motion(name, value).resample(answer.t)
        scale = 1 + np.abs(actual.qd).max()
        assert np.abs(answer.q - actual.q).max() < 2e-6 * scale
        assert np.abs(answer.qd - actual.qd).max() < 2e-5 * scale


def test_forces_energies_and_poses_are_those_of_the_motion(tmp_path):
    for name in ("two_r", "four_bar"):
        (answer,) = run(compile_page(motion(name), SLIDERS[name]), tmp_path, {})
        actual = motion(name).resample(answer.t)
        assert answer.values["energy", "kinetic"] == pytest.approx(actual.kinetic_energy, abs=1e-5)
        assert answer.values["energy", "potential"] == pytest.approx(actual.potential_energy, abs=1e-5)
        assert answer.values["energy", "total"] == pytest.approx(actual.energy, abs=1e-5)
        for k, constraint in enumerate(actual.constraint_names):
            assert answer.values["forces", constraint] == pytest.approx(actual.multipliers[:, k], abs=1e-4)
        from lagrangian.viewer.scene.poses import all_poses

        poses = all_poses(actual.mechanism, answer.q)
        assert answer.poses[..., :3] == pytest.approx(poses[..., :3, 3], abs=1e-6)
        w, x, y, z = np.moveaxis(answer.poses[..., 3:].astype(float), -1, 0)
        first = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=-1)
        assert first == pytest.approx(poses[..., :3, 0], abs=1e-6)
        steps = np.abs(np.diff(answer.poses[..., 3:], axis=0)).max()
        assert steps < 0.5, "quaternions keep their side"


def test_arrows_are_those_of_a_recorded_motion(tmp_path):
    from lagrangian.viewer.scene.track import motion_track

    for name in ("four_bar", "scara"):
        (answer,) = run(compile_page(motion(name), SLIDERS[name]), tmp_path, {})
        seen = motion_track(motion(name), rows=len(answer.t))
        compared = 0
        for arrows in seen.arrows:
            mine = answer.arrows[arrows.name]
            largest = np.abs(arrows.vectors).max()
            assert mine[:, :3] == pytest.approx(arrows.points, abs=1e-5)
            # between its own rows a recorded force is a straight line, and it may jump there
            assert np.quantile(np.abs(mine[:, 3:] - arrows.vectors), 0.95) < 2e-3 * largest
            compared += 1
        assert compared >= 4


def test_a_motion_that_cannot_begin_says_why(tmp_path):
    page = compile_page(motion("four_bar"), [("l2", 0.5, 3.0), "l1"])
    (answer,) = run(page, tmp_path, {"l2": 3.0})
    assert len(answer.t) == 0
    assert "the loops do not close" in answer.ended["reason"]


def test_limits_stop_joints_as_they_do_in_python(tmp_path):
    (answer,) = run(compile_page(motion("scara"), SLIDERS["scara"]), tmp_path, {})
    messages = [event["name"] for event in answer.events]
    assert messages == [event.name for event in motion("scara").events if "meets" in event.name]
    assert messages


def test_bounces_are_those_of_python(tmp_path):
    pendulum = lg.library("pendulum")
    joint = pendulum.joints[0]
    model = pendulum.replace(joints=(replace(joint, limits=lg.JointLimits(lower=-1.0, upper=1.0)),))
    motion = lg.simulate(model, 3, q0=[0.9], qd0=[2.0], restitution=0.6)
    (answer,) = run(compile_page(motion, []), tmp_path, {})
    expected = motion.resample(answer.t)
    assert np.abs(answer.q - expected.q).max() < 1e-6
    assert answer.q.max() <= 1.0 + 1e-9


def test_tables_of_torques_and_jumps_in_time(tmp_path):
    model = mechanism("two_r")
    times = np.linspace(0, 2, 9)
    values = np.stack([100 * np.sin(times), 20 * np.cos(3 * times)], axis=1)
    for torque in ((times, values), {"theta1": "piecewise(t < 0.7, 50, -80)"}, {"theta2": "20*sign(sin(5*t))"}):
        motion = lg.simulate(model, 2, torque=torque)
        (answer,) = run(compile_page(motion, ["l1"]), tmp_path, {})
        expected = motion.resample(answer.t)
        assert np.abs(answer.q - expected.q).max() < 1e-7


def test_sampled_controllers_act_at_their_times(tmp_path):
    torque = controller().with_sampling(5e-3, delay=2e-3)
    motion = lg.simulate(mechanism("puma560"), 0.5, q0=BEGIN, torque=torque)
    (answer, other) = run(compile_page(motion, ["frequency"]), tmp_path, {}, {"frequency": 10.0})
    expected = motion.resample(answer.t)
    assert np.abs(answer.q - expected.q).max() < 1e-9
    again = lg.simulate(mechanism("puma560"), 0.5, q0=BEGIN, torque=controller(frequency=10.0).with_sampling(5e-3, delay=2e-3))
    assert np.abs(other.q - again.resample(other.t).q).max() < 1e-6


def test_events_are_reported_and_stop_a_motion(tmp_path):
    motion = lg.simulate(mechanism("two_r"), 3, events=[lg.Event("theta1 + pi/2", "record", name="low"), "qd_theta2 - 4"])
    (answer,) = run(compile_page(motion, ["m2"]), tmp_path, {})
    expected = [(e.name, e.t) for e in motion.events]
    assert [e["name"] for e in answer.events] == [name for name, _ in expected]
    assert [e["t"] for e in answer.events] == pytest.approx([t for _, t in expected], abs=1e-8)
    assert answer.ended["t"] == pytest.approx(motion.last, abs=1e-8)


def test_the_seconds_are_those_of_the_motion():
    for name in SECONDS:
        if name != "stewart":
            assert compile_page(motion(name), SLIDERS[name]).plan["end"] == SECONDS[name]
