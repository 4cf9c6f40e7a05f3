"""Identification: exact without noise, within the stated confidence with it, of real bodies, of loops; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.record import follow
from lagrangian.identification.estimate import Products, fit
from lagrangian.identification.grouping import exact_grouping
from lagrangian.identification.identify import equations, grouped, regression_of
from lagrangian.identification.numeric_base import numeric_grouping
from lagrangian.identification.projection import Projection, general_states
from lagrangian.identification.records import read_record
from tests.mechanisms import random_body, random_mechanism

Record = tuple[np.ndarray, ...]


@cache
def excited(name: str = "puma560", periods: int = 1) -> lg.FourierPath:
    return lg.exciting_path(lg.library(name), periods=periods, iterations=0)


def record(arm: lg.Mechanism, path: lg.FourierPath, rate: float = 100.0, share: float = 0.0, seed: int = 0) -> Record:
    """t, q, tau, qd, qdd along a path, with noise on the forces as a share of their root mean square."""
    t = np.arange(0, path.duration, 1 / rate)
    q, qd, qdd = path(t)
    tau = np.array(lg.compile(arm).inverse_dynamics(q, qd, qdd))
    noise = np.random.default_rng(seed).normal(size=tau.shape) * share * np.sqrt(np.mean(tau**2, axis=0))
    return t, q, tau + noise, qd, qdd


def in_errors(found: lg.Identification) -> np.ndarray:
    """Errors in standard errors, where the description is the truth."""
    return (found.values - found.described) / found.standard_errors


# -- without noise ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize(("name", "count"), [("two_r", 6), ("scara", 8), ("stanford", 33), ("puma560", 36)])
def test_exact_without_noise(name: str, count: int, rotors: bool) -> None:
    """The base parameters as the closed form has them, by name and value."""
    arm = lg.library(name)
    found = lg.identify(arm, *record(arm, excited(name), 60), rotors=rotors)
    exact = lg.derive(arm).base_parameters()
    assert exact.count == count
    if not rotors:
        assert len(found.base) == count
        values = exact.values()
        for estimate in found.base:
            known = values[estimate.name.removesuffix("R")]
            assert estimate.value == pytest.approx(known, abs=1e-8)
            assert estimate.described == pytest.approx(known, abs=1e-10)
    assert np.abs(found.values - found.described).max() < 1e-8
    assert found.residuals.percent.max() < 1e-8


def test_rotors_join_the_first_two_links_and_stand_alone_beyond() -> None:
    found = lg.identify(lg.library("puma560"), *record(lg.library("puma560"), excited(), 60), rotors=True)
    assert [e.name for e in found.base if e.name.startswith("Ja")] == ["Ja3", "Ja4", "Ja5", "Ja6"]
    assert len(found.base) == 40
    assert "Ja1" in found["Iyy1R"].formula
    assert found["Ja4"].value == pytest.approx(76.0364**2 * 33e-6)


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize("name", ["puma560", "stanford", "panda", "lwr7", "furuta"])
def test_numbers_group_as_exact_elimination_does(name: str, rotors: bool) -> None:
    dyn = lg.compile(lg.library(name))
    regression = regression_of(dyn, True, False, rotors, None)
    exact = exact_grouping(regression)
    states = general_states(Projection(dyn, dyn.mechanism.neutral()), 150, np.zeros((1, dyn.nq)), np.random.default_rng(2))
    numeric = numeric_grouping(regression, regression.matrix(*states[:3]).reshape(-1, len(regression.terms)))
    assert exact is not None
    assert numeric.names == exact.names
    assert numeric.columns == exact.columns
    assert np.abs(numeric.matrix - exact.matrix).max() < 1e-10


def test_friction_that_acts_as_a_parameter_does_is_grouped() -> None:
    """Of a vertical slide with a rotor: m (qdd + g), Ja qdd, and Coulomb forces whose difference is a constant, are dependent."""
    arm = lg.library("scara")
    found = lg.identify(arm, *record(arm, excited("scara"), 60), rotors=True)
    assert len(found) == len(lg.identify(arm, *record(arm, excited("scara"), 60))) + 2
    assert [name for name in found.names if name.endswith("R") and name.startswith("F")] == ["Fc3+R"]


def test_what_is_not_identified_is_subtracted() -> None:
    """Rotors, friction, springs at joints and between points, as described."""
    arm = random_mechanism(["revolute", "prismatic", "helical"], 4, chain=True, passive=True)
    path = lg.exciting_path(arm, iterations=0, friction=False)
    for friction in (False, "viscous", True):
        found = lg.identify(arm, *record(arm, path, 50), friction=friction)
        assert np.abs(found.values - found.described).max() < 1e-8
    wrong = arm.replace(joints=tuple(replace(j, rotor=lg.Rotor(0.05, 10)) for j in arm.joints))
    assert lg.identify(wrong, *record(arm, path, 50), friction=False).residuals.percent.max() > 1


def test_joints_of_several_coordinates() -> None:
    arm = random_mechanism(["universal", "ball"], 2, chain=True)
    rng = np.random.default_rng(0)
    dyn = lg.compile(arm)
    q = np.array([arm.random_configuration(rng) for _ in range(200)])
    qd, qdd = rng.normal(size=(2, 200, arm.nv))
    t = np.arange(200.0)
    found = lg.identify(arm, t, q, dyn.inverse_dynamics(q, qd, qdd), qd, qdd)
    assert np.abs(found.values - found.described).max() < 1e-8
    with pytest.raises(lg.ArgumentError, match="give qd and qdd"):
        lg.identify(arm, t, q, dyn.inverse_dynamics(q, qd, qdd))


def test_bodies_fixed_to_a_link_are_lumped_and_stay_real() -> None:
    rng = np.random.default_rng(3)
    bodies = [random_body(rng, name) for name in ("arm", "tool", "wrist", "gripper")]
    joints = [
        lg.Joint("j1", "revolute", "ground", "arm", axis=(0, 1, 0)),
        lg.Joint("f1", "fixed", "arm", "tool", lg.Placement.from_rpy((0.3, 0.1, 0), (0.1, 0, 0.2))),
        lg.Joint("j2", "revolute", "tool", "wrist", lg.Placement(position=(0.4, 0, 0)), axis=(1, 0, 0)),
        lg.Joint("f2", "fixed", "wrist", "gripper", lg.Placement(position=(0, 0, 0.2))),
    ]
    arm = lg.Mechanism("tooled", bodies, joints)
    path = lg.exciting_path(arm, iterations=0)
    heavier = arm.replace(bodies=tuple(replace(b, mass=1.5 * float(b.mass)) for b in bodies))
    rows = record(heavier, path, 60)
    found = lg.identify(arm, *rows)
    assert np.abs(found.torque(rows[1], rows[3], rows[4]) - rows[2]).max() < 1e-8
    again = lg.compile(found.mechanism).inverse_dynamics(rows[1], rows[3], rows[4])
    assert np.abs(again - rows[2]).max() < 1e-5
    assert all(np.linalg.eigvalsh(b.pseudo_inertia()).min() > 0 for b in found.mechanism.bodies)


# -- with noise ------------------------------------------------------------------------------------------------------


def test_puma_within_the_stated_confidence() -> None:
    """The 36 base parameters and 18 of friction, 1 % noise: all within their intervals as often as these say, and one by one
    within four standard errors.
    """
    arm = lg.library("puma560")
    found = lg.identify(arm, *record(arm, excited(), 1000, 0.01, seed=7))
    assert len(found.base) == 36
    z = in_errors(found)
    assert np.abs(z).max() < 4.0
    inside = [e.interval[0] <= e.described <= e.interval[1] for e in found]
    assert np.mean(inside) > 0.85
    # jointly: the squared distance in the metric of the covariance is a chi-square of 54 degrees of freedom
    d = found.values - found.described
    distance = d @ np.linalg.solve(found.covariance, d)
    assert 27 < distance < 94  # 0.1 % and 99.95 %
    assert found.residuals.percent == pytest.approx(np.ones(6), abs=0.05)
    assert found.cross_validation.percent == pytest.approx(np.ones(6), abs=0.05)
    assert found.noise == pytest.approx(0.01 * found.residuals.force, rel=0.05)


def test_intervals_cover_as_often_as_they_say() -> None:
    """Over 120 records that differ in their noise alone, of which each joint has its own."""
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = record(arm, excited(), 50)
    read = read_record(lg.compile(arm), t, q, tau, qd, qdd, None, None)
    regression, grouping = grouped(regression_of(lg.compile(arm), True, False, False, None), read)
    Y, z, _, used = equations(regression, grouping, read, 0.02)
    truth = grouping.matrix @ regression.described
    rng = np.random.default_rng(11)
    noise = np.array([1.0, 2.0, 0.5, 0.05, 0.05, 0.02])
    errors, levels, distances = [], [], []
    for _ in range(120):
        found = fit(Products.of(Y, z + noise * rng.normal(size=z.shape), used, 1, grouping.names))
        errors.append((found.values - truth) / np.sqrt(np.diag(found.covariance)))
        distances.append(np.sum((found.root @ (found.values - truth)) ** 2))
        levels.append(found.noise)
    assert np.mean(levels, axis=0) == pytest.approx(noise, rel=0.02)
    assert np.mean(np.abs(errors) < 1.96) == pytest.approx(0.95, abs=0.01)
    # independent records: the mean of 120 chi-squares of 54 scatters by sqrt(2 * 54 / 120)
    assert np.mean(distances) == pytest.approx(54, abs=4 * np.sqrt(2 * 54 / 120))
    assert np.abs(np.mean(errors, axis=0)).max() < 4.5 / np.sqrt(120)  # no bias
    assert np.std(errors, axis=0) == pytest.approx(np.ones(54), abs=0.28)


def test_parameters_cost_degrees_of_freedom() -> None:
    """Of few rows: the noise, estimated from what 12 parameters leave of 60 equations, is not too small."""
    arm = lg.library("two_r")
    rows = record(arm, excited("two_r"), 3)
    rng = np.random.default_rng(0)
    noise = []
    for _ in range(60):
        t, q, tau, qd, qdd = rows
        found = lg.identify(arm, t, q, tau + 2.0 * rng.normal(size=tau.shape), qd, qdd, slow=0, folds=2)
        noise.append(np.mean(found.noise**2))
    assert np.mean(noise) == pytest.approx(4.0, rel=0.12)  # without: 3.2


def test_weights_follow_the_noise_of_each_joint() -> None:
    """A joint that is measured badly must not spoil the others: standard errors against those with equal weights."""
    arm = lg.library("scara")
    t, q, tau, qd, qdd = record(arm, excited("scara"), 100)
    tau = tau + np.random.default_rng(0).normal(size=tau.shape) * [1e-3, 3.0, 1e-3, 1e-3]
    found = lg.identify(arm, t, q, tau, qd, qdd)
    Y = found.regression.matrix(q, qd, qdd, found.grouping.columns).reshape(-1, len(found))
    plain = np.linalg.lstsq(Y, (tau - found.regression.parts(q, qd, qdd, [0])[1]).ravel(), rcond=None)[0]
    inertial = slice(len(found.base))  # friction of the bad joint itself is in no other equation
    off, off_plain = (np.abs(x - found.described)[inertial].max() for x in (found.values, plain))
    assert off < 0.03 * off_plain
    assert np.abs(in_errors(found)).max() < 4


def test_noisy_coordinates_differentiated_without_bias() -> None:
    """Encoder noise of 1e-4 rad, q alone recorded: by filter, by Fourier series, by deviation from the path; and by plain
    differences, which fail.
    """
    arm = lg.library("puma560")
    path = excited(periods=4)
    t, q, tau, _, _ = record(arm, path, 200, 0.01, seed=3)
    q = q + 1e-4 * np.random.default_rng(1).normal(size=q.shape)
    for commanded in (None, path, path.motion):
        found = lg.identify(arm, t, q, tau, physical=False, path=commanded)
        z = in_errors(found)
        assert np.abs(z).max() < 4.5
        assert np.mean(z**2) < 2
        assert len(found.base) == 36
    speeds = np.gradient(q, t, axis=0)
    plain = lg.identify(arm, t, q, tau, speeds, np.gradient(speeds, t, axis=0), physical=False)
    assert np.mean(in_errors(plain) ** 2) > 50


def test_only_the_deviation_from_a_path_is_smoothed() -> None:
    """A motion faster than the cutoff is not lost if it was commanded."""
    arm = lg.library("two_r")
    path = lg.exciting_path(arm, period=2.0, periods=10, iterations=0, qdd_limits=100, qd_limits=10)
    t, q, tau, _, _ = record(arm, path, 500)
    with_path = lg.identify(arm, t, q, tau, path=lambda times: path(times), cutoff=3.0)
    without = lg.identify(arm, t, q, tau, cutoff=3.0)
    assert np.abs(with_path.values - with_path.described).max() < 0.02
    assert np.abs(without.values - without.described).max() > 5 * np.abs(with_path.values - with_path.described).max()


def test_uneven_times_are_resampled() -> None:
    arm = lg.library("two_r")
    path = excited("two_r", 2)
    t = np.sort(np.concatenate([[0, 20], np.random.default_rng(0).uniform(0, 20, 3000)]))
    q, qd, qdd = path(t)
    tau = lg.compile(arm).inverse_dynamics(q, qd, qdd)
    found = lg.identify(arm, t, q, tau)
    assert found.values == pytest.approx(found.described, rel=2e-3, abs=2e-2)


def test_record_of_a_controlled_run() -> None:
    """A simulated arm follows the path under a sampled controller; q and tau alone are recorded."""
    arm = lg.library("two_r")
    joints = tuple(replace(j, friction=lg.Friction(2.0)) for j in arm.joints)
    arm = arm.replace(joints=joints)
    dyn = lg.compile(arm)
    path = lg.exciting_path(arm, period=5.0, iterations=0)

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        wanted, speed, acceleration = path(min(t, path.end))
        return np.asarray(dyn.inverse_dynamics(wanted, speed, acceleration) + 400 * (wanted - q) + 40 * (speed - qd))

    start = path(0.0)
    motion = lg.simulate(arm, (0, 5), q0=start[0] + 0.02, qd0=start[1], torque=lg.Sampled(control, 0.002), rtol=1e-7)
    middle = motion.resample(np.arange(0.001, 5, 0.002))  # forces are held between samples: their middle is when they act
    rng = np.random.default_rng(5)
    tau = middle.tau + 0.2 * rng.normal(size=middle.tau.shape)
    found = lg.identify(arm, middle.t, middle.q, tau, friction="viscous")
    assert np.abs(in_errors(found)).max() < 4
    assert found["Fv1"].value == pytest.approx(2.0, abs=0.1)


# -- real bodies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_bodies_are_always_real(seed: int) -> None:
    """Much noise on small parameters: the estimates alone are no bodies', their completion is; and it explains the record."""
    arm = lg.library("puma560")
    found = lg.identify(arm, *record(arm, excited(), 60, 0.05, seed))
    for body in found.mechanism.bodies:
        assert not body.effective
        assert np.linalg.eigvalsh(body.pseudo_inertia()).min() > 0
    for joint in found.mechanism.joints:
        assert float(joint.friction.coulomb) > 0
    assert found.inconsistency < 2 * len(found)
    again = lg.identify(found.mechanism, *record(found.mechanism, excited(), 60))
    off = (again.values - found.values) / found.standard_errors
    assert np.mean(off**2) < 2


