"""Inverse kinematics of one place, against forward kinematics: arms, loops, limits, all branches, what is out of reach."""

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kinematics.analytic import analytic_inverse_kinematics, within_limits
from tests.kinematics.arms import Z, apart, pose, serial

ARMS = {"puma560": "link6", "ur5": "link6", "stanford": "link6", "panda": "tool", "lwr7": "tool"}


@pytest.mark.parametrize("name", ARMS)
def test_random_poses_are_found_within_the_limits(name):
    arm, frame = lg.library(name), ARMS[name]
    rng = np.random.default_rng(3)
    for _ in range(6):
        T = pose(arm, arm.random_configuration(rng), frame)
        q = lg.inverse_kinematics(arm, T, frame)
        assert np.abs(pose(arm, q, frame) - T).max() < 1e-10
        assert within_limits(arm, q)


def test_the_solution_is_near_q0():
    arm, rng = lg.library("puma560"), np.random.default_rng(4)
    for q in [arm.random_configuration(rng) for _ in range(5)]:
        near = lg.inverse_kinematics(arm, pose(arm, q, "link6"), "link6", q + 0.02 * rng.normal(size=6))
        np.testing.assert_allclose(near, q, rtol=0, atol=1e-8)


def test_points_leave_the_orientation_free():
    arm = lg.library("panda")
    q = lg.inverse_kinematics(arm, (0.4, 0.3, 0.5), "tool")
    np.testing.assert_allclose(pose(arm, q, "tool")[:3, 3], (0.4, 0.3, 0.5), rtol=0, atol=1e-10)
    T = np.diag([1.0, -1, -1, 1])
    T[:3, 3] = (0.4, 0.3, 0.5)
    q = lg.inverse_kinematics(arm, T, "tool", directions=("wx", "wy", "x", "y", "z"))  # turned about z as it likes
    actual = pose(arm, q, "tool")
    np.testing.assert_allclose(actual[:3, 3], T[:3, 3], rtol=0, atol=1e-10)


