"""What is in the way of a path, and the motion that comes of it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths
from lagrangian.inverse_dynamics.result import InverseDynamicsResult
from lagrangian.motion.motion import Motion
from tests.inverse_dynamics.motions import (
    CIRCLE,
    ROUND_TRIPS,
    TWO_R,
)

# -- what is in the way ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timing", ["quintic", "uniform", "trapezoidal"])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2, 0.7])
def test_leaving_the_reach_is_reported_when(timing, angle):
    out = np.array([np.cos(angle), np.sin(angle)])
    path = paths.line(out, 2.5 * out, 1.5, timing=timing)
    times = np.linspace(0, 1.5, 150_001)
    edge = times[np.argmax(np.linalg.norm(path(times)[0][:, :2, 3], axis=1) >= 2)]
    with pytest.raises(lg.UnreachableError, match=r"leaves the mechanism's reach at t = .*misses by") as error:
        lg.inverse(TWO_R, path, "tip", [angle - 1.0, 2.0])
    assert error.value.t == pytest.approx(edge, abs=1e-4)


@pytest.mark.parametrize("timing", ["quintic", "uniform"])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2, 0.7])
def test_a_path_to_or_from_the_stretched_arm(timing, angle):
    """Along the arm no finite accelerations lead there, whichever way the world's axes point."""
    out = np.array([np.cos(angle), np.sin(angle)])
    for a, b, when in ((1.2, 2.0, 1.5), (2.0, 1.2, 0.0)):
        for rows in (1001, 2):
            with pytest.raises(lg.UnreachableError, match="singular") as error:
                lg.inverse(TWO_R, paths.line(a * out, b * out, 1.5, timing=timing), "tip", [angle - 1.0, 2.0], t_eval=rows)
            assert error.value.t == pytest.approx(when, abs=1e-3)


def test_through_a_singularity():
    with pytest.raises(lg.UnreachableError, match=r"singularity at t = 0.5 s") as error:
        lg.inverse(TWO_R, paths.line((1.0, 0), (-1.0, 0), 1.0), "tip", [1.0, -2.0])
    assert error.value.t == pytest.approx(0.5, abs=1e-3)
    with pytest.warns(lg.PathWarning, match="near a singularity at t = 0.5"):
        lg.inverse(TWO_R, paths.line((1.0, 2e-4), (-1.0, 2e-4), 1.0), "tip", [1.0, -2.0])


def test_paths_that_cannot_begin():
    with pytest.raises(
        lg.UnreachableError, match="start of the path cannot be reached: two_r: the target is out of reach"
    ) as error:
        lg.inverse(TWO_R, paths.line((3, 0), (1, 0), 1.0).with_start_time(7.0), "tip")
    assert error.value.t == 7.0
    with pytest.raises(lg.UnreachableError, match=r"closure.*misses by"):
        lg.inverse(lg.library("four_bar"), paths.formula({"theta1": "pi/2+t", "phi3": "2.5+t"}, 0.5))


def test_degrees_are_suspected():
    """A path of all joints has no branches to choose."""
    path = paths.joint_line([0] * 6, [90, 30, 20, 10, 10, 10], 1.0)
    with pytest.raises(lg.UnreachableError, match="Angles are in radians: are these degrees") as error:
        lg.inverse(lg.library("ur5"), path)
    assert "branch" not in str(error.value)


def test_more_led_than_fits():
    machine = lg.library("five_bar")
    q = np.array(machine.initial.q)
    message = "prescribes 4 coordinates of a mechanism with 2 degrees of freedom.*prescribe 2 of them"
    with pytest.raises(lg.UnreachableError, match=message):
        lg.inverse(machine, paths.joint_line(q, q + 0.1, 1.0))
    with pytest.raises(lg.UnreachableError, match=message):
        lg.inverse(machine, paths.joint_line(q + 0.1, q, 1.0))


def test_torques_beyond_limits_are_warned_of():
    first, second = TWO_R.joints
    arm = replace(TWO_R, joints=(replace(first, limits=lg.JointLimits(-1, 1, 2.0, 10.0)), second))
    path = paths.formula({"theta1": "1.2*sin(pi*t)", "theta2": "0*t"}, 1.0)
    when = np.arcsin(1 / 1.2) / np.pi
    for rows in (1001, 2):
        with pytest.raises(lg.UnreachableError, match="moves theta1 beyond its limits, -1 to 1") as error:
            lg.inverse(arm, path, t_eval=rows)
        assert error.value.t == pytest.approx(when, abs=2e-3)
    with pytest.warns(lg.PathWarning, match="theta1 needs .* N m at .*; its limit of effort is 10 N m"):
        assert np.abs(lg.inverse(arm, path, limits=False).q).max() > 1.19
    with pytest.warns(lg.PathWarning) as caught_warnings:
        lg.inverse(arm, paths.formula({"theta1": "0.9*sin(pi*t)", "theta2": 0}, 1.0))
    assert any("a speed of 2.827 rad/s of theta1 at t = 0 s; its limit is 2 rad/s" in str(w.message) for w in caught_warnings)
    assert all(w.filename == __file__ for w in caught_warnings)


