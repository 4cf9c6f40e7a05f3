"""Torques of some joints, with wrenches from outside, of redundant arms and of what rolls."""

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths
from tests.inverse_dynamics.motions import (
    CIRCLE,
    PLATFORM,
    ROUND_TRIPS,
    THERE,
    TWO_R,
    consistent,
    rates,
)

# -- actuators -------------------------------------------------------------------------------------------------------


def with_actuators(mechanism, names):
    return replace(mechanism, joints=tuple(replace(j, actuated=j.name in names) for j in mechanism.joints))


def test_over_actuated_it_moves_the_same():
    all_four = with_actuators(lg.library("five_bar"), ("q1", "q2", "phi3", "phi4"))
    path, more = ROUND_TRIPS["five_bar"][1:]
    motion = lg.inverse(all_four, path, t_eval=21, **more)
    two = lg.inverse(lg.library("five_bar"), path, t_eval=21, **more)
    np.testing.assert_allclose(motion.q, two.q, rtol=0, atol=1e-12)
    assert (np.linalg.norm(motion.tau, axis=1) < np.linalg.norm(two.tau, axis=1)).all()
    np.testing.assert_allclose((motion.tau * motion.qd).sum(axis=1), (two.tau * two.qd).sum(axis=1), rtol=0, atol=1e-10)
    compiled_dynamics = lg.compile(all_four).forward_dynamics(motion.q, motion.qd, motion.tau)
    np.testing.assert_allclose(compiled_dynamics, motion.qdd, rtol=0, atol=1e-9 * np.abs(motion.qdd).max())


def test_under_actuated():
    cart = lg.library("cart_pendulum")
    with pytest.raises(lg.ActuationError, match="under-actuated: theta is passive") as error:
        lg.inverse(cart, paths.joint_line([0, 0], [1, 0.5], 1.0))
    assert 0 <= error.value.t <= 1
    two = with_actuators(lg.library("three_rrr"), ("theta1", "theta2"))
    with pytest.raises(lg.ActuationError, match=r"3 degrees of freedom and 2 actuated coordinates \(theta1, theta2\)"):
        lg.inverse(two, paths.formula(PLATFORM, 0.5))


def test_under_actuated_motions_that_are_possible():
    """What the cart and its pendulum do by themselves under a force on the cart needs this force, and nothing else."""
    cart = lg.library("cart_pendulum")
    run = lg.simulate(cart, (0, 1), [0, 0.4], [0, 0], torque={"x": "3*sin(5*t)"}, rtol=1e-11, t_eval=201)
    motion = lg.inverse(cart, run)
    np.testing.assert_allclose(motion.tau, np.column_stack([3 * np.sin(5 * run.t), np.zeros(201)]), rtol=0, atol=1e-10)


# -- wrenches from outside -------------------------------------------------------------------------------------------


def test_wrenches_against_the_jacobian():
    puma = lg.library("puma560")
    wrench = np.array([1.0, -2, 3, 10, 20, -30])
    plain = lg.inverse(puma, THERE, t_eval=11)
    loaded = lg.inverse(puma, THERE, t_eval=11, wrenches={"link6": wrench})
    J = lg.compile(puma).jacobian(plain.q, "link6")
    np.testing.assert_allclose(loaded.tau, plain.tau - np.einsum("nij,i->nj", J, wrench), rtol=0, atol=1e-11)
    assert np.abs(loaded.energy_balance).max() < 1e-10
    power = np.einsum("nij,nj,i->n", J, plain.qd, wrench)
    fine = lg.inverse(puma, THERE, t_eval=1001, wrenches={"link6": wrench})
    np.testing.assert_allclose(
        rates(fine.work["wrenches"], fine.t)[97::100], power[1:-1], rtol=0, atol=1e-5 * np.abs(power).max()
    )


