"""What drives a run: nothing, numbers, expressions, tables, functions, controllers; and the work each does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from tests.motion.machines import G, chain, energy_error, formula, pendulum, slider


@pytest.fixture(scope="module")
def rail() -> lg.Dynamics:
    """A block of 2 kg."""
    return lg.compile(slider(2.0))


@pytest.fixture(scope="module")
def arm() -> lg.Dynamics:
    return lg.compile(chain(2))


@pytest.mark.parametrize("torque", [0, 0.0, [0.0, 0.0], np.zeros(2), {}])
def test_no_torque_does_no_work(arm: lg.Dynamics, torque: object) -> None:
    free = lg.simulate(arm, 1.0, [1.0, 0.5])
    motion = lg.simulate(arm, 1.0, [1.0, 0.5], torque=torque)
    assert np.array_equal(motion.q, free.q)
    assert np.all(motion.tau == 0)
    assert np.all(motion.work["torque"] == 0)


def test_the_mechanism_has_its_own() -> None:
    """Unless others are given, those of [initial] act; torque=0 switches them off."""
    mechanism = lg.library("deployable_four_bar")
    motion = lg.simulate(mechanism, 2.0, t_eval=11)
    np.testing.assert_allclose(motion.tau[:, 0], 1.96 - 0.1 * motion.q[:, 0], rtol=1e-12)
    assert np.all(motion.tau[:, 1:] == 0)
    plain = lg.simulate(lg.library("four_bar"), 0.1, t_eval=2, torque=0)
    assert np.all(plain.tau == 0)


def test_constant_torques_in_every_form_are_the_same(rail: lg.Dynamics) -> None:
    for torque in (3.0, [3.0], np.array([3.0]), {"x": 3.0}, {"x": 3}):
        motion = lg.simulate(rail, 2.0, [0.0], [1.0], torque=torque)
        np.testing.assert_allclose(motion.q[:, 0], motion.t + 0.75 * motion.t**2, rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.work["torque"][:, 0], 3 * motion.q[:, 0], rtol=0, atol=1e-9)


def test_one_number_for_all(arm: lg.Dynamics) -> None:
    one, two = (lg.simulate(arm, 1.0, [0.3, 0.2], torque=torque, t_eval=3) for torque in (2.0, [2.0, 2.0]))
    assert np.array_equal(one.q, two.q)


def test_expressions_of_time_state_and_parameters() -> None:
    """x'' = -4 x - 0.4 x' + cos 3t, as torques of the joint, against the same equation solved otherwise."""
    mechanism = slider(1.0)
    mechanism = mechanism.replace(parameters={"k": lg.parameter("k", 4.0)})
    motion = lg.simulate(
        mechanism, 5.0, [0.3], [0.0], torque={"x": "cos(3*t) - k*x - 0.4*qd_x"}, rtol=1e-11, atol=1e-12, t_eval=51
    )
    other = solve_ivp(
        lambda t, y: [y[1], math.cos(3 * t) - 4 * y[0] - 0.4 * y[1]], (0, 5), [0.3, 0], "DOP853", motion.t, rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), other.y.T, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.tau[:, 0], np.cos(3 * motion.t) - 4 * motion.q[:, 0] - 0.4 * motion.qd[:, 0], atol=1e-12)


def test_expression_objects(rail: lg.Dynamics) -> None:
    from lagrangian.model.expression import symbol

    written, built = (lg.simulate(rail, 1.0, [0.5], torque={"x": x}).q[-1, 0] for x in ("2*t - x", 2 * symbol("t") - symbol("x")))
    assert written == pytest.approx(built, abs=1e-12)


# -- tables ----------------------------------------------------------------------------------------------------------


def test_table_is_piecewise_linear(rail: lg.Dynamics) -> None:
    """0 until 0.5, up to 4 at 1, down to -2 at 2, and -2 after: speeds are its integral, positions that of the speeds."""
    times, values = np.array([0.5, 1.0, 2.0]), np.array([0.0, 4.0, -2.0])
    motion = lg.simulate(rail, 3.0, [0.0], torque=(times, values[:, None]), rtol=1e-11, atol=1e-13, t_eval=301)
    t = motion.t
    np.testing.assert_allclose(motion.tau[:, 0], np.interp(t, times, values), rtol=0, atol=1e-12)
    knots = np.array([0, 0.5, 1, 2, 3.0])
    force = np.interp(knots, times, values)
    v = x = 0.0
    for a, b, f, g in zip(knots, knots[1:], force, force[1:], strict=False):
        inside = (t >= a) & (t <= b)
        s, slope = t[inside] - a, (g - f) / (b - a)
        np.testing.assert_allclose(motion.qd[inside, 0], v + (f * s + slope * s**2 / 2) / 2, rtol=0, atol=1e-11)
        np.testing.assert_allclose(motion.q[inside, 0], x + v * s + (f * s**2 / 2 + slope * s**3 / 6) / 2, rtol=0, atol=1e-11)
        h = b - a
        x, v = x + v * h + (f * h**2 / 2 + slope * h**3 / 6) / 2, v + (f + g) * h / 4
    assert energy_error(motion) < 1e-11