# -- the result ------------------------------------------------------------------------------------------------------


def test_partial_paths_in_any_order():
    path = paths.formula({"theta2": "0.3*t", "theta1": "0.5 - t"}, 1.0)
    motion = lg.inverse(TWO_R, path, t_eval=3)
    np.testing.assert_allclose(motion.q, [[0.5, 0], [0, 0.15], [-0.5, 0.3]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(motion.qd, [[-1, 0.3]] * 3, rtol=0, atol=1e-15)
    expected = lg.compile(TWO_R).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(motion.tau, expected, rtol=0, atol=1e-13)


def test_a_motion_in_place_of_a_path():
    run = lg.simulate(TWO_R, (0, 1), torque={"theta1": "3*sin(t)", "theta2": "-1"}, t_eval=101)
    motion = lg.inverse(TWO_R, run)
    np.testing.assert_allclose(motion.tau, run.tau, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(motion.q, run.q)
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale
    with pytest.raises(lg.ArgumentError, match="from a motion or from a file"):
        _ = motion.torque
    with pytest.raises(lg.ArgumentError, match="frame, q0 and t_eval are for paths"):
        lg.inverse(TWO_R, run, "tip")
    with pytest.raises(lg.ArgumentError, match="2 coordinates; 'puma560' has 6"):
        lg.inverse(lg.library("puma560"), run)


def test_saved_read_and_copied(tmp_path):
    which, path, more = ROUND_TRIPS["five_bar"]
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=21, wrenches={"tip": (0, 0, 0, 1, 2, 0)}, **more)
    before = motion.reactions
    read = lg.read(motion.save(tmp_path / "path.nc"), mechanism)
    copy = pickle.loads(pickle.dumps(motion))
    for other in (read, copy):
        assert isinstance(other, Motion)
        for name in ("t", "q", "qd", "qdd", "tau", "multipliers", "kinetic_energy", "drift"):
            np.testing.assert_array_equal(getattr(other, name), getattr(motion, name))
        assert set(other.work) == {"torque", "friction", "wrenches", "constraints"}
        assert other.message == motion.message
        np.testing.assert_allclose(other(0.33)[0], motion(0.33)[0], rtol=0, atol=1e-4)  # interpolated rows
    assert isinstance(copy, InverseDynamicsResult)
    np.testing.assert_array_equal(copy.reactions, before)
    with pytest.raises(lg.ArgumentError, match="or from a file"):
        copy.resample(5)


def test_other_rows_torques_and_joints_of_the_same_path():
    which, path, more = ROUND_TRIPS["five_bar"]
    path = path.with_start_time(-3.0)
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=21, **more)
    finer = motion.resample(101)
    assert len(finer.t) == 101
    for name in ("q", "qd", "qdd", "tau", "multipliers"):
        np.testing.assert_allclose(getattr(finer, name)[::5], getattr(motion, name), rtol=0, atol=1e-11)
    some = [-2.9, -2.23]
    np.testing.assert_allclose(motion.resample(some).q, motion(np.array(some))[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose([motion.torque(t) for t in finer.t], finer.tau, rtol=0, atol=1e-11 * np.abs(finer.tau).max())
    joints = motion.joint_path
    assert (joints.start, joints.end) == (path.start, path.end)
    for actual, row in zip(joints(finer.t), (finer.q, finer.qd, finer.qdd), strict=True):
        np.testing.assert_allclose(actual, row, rtol=0, atol=1e-10)
    again = lg.inverse(mechanism, joints, t_eval=21)
    np.testing.assert_allclose(again.tau, motion.tau, rtol=0, atol=1e-8)
    assert "q1: " in str(motion)
    assert "N m" in str(motion)
    assert repr(motion).startswith("<")
    with pytest.raises(lg.ArgumentError, match="is not integrated"):
        motion.error_against()
    with pytest.raises(lg.ArgumentError, match="at least 2 rows"):
        motion.resample(1)


def test_progress_is_reported():
    messages = []
    lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=2, progress=lambda *x: messages.append(x))
    assert messages == sorted(messages)
    assert messages[-1] == (10.0, 10.0)


@pytest.mark.parametrize(
    ("path", "more", "say"),
    [
        (None, {}, "path is a NoneType; a path is needed"),
        (paths.circle((1.2, 1.2), 0.2, 1.0), {}, "which frame of 'two_r' follows the path.*tip"),
        (CIRCLE, {"frame": "tpi"}, "Did you mean 'tip'"),
        (paths.joint_line([0, 0], [1, 1], 1.0), {"frame": "tip"}, "the path prescribes joints, not frame 'tip'"),
        (paths.joint_line([0, 0, 0], [1, 1, 1], 1.0), {}, "3 coordinates; 'two_r' has 2: theta1, theta2"),
        (paths.formula({"thta1": "t"}, 1.0), {}, "no coordinate 'thta1'. Did you mean 'theta1'"),
        (CIRCLE, {"t_eval": 1}, "at least 2 rows"),
        (CIRCLE, {"t_eval": []}, "t_eval must be a number of rows"),
        (CIRCLE, {"t_eval": [1, 0]}, "increasing times"),
        (CIRCLE, {"t_eval": [0, 11]}, "t_eval must be within the path's 0 to 10 s; it goes to 11"),
        (CIRCLE, {"t_eval": "all"}, "t_eval must be a number of rows"),
        (CIRCLE, {"progress": 3}, "progress is 3"),
        (CIRCLE, {"q0": [0]}, "q0 is"),
        (CIRCLE, {"wrenches": [1]}, "wrenches is a list; a mapping of frames"),
        (CIRCLE, {"wrenches": {"tip": (1, 2, 3)}}, "wrench on 'tip' is .*six numbers or expressions"),
        (CIRCLE, {"wrenches": {"tpi": (0,) * 6}}, "Did you mean 'tip'"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, 0, "foo", 0, 0)}}, "wrench on 'tip': fx.*no name 'foo'"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, 0, 0, 0, np.nan)}}, "wrench on 'tip': fz is nan"),
        (CIRCLE, {"wrenches": {"tip": (0, 0, "1/t", 0, 0, 0)}}, "wrench on 'tip': mz is not finite at t = 0 s"),
        (CIRCLE, {"wrenches": {"tip": lambda t, q, qd: np.zeros(5)}}, r"the wrench on 'tip' returned shape \(5,\) at t = 0 s"),
        (
            CIRCLE,
            {"wrenches": {"tip": lambda t, q, qd: [1 / t] * 6}},
            "the wrench on 'tip' failed at t = 0 s: .*by zero",
        ),
    ],
)
def test_bad_arguments(path, more, say):
    with pytest.raises(lg.LagrangianError, match=say):
        lg.inverse(TWO_R, path, **more)


