"""Paths one after the other, and paths from formulas and files."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from lagrangian import paths
from tests.paths.shapes import (
    MANY,
    A,
    B,
    differences,
)

# -- joining ---------------------------------------------------------------------------------------------------------


def test_a_sequence():
    first = paths.joint_line([0, 0], [1, 2], 1.0, timing="trapezoidal").with_start_time(5.0)
    rest = paths.dwell(first, 0.5)
    assert (rest.start, rest.end) == (6.0, 6.5)
    whole = paths.sequence(first, rest, paths.joint_line([1, 2], [0, 3], 2.0))
    assert (whole.start, whole.end) == (5.0, 8.5)
    np.testing.assert_allclose(whole.discontinuities, [5 + 1 / 3, 5 + 2 / 3, 6, 6.5], rtol=1e-15)
    np.testing.assert_allclose(whole([5, 6, 6.25, 7.5, 8.5])[0], [[0, 0], [1, 2], [1, 2], [0.5, 2.5], [0, 3]], atol=1e-15)
    np.testing.assert_allclose(whole([6.0, 6.2, 6.5])[1:], 0, atol=1e-15)
    assert paths.sequence([first, rest]).end == 6.5
    np.testing.assert_allclose(whole(5.2)[2], first(5.2)[2])


def test_moving_paths_join_where_place_and_speed_agree():
    a = paths.line((0, 0), (1, 0), 1.0, timing="uniform")
    b = paths.circle((1, 1), 1.0, 2 * math.pi, start=(0, -1), timing="uniform")  # on with speed 1 along x
    path = paths.sequence(a, b)
    assert path.discontinuities == (1.0,)
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
    np.testing.assert_allclose(path.with_start_time(0.0)(2.0)[0], q)  # the same path, earlier


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
        same = paths.interpolate(t, q)
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