def test_table_before_and_after(rail: lg.Dynamics) -> None:
    """Its first value holds before it, its last after; a run may begin within it, or begin and end outside."""
    table = ([1.0, 2.0], [[2.0], [4.0]])
    before = lg.simulate(rail, (0, 1), [0.0], torque=table)
    assert before.qd[-1, 0] == pytest.approx(1.0, abs=1e-12)
    after = lg.simulate(rail, (5, 6), [0.0], torque=table)
    assert after.qd[-1, 0] == pytest.approx(2.0, abs=1e-12)
    within = lg.simulate(rail, (1.5, 1.75), [0.0], torque=table)
    assert within.qd[-1, 0] == pytest.approx(0.25 * 3.25 / 2, abs=1e-12)


def test_table_of_many_points_for_two_joints(arm: lg.Dynamics) -> None:
    """Points so close that they follow a smooth curve give what the curve gives."""
    t = np.linspace(0, 2, 2001)
    table = np.array([2 * np.sin(3 * t), np.cos(t)]).T
    motion = lg.simulate(arm, 2.0, [0.3, 0.2], torque=(t, table), t_eval=21)
    smooth = lg.simulate(arm, 2.0, [0.3, 0.2], torque={"a0": "2*sin(3*t)", "a1": "cos(t)"}, t_eval=21)
    np.testing.assert_allclose(motion.q, smooth.q, rtol=0, atol=1e-5)
    np.testing.assert_allclose(motion.tau, smooth.tau, rtol=0, atol=1e-5)
    assert energy_error(motion) < 1e-7


def test_table_of_one_joint_may_be_flat(rail: lg.Dynamics) -> None:
    flat, tall = (lg.simulate(rail, 2.0, [0.0], torque=([0, 2], v)).q[-1, 0] for v in ([1.0, 3.0], [[1.0], [3.0]]))
    assert flat == tall == pytest.approx(0.5 * (1 * 2 + 2 / 2 * 8 / 6), abs=1e-10)


# -- functions -------------------------------------------------------------------------------------------------------


