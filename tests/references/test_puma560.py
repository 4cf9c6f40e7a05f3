"""PUMA 560 with motor inertia and friction, against the Robotics Toolbox's published numbers and their recomputation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg

DATA = json.loads((Path(__file__).parents[1] / "data" / "puma560.json").read_text())
OWN, PUBLISHED, TOLERANCE = DATA["reference"]["own"], DATA["reference"]["published"], DATA["tolerance"]
ARM = lg.library("puma560")
QN = np.array(ARM.poses["qn"])
ZERO, ONE = np.zeros(6), np.ones(6)
SPEEDS = np.array([1, 2, 3, 1, 2, 3.0])


@pytest.fixture(scope="module")
def dyn() -> lg.Dynamics:
    return lg.compile(ARM)


def without(*what: str) -> lg.Dynamics:
    """The arm without rotors or without friction."""
    import dataclasses

    nothing = {"rotor": lg.Rotor(), "friction": lg.Friction()}
    joints = [dataclasses.replace(j, **{w: nothing[w] for w in what}) for j in ARM.joints]
    return lg.compile(dataclasses.replace(ARM, joints=joints))


def without_gravity() -> lg.Dynamics:
    import dataclasses

    return lg.compile(dataclasses.replace(ARM, gravity=(0, 0, 0)))


def same(ours: np.ndarray, theirs: list, tolerance: float = TOLERANCE["own"]) -> None:
    np.testing.assert_allclose(ours, np.array(theirs, dtype=float), rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max()))


def test_mass_matrix_with_and_without_motors(dyn: lg.Dynamics) -> None:
    same(dyn.mass_matrix(QN), OWN["M_qn"])
    same(without("rotor").mass_matrix(QN), OWN["M_qn_nomotor"])
    for pose in ("qz", "qr", "qs"):
        same(dyn.mass_matrix(ARM.poses[pose]), OWN[f"M_{pose}"])


def test_gravity_is_the_published_one(dyn: lg.Dynamics) -> None:
    for pose in ("qn", "qz", "qr", "qs"):
        same(dyn.gravity(ARM.poses[pose]), OWN[f"g_{pose}"])
    np.testing.assert_allclose(dyn.gravity(QN), PUBLISHED["gravload_qn"], atol=TOLERANCE["published"])


def test_coriolis_matrix(dyn: lg.Dynamics) -> None:
    same(dyn.coriolis_matrix(QN, SPEEDS), OWN["C_qn_123123"])


def test_published_inverse_dynamics(dyn: lg.Dynamics) -> None:
    """As published; friction is in those with speed."""
    np.testing.assert_allclose(dyn.inverse_dynamics(QN, ZERO, ONE), PUBLISHED["rne_qdd1"], rtol=0, atol=TOLERANCE["published"])
    np.testing.assert_allclose(dyn.inverse_dynamics(QN, ONE, ONE), PUBLISHED["rne_qd1_qdd1"], rtol=0, atol=TOLERANCE["published"])
    np.testing.assert_allclose(dyn.inverse_dynamics(QN, ONE, ZERO), PUBLISHED["rne_qd1"], rtol=0, atol=TOLERANCE["published"])
    weightless = without_gravity().inverse_dynamics(QN, ONE, ONE)
    np.testing.assert_allclose(weightless, PUBLISHED["rne_qd1_qdd1_nograv"], rtol=0, atol=TOLERANCE["published"])


def test_published_forward_dynamics(dyn: lg.Dynamics) -> None:
    """With friction, as the toolbox's `accel` has it; the recomputation below is without."""
    values = PUBLISHED["accel"]
    accelerations = dyn.forward_dynamics(QN, values["qd"], values["tau"])
    np.testing.assert_allclose(accelerations, values["qdd"], rtol=0, atol=TOLERANCE["published"])


def test_published_inertial_torque(dyn: lg.Dynamics) -> None:
    np.testing.assert_allclose(dyn.mass_matrix(QN) @ SPEEDS, PUBLISHED["itorque_123123"], atol=TOLERANCE["published"])
    same(dyn.mass_matrix(QN) @ SPEEDS, OWN["itorque"])


def test_recomputed_inverse_dynamics(dyn: lg.Dynamics) -> None:
    same(dyn.inverse_dynamics(QN, ZERO, ONE), OWN["t1"])
    same(dyn.inverse_dynamics(QN, ONE, ONE), OWN["t2"])
    same(without("friction").inverse_dynamics(QN, ONE, ONE), OWN["t2_nofric"])
    same(dyn.inverse_dynamics(QN, ONE, ZERO), OWN["t3"])
    same(without_gravity().inverse_dynamics(QN, ONE, ONE), OWN["t4"])
    same(without("friction").forward_dynamics(QN, PUBLISHED["accel"]["qd"], PUBLISHED["accel"]["tau"]), OWN["acc"])
    same(dyn.friction(ONE), (np.array(OWN["t2"]) - np.array(OWN["t2_nofric"])).tolist())