def test_wrenches_of_time_and_state_on_a_loop():
    """Virtual work: what the actuators do less is what the wrench does."""
    mechanism = lg.library("five_bar")
    path, more = ROUND_TRIPS["five_bar"][1:]
    values = (0, 0, "2*t", "5*sin(3*t) - 2*qd_q1", "q2 + l1", 7)
    plain = lg.inverse(mechanism, path, t_eval=51, **more)
    loaded = lg.inverse(mechanism, path, t_eval=51, wrenches={"tip": values}, **more)
    t, names = plain.t, plain.coordinate_names
    wrench = np.zeros((51, 6))
    wrench[:, 2], wrench[:, 3] = 2 * t, 5 * np.sin(3 * t) - 2 * plain.qd[:, names.index("q1")]
    wrench[:, 4], wrench[:, 5] = plain.q[:, names.index("q2")] + 0.5, 7
    power = (lg.compile(mechanism).velocity(plain.q, plain.qd, "tip") * wrench).sum(axis=1)
    np.testing.assert_allclose(((loaded.tau - plain.tau) * plain.qd).sum(axis=1), -power, rtol=0, atol=1e-11)
    assert np.abs(power).max() > 0.5
    assert np.abs(loaded.energy_balance).max() < 1e-10

    def function(t, q, qd):
        return 0, 0, 2 * t, 5 * np.sin(3 * t) - 2 * qd[names.index("q1")], q[names.index("q2")] + 0.5, 7

    asked = lg.inverse(mechanism, path, t_eval=51, wrenches={"tip": function}, **more)
    np.testing.assert_allclose(asked.tau, loaded.tau, rtol=0, atol=1e-12)
    np.testing.assert_allclose(asked.work["wrenches"], loaded.work["wrenches"], rtol=0, atol=1e-12)


class Push:
    """Ten newtons from a time on."""

    discontinuities = (3.3,)

    def __call__(self, t, q, qd):
        return (0, 0, 0, 10.0 * (t >= 3.3), 0, 0)


def test_wrenches_that_jump():
    motion = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=11, wrenches={"tip": Push()})
    x = lg.compile(TWO_R).pose(motion(np.array([3.3, 10.0]))[0], "tip")[:, 0, 3]
    np.testing.assert_allclose(motion.work["wrenches"][-1], 10 * (x[1] - x[0]), rtol=0, atol=1e-12)
    assert 3.3 in motion.torque.discontinuities
    before, after = motion.torque(3.3 - 1e-9), motion.torque(3.3)
    J = lg.compile(TWO_R).jacobian(motion(3.3)[0], "tip")
    np.testing.assert_allclose(after - before, -10 * J[3], rtol=0, atol=1e-6)


def test_reactions_carry_what_is_outside():
    """The first joint carries the mass times acceleration less gravity of all, less the force from outside."""
    force = np.array([11.0, -7, 0])
    frames = [lg.Frame(f"c{k}", f"link{k}", lg.Transform(position=(r, 0, 0))) for k, r in ((1, 0.773), (2, 0.583))]
    dyn = lg.compile(TWO_R)
    for wrenches, outside in ((None, np.zeros(3)), ({"tip": (0, 0, 0, *force)}, force)):
        motion = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=5, wrenches=wrenches)
        moved = sum(12.456 * (dyn.acceleration(motion.q, motion.qd, motion.qdd, f)[:, 3:] + (0, 9.81, 0)) for f in frames)
        turn = dyn.pose(motion.q, "link1")[:, :3, :3]  # reactions are along the child's axes
        carried = np.einsum("nij,nj->ni", turn, motion.reactions[:, 0, 3:])
        np.testing.assert_allclose(carried, moved - outside, rtol=0, atol=1e-10)
        np.testing.assert_allclose(motion.reactions[:, :, 2], motion.tau, rtol=0, atol=1e-10)


# -- redundant, rolling ----------------------------------------------------------------------------------------------


