"""Identification with noise: within the stated confidence, and whatever the noise, of real bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.identification.identify import filtered_equations, find_base_parameters, make_regression
from lagrangian.identification.least_squares import NormalEquations, fit
from lagrangian.identification.records import read_record
from tests.identification.records import (
    excitation_path,
    in_errors,
    record,
)

# -- with noise ------------------------------------------------------------------------------------------------------


def test_puma_within_the_stated_confidence() -> None:
    """The 36 base parameters and 18 of friction, 1 % noise: all within their intervals as often as these say, and one by one
    within four standard errors.
    """
    arm = lg.library("puma560")
    identification = lg.identify(arm, *record(arm, excitation_path(), 1000, 0.01, seed=7))
    assert len(identification.base) == 36
    z = in_errors(identification)
    assert np.abs(z).max() < 4.0
    inside = [e.interval[0] <= e.described <= e.interval[1] for e in identification]
    assert np.mean(inside) > 0.85
    # jointly: the squared distance in the metric of the covariance is a chi-square of 54 degrees of freedom
    d = identification.values - identification.described
    distance = d @ np.linalg.solve(identification.covariance, d)
    assert 27 < distance < 94  # 0.1 % and 99.95 %
    assert identification.residuals.percent_error == pytest.approx(np.ones(6), abs=0.05)
    assert identification.cross_validation.percent_error == pytest.approx(np.ones(6), abs=0.05)
    assert identification.noise == pytest.approx(0.01 * identification.residuals.force, rel=0.05)


def test_intervals_cover_as_often_as_they_say() -> None:
    """Over 120 records that differ in their noise alone, of which each joint has its own."""
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = record(arm, excitation_path(), 50)
    read = read_record(lg.compile(arm), t, q, tau, qd, qdd, None, None)
    regression = make_regression(lg.compile(arm), True, False, False, None)
    grouping = find_base_parameters(regression, read)
    Y, z, _, used = filtered_equations(regression, grouping, read, 0.02)
    truth = grouping.matrix @ regression.described_values
    rng = np.random.default_rng(11)
    noise = np.array([1.0, 2.0, 0.5, 0.05, 0.05, 0.02])
    errors, levels, distances = [], [], []
    for _ in range(120):
        actual = fit(NormalEquations.from_regressor(Y, z + noise * rng.normal(size=z.shape), used, 1, grouping.names))
        errors.append((actual.values - truth) / np.sqrt(np.diag(actual.covariance)))
        distances.append(np.sum((actual.information_root @ (actual.values - truth)) ** 2))
        levels.append(actual.noise)
    assert np.mean(levels, axis=0) == pytest.approx(noise, rel=0.02)
    assert np.mean(np.abs(errors) < 1.96) == pytest.approx(0.95, abs=0.01)
    # independent records: the mean of 120 chi-squares of 54 scatters by sqrt(2 * 54 / 120)
    assert np.mean(distances) == pytest.approx(54, abs=4 * np.sqrt(2 * 54 / 120))
    assert np.abs(np.mean(errors, axis=0)).max() < 4.5 / np.sqrt(120)  # no bias
    assert np.std(errors, axis=0) == pytest.approx(np.ones(54), abs=0.28)


def test_parameters_cost_degrees_of_freedom() -> None:
    """Of few rows: the noise, estimated from what 12 parameters leave of 60 equations, is not too small."""
    arm = lg.library("two_r")
    rows = record(arm, excitation_path("two_r"), 3)
    rng = np.random.default_rng(0)
    noise = []
    for _ in range(60):
        t, q, tau, qd, qdd = rows
        identification = lg.identify(arm, t, q, tau + 2.0 * rng.normal(size=tau.shape), qd, qdd, slow=0, folds=2)
        noise.append(np.mean(identification.noise**2))
    assert np.mean(noise) == pytest.approx(4.0, rel=0.12)  # without: 3.2


def test_weights_follow_the_noise_of_each_joint() -> None:
    """A joint that is measured badly must not spoil the others: standard errors against those with equal weights."""
    arm = lg.library("scara")
    t, q, tau, qd, qdd = record(arm, excitation_path("scara"), 100)
    tau = tau + np.random.default_rng(0).normal(size=tau.shape) * [1e-3, 3.0, 1e-3, 1e-3]
    identification = lg.identify(arm, t, q, tau, qd, qdd)
    Y = identification.regression.regressor(q, qd, qdd, identification.grouping.columns).reshape(-1, len(identification))
    plain = np.linalg.lstsq(
        Y, (tau - identification.regression.regressor_and_known_forces(q, qd, qdd, [0])[1]).ravel(), rcond=None
    )[0]
    inertial = slice(len(identification.base))  # friction of the bad joint itself is in no other equation
    off, off_plain = (np.abs(x - identification.described)[inertial].max() for x in (identification.values, plain))
    assert off < 0.03 * off_plain
    assert np.abs(in_errors(identification)).max() < 4


def test_noisy_coordinates_differentiated_without_bias() -> None:
    """Encoder noise of 1e-4 rad, q alone recorded: by filter, by Fourier series, by deviation from the path; and by plain
    differences, which fail.
    """
    arm = lg.library("puma560")
    path = excitation_path(periods=4)
    t, q, tau, _, _ = record(arm, path, 200, 0.01, seed=3)
    q = q + 1e-4 * np.random.default_rng(1).normal(size=q.shape)
    for commanded in (None, path, path.motion):
        identification = lg.identify(arm, t, q, tau, physical=False, path=commanded)
        z = in_errors(identification)
        assert np.abs(z).max() < 4.5
        assert np.mean(z**2) < 2
        assert len(identification.base) == 36
    speeds = np.gradient(q, t, axis=0)
    plain = lg.identify(arm, t, q, tau, speeds, np.gradient(speeds, t, axis=0), physical=False)
    assert np.mean(in_errors(plain) ** 2) > 50


def test_only_the_deviation_from_a_path_is_smoothed() -> None:
    """A motion faster than the cutoff is not lost if it was commanded."""
    arm = lg.library("two_r")
    path = lg.excitation_trajectory(arm, period=2.0, periods=10, iterations=0, qdd_limits=100, qd_limits=10)
    t, q, tau, _, _ = record(arm, path, 500)
    with_path = lg.identify(arm, t, q, tau, path=lambda times: path(times), cutoff=3.0)
    without = lg.identify(arm, t, q, tau, cutoff=3.0)
    assert np.abs(with_path.values - with_path.described).max() < 0.02
    assert np.abs(without.values - without.described).max() > 5 * np.abs(with_path.values - with_path.described).max()


def test_uneven_times_are_resampled() -> None:
    arm = lg.library("two_r")
    path = excitation_path("two_r", 2)
    t = np.sort(np.concatenate([[0, 20], np.random.default_rng(0).uniform(0, 20, 3000)]))
    q, qd, qdd = path(t)
    tau = lg.compile(arm).inverse_dynamics(q, qd, qdd)
    identification = lg.identify(arm, t, q, tau)
    assert identification.values == pytest.approx(identification.described, rel=2e-3, abs=2e-2)


def test_record_of_a_controlled_run() -> None:
    """A simulated arm follows the path under a sampled controller; q and tau alone are recorded."""
    arm = lg.library("two_r")
    joints = tuple(replace(j, friction=lg.Friction(2.0)) for j in arm.joints)
    arm = arm.replace(joints=joints)
    dyn = lg.compile(arm)
    path = lg.excitation_trajectory(arm, period=5.0, iterations=0)

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        expected, speed, acceleration = path(min(t, path.end))
        return np.asarray(dyn.inverse_dynamics(expected, speed, acceleration) + 400 * (expected - q) + 40 * (speed - qd))

    start = path(0.0)
    motion = lg.simulate(arm, (0, 5), q0=start[0] + 0.02, qd0=start[1], torque=lg.Sampled(control, 0.002), rtol=1e-7)
    middle = motion.resample(np.arange(0.001, 5, 0.002))  # forces are held between samples: their middle is when they act
    rng = np.random.default_rng(5)
    tau = middle.tau + 0.2 * rng.normal(size=middle.tau.shape)
    identification = lg.identify(arm, middle.t, middle.q, tau, friction="viscous")
    assert np.abs(in_errors(identification)).max() < 4
    assert identification["Fv1"].value == pytest.approx(2.0, abs=0.1)


# -- real bodies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_bodies_are_always_real(seed: int) -> None:
    """Much noise on small parameters: the estimates alone are no bodies', their completion is; and it explains the record."""
    arm = lg.library("puma560")
    identification = lg.identify(arm, *record(arm, excitation_path(), 60, 0.05, seed))
    for body in identification.mechanism.bodies:
        assert not body.effective
        assert np.linalg.eigvalsh(body.pseudo_inertia()).min() > 0
    for joint in identification.mechanism.joints:
        assert float(joint.friction.coulomb) > 0
    assert identification.inconsistency < 2 * len(identification)
    again = lg.identify(identification.mechanism, *record(identification.mechanism, excitation_path(), 60))
    off = (again.values - identification.values) / identification.standard_errors
    assert np.mean(off**2) < 2


