"""Proven digits against motions that are known in closed form, against simulation, and against themselves."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.result.accuracy import promised
from tests.validated_integration.benchmarks import ARENSTORF, arenstorf
from tests.validated_integration.exact import DIGITS, Known, fraction, holds, known_motions, spinning
from tests.validated_integration.exact import _spinning as spinning_speeds

FILES = Path(__file__).parents[1] / "data"
DATA = json.loads((FILES / "two_r.json").read_text(encoding="utf-8"))
KNOWN = known_motions()


@pytest.mark.parametrize("name", KNOWN)
def test_known_motions(name: str) -> None:
    case: Known = KNOWN[name]
    certified_motion = lg.certify(case.mechanism, [0.4, 1.7], digits=35, **case.given)
    assert certified_motion.digits >= 35
    with mp.workdps(DIGITS + 10):
        for state, t in zip(certified_motion, ("0.4", "1.7"), strict=True):
            q, qd = case.at(mp.mpf(t))
            assert all(holds(x, truth) for x, truth in zip((*state.q, *state.qd), (*q, *qd), strict=True))
            assert 0 in state.energy_balance
            assert state.energy_balance.radius < 1e-30


def test_a_symmetric_body_in_free_space() -> None:
    """A quaternion: its speeds are known, its length stays one, and so does the angular momentum."""
    start = {"f.wx": 0.4, "f.wy": "-1.1", "f.wz": 3}
    certified_motion = lg.certify(spinning(), 0.7, qd0=start, digits=30)
    with mp.workdps(DIGITS + 10):
        truth = spinning_speeds(mp.mpf("0.7"))
        assert all(holds(certified_motion[f"qd_f.{name}"], x) for name, x in zip(("wx", "wy", "wz"), truth, strict=True))
    length = sum(Fraction(str(certified_motion[f"f.{name}"])) ** 2 for name in "wxyz")
    assert abs(length - 1) < Fraction(1, 10**28)


def test_a_heavy_symmetric_top_keeps_its_spin() -> None:
    """Lagrange's top: the angular velocity about its own axis is constant, exactly."""
    certified_motion = lg.certify("heavy_top", 0.01, digits=20)
    assert Fraction(150) in certified_motion["qd_point.wy"]
    assert certified_motion["qd_point.wy"].radius < 1e-16
    assert 0 in certified_motion.energy_balance


@pytest.mark.slow
def test_a_double_pendulum_by_another_derivation_and_method() -> None:
    """Two point masses in absolute angles, as textbooks have it, by mpmath's own Taylor series."""

    def rates(t: Any, y: list[Any]) -> list[Any]:
        a, b, u, w = y
        g, s, c = mp.mpf("9.81"), mp.sin(a - b), mp.cos(a - b)
        den = 3 - mp.cos(2 * a - 2 * b)
        first = -3 * g * mp.sin(a) - g * mp.sin(a - 2 * b) - 2 * s * (w * w + u * u * c)
        return [u, w, first / den, 2 * s * (2 * u * u + 2 * g * mp.cos(a) + w * w * c) / den]

    bodies = [lg.Body(name, 1, (0, -1, 0)) for name in ("upper", "lower")]
    joints = [
        lg.Joint("a", "revolute", "ground", "upper", axis="z"),
        lg.Joint("b", "revolute", "upper", "lower", (0, -1, 0), axis="z"),
    ]
    m = lg.Mechanism("point_masses", bodies, joints, gravity=(0, -9.81, 0))
    certified_motion = lg.certify(m, 0.3, q0=[1.5, -0.5], qd0=["0.5", -1], digits=25)
    with mp.workdps(22):
        start = [mp.mpf("1.5"), mp.mpf(1), mp.mpf("0.5"), mp.mpf("-0.5")]
        a, b, u, w = mp.odefun(rates, 0, start)(mp.mpf("0.3"))
        truth = [a, b - a, u, w - u]
    off = [x.distance(fraction(y)) for x, y in zip((*certified_motion.q, *certified_motion.qd), truth, strict=True)]
    assert max(off) < 1e-19


def test_numbers_are_taken_as_they_are_written() -> None:
    """9.81 and 0.3 are decimals: the double next to the result is not it."""
    case = KNOWN["free fall"]
    certified_motion = lg.certify(case.mechanism, 1, digits=30, **case.given)
    assert Fraction("-4.605") in certified_motion.q[0]
    assert -4.605 not in certified_motion.q[0]
    assert Fraction("-4.605") != Fraction(-4.605)


def test_pi_is_pi() -> None:
    """By name and in degrees: an upright pendulum stays where it is for ever, but not at the double next to it."""
    upright = lg.certify("pendulum", 3, q0={"theta": "pi/2"}, digits=25)
    degrees = lg.certify("pendulum", 3, q0="theta=90deg", digits=25)
    assert str(upright.q[0])[:27] == str(degrees.q[0])[:27] == "1.5707963267948966192313216"
    double = lg.certify("pendulum", 3, q0=[float(np.pi / 2)], digits=25)
    assert not double.contains(([np.pi / 2], [0.0]), within=1e-15)


@pytest.fixture(scope="module")
def one_second() -> lg.CertifiedMotion:
    return lg.certify("two_r", [0.5, 1.0], digits=30)


