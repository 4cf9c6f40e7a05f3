"""Controllers of joints: against exact solutions of their error dynamics, on models that are right and that are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.paths.path import JointPath


def heavier(arm: lg.Mechanism, factor: float, *names: str) -> lg.Mechanism:
    """The same arm with the mass and inertia of some bodies, or all, times a factor."""
    bodies = tuple(
        replace(b, mass=factor * float(b.mass), inertia=tuple(factor * float(x) for x in b.inertia))
        if not names or b.name in names
        else b
        for b in arm.bodies
    )
    return arm.replace(bodies=bodies, parameters={})


def follow(path: JointPath, motion: lg.Motion) -> np.ndarray:
    """q of the path at the rows of a motion; after its end it rests."""
    return path(np.clip(motion.t, path.start, path.end))[0]


def second_order(t: np.ndarray, e0: float, w: float, zeta: float) -> np.ndarray:
    """e'' + 2 zeta w e' + w^2 e = 0 from e0 at rest."""
    if zeta == 1:
        return e0 * (1 + w * t) * np.exp(-w * t)
    wd = w * np.sqrt(1 - zeta**2)
    return e0 * np.exp(-zeta * w * t) * (np.cos(wd * t) + zeta * w / wd * np.sin(wd * t))


# -- computed torque -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zeta", [1.0, 0.4])
def test_computed_torque_error_dynamics(zeta: float) -> None:
    """Each joint's error obeys its own linear equation, gravity and coupling gone: the analytic solution."""
    arm = lg.library("two_r")
    expected, start, w = np.array([0.3, -0.8]), np.array([0.8, 0.2]), np.array([5.0, 9.0])
    controller = lg.control.ComputedTorque(arm, expected, frequency=w, damping=zeta)
    motion = lg.simulate(arm, 1.0, q0=start, torque=controller, t_eval=51, rtol=1e-10)
    for k in range(2):
        exact = second_order(motion.t, expected[k] - start[k], w[k], zeta)
        np.testing.assert_allclose(expected[k] - motion.q[:, k], exact, atol=1e-8)


PUMA = lg.library("puma560")
NOMINAL = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])


def puma_path() -> JointPath:
    return lg.paths.joint_line(NOMINAL, NOMINAL + np.array([0.8, -0.5, 0.6, 0.7, -0.4, 1.0]), 1.0)


def test_computed_torque_on_puma() -> None:
    """With its dry friction: it starts to slip at once, follows, and sticks where the path ends."""
    path = puma_path()
    motion = lg.simulate(PUMA, 1.2, q0="qn", torque=lg.control.ComputedTorque(PUMA, path), t_eval=61)
    assert motion.success
    assert np.abs(motion.q - follow(path, motion)).max() < 1e-8
    assert np.abs(motion.qd[-1]).max() < 1e-50


def test_sampling_and_delay() -> None:
    """A held torque is late by half a period on average: later still, the error grows in proportion."""
    path = puma_path()
    controller = lg.control.ComputedTorque(PUMA, path)
    errors = []
    for delay in (0.0, 1e-3):
        motion = lg.simulate(PUMA, 0.6, q0="qn", torque=controller.with_sampling(1e-3, delay), t_eval=61)
        errors.append(np.abs(motion.q - follow(path, motion)).max())
    assert 1e-6 < errors[0] < 5e-5
    assert 2.0 < errors[1] / errors[0] < 4.5  # late by 0.5 and by 1.5 ms


def test_wrong_masses() -> None:
    """Links 2 and 3 believed 20 % heavier: an error that gains of four times the stiffness make four times smaller."""
    path = puma_path()
    wrong = heavier(PUMA, 1.2, "link2", "link3")
    errors = []
    for frequency in (20.0, 40.0):
        controller = lg.control.ComputedTorque(wrong, path, frequency=frequency).with_sampling(1e-3)
        motion = lg.simulate(PUMA, 0.6, q0="qn", torque=controller, t_eval=61)
        errors.append(np.abs(motion.q - follow(path, motion)).max())
    assert 1e-3 < errors[0] < 0.05
    assert 2.5 < errors[0] / errors[1] < 5.0


