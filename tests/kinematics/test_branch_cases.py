"""Branches at singular configurations, of arms described in other ways, and within limits."""

import itertools
import time

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import LagrangianError
from lagrangian.kinematics.analytic import analytic_inverse_kinematics, within_limits
from tests.kinematics.arms import X, Y, Z, apart, pose, serial, unit, upright
from tests.kinematics.branch_checks import (
    PUMA,
    holds,
    sound,
)

# -- singular ----------------------------------------------------------------------------------------------------------


def test_aligned_wrist_gives_one_with_q4_zero():
    rng = np.random.default_rng(2)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[4] = 0
        T = pose(arm, q)
        actual = sound(arm, T, analytic_inverse_kinematics(arm, T, "tip"))
        # two shoulders and two elbows; at one of the four the wrist is aligned, at another it is folded back
        assert len(actual) == 6
        aligned = [b for b in actual if abs(np.sin(b[4])) < 1e-9]
        assert all(b[3] == 0 for b in aligned)
        own = min(aligned, key=lambda b: apart(b[:3], q[:3]))
        assert apart(own, [*q[:3], 0, 0, q[3] + q[5]]) < 1e-9


def test_stretched_elbow_counts_once():
    rng = np.random.default_rng(4)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[2] = 0
        assert len(holds(arm, q)) == 4
        q[4] = 0
        T = pose(arm, q)
        assert len(sound(arm, T, analytic_inverse_kinematics(arm, T, "tip"))) == 2


def test_wrist_above_the_shoulder():
    """The wrist's centre is on the first axis: any q1 will do, and 0 is taken."""
    rng = np.random.default_rng(6)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[1] = -np.arctan2(0.4 * np.sin(q[2]), 0.5 + 0.4 * np.cos(q[2]))
        T = pose(arm, q)
        actual = sound(arm, T, analytic_inverse_kinematics(arm, T, "tip"))
        assert len(actual) == 4
        assert all(b[0] == 0 for b in actual)


def test_every_quarter_turn():
    """All singularities together, at exact quarter turns: something is found, and it is sound."""
    for arm, frame in ((PUMA, "link6"), (upright(), "tip")):
        for quarters in itertools.islice(itertools.product((0, 1, 2, -1), repeat=6), 0, None, 37):
            T = pose(arm, np.array(quarters) * np.pi / 2, frame)
            assert sound(arm, T, analytic_inverse_kinematics(arm, T, frame), frame)


def test_all_zero_upright():
    (q,) = analytic_inverse_kinematics(upright(), pose(upright(), np.zeros(6)), "tip")
    np.testing.assert_allclose(q, 0, atol=1e-15)


# -- descriptions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_both_dh_conventions_with_base_and_tool(convention):
    half = np.pi / 2
    if convention == "standard":
        rows = [
            (0, half, 0.4, 0),
            (0.3, 0.2, 0.1, 1),
            (0.05, -half, 0, 0),
            (0, half, 0.35, 0.5),
            (0, -half, 0, 0),
            (0, 0, 0.1, 0),
        ]
    else:
        rows = [
            (0, 0, 0.4, 0),
            (0.1, -half, 0, 1),
            (0.3, 0.1, 0.1, 0),
            (0.05, -half, 0.35, 0),
            (0, half, 0, 0.5),
            (0, -half, 0, 0),
        ]
    table = [dict(zip(("a", "alpha", "d", "theta"), row, strict=True)) for row in rows]
    base = lg.Transform.from_rpy((1, 2, 3), (0.3, 0.2, 0.1))
    tool = lg.Transform.from_rpy((0.01, 0.02, 0.3), (1, 2, 3))
    arm = lg.Mechanism.from_dh(table, convention=convention, base=base, tool=tool)
    rng = np.random.default_rng(8)
    for _ in range(20):
        holds(arm, rng.uniform(-np.pi, np.pi, 6), "tool")