LOOPS = {
    "five_bar": ("tip", ("x", "y"), 0.05),
    "three_rrr": ("platform", ("x", "y", "wz"), 0.05),
    "delta": ("platform", ("x", "y", "z"), 0.1),
    "stewart": ("platform", ("wx", "wy", "wz", "x", "y", "z"), 0.1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_stay_closed(name):
    frame, led, spread = LOOPS[name]
    mechanism = lg.library(name)
    dyn, rng = lg.compile(mechanism), np.random.default_rng(5)
    begin = np.array(mechanism.initial.q, dtype=float)
    for _ in range(4):
        T = dyn.pose(begin, frame)
        step = np.array([spread * rng.normal() if d in led else 0.0 for d in ("wx", "wy", "wz", "x", "y", "z")])
        T = lg.Transform.from_quaternion(T[:3, 3] + step[3:], (1, *step[:3] / 2)).matrix() @ np.block(
            [[T[:3, :3], np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]
        )
        q = lg.inverse_kinematics(mechanism, T, frame, directions=led)
        assert np.abs(dyn.closure(q)).max() < 1e-10
        pose = dyn.pose(q, frame)
        np.testing.assert_allclose(pose[:3, 3], T[:3, 3], rtol=0, atol=1e-10)
        if "wz" in led:
            np.testing.assert_allclose(pose[:3, :3], T[:3, :3], rtol=0, atol=1e-10)


def test_coordinates_as_the_target():
    """Of a four-bar the others follow from the crank; q0 picks the side its coupler is on."""
    mechanism = lg.library("four_bar")
    dyn = lg.compile(mechanism)
    one = lg.inverse_kinematics(mechanism, {"theta1": 0.7})
    other = lg.inverse_kinematics(mechanism, {"theta1": 0.7}, q0={"phi2": -1.6, "phi3": -2.0})
    for q in (one, other):
        assert q[0] == pytest.approx(0.7, abs=1e-12)
        assert np.abs(dyn.closure(q)).max() < 1e-12
    assert apart(one, other) > 0.5
    both = lg.inverse_kinematics(mechanism, {"theta1": 0.7}, all_solutions=True)
    assert len(both) == 2
    assert all(min(apart(q, b) for b in both) < 1e-8 for q in (one, other))


# -- all of them -----------------------------------------------------------------------------------------------------


def test_every_configuration_in_closed_form():
    two_r, puma = lg.library("two_r"), lg.library("puma560")
    solution = lg.inverse_kinematics(two_r, (1.4, 1.2), "tip", all_solutions=True)
    np.testing.assert_allclose(solution, analytic_inverse_kinematics(two_r, (1.4, 1.2), "tip"), rtol=0, atol=0)
    T = pose(puma, np.array([0.3, -0.5, 0.4, 0.6, 0.7, -0.2]), "link6")
    solution = lg.inverse_kinematics(puma, T, "link6", all_solutions=True)
    assert len(solution) == 8
    assert max(np.abs(pose(puma, q, "link6") - T).max() for q in solution) < 1e-11


def test_every_configuration_by_many_starts():
    scara = lg.library("scara")
    q = np.array([0.4, 0.9, 0.1, -0.3])
    solution = lg.inverse_kinematics(scara, pose(scara, q, "link4"), "link4", all_solutions=True, limits=False)
    assert len(solution) == 2  # two elbows
    assert min(apart(q, other) for other in solution) < 1e-8
    five_bar = lg.library("five_bar")
    dyn = lg.compile(five_bar)
    tip = dyn.pose(np.array(five_bar.initial.q, dtype=float), "tip")[:2, 3]
    solution = lg.inverse_kinematics(five_bar, tip, "tip", all_solutions=True)
    assert len(solution) >= 2
    for k, q in enumerate(solution):
        assert np.abs(dyn.closure(q)).max() < 1e-10
        np.testing.assert_allclose(dyn.pose(q, "tip")[:2, 3], tip, rtol=0, atol=1e-10)
        assert all(apart(q, other) > 1e-4 for other in solution[:k])


def test_closed_forms_only_for_what_they_solve():
    """Another height, fewer directions, an orientation: each is its own problem."""
    arm = serial([Z, Z], [(0, 0, 0.3), (1, 0, 0.3)], (2, 0, 0.3))
    solution = lg.inverse_kinematics(arm, (1.2, 0.7), "tip", all_solutions=True)
    assert len(solution) == 2
    for q in solution:
        np.testing.assert_allclose(pose(arm, q)[:2, 3], (1.2, 0.7), rtol=0, atol=1e-11)
    with pytest.raises(lg.UnreachableError, match="infinitely many"):
        lg.inverse_kinematics(arm, (1.2, 0.7), "tip", directions=("x",), all_solutions=True)
    two_r = lg.library("two_r")
    T = np.eye(4)
    T[:3, 3] = (1.5, 0.0, 0.0)
    solution = lg.inverse_kinematics(two_r, T, "tip", directions=("x", "wz"), all_solutions=True)  # cos q1 = 1/2, q1 + q2 = 0
    expected = np.array([[-np.pi / 3, np.pi / 3], [np.pi / 3, -np.pi / 3]])
    np.testing.assert_allclose(sorted(map(list, solution)), expected, rtol=0, atol=1e-9)
    with pytest.raises(lg.UnreachableError, match="out of reach"):
        lg.inverse_kinematics(arm, (1.2, 0.7, 0.4), "tip", all_solutions=True)


def test_a_redundant_arm_has_infinitely_many():
    arm = lg.library("panda")
    with pytest.raises(lg.UnreachableError, match="1 of its motions leave the target where it is"):
        lg.inverse_kinematics(arm, pose(arm, np.array(arm.initial.q, dtype=float), "tool"), "tool", all_solutions=True)


# -- limits, reach ---------------------------------------------------------------------------------------------------


def with_elbow_limits(low, high):
    arm = lg.library("two_r")
    first, second = arm.joints
    return replace(arm, joints=(first, replace(second, limits=lg.JointLimits(low, high))))


def test_limits_choose_the_branch():
    for low, high, sign in ((0, 3, 1), (-3, 0, -1)):
        arm = with_elbow_limits(low, high)
        for q0 in ([0.3, 0.8], [1.1, -0.8]):
            q = lg.inverse_kinematics(arm, (1.4, 1.2), "tip", q0)
            assert sign * q[1] == pytest.approx(0.7953988301841439, abs=1e-10)
        assert len(lg.inverse_kinematics(arm, (1.4, 1.2), "tip", all_solutions=True)) == 1
        assert len(lg.inverse_kinematics(arm, (1.4, 1.2), "tip", all_solutions=True, limits=False)) == 2
    for every in (False, True):
        with pytest.raises(lg.UnreachableError, match="two_r: the target is out of reach within the limits of its joints"):
            lg.inverse_kinematics(with_elbow_limits(-0.5, 0.5), (1.4, 1.2), "tip", all_solutions=every)


def test_a_start_outside_the_limits_is_brought_inside():
    arm = lg.library("panda")
    q = np.array([0.1, 0.3, 0.0, -1.8, 0.0, 2.0, 0.5])
    there = pose(arm, q, "tool")
    for off in (2 * np.pi, -4 * np.pi):  # whole turns change nothing
        assert lg.inverse_kinematics(arm, there, "tool", q0=q + off) == pytest.approx(q, abs=1e-9)
    for off in (10.0, -50.0, 1e6):
        solution = lg.inverse_kinematics(arm, there, "tool", q0=q + off)
        assert within_limits(arm, solution)
        assert np.abs(pose(arm, solution, "tool") - there).max() < 1e-9


def test_out_of_reach():
    arm = lg.library("two_r")
    with pytest.raises(lg.UnreachableError, match=r"x misses by 1[.,]"):
        lg.inverse_kinematics(arm, (3, 0), "tip")
    with pytest.raises(lg.UnreachableError, match="out of reach"):
        lg.inverse_kinematics(arm, (3, 0), "tip", all_solutions=True)
    T = np.eye(4)
    T[:3, 3] = (1.4, 1.2, 0)
    with pytest.raises(lg.UnreachableError, match="more directions than the mechanism can move in"):
        lg.inverse_kinematics(arm, T, "tip")
    with pytest.raises(lg.UnreachableError, match=r"z misses by 0.5"):
        lg.inverse_kinematics(arm, (1.4, 1.2, 0.5), "tip")
    with pytest.raises(lg.UnreachableError, match=r"three_rrr: the target is out of reach.*misses by"):
        lg.inverse_kinematics(lg.library("three_rrr"), (0.6, 0.5), "platform")


def test_the_edge_of_the_reach():
    q = lg.inverse_kinematics(lg.library("two_r"), (0, 2), "tip", [1.0, 0.3])
    np.testing.assert_allclose(q, (np.pi / 2, 0), rtol=0, atol=1e-5)  # a double solution: known to the root of rounding


# -- bad arguments ---------------------------------------------------------------------------------------------------

STRETCHED = np.diag([2.0, 2, 2, 1])


@pytest.mark.parametrize(
    ("target", "more", "message"),
    [
        ((1, 1), {}, "which frame.*tip"),
        ((1, 1), {"frame": "tpi"}, "'tpi'. Did you mean 'tip'"),
        ((1,), {"frame": "tip"}, r"target is \(1,\); a point"),
        ((1, np.nan), {"frame": "tip"}, "target is"),
        ("there", {"frame": "tip"}, "target is 'there'"),
        (STRETCHED, {"frame": "tip"}, "the target is not a rotation matrix"),
        ((1, 1), {"frame": "tip", "directions": ("x", "zz")}, "no direction 'zz'"),
        ((1, 1), {"frame": "tip", "directions": ()}, r"directions is \(\)"),
        ((1, 1), {"frame": "tip", "directions": ("x", "wz")}, "has no directions wx, wy, wz"),
        ((1, 1), {"frame": "tip", "q0": [0]}, r"q0 is \[0\]; 2 finite numbers are needed: theta1, theta2"),
        ((1, 1), {"frame": "tip", "q0": [0, np.inf]}, "q0 is"),
        ((1, 1), {"frame": "tip", "q0": "zer"}, "q0: there is no pose 'zer'. Did you mean 'zero'"),
        ((1, 1), {"frame": "tip", "q0": {"theta3": 1}}, "q0: there is no coordinate 'theta3'"),
        ((1, 1), {"frame": "tip", "q0": {"theta1": "x"}}, "q0: 'theta1': 'x' is not understood"),
        ({"theta1": np.nan}, {}, "target: 'theta1': nan is not a finite number"),
        ({"theta1": "x"}, {}, "target: 'theta1': 'x' is not understood"),
        ({"theta3": 1.0}, {}, "no coordinate 'theta3'"),
        ({"theta1": 1.0}, {"frame": "tip"}, "takes no frame"),
    ],
)
def test_bad_arguments(target, more, message):
    for every in (False, True):
        with pytest.raises(lg.LagrangianError, match=message):
            lg.inverse_kinematics(lg.library("two_r"), target, all_solutions=every, **more)


def test_a_solution_from_named_coordinates_counts_without_further_starts() -> None:
    q = lg.inverse_kinematics("two_r", (1, 0.5), frame="tip", q0={"theta1": -0.5}, starts=0)
    assert lg.compile("two_r").pose(q, "tip")[:2, 3] == pytest.approx([1, 0.5], abs=1e-9)