def test_dry_friction_where_the_path_turns() -> None:
    """A joint that reverses: the compensation jumps just when the joint comes to rest, and it must slip on at once."""
    joint = replace(lg.library("pendulum").joints[0], friction=lg.Friction(viscous=0.1, coulomb=2.0, coulomb_negative=1.5))
    rough = lg.library("pendulum").replace(joints=(joint,))
    path = lg.paths.joint_spline([[0.0], [0.7], [-0.5]], duration=1.0)
    motion = lg.simulate(rough, 1.0, q0=[0.0], torque=lg.control.ComputedTorque(rough, path), t_eval=101)
    assert np.abs(motion.q - follow(path, motion)).max() < 1e-8
    assert np.abs(motion.friction).max() < 2.0 + 0.1 * np.abs(motion.qd).max() + 1e-9
    careless = lg.simulate(rough, 1.0, q0=[0.0], torque=lg.control.ComputedTorque(rough, path, friction=False), t_eval=101)
    assert np.abs(careless.q - follow(path, careless)).max() > 1e-4


# -- loops -----------------------------------------------------------------------------------------------------------


def arm_in_a_loop(name: str) -> tuple[lg.Mechanism, np.ndarray, JointPath, list[int]]:
    arm = lg.library(name)
    start = np.array(arm.initial.q)
    if name == "five_bar":
        driven, end = ("q1", "q2"), start + np.array([-0.5, 0.4, 0, 0])
    else:
        driven = ("theta1", "theta2", "theta3")
        end = lg.assemble(arm, start, {"platform.x": 0.0, "platform.y": 0.05, "platform.angle": 0.2})
    places = [arm.coordinate_names.index(n) for n in driven]
    path = lg.paths.joint_line(dict(zip(driven, start[places], strict=True)), dict(zip(driven, end[places], strict=True)), 0.5)
    return arm, start, path, places


@pytest.mark.parametrize("name", ["five_bar", pytest.param("three_rrr", marks=pytest.mark.slow)])
def test_computed_torque_of_parallel_mechanisms(name: str) -> None:
    arm, start, path, places = arm_in_a_loop(name)
    motion = lg.simulate(arm, 0.5, q0=start, torque=lg.control.ComputedTorque(arm, path), t_eval=21)
    assert np.abs(motion.q[:, places] - follow(path, motion)).max() < 1e-8
    passive = [k for k in range(arm.nv) if k not in places]
    assert not motion.tau[:, passive].any()
    wrong = lg.control.ComputedTorque(heavier(arm, 1.2), path).with_sampling(1e-3)
    off = lg.simulate(arm, 0.5, q0=start, torque=wrong, t_eval=21)
    assert 1e-5 < np.abs(off.q[:, places] - follow(path, off)).max() < 0.05


def test_all_coordinates_may_be_led() -> None:
    """A path of passive coordinates too, if it keeps the loops: the same torques."""
    arm, start, path, _ = arm_in_a_loop("five_bar")
    everything = lg.paths.interpolate(
        path.times(41), [lg.assemble(arm, start, dict(zip(path.names or (), q, strict=True))) for q in path(path.times(41))[0]]
    )
    few, all_ = lg.control.ComputedTorque(arm, path), lg.control.ComputedTorque(arm, everything)
    q, qd, _ = everything(0.25)
    np.testing.assert_allclose(all_(0.25, q, qd), few(0.25, q, qd), atol=1e-5)


def test_more_actuators_than_needed() -> None:
    """A third motor on the five-bar: the motion stays, and the torques are the least that make it."""
    arm, start, path, places = arm_in_a_loop("five_bar")
    joints = tuple(replace(j, actuated=j.name != "phi4") for j in arm.joints)
    more = arm.replace(joints=joints)
    dyn = lg.compile(more)
    motion = lg.simulate(more, 0.5, q0=start, torque=lg.control.ComputedTorque(more, path), t_eval=11)
    assert np.abs(motion.q[:, places] - follow(path, motion)).max() < 1e-8
    two = lg.control.ComputedTorque(arm, path)
    for t, q, qd, tau in zip(motion.t, motion.q, motion.qd, motion.tau, strict=True):
        with_two = two(t, q, qd)
        assert np.linalg.norm(tau) <= np.linalg.norm(with_two) + 1e-9
        np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), dyn.forward_dynamics(q, qd, with_two), atol=1e-6)


def test_pd_of_a_parallel_mechanism() -> None:
    """At rest anywhere: actuators alone carry the weight."""
    arm, start, _, places = arm_in_a_loop("three_rrr")
    controller = lg.control.PDGravityCompensation(
        arm, {n: start[k] for n, k in zip(("theta1", "theta2", "theta3"), places, strict=True)}
    )
    tau = controller(0.0, start, np.zeros(9))
    assert not np.delete(tau, places).any()
    dyn = lg.compile(arm)
    np.testing.assert_allclose(dyn.forward_dynamics(start, np.zeros(9), tau), 0, atol=1e-10)


