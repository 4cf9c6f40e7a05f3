"""Paths: where and when they are, exact derivatives, limits kept and reached, orientations, joining, files."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lagrangian as lg
from lagrangian import paths

TIMINGS = ["quintic", "trapezoidal", "uniform"]
TURN = Rotation.from_rotvec((0.3, -0.8, 1.1))


def pose(position, rotation=None):
    T = np.eye(4)
    T[:3, 3] = position
    if rotation is not None:
        T[:3, :3] = rotation.as_matrix()
    return T


A, B = pose((0.1, 0.2, 0.3), Rotation.from_rotvec((0.2, 0.1, -0.4))), pose((0.6, -0.1, 0.5), TURN)
ROTATIONS = Rotation.from_rotvec([(0, 0, 0), (0.5, 0.1, 0), (0.7, 0.9, -0.2), (0.1, 1.4, 0.6)])
POSES = [pose(p, R) for p, R in zip([(0, 0, 0), (0.3, 0.1, 0), (0.5, 0.4, 0.2), (0.4, 0.8, 0.1)], ROTATIONS, strict=True)]
Q0, Q1 = np.array([0.1, -0.4, 0.7]), np.array([1.1, -0.9, 0.7])
POINTS = [(0, 0), (0.4, 0.3), (0.9, 0.1), (1.2, 0.6), (1.0, 1.0), (0.7, 0.9)]


def many():
    """Every way to make a path, with several timings."""
    for timing in TIMINGS:
        more = {"timing": timing}
        yield f"joint line, {timing}", paths.joint_line(Q0, Q1, 1.7, **more)
        yield f"joint spline, {timing}", paths.joint_spline([Q0, Q1, Q0 + 0.3, Q1 - 0.2], 1.7, **more)
        yield f"line, {timing}", paths.line((0.1, 0.2), (0.7, -0.4), 1.7, **more)
        yield f"line of poses, {timing}", paths.line(A, B, 1.7, **more)
        yield f"circle, {timing}", paths.circle((0.4, 0.1), 0.3, 1.7, turns=-0.8, **more)
        yield f"tilted circle, {timing}", paths.circle((0.4, 0.1, 2), 0.3, 1.7, normal=(1, 2, 3), orientation=(A, B), **more)
        yield f"arc, {timing}", paths.arc(A, (0.5, 0.5, 0.5), B, 1.7, **more)
        yield f"spline of poses, {timing}", paths.spline(POSES, 1.7, **more)
    for ends in ("natural", "clamped", "free", "periodic"):
        for degree in (3, 5):
            points = POINTS if ends != "periodic" else [*POINTS, POINTS[0]]
            yield f"{ends} spline of degree {degree}", paths.spline(points, 1.7, ends=ends, degree=degree)
    yield "spline at times", paths.spline(POSES, times=[1, 1.5, 2.5, 3])
    yield "joint spline at times", paths.joint_spline([Q0, Q1, Q0], times=[1, 1.5, 2.5], degree=5)
    yield "recorded", paths.recorded(np.arange(8) / 4, np.sin(np.outer(np.arange(8), (1, 2))))
    yield "formula of joints", paths.formula({"a": "k*sin(2*t)", "b": "exp(-t)/(1+t^2)"}, 1.7, parameters={"k": 0.3}, start=0.5)
    yield "formula of a frame", paths.formula({"y": "tanh(t)*sqrt(1+t)", "z": "atan2(t, 2) + t^2.5"}, 1.7, frame="tip", start=0.5)
    yield (
        "function",
        paths.function(lambda t: (np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None]), 1.7, names="a", start=0.5),
    )
    there = paths.line(A, B, 0.9)
    yield "sequence", paths.sequence(there, paths.dwell(there, 0.4), paths.line(B, A, 1.1, timing="trapezoidal"))


MANY = dict(many())


def differences(function, t, h=1e-4):
    """The derivative, of sixth order."""
    return sum(c * (function(t + k * h) - function(t - k * h)) for k, c in ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))) / h


def inner_times(path, rows=101):
    """Away from the ends, and from where accelerations jump."""
    t = np.linspace(path.start, path.end, rows + 2)[1:-1]
    edges = np.array([path.start, path.end, *path.breaks])
    return t[np.abs(t[:, None] - edges).min(axis=1) > 1e-3]


@pytest.mark.parametrize("name", MANY)
def test_derivatives(name):
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
    later = path.beginning(path.start + 10)
    assert later.end == pytest.approx(path.end + 10)
    np.testing.assert_allclose(later.breaks, np.add(path.breaks, 10), rtol=1e-14)
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
    assert path.breaks == (0.25, 1.75)
    v = 1 / 1.75
    x = [path(t)[0][0, 3] for t in (0.25, 1.0, 1.75)]
    np.testing.assert_allclose(x, [v * 0.125, 0.5, 1 - v * 0.125], rtol=1e-14)
    np.testing.assert_allclose([path(t)[2][3] for t in (0.1, 1.0, 1.9)], [v / 0.25, 0, -v / 0.25], rtol=1e-14)
    assert path(0.25)[2][3] == 0  # at a break, what comes after it
    assert path(1.75)[2][3] == pytest.approx(-v / 0.25)
    assert paths.line((0, 0), (1, 0), 2.0, timing="trapezoidal", ramp=1.0).breaks == (1.0,)
    assert paths.line((0, 0), (1, 0), 3.0, timing="trapezoidal").breaks == (1.0, 2.0)


# -- limits ----------------------------------------------------------------------------------------------------------


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
    t = np.concatenate([path.times(10001), path.breaks])
    _, qd, qdd = path(t)
    assert np.abs(qdd[:, 1]).max() == pytest.approx(0.3, rel=1e-12)
    if speed < 1:
        assert np.abs(qd).max(axis=0) == pytest.approx([0.1, 0.2], rel=1e-12)
    else:
        assert len(path.breaks) == 1


CURVED = {
    "circle": lambda **k: paths.circle((0.4, 0.1), 0.3, **k),
    "arc": lambda **k: paths.arc((0, 0, 0), (0.2, 0.3, 0.1), (0.7, 0, 0), **k),
    "spline": lambda **k: paths.spline(POINTS, **k),
    "joint_spline": lambda **k: paths.joint_spline([Q0, Q1, Q0 + 0.3, Q1 - 0.2], **k),
    "line_turning": lambda **k: paths.line(A, B, **k),
}


def largest(path):
    """Speeds and accelerations on the way, seen on a grid of its own."""
    t = np.unique(np.concatenate([path.times(200_001), path.breaks, np.nextafter(path.breaks, 0)]))
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


# -- curves ----------------------------------------------------------------------------------------------------------


def test_circles():
    path = paths.circle((1, 2), 0.5, 4.0, timing="uniform")
    assert path.directions == ("x", "y")
    for t, point in ((0, (1.5, 2)), (1, (1, 2.5)), (2, (0.5, 2)), (3, (1, 1.5)), (4, (1.5, 2))):  # anticlockwise about z
        np.testing.assert_allclose(path(t)[0][:2, 3], point, rtol=0, atol=1e-15)
    back = paths.circle((1, 2), 0.5, 4.0, timing="uniform", turns=-1, start=(0, 3))
    for t, point in ((0, (1, 2.5)), (1, (1.5, 2)), (2, (1, 1.5))):
        np.testing.assert_allclose(back(t)[0][:2, 3], point, rtol=0, atol=1e-15)
    tilted = paths.circle((1, 2, 3), 0.5, 4.0, normal=(2, -1, 2), turns=2.5)
    n = np.array([2, -1, 2]) / 3
    T, velocity, _ = tilted(tilted.times(101)[1:-1])
    out = T[:, :3, 3] - (1, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 0.5, rtol=1e-14)
    np.testing.assert_allclose(out @ n, 0, atol=1e-15)
    assert (np.cross(out, velocity[:, 3:]) @ n > 0).all()
    np.testing.assert_allclose(
        tilted(4.0)[0][:3, 3], tilted(0.8 * 4)[0][:3, 3] * 0 + 2 * np.array([1, 2, 3]) - tilted(0)[0][:3, 3]
    )
    about_x = paths.circle((0, 0, 0), 1, 1, normal=(1, 0, 0))
    np.testing.assert_allclose(about_x(0)[0][:3, 3], (0, 1, 0), atol=1e-15)


@pytest.mark.parametrize(
    ("points", "sweep"),
    [
        ([(1, 0), (0, 1), (-1, 0)], np.pi),
        ([(1, 0), (0, 1), (0, -1)], 1.5 * np.pi),  # the long way, since it is over (0, 1)
        ([(1, 0), (0, -1), (0, 1)], 1.5 * np.pi),
        ([(1, 0, 2), (math.cos(0.1), math.sin(0.1), 2), (0, 1, 2)], np.pi / 2),
    ],
)
def test_arcs(points, sweep):
    path = paths.arc(*points, 2.0, timing="uniform")
    places = path(path.times(2001))[0][:, :3, 3]
    np.testing.assert_allclose(places[0, : len(points[0])], points[0], atol=1e-14)
    np.testing.assert_allclose(places[-1, : len(points[0])], points[2], atol=1e-14)
    assert np.linalg.norm(places[:, : len(points[0])] - points[1], axis=1).min() < 2e-3
    np.testing.assert_allclose(np.linalg.norm(places[:, :2], axis=1), 1, rtol=1e-13)
    assert np.linalg.norm(path(0.3)[1][3:]) * 2 == pytest.approx(sweep, rel=1e-13)


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("ends", ["natural", "clamped", "free", "periodic"])
def test_splines_go_through_their_points(ends, degree):
    points = np.array([*POINTS, POINTS[0]] if ends == "periodic" else POINTS)
    times = np.array([0.5, 0.8, 1.3, 1.5, 2.2, 2.9, 3.1][: len(points)])
    path = paths.joint_spline(points, times=times, ends=ends, degree=degree)
    assert (path.start, path.end) == (times[0], times[-1])
    np.testing.assert_allclose(path(times)[0], points, rtol=0, atol=1e-13)
    frame = paths.spline(points, times=times, ends=ends, degree=degree)
    np.testing.assert_allclose(frame(times)[0][:, :2, 3], points, rtol=0, atol=1e-13)
    np.testing.assert_allclose(frame(1.9)[1][3:5], path(1.9)[1], rtol=0, atol=1e-12)
    (_, v0, a0), (_, v1, a1) = path(path.start), path(path.end)
    if ends == "natural":
        np.testing.assert_allclose([a0, a1], 0, atol=1e-10)
    if ends == "clamped":
        np.testing.assert_allclose([v0, v1], 0, atol=1e-11)
        if degree == 5:
            np.testing.assert_allclose([a0, a1], 0, atol=1e-9)
    if ends == "periodic":
        np.testing.assert_allclose([v0, a0], [v1, a1], atol=1e-9)
    jump = [path(np.nextafter(t, 9))[2] - path(np.nextafter(t, 0))[2] for t in times[1:-1]]
    np.testing.assert_allclose(jump, 0, atol=1e-8)  # continuous accelerations


def test_recorded_rows_are_met_and_polynomials_are_exact():
    t = np.array([0.0, 0.3, 0.5, 1.1, 1.2, 1.9, 2.4])
    q = np.stack([1 + t - 2 * t**5, t**4], axis=1)
    path = paths.recorded(t + 3, q, names=("a", "b"))
    s = np.linspace(0, 2.4, 50)
    np.testing.assert_allclose(path(s + 3)[0], np.stack([1 + s - 2 * s**5, s**4], axis=1), rtol=0, atol=1e-11)
    np.testing.assert_allclose(path(s + 3)[2], np.stack([-40 * s**3, 12 * s**2], axis=1), rtol=0, atol=1e-8)
    assert path.names == ("a", "b")


def test_names_and_mappings():
    arm = lg.library("two_r")
    path = paths.joint_line({"theta2": 1.0, "theta1": 2.0}, {"theta1": 3.0, "theta2": 5.0}, 1.0)
    assert path.names == ("theta2", "theta1")
    np.testing.assert_allclose(path(1.0)[0], [5, 3])
    named = paths.joint_line("zero", "upright", 1.0, mechanism=arm)
    np.testing.assert_allclose(named(1.0)[0], [float(x) for x in arm.poses["upright"]])
    through = paths.joint_spline([{"a": 0, "b": 1}, {"b": 3, "a": 1}], 1.0)
    assert through.names == ("a", "b")
    np.testing.assert_allclose(through(1.0)[0], [1, 3])


# -- orientations ----------------------------------------------------------------------------------------------------


def test_slerp_turns_about_one_axis_at_one_speed():
    path = paths.line(A, B, 2.0, timing="uniform")
    assert path.directions == ("wx", "wy", "wz", "x", "y", "z")
    turn = Rotation.from_matrix(B[:3, :3] @ A[:3, :3].T).as_rotvec()
    T, velocity, acceleration = path(path.times(11))
    np.testing.assert_allclose(T[[0, -1]], [A, B], rtol=0, atol=1e-15)
    np.testing.assert_allclose(velocity[:, :3], np.tile(turn / 2, (11, 1)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(acceleration[:, :3], 0, atol=1e-15)
    for k, s in enumerate(np.linspace(0, 1, 11)):
        np.testing.assert_allclose(T[k, :3, :3], Rotation.from_rotvec(s * turn).as_matrix() @ A[:3, :3], rtol=0, atol=1e-14)


def test_slerp_takes_the_short_way():
    q = np.array([math.cos(0.2), 0, 0, math.sin(0.2)])
    for sign in (1, -1):
        path = paths.line((0, 0, 0), (1, 0, 0), 1.0, timing="uniform", orientation=((1, 0, 0, 0), tuple(sign * q)))
        np.testing.assert_allclose(path(0.5)[1][:3], (0, 0, 0.4), rtol=0, atol=1e-15)


def test_an_orientation_to_keep():
    for given in (TURN.as_matrix(), pose((9, 9, 9), TURN), tuple(np.roll(TURN.as_quat(), 1))):
        path = paths.circle((0, 0, 0), 1.0, 1.0, orientation=given)
        T, velocity, _ = path(path.times(5))
        np.testing.assert_allclose(T[:, :3, :3], np.tile(TURN.as_matrix(), (5, 1, 1)), rtol=0, atol=1e-15)
        assert not velocity[:, :3].any()


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("ends", ["natural", "clamped", "periodic"])
def test_turning_passes_through_the_orientations(ends, degree):
    given = [*POSES, POSES[0]] if ends == "periodic" else POSES
    times = np.array([0, 0.5, 1.2, 2.0, 2.5][: len(given)])
    path = paths.spline(given, times=times, ends=ends, degree=degree)
    np.testing.assert_allclose(path(times)[0], given, rtol=0, atol=1e-13)
    if ends == "clamped":
        np.testing.assert_allclose(path(path.end)[1], 0, atol=1e-11)
    points, turns = [T[:3, 3] for T in given], [T[:3, :3] for T in given]
    again = paths.spline(points, times=times, ends=ends, degree=degree, orientations=turns)
    np.testing.assert_allclose(again(1.0)[0], path(1.0)[0], rtol=0, atol=1e-14)


def test_a_periodic_turn_that_is_rounded():
    """The last orientation may be the first with the rounding of a file."""
    last = pose((0, 0, 0), Rotation.from_rotvec((0, 1e-8, 0)))
    path = paths.spline([*POSES, last], 1.0, ends="periodic", timing="uniform")
    np.testing.assert_allclose(path(1.0)[1], path(0.0)[1], rtol=0, atol=1e-9)


def test_directions_left_free():
    path = paths.line(A, B, 1.0, directions=("x", "z", "wy"), frame="tip")
    assert path.directions == ("x", "z", "wy")
    assert path.frame == "tip"


# -- joining ---------------------------------------------------------------------------------------------------------


def test_a_sequence():
    first = paths.joint_line([0, 0], [1, 2], 1.0, timing="trapezoidal").beginning(5.0)
    rest = paths.dwell(first, 0.5)
    assert (rest.start, rest.end) == (6.0, 6.5)
    whole = paths.sequence(first, rest, paths.joint_line([1, 2], [0, 3], 2.0))
    assert (whole.start, whole.end) == (5.0, 8.5)
    np.testing.assert_allclose(whole.breaks, [5 + 1 / 3, 5 + 2 / 3, 6, 6.5], rtol=1e-15)
    np.testing.assert_allclose(whole([5, 6, 6.25, 7.5, 8.5])[0], [[0, 0], [1, 2], [1, 2], [0.5, 2.5], [0, 3]], atol=1e-15)
    np.testing.assert_allclose(whole([6.0, 6.2, 6.5])[1:], 0, atol=1e-15)
    assert paths.sequence([first, rest]).end == 6.5
    np.testing.assert_allclose(whole(5.2)[2], first(5.2)[2])


def test_moving_paths_join_where_place_and_speed_agree():
    a = paths.line((0, 0), (1, 0), 1.0, timing="uniform")
    b = paths.circle((1, 1), 1.0, 2 * math.pi, start=(0, -1), timing="uniform")  # on with speed 1 along x
    path = paths.sequence(a, b)
    assert path.breaks == (1.0,)
    np.testing.assert_allclose(path(1.0)[2][3:], (0, 1, 0), atol=1e-15)  # at a break, what comes after it
    np.testing.assert_allclose(path(np.nextafter(1.0, 0))[2][3:], 0, atol=1e-15)


def test_a_dwell_of_poses_keeps_the_orientation():
    rest = paths.dwell(paths.line(A, B, 1.0), 2.0)
    T, velocity, acceleration = rest(rest.times(3))
    np.testing.assert_allclose(T, np.tile(B, (3, 1, 1)), rtol=0, atol=1e-15)
    assert not velocity.any()
    assert not acceleration.any()


# -- formulas, files -------------------------------------------------------------------------------------------------


def test_formulas_know_parameters_and_absolute_time():
    path = paths.formula({"q": "a*t^2 + b", "r": 3, "s": "2*pi"}, 2.0, parameters={"a": 0.5, "b": np.float64(1)}, start=1.0)
    q, qd, qdd = path(3.0)
    np.testing.assert_allclose([q, qd, qdd], [[5.5, 3, 2 * np.pi], [3, 0, 0], [1, 0, 0]], rtol=1e-15)
    assert path.names == ("q", "r", "s")
    np.testing.assert_allclose(path.beginning(0.0)(2.0)[0], q)  # the same path, earlier


def test_functions_are_asked_at_the_paths_own_times():
    np.testing.assert_allclose(MANY["function"](0.5), [[np.sin(0.5)], [np.cos(0.5)], [-np.sin(0.5)]], rtol=1e-15)
    assert MANY["function"].names == ("a",)


def test_every_function_of_formulas():
    texts = ["sin(t)", "cos(t)", "tan(t)", "asin(t/3)", "acos(t/3)", "atan(t)", "exp(t)", "log(t)", "sqrt(t)", "tanh(t)",
             "atan2(t, 2)", "atan2(2, t)", "t^3", "t^-2", "t^0.5", "t^1.7", "2^t", "abs(t-9)", "max(t, 0.1)", "min(t^2, 9)",
             "-t/(1+t)", "sign(t)"]  # fmt: skip
    path = paths.formula({f"q{k}": text for k, text in enumerate(texts)}, 1.0, start=0.5)
    t = np.linspace(0.6, 1.4, 9)
    names = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "max": np.maximum, "min": np.minimum,
             **{n: getattr(np, n) for n in ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "abs", "sign")}}  # fmt: skip
    for k, text in enumerate(texts):
        value = eval(text.replace("^", "**"), {"t": t, **names})
        np.testing.assert_allclose(path(t)[0][:, k], value, rtol=1e-14)
    for order in (0, 1):
        np.testing.assert_allclose(differences(lambda s: path(s)[order], t), path(t)[order + 1], rtol=1e-8, atol=1e-9)  # noqa: B023


def test_csv_of_joints(tmp_path):
    t = np.linspace(2, 4, 41)
    q = np.stack([np.sin(t), np.cos(3 * t)], axis=1)
    for separator in (",", ";", "\t"):
        rows = [separator.join(map(repr, map(float, (a, *b)))) for a, b in zip(t, q, strict=True)]
        file = tmp_path / "path.csv"
        file.write_text("# recorded\n" + separator.join(["t", "theta1", " theta2"]) + "\n\n" + "\n".join(rows) + "\n")
        path = paths.read(file)
        assert path.names == ("theta1", "theta2")
        assert (path.start, path.end) == (2, 4)
        np.testing.assert_allclose(path(t)[0], q, rtol=0, atol=1e-14)
        np.testing.assert_allclose(path(3.013)[1], (np.cos(3.013), -3 * np.sin(9.039)), rtol=0, atol=1e-6)
        same = paths.recorded(t, q)
        np.testing.assert_array_equal(path(3.3)[2], same(3.3)[2])


def test_csv_of_a_frame(tmp_path):
    times = np.linspace(0, 1, 9)
    R = Rotation.from_rotvec(np.outer(times, (0.5, 1.0, -2.0)))
    q = np.roll(R.as_quat(), 1, axis=1) * np.where(np.arange(9) % 2, -1, 1)[:, None]  # either sign is the same turn
    rows = np.column_stack([times, times**2, 1 - times, q])
    file = tmp_path / "path.csv"
    np.savetxt(file, rows, delimiter=",", header="t,x,z,qw,qx,qy,qz", comments="", fmt="%.17g")
    path = paths.read(str(file), frame="tool")
    assert path.frame == "tool"
    assert path.directions == ("wx", "wy", "wz", "x", "z")
    T, velocity, _ = path(times)
    np.testing.assert_allclose(T[:, :3, :3], R.as_matrix(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(T[:, 0, 3], times**2, atol=1e-15)
    np.testing.assert_allclose(velocity[3, 3:], (2 * times[3], 0, -1), atol=1e-12)
    np.testing.assert_allclose(velocity[:, :3], np.tile((0.5, 1, -2), (9, 1)), rtol=0, atol=1e-3)
