"""Torques of the actuated joints through the constraints: unique, smallest, or none; against other routes to them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import null_space

import lagrangian as lg
from lagrangian.configuration.speeds import actuated_speed_mask
from lagrangian.inverse_dynamics.actuation import actuator_torques


def with_actuators(mechanism, names):
    return replace(mechanism, joints=tuple(replace(j, actuated=j.name in names) for j in mechanism.joints))


def motion_of(dyn, seed):
    """A random state that keeps the constraints, and accelerations that do."""
    rng = np.random.default_rng(seed)
    model = dyn.mechanism
    q = lg.assemble(dyn, np.array(model.initial.q, dtype=float) + 0.05 * rng.normal(size=model.nq))
    psi = dyn.constraint_jacobian(q)
    free = null_space(psi, rcond=1e-9)
    qd = free @ rng.normal(size=free.shape[1])
    qdd = np.linalg.lstsq(psi, -dyn.constraint_bias(q, qd), rcond=1e-9)[0] + free @ rng.normal(size=free.shape[1])
    return q, qd, qdd, psi, free


PARALLEL = ["four_bar", "five_bar", "three_rrr"]


@pytest.mark.parametrize("name", PARALLEL)
def test_unique_torques_move_it_as_asked(name):
    dyn = lg.compile(lg.library(name))
    for seed in range(3):
        q, qd, qdd, psi, _ = motion_of(dyn, seed)
        h = dyn.inverse_dynamics(q, qd, qdd)
        tau, multipliers = actuator_torques(dyn, q, h)
        assert not tau[~actuated_speed_mask(dyn.mechanism)].any()
        np.testing.assert_allclose(tau + psi.T @ multipliers, h, rtol=0, atol=1e-11 * np.abs(h).max())
        np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-9 * (1 + np.abs(qdd).max()))
        np.testing.assert_allclose(dyn.multipliers(q, qd, tau), multipliers, rtol=0, atol=1e-9 * np.abs(h).max())


def test_power_of_the_crank_is_the_change_of_energy():
    """One degree of freedom: tau theta' = dE/dt, with the energy's change by differences along the motion."""
    dyn = lg.compile(lg.library("four_bar"))
    for seed in range(4):
        q, qd, qdd, _, _ = motion_of(dyn, seed)
        tau, _ = actuator_torques(dyn, q, dyn.inverse_dynamics(q, qd, qdd))
        # M and V change along qd; the four-bar turns by revolute joints alone
        h = 1e-5

        def energy(s, q=q, qd=qd, qdd=qdd):
            at, speed = q + s * qd + s * s / 2 * qdd, qd + s * qdd
            return dyn.kinetic_energy(at, speed) + dyn.potential_energy(at)

        rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
        assert tau[0] * qd[0] == pytest.approx(rate, rel=1e-7, abs=1e-8)


OVER = [("four_bar", ("theta1", "phi3")), ("five_bar", ("q1", "q2", "phi3", "phi4")), ("five_bar", ("q1", "q2", "phi4"))]


@pytest.mark.parametrize(("name", "names"), OVER)
def test_of_many_torques_the_smallest(name, names):
    dyn = lg.compile(with_actuators(lg.library(name), names))
    driven = actuated_speed_mask(dyn.mechanism)
    for seed in range(3):
        q, qd, qdd, psi, free = motion_of(dyn, seed)
        h = dyn.inverse_dynamics(q, qd, qdd)
        tau, multipliers = actuator_torques(dyn, q, h)
        smallest = np.linalg.lstsq(free.T[:, driven], free.T @ h, rcond=None)[0]
        np.testing.assert_allclose(tau[driven], smallest, rtol=0, atol=1e-11 * np.abs(h).max())
        assert not tau[~driven].any()
        np.testing.assert_allclose(tau + psi.T @ multipliers, h, rtol=0, atol=1e-11 * np.abs(h).max())
        np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-9 * (1 + np.abs(qdd).max()))
        one, _ = actuator_torques(lg.compile(lg.library(name)), q, h)
        assert np.linalg.norm(tau) < np.linalg.norm(one)


def test_redundant_constraints_have_the_smallest_multipliers():
    dyn = lg.compile(lg.library("bricard"))
    q, qd, qdd, psi, _ = motion_of(dyn, 0)
    h = dyn.inverse_dynamics(q, qd, qdd)
    tau, multipliers = actuator_torques(dyn, q, h)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-8 * (1 + np.abs(qdd).max()))
    np.testing.assert_allclose(multipliers, np.linalg.lstsq(psi.T, h - tau, rcond=1e-8)[0], rtol=0, atol=1e-9 * np.abs(h).max())


def test_batches_are_rows():
    dyn = lg.compile(lg.library("four_bar"))
    states = [motion_of(dyn, seed)[:3] for seed in range(5)]
    q, qd, qdd = (np.array(x) for x in zip(*states, strict=True))
    h = dyn.inverse_dynamics(q, qd, qdd)
    tau, multipliers = actuator_torques(dyn, q, h)
    for k in range(5):
        one = actuator_torques(dyn, q[k], h[k])
        np.testing.assert_allclose(one[0], tau[k], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(one[1], multipliers[k], rtol=1e-12, atol=1e-14)


def test_an_open_arm_has_all_of_it():
    dyn = lg.compile(lg.library("puma560"))
    h = np.arange(12.0).reshape(2, 6)
    tau, multipliers = actuator_torques(dyn, np.zeros((2, 6)), h)
    np.testing.assert_array_equal(tau, h)
    assert multipliers.shape == (2, 0)


def test_too_few_actuators():
    mechanism = lg.library("three_rrr")
    for names, message in ((("theta1", "theta2"), r"3 degrees of freedom and 2 actuated coordinates \(theta1, theta2\)"),
                        ((), "3 degrees of freedom and no actuators")):  # fmt: skip
        dyn = lg.compile(with_actuators(mechanism, names))
        q, qd, qdd, _, _ = motion_of(dyn, 0)
        with pytest.raises(lg.ActuationError, match=message) as error:
            actuator_torques(dyn, q, dyn.inverse_dynamics(q, qd, qdd), 0.25)
        assert error.value.t == 0.25
        assert "under-actuated" in str(error.value)


def test_as_many_actuators_that_do_not_command_it():
    """A four-bar driven where it is at a dead centre: crank and coupler in line, the rocker cannot pass torque on."""
    mechanism = with_actuators(lg.library("four_bar"), ("phi3",))
    dyn = lg.compile(mechanism)
    l0, l1, l2, l3 = 1.0, 0.3, 0.9, 0.6
    angle = np.arccos((l0**2 + (l1 + l2) ** 2 - l3**2) / (2 * l0 * (l1 + l2)))
    q = lg.assemble(dyn, [angle, 0.0, np.pi - np.arccos((l0**2 + l3**2 - (l1 + l2) ** 2) / (2 * l0 * l3))], fixed={"phi2": 0.0})
    free = null_space(dyn.constraint_jacobian(q), rcond=1e-9)
    assert abs(free[2, 0]) < 1e-6  # the rocker stands still
    h = dyn.inverse_dynamics(q, np.zeros(3), free[:, 0])
    with pytest.raises(lg.ActuationError, match=r"\(phi3\) do not control its degree of freedom"):
        actuator_torques(dyn, q, h)