# -- PD and gravity --------------------------------------------------------------------------------------------------


def test_pd_gravity_takes_its_energy_away() -> None:
    """V = T + 1/2 e^T Kp e, with gravity gone, falls by the work of kd (Takegaki and Arimoto), to the set-point."""
    arm = lg.library("two_r")
    expected = np.array([0.4, 0.9])
    controller = lg.control.PDGravityCompensation(arm, expected, kp=[900.0, 300.0], kd=[300.0, 60.0])
    motion = lg.simulate(arm, 4.0, q0=[1.0, -0.5], torque=controller, t_eval=2001)
    e = expected - motion.q
    V = lg.compile(arm).kinetic_energy(motion.q, motion.qd) + 0.5 * (e * e) @ controller.kp
    power = (motion.qd**2) @ controller.kd
    lost = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))])
    np.testing.assert_allclose(V[0] - V, lost, atol=1e-3 * V[0])
    assert (np.diff(V) <= 1e-9).all()
    assert np.abs(e[-1]).max() < 1e-3


def test_pd_gravity_with_wrong_masses_rests_where_theory_says() -> None:
    """kp e = G of the plant less G of the model, at the place where it comes to rest."""
    arm = lg.library("two_r")
    wrong = heavier(arm, 0.8)
    expected = np.array([0.4, 0.9])
    controller = lg.control.PDGravityCompensation(wrong, expected, frequency=8.0)
    motion = lg.simulate(arm, 12.0, q0=expected, torque=controller, t_eval=3)
    q = motion.q[-1]
    missing = lg.compile(arm).gravity(q) - lg.compile(wrong).gravity(q)
    assert np.abs(expected - q).min() > 1e-3
    np.testing.assert_allclose(controller.kp * (expected - q), missing, rtol=1e-6)


def test_default_gains_are_of_the_inertia() -> None:
    arm = lg.library("two_r")
    start = np.array([0.2, 0.7])
    controller = lg.control.PDGravityCompensation(arm, start, frequency=6.0, damping=0.7)
    inertia = np.diag(lg.compile(arm).mass_matrix(start))
    np.testing.assert_allclose(controller.kp, 36 * inertia)
    np.testing.assert_allclose(controller.kd, 2 * 0.7 * 6 * inertia)


# -- arguments -------------------------------------------------------------------------------------------------------


def test_rests_before_and_after_the_path() -> None:
    arm = lg.library("two_r")
    path = lg.paths.joint_line([0.0, 0.5], [1.0, -0.5], 2.0, timing="uniform").with_start_time(1.0)
    controller = lg.control.ComputedTorque(arm, path)
    still = np.zeros(2)
    gravity = lg.compile(arm).gravity
    np.testing.assert_allclose(controller(0.0, [0.0, 0.5], still), gravity([0.0, 0.5]), atol=1e-9)
    np.testing.assert_allclose(controller(9.0, [1.0, -0.5], still), gravity([1.0, -0.5]), atol=1e-9)
    moving = controller(2.0, [0.5, 0.0], still)
    assert np.abs(moving - gravity([0.5, 0.0])).max() > 1


def test_set_points() -> None:
    arm = lg.library("puma560")
    for value in ("qn", NOMINAL, dict(zip(arm.coordinate_names, NOMINAL, strict=True))):
        controller = lg.control.ComputedTorque(arm, value)
        np.testing.assert_allclose(controller(3.0, NOMINAL, np.zeros(6)), lg.compile(arm).gravity(NOMINAL), atol=1e-9)
    assert repr(controller) == "<ComputedTorque of 'puma560'>"


