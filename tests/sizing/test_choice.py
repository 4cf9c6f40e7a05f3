"""Gears and motors: which fit, and which of them is chosen."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.sizing.candidates import GearLoad
from tests.sizing.tasks import (
    A,
    J,
    M,
    W,
    rows,
    sine,
    wheel,
)

MOTOR = lg.Motor("m", rated_torque=1.0, peak_torque=3.0, rated_speed=300.0, max_speed=500.0, inertia=1e-4)


def test_the_best_ratio_matches_the_inertias() -> None:
    sizing = lg.size_actuators(wheel(), sine(wheel()), catalogue=[MOTOR], gears=lg.GearRange(1, 1000), margin=0.1)
    c = sizing["axis"].chosen
    assert c is not None
    best = math.sqrt(J / MOTOR.inertia)
    rms = min((x.rms_torque, x.ratio) for x in sizing["axis"].feasible)
    assert rms[1] == pytest.approx(best, rel=1e-9)
    assert sizing.demand["axis"].optimal_ratio(MOTOR.inertia) == pytest.approx(best, rel=1e-9)
    # both inertias alike: twice the load's torque through the gear; and Giberti's bound is met with equality
    assert rms[0] == pytest.approx(2 * J * A * W**2 / math.sqrt(2) / best, rel=1e-6)
    assert rms[0] ** 2 / MOTOR.inertia == pytest.approx(sizing.demand["axis"].load_factor, rel=1e-6)
    assert next(x for x in sizing["axis"].feasible if x.ratio == rms[1]).inertia_ratio == pytest.approx(1)


def test_motor_side_in_closed_form() -> None:
    """Ratio, rotor and gear inertia, and each margin, of a swinging inertia."""
    gear = lg.Gear(20, inertia=1e-4)
    motion = sine(wheel())
    sizing = lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=gear)
    c = sizing["axis"].chosen
    assert c is not None
    peak = (J / 20 + 20 * 2e-4) * A * W**2
    assert sizing["axis"].torque == pytest.approx(motion.qdd[:, 0] * (J / 20 + 20 * 2e-4))
    assert sizing.tau == pytest.approx(motion.qdd * (J + 400 * 2e-4))
    assert sizing.residual < 1e-14
    assert sizing.mechanism.joint("axis").rotor == lg.Rotor(2e-4, 20)
    assert c.peak_torque == pytest.approx(peak, rel=1e-6)
    assert c.rms_torque == pytest.approx(peak / math.sqrt(2), rel=1e-6)
    assert c.peak_speed == pytest.approx(20 * A * W)
    assert c.margins["continuous"] == pytest.approx(math.sqrt(2) / peak, rel=1e-6)
    assert c.margins["peak"] == pytest.approx(3 / peak, rel=1e-6)
    assert c.margins["speed"] == pytest.approx(500 / (20 * A * W))
    assert c.tightest == "continuous"
    assert c.inertia_ratio == pytest.approx(J / (400 * 2e-4))
    assert c.reflected_inertia == pytest.approx(400 * 2e-4)


def test_losses_of_the_gear() -> None:
    """A hoist at constant speed: up, the motor gives more than the load; down, the gear bears part. The rotor has no losses."""
    hoist = wheel(gravity=(0, 0, -9.81), type="prismatic")
    t = np.linspace(0, 1, 11)
    gear = lg.Gear(5, efficiency=0.8)
    load = M * 9.81 * 0.01 / (2 * np.pi) / 5
    still = rows(hoist, t, np.zeros(11), np.zeros(11), np.zeros(11))
    a = lg.size_actuators(hoist, still, catalogue=[MOTOR], gears=gear, lead=0.01)["axis"]
    assert a.torque == pytest.approx(np.full(11, load / 0.8))  # to be able to start
    for direction, factor in ((1.0, 1 / 0.8), (-1.0, 0.8)):
        motion = rows(hoist, t, direction * t, np.full(11, direction), np.zeros(11))
        a = lg.size_actuators(hoist, motion, catalogue=[MOTOR], gears=gear, lead=0.01, margin=0.01)["axis"]
        to, back = (M * 9.81, 0) if direction > 0 else (0, M * 9.81)
        assert (a.demand.peak_power, a.demand.peak_power_back) == pytest.approx((to, back))
        assert (a.demand.energy, a.demand.energy_back) == pytest.approx((to, back))
        assert a.torque == pytest.approx(np.full(11, load * factor))
        assert a.energy == pytest.approx(load * factor * 5 * 2 * np.pi / 0.01 if direction > 0 else 0.0)
    spin = wheel()
    a = lg.size_actuators(spin, sine(spin), catalogue=[MOTOR], gears=gear, margin=0.01)["axis"]
    s = np.sin(W * a.t)
    through = -J * A * W**2 * s
    driving = through * np.cos(W * a.t) >= 0
    expected = through * np.where(driving, 1 / 0.8, 0.8) / 5 - 5e-4 * A * W**2 * s
    assert a.torque == pytest.approx(expected, abs=1e-9)


def test_a_slide_needs_its_lead() -> None:
    hoist = wheel(gravity=(0, 0, -9.81), type="prismatic")
    motion = rows(hoist, np.linspace(0, 1, 5), np.zeros(5), np.zeros(5), np.zeros(5))
    with pytest.raises(lg.ArgumentError, match=r"`lead` is needed for axis.*lead=\{'axis': 0.01\}"):
        lg.size_actuators(hoist, motion)
    d = lg.size_actuators(hoist, motion, catalogue=False).demand["axis"]
    assert d.units == ("N", "m/s", "kg")
    assert d.peak_torque == pytest.approx(M * 9.81)
    assert d.load_inertia == pytest.approx(M)
    assert d.wear_torque == 0
    sizing = lg.size_actuators(hoist, motion, catalogue=[MOTOR], gears=3, lead={"axis": 0.02})
    c = sizing["axis"].chosen
    assert c is not None
    assert c.ratio == pytest.approx(3 * 2 * np.pi / 0.02)
    assert c.rms_torque == pytest.approx(M * 9.81 / c.ratio)
    limited = lg.Gear(3, peak_torque=2 * M * 9.81 * 0.02 / (2 * np.pi), rated_torque=1.0)
    c = lg.size_actuators(hoist, motion, catalogue=[MOTOR], gears=limited, lead={"axis": 0.02})["axis"].chosen
    assert c is not None
    assert c.margins["gear_torque"] == pytest.approx(2)
    assert c.margins["gear_wear"] == math.inf


def test_the_limits_of_a_gear() -> None:
    motion = sine(wheel())
    d = lg.size_actuators(wheel(), motion, catalogue=False).demand["axis"]
    gear = lg.Gear(20, rated_torque=3 * d.wear_torque, peak_torque=2 * d.peak_torque, max_speed=20 * d.peak_speed * 1.5)
    c = lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=gear)["axis"].chosen
    assert c is not None
    assert {k: round(c.margins[k], 9) for k in ("gear_wear", "gear_torque", "gear_speed")} == {
        "gear_wear": 3,
        "gear_torque": 2,
        "gear_speed": 1.5,
    }
    weak = lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=lg.Gear(20, peak_torque=0.5 * d.peak_torque))["axis"]
    assert weak.chosen is None
    assert weak.best is not None
    assert weak.best.tightest == "gear_torque"
    ratio = lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=[10, 20, 40], max_inertia_ratio=5)["axis"].chosen
    assert ratio is not None
    assert ratio.gear.ratio == 40  # J / (r^2 J_m) is 50, 12.5 and 3.1


def test_the_smallest_that_fits_is_chosen() -> None:
    def size_wheel(**more: Any) -> Any:
        motors = [
            lg.Motor("large", 4, 12, 300, 500, 4e-4, mass=2, cost=9),
            lg.Motor("small", 0.5, 1.5, 300, 500, 5e-5, mass=3, cost=9.5),
            lg.Motor("tiny", 0.01, 0.03, 300, 500, 1e-6, mass=0.1, cost=1),
            lg.Motor("unknown", 0.6, 1.8, 300, 500, 5e-5),
        ]
        return lg.size_actuators(wheel(), sine(wheel()), catalogue=motors, gears=[5, 20, 50], **more)["axis"]

    assert size_wheel().chosen.motor.name == "small"
    assert size_wheel(prefer="mass").chosen.motor.name == "large"
    assert size_wheel(prefer="cost").chosen.motor.name == "large"
    assert [c.motor.name for c in size_wheel().alternatives] == ["small", "unknown", "large"]
    assert size_wheel(prefer="mass").alternatives[-1].motor.name == "unknown"
    assert all(c.relative_margin >= 1 for c in size_wheel().feasible)
    first = [c for c in size_wheel().feasible if c.motor.name == "small"]
    assert first == sorted(first, key=lambda c: -c.relative_margin)
    # the margin decides, and so does the heat
    short = size_wheel().chosen.margins["continuous"]
    assert size_wheel(margin=short * 1.01).chosen.motor.name != "small"
    assert size_wheel(derating=1.19 / short).chosen.motor.name != "small"
    assert size_wheel(margin={"continuous": 1.0}, derating=1.19 / short).chosen.motor.name == "small"


def test_the_peak_is_judged_at_its_own_speed() -> None:
    """A torque that grows with speed: the peak torque alone would do, but not in the corner of the envelope."""
    t = np.linspace(0, 1, 101)
    motion = rows(wheel(), t, t, 10 * t, np.zeros_like(t))
    motion.tau = np.reshape(40 * t, (-1, 1))
    a = lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=40, margin={"continuous": 0.1, "speed": 1.0})["axis"]
    assert a.best is not None
    assert a.best.margins["peak"] == pytest.approx(1.8)  # at 400 rad/s, not 3 N m over 1 N m
    assert lg.size_actuators(wheel(), motion, catalogue=[MOTOR], gears=60)["axis"].best.margins["peak"] == 0  # type: ignore[union-attr]


@pytest.mark.parametrize("count", [300, 5000, 9001])
def test_the_worst_moment_is_found_in_long_tasks(count: int) -> None:
    """The margin of the peak, row by row, against what is found by looking at blocks of rows."""
    rng = np.random.default_rng(count)
    t = np.linspace(0, 3, count)
    qd = sum(a * np.sin(w * t + p) for a, w, p in rng.uniform(0.5, 4, (5, 3)))
    motion = rows(wheel(), t, t, qd, np.gradient(qd, t))
    motion.tau = motion.tau + np.reshape(sum(a * np.sin(w * t + p) for a, w, p in rng.uniform(0.5, 4, (5, 3))), (-1, 1))
    voltage = replace(MOTOR, name="v", no_load_speed=450.0, stall_torque=4.0)
    for gear in (lg.Gear(20), lg.Gear(40, efficiency=0.7)):
        for motor in (MOTOR, voltage):
            a = lg.size_actuators(wheel(), motion, catalogue=[motor], gears=gear, margin=0.01)["axis"]
            assert a.best is not None
            asks = np.abs(a.torque) > 0
            expected = (motor.intermittent_torque(a.speed[asks]) / np.abs(a.torque[asks])).min()
            assert a.best.margins["peak"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert a.best.peak_torque == pytest.approx(np.abs(a.torque).max(), rel=1e-12)
            assert a.best.rms_torque == pytest.approx(math.sqrt(a.weight @ a.torque**2 / 3), rel=1e-9)
            assert a.best.margins["speed"] == pytest.approx(motor.speed_limit / np.abs(a.speed).max())


def test_the_worst_moment_among_rows_that_jump_about() -> None:
    """No block of rows is like its extremes: the one that looks worst is often not."""
    rng = np.random.default_rng(0)
    jumping = 0
    for _ in range(50):
        n = 4200
        force, qd, qdd = rng.normal(size=n) * 10, rng.uniform(0, 20, (n, 1)), rng.normal(size=(n, 1)) * 500
        load = GearLoad.from_force(SimpleNamespace(qd=qd, qdd=qdd, mean=np.mean), 0, force)  # type: ignore[arg-type]
        torque = np.abs(force / 20 + 2e-3 * qdd[:, 0])
        largest, margin = load.peak_torque_and_margin(MOTOR, 20.0, 1e-4)
        assert largest == pytest.approx(torque.max(), rel=1e-12)
        assert margin == pytest.approx((MOTOR.intermittent_torque(20 * qd[:, 0]) / torque).min(), rel=1e-12)
        jumping += load.blocks[0].shape[1] > 1
    assert jumping == 50