def test_identified_mechanism_moves_as_the_true_one() -> None:
    """From a description that is wrong by 30 %: the completed mechanism's torques are those of the true arm."""
    true = lg.library("puma560")
    rng = np.random.default_rng(2)
    described = true.replace(bodies=tuple(replace(b, mass=float(b.mass) * rng.uniform(0.7, 1.3)) for b in true.bodies))
    t, q, tau, qd, qdd = record(true, excited(), 60)
    for physical, bound in ((True, 1e-4), (False, 1e-8)):
        found = lg.identify(described, t, q, tau, qd, qdd, physical=physical)
        again = lg.compile(found.mechanism).inverse_dynamics(q, qd, qdd)
        assert np.abs(again - tau).max() < bound
        before = lg.compile(described).inverse_dynamics(q, qd, qdd)
        assert np.abs(before - tau).max() > 1
        assert all(b.effective is not physical for b in found.mechanism.bodies)


def test_what_no_bodies_explain_is_said() -> None:
    """A link whose inertia about its joint is negative."""
    arm = lg.library("two_r")
    bodies = list(arm.bodies)
    bodies[1] = lg.Body(bodies[1].name, 5.0, (0.5, 0, 0), (0, 0, 0, 0, 0, -2.0), effective=True)
    rows = record(arm.replace(bodies=tuple(bodies)), excited("two_r"), 60, 0.001)
    found = lg.identify(arm, *rows)
    assert found["Izz2"].value == pytest.approx(-2.0 + 5 * 0.25, abs=0.01)
    assert found.inconsistency > 100 * len(found)
    assert "no real bodies" in str(found)
    assert "no real bodies" not in str(lg.identify(arm, *record(arm, excited("two_r"), 60, 0.001)))