def test_rounded_urdf_with_fixed_joints_between(tmp_path):
    """Angles written as 1.5708: the wrist's axes only nearly meet; Newton's steps make up for it."""
    places = [("0 0 0.3", "0 0 0"), ("0 0.1 0", "-1.5708 0 0"), ("0.5 0 0", "0 0 0.3"), ("0.02 0 0.2", "1.5708 0 0"),
              ("0 0 0.2", "-1.5708 0 0"), ("0 0 0", "1.5708 0 0")]  # fmt: skip
    links, joints = ['<link name="base"/>'], []
    parent = "base"
    for k, (xyz, rpy) in enumerate(places):
        links += [f'<link name="flange{k}"/>', f'<link name="l{k}"/>']
        joints += [
            f'<joint name="f{k}" type="fixed"><parent link="{parent}"/><child link="flange{k}"/><origin xyz="0 0 0.01"/></joint>'
            if k < 4
            else f'<joint name="f{k}" type="fixed"><parent link="{parent}"/><child link="flange{k}"/></joint>',
            f'<joint name="j{k}" type="continuous"><parent link="flange{k}"/><child link="l{k}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/></joint>',
        ]
        parent = f"l{k}"
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(links)}{"".join(joints)}</robot>')
    arm = lg.load(path)
    rng = np.random.default_rng(9)
    for _ in range(20):
        assert len(holds(arm, rng.uniform(-np.pi, np.pi, 6), "l5")) == 8


def test_joints_listed_in_another_order_and_universal_ones():
    order = [3, 0, 5, 1, 4, 2]
    shape = [Z, Y, Y, Z, Y, Z], np.outer([0, 0.3, 0.8, 1.0, 1.2, 1.3], Z), 1.4 * Z
    plain, mixed = serial(*shape), serial(*shape, order=order)
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    T = pose(plain, q)
    assert min(apart(q[order], b) for b in analytic_inverse_kinematics(mixed, T, "tip")) < 1e-12
    joints = plain.joints
    pair = lg.Joint("wrist", "universal", "b3", "b5", lg.Transform(position=(0, 0, 0.2)), axis=Y, axis2=Z)
    bodies = [b for b in plain.bodies if b.name != "b4"]
    tip = lg.Frame("tip", "b5", lg.Transform(plain.frames[0].placement.rotation, (0, 0, 0.2)))
    arm = lg.Mechanism("arm", bodies, [*joints[:4], pair], frames=(tip,))
    solutions = analytic_inverse_kinematics(arm, T, "tip")
    np.testing.assert_allclose(solutions, analytic_inverse_kinematics(plain, T, "tip"), rtol=0, atol=1e-12)


# -- limits, and what is not solved ------------------------------------------------------------------------------------


def test_limits_move_angles_by_whole_turns_and_leave_none_out():
    def with_limits(*limits):
        arm = lg.library("two_r")
        return arm.replace(
            joints=[
                lg.Joint(j.name, j.type, j.parent, j.child, j.placement, limits=x)
                for j, x in zip(arm.joints, limits, strict=True)
            ]
        )

    free = analytic_inverse_kinematics(lg.library("two_r"), (1.4, 1.2), "tip")
    arm = with_limits((2 * np.pi, 4 * np.pi), (0, 1))
    up, down = analytic_inverse_kinematics(arm, (1.4, 1.2), "tip")
    np.testing.assert_allclose(up - free[0], (2 * np.pi, 0), atol=1e-15)
    np.testing.assert_allclose(down - free[1], (2 * np.pi, 0), atol=1e-15)  # theta2 < 0 cannot be brought into (0, 1)
    assert within_limits(arm, up)
    assert not within_limits(arm, down)
    up, down = analytic_inverse_kinematics(with_limits((-4 * np.pi, -2 * np.pi), (0, 2 * np.pi)), (1.4, 1.2), "tip")
    np.testing.assert_allclose(up - free[0], (-4 * np.pi, 0), atol=1e-14)
    np.testing.assert_allclose(down - free[1], (-4 * np.pi, 2 * np.pi), atol=1e-14)
    with pytest.raises(LagrangianError, match=r"q has shape \(3,\); \(2,\) is needed: theta1, theta2"):
        within_limits(arm, [1, 2, 3])
    ball = lg.Mechanism("ball", [lg.Body("b", 1)], [lg.Joint("j", "ball", "ground", "b")])
    assert within_limits(ball, [1, 0, 0, 0])


