"""Dry friction where constraints couple joints: reversals, drives, forces that are not unique; against reduced equations."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from tests.motion.machines import G, bar, chain, energy_error, formula, four_bar, patience, slider

CRANK, ROD = 0.1, 0.3


def slider_crank(friction: dict[str, float], drive: str = "", **joint: Any) -> lg.Mechanism:
    """In a horizontal plane; the slider's rail passes through the crank's axis."""
    bodies = [bar("crank", 2.0, CRANK), bar("rod", 0.5, ROD), lg.Body("slider", 1.5)]
    joints = [
        lg.Joint("theta", "revolute", "ground", "crank"),
        lg.Joint("phi", "revolute", "crank", "rod", (CRANK, 0, 0)),
        lg.Joint("x", "prismatic", "ground", "slider", axis=(1, 0, 0), **joint),
    ]
    end = lg.Transform(position=(ROD, 0, 0))
    loops = [lg.LoopJoint("pin", "point", "rod", "slider", end, directions=("x", "y"))]
    constraints = [lg.HolonomicConstraint("drive", formula(drive, "theta"))] if drive else []
    mechanism = lg.Mechanism("slider_crank", bodies, joints, loops, constraints=constraints, gravity=(0, 0, 0))
    return with_friction(mechanism, friction)


def with_friction(mechanism: lg.Mechanism, friction: dict[str, float]) -> lg.Mechanism:
    """With this dry friction at its joints."""
    return mechanism.replace(
        joints=[replace(j, friction=lg.Friction(coulomb=friction.get(j.name, 0.0))) for j in mechanism.joints]
    )


# -- reference: one equation of motion, I(a) a'' + I'(a) a'^2/2 = Q(a) - R(a) sgn(a') ----------------------------------


@dataclass(frozen=True)
class Reduced:
    """A mechanism of one degree of freedom, by the angle of its crank: I, the force Q, and R, what friction takes of it."""

    inertia: Callable[[float], float]
    force: Callable[[float], float]
    friction: Callable[[float], float]
    turns: Callable[[float], float]  # zero where R has a kink: where another joint turns

    def rates(self, y: np.ndarray, way: float) -> list[float]:
        slope = (self.inertia(y[0] + 1e-5) - self.inertia(y[0] - 1e-5)) / 2e-5
        net = self.force(y[0]) - way * self.friction(y[0]) - 0.5 * slope * y[1] ** 2
        return [y[1], net / self.inertia(y[0])]

    def motion(self, start: tuple[float, float], times: np.ndarray) -> np.ndarray:
        """Angle and speed at the times, in pieces between events at which it rests or another joint turns."""
        t, y, result = float(times[0]), np.array(start), np.empty((len(times), 2))
        result[0] = start
        while t < times[-1]:
            if abs(y[1]) < 1e-8:  # at rest: it stays, or begins to move as it is pushed
                y[1] = 0.0
                push = self.force(y[0])
                if abs(push) <= self.friction(y[0]):
                    result[times > t] = y
                    break
            way = math.copysign(1, y[1]) if y[1] else math.copysign(1, push)
            piece = self._piece(t, times[-1], y, way)
            mine = (times > t) & (times <= piece.t[-1])
            if mine.any():
                result[mine] = piece.sol(times[mine]).T
            t, y = float(piece.t[-1]), piece.y[:, -1]
            if piece.status == 1 and len(piece.t_events[1]):  # a hair beyond where the other turns
                t, y = t + 1e-9, y + 1e-9 * np.array(self.rates(y, way))
        return result

    def _piece(self, t: float, end: float, y: np.ndarray, way: float) -> Any:
        def rests(_: float, y: np.ndarray) -> float:
            return way * y[1]

        def turns(_: float, y: np.ndarray) -> float:
            return self.turns(y[0])

        rests.terminal = turns.terminal = True  # type: ignore[attr-defined]
        rests.direction = -1  # type: ignore[attr-defined]
        events, tolerances = [rests, turns], {"rtol": 1e-12, "atol": 1e-13}
        return solve_ivp(lambda _, y: self.rates(y, way), (t, end), y, "DOP853", dense_output=True, events=events, **tolerances)


def slider_crank_reduced(friction: dict[str, float], motor: float = 0.0) -> Reduced:
    """By the positions of its parts: sin b = r sin a / l, x = r cos a + l cos b."""

    def slopes(a: float) -> tuple[float, float]:
        sine = CRANK * math.sin(a) / ROD
        cosine = math.sqrt(1 - sine**2)
        db = CRANK * math.cos(a) / (ROD * cosine)
        return db, -CRANK * math.sin(a) - ROD * sine * db

    def inertia(a: float) -> float:
        db, dx = slopes(a)
        middle = ((-CRANK * math.sin(a) + dx) / 2) ** 2 + (CRANK * math.cos(a) / 2) ** 2
        return 2.0 * CRANK**2 / 3 + 0.5 * middle + 0.5 * ROD**2 / 12 * db**2 + 1.5 * dx**2

    def reduced_friction(a: float) -> float:
        db, dx = slopes(a)
        return friction.get("theta", 0.0) + friction.get("phi", 0.0) * abs(1 + db) + friction.get("x", 0.0) * abs(dx)

    return Reduced(inertia, lambda a: motor, reduced_friction, math.sin)


@cache
def compiled_slider_crank(friction: tuple[tuple[str, float], ...]) -> lg.Dynamics:
    return lg.compile(slider_crank(dict(friction)))


def four_bar_reduced(friction: dict[str, float]) -> Reduced:
    """Of `machines.four_bar`: the rocker by the intersection of two circles; slopes of the angles from the closed loop."""
    l0, l1, l2, l3 = 1.0, 0.3, 0.9, 0.6

    def angles(a: float) -> tuple[float, float]:
        x, y = l0 - l1 * math.cos(a), -l1 * math.sin(a)  # from the crank's end to the rocker's axis
        d = math.hypot(x, y)
        coupler = math.atan2(y, x) + math.acos((d**2 + l2**2 - l3**2) / (2 * d * l2))
        return coupler, math.atan2(l2 * math.sin(coupler) - y, l2 * math.cos(coupler) - x)

    def slopes(a: float) -> tuple[float, float]:
        b, c = angles(a)
        return l1 * math.sin(a - c) / (l2 * math.sin(c - b)), l1 * math.sin(a - b) / (l3 * math.sin(c - b))

    def inertia(a: float) -> float:
        b, _ = angles(a)
        db, dc = slopes(a)
        middle = l1**2 + (l2 * db / 2) ** 2 + l1 * l2 * db * math.cos(a - b)
        return 2 * l1**3 / 3 + 2 * l2 * middle + 2 * l2**3 / 12 * db**2 + 2 * l3**3 / 3 * dc**2

    def force(a: float) -> float:
        b, c = angles(a)
        db, dc = slopes(a)
        heights = 2 * l1 * l1 / 2 * math.cos(a) + 2 * l2 * (l1 * math.cos(a) + l2 / 2 * math.cos(b) * db)
        return -G * (heights + 2 * l3 * l3 / 2 * math.cos(c) * dc)

    def reduced_friction(a: float) -> float:
        db, dc = slopes(a)
        return friction.get("theta1", 0.0) + friction.get("phi2", 0.0) * abs(db - 1) + friction.get("phi3", 0.0) * abs(dc)

    return Reduced(inertia, force, reduced_friction, lambda a: math.sin(a - angles(a)[0]))


def steps_of(motion: lg.Motion) -> int:
    return motion.statistics["accepted"] + motion.statistics["rejected"]


def obeys(motion: lg.Motion, friction: dict[str, float]) -> None:
    """Slipping joints have the whole friction against their speed, none has more, and none is driven by it."""
    for name, limit in friction.items():
        k = motion.mechanism.speed_names.index(name)
        dry, speed = motion.friction[:, k], motion.qd[:, k]
        assert np.all(np.abs(dry) <= limit * (1 + 1e-8))
        slips = np.abs(speed) > 1e-6
        np.testing.assert_allclose(dry[slips], limit * np.sign(speed[slips]), rtol=1e-9)
        assert np.all(dry * speed >= -1e-8 * limit)


# -- prescribed motion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "acceleration"),
    [("0.5*t^2", lambda t: 1.0), ("sin(t)", lambda t: -math.sin(t)), ("1 - cos(t)", math.cos), ("t^3/6", lambda t: t)],
)
def test_a_led_block_keeps_its_friction(lead: str, acceleration: Callable[[float], float]) -> None:
    """What leads it gives m a + F sgn(v), from rest, through reversals, and where even the acceleration begins at zero."""
    led = slider(
        1.0, constraints=[lg.HolonomicConstraint("lead", formula(f"x - ({lead})", "x"))], friction=lg.Friction(coulomb=3.0)
    )
    motion = lg.simulate(led, 6.0, t_eval=601)
    slides = np.abs(motion.qd[:, 0]) > 1e-6
    assert slides.sum() > 590
    expected = np.array([acceleration(t) for t in motion.t]) + 3.0 * np.sign(motion.qd[:, 0])
    np.testing.assert_allclose(motion.multipliers[slides, 0], expected[slides], atol=1e-8)
    np.testing.assert_allclose(motion.friction[slides, 0], 3.0 * np.sign(motion.qd[slides, 0]), rtol=1e-12)
    assert energy_error(motion) < 1e-8
    assert steps_of(motion) < 2000


@pytest.mark.parametrize("start", [0.0, 0.4])
def test_a_driven_crank_moves_its_slider_against_friction(start: float) -> None:
    """At constant speed: the drive gives what the reduced equation needs, on both sides of every dead centre."""
    friction = {"x": 20.0}
    mechanism = slider_crank(friction, f"theta - {start} - 12*t")
    motion = lg.simulate(mechanism, 1.0, {"theta": start}, {"theta": 12.0}, rtol=1e-9, atol=1e-11)
    reference = slider_crank_reduced(friction)
    angle = start + 12 * motion.t
    slope = np.array([(reference.inertia(a + 1e-5) - reference.inertia(a - 1e-5)) / 2e-5 for a in angle])
    expected = 0.5 * slope * 144 + np.array([reference.friction(a) for a in angle])
    row = motion.mechanism.equation_count - 1
    slides = np.abs(np.sin(angle)) > 1e-6
    np.testing.assert_allclose(motion.multipliers[slides, row], expected[slides], atol=1e-6)
    obeys(motion, friction)
    assert {e.name for e in motion.events} == {"x reverses"}
    assert steps_of(motion) < 2000


# -- slider-crank ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("friction", "motor", "angle", "speed"),
    [
        ({"x": 5.0}, 0.0, 0.3, 12.0),
        ({"x": 0.1}, 0.0, 0.3, 12.0),
        ({"x": 20.0}, 1.5, 0.3, 12.0),
        ({"x": 5.0}, 0.5, 0.0, 12.0),
        ({"x": 5.0}, 0.5, math.pi, -3.0),
        ({"x": 5.0}, 0.5, 0.0, 0.0),
        ({"x": 10.0}, 0.0, 0.3, 12.0),
        ({"theta": 0.05, "x": 5.0}, 0.3, 0.3, 12.0),
    ],
)
def test_slider_crank(friction: dict[str, float], motor: float, angle: float, speed: float) -> None:
    """Through its dead centres, or until it stays: where friction of the slider alone acts it has no arm at a dead centre."""
    dyn = compiled_slider_crank(tuple(friction.items()))
    q0 = lg.assemble(dyn, [angle, -angle, 0.25], fixed=["theta"])
    motor_torque = {"theta": str(motor)}
    motion = lg.simulate(dyn, 2.0, q0, {"theta": speed}, motor_torque, rtol=1e-10, atol=1e-12, progress=patience(60.0))
    assert motion.success, motion.message
    expected = slider_crank_reduced(friction, motor).motion((angle, speed), motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=0, atol=3e-6)
    np.testing.assert_allclose(motion.qd[:, 0], expected[:, 1], rtol=0, atol=3e-5)
    obeys(motion, friction)
    assert energy_error(motion) < 1e-7
    assert motion.drift.max() < 1e-12
    assert steps_of(motion) < 5000
    rests = [e for e in motion.events if e.name == "x comes to rest"]
    assert len(rests) <= 1
    assert len(motion.events) < 60


@pytest.mark.parametrize("method", ["dop853", "dp5", "verner9", "rodas5p", "rk4"])
def test_dead_centres_by_every_method(method: str) -> None:
    more: dict[str, Any] = {"step": 1e-3} if method == "rk4" else {}
    dyn = compiled_slider_crank((("x", 5.0),))
    motion = lg.simulate(dyn, 1.0, {"theta": 0.3}, {"theta": 12.0}, 0, method=method, rtol=1e-9, atol=1e-11, **more)
    expected = slider_crank_reduced({"x": 5.0}).motion((0.3, 12.0), motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=0, atol=1e-5)
    assert steps_of(motion) < 5000


@pytest.mark.parametrize("stabilisation", ["baumgarte", "ggl", "none"])
def test_dead_centres_by_every_stabilisation(stabilisation: str) -> None:
    dyn = compiled_slider_crank((("x", 5.0),))
    motion = lg.simulate(dyn, 1.0, {"theta": 0.3}, {"theta": 12.0}, 0, stabilisation=stabilisation, rtol=1e-10, atol=1e-12)
    expected = slider_crank_reduced({"x": 5.0}).motion((0.3, 12.0), motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=0, atol=1e-5)
    assert steps_of(motion) < 5000


# -- four-bar --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "friction",
    [{"theta1": 0.25, "phi3": 0.4}, {"phi3": 0.4}, {"theta1": 0.1, "phi2": 0.05, "phi3": 0.2}, {"theta1": 0.0, "phi2": 0.3}],
)
@pytest.mark.parametrize("speed", [pytest.param(3.0, marks=pytest.mark.slow), 9.0])
def test_four_bar_swings_out(friction: dict[str, float], speed: float) -> None:
    """It turns over, swings and stays, as the reduced equation has it."""
    mechanism = with_friction(four_bar(), friction)
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that forces at rest are not unique makes nothing of the motion uncertain
        motion = lg.simulate(mechanism, 8.0, q0, {"theta1": speed}, rtol=1e-10, atol=1e-12, progress=patience(60.0))
    assert motion.success, motion.message
    expected = four_bar_reduced(friction).motion((q0[0], motion.qd[0, 0]), motion.t)
    np.testing.assert_allclose(motion.q[:, 0], expected[:, 0], rtol=0, atol=1e-5)
    obeys(motion, friction)
    assert energy_error(motion) < 1e-7
    assert steps_of(motion) < 10_000


@pytest.mark.parametrize("friction", [{"theta1": 0.25, "phi3": 0.4}, {"theta1": 0.3, "phi2": 0.2, "phi3": 0.1}])
@pytest.mark.parametrize("push", [1, -1])
def test_friction_of_all_joints_holds_together(friction: dict[str, float], push: int) -> None:
    """Pushed by a torque that grows, the four-bar slips when all its joints give all they have, by virtual work, not before."""
    mechanism = with_friction(four_bar().replace(gravity=(0, 0, 0)), friction)
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    most = four_bar_reduced(friction).friction(q0[0])
    motion = lg.simulate(mechanism, 1.5 * most, q0, torque={"theta1": f"{push}*t"}, rtol=1e-9, atol=1e-11)
    assert {e.name for e in motion.events if e.t < most + 1e-6} == {f"{name} slips" for name in friction}
    assert [e.t for e in motion.events[:3]] == pytest.approx([most] * len(motion.events[:3]), abs=1e-7)
    rests = motion.t < most
    assert np.abs(motion.qd[rests]).max() < 1e-9
    obeys(motion, friction)
    # at rest what friction gives balances the torque, whoever gives it
    psi = lg.compile(mechanism).constraint_jacobian(q0, 0.0)
    slopes = np.append(1.0, np.linalg.solve(psi[:, 1:], -psi[:, 0]))
    np.testing.assert_allclose(motion.friction[rests] @ slopes, push * motion.t[rests], atol=1e-9)


# -- more freedoms, stops, locks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *(("five_bar", k) for k in range(3)),
        ("three_rrr", 0),
        *(pytest.param("three_rrr", k, marks=pytest.mark.slow) for k in (1, 2)),
    ],
)
def test_friction_in_every_joint(name: str, seed: int) -> None:
    """Of linkages with two and three freedoms, kicked: the law at all rows, energy balanced, no chattering, and all at rest."""
    rng = np.random.default_rng(seed)
    mechanism = lg.library(name)
    mechanism = mechanism.replace(gravity=(0, 0, 0))
    friction = {j.name: float(rng.uniform(0.2, 1.0)) for j in mechanism.joints if j.kind.nv == 1}
    rubs = with_friction(mechanism, friction)
    driven = [j.name for j in mechanism.joints if j.actuated]
    kick = dict(zip(driven, rng.uniform(-3, 3, len(driven)), strict=True))
    motion = lg.simulate(rubs, 4.0, None, kick, 0, rtol=1e-9, atol=1e-11, limits=False, progress=patience(60.0))
    assert motion.success, motion.message
    obeys(motion, friction)
    assert energy_error(motion) < 1e-7
    assert np.diff(motion.work["friction"].sum(axis=1)).max() < 1e-12
    assert np.abs(motion.qd[-1]).max() < 1e-9
    assert steps_of(motion) < 10_000


def test_a_slider_meets_its_stop_and_stays() -> None:
    """A torque takes the slider to its stop: crank and slider rest there, and leave when it overcomes the friction of both."""
    friction = {"theta": 0.02, "x": 2.0}
    mechanism = slider_crank(friction, limits=lg.JointLimits(0.25, 1.0))
    motor = {"theta": "1 - t"}
    motion = lg.simulate(mechanism, 1.3, {"theta": 1.0}, torque=motor, rtol=1e-9, atol=1e-11, progress=patience(60.0))
    assert motion.success, motion.message
    names = [e.name for e in motion.events]
    assert names.count("x meets its lower limit") == 1
    assert motion.q[:, 2].min() > 0.25 - 1e-9
    met = next(e for e in motion.events if e.name == "x meets its lower limit")
    reference = slider_crank_reduced(friction)
    leaves = next(e for e in motion.events if e.name == "x leaves its lower limit")
    # it leaves when the torque is what friction of both takes at that angle
    assert leaves.t - 1 == pytest.approx(reference.friction(met.q[0]), abs=1e-6)
    between = (motion.t > met.t) & (motion.t < leaves.t)
    assert np.ptp(motion.q[between, 0]) < 1e-9
    assert energy_error(motion) < 1e-7


def test_a_stop_lets_go_in_an_impact() -> None:
    """Two blocks on one rail: the first leans on its stop, the second, that it carries, meets its own and drags it away."""
    joints = [
        lg.Joint("x", "prismatic", "ground", "carriage", axis=(1, 0, 0), limits=lg.JointLimits(0.0, 5.0)),
        lg.Joint("y", "prismatic", "carriage", "load", axis=(1, 0, 0), limits=lg.JointLimits(-1.0, 1.0)),
    ]
    mechanism = lg.Mechanism("two", [lg.Body("carriage", 1.0), lg.Body("load", 2.0)], joints, gravity=(0, 0, 0))
    motion = lg.simulate(mechanism, 3.0, [0.0, 0.0], [-0.1, 1.0], rtol=1e-10, atol=1e-12)
    # x stops at once, and the load goes on with 0.9; at y = 1 both go on together, with 2/3 of that
    assert [e.name for e in motion.events] == ["x meets its lower limit", "y meets its upper limit", "x leaves its lower limit"]
    assert motion.qd[-1] == pytest.approx([0.6, 0.0], abs=1e-9)


def test_a_drive_against_a_limit_is_reported() -> None:
    led = slider(1.0, constraints=[lg.HolonomicConstraint("lead", formula("x - t", "x"))], limits=lg.JointLimits(-1.0, 1.0))
    with pytest.raises(lg.SimulationError, match="x is at its limit, and constraint 'lead', which moves, drives it further"):
        lg.simulate(led, 2.0, [0.0], [1.0])


def test_a_drive_against_a_lock_is_reported() -> None:
    led = slider(1.0, constraints=[lg.HolonomicConstraint("lead", formula("x - t", "x"))])
    with pytest.raises(lg.SimulationError, match="constraint 'lead', which moves, drives a locked joint: x"):
        lg.simulate(led, 2.0, [0.0], [1.0], events=lg.Event("t - 1", lg.LockJoints("x")))


@pytest.mark.parametrize("seed", [5, 42, *(pytest.param(k, marks=pytest.mark.slow) for k in (43, 57, 69, 97))])
def test_friction_and_stops_at_random(seed: int) -> None:
    """Four-bars and chains with friction, stops and torques of any size: the law at all rows, energy balanced, no chattering."""
    rng = np.random.default_rng(seed)
    mechanism = four_bar() if seed % 2 == 0 else chain(3)
    q0 = lg.assemble(mechanism, fixed={"theta1": 0.7}) if mechanism.equation_count else np.full(3, 0.4)
    friction = {j.name: float(rng.choice([0.02, 0.3, 2.0]) * rng.uniform(0.5, 1.5)) for j in mechanism.joints}
    joints = []
    for x, joint in zip(q0, with_friction(mechanism, friction).joints, strict=True):
        stops = lg.JointLimits(x - rng.uniform(0.1, 0.6), x + rng.uniform(0.1, 0.6)) if rng.random() < 0.5 else lg.JointLimits()
        joints.append(replace(joint, limits=stops))
    first = mechanism.speed_names[0]
    torque = {first: str(rng.choice(["0", "2*sin(3*t)", "0.5*t", "5*sin(20*t)"]))}
    speed = {first: float(rng.choice([3.0, -6.0]))}
    bounce = float(rng.choice([0.0, 0.5]))
    machine = mechanism.replace(joints=joints)
    motion = lg.simulate(machine, 3.0, q0, speed, torque, restitution=bounce, rtol=1e-9, progress=patience(60.0))
    assert motion.success, motion.message
    obeys(motion, friction)
    assert energy_error(motion) < 1e-6
    assert steps_of(motion) < 10_000
