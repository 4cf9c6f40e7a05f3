"""What is not a matter of parameters alone: places of frames, limits, starts, redundant equations, runs that were stopped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.page_motion import NotComputableError, compile_page
from tests.page_motion.motions import mechanism, motion
from tests.page_motion.node import run


def test_mechanisms_that_differ_in_a_frame_alone_have_pages_of_their_own(tmp_path):
    """The tip is at l2, which is in no equation of motion of this arm: its masses are where r2 says."""
    for l2 in (1.0, 2.0):
        motion = lg.simulate(mechanism("two_r"), 0.5, parameters={"l2": l2})
        (answer,) = run(compile_page(motion, ["m2"]), tmp_path, {})
        elbow, tip = answer.poses[:, 2, :3], answer.poses[:, -1, :3]
        assert np.linalg.norm(tip - elbow, axis=1) == pytest.approx(l2, abs=1e-6)


@pytest.mark.parametrize("path", ["theta1.limits.upper", "theta1.limits.lower", "theta1.friction.coulomb", "d3.friction.coulomb"])
def test_limits_and_dry_friction_are_no_sliders(path):
    with pytest.raises(ArgumentError, match="which needs Python"):
        compile_page(motion("scara"), [path])


def test_a_page_does_not_begin_beyond_limits():
    upper = float(mechanism("scara").joint("theta1").limits.upper)
    with pytest.raises(ArgumentError, match="limits"):
        compile_page(motion("scara"), [("q0.theta1", 0, upper + 0.1)])


def test_impossible_masses_are_no_ends_of_a_range():
    with pytest.raises(ArgumentError, match="cannot be -5"):
        compile_page(motion("two_r"), [("m2", -5, 20)])
    with pytest.raises(ArgumentError, match="cannot be -2"):
        compile_page(motion("two_r"), [("I2", -2, 20)])


def test_forces_of_an_overconstrained_mechanism_are_the_least(tmp_path):
    motion = lg.simulate("bricard", 0.3)
    (answer,) = run(compile_page(motion, ["m"]), tmp_path, {})
    rows = motion.resample(answer.t)
    for k, name in enumerate(motion.constraint_names):
        assert answer.values["forces", name] == pytest.approx(rows.multipliers[:, k], abs=1e-5)


def test_speeds_that_are_left_open_are_found_with_the_new_masses(tmp_path):
    model = mechanism("five_bar")
    start = lg.simulate(model, 0.01).q[0]
    value = lg.model.initial_state.PartialState((2.0, 0.0, 0.0, 0.0), ("q1",))
    model = model.replace(initial=replace(model.initial, q=tuple(start), qd=value, t_span=(0.0, 0.3)))
    motion = lg.simulate(model)
    (answer,) = run(compile_page(motion, ["m2"]), tmp_path, {"m2": 1.5})
    expected = lg.simulate(model, parameters={"m2": 1.5})
    assert answer.qd[0] == pytest.approx(expected.qd[0], abs=1e-9)
    assert np.abs(answer.q - expected.resample(answer.t).q).max() < 1e-6


def test_a_run_that_was_stopped_goes_on_with_other_values(tmp_path):
    fast = lg.Event("qd_theta2 - 4", "stop", name="fast")
    motion = lg.simulate(mechanism("two_r"), 3, events=[fast])
    assert motion.last < 3
    answers = run(compile_page(motion, ["g"]), tmp_path, {}, {"g": 5.0})
    assert answers[0].ended["reason"] == "fast"
    expected = lg.simulate(mechanism("two_r"), 3, events=[fast], parameters={"g": 5.0})
    assert answers[1].t[-1] == pytest.approx(expected.last, abs=0.01)


def test_a_run_that_begins_off_its_constraints_is_not_computed():
    model = mechanism("four_bar")
    q = lg.simulate(model, 0.1).q[0] + [0, 1e-3, 0]
    motion = lg.simulate(model, 0.1, q0=q, qd0=[0, 0, 0], off_constraint=True, stabilisation="baumgarte")
    with pytest.raises(NotComputableError, match="off its constraints"):
        compile_page(motion)


def test_steps_of_a_fixed_length_go_on_after_a_stop(tmp_path):
    motion = lg.simulate(mechanism("scara"), 1.5, method="rk4", step=1e-3)
    (answer,) = run(compile_page(motion, ["m4"]), tmp_path, {})
    assert answer.ended is None
    assert np.abs(answer.q - motion.resample(answer.t).q).max() < 1e-6


def test_torques_of_a_sampled_controller_are_those_after_each_sample(tmp_path):
    arm = mechanism("two_r")
    controller = lg.control.ComputedTorque(arm, lg.paths.joint_line([0, 0.5], [1, 0], duration=1))
    motion = lg.simulate(arm, 1, q0=[0.1, 0.4], torque=controller.with_sampling(0.05))
    (answer,) = run(compile_page(motion, ["m2"]), tmp_path, {})
    rows = motion.resample(answer.t)
    for k, name in enumerate(arm.speed_names):
        assert answer.values["torques", name] == pytest.approx(rows.tau[:, k], abs=1e-6)