def test_the_prior_decides_only_what_the_record_leaves_open() -> None:
    """Ten thousand times the weight: bodies nearer to the described ones; a fraction of it: nearer to the estimates."""
    arm = lg.library("puma560")
    rows = record(arm, excited(), 60, 0.02, seed=4)
    strong, weak = (lg.identify(arm, *rows, prior=prior) for prior in (10.0, 1e-5))
    assert weak.inconsistency < strong.inconsistency
    assert np.array_equal(weak.values, strong.values)


# -- loops -----------------------------------------------------------------------------------------------------------


def closed_record(mechanism: lg.Mechanism, amplitude: float) -> tuple[Record, Projection]:
    """A motion of the actuated joints and their forces: N^T of the tree's, with all constraint forces gone."""
    dyn = lg.compile(mechanism)
    start = lg.assemble(mechanism)
    projection = Projection(dyn, start)
    t = np.arange(0, 10, 0.02)
    rng = np.random.default_rng(0)
    w = 2 * np.pi / 10 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, len(projection.names))) * amplitude / 3
    c, s = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
    first = [start[mechanism.coordinate_names.index(name)] for name in projection.names]
    driven = first + s @ a + (c - 1) @ b
    q = follow(dyn, driven, projection.names, t, start)
    qd, qdd = projection.complete(q, (c * w) @ a - (s * w) @ b, -(s * w * w) @ a - (c * w * w) @ b, t)
    assert np.abs(dyn.closure(q)).max() < 1e-9
    assert np.abs(dyn.constraint_rate(q, qd)).max() < 1e-9
    (tau,) = projection.rows(q, t, np.array(dyn.inverse_dynamics(q, qd, qdd)))
    return (t, q, tau, qd, qdd, driven), projection


