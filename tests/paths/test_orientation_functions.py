"""Orientations as functions of time: Euler angles, quaternions and rotation matrices, by formulas and by Python functions."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian import paths
from lagrangian.cli.main import app
from lagrangian.model.rotation.euler import MOVING_SEQUENCES

ANGLES = {"alpha": "0.3 + 0.8*t", "beta": "0.4*sin(2*t)", "gamma": "0.5*t^2 - 0.2"}
T = np.array([0.2, 0.7, 1.1])


def orientation_at(t: float, name: str) -> Rotation:
    return Rotation.from_euler(name, [0.3 + 0.8 * t, 0.4 * np.sin(2 * t), 0.5 * t * t - 0.2])


@pytest.mark.parametrize("name", [*MOVING_SEQUENCES, "xyz", "zxz"])
def test_euler_angles_of_all_sequences(name: str) -> None:
    path = paths.formula({"x": "t^2", **ANGLES}, 2.0, frame="tool", euler=name)
    assert path.directions == ("wx", "wy", "wz", "x")
    pose, velocity, acceleration = path(T)
    for k, t in enumerate(T):
        assert pose[k, :3, :3] == pytest.approx(orientation_at(t, name).as_matrix(), abs=1e-14)

        def speed(at: float, h: float = 1e-4) -> np.ndarray:
            return (orientation_at(at + h, name) * orientation_at(at - h, name).inv()).as_rotvec() / (2 * h)

        assert velocity[k, :3] == pytest.approx(speed(t), abs=1e-7)
        assert acceleration[k, :3] == pytest.approx((speed(t + 1e-3) - speed(t - 1e-3)) / 2e-3, abs=1e-5)
    assert velocity[:, 3] == pytest.approx(2 * T)


def test_the_three_ways_say_the_same() -> None:
    """A turn by t^2 about (0, 3/5, 4/5), by its quaternion and by Rodrigues' matrix; and about z, by all three."""
    c, s, v = "cos(t^2)", "sin(t^2)", "(1 - cos(t^2))"
    matrix = {
        "r11": c,
        "r12": f"-0.8*{s}",
        "r13": f"0.6*{s}",
        "r21": f"0.8*{s}",
        "r22": f"0.36*{v} + {c}",
        "r23": f"0.48*{v}",
        "r31": f"-0.6*{s}",
        "r32": f"0.48*{v}",
        "r33": f"0.64*{v} + {c}",
    }
    by_matrix = paths.formula(matrix, 2.0, frame="tool")
    by_quaternion = paths.formula({"qw": "cos(t^2/2)", "qy": "0.6*sin(t^2/2)", "qz": "0.8*sin(t^2/2)"}, 2.0, frame="tool")
    for a, b in zip(by_matrix(T), by_quaternion(T), strict=True):
        assert a == pytest.approx(b, abs=1e-13)
    axis = np.array([0, 0.6, 0.8])
    assert by_matrix(T)[1][:, :3] == pytest.approx(np.outer(2 * T, axis), abs=1e-13)
    assert by_matrix(T)[2][:, :3] == pytest.approx(np.outer(np.full(3, 2.0), axis), abs=1e-13)
    assert by_matrix.directions == ("wx", "wy", "wz")
    angle = paths.formula({"alpha": "t^2"}, 2.0, frame="tool", euler="ZYX")
    about_z = paths.formula({"r11": c, "r12": f"-{s}", "r21": s, "r22": c, "r33": 1}, 2.0, frame="tool")
    for a, b in zip(angle(T), about_z(T), strict=True):
        assert a == pytest.approx(b, abs=1e-13)


def test_python_functions() -> None:
    names = ("x", "alpha", "beta", "gamma")

    def values(t: np.ndarray) -> tuple[np.ndarray, ...]:
        zero = np.zeros_like(t)
        q = np.stack([t**2, 0.3 + 0.8 * t, 0.4 * np.sin(2 * t), 0.5 * t**2 - 0.2], axis=1)
        qd = np.stack([2 * t, 0.8 + zero, 0.8 * np.cos(2 * t), t], axis=1)
        return q, qd, np.stack([2 + zero, zero, -1.6 * np.sin(2 * t), 1 + zero], axis=1)

    path = paths.function(values, 2.0, names=names, frame="tool", euler="ZXZ", start=0.1)
    formula = paths.formula({"x": "t^2", **ANGLES}, 2.0, frame="tool", euler="ZXZ", start=0.1)
    for a, b in zip(path(T), formula(T), strict=True):
        assert a == pytest.approx(b, abs=1e-13)
    with pytest.raises(lg.ArgumentError, match="needs a name for every column"):
        paths.function(values, 2.0, frame="tool", euler="ZXZ")
    with pytest.raises(lg.ArgumentError, match="qd is not the derivative of q"):
        paths.function(lambda t: (values(t)[0], values(t)[0], values(t)[2]), 2.0, names=names, frame="tool", euler="ZXZ")


