"""Paths: their derivatives, times and limits."""

import math

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths
from tests.paths.shapes import (
    MANY,
    POINTS,
    POSES,
    Q0,
    Q1,
    TIMINGS,
    A,
    B,
    differences,
)


def inner_times(path, rows=101):
    """Away from the ends, and from where accelerations jump."""
    t = np.linspace(path.start, path.end, rows + 2)[1:-1]
    edges = np.array([path.start, path.end, *path.discontinuities])
    return t[np.abs(t[:, None] - edges).min(axis=1) > 1e-3]


@pytest.mark.parametrize("name", MANY)
def test_speeds_and_accelerations_are_derivatives(name):
    path = MANY[name]
    t = inner_times(path)
    smooth = 1e-8 if "degree 3" not in name and "spline" not in name else 1e-4  # a spline's own derivatives jump at its knots
    if isinstance(path, paths.JointPath):
        for order in (0, 1):
            slopes = differences(lambda s: path(s)[order], t)  # noqa: B023
            assert np.median(np.abs(slopes - path(t)[order + 1])) < 1e-9
            np.testing.assert_allclose(slopes, path(t)[order + 1], rtol=0, atol=200 * smooth if order else smooth)
        return
    T, velocity, acceleration = path(t)
    np.testing.assert_allclose(np.swapaxes(T[:, :3, :3], 1, 2) @ T[:, :3, :3], np.tile(np.eye(3), (len(t), 1, 1)), atol=1e-14)
    Td = differences(lambda s: path(s)[0], t)
    spin = Td[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)  # R' R^T = w x
    np.testing.assert_allclose(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), velocity[:, :3], atol=smooth)
    np.testing.assert_allclose(Td[:, :3, 3], velocity[:, 3:], rtol=0, atol=smooth)
    change = differences(lambda s: path(s)[1], t)
    assert np.median(np.abs(change - acceleration)) < 1e-9
    np.testing.assert_allclose(change, acceleration, rtol=0, atol=200 * smooth)


@pytest.mark.parametrize("name", MANY)
def test_one_time_and_many(name):
    path = MANY[name]
    t = path.times(6)  # none of which is a break
    assert (t[0], t[-1]) == (path.start, path.end)
    for k, whole in enumerate(path(t)):
        np.testing.assert_array_equal(np.array([path(float(x))[k] for x in t]), whole)
    assert all(len(x) == 0 for x in path([]))
    later = path.with_start_time(path.start + 10)
    assert later.end == pytest.approx(path.end + 10)
    np.testing.assert_allclose(later.discontinuities, np.add(path.discontinuities, 10), rtol=1e-14)
    for a, b in zip(path(t), later(t + 10), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11)
    assert repr(path).startswith(("<JointPath", "<CartesianPath"))


@pytest.mark.parametrize("timing", ["quintic", "trapezoidal"])
def test_from_rest_to_rest(timing):
    path = paths.joint_line(Q0, Q1, 2.0, timing=timing)
    for t, q in ((0.0, Q0), (1.0, (Q0 + Q1) / 2), (2.0, Q1)):
        np.testing.assert_allclose(path(t)[0], q, rtol=0, atol=1e-15)
    for t in (0.0, 2.0):
        np.testing.assert_allclose(path(t)[1], 0, atol=1e-15)
        if timing == "quintic":
            np.testing.assert_allclose(path(t)[2], 0, atol=1e-14)


def test_uniform_has_one_speed():
    path = paths.line((0, 0, 0), (1, 2, 2), 1.5, timing="uniform")
    T, velocity, acceleration = path(path.times(5))
    np.testing.assert_allclose(T[:, :3, 3], np.linspace(0, 1, 5)[:, None] * (1, 2, 2), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(velocity[:, 3:], axis=1), 2, rtol=1e-15)
    assert not acceleration.any()


def test_a_trapezoids_ramp():
    path = paths.line((0, 0), (1, 0), 2.0, timing="trapezoidal", ramp=0.25)
    assert path.discontinuities == (0.25, 1.75)
    v = 1 / 1.75
    x = [path(t)[0][0, 3] for t in (0.25, 1.0, 1.75)]
    np.testing.assert_allclose(x, [v * 0.125, 0.5, 1 - v * 0.125], rtol=1e-14)
    np.testing.assert_allclose([path(t)[2][3] for t in (0.1, 1.0, 1.9)], [v / 0.25, 0, -v / 0.25], rtol=1e-14)
    assert path(0.25)[2][3] == 0  # at a break, what comes after it
    assert path(1.75)[2][3] == pytest.approx(-v / 0.25)
    assert paths.line((0, 0), (1, 0), 2.0, timing="trapezoidal", ramp=1.0).discontinuities == (1.0,)
    assert paths.line((0, 0), (1, 0), 3.0, timing="trapezoidal").discontinuities == (1.0, 2.0)