@pytest.mark.parametrize("timing", ["quintic", "trapezoidal"])
def test_dry_friction_of_rows_at_rest(timing: str) -> None:
    """Where a path starts and stops the torque is that of the moment beside it, not one without friction."""
    puma = lg.library("puma560")
    motion = lg.inverse(puma, lg.paths.joint_line("qz", "qn", 1.0, mechanism=puma, timing=timing))
    for row, beside in ((0, 1e-9), (-1, 1 - 1e-9)):
        np.testing.assert_allclose(motion.tau[row], motion.torque(beside), atol=1e-5)
    moving = np.array(puma.poses["qn"]) > 0
    coulomb = np.array([float(j.friction.coulomb) for j in puma.joints])
    np.testing.assert_allclose(motion.friction[0], np.where(moving, coulomb, 0.0), atol=1e-9)
    np.testing.assert_allclose(motion.friction[-1], np.where(moving, coulomb, 0.0), atol=1e-9)


def test_paths_of_many_points_are_cheap_to_drive_by() -> None:
    """Knots of a cubic spline are edges of the torques' series, which else would have to find them."""
    arm = lg.library("two_r")
    t = np.linspace(0.0, 2.0, 201)
    path = lg.paths.interpolate(t, np.column_stack([np.sin(t), np.cos(2 * t)]), degree=3)
    torque = lg.inverse(arm, path).torque
    assert len(torque.series.coefficients) < 300
    dyn = lg.compile(arm)
    for x in (0.1234, 0.5, 1.7777):
        np.testing.assert_allclose(torque(x), dyn.inverse_dynamics(*path(x)), rtol=1e-11)