def swinging(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
    return [3 * np.sin(2 * t) - 0.5 * qd[0], -2 * q[1] + 0.1 * np.cos(q[0])]


def test_function_traced_and_written_agree(arm: lg.Dynamics) -> None:
    written = {"a0": "3*sin(2*t) - 0.5*qd_a0", "a1": "-2*a1 + 0.1*cos(a0)"}
    options = {"rtol": 1e-11, "atol": 1e-12, "t_eval": 31}
    called, traced, formulas = (
        lg.simulate(arm, 3.0, [0.3, 0.2], torque=torque, **options) for torque in (swinging, lg.Traced(swinging), written)
    )
    for motion in (called, traced):
        np.testing.assert_allclose(motion.q, formulas.q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.tau, formulas.tau, rtol=0, atol=1e-9)
        np.testing.assert_allclose(motion.work["torque"], formulas.work["torque"], rtol=0, atol=1e-9)
        assert energy_error(motion) < 1e-9


def test_function_of_one_joint_may_give_a_number(rail: lg.Dynamics) -> None:
    motion = lg.simulate(rail, 1.0, [0.0], torque=lambda t, q, qd: 4.0)
    assert motion.q[-1, 0] == pytest.approx(1.0, abs=1e-9)


def test_function_gets_copies(rail: lg.Dynamics) -> None:
    """What it does to its arguments does not reach the run; they are what the mechanism has."""
    arguments = []

    def spoiling(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        arguments.append((t, q.copy(), qd.copy()))
        q[:], qd[:] = 1e9, 1e9
        return [2.0]

    motion = lg.simulate(rail, 1.0, [0.0], [1.0], torque=spoiling)
    assert motion.q[-1, 0] == pytest.approx(1.5, abs=1e-9)
    assert all(q.shape == qd.shape == (1,) for _, q, qd in arguments)
    assert all(q[0] == pytest.approx(t + t * t / 2, abs=1e-2) for t, q, _ in arguments)


def test_function_with_a_quaternion() -> None:
    """A free body: seven coordinates, six speeds."""
    body = lg.Body("body", 2.0, (0, 0, 0), (0.1, 0.2, 0.3))
    mechanism = lg.Mechanism("body", [body], [lg.Joint("free", "free", "ground", "body")], gravity=(0, 0, 0))
    sizes = set()

    def push(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        sizes.add((len(q), len(qd)))
        return np.array([0, 0, 0.3, 4.0, 0, 0])

    motion = lg.simulate(mechanism, 1.0, torque=push, rtol=1e-10, atol=1e-12)
    assert sizes == {(7, 6)}
    assert motion.qd[-1, 2] == pytest.approx(1.0, abs=1e-9)
    assert motion.work["torque"].sum(axis=1)[-1] == pytest.approx(motion.kinetic_energy[-1], rel=1e-9)


NUMPY = {
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "exp": lambda x: np.exp(-x),
    "sqrt and log": lambda x: np.sqrt(1 + x * x) + np.log(2 + x * x),
    "arctan": np.arctan,
}


@pytest.mark.parametrize("name", NUMPY)
def test_traced_with_numpy_functions(rail: lg.Dynamics, name: str) -> None:
    def function(t: object, q: list, qd: list) -> list:
        return [NUMPY[name](q[0] + t) - 0.1 * qd[0]]

    traced, called = (
        lg.simulate(rail, 2.0, [0.4], torque=f, rtol=1e-10, atol=1e-12, t_eval=9) for f in (lg.Traced(function), function)
    )
    np.testing.assert_allclose(traced.q, called.q, rtol=0, atol=1e-9)


def test_traced_functions_are_distinguished(rail: lg.Dynamics) -> None:
    """Two functions of one name are two functions."""
    ends = [lg.simulate(rail, 1.0, [0.0], torque=lg.Traced(lambda t, q, qd, k=k: [k])).q[-1, 0] for k in (2.0, 6.0)]
    assert ends == pytest.approx([0.5, 1.5], abs=1e-9)


# -- controllers at a fixed rate -------------------------------------------------------------------------------------


def hand_made(gain: float, damping: float, period: float, delay: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """A block of 2 kg under a sampled controller: between changes of its force it moves in parabolas."""
    x, v, t = 1.0, 0.0, 0.0
    samples = [k * period for k in range(math.ceil(end / period - 1e-9))]
    changes = sorted({round(x, 12) for x in (*samples, *(s + delay for s in samples if s + delay < end), end)})
    pending: list[tuple[float, float]] = []
    force, states = 0.0, []
    for at in changes:
        h = at - t
        x, v, t = x + v * h + force / 4 * h * h, v + force / 2 * h, at
        if any(abs(at - s) < 1e-12 for s in samples):
            pending.append((at + delay, -gain * x - damping * v))
            states.append((at, x, v))
        due = [f for when, f in pending if when <= at + 1e-12]
        force = due[-1] if due else 0.0
    return np.array(states), np.array([x, v])


@pytest.mark.parametrize(("period", "delay"), [(0.1, 0.0), (0.1, 0.03), (0.1, 0.1), (0.1, 0.25), (0.03, 0.05)])
def test_sampled_controller(rail: lg.Dynamics, period: float, delay: float) -> None:
    seen = []

    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        seen.append((t, q[0], qd[0]))
        return [-10 * q[0] - 2 * qd[0]]

    end = 1.5
    motion = lg.simulate(rail, end, [1.0], torque=lg.Sampled(controller, period, delay), rtol=1e-11, atol=1e-13)
    states, last = hand_made(10, 2, period, delay, end)
    assert len(seen) in (len(states), len(states) + 1)  # once a period, whether or not at the very end
    np.testing.assert_allclose(seen[: len(states)], states, rtol=0, atol=1e-9)
    assert [motion.q[-1, 0], motion.qd[-1, 0]] == pytest.approx(last, abs=1e-9)
    assert energy_error(motion) < 1e-9
    # torques are held between samples
    assert len(np.unique(np.round(motion.tau[:-1, 0], 9))) <= len(states) + 1


def test_sampled_controller_from_another_start(rail: lg.Dynamics) -> None:
    """The first sample is at the beginning of the run, whenever that is."""
    times = []
    lg.simulate(rail, (0.37, 1.0), [1.0], torque=lg.Sampled(lambda t, q, qd: times.append(t) or [0.0], 0.2))
    assert times[:4] == pytest.approx([0.37, 0.57, 0.77, 0.97])


def test_sampled_keeps_time_over_many_periods(rail: lg.Dynamics) -> None:
    times = []
    lg.simulate(rail, 3.0, [1.0], torque=lg.Sampled(lambda t, q, qd: times.append(t) or [-q[0]], 0.001), t_eval=3)
    assert len(times) in (3000, 3001)
    np.testing.assert_allclose(times[:3000], 0.001 * np.arange(3000), rtol=0, atol=1e-9)


def test_sampled_controller_and_events(rail: lg.Dynamics) -> None:
    """An event between samples does not disturb their times."""
    times = []

    def controller(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        times.append(t)
        return [2.0]

    events = [lg.Event("x - 0.03"), lg.Event("t - 0.44", lg.LockJoints("x")), lg.Event("t - 0.77", lg.UnlockJoints("x"))]
    motion = lg.simulate(rail, 1.0, [0.0], torque=lg.Sampled(controller, 0.1), events=events)
    np.testing.assert_allclose(times[:10], 0.1 * np.arange(10), rtol=0, atol=1e-12)
    assert motion.q[-1, 0] == pytest.approx(0.5 * 0.44**2 + 0.5 * 0.23**2, abs=1e-9)


# -- work ------------------------------------------------------------------------------------------------------------


def test_work_of_each_joint_and_force(arm: lg.Dynamics) -> None:
    """By quadrature of the rows, joint by joint; what torques give and friction takes is what the energy changes by."""
    mechanism = chain(2, friction=lg.Friction(viscous=0.3))
    motion = lg.simulate(mechanism, 2.0, [0.3, 0.2], torque={"a0": "3*sin(2*t)", "a1": "-1"}, rtol=1e-11, atol=1e-12, t_eval=2001)
    for name, force in (("torque", motion.tau), ("friction", -motion.friction)):
        power = force * motion.qd
        step = np.diff(motion.t)[:, None]
        # the trapezium with the end correction of Euler and Maclaurin, for smooth rows
        rate = np.gradient(power, motion.t, axis=0, edge_order=2)
        simple = np.vstack(
            [np.zeros(2), np.cumsum(step / 2 * (power[1:] + power[:-1]) - step**2 / 12 * (rate[1:] - rate[:-1]), axis=0)]
        )
        np.testing.assert_allclose(motion.work[name], simple, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.friction, 0.3 * motion.qd, rtol=1e-12)
    np.testing.assert_allclose(motion.energy - motion.energy[0], motion.total_work, rtol=0, atol=1e-9)


def test_work_in_springs_and_dampers() -> None:
    """A spring between points stores, its damper takes: m x'' + c x' + k (x - rest) = 0."""
    joints = [lg.Joint("x", "prismatic", "ground", "block", axis=(1, 0, 0))]
    spring = lg.PointSpring("spring", "ground", "block", stiffness=50.0, rest=1.0, damping=2.0)
    mechanism = lg.Mechanism("sprung", [lg.Body("block", 1.0)], joints, springs=[spring], gravity=(0, 0, 0))
    motion = lg.simulate(mechanism, 3.0, [1.5], rtol=1e-11, atol=1e-12)
    w = math.sqrt(50 - 1)
    x = 1 + 0.5 * np.exp(-motion.t) * (np.cos(w * motion.t) + np.sin(w * motion.t) / w)
    np.testing.assert_allclose(motion.q[:, 0], x, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.friction[:, 0], 2 * motion.qd[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.potential_energy, 25 * (motion.q[:, 0] - 1) ** 2, rtol=0, atol=1e-12)
    assert energy_error(motion) < 1e-9


def test_work_of_a_moving_constraint() -> None:
    """A pendulum made to turn at a constant rate: what drives it lifts it."""
    mechanism = pendulum().replace(constraints=[lg.HolonomicConstraint("turn", formula("a - 2*t", "a"))])
    motion = lg.simulate(mechanism, 3.0, [0.0], [2.0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(motion.multipliers[:, 0], G / 2 * np.sin(2 * motion.t), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.work["constraints"], G / 2 * (1 - np.cos(2 * motion.t)), rtol=0, atol=1e-9)
    assert energy_error(motion) < 1e-9


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(lambda t, q, qd: [1 / 0, 0], "ZeroDivisionError"), (lambda t, q, qd: [q[5], 0], "IndexError")],
    ids=["divides", "index"],
)
def test_what_a_traced_function_raises_is_reported(wrong, message):
    with pytest.raises(lg.ArgumentError, match=f"Traced: the function raised {message}"):
        lg.simulate("two_r", 0.1, torque=lg.Traced(wrong))
