"""Events: found where they are, acted on as asked; locks and stops by the balance of momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import G, chain, energy_error, four_bar, patience, pendulum, slider


def event_times(motion: lg.Motion, name: str) -> list[float]:
    return [e.t for e in motion.events if e.name == name]


@pytest.fixture(scope="module")
def swing() -> lg.Dynamics:
    return lg.compile(pendulum())


@pytest.fixture(scope="module")
def rail() -> lg.Dynamics:
    return lg.compile(slider())


@pytest.fixture(scope="module")
def two_blocks() -> lg.Dynamics:
    """Of 1 and 2 kg, on rails of their own."""
    joints = [lg.Joint(n, "prismatic", "ground", b, axis=(1, 0, 0)) for n, b in (("x", "first"), ("y", "second"))]
    bodies = [lg.Body("first", 1.0), lg.Body("second", 2.0)]
    return lg.compile(lg.Mechanism("two_blocks", bodies, joints, gravity=(0, 0, 0)))


# -- finding ---------------------------------------------------------------------------------------------------------


def test_zeros_of_an_expression_and_of_a_function(swing: lg.Dynamics) -> None:
    """A pendulum of half a turn's amplitude passes below every half period; the turning points are in between."""
    amplitude = 1.0
    events = [
        lg.Event("a", name="below"),
        lg.Event(lambda t, q, qd: q[0], name="below, by a function"),
        lg.Event("qd_a", name="turning"),
        lg.Event("a", direction="rising", name="rising"),
        lg.Event(lambda t, q, qd: q[0], direction="falling", name="falling, by a function"),
    ]
    motion = lg.simulate(swing, (0, 20), [amplitude], events=events, rtol=1e-12, atol=1e-13)
    # T = 4 K(sin(a/2)) / w, by the arithmetic-geometric mean
    x, y = 1.0, math.cos(amplitude / 2)
    for _ in range(6):
        x, y = (x + y) / 2, math.sqrt(x * y)
    period = 2 * math.pi / (math.sqrt(1.5 * G) * x)
    below = period / 4 + period / 2 * np.arange(int((20 - period / 4) / (period / 2)) + 1)
    np.testing.assert_allclose(event_times(motion, "below"), below, rtol=0, atol=1e-9)
    np.testing.assert_allclose(event_times(motion, "below, by a function"), below, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        event_times(motion, "turning"), period / 2 * np.arange(1, len(event_times(motion, "turning")) + 1), atol=1e-9
    )
    np.testing.assert_allclose(event_times(motion, "falling, by a function"), below[::2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(event_times(motion, "rising"), below[1::2], rtol=0, atol=1e-9)
    assert [e.t for e in motion.events] == sorted(e.t for e in motion.events)
    for event in motion.events:
        if event.name == "below":
            assert abs(event.q[0]) < 1e-12
            assert motion(event.t)[0] == pytest.approx(event.q, abs=1e-12)


def test_time_coordinates_and_speeds_in_expressions(rail: lg.Dynamics) -> None:
    motion = lg.simulate(rail, 3.0, [0.0], [1.0], torque=[0.5], events=[lg.Event("x - 1.5*t"), lg.Event("qd_x - 2")])
    # x = t + t^2/4 meets 1.5 t at t = 2, where the speed is 2
    assert [e.t for e in motion.events] == pytest.approx([2.0, 2.0], abs=1e-12)
    assert sorted(e.name for e in motion.events) == ["qd_x - 2", "x - 1.5*t"]


def test_parameters_in_expressions() -> None:
    mechanism = lg.library("two_r")
    motion = lg.simulate(mechanism, 3.0, events=lg.Event("l1*cos(theta1) + l2*cos(theta1 + theta2)", name="under the origin"))
    tip = [lg.compile(mechanism).pose(e.q, "tip")[0, 3] for e in motion.events]
    assert len(tip) > 2
    assert np.abs(tip).max() < 1e-9


def test_an_event_stops_a_run(swing: lg.Dynamics) -> None:
    motion = lg.simulate(swing, (0, 20), [1.0], events=lg.Event("a", "stop", name="below"))
    assert motion.message.startswith("stopped by event 'below' at t = ")
    assert motion.last == motion.events[0].t
    assert motion.t[-1] <= motion.last
    assert abs(motion(motion.last)[0][0]) < 1e-12
    assert "below at t = " in motion.summary()


def test_what_is_not_an_event_stops(swing: lg.Dynamics) -> None:
    """A bare expression or function stops the run where it is zero."""
    actual = [lg.simulate(swing, 5.0, [1.0], events=e).last for e in ("a", lambda t, q, qd: q[0], ["a"], [lambda t, q, qd: q[0]])]
    assert actual == pytest.approx([actual[0]] * 4, abs=1e-9)  # of functions steps are shorter
    assert actual[0] < 1


def test_two_in_one_step(rail: lg.Dynamics) -> None:
    """One long step, in which one event comes after the other."""
    for first, second in (("x - 0.3", "x - 0.300001"), ("x - 0.300001", "x - 0.3")):
        events = [lg.Event(first, name="a"), lg.Event(second, name="b")]
        motion = lg.simulate(rail, 1.0, [0.0], [1.0], events=events, step=1.0)
        assert [e.t for e in motion.events] == pytest.approx([0.3, 0.300001], abs=1e-12)
    # of two that stop, the earlier
    for order in (1, -1):
        events = [lg.Event("x - 0.3", "stop", name="a"), lg.Event("x - 0.300001", "stop", name="b")][::order]
        motion = lg.simulate(rail, 1.0, [0.0], [1.0], events=events, step=1.0)
        assert "'a'" in motion.message
        assert [e.name for e in motion.events] == ["a"]


def test_two_actions_in_one_step(two_blocks: lg.Dynamics) -> None:
    events = [lg.Event("x - 1", lg.LockJoints("x")), lg.Event("y - 1.00001", lg.LockJoints("y"))]
    motion = lg.simulate(two_blocks, 2.0, [0, 0], [1.0, 1.0], events=events)
    assert motion.q[-1] == pytest.approx([1, 1.00001], abs=1e-12)


def test_two_actions_at_one_instant(two_blocks: lg.Dynamics) -> None:
    events = [lg.Event("x - 1", lg.SetTorque({"x": 1.0})), lg.Event("x - 1", lg.SetTorque({"y": 2.0}))]
    motion = lg.simulate(two_blocks, 2.0, [0, 0], [1.0, 0.0], events=events)
    assert motion.q[-1] == pytest.approx([2.5, 0.5], abs=1e-9)


def test_touched_twice_within_a_step(rail: lg.Dynamics) -> None:
    """Both zeros lie inside one step; between them is more than a quarter of it."""
    event = lg.Event("(x - 0.5)^2 - 0.04")
    for action in ("record", lg.SetTorque({"x": 0.0})):
        motion = lg.simulate(rail, 1.0, [0.0], [1.0], events=lg.Event(event.when, action), step=1.0)
        assert [e.t for e in motion.events] == pytest.approx([0.3, 0.7], abs=1e-12)


def test_a_short_touch_is_found_with_shorter_steps(rail: lg.Dynamics) -> None:
    for width in (0.1, 0.01):
        event = lg.Event(f"(x - 0.52)^2 - {width**2}")
        motion = lg.simulate(rail, 1.0, [0.0], [1.0], events=event, max_step=4 * width)
        assert motion.events[0].t == pytest.approx(0.52 - width, abs=1e-12)


def test_many_events(swing: lg.Dynamics) -> None:
    """More than one buffer of them."""
    motion = lg.simulate(swing, (0, 30), [1.0], events=[lg.Event("sin(100*t)", name="tick"), lg.Event("a")], max_step=0.005)
    ticks = event_times(motion, "tick")
    np.testing.assert_allclose(ticks, math.pi / 100 * np.arange(1, len(ticks) + 1), atol=1e-9)
    assert len(ticks) == int(30 * 100 / math.pi)
    assert "more events" in motion.summary()


# -- actions ---------------------------------------------------------------------------------------------------------


def planar_momentum(q: np.ndarray, qd: np.ndarray) -> tuple[float, float]:
    """Of the two-link chain: angular momentum about the ground joint, and kinetic energy, from the motion of its bars."""
    angles, rates = np.cumsum(q), np.cumsum(qd)
    total = energy = 0.0
    joint, speed = np.zeros(2), np.zeros(2)
    for a, w in zip(angles, rates, strict=True):
        along = np.array([math.sin(a), -math.cos(a)])
        across = np.array([math.cos(a), math.sin(a)])
        center, velocity = joint + 0.5 * along, speed + 0.5 * w * across
        total += center[0] * velocity[1] - center[1] * velocity[0] + w / 12
        energy += 0.5 * velocity @ velocity + 0.5 * w * w / 12
        joint, speed = joint + along, speed + w * across
    return total, energy


def test_lock_keeps_the_momentum_about_what_still_turns() -> None:
    """The elbow of a double pendulum locks in full motion."""
    lock = lg.Event("a1 - 0.3", lg.LockJoints("a1"), "both", "lock")
    motion = lg.simulate(chain(2), 3.0, [1.2, -0.4], [0.5, 2.0], events=lock, rtol=1e-11, atol=1e-12)
    t = event_times(motion, "lock")[0]
    before = motion.events[0]
    q, after = motion(t)
    assert q == pytest.approx(before.q, abs=1e-14)
    assert abs(before.qd[1]) > 0.5
    (H0, T0), (H1, T1) = planar_momentum(before.q, before.qd), planar_momentum(q, after)
    assert pytest.approx(H0, rel=1e-12) == H1
    assert after[1] == pytest.approx(0, abs=1e-14)
    assert T1 < T0
    assert motion.work["impacts"][-1] == pytest.approx(T1 - T0, rel=1e-10)
    assert motion.work["impacts"][0] == 0
    held = motion.t > t
    np.testing.assert_allclose(motion.q[held, 1], before.q[1], rtol=0, atol=1e-12)
    # from then on it is one rigid body: a compound pendulum about the ground joint
    assert energy_error(motion) < 1e-9
    inertia = H1 / after[0]
    angle, b = q[0], before.q[1]
    arm = (0.5 * math.sin(angle) + math.sin(angle) + 0.5 * math.sin(angle + b)) * G
    assert motion.resample([t, t + 1e-3]).qdd[0, 0] == pytest.approx(-arm / inertia, rel=1e-9)


def test_lock_happens_once() -> None:
    lock = lg.Event("a1 - 0.3", lg.LockJoints("a1"), name="lock")
    motion = lg.simulate(chain(2), 3.0, [1.2, -0.4], [0.5, 2.0], events=lock, rtol=1e-11, atol=1e-12)
    assert len(motion.events) == 1


def test_lock_in_a_closed_loop() -> None:
    """M (qd+ - qd-) = Psi^T impulse + the lock's own: a five-bar's elbow stops, and one degree of freedom is left."""
    mechanism = lg.library("five_bar")
    lock = lg.Event("t - 0.1", lg.LockJoints("phi3"), name="lock")
    motion = lg.simulate(mechanism, 0.25, None, {"q1": 1.0, "q2": -2.0}, events=lock, rtol=1e-11, atol=1e-12)
    dyn = lg.compile(mechanism)
    (before,), (q, after) = motion.events, motion(0.1)
    M, psi = dyn.mass_matrix(q), dyn.constraint_jacobian(q)
    change = M @ (after - before.qd)
    rows = np.vstack([psi, np.eye(4)[2]])
    impulses, *_ = np.linalg.lstsq(rows.T, change, rcond=None)
    assert np.abs(rows.T @ impulses - change).max() < 1e-12 * np.abs(change).max()
    assert np.abs(rows @ after).max() < 1e-12
    loss = 0.5 * after @ M @ after - 0.5 * before.qd @ M @ before.qd
    assert motion.work["impacts"][-1] == pytest.approx(loss, rel=1e-9)
    # Carnot: a plastic impact loses the energy of the speeds that are lost
    assert loss == pytest.approx(-0.5 * (after - before.qd) @ M @ (after - before.qd), rel=1e-9)
    late = motion.t > 0.1
    assert np.ptp(motion.q[late, 2]) < 1e-11
    assert np.ptp(motion.q[late, 0]) > 0.05
    assert motion.drift.max() < 1e-13
    assert energy_error(motion) < 1e-9


def test_lock_where_loops_are_redundant() -> None:
    """A four-bar closed by a hinge locks its crank: everything stops, and stays."""
    mechanism = four_bar("revolute")
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    motion = lg.simulate(mechanism, 1.0, q0, {"theta1": 6.0}, events=lg.Event("theta1 - 2", lg.LockJoints("theta1"), name="lock"))
    (t,) = event_times(motion, "lock")
    late = motion.t > t
    assert np.ptp(motion.q[late], axis=0).max() < 1e-12
    assert np.abs(motion.qd[late]).max() < 1e-12
    assert motion.kinetic_energy[~late][-1] > 0.1


def test_lock_of_one_axis_of_a_ball() -> None:
    """The speed about one of the body's own axes stops; momentum about the two others is kept through the impact."""
    body = lg.Body("top", 1.0, (0, 0, 0), (0.3, 0.5, 0.7))
    mechanism = lg.Mechanism("top", [body], [lg.Joint("turn", "ball", "ground", "top")], gravity=(0, 0, 0))
    motion = lg.simulate(mechanism, 2.0, None, [1.0, 0.4, -0.8], events=lg.Event("t - 1", lg.LockJoints("turn.wx"), name="lock"))
    before, (_, after) = motion.events[0], motion(1.0)
    assert abs(before.qd[0]) > 0.1
    assert after == pytest.approx([0, *before.qd[1:]], abs=1e-12)  # the inertia is diagonal in the body's axes
    assert np.abs(motion.qd[motion.t > 1, 0]).max() < 1e-12


def test_joints_are_locked_and_unlocked() -> None:
    events = [lg.Event("t - 0.5", lg.LockJoints("a1")), lg.Event("t - 1.2", lg.UnlockJoints("a1"))]
    motion = lg.simulate(chain(2), 2.0, [1.2, -0.4], [0.5, 2.0], events=events, rtol=1e-10, atol=1e-11)
    held = (motion.t > 0.5) & (motion.t < 1.2)
    assert np.ptp(motion.q[held, 1]) < 1e-12
    assert np.ptp(motion.q[motion.t > 1.2, 1]) > 0.05
    assert motion(1.2)[1][1] == pytest.approx(0, abs=1e-12)  # it begins from rest
    assert energy_error(motion) < 1e-9
    # the same from there on as a run that begins there
    q, qd = motion(1.2)
    alone = lg.simulate(chain(2), (1.2, 2.0), q, qd, rtol=1e-10, atol=1e-11)
    assert motion.q[-1] == pytest.approx(alone.q[-1], abs=1e-8)


def test_unlock_of_what_was_not_locked_changes_nothing() -> None:
    plain = lg.simulate(chain(2), 1.0, [1.2, -0.4])
    motion = lg.simulate(chain(2), 1.0, [1.2, -0.4], events=lg.Event("t - 0.5", lg.UnlockJoints("a1")))
    assert motion.q[-1] == pytest.approx(plain.q[-1], abs=1e-7)


def test_set_torque(rail: lg.Dynamics) -> None:
    """Besides what acts already: 1 N from the beginning, 3 N more from t = 1, -1 N instead of these from t = 2."""
    events = [lg.Event("t - 1", lg.SetTorque({"x": 3.0})), lg.Event("t - 2", lg.SetTorque({"x": -1.0}))]
    motion = lg.simulate(rail, 3.0, [0.0], torque=[1.0], events=events, t_eval=7)
    assert motion.qdd[:, 0] == pytest.approx([1, 1, 4, 4, 0, 0, 0])
    # x(1) = 1/2, v(1) = 1; x(2) = 1/2 + 1 + 2, v(2) = 5; x(3) = 3.5 + 5
    assert motion.q[-1, 0] == pytest.approx(8.5, abs=1e-9)
    assert motion.work["torque"][-1, 0] == pytest.approx(motion.energy[-1], rel=1e-9)


@pytest.mark.parametrize("kind", ["function", "table", "sampled"])
def test_set_torque_besides_other_torques(rail: lg.Dynamics, kind: str) -> None:
    torque = {
        "function": lambda t, q, qd: [1.0],
        "table": ([0.0, 0.7, 1.4, 3.0], [[1.0]] * 4),
        "sampled": lg.Sampled(lambda t, q, qd: [1.0], 0.1),
    }[kind]
    motion = lg.simulate(rail, 2.0, [0.0], torque=torque, events=lg.Event("t - 1", lg.SetTorque({"x": 3.0})))
    assert motion.q[-1, 0] == pytest.approx(0.5 + 1 + 2, abs=1e-9)


# -- joint limits ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ball() -> lg.Dynamics:
    """A mass that falls onto the floor x = 0."""
    return lg.compile(slider(2.0, (-G, 0, 0), limits=lg.JointLimits(0.0, math.inf)))


def test_stop_without_bounce(ball: lg.Dynamics) -> None:
    motion = lg.simulate(ball, 2.0, [1.0], rtol=1e-10, atol=1e-12)
    fall = math.sqrt(2 / G)
    (event,) = motion.events
    assert event.name == "x meets its lower limit"
    assert event.t == pytest.approx(fall, abs=1e-12)
    down = motion.t > fall
    assert np.abs(motion.q[down]).max() < 1e-14
    assert np.abs(motion.qd[down]).max() < 1e-14
    assert motion.work["impacts"][-1] == pytest.approx(-2.0 * G, rel=1e-10)  # all that it had


@pytest.mark.parametrize("e", [0.5, 0.9, 1.0])
def test_impacts_of_a_bouncing_ball_are_in_closed_form(ball: lg.Dynamics, e: float) -> None:
    """Times of impact, and energies e^2 of those before, while bounces are well apart."""
    fall = math.sqrt(2 / G)
    times = fall + np.concatenate([[0], np.cumsum(2 * fall * e ** np.arange(1, 5))])
    motion = lg.simulate(ball, times[-1] + 1e-3, [1.0], restitution=e, rtol=1e-11, atol=1e-13)
    assert [event.t for event in motion.events] == pytest.approx(times, abs=1e-10)
    for k in range(4):
        middle = 0.5 * (times[k] + times[k + 1])
        q, qd = motion(middle)
        assert q[0] == pytest.approx(e ** (2 * (k + 1)), rel=1e-9)
        assert qd[0] == pytest.approx(0, abs=1e-9)
    assert energy_error(motion) < 1e-9


@pytest.mark.parametrize("e", [0.5, 0.2])
def test_bouncing_until_it_rests(ball: lg.Dynamics, e: float) -> None:
    """Infinitely many bounces in a finite time: (1 + e)/(1 - e) of the fall's; then it lies there."""
    motion = lg.simulate(ball, 3.0, [1.0], restitution=e)
    end = math.sqrt(2 / G) * (1 + e) / (1 - e)
    assert len(motion.events) < 60
    assert np.abs(motion.q[motion.t > end + 1e-3]).max() < 1e-6
    assert motion.q.min() > -1e-9


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_pendulum_between_stops(e: float) -> None:
    """From rest at 1 rad to a stop at -0.5: the speed there by its energy, and e of it back."""
    mechanism = pendulum(limits=lg.JointLimits(-0.5, 2.0))
    motion = lg.simulate(mechanism, 1.5, [1.0], restitution=e, rtol=1e-11, atol=1e-12)
    event = motion.events[0]
    assert event.name == "a meets its lower limit"
    speed = math.sqrt(3 * G * (math.cos(0.5) - math.cos(1.0)))  # 1/2 I w^2 = m g l/2 (cos - cos), I = 1/3
    assert event.qd[0] == pytest.approx(-speed, rel=1e-9)
    q, after = motion(event.t)
    assert q[0] == -0.5
    assert after[0] == pytest.approx(e * speed, rel=1e-9, abs=1e-14)
    gone = -(1 - e**2) * speed**2 / 6
    assert motion.work.get("impacts", np.zeros(1))[-1] == pytest.approx(gone, rel=1e-9, abs=1e-12)
    if e == 0:
        # gravity swings it back at once: the stop only pushes
        assert motion.q[-1, 0] > -0.5
    assert motion.q.min() > -0.5 - 1e-12
    assert energy_error(motion) < 1e-9


def test_held_by_a_stop_while_it_pushes(rail: lg.Dynamics) -> None:
    """Pushed by 1 - t against a stop; it leaves when the push has gone, at t = 1."""
    mechanism = slider(limits=lg.JointLimits(-1, 1))
    motion = lg.simulate(mechanism, 3.0, [0.0], [1.0], torque={"x": "1 - t"}, rtol=1e-10, atol=1e-12)
    assert [e.name for e in motion.events] == ["x meets its upper limit", "x leaves its upper limit"]
    assert motion.events[1].t == pytest.approx(1.0, abs=1e-10)
    t = motion.t[motion.t > 1] - 1
    assert motion.q[motion.t > 1, 0] == pytest.approx(1 - t**3 / 6, abs=1e-9)


def test_two_stops_in_a_chain() -> None:
    """Both joints of a double pendulum have stops; no row is beyond them, and the energy balance holds."""
    mechanism = chain(2, limits=lg.JointLimits(-0.7, 0.7))
    for e in (0.0, 0.6):
        motion = lg.simulate(mechanism, 1.5, [0.6, -0.6], [3.0, 2.0], restitution=e, rtol=1e-9, atol=1e-11)
        assert motion.success
        assert len(motion.events) >= 4
        assert np.abs(motion.q).max() < 0.7 + 1e-9
        assert np.diff(motion.work["impacts"]).max() < 1e-12
        assert energy_error(motion) < 1e-7


def test_limits_can_be_switched_off() -> None:
    mechanism = pendulum(limits=lg.JointLimits(-0.5, 2.0))
    motion = lg.simulate(mechanism, 1.5, [1.0], limits=False)
    assert not motion.events
    assert motion.q.min() < -0.99


@pytest.mark.parametrize(("q0", "qd0", "torque"), [(0.5, 0.0, 8.0), (-0.5, -1.0, 0.0)])
def test_beginning_at_a_limit(q0: float, qd0: float, torque: float) -> None:
    """Pushed, or moving, out of its range from the first moment."""
    motion = lg.simulate(pendulum(limits=lg.JointLimits(-0.5, 0.5)), 1.0, [q0], [qd0], torque=[torque])
    assert np.abs(motion.q).max() < 0.5 + 1e-9


@pytest.mark.parametrize("kind", ["sampled", "event"])
def test_torque_that_jumps_leaves_the_stop(kind: str) -> None:
    mechanism = slider(limits=lg.JointLimits(-10, 1))
    if kind == "sampled":
        more = {"torque": lg.Sampled(lambda t, q, qd: [1.0 if t < 1.95 else -1.0], 0.1)}
    else:
        more = {"torque": [1.0], "events": lg.Event("t - 2", lg.SetTorque({"x": -2.0}))}
    motion = lg.simulate(mechanism, 4.0, [0.0], [1.0], **more)
    assert motion.q[-1, 0] == pytest.approx(1 - 2, abs=1e-6)


def test_stop_holds_against_gravity_by_a_python_torque() -> None:
    """Gravity pulls it back by 5 N, the function pushes it on by 10."""
    mechanism = slider(1.0, (-5, 0, 0), limits=lg.JointLimits(-10, 1))
    motion = lg.simulate(mechanism, 4.0, [0.0], torque=lambda t, q, qd: [10.0], progress=patience(60.0))
    assert motion.success, motion.message
    assert motion.q.max() < 1 + 1e-9
    assert motion.q[-1, 0] == pytest.approx(1, abs=1e-9)
    assert len(motion.events) == 1
