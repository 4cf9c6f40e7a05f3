"""What a task asks of each joint."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lagrangian as lg
from tests.sizing.tasks import (
    A,
    J,
    W,
    reach,
    rows,
    sine,
    wheel,
)


def test_demand_of_a_swinging_inertia() -> None:
    d = lg.size_actuators(wheel(), sine(wheel()), catalogue=False).demand["axis"]
    peak = J * A * W**2
    assert d.peak_torque == pytest.approx(peak, rel=1e-6)
    assert d.rms_torque == pytest.approx(peak / math.sqrt(2), rel=1e-6)
    assert d.mean_torque == pytest.approx(2 / math.pi * peak, rel=1e-6)
    assert d.wear_torque == pytest.approx(peak * 0.25 ** (1 / 3), rel=1e-6)
    assert d.peak_speed == pytest.approx(A * W, rel=1e-9)
    assert d.rms_speed == pytest.approx(A * W / math.sqrt(2), rel=1e-6)
    assert d.peak_acceleration == pytest.approx(A * W**2, rel=1e-6)
    assert d.peak_power == pytest.approx(J * A**2 * W**3 / 2, rel=1e-6)
    assert d.peak_power_back == pytest.approx(d.peak_power, rel=1e-6)
    assert d.energy == pytest.approx(J * A**2 * W**2, rel=1e-6)
    assert d.energy_back == pytest.approx(d.energy, rel=1e-6)
    assert d.load_inertia == pytest.approx(J)
    assert d.load_factor == pytest.approx(4 * J * (A * W**2) ** 2 / 2, rel=1e-6)
    assert d.peak_time == pytest.approx(np.pi / 2 / W, abs=1e-3) or d.peak_time == pytest.approx(3 * np.pi / 2 / W, abs=1e-3)
    assert d.units == ("N m", "rad/s", "kg m²")


def test_rows_at_any_distance_weigh_what_they_stand_for() -> None:
    """A linear torque: mean over time exact; unweighted it would follow where rows are dense."""
    t = np.sort(np.concatenate([[0, 2], np.random.default_rng(1).uniform(0, 0.3, 400), np.linspace(0.3, 2, 300)]))
    motion = rows(wheel(), t, t, np.ones_like(t), np.zeros_like(t))
    motion.tau = np.reshape(1 + t, (-1, 1))
    d = lg.size_actuators(wheel(), motion, catalogue=False).demand["axis"]
    assert d.mean_torque == pytest.approx(2.0, rel=1e-12)
    assert d.energy == pytest.approx(4.0, rel=1e-12)
    assert d.rms_torque == pytest.approx(math.sqrt((27 - 1) / 3 / 2), rel=1e-4)
    assert d.energy_back == 0
    assert lg.size_actuators(wheel(), sine(wheel(), 2 * np.pi / W * (np.linspace(0, 1, 4001) ** 2)), catalogue=False).demand[
        "axis"
    ].rms_torque == pytest.approx(J * A * W**2 / math.sqrt(2), rel=1e-5)


def test_a_dwell_is_held_or_braked() -> None:
    """A weight on an arm: at rest the motor still carries it; with a brake it cools."""
    arm = lg.library("geared_link")
    motion = reach(arm, 1001)
    hold = float(lg.compile(arm).gravity(motion.q[-1])[0])
    short = lg.size_actuators(arm, motion, catalogue=False).demand["theta"]
    square = short.rms_torque**2 * 1.0
    for held, rest in ((True, hold), (False, 0.0)):
        d = lg.size_actuators(arm, motion, catalogue=False, dwell=3.0, hold_at_rest=held).demand["theta"]
        assert d.rms_torque == pytest.approx(math.sqrt((square + 3 * rest**2) / 4), rel=1e-12)
        assert d.cycle_time == pytest.approx(4.0)
        same = lg.size_actuators(arm, motion, catalogue=False, cycle_time=4.0, hold_at_rest=held).demand["theta"]
        assert same.rms_torque == pytest.approx(d.rms_torque)
        assert d.energy == pytest.approx(short.energy)


@pytest.mark.parametrize("k", [2.0, 0.3])
def test_a_task_that_is_k_times_as_fast_needs_the_kth_power_that_its_units_say(k: float) -> None:
    """Without gravity and friction, tau(t) becomes k^2 tau(k t), whatever the mechanism is."""
    arm = lg.library("two_r").replace(gravity=(0, 0, 0))
    slow, fast = (lg.size_actuators(arm, reach(arm, seconds=seconds), catalogue=False).demand for seconds in (1.0, 1 / k))
    exponents = {"peak_torque": 2, "rms_torque": 2, "wear_torque": 2, "peak_speed": 1, "rms_speed": 1, "peak_acceleration": 2}
    exponents |= {"peak_power": 3, "peak_power_back": 3, "energy": 2, "energy_back": 2, "load_inertia": 0, "load_factor": 4}
    for joint in slow:
        for name, exponent in exponents.items():
            expected = k**exponent * getattr(slow[joint], name)
            assert getattr(fast[joint], name) == pytest.approx(expected, rel=1e-9), (joint, name)
        assert fast[joint].peak_time == pytest.approx(slow[joint].peak_time / k)
