"""Denavit-Hartenberg tables against products of 4x4 matrices written out here."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from lagrangian.errors import MechanismError
from lagrangian.model.dh import DHParameters
from lagrangian.model.joint import Friction, JointLimits, Rotor
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform

DATA = json.loads((Path(__file__).parents[1] / "data" / "puma560.json").read_text())


def rot_x(a):
    c, s = math.cos(a), math.sin(a)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def rot_z(a):
    c, s = math.cos(a), math.sin(a)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def shift(x, y, z):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def link_frames(rows, q, convention):
    """The frame of each link in the base, by the textbook product."""
    T, frames = np.eye(4), []
    for row, x in zip(rows, q, strict=True):
        theta = row.theta + (x if row.joint == "R" else 0)
        d = row.d + (x if row.joint == "P" else 0)
        if convention == "standard":
            T = T @ rot_z(theta) @ shift(0, 0, d) @ shift(row.a, 0, 0) @ rot_x(row.alpha)
        else:
            T = T @ rot_x(row.alpha) @ shift(row.a, 0, 0) @ rot_z(theta) @ shift(0, 0, d)
        frames.append(T)
    return frames


def model_frames(arm, q):
    """The frame of each body from the joints' placements: parent * placement * motion * child^-1."""
    T, frames = np.eye(4), []
    for joint, x in zip(arm.joints, q, strict=True):
        motion = rot_z(x) if joint.type == "revolute" else shift(0, 0, x)
        assert joint.axis == (0, 0, 1)
        T = T @ joint.placement.matrix() @ motion @ np.linalg.inv(joint.child_placement.matrix())
        frames.append(T)
    return frames


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_random_tables(convention, seed):
    rng = np.random.default_rng(seed)
    rows = [DHParameters("RP"[rng.integers(2)], *rng.uniform(-1.5, 1.5, 4).tolist()) for _ in range(6)]
    arm = Mechanism.from_dh(rows, convention=convention)
    q = rng.uniform(-2, 2, 6)
    for ours, theirs in zip(model_frames(arm, q), link_frames(rows, q, convention), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-14)


def puma_rows():
    p = DATA["parameters"]
    alpha = [{"pi/2": math.pi / 2, "-pi/2": -math.pi / 2, 0: 0}[a] for a in p["alpha"]]
    return [DHParameters(a=a, alpha=al, d=d) for a, al, d in zip(p["a"], alpha, p["d"], strict=True)]


def test_puma_forward_kinematics():
    """The pose at qn that the Robotics Toolbox's manual prints, to its four digits."""
    arm = Mechanism.from_dh(puma_rows(), convention="standard")
    T = model_frames(arm, [0, math.pi / 4, math.pi, 0, math.pi / 4, 0])[-1]
    assert T[:3, :3] == pytest.approx(np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), abs=1e-14)
    assert T[:3, 3] == pytest.approx([0.5963, -0.1501, 0.6575], abs=5.0001e-5)  # 0.15005 is printed as 0.1501


def test_right_angles_are_exact():
    """A twist of 90 degrees leaves whole numbers, not 6e-17."""
    arm = Mechanism.from_dh(puma_rows(), convention="standard")
    entries = {x for j in arm.joints for row in j.child_placement.rotation for x in row}
    assert entries <= {0, 1, -1}


def test_base_tool_and_names():
    base, tool = Transform.from_rpy((0, 0, 0.4), (0, 0, 1.0)), Transform(position=(0, 0, 0.1))
    rows = [{"joint": "R", "a": 1, "name": "shoulder", "link": "upper"}, {"joint": "P"}]
    arm = Mechanism.from_dh(rows, convention="modified", base=base, tool=tool, name="two", gravity=(0, -9.81, 0))
    assert arm.coordinate_names == ("shoulder", "q2")
    assert [x.name for x in arm.bodies] == ["upper", "link2"]
    assert arm.frame("tool").body == "link2"
    assert arm.gravity == (0, -9.81, 0)
    frames = model_frames(arm, [0.3, 0.2])
    expected = shift(0, 0, 0.4) @ rot_z(1.0) @ shift(1, 0, 0) @ rot_z(0.3)
    assert frames[0] == pytest.approx(expected, abs=1e-15)


def test_what_sits_at_the_joint_is_carried():
    row = {
        "mass": 2.0,
        "center": (0.1, 0, 0),
        "inertia": [[0.1, 0.01, 0], [0.01, 0.1, 0], [0, 0, 0.1]],
        "rotor": {"inertia": 1e-4, "ratio": -50},
        "friction": {"viscous": 0.1, "coulomb": 0.2, "coulomb_negative": 0.3},
        "limits": {"lower": -1, "upper": 1},
    }
    arm = Mechanism.from_dh([row], convention="standard")
    assert arm.bodies[0].inertia == (0.1, 0.01, 0, 0.1, 0, 0.1)
    assert arm.joints[0].rotor == Rotor(1e-4, -50)
    assert arm.joints[0].rotor.reflected_inertia == pytest.approx(0.25)
    assert arm.joints[0].friction == Friction(0.1, 0.2, 0.3)
    assert arm.joints[0].limits == JointLimits(-1, 1)


@pytest.mark.parametrize(
    ("rows", "convention", "message"),
    [
        ([DHParameters()], "craig", "'modified' .proximal: Craig"),
        ([DHParameters()], "Standard", "'standard' .distal"),
        ([DHParameters(joint="X")], "standard", "DH row 1: there is no joint 'X'"),
        ([{"alhpa": 1}], "standard", "DH row 1: there is no entry 'alhpa'. Did you mean 'alpha'"),
        ([DHParameters(), 3], "standard", "DH row 2: a row must be a DHParameters or a mapping"),
        ([{"a": math.nan}], "standard", "a is nan"),
        ([{"mass": 1, "inertia": (1, 2)}], "standard", "three principal values, a 3x3"),
        ([{"mass": 1, "inertia": [[1, 2, 0], [3, 1, 0], [0, 0, 1]]}], "standard", "not symmetric"),
    ],
)
def test_wrong_tables_are_refused(rows, convention, message):
    with pytest.raises(MechanismError, match=message):
        Mechanism.from_dh(rows, convention=convention)


def test_the_convention_has_no_default():
    with pytest.raises(MechanismError, match=r"convention is not given; name .* convention='standard'"):
        Mechanism.from_dh([DHParameters()])
