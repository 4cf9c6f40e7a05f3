"""Torques for a path: against references, and simulated again."""

import json
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths
from tests.inverse_dynamics.motions import (
    CIRCLE,
    PLATFORM,
    ROUND_TRIPS,
    TWO_R,
    consistent,
    rates,
)

DATA = Path(__file__).parents[1] / "data"


# -- references ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("branch", "q0"), [("elbow theta2>0", [0.3, 0.8]), ("elbow theta2<0", {"theta2": -0.8})])
def test_the_lectures_circle(branch, q0):
    reference = json.loads((DATA / "two_r.json").read_text())["reference"][branch]
    motion = lg.inverse(TWO_R, CIRCLE, q0=q0, t_eval=10001)
    for name, row in (("theta0", motion.q), ("thetad0", motion.qd), ("thetadd0", motion.qdd)):
        np.testing.assert_allclose(row[0], reference[name], rtol=0, atol=1e-12)
    for t, tau in reference["tau_at"].items():
        k = round(float(t) * 1000)
        assert motion.t[k] == pytest.approx(float(t), abs=1e-12)
        np.testing.assert_allclose(motion.tau[k], tau, rtol=0, atol=1e-10)
    tau1, tau2 = motion.tau.T
    actual = [tau1.min(), tau1.max(), tau2.min(), tau2.max()]
    np.testing.assert_allclose(actual, [reference[n] for n in ("tau1_min", "tau1_max", "tau2_min", "tau2_max")], rtol=1e-6)
    assert motion.t[np.argmax(tau1)] == pytest.approx(reference["t_tau1_max"], abs=0.0021)
    assert motion.t[np.argmin(tau1)] == pytest.approx(reference["t_tau1_min"], abs=0.0021)


