"""A planar platform on three legs, 3-RRR, whose joints all have dry friction, driven, with a lock on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg

FRICTION = {"theta1": 0.5, "psi1": 0.05, "theta2": 0.05, "psi2": 2.0, "theta3": 0.5, "psi3": 0.05, "platform": 0.05}
TORQUE = {"theta1": "0.52*sin(4.69*t)", "theta2": "2.74*sin(2.42*t)", "theta3": "0.89*sin(4.48*t)"}


@pytest.mark.slow
@pytest.mark.parametrize("locked", [None, "theta2"])
def test_friction_drives_and_a_lock(locked: str | None) -> None:
    """It gets on, at most 10,000 steps a second; friction takes energy only, and what it takes is missing."""
    base = lg.library("three_rrr")
    joints = [replace(joint, friction=lg.Friction(coulomb=FRICTION[joint.name], viscous=0.01)) for joint in base.joints]
    events = [lg.Event("t - 0.7", lg.LockJoints(locked), name="lock")] if locked else None
    motion = lg.simulate(base.replace(joints=joints), 2.0, torque=TORQUE, events=events)
    assert motion.success, motion.message
    steps = motion.statistics["accepted"] + motion.statistics["rejected"]
    assert steps < 20_000
    assert (motion.friction * motion.qd).sum(axis=1).min() > -1e-9
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale
