"""Dry friction that sticks and slips: exact solutions, the law at every row, and no chattering."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import lagrangian as lg
from tests.motion.machines import chain, energy_error, formula, four_bar, patience, slider


def block(
    coulomb: float = 1.0, negative: float | None = None, gravity: float = 0.0, mass: float = 1.0, **more: Any
) -> lg.Mechanism:
    """On a rail along x, down which gravity pulls."""
    friction = lg.Friction(coulomb=coulomb, coulomb_negative=negative, viscous=more.pop("viscous", 0.0))
    return slider(mass, (gravity, 0, 0), friction=friction, **more)


def obeys_the_law(motion: lg.Motion, limits: np.ndarray, viscous: float | np.ndarray = 0.0) -> tuple[int, int]:
    """Slipping joints have the whole friction against their speed, those at rest no more than it; how many rows of either."""
    dry = motion.friction - viscous * motion.qd
    slipping = np.abs(motion.qd) > 1e-8
    expected = (np.sign(motion.qd) * limits)[slipping]
    np.testing.assert_allclose(dry[slipping], expected, rtol=1e-9)
    sticking = ~slipping
    assert np.all(np.abs(dry[sticking]) <= (np.ones_like(motion.qd) * limits)[sticking] * (1 + 1e-9))
    return int(sticking.sum()), int(slipping.sum())


# -- one joint -------------------------------------------------------------------------------------------------------


def test_block_on_a_slope_sticks() -> None:
    """Pulled by less than friction can hold: friction is what is needed, and nothing moves."""
    motion = lg.simulate(block(1.0, gravity=0.9), 10.0, [0.2])
    assert np.all(motion.q == 0.2)
    assert np.all(motion.qd == 0)
    assert motion.friction[:, 0] == pytest.approx(0.9, rel=1e-12)
    assert not motion.events


def test_block_on_a_slope_slides() -> None:
    """Pulled by more: a = g sin alpha - F/m, either way."""
    for pull, sign in ((1.5, 1), (-1.5, -1)):
        motion = lg.simulate(block(1.0, gravity=pull, mass=2.0), 2.0, [0.0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(motion.q[:, 0], sign * 0.5 * (1.5 - 0.5) * motion.t**2, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(motion.friction[:, 0], sign, rtol=1e-12)
        assert motion.work["friction"][-1, 0] == pytest.approx(-abs(motion.q[-1, 0]), rel=1e-9)


@pytest.mark.parametrize("method", ["dop853", "dp5", "verner9", "rodas5p", "rk4"])
def test_block_comes_to_rest_and_stays(method: str) -> None:
    """Pushed up the slope it stops at t = v/(g sin + F/m), after v t/2, and is held there."""
    v, pull, F = 3.0, 0.8, 1.0
    step = {"step": 0.01} if method == "rk4" else {}
    motion = lg.simulate(block(F, gravity=pull), 5.0, [0.0], [-v], method=method, rtol=1e-9, atol=1e-11, **step)
    end = v / (pull + F)
    (event,) = motion.events
    assert event.name == "x comes to rest"
    assert event.t == pytest.approx(end, abs=1e-9)
    rest = motion.t > end
    np.testing.assert_allclose(motion.q[rest, 0], -v * end / 2, rtol=1e-9)
    assert np.all(motion.qd[rest] == 0)
    np.testing.assert_allclose(motion.friction[rest, 0], pull, rtol=1e-12)
    np.testing.assert_allclose(motion.friction[~rest, 0], -F, rtol=1e-12)
    assert motion.work["friction"][-1, 0] == pytest.approx(-F * v * end / 2, rel=1e-9)
    assert energy_error(motion) < 1e-9


def test_block_turns_and_slides_back() -> None:
    """Pulled by more than friction holds it slows, turns at once, and comes back by a smaller acceleration."""
    v, pull, F = 3.0, 1.5, 1.0
    motion = lg.simulate(block(F, gravity=pull), 6.0, [0.0], [-v], rtol=1e-10, atol=1e-12)
    end = v / (pull + F)
    top = -v * end / 2
    later = motion.t > end
    back = top + 0.5 * (pull - F) * (motion.t[later] - end) ** 2
    np.testing.assert_allclose(motion.q[later, 0], back, rtol=0, atol=1e-8)
    assert len(motion.events) == 1


def test_asymmetric_friction() -> None:
    """Of 1 N one way and 3 N the other."""
    mechanism = block(1.0, 3.0)
    for v, F in ((2.0, 1.0), (-2.0, 3.0)):
        motion = lg.simulate(mechanism, 4.0, [0.0], [v], rtol=1e-10, atol=1e-12)
        assert motion.events[0].t == pytest.approx(abs(v) / F, abs=1e-10)
        assert motion.q[-1, 0] == pytest.approx(v * abs(v) / (2 * F), rel=1e-9)
    # it is held up to 1 N one way, up to 3 N the other
    for torque, limit in (("t", 1.0), ("-t", 3.0)):
        motion = lg.simulate(mechanism, 4.0, [0.0], torque={"x": torque})
        assert [(e.name, e.t) for e in motion.events] == [("x slips", pytest.approx(limit, abs=1e-9))]
        assert abs(motion.q[-1, 0]) == pytest.approx((4 - limit) ** 3 / 6, abs=1e-7)


def test_viscous_and_dry() -> None:
    """m v' = -F - c v: v = (v0 + F/c) exp(-c t/m) - F/c, at rest where that is zero."""
    F, c, v0 = 1.0, 0.5, 2.0
    motion = lg.simulate(block(F, viscous=c), 5.0, [0.0], [v0], rtol=1e-10, atol=1e-12)
    end = math.log(1 + c * v0 / F) / c
    assert motion.events[0].t == pytest.approx(end, abs=1e-9)
    slipping = motion.t < end
    np.testing.assert_allclose(motion.qd[slipping, 0], (v0 + F / c) * np.exp(-c * motion.t[slipping]) - F / c, atol=1e-9)
    obeys_the_law(motion, np.array([F]), c)