@pytest.mark.parametrize(("name", "amplitude"), [("four_bar", 0.5), ("five_bar", 0.3), ("three_rrr", 0.15)])
def test_loops_by_actuated_forces_alone(name: str, amplitude: float) -> None:
    mechanism = lg.library(name)
    (t, q, tau, qd, qdd, driven), projection = closed_record(mechanism, amplitude)
    assert set(projection.names) == {j.name for j in mechanism.joints if j.actuated}
    found = lg.identify(mechanism, t, q, tau, qd, qdd)
    assert np.abs(found.values - found.described).max() < 1e-7
    assert len(found.base) < lg.derive(mechanism).base_parameters().count  # loops group more than the tree
    # forward dynamics with the identified bodies: the actuated torques make the same motion
    full = np.zeros_like(qd)
    full[:, projection.independent] = tau
    again = lg.compile(found.mechanism).forward_dynamics(q, qd, full)
    assert np.abs(again - qdd).max() < 1e-3 * np.abs(qdd).max()
    noise = 0.01 * tau.std(axis=0) * np.random.default_rng(1).normal(size=tau.shape)
    for rows in ((t, q, tau + noise, qd, qdd), (t, driven, tau + noise)):
        found = lg.identify(mechanism, *rows, friction="viscous")
        assert np.abs(in_errors(found)).max() < 4


