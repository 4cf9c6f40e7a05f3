"""All branches of inverse kinematics: planar arms, and six joints with a spherical wrist."""

import json
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kinematics import screws, spherical_wrist
from lagrangian.kinematics.analytic import analytic_inverse_kinematics
from tests.kinematics.arms import X, Y, Z, apart, arm_with_wrist, pose, serial, unit
from tests.kinematics.branch_checks import (
    PUMA,
    holds,
    sound,
)

KINDS = [
    "general", "p12", "p23", "i12", "i23", "p12 i23", "i12 p23", "orthogonal", "orthogonal i12", "orthogonal i23", "euler",
    "i12 p23 euler", "mirrored", "i12 p23 euler mirrored",
]  # fmt: skip


# -- planar 2R --------------------------------------------------------------------------------------------------------


def test_circle_of_the_lecture():
    reference = json.loads((Path(__file__).parents[1] / "data" / "two_r.json").read_text())["reference"]
    up, down = analytic_inverse_kinematics(lg.library("two_r"), (1.4, 1.2), "tip")
    np.testing.assert_allclose(up, reference["elbow theta2>0"]["theta0"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(down, reference["elbow theta2<0"]["theta0"], rtol=0, atol=1e-14)


def test_a_triangle_of_3_4_and_5():
    """Links of 3 and 4, the tip 5 away: a right angle at the elbow, whose other angles have sines 3/5 and 4/5."""
    arm = serial([Z, Z], [(0, 0, 0), (3, 0, 0)], (7, 0, 0))
    q = analytic_inverse_kinematics(arm, (5, 0), "tip")
    np.testing.assert_allclose(q, [[-np.arcsin(0.8), np.pi / 2], [np.arcsin(0.8), -np.pi / 2]], rtol=0, atol=1e-15)
    for point in ((5, 0, 0), [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]):
        np.testing.assert_array_equal(analytic_inverse_kinematics(arm, point, "tip"), q)


@pytest.mark.parametrize("seed", range(20))
def test_parallel_axes_anywhere(seed):
    rng = np.random.default_rng(seed)
    w = unit(rng.normal(size=3))
    arm = serial([w, rng.choice([-1, 1]) * w], rng.normal(size=(2, 3)), rng.normal(size=3))
    for _ in range(10):
        q = rng.uniform(-np.pi, np.pi, 2)
        T = pose(arm, q)
        solutions = analytic_inverse_kinematics(arm, T, "tip")
        assert len(solutions) == 2
        assert min(apart(q, b) for b in solutions) < 1e-9
        assert max(np.abs(pose(arm, b)[:3, 3] - T[:3, 3]).max() for b in solutions) < 1e-13
        np.testing.assert_allclose(
            analytic_inverse_kinematics(arm, T[:2, 3], "tip"), solutions, rtol=0, atol=1e-9
        )  # z follows from the plane
        assert analytic_inverse_kinematics(arm, T[:3, 3] + 1e-6 * w, "tip") == []


def test_stretched_and_folded_arms_have_one_solution():
    arm = lg.library("two_r")
    for angle in np.linspace(-3, 3, 50):
        point = 2 * np.array([np.cos(angle), np.sin(angle)])
        (q,) = analytic_inverse_kinematics(arm, point, "tip")
        np.testing.assert_allclose(q, (angle, 0), rtol=0, atol=1e-14)
        assert analytic_inverse_kinematics(arm, point * (1 + 1e-8), "tip") == []
        assert len(analytic_inverse_kinematics(arm, point * (1 - 1e-8), "tip")) == 2
    unequal = serial([Z, Z], [(0, 0, 0), (1, 0, 0)], (1.4, 0, 0))
    (q,) = analytic_inverse_kinematics(unequal, (0.6, 0), "tip")
    np.testing.assert_allclose(q, (0, np.pi), rtol=0, atol=1e-14)
    assert analytic_inverse_kinematics(unequal, (0.59, 0), "tip") == []
    (q,) = analytic_inverse_kinematics(arm, (0, 0), "tip")  # any q1 will do
    np.testing.assert_allclose(q, (0, np.pi), rtol=0, atol=1e-14)


def test_a_tip_on_the_second_axis_or_two_axes_in_one_are_no_2r():
    assert analytic_inverse_kinematics(serial([Z, Z], [(0, 0, 0), (1, 0, 0)], (1, 0, 3)), (1, 0, 3), "tip") is None
    assert analytic_inverse_kinematics(serial([Z, Z], [(0, 0, 0), (0, 0, 1)], (1, 0, 3)), (1, 0, 3), "tip") is None
    assert analytic_inverse_kinematics(serial([Z, Y], [(0, 0, 0), (1, 0, 0)], (2, 0, 0)), (1, 0, 0), "tip") is None


# -- 6R with a spherical wrist -----------------------------------------------------------------------------------------


def test_puma_has_eight():
    dyn = lg.compile(PUMA)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (300, 6))
    for q0, T in zip(q, dyn.pose(q, "link6"), strict=True):
        solutions = analytic_inverse_kinematics(PUMA, T, "link6")
        assert len(solutions) == 8
        assert min(apart(q0, b) for b in solutions) < 1e-7
        assert np.abs(dyn.pose(np.array(solutions), "link6") - T).max() < 1e-12


def test_puma_as_published():
    """The two solutions the Robotics Toolbox prints for its nominal pose (`ikine6s`; Corke, Robotics, Vision and Control)."""
    solutions = analytic_inverse_kinematics(PUMA, pose(PUMA, PUMA.poses["qn"], "link6"), "link6")
    for printed in ([2.6486, -3.9270, 0.0940, 2.5326, 0.9743, 0.3734], [0, 0.7854, 3.1416, 0, 0.7854, 0]):
        assert min(apart(printed, b) for b in solutions) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_arms_of_every_geometry(kind):
    rng = np.random.default_rng(7)
    counts = set()
    for _ in range(20):
        arm = arm_with_wrist(kind, rng)
        counts |= {len(holds(arm, rng.uniform(-np.pi, np.pi, 6))) for _ in range(4)}
    assert max(counts) == 8
    if "i12 p23 euler" in kind:
        assert counts == {8}


@pytest.mark.parametrize("kind", ["general", "p12", "i12 p23", "i23 euler", "mirrored"])
def test_closed_form_alone(kind, monkeypatch):
    """Without Newton's steps: they may sharpen a solution, but must not be what finds it."""
    monkeypatch.setattr(screws, "MAX_STEPS", 0)
    monkeypatch.setattr(spherical_wrist, "MAX_STEPS", 0)
    monkeypatch.setattr(spherical_wrist, "POSE_TOLERANCE", 1e-7)
    rng = np.random.default_rng(3)
    for _ in range(20):
        arm, q = arm_with_wrist(kind, rng), rng.uniform(-np.pi, np.pi, 6)
        T = pose(arm, q)
        actual = sound(arm, T, analytic_inverse_kinematics(arm, T, "tip"), tolerance=1e-7)
        assert min(apart(q, b) for b in actual) < 1e-6


@pytest.mark.parametrize("rounding", [1e-3, 1e-5, 1e-6, 1e-8, 1e-12])
@pytest.mark.parametrize("kind", ["i12 p23 euler", "orthogonal i23", "p12 i23"])
def test_nearly_parallel_and_nearly_meeting_axes(kind, rounding):
    """A calibrated arm is never exactly what its drawing says."""
    rng = np.random.default_rng(11)
    for _ in range(8):
        arm = arm_with_wrist(kind, rng, rounding)
        for _ in range(3):
            holds(arm, rng.uniform(-np.pi, np.pi, 6))


@pytest.mark.parametrize("kind", ["general", "orthogonal", "p12", "i12 p23"])
def test_none_is_missing(kind):
    """The wrist's centre: Newton's method from 600 random starts finds as many different first three angles, and the same."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        arm, q0 = arm_with_wrist(kind, rng), rng.uniform(-np.pi, np.pi, 6)
        W = np.array([j.axis for j in arm.joints], dtype=float)
        P = np.cumsum([np.array(j.placement.position, dtype=float) for j in arm.joints], axis=0)
        centre = np.linalg.lstsq(np.vstack([np.eye(3) - np.outer(w, w) for w in W[3:]]),
                                 np.concatenate([p - w * (w @ p) for w, p in zip(W[3:], P[3:], strict=True)]))[0]  # fmt: skip

        def wrist_centre_and_jacobian(q, W=W, P=P, centre=centre):
            """Where the first three joints bring it, and the Jacobian, for rows of q."""
            x, J = np.broadcast_to(centre, (len(q), 3)), np.zeros((len(q), 3, 3))
            for k in (2, 1, 0):
                K = np.cross(np.eye(3), -W[k])
                R = np.eye(3) + np.sin(q[:, k, None, None]) * K + (1 - np.cos(q[:, k, None, None])) * K @ K
                J = R @ J
                x = P[k] + np.einsum("rij,rj->ri", R, x - P[k])
                J[:, :, k] = np.cross(W[k], x - P[k])
            return x, J

        target = wrist_centre_and_jacobian(q0[None])[0]
        q = rng.uniform(-np.pi, np.pi, (600, 3))
        for _ in range(60):
            x, J = wrist_centre_and_jacobian(q)
            step = np.einsum("rij,rj->ri", np.linalg.pinv(J, rcond=1e-10), target - x)
            q = q + step * np.minimum(1, 0.5 / np.maximum(1e-9, np.abs(step).max(axis=1, keepdims=True)))
        different = []
        for row in q[np.abs(wrist_centre_and_jacobian(q)[0] - target).max(axis=1) < 1e-10]:
            if all(apart(row, other) > 1e-5 for other in different):
                different.append(row)
        solver = spherical_wrist.SphericalWrist.from_chain(screws.serial_chain(arm, arm.frame("tip")))
        ours = [
            row
            for row in solver.arm.solve(tuple(target[0]))
            if np.abs(wrist_centre_and_jacobian(np.array([row]))[0] - target).max() < 1e-9
        ]
        assert len(ours) == len(different)
        assert all(min(apart(a, b) for b in ours) < 1e-7 for a in different)


def test_out_of_reach():
    T = pose(PUMA, PUMA.poses["qn"], "link6")
    for place in ((1.2, 0, 0.6), (0, 0, 0.67), (1e3, 0, 0), (0, 1e300, 0)):  # too far, inside the shoulder's offset, absurd
        T[:3, 3] = place
        assert analytic_inverse_kinematics(PUMA, T, "link6") == []
    # axes 4 and 5, and 5 and 6, at 45 degrees: axis 6 cannot be more than 90 degrees from axis 4
    tilted = unit(Z + X)
    arm = serial([Z, Y, Y, Z, tilted, Z], [0 * Z, Z, 2 * Z, 3 * Z, 3 * Z, 3 * Z], 3 * Z)
    T = pose(arm, (0.1, 0.4, 0.9, 0.3, 0.8, 0.2))
    assert len(analytic_inverse_kinematics(arm, T, "tip")) >= 2
    reachable = [
        bool(analytic_inverse_kinematics(arm, T @ lg.Transform.from_rpy(rpy=(angle, 0, 0)).matrix(), "tip"))
        for angle in np.arange(0, 6, 0.1)
    ]
    assert any(reachable)
    assert not all(reachable)