def test_oscillator_with_dry_friction() -> None:
    """Each half cycle is harmonic about F/k to one side, and 2 F/k shorter; it stops within F/k of the middle."""
    m, k, F, start = 1.5, 24.0, 1.2, 0.73
    mechanism = slider(m, friction=lg.Friction(coulomb=F), spring=lg.JointSpring(k))
    motion = lg.simulate(mechanism, 8.0, [start], rtol=1e-11, atol=1e-13)
    w = math.sqrt(k / m)
    halves = math.ceil((start * k / F - 1) / 2)  # until the spring pulls by no more than F
    expected = np.empty_like(motion.t)
    for i, t in enumerate(motion.t):
        half = min(int(t * w / math.pi), halves)
        amplitude, sign = start - 2 * F / k * half, (-1) ** half
        phase = t - half * math.pi / w
        expected[i] = sign * (amplitude if half == halves else F / k + (amplitude - F / k) * math.cos(w * phase))
    np.testing.assert_allclose(motion.q[:, 0], expected, rtol=0, atol=1e-9)
    assert [e.t for e in motion.events] == pytest.approx(math.pi / w * np.arange(1, halves + 1), abs=1e-9)
    rest = (-1) ** halves * (start - 2 * F / k * halves)
    assert motion.friction[-1, 0] == pytest.approx(-k * rest, rel=1e-9)
    obeys_the_law(motion, np.array([F]))
    assert energy_error(motion) < 1e-9


# -- sticking and slipping again -------------------------------------------------------------------------------------