def test_passive_joints_of_a_tree_have_no_force() -> None:
    arm = lg.library("cart_pendulum")
    rng = np.random.default_rng(0)
    motion = lg.simulate(
        arm, (0, 10), q0=[0.0, 0.5], torque={arm.joints[0].name: "4*sin(3*t) + 3*cos(5*t)"}, rtol=1e-10, atol=1e-12
    ).resample(1000)
    noisy = motion.tau[:, :1] + 0.05 * rng.normal(size=(1000, 1))
    found = lg.identify(arm, motion.t, motion.q, noisy, motion.qd, motion.qdd, friction="viscous")
    assert np.abs(in_errors(found)).max() < 4
    assert found.residuals.error[1] < 1e-3


# -- validation ------------------------------------------------------------------------------------------------------


def test_validation_on_another_record_finds_a_missing_term() -> None:
    arm = lg.library("puma560")
    rows = record(arm, excited(), 60, 0.01)
    other = record(arm, lg.exciting_path(arm, iterations=0, seed=9), 60, 0.01, seed=1)
    bare = arm.replace(joints=tuple(replace(j, friction=lg.Friction()) for j in arm.joints))
    full, missing = lg.identify(bare, *rows), lg.identify(bare, *rows, friction=False)
    good, bad = full.validate(*other), missing.validate(*other)
    assert good.percent == pytest.approx(np.ones(6), abs=0.2)
    assert good.r_squared.min() > 0.999
    assert bad.percent.max() > 10
    assert bad.r_squared.min() < good.r_squared.min()
    assert missing.cross_validation.percent.max() > 10 * full.cross_validation.percent.max()
    assert "R^2" in str(good)


