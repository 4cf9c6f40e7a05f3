"""What a run says of joints that are held and let go: each of it once, at its time; and of drives that contradict what holds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import formula, slider
from tests.motion.test_coupled_friction import slider_crank

RUBBED = slider(1.0, friction=lg.Friction(coulomb=1.0))


def event_list(motion: lg.Motion) -> list[tuple[str, float]]:
    return [(e.name, e.t) for e in motion.events]


# -- drives against locks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "at", "rubs"),
    [("0.5*t^2", 1e-9, 0.0), ("t^3", 1e-9, 0.0), ("(t-1)^3 + 1", 1.0, 0.0), ("(t-1)^2 - 1", 1.0, 0.0), ("0.5*t^2", 1e-9, 3.0)],
)
def test_a_drive_that_starts_from_rest_against_a_lock_is_reported(lead: str, at: float, rubs: float) -> None:
    """At that moment the drive has no speed, in some cases no acceleration either: it contradicts the lock all the same."""
    held = [lg.HolonomicConstraint("lead", formula(f"x - ({lead})", "x"))]
    led = slider(1.0, constraints=held, friction=lg.Friction(coulomb=rubs))
    speed = {"(t-1)^3 + 1": 3.0, "(t-1)^2 - 1": -2.0}.get(lead, 0.0)
    with pytest.raises(lg.SimulationError, match="constraint 'lead', which moves, drives a locked joint: x") as caught:
        lg.simulate(led, 2.0, [0.0], [speed], events=lg.Event(f"t - {at}", lg.LockJoints("x")))
    assert caught.value.motion.t[-1] == pytest.approx(at, abs=1e-4)


def test_a_drive_against_the_lock_of_another_joint_is_reported() -> None:
    """A crank that is driven from its dead centre, and its slider, which is bolted there: it is to move only at second order."""
    mechanism = slider_crank({}, "theta - t^2")
    with pytest.raises(lg.SimulationError, match="'drive', which moves, drives a locked joint: x") as caught:
        lg.simulate(mechanism, 1.0, {"theta": 0.0}, {"theta": 0.0}, events=lg.Event("t - 0.1", lg.LockJoints("x")))
    assert caught.value.motion.t[-1] == pytest.approx(0.1, abs=1e-3)


def test_a_lock_that_agrees_with_what_drives_is_no_conflict() -> None:
    """The drive stands still from 1 s on, and the lock comes after."""
    lead = formula("x - min(t, 1)^2*(3 - 2*min(t, 1))", "x")
    led = slider(1.0, constraints=[lg.HolonomicConstraint("lead", lead)])
    motion = lg.simulate(led, 2.0, [0.0], [0.0], events=lg.Event("t - 1.5", lg.LockJoints("x")))
    assert motion.success
    assert motion.q[-1, 0] == pytest.approx(1.0, abs=1e-8)


# -- one thing is one event ------------------------------------------------------------------------------------------


def test_limits_met_at_the_same_instant_are_reported_once_each() -> None:
    """Two blocks fall from the same height: both meet their stops after sqrt(2 h/g), and stay."""
    joints = [lg.Joint(n, "prismatic", "ground", f"body_{n}", axis="x", limits=lg.JointLimits(0, 10)) for n in "xyz"]
    bodies = [lg.Body(f"body_{n}", mass=1.0) for n in "xyz"]
    motion = lg.simulate(lg.Mechanism("falling", bodies, joints, gravity=(-10, 0, 0)), 1.5, [1.0, 1.0, 1.0])
    assert sorted(e.name for e in motion.events) == [f"{n} meets its lower limit" for n in "xyz"]
    assert [e.t for e in motion.events] == pytest.approx([np.sqrt(0.2)] * 3, abs=1e-9)
    assert motion.q[-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("after", [0.0, 1e-12, 1e-10])
def test_a_rest_that_is_only_a_reversal_is_none(after: float) -> None:
    """A kilogram with 1 N of friction stops after a second; a pull that begins just then, or before it is noticed, turns it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.SimulationWarning)  # a torque that jumps is met by short steps
        motion = lg.simulate(RUBBED, 2.0, [0.0], [1.0], torque=lambda t, q, qd: [-5.0 if t > 1.0 + after else 0.0])
    assert [name for name, _ in event_list(motion)] == ["x reverses"]
    assert motion.events[0].t == pytest.approx(1.0, abs=1e-6)


def test_thrown_up_and_back() -> None:
    """Against 3 N and 1 N of friction from 3 m/s: it turns after 3/4 s, and comes back with 2 m/s^2."""
    motion = lg.simulate(RUBBED, 3.0, [0.0], [3.0], torque={"x": "-3"})
    assert event_list(motion) == [("x reverses", pytest.approx(0.75, abs=1e-9))]
    assert motion.q[-1, 0] == pytest.approx(9 / 8 - 2.25**2, abs=1e-8)


@pytest.mark.parametrize("kind", ["sampled", "event", "table"])
def test_a_torque_that_jumps_tells_what_it_moves(kind: str) -> None:
    more: dict[str, Any] = {"torque": ([0, 1, 1 + 1e-9, 3], [[0], [0], [3], [3]])}
    if kind == "sampled":
        more = {"torque": lg.Sampled(lambda t, q, qd: [3.0 if t > 0.95 else 0.0], 0.1)}
    elif kind == "event":
        more = {"events": lg.Event("t - 1", lg.SetTorque({"x": 3.0}), name="push")}
    motion = lg.simulate(RUBBED, 2.0, [0.0], **more)
    assert [x for x in event_list(motion) if x[0] != "push"] == [("x slips", pytest.approx(1.0, abs=1e-8))]


def test_a_joint_with_friction_leaves_its_stop() -> None:
    """Pulled by 3 - 2 t: it meets its stop, leans on it until 3/2 s, on its friction until 2 s, and leaves."""
    motion = lg.simulate(
        slider(1.0, friction=lg.Friction(coulomb=1.0), limits=lg.JointLimits(-9, 1)), 3.0, [0.9], [1.0], {"x": "3 - 2*t"}
    )
    assert [name for name, _ in event_list(motion)] == ["x meets its upper limit", "x leaves its upper limit"]
    assert motion.events[1].t == pytest.approx(2.0, abs=1e-8)
    # from there on a = 1 + 3 - 2 t, with s = t - 2 as -2 s
    assert motion.q[-1, 0] == pytest.approx(1 - 1 / 3, abs=1e-8)