def test_identified_mechanism_moves_as_the_true_one() -> None:
    """From a description that is wrong by 30 %: the completed mechanism's torques are those of the true arm."""
    true = lg.library("puma560")
    rng = np.random.default_rng(2)
    described = true.replace(bodies=tuple(replace(b, mass=float(b.mass) * rng.uniform(0.7, 1.3)) for b in true.bodies))
    t, q, tau, qd, qdd = record(true, excitation_path(), 60)
    for physical, bound in ((True, 1e-4), (False, 1e-8)):
        identification = lg.identify(described, t, q, tau, qd, qdd, physical=physical)
        again = lg.compile(identification.mechanism).inverse_dynamics(q, qd, qdd)
        assert np.abs(again - tau).max() < bound
        before = lg.compile(described).inverse_dynamics(q, qd, qdd)
        assert np.abs(before - tau).max() > 1
        assert all(b.effective is not physical for b in identification.mechanism.bodies)


def test_what_no_bodies_explain_is_reported() -> None:
    """A link whose inertia about its joint is negative."""
    arm = lg.library("two_r")
    bodies = list(arm.bodies)
    bodies[1] = lg.Body(bodies[1].name, 5.0, (0.5, 0, 0), (0, 0, 0, 0, 0, -2.0), effective=True)
    rows = record(arm.replace(bodies=tuple(bodies)), excitation_path("two_r"), 60, 0.001)
    identification = lg.identify(arm, *rows)
    assert identification["Izz2"].value == pytest.approx(-2.0 + 5 * 0.25, abs=0.01)
    assert identification.inconsistency > 100 * len(identification)
    assert "no real bodies" in str(identification)
    assert "no real bodies" not in str(lg.identify(arm, *record(arm, excitation_path("two_r"), 60, 0.001)))


def test_the_prior_decides_only_what_the_record_leaves_open() -> None:
    """Ten thousand times the weight: bodies nearer to the described ones; a fraction of it: nearer to the estimates."""
    arm = lg.library("puma560")
    rows = record(arm, excitation_path(), 60, 0.02, seed=4)
    strong, weak = (lg.identify(arm, *rows, prior=prior) for prior in (10.0, 1e-5))
    assert weak.inconsistency < strong.inconsistency
    assert np.array_equal(weak.values, strong.values)