@pytest.mark.parametrize("longest", [0.1, math.inf])
def test_sticks_and_slips_in_turn(longest: float) -> None:
    """Pushed to and fro by A sin wt, more than friction holds: it slips from asin(F/A) on until its speed is gone."""
    A, F, w = 1.3, 1.0, 2.0
    cycles = 10
    push = {"x": f"{A}*sin({w}*t)"}
    motion = lg.simulate(
        block(F), cycles * 2 * math.pi / w, [0.0], torque=push, rtol=1e-10, atol=1e-12, t_eval=4001, max_step=longest
    )
    begin = math.asin(F / A) / w

    def speed(t: float) -> float:
        return A / w * (math.cos(w * begin) - math.cos(w * t)) - F * (t - begin)

    end = brentq(speed, math.pi / 2 / w, math.pi / w)
    half = math.pi / w
    times = np.array([x + half * n for n in range(2 * cycles) for x in (begin, end)])
    assert len(motion.events) == len(times)
    assert [e.t for e in motion.events] == pytest.approx(times, abs=1e-8)
    assert [e.name for e in motion.events[:4]] == ["x slips", "x comes to rest"] * 2
    stuck, slipped = obeys_the_law(motion, np.array([F]))
    assert stuck > 1000
    assert slipped > 1000
    assert motion.statistics["accepted"] < 100 * 2 * cycles  # no chattering
    assert energy_error(motion) < 1e-8


@pytest.mark.parametrize("form", ["torque", "constraint"])
def test_mass_pulled_through_a_spring(form: str) -> None:
    """The end of the spring goes at a constant speed v: the mass sticks until k v t = F, and then has v (1 - cos).

    Static and sliding friction are the same: once a period its speed only touches zero.
    """
    k, F, v, m = 4.0, 1.0, 0.5, 1.0
    if form == "torque":
        motion = lg.simulate(block(F, mass=m), 12.0, [0.0], torque={"x": f"{k}*({v}*t - x)"}, rtol=1e-10, atol=1e-12)
    else:
        motion = lg.simulate(pulled_mass(k, F, v, m), 12.0, [0.0, 1.0], [0.0, v], rtol=1e-10, atol=1e-12)
    start, w = F / (k * v), math.sqrt(k / m)
    assert motion.events[0].name == "x slips"
    assert motion.events[0].t == pytest.approx(start, abs=1e-9)
    late = motion.t > start
    np.testing.assert_allclose(motion.qd[~late, 0], 0, atol=1e-14)
    s = motion.t[late] - start
    np.testing.assert_allclose(motion.qd[late, 0], v * (1 - np.cos(w * s)), rtol=0, atol=1e-6)
    assert len(motion.events) <= 1 + 3 * (12 / (2 * math.pi / w))
    assert energy_error(motion) < 1e-8


def pulled_mass(k: float, F: float, v: float, m: float) -> lg.Mechanism:
    """The mass, and the end of the spring as a body that is led; the spring is as long as 1 m when it pulls by nothing."""
    joints = [
        lg.Joint("x", "prismatic", "ground", "block", axis=(1, 0, 0), friction=lg.Friction(coulomb=F)),
        lg.Joint("y", "prismatic", "ground", "end", axis=(1, 0, 0)),
    ]
    spring = lg.PointSpring("spring", "block", "end", stiffness=k, rest=1.0)
    lead = lg.HolonomicConstraint("lead", formula(f"y - 1 - {v}*t", "y"))
    bodies = [lg.Body("block", m), lg.Body("end", 0.1)]
    return lg.Mechanism("pulled", bodies, joints, constraints=[lead], springs=[spring], gravity=(0, 0, 0))


def test_stick_slip_of_a_driven_spring() -> None:
    """The end of the spring swings slowly and widely: the mass sticks at every turn, and slips in between."""
    k, F = 4.0, 1.0
    motion = lg.simulate(
        block(F, viscous=1.5), 60.0, [0.0], torque={"x": f"{k}*(1.2*sin(0.3*t) - x)"}, rtol=1e-9, atol=1e-11, t_eval=3001
    )
    names = [e.name for e in motion.events]
    assert names[::2] == ["x slips"] * len(names[::2])
    assert names[1::2] == ["x comes to rest"] * len(names[1::2])
    assert 8 <= len(names) <= 24
    stuck, slipped = obeys_the_law(motion, np.array([F]), 1.5)
    assert stuck > 200
    assert slipped > 200
    assert energy_error(motion) < 1e-7