def test_walls_are_not_known() -> None:
    """A wall in the model would be felt before it is met."""
    arm = lg.library("two_r")
    wall = lg.Wall("wall", "link2", (1, 0, 0), position=(1.0, 0, 0), normal=(-1, 0, 0), stiffness=1e5)
    q = np.array([0.1, 0.2])
    with_it = lg.control.PDGravityCompensation(arm.replace(springs=(wall,)), q)
    np.testing.assert_allclose(with_it(0, q, np.zeros(2)), lg.compile(arm).gravity(q))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c, arm: c.ComputedTorque(arm, [0.0, 0.0, 0.0]), "3 coordinates; 2 are needed"),
        (lambda c, arm: c.ComputedTorque(arm, {"theta1": 0.0}), "leads theta1, but two_r has 2 degrees of freedom"),
        (lambda c, arm: c.ComputedTorque(arm, {"theta9": 0.0, "theta1": 0.0}), "Did you mean 'theta"),
        (lambda c, arm: c.ComputedTorque(arm, [0.0, 0.0], kp=-1), "kp is -1"),
        (lambda c, arm: c.ComputedTorque(arm, [0.0, 0.0], kp=4, frequency=2), "kp and frequency are both given"),
        (lambda c, arm: c.PDGravityCompensation(arm, [0.0, 0.0], kd=4, damping=1), "kd and damping are both given"),
        (lambda c, arm: c.Impedance(arm, (1.0, 1.0), frame="tip"), "`stiffness` is needed, in N/m .* one for each of x, y"),
        (lambda c, arm: c.HybridForceMotion(arm, (1.0, 1.0), frame="tip"), "force is None; a mapping of directions to newtons"),
        (
            lambda c, arm: lg.simulate(arm, 1.0, torque=c.PDGravityCompensation),
            r"is the class PDGravityCompensation; .* PDGravityCompensation\(model, path\)",
        ),
        (lambda c, arm: c.ComputedTorque(arm, [0.0, 0.0], frequency=[1, 2, 3]), "or 2 of them: theta1, theta2"),
        (lambda c, arm: c.ComputedTorque("arm", [0.0, 0.0]), "'arm' is neither a file nor a mechanism of the library"),
        (lambda c, arm: c.ComputedTorque(arm, "nowhere"), "no pose"),
        (lambda c, arm: c.ComputedTorque(arm, lg.paths.line((1, 0), (0, 1), 1.0)), "this controller needs a path of joints"),
        (lambda c, arm: c.ComputedTorque(lg.library("cart_pendulum"), [0.0, 0.0]), "needs one for each degree of freedom"),
        (
            lambda c, arm: c.PDGravityCompensation(lg.library("five_bar"), {"phi3": 0.0}),
            "'phi3', which has no actuator; lead only q1, q2",
        ),
    ],
)
def test_bad_arguments(make: Any, message: str) -> None:
    with pytest.raises(lg.LagrangianError, match=message):
        make(lg.control, lg.library("two_r"))


def test_gains_that_are_not_given() -> None:
    """kp alone is damped as asked: kd = 2 zeta sqrt(kp m), of the inertia m in the law or at the joint."""
    arm = lg.library("two_r")
    still = [0.3, 0.4]
    assert lg.control.ComputedTorque(arm, still).kp == pytest.approx([400, 400])
    assert lg.control.ComputedTorque(arm, still, kp=9.0, damping=0.5).kd == pytest.approx([3, 3])
    inertia = np.diag(lg.compile(arm).mass_matrix(still))
    assert lg.control.PDGravityCompensation(arm, still).kp == pytest.approx(100 * inertia)
    assert lg.control.PDGravityCompensation(arm, still, kp=50.0).kd == pytest.approx(2 * np.sqrt(50 * inertia))
    value = lg.control.PDGravityCompensation(arm, still, frequency=3.0, kd=7.0)
    assert (value.kp == pytest.approx(9 * inertia), value.kd.tolist()) == (True, [7, 7])


def test_a_period_longer_than_the_run_is_reported() -> None:
    arm = lg.library("two_r")
    with pytest.warns(lg.SimulationWarning, match="sampled every 1000 s, and the run lasts 0.1 s.*0.001 for 1 kHz"):
        lg.simulate(arm, 0.1, torque=lg.control.PDGravityCompensation(arm, [0.0, 0.0]).with_sampling(1000))


def test_ball_joints_are_refused() -> None:
    body = lg.Body("top", 1.0, (0, 0, 0.1), (0.1, 0.1, 0.1))
    top = lg.Mechanism("top", (body,), (lg.Joint("pivot", "ball", "ground", "top"),))
    with pytest.raises(lg.ArgumentError, match="'pivot' of top is an actuated ball joint"):
        lg.control.ComputedTorque(top, [1.0, 0, 0, 0])


def test_another_plant() -> None:
    controller = lg.control.ComputedTorque(lg.library("two_r"), [0.0, 0.0])
    with pytest.raises(lg.SimulationError, match="its model has 2 coordinates"):
        lg.simulate(lg.library("three_r"), 0.1, torque=controller)
