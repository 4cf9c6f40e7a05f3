"""Events at one instant, which roundings put beside each other; and functions that come to zero and stay there."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg


def block(coulomb: float = 0.0, upper: float | None = None) -> lg.Mechanism:
    """A mass of 1 kg on a level rail."""
    friction = lg.Friction(coulomb=coulomb) if coulomb else lg.Friction()
    limits = lg.JointLimits(upper=upper) if upper is not None else lg.JointLimits()
    joint = lg.Joint("x", "prismatic", "ground", "b", axis=(1, 0, 0), friction=friction, limits=limits)
    return lg.Mechanism("block", [lg.Body("b", 1.0)], [joint], gravity=(0, 0, 0))


def event_times(motion: lg.Motion) -> dict[str, float]:
    names = [e.name for e in motion.events]
    assert len(set(names)) == len(names)  # nothing is told twice
    return {e.name: e.t for e in motion.events}


def test_a_stop_at_the_instant_of_rest_stops() -> None:
    """With 1 m/s and 1 m/s^2 of friction a block comes to rest at 1 s."""
    events = [lg.Event("t - 1", "stop", name="second")]
    motion = lg.simulate(block(coulomb=1.0), 10, [0], [1], 0, events=events)
    assert motion.t[-1] == pytest.approx(1, abs=1e-12)
    assert event_times(motion) == {"second": pytest.approx(1, abs=1e-12), "x comes to rest": pytest.approx(1, abs=1e-12)}


@pytest.mark.parametrize("watched", ["t - 5", "x - 5"])
def test_a_stop_at_the_instant_of_a_limit_stops(watched: str) -> None:
    motion = lg.simulate(block(upper=5.0), 10, [0], [1], 0, events=[lg.Event(watched, "stop", name="five")])
    assert motion.t[-1] == pytest.approx(5, abs=1e-12)
    assert event_times(motion) == {"five": pytest.approx(5, abs=1e-12), "x meets its upper limit": pytest.approx(5, abs=1e-12)}


def test_a_torque_set_at_the_instant_of_a_limit_is_set() -> None:
    """The block stops dead at 5 s, and is pulled away from its limit with 1 m/s^2."""
    motion = lg.simulate(block(upper=5.0), 7, [0], [1], 0, events=[lg.Event("t - 5", lg.SetTorque({"x": -1.0}), name="pull")])
    assert motion.q[-1, 0] == pytest.approx(5 - 2**2 / 2, abs=1e-8)


@pytest.mark.parametrize("action", [lg.SetTorque({"x": 1.0}), lg.LockJoints("x")])
def test_a_stop_at_the_instant_of_an_action_stops(action: lg.SetTorque | lg.LockJoints) -> None:
    for place in (3, 5):
        events = [lg.Event(f"x - {place}", action, name="place"), lg.Event(f"t - {place}", "stop", name="time")]
        motion = lg.simulate(block(), 10, [0], [1], 0, events=events)
        assert event_times(motion) == {"place": pytest.approx(place, abs=1e-12), "time": pytest.approx(place, abs=1e-12)}
        assert motion.t[-1] == pytest.approx(place, abs=1e-12)


def test_a_function_that_stays_at_zero_is_reported_where_it_comes_there() -> None:
    when = {"floor(x) - 3": 3, "floor(t) - 3": 3, "piecewise(x < 4, -1, 0)": 4, "min(0, x - 4)": 4, "max(0, 6 - x)": 6}
    motion = lg.simulate(block(), 10, [0], [1], 0, events=[lg.Event(x) for x in when])
    assert event_times(motion) == {name: pytest.approx(t, abs=1e-12) for name, t in when.items()}


@pytest.mark.parametrize("more", ["", "*(1 + 3e-16)"], ids=["exactly", "nearly"])
def test_joints_that_begin_to_slide_together_beside_a_fast_one_slide_on(more: str) -> None:
    """As the fingers of a hand do, which are alike: what is at rest is told by the rounding of the fastest."""
    bodies = [lg.Body(name, 1.0) for name in "abc"]
    friction = [lg.Friction(coulomb=1.0), lg.Friction(coulomb=1.0), lg.Friction()]
    joints = [
        lg.Joint(f"x{b.name}", "prismatic", "ground", b.name, axis="x", friction=f) for b, f in zip(bodies, friction, strict=True)
    ]
    motion = lg.simulate(lg.Mechanism("fingers", bodies, joints), 2.0, torque={"xa": "t", "xb": f"t{more}", "xc": 1e6})
    assert motion.success
    np.testing.assert_allclose(motion.qd[-1], [0.5, 0.5, 2e6], rtol=1e-8)
    assert sorted(e.name for e in motion.events) == ["xa slips", "xb slips"]


@pytest.mark.parametrize("torque", [{"xa": "t - 1"}, {"xa": "(t - 1)/2", "xb": "(t - 1)/2"}], ids=["one", "both"])
@pytest.mark.parametrize("fast", [0.0, 1e3])
def test_coupled_joints_leave_their_stops_together(fast: float, torque: dict[str, str]) -> None:
    """As the fingers of a gripper do. A force of t - 1 moves two masses of 1 kg from their stops at 1 s on."""
    limits = [lg.JointLimits(lower=0.0, upper=1.0)] * 2 + [lg.JointLimits()]
    bodies = [lg.Body(name, 1.0) for name in "abc"]
    joints = [
        lg.Joint(f"x{b.name}", "prismatic", "ground", b.name, axis="x", limits=x) for b, x in zip(bodies, limits, strict=True)
    ]
    gripper = lg.Mechanism("gripper", bodies, joints, constraints=[lg.HolonomicConstraint("coupled", "xa = xb")])
    motion = lg.simulate(gripper, 2.0, [0, 0, 0], torque={**torque, "xc": fast})
    assert motion.success
    np.testing.assert_allclose(motion.q[-1, :2], 1 / 12, rtol=1e-6)
    assert sorted(e.name for e in motion.events) == ["xa leaves its lower limit", "xb leaves its lower limit"]
