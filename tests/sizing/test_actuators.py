"""Sizing against closed forms and the dynamics of the mechanism with the chosen rotors; and what it says when nothing fits."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space

import lagrangian as lg
from lagrangian.sizing.actuators import _settle
from lagrangian.sizing.candidates import Load

J, M, A, W = 0.5, 20.0, 0.8, 3.0  # a load's inertia and mass, the amplitude and circular frequency of its motion
MOTOR = lg.Motor("m", rated_torque=1.0, peak_torque=3.0, rated_speed=300.0, max_speed=500.0, inertia=1e-4)


def wheel(gravity: Any = (0, 0, 0), rotor: Any = None, type: str = "revolute") -> lg.Mechanism:  # noqa: A002
    body = lg.Body("load", mass=M, center=(0, 0, 0), inertia=(J, J, J))
    joint = lg.Joint("axis", type, "ground", "load", axis=(0, 0, 1), rotor=rotor or lg.Rotor())
    return lg.Mechanism("wheel", (body,), (joint,), gravity=gravity)


def rows(mechanism: lg.Mechanism, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> SimpleNamespace:
    q, qd, qdd = (np.reshape(x, (len(t), -1)) for x in (q, qd, qdd))
    return SimpleNamespace(t=t, q=q, qd=qd, qdd=qdd, tau=lg.compile(mechanism).inverse_dynamics(q, qd, qdd))


def sine(mechanism: lg.Mechanism, t: np.ndarray | None = None) -> SimpleNamespace:
    t = np.linspace(0, 2 * np.pi / W, 4001) if t is None else t
    return rows(mechanism, t, A * np.sin(W * t), A * W * np.cos(W * t), -A * W**2 * np.sin(W * t))


def reach(mechanism: lg.Mechanism, count: int = 200, seconds: float = 1.0) -> SimpleNamespace:
    """All joints along a quintic, from rest to rest."""
    t = np.linspace(0, seconds, count)
    s = t / seconds
    way = np.cos(np.arange(mechanism.nv))
    p, pd, pdd = (
        10 * s**3 - 15 * s**4 + 6 * s**5,
        (30 * s**2 - 60 * s**3 + 30 * s**4) / seconds,
        (60 * s - 180 * s**2 + 120 * s**3),
    )
    return rows(mechanism, t, 0.3 + np.outer(p, way), np.outer(pd, way), np.outer(pdd, way) / seconds**2)


# -- demand ----------------------------------------------------------------------------------------------------------


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
    assert d.peak_at == pytest.approx(np.pi / 2 / W, abs=1e-3) or d.peak_at == pytest.approx(3 * np.pi / 2 / W, abs=1e-3)
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
        d = lg.size_actuators(arm, motion, catalogue=False, dwell=3.0, held=held).demand["theta"]
        assert d.rms_torque == pytest.approx(math.sqrt((square + 3 * rest**2) / 4), rel=1e-12)
        assert d.cycle_time == pytest.approx(4.0)
        same = lg.size_actuators(arm, motion, catalogue=False, cycle_time=4.0, held=held).demand["theta"]
        assert same.rms_torque == pytest.approx(d.rms_torque)
        assert d.energy == pytest.approx(short.energy)


# -- gears and motors ------------------------------------------------------------------------------------------------


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
    assert c.reflected == pytest.approx(400 * 2e-4)


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
    with pytest.raises(lg.ArgumentError, match=r"axis slide.*lead=\{'axis': 0.01\}"):
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
    def sized(**more: Any) -> Any:
        motors = [
            lg.Motor("large", 4, 12, 300, 500, 4e-4, mass=2, cost=9),
            lg.Motor("small", 0.5, 1.5, 300, 500, 5e-5, mass=3, cost=9.5),
            lg.Motor("tiny", 0.01, 0.03, 300, 500, 1e-6, mass=0.1, cost=1),
            lg.Motor("unknown", 0.6, 1.8, 300, 500, 5e-5),
        ]
        return lg.size_actuators(wheel(), sine(wheel()), catalogue=motors, gears=[5, 20, 50], **more)["axis"]

    assert sized().chosen.motor.name == "small"
    assert sized(prefer="mass").chosen.motor.name == "large"
    assert sized(prefer="cost").chosen.motor.name == "large"
    assert [c.motor.name for c in sized().alternatives] == ["small", "unknown", "large"]
    assert sized(prefer="mass").alternatives[-1].motor.name == "unknown"
    assert all(c.headroom >= 1 for c in sized().feasible)
    first = [c for c in sized().feasible if c.motor.name == "small"]
    assert first == sorted(first, key=lambda c: -c.headroom)
    # the margin decides, and so does the heat
    short = sized().chosen.margins["continuous"]
    assert sized(margin=short * 1.01).chosen.motor.name != "small"
    assert sized(derating=1.19 / short).chosen.motor.name != "small"
    assert sized(margin={"continuous": 1.0}, derating=1.19 / short).chosen.motor.name == "small"


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
            expected = (motor.peak(a.speed[asks]) / np.abs(a.torque[asks])).min()
            assert a.best.margins["peak"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert a.best.peak_torque == pytest.approx(np.abs(a.torque).max(), rel=1e-12)
            assert a.best.rms_torque == pytest.approx(math.sqrt(a.weight @ a.torque**2 / 3), rel=1e-9)
            assert a.best.margins["speed"] == pytest.approx(motor.top_speed / np.abs(a.speed).max())


def test_the_worst_moment_among_rows_that_jump_about() -> None:
    """No block of rows is like its extremes: the one that looks worst is often not."""
    rng = np.random.default_rng(0)
    jumping = 0
    for _ in range(50):
        n = 4200
        force, qd, qdd = rng.normal(size=n) * 10, rng.uniform(0, 20, (n, 1)), rng.normal(size=(n, 1)) * 500
        load = Load.of(SimpleNamespace(qd=qd, qdd=qdd, mean=np.mean), 0, force)  # type: ignore[arg-type]
        torque = np.abs(force / 20 + 2e-3 * qdd[:, 0])
        largest, margin = load.worst(MOTOR, 20.0, 1e-4)
        assert largest == pytest.approx(torque.max(), rel=1e-12)
        assert margin == pytest.approx((MOTOR.peak(20 * qd[:, 0]) / torque).min(), rel=1e-12)
        jumping += load.blocks[0].shape[1] > 1
    assert jumping == 50


# -- rotors fed back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "panda", "two_r"])
def test_torques_with_the_chosen_rotors_are_those_of_the_rebuilt_mechanism(name: str) -> None:
    arm = lg.library(name)
    motion = reach(arm)
    sizing = lg.size_actuators(arm, motion, gears=[20, 50, 100, 160], margin=1.0)
    assert sizing.fits
    built = lg.compile(sizing.mechanism).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    scale = np.abs(built).max()
    assert np.abs(sizing.tau - built).max() < 1e-10 * scale
    assert np.abs(sizing.tau - motion.tau).max() > 1e-3 * scale  # it did change
    assert sizing.residual < 1e-10
    for joint in sizing.mechanism.joints:
        c = sizing[joint.name].chosen
        assert c is not None
        assert float(joint.rotor.reflected) == pytest.approx(c.reflected)
    # the description's own rotors play no part in the choice
    bare = arm.replace(joints=tuple(replace(j, rotor=lg.Rotor()) for j in arm.joints))
    again = lg.size_actuators(bare, reach(bare), gears=[20, 50, 100, 160], margin=1.0)
    for joint in arm.joints:
        one, other = sizing[joint.name].chosen, again[joint.name].chosen
        assert one is not None
        assert other is not None
        assert (one.motor.name, one.ratio) == (other.motor.name, other.ratio)
        assert one.rms_torque == pytest.approx(other.rms_torque, rel=1e-9)
        assert sizing[joint.name].demand.load_inertia == pytest.approx(again[joint.name].demand.load_inertia, rel=1e-9)


def actuated_torques(dyn: lg.Dynamics, motion: Any, row: int) -> np.ndarray:
    """The smallest torques of the actuated joints for one row's motion, from the equations of motion."""
    mechanism = dyn.mechanism
    h = dyn.inverse_dynamics(motion.q[row], motion.qd[row], motion.qdd[row])
    N = null_space(dyn.constraint_jacobian(motion.q[row]), rcond=1e-9)
    at = [k for k, on in enumerate(j.actuated for j in mechanism.joints for _ in range(j.kind.nv)) if on]
    tau = np.zeros(mechanism.nv)
    tau[at] = np.linalg.pinv(N[at].T) @ (N.T @ h)
    return tau