def test_torque_is_that_of_the_estimates() -> None:
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = record(arm, excited(), 60)
    found = lg.identify(arm, t, q, tau, qd, qdd)
    assert np.abs(found.torque(q, qd, qdd) - tau).max() < 1e-8
    assert np.abs(found.torque(q[3], qd[3], qdd[3]) - tau[3]).max() < 1e-8


def test_symmetric_friction_with_an_offset_is_asymmetric_friction() -> None:
    arm = lg.library("puma560")
    rows = record(arm, excited(), 60)
    found = lg.identify(arm, *rows, friction="coulomb", offset=True)
    for k, joint in enumerate(arm.joints, 1):
        forward, backward = float(joint.friction.coulomb), float(joint.friction.coulomb_negative)
        assert found[f"Fc{k}"].value == pytest.approx((forward + backward) / 2, abs=1e-8)
        assert found[f"Fo{k}"].value == pytest.approx((forward - backward) / 2, abs=1e-8)


def test_the_table() -> None:
    arm = lg.library("two_r")
    found = lg.identify(arm, *record(arm, excited("two_r"), 60, 0.01), friction="viscous")
    text = str(found)
    assert text.startswith("Identification of two_r: 6 base parameters, 2 of friction; 600 rows of 2 equations")
    assert "hx1R" in text
    assert "positive definite pseudo-inertia" in text
    assert found["hx1R"].formula == "hx1 + l1*m2"
    assert len(list(found)) == len(found) == 8
    with pytest.raises(lg.ArgumentError, match="Did you mean 'Izz1R'"):
        found["Izz1"]