@pytest.mark.parametrize(
    "name", ["ur5", "panda", "lwr7", "scara", "stanford", "four_bar", "three_r", "five_bar", "cart_pendulum"]
)
def test_other_mechanisms_are_left_to_others(name):
    arm = lg.library(name)
    for body in arm.bodies:
        assert analytic_inverse_kinematics(arm, np.eye(4), body.name) is None


def test_arms_whose_wrist_stays_on_a_surface_are_left_to_others():
    wrist, line = [Z, Y, Z], [3 * Z, 3 * Z, 3 * Z]
    for axes, points in (
        ([X, X, X], [0 * Z, Z, 2 * Z]),  # all parallel
        ([X, Y, unit(X + Y)], [0 * Z, 0 * Z, 0 * Z]),  # all meet: and so does the wrist
        ([Z, Z, X], [0 * Z, Z, 2 * Z]),  # two in one
        ([X, Y, Y], [0 * Z, Z, Z]),
        ([X, Y, Z], [0 * Z, Z, 0 * Z]),  # the third through the wrist
    ):
        assert analytic_inverse_kinematics(serial([*axes, *wrist], [*points, *line], 4 * Z), np.eye(4), "tip") is None
    elsewhere = serial([Z, Y, Y, Z, Y, Z], np.outer([0, 0.3, 0.8, 1.0, 1.2, 1.3], Z), 1.4 * Z)
    assert analytic_inverse_kinematics(elsewhere, np.eye(4), "b4") is None  # not all joints move it
    assert analytic_inverse_kinematics(elsewhere, np.eye(4), "ground") is None


def test_what_is_wrong_is_reported():
    two_r = lg.library("two_r")
    standing = serial([X, X], [0 * Z, Z], 2 * Z)
    bad = np.eye(4)
    bad[0, 0] = 2
    mirror = np.diag([1.0, 1, -1, 1])
    for arguments, said in (
        ((PUMA, (1, 2, 3), "link6"), "pose has 3 numbers; an arm of six joints needs a 4x4"),
        ((PUMA, bad, "link6"), "its upper 3x3 must be a rotation"),
        ((PUMA, mirror, "link6"), "its upper 3x3 must be a rotation"),
        ((PUMA, np.eye(4), "link7"), "Did you mean 'link6'"),
        ((two_r, (1,), "tip"), r"pose has shape \(1,\)"),
        ((two_r, (np.nan, 1), "tip"), "not finite"),
        ((two_r, "there", "tip"), "pose is 'there'"),
        ((two_r, (1, 1), lg.Frame("tip", "hand")), "there is no body 'hand'"),
        ((standing, (0, 1), "tip"), "give x, y and z"),
        (("two_r", (1, 1), "tip"), "needs a Mechanism"),
    ):
        with pytest.raises(LagrangianError, match=said):
            analytic_inverse_kinematics(*arguments)


def test_a_rounded_rotation_is_taken_as_one():
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    solutions = analytic_inverse_kinematics(PUMA, np.round(pose(PUMA, q, "link6"), 6), "link6")
    assert len(solutions) == 8
    assert min(apart(q, b) for b in solutions) < 1e-4


def test_takes_a_millisecond_or_so():
    T = pose(PUMA, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), "link6")
    taken = []
    for _ in range(30):
        start = time.process_time()
        analytic_inverse_kinematics(PUMA, T, "link6")
        taken.append(time.process_time() - start)
    assert min(taken) < 5e-3  # 0.4 ms on an idle core
