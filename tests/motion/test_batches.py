"""Many motions at once: bit for bit what each is by itself, and right by formulas."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.special import ellipk

import lagrangian as lg
from tests.mechanisms import random_mechanism, seeds
from tests.motion.machines import slider

G = 9.81


def end_of(motion: lg.Motion) -> np.ndarray:
    """The state at the end of the last step."""
    assert motion.trajectory is not None
    return motion.trajectory.y


def check_bits(motions: lg.Motions, i: int, alone: lg.Motion) -> None:
    assert np.array_equal(end_of(alone), [*motions.q_end[i], *motions.qd_end[i]])
    assert motions.t_end[i] == alone.last
    assert motions.status[i] is alone.status
    assert motions.message(i) == alone.message


@pytest.fixture(scope="module")
def two_r() -> lg.Mechanism:
    return lg.library("two_r")


def starts(count: int, seed: int = 0, spread: float = 1.0) -> np.ndarray:
    return np.array([-np.pi / 2, 0.0]) + np.random.default_rng(seed).uniform(-spread, spread, (count, 2))


# -- the same as one at a time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"method": "dp5"}, {"method": "verner9", "rtol": 1e-12}, {"method": "rk4", "step": 0.01}, {"max_step": 0.02}]
)
def test_starts_have_the_same_bits(two_r: lg.Mechanism, options: dict[str, Any]) -> None:
    q0, qd0 = starts(37), starts(37, 1)
    motions = lg.simulate(two_r, 2.0, q0, qd0, **options)
    assert isinstance(motions, lg.Motions)
    assert len(motions) == 37
    for i in (0, 16, 36):
        check_bits(motions, i, lg.simulate(two_r, 2.0, q0[i], qd0[i], **options))
    again = motions[16]
    assert np.array_equal(end_of(again), [*motions.q_end[16], *motions.qd_end[16]])
    assert np.array_equal(motions[-1].q, motions.motion(36).q)


def test_rows_have_the_same_bits(two_r: lg.Mechanism) -> None:
    q0 = starts(20)
    motions = lg.simulate(two_r, 2.0, q0, t_eval=33)
    assert motions.q.shape == (20, 33, 2)
    for i in (0, 19):
        alone = lg.simulate(two_r, 2.0, q0[i], t_eval=33)
        assert np.array_equal(motions.t, alone.t)
        assert np.array_equal(motions.q[i], alone.q)
        assert np.array_equal(motions.qd[i], alone.qd)


def test_any_number_of_threads_gives_the_same_bits(two_r: lg.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.motion import many

    q0 = starts(101)
    one = lg.simulate(two_r, 2.0, q0, threads=1)
    monkeypatch.setattr(many, "CHUNK", 7)
    other = lg.simulate(two_r, 2.0, q0, threads=3)
    assert np.array_equal(one.q_end, other.q_end)
    assert np.array_equal(one.qd_end, other.qd_end)


def test_parameters_have_the_same_bits(two_r: lg.Mechanism) -> None:
    rng = np.random.default_rng(0)
    varied = {"l1": rng.uniform(0.5, 1.5, 30), "m2": rng.uniform(5, 20, 30), "link1.mass": rng.uniform(8, 9, 30)}
    motions = lg.simulate(two_r, 2.0, q0=[-1.0, 0.5], parameters={**varied, "g": 5.0})
    for i in (0, 29):
        own = two_r.with_parameters({"g": 5.0, **{name: float(x[i]) for name, x in varied.items()}})
        check_bits(motions, i, lg.simulate(own, 2.0, q0=[-1.0, 0.5]))
        check_bits(motions, i, motions[i])
        assert motions.parameters["l1"][i] == varied["l1"][i]


def test_torques_have_the_same_bits(two_r: lg.Mechanism) -> None:
    tau = np.random.default_rng(0).normal(size=(20, 2)) * 10
    tau[3] = 0.0
    motions = lg.simulate(two_r, 2.0, torque=tau)
    for i in (0, 3, 19):
        check_bits(motions, i, lg.simulate(two_r, 2.0, torque=tau[i]))
    motions = lg.simulate(two_r, 2.0, torque={"theta1": tau[:, 0], "theta2": "-2*qd_theta2"})
    check_bits(motions, 7, lg.simulate(two_r, 2.0, torque={"theta1": tau[7, 0], "theta2": "-2*qd_theta2"}))


def test_loops_stay_closed_and_have_the_same_bits() -> None:
    four_bar = lg.library("four_bar")
    angles = np.linspace(0.2, 1.2, 25)
    motions = lg.simulate(four_bar, 2.0, q0={"theta1": angles})
    assert motions.success.all()
    dyn = lg.compile(four_bar)
    assert np.abs(dyn.closure(motions.q0)).max() < 1e-13
    assert np.abs(dyn.closure(motions.q_end)).max() < 1e-13
    np.testing.assert_array_equal(motions.q0[:, 0], angles)
    for i in (0, 24):
        check_bits(motions, i, motions[i])
        alone = lg.simulate(four_bar, 2.0, q0={"theta1": angles[i]})
        np.testing.assert_allclose(motions.q_end[i], end_of(alone)[:3], atol=1e-9)


def test_lengths_of_loops_vary_and_starts_follow() -> None:
    four_bar = lg.library("four_bar")
    l2 = float(four_bar.parameters["l2"]) * np.linspace(0.95, 1.05, 20)
    motions = lg.simulate(four_bar, 2.0, parameters={"l2": l2})
    for i in (0, 19):
        own = four_bar.with_parameters(l2=float(l2[i]))
        assert np.abs(lg.compile(own).closure(motions.q_end[i])).max() < 1e-13
        check_bits(motions, i, motions[i])
        np.testing.assert_allclose(motions.q_end[i], end_of(lg.simulate(own, 2.0))[:3], atol=1e-9)


@pytest.mark.parametrize("name", ["heavy_top", "free_body", pytest.param("stewart", marks=pytest.mark.slow), "rolling_disc"])
def test_quaternions_and_platforms(name: str) -> None:
    mechanism = lg.library(name)
    g = np.linspace(5.0, 10.0, 11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motions = lg.simulate(mechanism, 0.2, parameters={"gravity.z": -g})
        for i in (0, 10):
            check_bits(motions, i, motions[i])
            check_bits(motions, i, lg.simulate(mechanism.with_parameters({"gravity.z": -g[i]}), 0.2))


few = settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@few
@given(seeds)
def test_random_trees_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types = rng.choice(["revolute", "prismatic", "ball", "universal", "helical"], 3).tolist()
    mechanism = random_mechanism(types, seed)
    q0 = np.array([mechanism.random_configuration(rng) for _ in range(9)])
    qd0 = rng.normal(size=(9, mechanism.nv))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motions = lg.simulate(mechanism, 0.3, q0, qd0)
        for i in (0, 8):
            check_bits(motions, i, lg.simulate(mechanism, 0.3, q0[i], qd0[i]))


# -- events, limits, friction ----------------------------------------------------------------------------------------


def test_periods_of_pendulums() -> None:
    """A quarter of the period from amplitude a is sqrt(L/g) K(sin^2(a/2)): the first event is there."""
    amplitudes = np.linspace(0.1, 3.0, 50)
    mechanism = lg.library("pendulum")
    (down,) = mechanism.poses["hanging"]
    event = lg.Event(f"theta - {float(down)!r}", action="stop", name="down")
    motions = lg.simulate(mechanism, 20.0, q0=float(down) + amplitudes[:, None], events=event, keep="events")
    np.testing.assert_allclose(motions.t_end, np.sqrt(1.0 / G) * ellipk(np.sin(amplitudes / 2) ** 2), rtol=1e-7)
    assert all(status is lg.Status.STOPPED_BY_EVENT for status in motions.status)
    assert [motions.events[i][0].name for i in range(50)] == ["down"] * 50


def test_events_are_those_of_single_runs(two_r: lg.Mechanism) -> None:
    q0 = starts(30)
    events = [lg.Event("theta2", name="straight"), lg.Event("qd_theta1 - 2", action="stop", name="fast")]
    motions = lg.simulate(two_r, 3.0, q0, events=events, keep="events")
    stopped = 0
    for i in range(0, 30, 5):
        alone = lg.simulate(two_r, 3.0, q0[i], events=events)
        check_bits(motions, i, alone)
        assert [(e.name, e.t) for e in motions.events.get(i, [])] == [(e.name, e.t) for e in alone.events]
        stopped += alone.status is lg.Status.STOPPED_BY_EVENT
    assert stopped


def test_limits_and_friction() -> None:
    """What needs Python on the way is made one at a time: falling onto a stop, and coming to rest."""
    bouncing = slider(1.0, gravity=(-G, 0, 0), limits=lg.JointLimits(0.0, 10.0))
    heights = np.linspace(0.5, 2.0, 6)[:, None]
    motions = lg.simulate(bouncing, 1.5, heights, restitution=0.5, keep="events")
    for i in (0, 5):
        check_bits(motions, i, lg.simulate(bouncing, 1.5, heights[i], restitution=0.5))
        assert motions.events[i][0].t == pytest.approx(math.sqrt(2 * heights[i, 0] / G), rel=1e-9)
    rubbing = slider(1.0, friction=lg.Friction(coulomb=2.0))
    speeds = np.linspace(0.5, 3.0, 6)[:, None]
    motions = lg.simulate(rubbing, 5.0, np.zeros((6, 1)), speeds)
    np.testing.assert_allclose(motions.q_end[:, 0], speeds[:, 0] ** 2 / 4, rtol=1e-8)  # v^2 m / (2 F)
    check_bits(motions, 5, lg.simulate(rubbing, 5.0, [0.0], speeds[5]))


def test_python_functions_are_asked_one_at_a_time(two_r: lg.Mechanism) -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [5.0 * math.sin(t), 0.0]

    q0 = starts(3)
    motions = lg.simulate(two_r, 0.5, q0, torque=torque)
    check_bits(motions, 2, lg.simulate(two_r, 0.5, q0[2], torque=torque))


# -- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_motion_that_cannot_begin_does_not_hold_up_the_others() -> None:
    four_bar = lg.library("four_bar")
    l2 = np.array([1.0, 0.01, 1.02]) * float(four_bar.parameters["l2"])
    with pytest.warns(lg.EndedEarlyWarning, match="motion 1 of 3 ended early"):
        motions = lg.simulate(four_bar, 0.5, parameters={"l2": l2})
    assert motions.success.tolist() == [True, False, True]
    assert motions.status[1] is lg.Status.FAILED
    assert np.isnan(motions.q_end[1]).all()
    with pytest.raises(lg.ArgumentError, match="motion 1 could not begin"):
        motions[1]
    assert "failed: 1" in motions.summary()


def test_another_structure_is_right(two_r: lg.Mechanism) -> None:
    y = np.array([0.1, 0.0, 0.2])
    motions = lg.simulate(two_r, 0.5, parameters={"link2.center.y": y})
    for i in range(3):
        check_bits(motions, i, lg.simulate(two_r.with_parameters({"link2.center.y": y[i]}), 0.5))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"q0": np.zeros((3, 3))}, "q0 has shape (3, 3); a row for each motion is needed, of 2 numbers: a0, a1"),
        (
            {"q0": np.zeros((3, 2)), "qd0": np.zeros((4, 2))},
            "qd0 has values for 4 motions, but q0 has values for 3; give as many",
        ),
        ({"q0": np.zeros((0, 2))}, "q0 is empty; at least one motion is needed"),
        ({"q0": [[0.0, np.nan]]}, "q0 has a number that is not finite, in motion 0"),
        ({"q0": {"a0": [1.0, 2.0], "b": 1.0}}, "q0: there is no coordinate 'b'"),
        ({"q0": {"a0": [[1.0, 2.0]]}}, "q0: 'a0' has shape (1, 2); a number for each motion is needed"),
        ({"torque": np.zeros((3, 4, 2))}, "torque has shape (3, 4, 2)"),
        ({"parameters": {"l7": [1.0, 2.0]}}, "there is no parameter 'l7'"),
        ({"q0": np.zeros((3, 2)), "keep": "middle"}, "keep: there is no quantity 'middle'"),
        ({"q0": np.zeros((3, 2)), "threads": 0}, "threads is 0"),
        ({"q0": np.zeros((1_000_000, 2)), "keep": "rows"}, "keep: 1001 rows of 1000000 motions take 32 GB"),
        ({"q0": [0.0, 0.0], "keep": "rows"}, "keep applies to many motions only, and this is one"),
    ],
)
def test_bad_shapes(arm: lg.Dynamics, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(lg.LagrangianError) as error:
        lg.simulate(arm, 1.0, **arguments)
    assert said in str(error.value)


def test_what_was_not_kept_is_reported(arm: lg.Dynamics) -> None:
    motions = lg.simulate(arm, 0.1, np.zeros((2, 2)))
    for name in ("q", "events"):
        with pytest.raises(lg.ArgumentError, match="were kept"):
            getattr(motions, name)
    with pytest.raises(IndexError):
        motions[2]


def test_progress_and_interrupt(two_r: lg.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.motion import many

    messages: list[tuple[float, float]] = []
    lg.simulate(two_r, 1.0, starts(20), progress=lambda done, total: messages.append((done, total)))
    assert messages[-1] == (20.0, 20.0)
    monkeypatch.setattr(many, "CHUNK", 10)

    def stop(done: float, total: float) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.warns(lg.EndedEarlyWarning, match="interrupted"):
        motions = lg.simulate(two_r, 1.0, starts(40), progress=stop, threads=1)
    assert 10 <= motions.success.sum() < 40
    assert np.isfinite(motions.q_end[motions.success]).all()


def test_statistics_are_those_of_numpy(arm: lg.Dynamics) -> None:
    motions = lg.simulate(arm, 0.1, np.random.default_rng(0).normal(size=(40, 2)))
    known = motions.statistics()
    np.testing.assert_allclose(known["mean"][:2], motions.q_end.mean(axis=0))
    np.testing.assert_allclose(known["0.5"][2:], np.median(motions.qd_end, axis=0))
    np.testing.assert_allclose(motions.statistics(motions.t_end)["max"], 0.1)
    assert "40 of 0 to 0.1 s" in repr(motions)


def test_extremes_of_pendulums() -> None:
    """From rest at amplitude a: the speed at the bottom is 2 sqrt(g/L) sin(a/2), and the other side is as high."""
    mechanism = lg.library("pendulum")
    (down,) = map(float, mechanism.poses["hanging"])
    amplitudes = np.linspace(0.1, 3.0, 30)
    motion = lg.simulate(mechanism, 10.0, q0=down + amplitudes[:, None], keep="extremes", rtol=1e-10, atol=1e-12).extremes
    fastest, quarter = 2 * np.sqrt(G) * np.sin(amplitudes / 2), ellipk(np.sin(amplitudes / 2) ** 2) / np.sqrt(G)
    np.testing.assert_allclose(motion["qd_max"][:, 0], fastest, rtol=1e-8)
    np.testing.assert_allclose(motion["qd_min"][:, 0], -fastest, rtol=1e-8)
    np.testing.assert_allclose(motion["q_min"][:, 0], down - amplitudes, atol=1e-8)
    np.testing.assert_allclose(motion["q_max"][:, 0], down + amplitudes, atol=1e-8)
    turns = motion["t_q_min"][:, 0] / (2 * quarter)  # at odd halves of the period
    np.testing.assert_allclose(np.round(turns) % 2, 1)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-4)


@pytest.mark.slow
def test_extremes_of_steps_with_events_and_of_single_runs(two_r: lg.Mechanism) -> None:
    q0, events = starts(6), [lg.Event("theta2", name="straight"), lg.Event("qd_theta1 - 2", action="stop", name="fast")]
    motion = lg.simulate(two_r, 3.0, q0, events=events, keep="extremes").extremes
    alone = lg.simulate(two_r, 3.0, q0, events=events, keep="extremes", torque=lambda t, q, qd: [0.0, 0.0]).extremes
    for name, values in motion.items():
        np.testing.assert_allclose(values, alone[name], atol=1e-4 if name.startswith("t_") else 1e-9, err_msg=name)
    rows = lg.simulate(two_r, 3.0, q0[3], events=events, t_eval=3001)
    assert motion["q_max"][3] == pytest.approx(rows.q.max(axis=0), abs=1e-6)
    assert motion["qd_min"][3] == pytest.approx(rows.qd.min(axis=0), abs=1e-5)


def test_speeds_of_loops_are_found() -> None:
    """Given for the crank alone, the others follow; all are kept by the constraints."""
    four_bar = lg.library("four_bar")
    speeds = np.linspace(0.0, 2.0, 9)
    motions = lg.simulate(four_bar, 0.5, qd0={"theta1": speeds})
    assert np.abs(lg.compile(four_bar).constraint_rate(motions.q0, motions.qd0)).max() < 1e-14
    np.testing.assert_array_equal(motions.qd0[:, 0], speeds)
    for i in (0, 8):
        check_bits(motions, i, lg.simulate(four_bar, 0.5, qd0={"theta1": speeds[i]}))


def test_coordinates_of_a_batch_are_plotted(two_r: lg.Mechanism, tmp_path: Any) -> None:
    motions = lg.simulate(two_r, 1.0, starts(8), t_eval=21)
    figure = motions.plot(path=tmp_path / "many.png")
    assert (tmp_path / "many.png").stat().st_size > 1000
    assert len(figure.axes[0].lines) == 8 + 1  # and their median
    with pytest.raises(lg.ArgumentError, match="no coordinate 'elbow'"):
        motions.plot("elbow")


def test_samples_that_cannot_be_are_refused_by_their_parts() -> None:
    """A negative mass, an impossible inertia and a length that closes no loop fail by themselves; the others go on."""
    with pytest.warns(lg.EndedEarlyWarning, match="mass is -4.8 kg"):
        motion = lg.simulate("two_r", 0.2, parameters={"m2": np.array([12.0, -4.8, 11.0]), "I2": np.array([1.0, 1.0, 1.1])})
    assert [status is lg.Status.FAILED for status in motion.status] == [False, True, False]
    single = lg.simulate("two_r", 0.2, parameters={"m2": 11.0, "I2": 1.1})
    assert single.trajectory is not None
    assert np.array_equal(motion.q_end[2], single.trajectory.y[:2])  # the last row is interpolated: the same but for rounding
    with pytest.warns(lg.EndedEarlyWarning, match="inertia"):
        motion = lg.simulate("two_r", 0.2, parameters={"I1": np.array([1.0, -1.0])})
    assert motion.status[1] is lg.Status.FAILED


def test_brief_crossings_are_seen_and_events_cost_few_steps() -> None:
    """An oscillator beyond 0.999 of its amplitude, for a seventieth of its period each time: when is known exactly."""
    sprung = slider(2.0, spring=lg.JointSpring(8.0))
    beyond = lg.Event("x - 0.999", name="beyond")
    motions = lg.simulate(sprung, 200.0, q0=[[1.0], [1.0]], events=[beyond], keep="events")
    turns = np.arange(1, 65) * np.pi  # of the period pi: omega is 2
    half = math.acos(0.999) / 2
    exact = np.sort(np.concatenate([[half], turns - half, turns + half]))
    exact = exact[exact < 200.0]
    single = lg.simulate(sprung, 200.0, [1.0], events=[beyond])
    for happened in (motions.events[0], motions.events[1], single.events):
        np.testing.assert_allclose([e.t for e in happened], exact, atol=1e-4)
    short = lg.simulate(lg.library("two_r"), 2.0, events=[lg.Event("theta2", name="straight")])
    plain = lg.simulate(lg.library("two_r"), 2.0)
    assert short.statistics["accepted"] < 3 * plain.statistics["accepted"]