# -- several joints --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("q0", "qd0"), [([1.2, -0.9], [0.0, 0.0]), ([0.3, 0.2], [3.0, -4.0]), ([2.0, 0.0], [0.0, 0.0])])
def test_two_joints(q0: list[float], qd0: list[float]) -> None:
    """An arm of two links with friction at both joints: the law at all rows, and at the end it rests."""
    limits = np.array([1.5, 0.6])
    mechanism = chain(2)
    joints = [replace(j, friction=lg.Friction(coulomb=c)) for j, c in zip(mechanism.joints, limits, strict=True)]
    mechanism = mechanism.replace(joints=joints)
    # short steps, so that a force which exceeds friction for a moment is not missed
    motion = lg.simulate(mechanism, 15.0, q0, qd0, rtol=1e-9, atol=1e-11, t_eval=3001, max_step=0.01)
    obeys_the_law(motion, limits)
    dyn = lg.compile(chain(2))
    needed = dyn.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(needed, -motion.friction, rtol=0, atol=1e-8 * np.abs(needed).max())
    assert np.abs(motion.qd[-1]).max() < 1e-14
    assert np.all(np.abs(dyn.gravity(motion.q[-1])) <= limits * (1 + 1e-9))
    assert energy_error(motion) < 1e-7
    assert motion.work["friction"][-1].sum() == pytest.approx(motion.energy[-1] - motion.energy[0], rel=1e-6)
    assert len(motion.events) < 60


@pytest.mark.parametrize("limits", [{"theta1": 0.25}, {"theta1": 0.25, "phi3": 0.4}])
def test_friction_in_a_closed_loop(limits: dict[str, float]) -> None:
    """A four-bar with friction at its crank, and at its rocker, swings down and stays where friction holds it."""
    mechanism = four_bar()
    joints = [replace(j, friction=lg.Friction(coulomb=limits.get(j.name, 0.0))) for j in mechanism.joints]
    mechanism = mechanism.replace(joints=joints)
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    motion = lg.simulate(mechanism, 20.0, q0, {"theta1": 3.0}, rtol=1e-9, atol=1e-11, progress=patience(10.0))
    assert motion.success, motion.message
    assert np.all(np.abs(motion.qd[-1]) < 1e-12)
    moving = np.abs(motion.qd[:, 0]) > 1e-6
    for name, limit in limits.items():
        k = mechanism.speed_names.index(name)
        np.testing.assert_allclose(motion.friction[moving, k], limit * np.sign(motion.qd[moving, k]), rtol=1e-9)
        assert np.all(np.abs(motion.friction[:, k]) <= limit * (1 + 1e-9))
    assert motion.drift.max() < 1e-12
    assert energy_error(motion) < 1e-7


def test_puma_falls_and_comes_to_rest() -> None:
    """Motors off: the arm sinks against viscous and dry friction, different in either direction, until all of it is held."""
    mechanism = lg.library("puma560")
    motion = lg.simulate(mechanism, 12.0, rtol=1e-8, atol=1e-10)
    assert motion.success
    assert np.abs(motion.q[-1] - motion.q[0]).max() > 0.5
    assert np.abs(motion.qd[-1]).max() < 1e-3
    friction = [j.friction for j in mechanism.joints]
    viscous = np.array([float(f.viscous) for f in friction])
    positive, negative = (np.array([float(getattr(f, n)) for f in friction]) for n in ("coulomb", "coulomb_negative"))
    dry = motion.friction - viscous * motion.qd
    assert np.all(dry <= positive * (1 + 1e-8))
    assert np.all(dry >= -negative * (1 + 1e-8))
    for way, limit in ((1, positive), (-1, -negative)):
        slipping = way * motion.qd > 1e-8
        np.testing.assert_allclose(dry[slipping], np.broadcast_to(limit, dry.shape)[slipping], rtol=1e-8)
    assert np.diff(motion.work["friction"].sum(axis=1)).max() < 1e-12
    assert energy_error(motion) < 1e-6
    lost = motion.energy[0] - motion.energy[-1]
    assert lost > 5
    assert -motion.work["friction"][-1].sum() == pytest.approx(lost, rel=1e-6)