def test_three_rrr_torques_and_multipliers():
    reference = json.loads((DATA / "three_rrr.json").read_text())["reference"]["rrr"]
    motion = lg.inverse(lg.library("three_rrr"), paths.formula(PLATFORM, 1.0), t_eval=[float(t) for t in reference])
    driven = [motion.speed_names.index(f"theta{k}") for k in (1, 2, 3)]
    for row, values in enumerate(reference.values()):
        np.testing.assert_allclose(motion.tau[row, driven], values["tau"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.multipliers[row], values["lam"], rtol=0, atol=1e-12)
    assert not np.delete(motion.tau, driven, axis=1).any()
    assert motion.drift.max() < 1e-14
    open_tree = lg.compile(motion.mechanism).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(motion.tau + motion.constraint_forces, open_tree, rtol=0, atol=1e-12)


def test_against_pinocchio():
    pin = pytest.importorskip("pinocchio")
    files = metadata.files("example-robot-data") or []
    urdf = next((str(f.locate()) for f in files if f.name == "ur5_robot.urdf"), None)
    if urdf is None:
        pytest.skip("example-robot-data has no ur5_robot.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = lg.load(urdf)
    model = pin.buildModelFromUrdf(urdf)
    data = model.createData()
    q0, q1 = np.array([0.1, -0.8, 0.9, -0.3, 0.5, 0.2]), np.array([0.9, -1.4, 1.3, 0.4, -0.6, 1.0])
    names = list(model.names)[1:]
    order = [arm.coordinate_names.index(n) for n in names]
    path = paths.joint_line(dict(zip(names, q0, strict=True)), dict(zip(names, q1, strict=True)), 1.0)
    motion = lg.inverse(arm, path, t_eval=21, limits=False)
    for k in range(21):
        expected = pin.rnea(model, data, *(x[k, order] for x in (motion.q, motion.qd, motion.qdd)))
        np.testing.assert_allclose(motion.tau[k, order], expected, rtol=0, atol=1e-9)  # of 60 N m
    np.testing.assert_allclose(motion.q[-1, order], q1, atol=1e-14)


# -- and back --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow) if x == "stewart" else x for x in ROUND_TRIPS])
def test_simulated_again_it_is_the_path(name):
    which, path, more = ROUND_TRIPS[name]
    mechanism = lg.library(which)
    motion = lg.inverse(mechanism, path, t_eval=101, **more)
    assert motion.success
    assert np.abs(motion.energy_balance).max() < 1e-10 * motion.energy_scale
    back = lg.simulate(mechanism, torque=motion.torque, rtol=1e-12, atol=1e-13, t_eval=motion.t, limits=False, **motion.start)
    np.testing.assert_allclose(back.q, motion.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(back.qd, motion.qd, rtol=0, atol=1e-7)
    moves = np.abs(motion.qd).min(axis=1) > 1e-6 if which == "puma560" else slice(None)  # at rest dry friction is anything
    np.testing.assert_allclose(back.tau[moves], motion.tau[moves], rtol=0, atol=1e-9 * np.abs(motion.tau).max())
    if mechanism.equation_count:
        scale = np.abs(motion.multipliers).max()
        np.testing.assert_allclose(back.multipliers, motion.multipliers, rtol=0, atol=1e-6 * scale)
    for what, done in motion.work.items():
        np.testing.assert_allclose(done[-1], back.work[what][-1], rtol=0, atol=1e-7 * motion.energy_scale)
    if "puma560, rev" in name:
        assert len(motion.torque.discontinuities) == 8  # where one of the six turns back, against dry friction
        for t in motion.torque.discontinuities:
            assert np.abs(motion(t)[1]).min() < 1e-9


@pytest.mark.parametrize("name", ["two_r, quintic", "four_bar", "delta", "stewart"])
def test_speeds_and_accelerations_are_derivatives(name):
    which, path, more = ROUND_TRIPS[name]
    motion = lg.inverse(lg.library(which), path, t_eval=1001, **more)
    if motion.q.shape[1] == motion.qd.shape[1]:
        consistent(motion, 1e-9)
    dyn = lg.compile(motion.mechanism)
    if dyn.mechanism.equation_count:
        assert motion.drift.max() < 1e-12
        assert motion.rate_drift.max() < 1e-11
    if "frame" in more:
        T, velocity, acceleration = path(motion.t)
        led = [("wx", "wy", "wz", "x", "y", "z").index(d) for d in path.directions]
        np.testing.assert_allclose(dyn.pose(motion.q, more["frame"])[:, :2, 3], T[:, :2, 3], rtol=0, atol=1e-11)
        reached = (
            dyn.velocity(motion.q, motion.qd, more["frame"]),
            dyn.acceleration(motion.q, motion.qd, motion.qdd, more["frame"]),
        )
        for actual, expected in zip(reached, (velocity, acceleration), strict=True):
            np.testing.assert_allclose(actual[:, led], expected[:, led], rtol=0, atol=1e-9 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name", ["four_bar", "delta", "stewart"])
def test_power_of_the_actuators_is_the_change_of_energy(name):
    """dE/dt = tau qd - F qd, with the energy's change by differences of the rows: multipliers do no work."""
    which, path, more = ROUND_TRIPS[name]
    motion = lg.inverse(lg.library(which), path, t_eval=2001, **more)
    power = ((motion.tau - motion.friction) * motion.qd).sum(axis=1)
    np.testing.assert_allclose(rates(motion.energy, motion.t), power[3:-3], rtol=0, atol=1e-8 * np.abs(power).max())
    assert np.abs(power).max() > 0.1


def test_few_rows_have_the_same_work():
    fine = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8])
    for rows in (2, 3, 7):
        few = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=rows)
        np.testing.assert_allclose(few.work["torque"][-1], fine.work["torque"][-1], rtol=0, atol=1e-9)
        assert np.abs(few.energy_balance).max() < 1e-9
    dense = lg.inverse(TWO_R, CIRCLE, q0=[0.3, 0.8], t_eval=20_003)
    np.testing.assert_allclose(dense.work["torque"][-1], fine.work["torque"][-1], rtol=0, atol=1e-8)
