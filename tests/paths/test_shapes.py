"""Curves and orientations."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lagrangian as lg
from lagrangian import paths
from tests.paths.shapes import (
    POINTS,
    POSES,
    TURN,
    A,
    B,
    pose,
)

# -- curves ----------------------------------------------------------------------------------------------------------


def test_circles_have_their_radius_and_plane():
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
def test_arcs_pass_through_three_points(points, sweep):
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
    path = paths.interpolate(t + 3, q, names=("a", "b"))
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
    for value in (TURN.as_matrix(), pose((9, 9, 9), TURN), tuple(np.roll(TURN.as_quat(), 1))):
        path = paths.circle((0, 0, 0), 1.0, 1.0, orientation=value)
        T, velocity, _ = path(path.times(5))
        np.testing.assert_allclose(T[:, :3, :3], np.tile(TURN.as_matrix(), (5, 1, 1)), rtol=0, atol=1e-15)
        assert not velocity[:, :3].any()


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("ends", ["natural", "clamped", "periodic"])
def test_turning_passes_through_the_orientations(ends, degree):
    values = [*POSES, POSES[0]] if ends == "periodic" else POSES
    times = np.array([0, 0.5, 1.2, 2.0, 2.5][: len(values)])
    path = paths.spline(values, times=times, ends=ends, degree=degree)
    np.testing.assert_allclose(path(times)[0], values, rtol=0, atol=1e-13)
    if ends == "clamped":
        np.testing.assert_allclose(path(path.end)[1], 0, atol=1e-11)
    points, turns = [T[:3, 3] for T in values], [T[:3, :3] for T in values]
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