# -- torques that jump, or come from Python --------------------------------------------------------------------------

BLOCK = block(1.0)


@pytest.mark.parametrize(("torque", "expected"), [("3.0", 4.0), ("3*t", None), ("0.5", 0.0)])
def test_python_torque(torque: str, expected: float | None) -> None:
    code = compile(torque, "torque", "eval")
    formula = lg.simulate(BLOCK, 2.0, [0.0], torque={"x": torque})
    function = lg.simulate(BLOCK, 2.0, [0.0], torque=lambda t, q, qd: [eval(code, {"t": t})])
    assert expected is None or formula.q[-1, 0] == pytest.approx(expected, abs=1e-9)
    assert function.q[-1] == pytest.approx(formula.q[-1], abs=1e-8)


@pytest.mark.parametrize("kind", ["sampled", "event"])
def test_torque_that_jumps_overcomes_friction(kind: str) -> None:
    if kind == "sampled":
        more: dict[str, Any] = {"torque": lg.Sampled(lambda t, q, qd: [3.0 if t > 0.95 else 0.0], 0.1)}
    else:
        more = {"events": lg.Event("t - 1", lg.SetTorque({"x": 3.0}))}
    motion = lg.simulate(BLOCK, 2.0, [0.0], **more)
    assert motion.q[-1, 0] == pytest.approx(0.5 * 2.0, abs=1e-8)


def test_torque_of_a_table_overcomes_friction() -> None:
    motion = lg.simulate(BLOCK, 2.0, [0.0], torque=([0, 1, 1 + 1e-9, 3], [[0], [0], [3], [3]]))
    assert motion.q[-1, 0] == pytest.approx(0.5 * 2.0, abs=1e-8)


def test_friction_is_there_again_after_a_lock() -> None:
    """Locked while sliding, unlocked a second later, then pushed by less than friction holds: it stays."""
    events = [lg.Event("t - 1", lg.LockJoints("x")), lg.Event("t - 2", lg.UnlockJoints("x"))]
    motion = lg.simulate(BLOCK, 4.0, [0.0], [3.0], torque=[0.5], events=events)
    late = motion.t > 1
    assert np.ptp(motion.q[late, 0]) < 1e-9


def test_friction_after_a_bounce() -> None:
    """Energy is lost along the way, after the bounce as before."""
    mechanism = block(1.0, limits=lg.JointLimits(-1, 1))
    motion = lg.simulate(mechanism, 1.0, [0.0], [4.0], restitution=1.0)
    obeys_the_law(motion, np.array([1.0]))
    assert motion.work["friction"][-1, 0] < -3


@pytest.mark.parametrize("after", [0.0, 1e-12, 1e-9, 1e-6])
def test_a_torque_that_jumps_as_the_joint_comes_to_rest(after: float) -> None:
    """A kilogram with 1 N of friction stops after a second; a pull that begins just then moves it back: x = 1/2 - 4/2 t^2."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.SimulationWarning)  # a torque that jumps is met by short steps
        motion = lg.simulate(block(), 2.0, [0.0], [1.0], torque=lambda t, q, qd: [-5.0 if t > 1.0 + after else 0.0])
    np.testing.assert_allclose(motion.q[-1], 0.5 - 2.0, atol=1e-4)
    assert np.abs(motion.friction).max() < 1.0 + 1e-9