def test_a_redundant_arm():
    arm = lg.library("panda")
    dyn = lg.compile(arm)
    start = dyn.pose(np.array(arm.initial.q, dtype=float), "tool")
    end = start.copy()
    end[:3, 3] += (0.1, 0.1, -0.1)
    motion = lg.inverse(arm, paths.line(start, end, 1.0), "tool", t_eval=1001)
    consistent(motion, 1e-9)
    J = dyn.jacobian(motion.q, "tool")
    velocity = paths.line(start, end, 1.0)(motion.t)[1]
    np.testing.assert_allclose(motion.qd, np.einsum("nij,nj->ni", np.linalg.pinv(J), velocity), rtol=0, atol=1e-10)
    np.testing.assert_allclose(dyn.pose(motion.q[-1], "tool"), end, rtol=0, atol=1e-10)
    back = lg.simulate(arm, torque=motion.torque, rtol=1e-11, atol=1e-12, t_eval=5, limits=False, **motion.start)
    np.testing.assert_allclose(back.q, motion(back.t)[0], rtol=0, atol=1e-8)
    other = lg.inverse(arm, paths.line(start, end, 1.0), "tool", t_eval=[0.3, 0.7])  # the rows asked for change nothing
    np.testing.assert_allclose(other.q, motion(np.array([0.3, 0.7]))[0], rtol=0, atol=1e-10)


def test_rolling_wheels_follow_a_path_of_the_body():
    drive = lg.library("differential_drive")
    b, r = (float(drive.parameters[n]) for n in ("b", "r"))
    motion = lg.inverse(drive, paths.formula({"right": "3*t^2", "left": "t^2"}, 1.0), t_eval=101)
    names = motion.coordinate_names
    turned = motion.q[-1, names.index("chassis.angle")] - motion.q[0, names.index("chassis.angle")]
    assert turned == pytest.approx(r * 2 / b, abs=1e-9)
    ahead = lg.Frame("ahead", "chassis", lg.Transform(position=(0.3, 0, 0)))
    path = paths.line((0.3, 0.0), (0.8, 0.4), 1.0)
    led = lg.inverse(drive, path, ahead, t_eval=401)
    dyn = lg.compile(drive)
    np.testing.assert_allclose(dyn.pose(led.q, ahead)[:, :2, 3], path(led.t)[0][:, :2, 3], rtol=0, atol=1e-9)
    consistent(led, 1e-8)
    assert led.rate_drift.max() < 1e-10
    for actual in (motion, led):
        assert set(np.flatnonzero(np.abs(actual.tau).max(axis=0))) == {names.index("right"), names.index("left")}
        back = lg.simulate(drive, torque=actual.torque, rtol=1e-11, atol=1e-12, t_eval=actual.t, **actual.start)
        np.testing.assert_allclose(back.q, actual.q, rtol=0, atol=1e-8)
    with pytest.raises(lg.UnreachableError, match=r"no speeds follow the path.*prescribe its wheels"):
        lg.inverse(drive, paths.circle((0, 1), 1.0, 2.0, start=(0, -1)), "chassis")


def test_a_constraint_that_moves():
    """Two sliders, the second led by the constraint: x = 0.3 sin 2t needs m2 x'' of it, and it does this force's work."""
    bodies = [lg.Body("a", 2.0), lg.Body("b", 3.0)]
    joints = [lg.Joint("x", "prismatic", "ground", "a", axis="x"), lg.Joint("y", "prismatic", "a", "b", axis="y", actuated=False)]
    for lead in (lg.HolonomicConstraint("lead", "y - 0.3*sin(2*t)"), lg.PfaffianConstraint("lead", {"y": 1}, "-0.6*cos(2*t)")):
        sliders = lg.Mechanism("sliders", bodies, joints, constraints=[lead], gravity=(0, 0, 0))
        motion = lg.inverse(sliders, paths.formula({"x": "t^3"}, 1.0), q0=[0.0, 0.0], t_eval=101)
        t = motion.t
        np.testing.assert_allclose(motion.q, np.column_stack([t**3, 0.3 * np.sin(2 * t)]), rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.qd[:, 1], 0.6 * np.cos(2 * t), rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.tau, np.column_stack([5 * 6 * t, 0 * t]), rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.constraint_forces[:, 1], -3 * 1.2 * np.sin(2 * t), rtol=0, atol=1e-9)
        done = 0.5 * 3 * 0.36 * (np.cos(2 * t) ** 2 - 1)
        np.testing.assert_allclose(motion.work["constraints"], done, rtol=0, atol=1e-9)
        assert np.abs(motion.energy_balance).max() < 1e-9