# -- what is wrong is said -------------------------------------------------------------------------------------------


def test_a_joint_that_stands_still_is_named() -> None:
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = (x.copy() for x in record(arm, excited(), 60))
    q[:, 5], qd[:, 5], qdd[:, 5] = 0.3, 0.0, 0.0
    with pytest.raises(lg.ArgumentError, match=r"does not excite all parameters.*Fv6"):
        lg.identify(arm, t, q, tau, qd, qdd)
    with pytest.raises(lg.ArgumentError, match=r"combinations acting apart.*6"):
        lg.identify(arm, t, q, tau, qd, qdd, friction=False)


def test_bad_records_are_refused() -> None:
    arm = lg.library("two_r")
    t, q, tau, qd, qdd = record(arm, excited("two_r"), 60)

    def refuses(message: str, *rows: object, **more: object) -> None:
        with pytest.raises(lg.ArgumentError, match=message):
            lg.identify(arm, *rows, **more)  # type: ignore[arg-type]

    refuses(r"q has shape \(600, 3\)", t, np.zeros((600, 3)), tau)
    refuses(r"tau has shape \(599, 2\)", t, q, tau[1:])
    refuses("one time for each", t[:5], q[:5], tau[:5])
    refuses("times must increase", t[::-1], q, tau)
    refuses("not finite in row 7, column 1", t, np.where((np.arange(600) == 7)[:, None] & [False, True], np.nan, q), tau)
    refuses("give both qd and qdd", t, q, tau, qd)
    refuses("4 rows of moving joints", t[:20], q[:20], tau[:20], qd[:20], qdd[:20], slow=0.9)
    refuses("array of numbers", t, "q", tau)
    refuses("cutoff is -1", t, q, tau, cutoff=-1)
    refuses("below half the sampling rate", t, q, tau, cutoff=40)
    refuses("record longer, raise the cutoff", t, q, tau, cutoff=0.3)
    refuses("no kind 'stribeck'", t, q, tau, friction="stribeck")
    refuses("takes up a constant force already", t, q, tau, offset=True)
    refuses("no joint that moves 'q9'", t, q, tau, joints=["q9"])
    refuses("prior is 0", t, q, tau, prior=0)
    refuses("folds is 1", t, q, tau, folds=1)
    refuses("slow is 2", t, q, tau, slow=2)
    refuses("path is a str", t, q, tau, path="circle")
    refuses("no force acts", t, q, tau - tau, 0 * qd, 0 * qdd, friction=False)
    refuses("two_r stands still throughout the record", t, 0 * q, tau, 0 * qd, 0 * qdd)
    refuses("two_r stands still throughout the record", t, 0 * q + 0.3, tau)
    refuses("q and tau not given", t)


def test_a_motion_is_a_record() -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, excited("two_r"))
    found, wanted = lg.identify(arm, motion), lg.identify(arm, motion.t, motion.q, motion.tau, motion.qd, motion.qdd)
    assert np.array_equal(found.values, wanted.values)
    assert found.validate(motion).error == pytest.approx(0, abs=1e-9)
    with pytest.raises(lg.ArgumentError, match="the motion has q, tau, qd and qdd itself"):
        lg.identify(arm, motion, motion.q)


def test_records_in_other_units_or_orders_are_doubted() -> None:
    arm = lg.library("two_r")
    t, q, tau, _, _ = record(arm, excited("two_r"), 60)
    rng = np.random.default_rng(0)
    noisy = tau + 0.05 * tau.std(axis=0) * rng.normal(size=tau.shape)
    said = "The model explains little of the torques. Are angles in radians"
    assert said not in str(lg.identify(arm, t, q, noisy))
    for wrong in (np.degrees(q), q[:, ::-1], -q[:, ::-1]):
        assert said in str(lg.identify(arm, t, wrong, noisy))