@pytest.mark.parametrize(
    ("timing", "speed", "acceleration", "duration"),
    [
        ("trapezoidal", 0.5, 1.0, 2 / 0.5 + 0.5 / 1.0),  # length 2
        ("trapezoidal", 10.0, 2.0, 2 * math.sqrt(2 / 2.0)),  # a triangle
        ("trapezoidal", None, 2.0, 2 * math.sqrt(2 / 2.0)),
        ("trapezoidal", 0.8, 0.5, 2 / 0.8 + 0.8 / 0.5),
        ("trapezoidal", 6.0, 8.0, 2 * math.sqrt(2 / 8.0)),
        ("quintic", 0.5, None, 15 / 8 * 2 / 0.5),
        ("quintic", None, 2.0, math.sqrt(10 / math.sqrt(3) * 2 / 2.0)),
        ("uniform", 0.5, None, 4.0),
    ],
)
def test_the_quickest_line(timing, speed, acceleration, duration):
    """Against the closed forms of Biagiotti and Melchiorri, chapter 3."""
    cartesian = paths.line((1, 1, 1), (1 + 4 / 3, 1 + 4 / 3, 1 + 2 / 3), speed=speed, acceleration=acceleration, timing=timing)
    joint = paths.joint_line([0, 1], [2, 0], speed=speed, acceleration=acceleration, timing=timing)
    assert cartesian.duration == pytest.approx(duration, rel=1e-14)
    assert joint.duration == pytest.approx(duration, rel=1e-14)


@pytest.mark.parametrize("speed", [0.4, 1e9])
def test_of_each_joint_the_slowest_counts(speed):
    path = paths.joint_line([0, 0], [1, 2], speed=[speed, 0.5 * speed], acceleration=[9e9, 0.3], timing="trapezoidal")
    t = np.concatenate([path.times(10001), path.discontinuities])
    _, qd, qdd = path(t)
    assert np.abs(qdd[:, 1]).max() == pytest.approx(0.3, rel=1e-12)
    if speed < 1:
        assert np.abs(qd).max(axis=0) == pytest.approx([0.1, 0.2], rel=1e-12)
    else:
        assert len(path.discontinuities) == 1


CURVED = {
    "circle": lambda **k: paths.circle((0.4, 0.1), 0.3, **k),
    "arc": lambda **k: paths.arc((0, 0, 0), (0.2, 0.3, 0.1), (0.7, 0, 0), **k),
    "spline": lambda **k: paths.spline(POINTS, **k),
    "joint_spline": lambda **k: paths.joint_spline([Q0, Q1, Q0 + 0.3, Q1 - 0.2], **k),
    "line_turning": lambda **k: paths.line(A, B, **k),
}


def largest(path):
    """Speeds and accelerations on the way, seen on a grid of its own."""
    t = np.unique(np.concatenate([path.times(200_001), path.discontinuities, np.nextafter(path.discontinuities, 0)]))
    _, v, a = path(t)
    if isinstance(path, paths.JointPath):
        return np.abs(v).max(), np.abs(a).max()
    return np.linalg.norm(v[:, 3:], axis=1).max(), np.linalg.norm(a[:, 3:], axis=1).max()


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("curve", CURVED)
def test_limits_are_kept_and_reached(curve, timing):
    for limits in ({"speed": 0.4}, {"acceleration": 0.7}, {"speed": 0.4, "acceleration": 0.7}):
        if timing == "uniform" and curve == "line_turning" and "speed" not in limits:
            continue
        v, a = largest(CURVED[curve](timing=timing, **limits))
        parts = [v / limits.get("speed", np.inf), a / limits.get("acceleration", np.inf)]
        assert max(parts) < 1 + 1e-9
        assert max(parts) > 1 - 1e-4


def test_angular_limits_count_too():
    for limits, k in (({"angular_speed": 0.5}, 1), ({"angular_acceleration": 0.5}, 2)):
        path = paths.line(A, B, speed=100.0, **limits)
        assert np.linalg.norm(path(path.times(20001))[k][:, :3], axis=1).max() == pytest.approx(0.5, rel=1e-7)
    through = paths.spline(POSES, angular_speed=0.5)
    assert np.linalg.norm(through(through.times(20001))[1][:, :3], axis=1).max() == pytest.approx(0.5, rel=1e-6)


def test_the_mechanisms_speed_limits_hold():
    arm = lg.library("panda")
    path = paths.joint_line(np.zeros(7), np.ones(7), mechanism=arm, timing="uniform")
    assert path.duration == pytest.approx(1 / min(j.limits.speed for j in arm.joints))
    slower = paths.joint_line(np.zeros(7), np.ones(7), mechanism=arm, timing="uniform", speed=0.1)
    assert slower.duration == pytest.approx(10)
