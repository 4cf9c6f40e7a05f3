"""Given paths: what jumps, and what is no derivative, is said; what is smooth, however fast, is not."""

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("abs(t - 0.5)", "'a': its speed jumps from -1 to 1 at t = 0.5 s"),
        ("abs(t - 0.50321)", "'a': its speed jumps from -1 to 1 at t = 0.50321 s"),
        ("sign(t - 0.3)", "'a': its value jumps from -1 to 1 at t = 0.3 s"),
        ("1e-4*max(t, 1/3)", "'a': its speed jumps from 0 to 0.0001 at t = 0.333333 s"),
        ("sin(40*t) + min(t, 0.7)", "'a': its speed jumps from .* at t = 0.7 s"),
    ],
)
def test_formulas_that_jump(text, say):
    with pytest.raises(lg.ArgumentError, match=say):
        paths.formula({"b": "t", "a": text}, 1.0)
    with pytest.raises(lg.ArgumentError, match="'x': "):
        paths.formula({"x": text}, 1.0, frame="tip")


@pytest.mark.parametrize(
    "text",
    [
        "max(0, t - 0.3)**2",  # only its acceleration jumps
        "max(0, t - 0.3)**3",
        "sin(3000*t)",
        "1e6 + 1e-3*sin(t)",
        "tanh(1e4*(t - 0.3217))",
        "exp(-50*t)*sin(40*t)",
        "0.5",
        "t",
    ],
)
def test_formulas_that_do_not(text):
    for start in (0.0, -5.0, 1e4):
        actual = paths.formula({"a": text.replace("t - ", f"t - {start} - ")}, 10.0, start=start)
        assert (actual.start, actual.end) == (start, start + 10.0)


def wave(speed=1.0, acceleration=1.0):
    def values(t):
        x = t[:, None] * [1.0, 2.0]
        return np.sin(x), speed * np.cos(x) * [1.0, 2.0], -acceleration * np.sin(x) * [1.0, 4.0]

    return values


def test_functions_with_jumps_are_refused():
    paths.function(wave(), 3.0)
    paths.function(wave(), 3.0, start=100.0)
    for wrong in (2.0, 1.01, -1.0, 0.0):
        with pytest.raises(lg.ArgumentError, match=r"column [12]: qd is not the derivative of q: at t = .* and q changes by"):
            paths.function(wave(speed=wrong), 3.0)
        with pytest.raises(lg.ArgumentError, match=r"'[ab]': qdd is not the derivative of qd"):
            paths.function(wave(acceleration=wrong), 3.0, names=("a", "b"))


def test_rests_follow_rest():
    paths.dwell(paths.joint_line([0, 0], [1, 1], 1.0), 1.0)
    with pytest.raises(lg.ArgumentError, match="the path still moves at its end, with a speed of 1; "):
        paths.dwell(paths.line((0, 0), (1, 0), 1.0, timing="uniform"), 1.0)


def test_points_in_a_plane_do_not_lead_z():
    with pytest.raises(lg.ArgumentError, match=r"points \(x, y\), so it cannot lead z"):
        paths.line((0, 0), (1, 0), 1.0, directions=("x", "z"))
    assert paths.line((0, 0, 0), (1, 0, 0), 1.0, directions=("x", "z")).directions == ("x", "z")
