"""Exciting paths: derivatives, limits, rest, and a condition number that is that of the regressor."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg


@pytest.fixture(scope="module")
def path() -> lg.FourierTrajectory:
    return lg.excitation_trajectory(lg.library("scara"), period=5.0, harmonics=4, periods=2, iterations=4)


def test_derivatives_are_exact(path: lg.FourierTrajectory) -> None:
    t, h = np.linspace(0.3, 9.7, 40), 1e-4
    (before, _, _), (q, qd, qdd), (after, _, _) = path(t - h), path(t), path(t + h)
    assert np.allclose((after - before) / (2 * h), qd, atol=1e-6)
    assert np.allclose((after - 2 * q + before) / h**2, qdd, atol=1e-5)
    one = path(1.25)
    assert all(x.shape == (4,) for x in one)
    assert np.array_equal(one[2], path(np.array([1.25]))[2][0])


def test_starts_and_ends_at_rest_and_repeats(path: lg.FourierTrajectory) -> None:
    (q, qd, qdd) = path(np.array([0.0, 5.0, 10.0]))
    assert np.abs(qd).max() < 1e-12
    assert np.abs(qdd).max() < 1e-12
    assert np.allclose(q, q[0], atol=1e-12)
    assert (path.start, path.end, path.period, path.harmonics) == (0.0, 10.0, 5.0, 4)


def test_without_rest_more_is_free() -> None:
    moving = lg.excitation_trajectory(lg.library("two_r"), rest=False, iterations=0)
    assert np.abs(moving(0.0)[1]).max() > 1e-3


def test_limits_are_kept_and_used() -> None:
    arm = lg.library("two_r")
    path = lg.excitation_trajectory(
        arm, period=4.0, q_limits=([-0.2, 1.0], [0.4, 2.0]), qd_limits=[0.7, 5.0], qdd_limits=3.0, iterations=3, seed=5
    )
    q, qd, qdd = path(np.linspace(0, 4, 20001))
    assert np.all(q >= [-0.2, 1.0])
    assert np.all(q <= [0.4, 2.0])
    assert np.all(np.abs(qd).max(axis=0) <= [0.7, 5.0])
    assert np.abs(qdd).max() <= 3.0
    used = [np.ptp(q, axis=0) / [0.6, 1.0], np.abs(qd).max(axis=0) / [0.7, 5.0], np.abs(qdd).max(axis=0) / 3.0]
    assert np.all(np.max(used, axis=0) > 0.98)


def test_limits_of_the_joints_count() -> None:
    arm = lg.library("panda")
    limits = [joint.limits for joint in arm.joints if joint.kind.nq]
    q, qd, _ = lg.excitation_trajectory(arm, iterations=0)(np.linspace(0, 10, 5001))
    assert np.all(q >= [x.lower for x in limits])
    assert np.all(q <= [x.upper for x in limits])
    assert np.all(np.abs(qd).max(axis=0) <= [min(x.speed, 1e9) for x in limits])


def test_condition_is_that_of_the_regressor_and_gets_smaller() -> None:
    """Against numpy's on the columns that the textbook's six parameters of a 2R arm have."""
    arm = lg.library("two_r")
    seen: list[tuple[int, int]] = []
    path = lg.excitation_trajectory(
        arm, friction=False, samples=50, iterations=10, progress=lambda *message: seen.append(message)
    )
    t = (np.arange(50) + 0.5) * 10 / 50
    Y = lg.compile(arm).regressor(*path(t)).reshape(100, 20)
    six = Y[:, [1, 2, 9, 11, 12, 19]]  # hx1, hy1, Izz1, hx2, hy2, Izz2
    assert path.condition == pytest.approx(np.linalg.cond(six / np.linalg.norm(six, axis=0)), rel=1e-6)
    assert path.condition < path.initial_condition
    assert seen == [(k + 1, 10) for k in range(len(seen))]
    assert 0 < len(seen) <= 10
    assert f"{path.initial_condition:.4g} before, {path.condition:.4g} after" in str(path)


def test_the_same_seed_gives_the_same_path() -> None:
    arm = lg.library("two_r")
    one, two, other = (lg.excitation_trajectory(arm, iterations=2, seed=seed)(3.0)[0] for seed in (1, 1, 2))
    assert np.array_equal(one, two)
    assert not np.allclose(one, other)


def test_an_interrupted_search_gives_the_best_so_far() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    path = lg.excitation_trajectory(lg.library("two_r"), progress=stop)
    assert path.condition <= path.initial_condition


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("two_r", {"period": 0}, "period is 0"),
        ("two_r", {"harmonics": 1}, "at least 2"),
        ("two_r", {"q_limits": 3}, "lower, upper"),
        ("two_r", {"q_limits": (1, 1)}, "the lower limit of theta1, 1, must be below"),
        ("two_r", {"qd_limits": [1, 2, 3]}, "qd_limits"),
        ("two_r", {"qdd_limits": -1}, "qdd_limits"),
        ("two_r", {"friction": "stribeck"}, "no kind 'stribeck'"),
        ("four_bar", {}, "has constraints"),
    ],
)
def test_what_is_wrong_is_reported(name: str, options: dict, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        lg.excitation_trajectory(lg.library(name), **options)


@pytest.mark.parametrize("harmonics", [2, 3])
def test_few_harmonics(harmonics: int) -> None:
    """Fewer numbers to vary than are varied at a time."""
    path = lg.excitation_trajectory("two_r", period=2.0, harmonics=harmonics, iterations=2)
    assert path.condition <= path.initial_condition