def test_the_lecture_s_double_pendulum(one_second: lg.CertifiedMotion) -> None:
    """Samples of the reference, which were found otherwise, and a simulation within the error it promises."""
    for state in one_second:
        sample = DATA["reference"]["double_pendulum"][f"{state.t}"]
        assert state.contains((sample[:2], sample[2:]), within=DATA["tolerance"]["pendulum_10s"])
    motion = lg.simulate("two_r", 1.0, rtol=1e-12, atol=1e-14)
    assert one_second.contains(motion, within=promised(1e-12, motion.statistics["accepted"]))
    assert not one_second.contains(motion)  # a double cannot have thirty digits


@pytest.mark.slow
def test_two_r_at_ten_seconds() -> None:
    """As the tests of integrators have it."""
    proven = json.loads((FILES / "two_r_proven.json").read_text(encoding="utf-8"))["states"]
    certified_motion = lg.certify("two_r", [float(t) for t in proven], digits=30)
    assert certified_motion.digits >= 30
    for state, values in zip(certified_motion, proven.values(), strict=True):
        assert max(x.distance(Fraction(text)) for x, text in zip((*state.q, *state.qd), values, strict=True)) < 1e-29
    sample = DATA["reference"]["double_pendulum"]["10.0"]
    assert certified_motion.contains((sample[:2], sample[2:]), within=DATA["tolerance"]["pendulum_10s"])
    motion = lg.simulate("two_r", 10, rtol=1e-12, atol=1e-14)
    assert certified_motion.contains(motion, within=promised(1e-12, motion.statistics["accepted"]))


@pytest.mark.slow
def test_arenstorfs_orbit() -> None:
    """Published to 29 digits: it closes. With a double in place of one of them it is off by 1e-12 after one period."""
    mechanism, arguments = arenstorf()
    certified_motion = lg.certify(mechanism, ARENSTORF, digits=26, **arguments)
    start = ("0.994", "0", "0", "-2.00158510637908252240537862224")
    off = [x.distance(Fraction(text)) for x, text in zip((*certified_motion.q, *certified_motion.qd), start, strict=True)]
    assert max(off) < 1e-25
    double = lg.certify(mechanism, ARENSTORF, digits=12, **(arguments | {"qd0": {"y1": -2.0015851063790825}}))
    assert 1e-15 < double.qd[0].distance(0.0) < 1e-11


def test_more_digits_begin_with_those_of_fewer(one_second: lg.CertifiedMotion) -> None:
    few = lg.certify("two_r", 1.0, digits=12)
    for a, b in zip((*few.q, *few.qd), (*one_second.q, *one_second.qd), strict=True):
        assert a.lower_bound <= b.lower_bound <= b.upper_bound <= a.upper_bound


def test_springs_dampers_and_wrenches() -> None:
    """Of a pendulum with a spring between points, a damper, friction, a torque and a wrench: as simulated, energy balanced."""
    spring = lg.PointSpring("s", "ground", "link", (1, 0, 0), (0.3, 0.1, 0), stiffness=20, rest=0.4, damping=0.5)
    body = lg.Body("link", 2, center=(0.3, 0, 0), inertia=(0.01, 0.02, 0.02))
    joint = lg.Joint("a", "revolute", "ground", "link", axis=(1, 2, 2), friction={"viscous": 0.2}, spring={"stiffness": 3})
    m = lg.Mechanism("sprung", [body], [joint], springs=[spring])
    drive = {"torque": {"a": "0.3*exp(-t)*cos(a) - 0.1*qd_a"}, "wrenches": {"link": (0, 0, 0, "sin(t)", 0.2, "a^2")}}
    certified_motion = lg.certify(m, 1.5, q0=[0.4], qd0=[-1], digits=20, **drive)
    motion = lg.simulate(m, 1.5, q0=[0.4], qd0=[-1], rtol=1e-13, atol=1e-14, **drive)
    assert certified_motion.contains(motion, within=1e-11)
    assert 0 in certified_motion.energy_balance
    assert certified_motion.energy_balance.radius < 1e-19


def test_it_can_be_saved_and_shown(tmp_path: Path, one_second: lg.CertifiedMotion) -> None:
    one_second.save(tmp_path / "two_r.json")
    read = json.loads((tmp_path / "two_r.json").read_text(encoding="utf-8"))
    last = read["states"][-1]["q"]["theta1"]
    assert Fraction(last["lower"]) <= one_second.q[0].lower_bound <= one_second.q[0].upper_bound <= Fraction(last["upper"])
    assert last["value"] == str(one_second["theta1"])
    assert f"theta1     {one_second.q[0]}" in str(one_second)
    assert one_second.q[0].lower <= float(one_second.q[0]) <= one_second.q[0].upper


def test_progress_is_reported_and_an_interrupt_ends_it() -> None:
    messages: list[tuple[float, float]] = []
    lg.certify("pendulum", 0.5, q0=[0.2], digits=10, progress=lambda done, total: messages.append((done, total)))
    assert messages[-1] == (0.5, 0.5)
    assert sorted(messages) == messages

    def interrupt(done: float, total: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lg.certify("pendulum", 0.5, q0=[0.2], digits=10, progress=interrupt)


@pytest.mark.parametrize("state", [None, 3, b"", [0.1, 0.2, 0.3], ([0.1], [0.2], [0.3])])
def test_what_is_no_state_is_refused(state: Any) -> None:
    proven = lg.certify("pendulum", 0.01, digits=5)
    with pytest.raises(lg.ArgumentError, match=r"state is .*; a pair"):
        proven.contains(state)
    with pytest.raises(lg.ArgumentError, match="within is"):
        proven.contains(([0.1], [0.2]), within="x")
    assert not proven.contains((0.1, 0.2))
