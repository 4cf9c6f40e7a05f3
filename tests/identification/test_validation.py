"""Identification judged by another record; and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from tests.identification.records import (
    excitation_path,
    record,
)

# -- validation ------------------------------------------------------------------------------------------------------


def test_validation_on_another_record_finds_a_missing_term() -> None:
    arm = lg.library("puma560")
    rows = record(arm, excitation_path(), 60, 0.01)
    other = record(arm, lg.excitation_trajectory(arm, iterations=0, seed=9), 60, 0.01, seed=1)
    bare = arm.replace(joints=tuple(replace(j, friction=lg.Friction()) for j in arm.joints))
    full, missing = lg.identify(bare, *rows), lg.identify(bare, *rows, friction=False)
    good, bad = full.validate(*other), missing.validate(*other)
    assert good.percent_error == pytest.approx(np.ones(6), abs=0.2)
    assert good.r_squared.min() > 0.999
    assert bad.percent_error.max() > 10
    assert bad.r_squared.min() < good.r_squared.min()
    assert missing.cross_validation.percent_error.max() > 10 * full.cross_validation.percent_error.max()
    assert "R^2" in str(good)


def test_torque_is_that_of_the_estimates() -> None:
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = record(arm, excitation_path(), 60)
    identification = lg.identify(arm, t, q, tau, qd, qdd)
    assert np.abs(identification.torque(q, qd, qdd) - tau).max() < 1e-8
    assert np.abs(identification.torque(q[3], qd[3], qdd[3]) - tau[3]).max() < 1e-8


def test_symmetric_friction_with_an_offset_is_asymmetric_friction() -> None:
    arm = lg.library("puma560")
    rows = record(arm, excitation_path(), 60)
    identification = lg.identify(arm, *rows, friction="coulomb", offset=True)
    for k, joint in enumerate(arm.joints, 1):
        forward, backward = float(joint.friction.coulomb), float(joint.friction.coulomb_negative)
        assert identification[f"Fc{k}"].value == pytest.approx((forward + backward) / 2, abs=1e-8)
        assert identification[f"Fo{k}"].value == pytest.approx((forward - backward) / 2, abs=1e-8)


def test_the_table() -> None:
    arm = lg.library("two_r")
    identification = lg.identify(arm, *record(arm, excitation_path("two_r"), 60, 0.01), friction="viscous")
    text = str(identification)
    assert text.startswith("Identification of two_r: 6 base parameters, 2 of friction; 600 rows of 2 equations")
    assert "hx1R" in text
    assert "parameters of real bodies" in text
    assert identification["hx1R"].formula == "hx1 + l1*m2"
    assert len(list(identification)) == len(identification) == 8
    with pytest.raises(lg.ArgumentError, match="Did you mean 'Izz1R'"):
        identification["Izz1"]


# -- what is wrong is said -------------------------------------------------------------------------------------------


def test_a_joint_that_stands_still_is_named() -> None:
    arm = lg.library("puma560")
    t, q, tau, qd, qdd = (x.copy() for x in record(arm, excitation_path(), 60))
    q[:, 5], qd[:, 5], qdd[:, 5] = 0.3, 0.0, 0.0
    with pytest.raises(lg.ArgumentError, match=r"does not excite all parameters.*Fv6"):
        lg.identify(arm, t, q, tau, qd, qdd)
    with pytest.raises(lg.ArgumentError, match=r"combinations act independently.*6"):
        lg.identify(arm, t, q, tau, qd, qdd, friction=False)


def test_bad_records_are_refused() -> None:
    arm = lg.library("two_r")
    t, q, tau, qd, qdd = record(arm, excitation_path("two_r"), 60)

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
    refuses("already contains a constant force", t, q, tau, offset=True)
    refuses("no joint that moves 'q9'", t, q, tau, joints=["q9"])
    refuses("prior is 0", t, q, tau, prior=0)
    refuses("folds is 1", t, q, tau, folds=1)
    refuses("slow is 2", t, q, tau, slow=2)
    refuses("path is a str", t, q, tau, path="circle")
    refuses("the record has only known forces", t, q, tau - tau, 0 * qd, 0 * qdd, friction=False)
    refuses("two_r does not move in the record", t, 0 * q, tau, 0 * qd, 0 * qdd)
    refuses("two_r does not move in the record", t, 0 * q + 0.3, tau)
    refuses("q and tau are missing", t)


def test_a_motion_is_a_record() -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, excitation_path("two_r"))
    actual, expected = lg.identify(arm, motion), lg.identify(arm, motion.t, motion.q, motion.tau, motion.qd, motion.qdd)
    assert np.array_equal(actual.values, expected.values)
    assert actual.validate(motion).error == pytest.approx(0, abs=1e-9)
    with pytest.raises(lg.ArgumentError, match="the motion contains q, tau, qd and qdd"):
        lg.identify(arm, motion, motion.q)


def test_records_in_other_units_or_orders_are_doubted() -> None:
    arm = lg.library("two_r")
    t, q, tau, _, _ = record(arm, excitation_path("two_r"), 60)
    rng = np.random.default_rng(0)
    noisy = tau + 0.05 * tau.std(axis=0) * rng.normal(size=tau.shape)
    said = "The model explains little of the torques. Check that angles are in radians"
    assert said not in str(lg.identify(arm, t, q, noisy))
    for wrong in (np.degrees(q), q[:, ::-1], -q[:, ::-1]):
        assert said in str(lg.identify(arm, t, wrong, noisy))