@pytest.mark.parametrize("name", ["five_bar", "delta", "three_rrr"])
def test_parallel_mechanisms(name: str) -> None:
    """Rotors of driven joints add to their own torque alone; the torques are those of the rebuilt mechanism through its loops."""
    machine = lg.library(name)
    motion = lg.simulate(machine, (0, 0.3))
    sizing = lg.size_actuators(machine, motion, gears=[10, 50], margin=0.5)
    assert sizing.passive
    assert not set(sizing.passive) & set(sizing.demand)
    assert sizing.residual < 1e-9
    assert sizing.iterations == 1
    built = lg.compile(sizing.mechanism)
    for row in (0, len(motion.t) // 2, len(motion.t) - 1):
        expected = actuated_torques(built, motion, row)
        assert sizing.tau[row] == pytest.approx(expected, abs=1e-7 * np.abs(sizing.tau).max())
    assert np.abs(sizing.tau - motion.tau).max() > 1e-4 * np.abs(motion.tau).max()


def test_load_inertia_of_a_loop_is_reduced() -> None:
    """The kinetic energy with one driven joint moving and the others held is 1/2 J qd^2."""
    machine = lg.library("three_rrr")
    motion = lg.simulate(machine, (0, 0.2)).resample(21)
    dyn = lg.compile(machine)
    found = lg.size_actuators(machine, motion, catalogue=False).demand
    names = list(machine.speed_names)
    driven = [names.index(name) for name in found]
    for name, d in found.items():
        inertia = []
        for q in motion.q:
            speeds = lg.consistent_speeds(dyn, q, fixed={n: float(n == name) for n in found})
            assert speeds[driven].sum() == pytest.approx(1)
            inertia.append(2 * dyn.kinetic_energy(q, speeds))
        rotor = float(machine.joint(name).rotor.reflected)
        assert d.load_inertia_max == pytest.approx(max(inertia) - rotor, rel=1e-6)
        assert min(inertia) - rotor <= d.load_inertia * (1 + 1e-9)


def over_actuated() -> lg.Mechanism:
    machine = lg.library("four_bar")
    return machine.replace(joints=tuple(replace(j, actuated=True) for j in machine.joints))


def test_more_actuators_than_freedoms_share_the_rotors() -> None:
    machine = over_actuated()
    motion = lg.simulate(machine, (0, 0.5))
    dyn = lg.compile(machine)
    motion.tau = np.array([actuated_torques(dyn, motion, row) for row in range(len(motion.t))])
    sizing = lg.size_actuators(machine, motion, gears=[10, 50], margin=0.5)
    assert sizing.settled
    assert sizing.iterations >= 2
    assert all(a.chosen for a in sizing.actuators.values())
    built = lg.compile(sizing.mechanism)
    for row in range(0, len(motion.t), max(1, len(motion.t) // 7)):
        expected = actuated_torques(built, motion, row)
        assert sizing.tau[row] == pytest.approx(expected, abs=1e-8 * np.abs(sizing.tau).max())
    assert sizing.residual < 1e-9
    for k, name in enumerate(machine.speed_names):  # the motor's torque is the joint's, through the gear
        c = sizing[name].chosen
        assert c is not None
        assert sizing[name].torque == pytest.approx(sizing.tau[:, k] / c.ratio, abs=1e-8 * np.abs(sizing[name].torque).max())


@pytest.mark.parametrize(
    ("name", "turn"), [("five_bar", {"q1": "2*pi/3 + 0.2*sin(3*t)", "q2": "pi/6 + 0.1*sin(2*t)"}), ("puma560", None)]
)
def test_the_inverse_of_the_sized_mechanism(name: str, turn: dict[str, str] | None) -> None:
    """Path, torques, motors, and the same path again with the motors in: the torques are those that were foretold."""
    machine = lg.library(name)
    path = lg.paths.formula(turn, 1.0) if turn else lg.paths.joint_line(np.full(6, 0.1), np.full(6, 0.9), 0.7)
    motion = lg.inverse(machine, path, t_eval=201)
    sizing = lg.size_actuators(machine, motion, gears=[20, 50, 100])
    assert sizing.fits
    again = lg.inverse(sizing.mechanism, path, t_eval=201)
    assert np.abs(again.tau - sizing.tau).max() < 1e-10 * np.abs(again.tau).max()
    assert np.abs(again.tau - motion.tau).max() > 1e-4 * np.abs(again.tau).max()


def test_choices_that_go_round_are_found() -> None:
    class Fake:
        def __init__(self, key: int) -> None:
            self.key, self.best = key, None

    turn = iter([1, 2, 3, 2, 3, 2, 3])
    _, iterations, settled = _settle(SimpleNamespace(share=1), np.zeros(1), lambda r: [Fake(next(turn))])  # type: ignore[arg-type]
    assert (iterations, settled) == (4, False)
    turn = iter([1, 2, 2])
    assert _settle(SimpleNamespace(share=1), np.zeros(1), lambda r: [Fake(next(turn))])[1:] == (3, True)  # type: ignore[arg-type]


# -- what it says ----------------------------------------------------------------------------------------------------


def test_when_nothing_fits() -> None:
    weak = lg.Motor("weak", 0.001, 0.003, 300, 500, 1e-6)
    sizing = lg.size_actuators(wheel(), sine(wheel()), catalogue=[weak], gears=[1, 20])
    a = sizing["axis"]
    assert not sizing.fits
    assert a.chosen is None
    assert a.feasible == ()
    assert a.nearest is not None
    assert a.nearest.gear.ratio == 20
    assert sizing.mechanism is not None
    assert np.array_equal(sizing.tau, sine(wheel()).tau)
    for part in ("weak with 20:1", "continuous torque of the motor is short", "accelerating factor"):
        assert part in a.message
    assert a.message in str(sizing)
    with pytest.raises(lg.ArgumentError, match="axis: nothing fits"):
        lg.size_actuators(wheel(), sine(wheel()), catalogue=[weak], strict=True)
    slow = lg.Motor("slow", 10, 30, 1, 2, 1e-6)
    message = lg.size_actuators(wheel(), sine(wheel()), catalogue=[slow], gears=20)["axis"].message
    assert "speed of the motor is short" in message
    assert "It gives 19 rpm, 550 rpm are needed" in message


def test_a_joint_of_several_speeds_has_its_demand_alone() -> None:
    body = lg.Body("load", mass=1, center=(0, 0, 0), inertia=(1, 1, 1))
    joint = lg.Joint("wrist", "universal", "ground", "load", axis=(1, 0, 0), axis2=(0, 1, 0))
    m = lg.Mechanism("m", (body,), (joint,), gravity=(0, 0, 0))
    t = np.linspace(0, 1, 50)
    motion = rows(m, t, np.column_stack([t, t]), np.ones((50, 2)), np.zeros((50, 2)))
    sizing = lg.size_actuators(m, motion)
    assert list(sizing.demand) == ["wrist.1", "wrist.2"]
    assert "several speeds" in sizing["wrist.1"].message
    assert not sizing.fits


def test_table_csv_and_plot(tmp_path: Path) -> None:
    arm = lg.library("two_r")
    sizing = lg.size_actuators(arm, reach(arm))
    text = str(sizing)
    for a in sizing.actuators.values():
        assert a.chosen is not None
        assert a.chosen.motor.name in text
    assert "settled" in text
    assert "2 of 2" in repr(sizing)
    assert sizing.to_csv(tmp_path / "s.csv") == tmp_path / "s.csv"
    with pytest.raises(lg.ArgumentError, match="no actuated joint 'q9'"):
        sizing.demand["q9"]
    with (tmp_path / "s.csv").open() as stream:
        read = list(csv.DictReader(stream))
    assert [row["joint"] for row in read] == list(sizing.demand)
    for row in read:
        a = sizing[row["joint"]]
        assert a.chosen is not None
        assert float(row["rms_torque"]) == a.demand.rms_torque
        assert row["motor"] == a.chosen.motor.name
        assert float(row["margin_peak"]) == a.chosen.margins["peak"]
    sizing.plot(str(tmp_path / "first.svg"))
    assert (tmp_path / "first.svg").exists()
    figure = sizing.plot(path=tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000
    assert len(figure.axes) == 2
    assert len(sizing.plot(next(iter(sizing.demand))).axes) == 1
    task = next(line for line in figure.axes[0].lines if line.get_label() == "task")
    first = next(iter(sizing.actuators.values()))
    assert task.get_xdata() == pytest.approx(first.speed * 30 / np.pi)
    alone = lg.size_actuators(arm, reach(arm), catalogue=False)
    assert alone.mechanism is arm
    assert "At the motors" not in str(alone)
    alone.to_csv(tmp_path / "d.csv")
    with pytest.raises(lg.ArgumentError, match="demand alone"):
        alone.plot()
    with pytest.raises(lg.ArgumentError, match="there is no actuated joint 'theta9'"):
        sizing.plot("theta9")
    with pytest.raises(lg.ArgumentError, match="cannot be written"):
        sizing.to_csv(tmp_path / "none" / "s.csv")
    with pytest.raises(lg.ArgumentError, match="cannot be written"):
        sizing.plot(path=tmp_path / "s.unknown")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"margin": 0}, "margin"),
        ({"margin": {"peek": 2}}, "Did you mean 'peak'"),
        ({"margin": {"peak": "2"}}, "margin: peak"),
        ({"prefer": "mas"}, "Did you mean 'mass'"),
        ({"prefer": "cost"}, "no motor in the catalogue states its cost"),
        ({"dwell": -1}, "dwell"),
        ({"dwell": 1, "cycle_time": 3}, "give one"),
        ({"cycle_time": 0.5}, "the motion takes"),
        ({"dwell": 1}, "ends at rest"),
        ({"derating": 0}, "derating"),
        ({"max_inertia_ratio": -1}, "max_inertia_ratio"),
        ({"gears": {"axes": 3}}, "Did you mean 'axis'"),
        ({"gears": {"axis": "3"}}, "gears of 'axis'"),
        ({"lead": {"axis": 0.01}}, "sliding joint"),
        ({"catalogue": 7}, "catalogue"),
    ],
)
def test_bad_arguments(more: dict[str, Any], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        lg.size_actuators(wheel(), sine(wheel(), np.linspace(0, 1, 50)), **more)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tau": None}, "tau"),
        ({"tau": np.zeros((50, 2))}, r"motion.tau has shape \(50, 2\); \(50, 1\)"),
        ({"q": np.zeros(50)}, "motion.q has shape"),
        ({"t": np.zeros(50)}, "must increase"),
        ({"t": np.linspace(1, 0, 50)}, "must increase"),
        ({"t": np.zeros(1)}, "motion.t has shape"),
        ({"qdd": np.full((50, 1), np.nan)}, "motion.qdd .* row 0"),
        ({"qd": [["a"]] * 50}, "not an array of numbers"),
    ],
)
def test_bad_motions(changes: dict[str, Any], says: str) -> None:
    motion = sine(wheel(), np.linspace(0, 1, 50))
    motion.__dict__.update(changes)
    with pytest.raises(lg.ArgumentError, match=says):
        lg.size_actuators(wheel(), motion)
    with pytest.raises(lg.ArgumentError, match="no 't'"):
        lg.size_actuators(wheel(), object())
    passive, zero = lg.library("chaplygin_sleigh"), np.zeros((2, 3))
    with pytest.raises(lg.ArgumentError, match="no joint is actuated"):
        lg.size_actuators(passive, SimpleNamespace(t=np.array([0.0, 1]), q=zero, qd=zero, qdd=zero, tau=zero))


def test_a_motion_of_another_mechanism_is_refused() -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, lg.paths.joint_line([0, 0], [1, 1], 1.0))
    with pytest.raises(lg.ArgumentError, match="'two_r', not of 'three_r'"):
        lg.size_actuators(lg.library("three_r"), motion)