MISTAKES = {
    "not of length one": (
        {"qw": "cos(t)", "qx": "sin(2*t)"},
        None,
        r"a quaternion, is not a rotation at t = 0\.0\d+ s: its length",
    ),
    "stretched": (
        {"r11": 1, "r22": 1, "r33": "1 + 0.1*t"},
        None,
        r"a rotation matrix, is not a rotation at t = 0\.002 s: its rows are not perpendicular",
    ),
    "entries missing": ({"r11": "cos(t)"}, None, r"not a rotation at t = 0 s"),
    "mirrored": ({"r11": 1, "r22": 1, "r33": -1}, None, r"not a rotation at t = 0 s: its columns are left-handed"),
    "no sequence": ({"alpha": "t"}, None, "their sequence is needed, such as euler='ZYX'"),
    "no angles": ({"qw": 1}, "ZYX", "none of these angles is given"),
    "two ways": ({"qw": 1, "alpha": "t"}, "ZYX", "by Euler angles and by a quaternion; give only one"),
    "unknown sequence": ({"alpha": "t"}, "ZZY", "euler is 'ZZY'; one of XYX, XYZ"),
    "unknown name": ({"r14": "t"}, None, "there is no direction 'r14'"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_wrong_formulas_are_refused(name: str) -> None:
    texts, angles, expected = MISTAKES[name]
    with pytest.raises(lg.ArgumentError, match=expected):
        paths.formula(texts, 2.0, frame="tool", euler=angles)


def test_joints_have_no_sequence() -> None:
    with pytest.raises(lg.ArgumentError, match="a path of joints has none"):
        paths.formula({"alpha": "t"}, 1.0, euler="ZYX")
    assert paths.formula({"alpha": "t"}, 1.0).names == ("alpha",)  # a joint may be called so


def test_a_gimbal_follows_its_own_angles() -> None:
    """Inverse kinematics finds the joints that the formulas say, and inverse dynamics their torques."""
    body = lg.Body("body", mass=2.0, center=(0.1, -0.2, 0.15), inertia=(0.3, 0.4, 0.5))
    joint = lg.Joint("turn", "gimbal", "ground", "body", axis=(0, 0, 1), axis2=(0, 1, 0), axis3=(1, 0, 0))
    gimbal = lg.Mechanism("gimbal", (body,), (joint,), gravity=(0.0, 0.0, -9.81))
    path = paths.formula(ANGLES, 1.0, frame="body", euler="ZYX")
    motion = lg.inverse(gimbal, path, "body", q0=[0.3, 0.0, -0.2], t_eval=11)
    joints = paths.formula({f"turn.{k}": text for k, text in enumerate(ANGLES.values(), 1)}, 1.0)
    q, qd, qdd = joints(motion.t)
    assert motion.q == pytest.approx(q, abs=1e-9)
    assert motion.tau == pytest.approx(lg.compile(gimbal).inverse_dynamics(q, qd, qdd), rel=1e-7, abs=1e-9)


def test_inverse_takes_formulas_of_angles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the motion is written beside
    run = CliRunner()
    x, y = lg.compile(lg.library("three_r")).pose([0.3, 0.6, 0.5], "tip")[:2, 3]
    arguments = ["inverse", "three_r", "--frame", "tip", "-t", "1", "--q0", "0.3,0.6,0.5", "--json"]
    led = ["--formula", "alpha=1.4 + 0.1*t", "--formula", f"x={x} - 0.01*t", "--formula", f"y={y} - 0.01*t", "--euler", "ZYX"]
    actual = run.invoke(app, [*arguments, *led])
    assert actual.exit_code == 0, actual.output
    assert json.loads(actual.output)
    wrong = run.invoke(app, ["inverse", "three_r", "--line", "0.5,0.5:0.6,0.6", "-t", "1", "--euler", "ZYX"])
    assert "--euler needs --formula" in wrong.output
