"""All branches of the arms that are solved in closed form, against forward kinematics written elsewhere and published values."""

import itertools
import json
import time
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import LagrangianError
from lagrangian.kinematics import screws, spherical_wrist, three_r
from lagrangian.kinematics.branches import branches, within_limits
from tests.kinematics.arms import X, Y, Z, apart, pose, serial, unit, upright, wristed

PUMA = lg.library("puma560")
KINDS = [
    "general", "p12", "p23", "i12", "i23", "p12 i23", "i12 p23", "orthogonal", "orthogonal i12", "orthogonal i23", "euler",
    "i12 p23 euler", "mirrored", "i12 p23 euler mirrored",
]  # fmt: skip


def sound(arm, T, found, frame="tip", tolerance=1e-11):
    """Each solution meets the pose, is within half a turn of zero, and differs from the others; they are in order."""
    for q in found:
        assert np.abs(pose(arm, q, frame) - T).max() < tolerance
        assert ((q > -np.pi) & (q <= np.pi)).all()
    for a, b in itertools.pairwise(found):
        first = np.flatnonzero(np.abs(a - b) > 1e-6)[0]
        assert a[first] < b[first]
    assert all(apart(a, b) > 1e-7 for a, b in itertools.combinations(found, 2))
    return found


def holds(arm, q, frame="tip"):
    """Solves the pose at q: the solutions are sound, and q is one of them."""
    T = pose(arm, q, frame)
    found = sound(arm, T, branches(arm, T, frame), frame)
    assert min(apart(q, b) for b in found) < 1e-6
    return found


# -- planar 2R --------------------------------------------------------------------------------------------------------


def test_circle_of_the_lecture():
    reference = json.loads((Path(__file__).parents[1] / "data" / "two_r.json").read_text())["reference"]
    up, down = branches(lg.library("two_r"), (1.4, 1.2), "tip")
    np.testing.assert_allclose(up, reference["elbow theta2>0"]["theta0"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(down, reference["elbow theta2<0"]["theta0"], rtol=0, atol=1e-14)


def test_a_triangle_of_3_4_and_5():
    """Links of 3 and 4, the tip 5 away: a right angle at the elbow, whose other angles have sines 3/5 and 4/5."""
    arm = serial([Z, Z], [(0, 0, 0), (3, 0, 0)], (7, 0, 0))
    q = branches(arm, (5, 0), "tip")
    np.testing.assert_allclose(q, [[-np.arcsin(0.8), np.pi / 2], [np.arcsin(0.8), -np.pi / 2]], rtol=0, atol=1e-15)
    for point in ((5, 0, 0), [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]):
        np.testing.assert_array_equal(branches(arm, point, "tip"), q)


@pytest.mark.parametrize("seed", range(20))
def test_parallel_axes_anywhere(seed):
    rng = np.random.default_rng(seed)
    w = unit(rng.normal(size=3))
    arm = serial([w, rng.choice([-1, 1]) * w], rng.normal(size=(2, 3)), rng.normal(size=3))
    for _ in range(10):
        q = rng.uniform(-np.pi, np.pi, 2)
        T = pose(arm, q)
        found = branches(arm, T, "tip")
        assert len(found) == 2
        assert min(apart(q, b) for b in found) < 1e-9
        assert max(np.abs(pose(arm, b)[:3, 3] - T[:3, 3]).max() for b in found) < 1e-13
        np.testing.assert_allclose(branches(arm, T[:2, 3], "tip"), found, rtol=0, atol=1e-9)  # z follows from the plane
        assert branches(arm, T[:3, 3] + 1e-6 * w, "tip") == []


def test_stretched_and_folded_arms_have_one_solution():
    arm = lg.library("two_r")
    for angle in np.linspace(-3, 3, 50):
        point = 2 * np.array([np.cos(angle), np.sin(angle)])
        (q,) = branches(arm, point, "tip")
        np.testing.assert_allclose(q, (angle, 0), rtol=0, atol=1e-14)
        assert branches(arm, point * (1 + 1e-8), "tip") == []
        assert len(branches(arm, point * (1 - 1e-8), "tip")) == 2
    unequal = serial([Z, Z], [(0, 0, 0), (1, 0, 0)], (1.4, 0, 0))
    (q,) = branches(unequal, (0.6, 0), "tip")
    np.testing.assert_allclose(q, (0, np.pi), rtol=0, atol=1e-14)
    assert branches(unequal, (0.59, 0), "tip") == []
    (q,) = branches(arm, (0, 0), "tip")  # any q1 will do
    np.testing.assert_allclose(q, (0, np.pi), rtol=0, atol=1e-14)


def test_a_tip_on_the_second_axis_or_two_axes_in_one_are_no_2r():
    assert branches(serial([Z, Z], [(0, 0, 0), (1, 0, 0)], (1, 0, 3)), (1, 0, 3), "tip") is None
    assert branches(serial([Z, Z], [(0, 0, 0), (0, 0, 1)], (1, 0, 3)), (1, 0, 3), "tip") is None
    assert branches(serial([Z, Y], [(0, 0, 0), (1, 0, 0)], (2, 0, 0)), (1, 0, 0), "tip") is None


# -- 6R with a spherical wrist -----------------------------------------------------------------------------------------


def test_puma_has_eight():
    dyn = lg.compile(PUMA)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (300, 6))
    for q0, T in zip(q, dyn.pose(q, "link6"), strict=True):
        found = branches(PUMA, T, "link6")
        assert len(found) == 8
        assert min(apart(q0, b) for b in found) < 1e-7
        assert np.abs(dyn.pose(np.array(found), "link6") - T).max() < 1e-12


def test_puma_as_published():
    """The two solutions the Robotics Toolbox prints for its nominal pose (`ikine6s`; Corke, Robotics, Vision and Control)."""
    found = branches(PUMA, pose(PUMA, PUMA.poses["qn"], "link6"), "link6")
    for printed in ([2.6486, -3.9270, 0.0940, 2.5326, 0.9743, 0.3734], [0, 0.7854, 3.1416, 0, 0.7854, 0]):
        assert min(apart(printed, b) for b in found) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_arms_of_every_geometry(kind):
    rng = np.random.default_rng(7)
    counts = set()
    for _ in range(20):
        arm = wristed(kind, rng)
        counts |= {len(holds(arm, rng.uniform(-np.pi, np.pi, 6))) for _ in range(4)}
    assert max(counts) == 8
    if "i12 p23 euler" in kind:
        assert counts == {8}


@pytest.mark.parametrize("kind", ["general", "p12", "i12 p23", "i23 euler", "mirrored"])
def test_closed_form_alone(kind, monkeypatch):
    """Without Newton's steps: they may sharpen a solution, but must not be what finds it."""
    monkeypatch.setattr(screws, "STEPS", 0)
    monkeypatch.setattr(three_r, "STEPS", 0)
    monkeypatch.setattr(spherical_wrist, "ACCEPT", 1e-7)
    rng = np.random.default_rng(3)
    for _ in range(20):
        arm, q = wristed(kind, rng), rng.uniform(-np.pi, np.pi, 6)
        T = pose(arm, q)
        found = sound(arm, T, branches(arm, T, "tip"), tolerance=1e-7)
        assert min(apart(q, b) for b in found) < 1e-6


@pytest.mark.parametrize("rounding", [1e-3, 1e-5, 1e-6, 1e-8, 1e-12])
@pytest.mark.parametrize("kind", ["i12 p23 euler", "orthogonal i23", "p12 i23"])
def test_nearly_parallel_and_nearly_meeting_axes(kind, rounding):
    """A calibrated arm is never exactly what its drawing says."""
    rng = np.random.default_rng(11)
    for _ in range(8):
        arm = wristed(kind, rng, rounding)
        for _ in range(3):
            holds(arm, rng.uniform(-np.pi, np.pi, 6))


@pytest.mark.parametrize("kind", ["general", "orthogonal", "p12", "i12 p23"])
def test_none_is_missing(kind):
    """The wrist's centre: Newton's method from 600 random starts finds as many different first three angles, and the same."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        arm, q0 = wristed(kind, rng), rng.uniform(-np.pi, np.pi, 6)
        W = np.array([j.axis for j in arm.joints], dtype=float)
        P = np.cumsum([np.array(j.placement.position, dtype=float) for j in arm.joints], axis=0)
        centre = np.linalg.lstsq(np.vstack([np.eye(3) - np.outer(w, w) for w in W[3:]]),
                                 np.concatenate([p - w * (w @ p) for w, p in zip(W[3:], P[3:], strict=True)]))[0]  # fmt: skip

        def reached(q, W=W, P=P, centre=centre):
            """Where the first three joints bring it, and the Jacobian, for rows of q."""
            x, J = np.broadcast_to(centre, (len(q), 3)), np.zeros((len(q), 3, 3))
            for k in (2, 1, 0):
                K = np.cross(np.eye(3), -W[k])
                R = np.eye(3) + np.sin(q[:, k, None, None]) * K + (1 - np.cos(q[:, k, None, None])) * K @ K
                J = R @ J
                x = P[k] + np.einsum("rij,rj->ri", R, x - P[k])
                J[:, :, k] = np.cross(W[k], x - P[k])
            return x, J

        target = reached(q0[None])[0]
        q = rng.uniform(-np.pi, np.pi, (600, 3))
        for _ in range(60):
            x, J = reached(q)
            step = np.einsum("rij,rj->ri", np.linalg.pinv(J, rcond=1e-10), target - x)
            q = q + step * np.minimum(1, 0.5 / np.maximum(1e-9, np.abs(step).max(axis=1, keepdims=True)))
        different = []
        for row in q[np.abs(reached(q)[0] - target).max(axis=1) < 1e-10]:
            if all(apart(row, other) > 1e-5 for other in different):
                different.append(row)
        solver = spherical_wrist.SphericalWrist.of(screws.chain(arm, arm.frame("tip")))
        ours = [row for row in solver.arm.solve(tuple(target[0])) if np.abs(reached(np.array([row]))[0] - target).max() < 1e-9]
        assert len(ours) == len(different)
        assert all(min(apart(a, b) for b in ours) < 1e-7 for a in different)


def test_out_of_reach():
    T = pose(PUMA, PUMA.poses["qn"], "link6")
    for place in ((1.2, 0, 0.6), (0, 0, 0.67), (1e3, 0, 0), (0, 1e300, 0)):  # too far, inside the shoulder's offset, absurd
        T[:3, 3] = place
        assert branches(PUMA, T, "link6") == []
    # axes 4 and 5, and 5 and 6, at 45 degrees: axis 6 cannot be more than 90 degrees from axis 4
    tilted = unit(Z + X)
    arm = serial([Z, Y, Y, Z, tilted, Z], [0 * Z, Z, 2 * Z, 3 * Z, 3 * Z, 3 * Z], 3 * Z)
    T = pose(arm, (0.1, 0.4, 0.9, 0.3, 0.8, 0.2))
    assert len(branches(arm, T, "tip")) >= 2
    reachable = [
        bool(branches(arm, T @ lg.Placement.from_rpy(rpy=(angle, 0, 0)).matrix(), "tip")) for angle in np.arange(0, 6, 0.1)
    ]
    assert any(reachable)
    assert not all(reachable)


# -- singular ----------------------------------------------------------------------------------------------------------


def test_aligned_wrist_gives_one_with_q4_zero():
    rng = np.random.default_rng(2)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[4] = 0
        T = pose(arm, q)
        found = sound(arm, T, branches(arm, T, "tip"))
        assert (
            len(found) == 6
        )  # two shoulders and two elbows; at one of the four the wrist is aligned, at another it is folded back
        aligned = [b for b in found if abs(np.sin(b[4])) < 1e-9]
        assert all(b[3] == 0 for b in aligned)
        own = min(aligned, key=lambda b: apart(b[:3], q[:3]))
        assert apart(own, [*q[:3], 0, 0, q[3] + q[5]]) < 1e-9


def test_stretched_elbow_counts_once():
    rng = np.random.default_rng(4)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[2] = 0
        assert len(holds(arm, q)) == 4
        q[4] = 0
        T = pose(arm, q)
        assert len(sound(arm, T, branches(arm, T, "tip"))) == 2


def test_wrist_above_the_shoulder():
    """The wrist's centre is on the first axis: any q1 will do, and 0 is taken."""
    rng = np.random.default_rng(6)
    arm = upright()
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        q[1] = -np.arctan2(0.4 * np.sin(q[2]), 0.5 + 0.4 * np.cos(q[2]))
        T = pose(arm, q)
        found = sound(arm, T, branches(arm, T, "tip"))
        assert len(found) == 4
        assert all(b[0] == 0 for b in found)


def test_every_quarter_turn():
    """All singularities together, at exact quarter turns: something is found, and it is sound."""
    for arm, frame in ((PUMA, "link6"), (upright(), "tip")):
        for quarters in itertools.islice(itertools.product((0, 1, 2, -1), repeat=6), 0, None, 37):
            T = pose(arm, np.array(quarters) * np.pi / 2, frame)
            assert sound(arm, T, branches(arm, T, frame), frame)


def test_all_zero_upright():
    (q,) = branches(upright(), pose(upright(), np.zeros(6)), "tip")
    np.testing.assert_allclose(q, 0, atol=1e-15)


# -- descriptions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_both_dh_conventions_with_base_and_tool(convention):
    half = np.pi / 2
    if convention == "standard":
        rows = [
            (0, half, 0.4, 0),
            (0.3, 0.2, 0.1, 1),
            (0.05, -half, 0, 0),
            (0, half, 0.35, 0.5),
            (0, -half, 0, 0),
            (0, 0, 0.1, 0),
        ]
    else:
        rows = [
            (0, 0, 0.4, 0),
            (0.1, -half, 0, 1),
            (0.3, 0.1, 0.1, 0),
            (0.05, -half, 0.35, 0),
            (0, half, 0, 0.5),
            (0, -half, 0, 0),
        ]
    table = [dict(zip(("a", "alpha", "d", "theta"), row, strict=True)) for row in rows]
    base = lg.Placement.from_rpy((1, 2, 3), (0.3, 0.2, 0.1))
    tool = lg.Placement.from_rpy((0.01, 0.02, 0.3), (1, 2, 3))
    arm = lg.Mechanism.from_dh(table, convention=convention, base=base, tool=tool)
    rng = np.random.default_rng(8)
    for _ in range(20):
        holds(arm, rng.uniform(-np.pi, np.pi, 6), "tool")


def test_rounded_urdf_with_fixed_joints_between(tmp_path):
    """Angles written as 1.5708: the wrist's axes only nearly meet; Newton's steps make up for it."""
    places = [("0 0 0.3", "0 0 0"), ("0 0.1 0", "-1.5708 0 0"), ("0.5 0 0", "0 0 0.3"), ("0.02 0 0.2", "1.5708 0 0"),
              ("0 0 0.2", "-1.5708 0 0"), ("0 0 0", "1.5708 0 0")]  # fmt: skip
    links, joints = ['<link name="base"/>'], []
    parent = "base"
    for k, (xyz, rpy) in enumerate(places):
        links += [f'<link name="flange{k}"/>', f'<link name="l{k}"/>']
        joints += [
            f'<joint name="f{k}" type="fixed"><parent link="{parent}"/><child link="flange{k}"/><origin xyz="0 0 0.01"/></joint>'
            if k < 4
            else f'<joint name="f{k}" type="fixed"><parent link="{parent}"/><child link="flange{k}"/></joint>',
            f'<joint name="j{k}" type="continuous"><parent link="flange{k}"/><child link="l{k}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/></joint>',
        ]
        parent = f"l{k}"
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(links)}{"".join(joints)}</robot>')
    arm = lg.load(path)
    rng = np.random.default_rng(9)
    for _ in range(20):
        assert len(holds(arm, rng.uniform(-np.pi, np.pi, 6), "l5")) == 8


def test_joints_listed_in_another_order_and_universal_ones():
    order = [3, 0, 5, 1, 4, 2]
    shape = [Z, Y, Y, Z, Y, Z], np.outer([0, 0.3, 0.8, 1.0, 1.2, 1.3], Z), 1.4 * Z
    plain, mixed = serial(*shape), serial(*shape, order=order)
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    T = pose(plain, q)
    assert min(apart(q[order], b) for b in branches(mixed, T, "tip")) < 1e-12
    joints = plain.joints
    pair = lg.Joint("wrist", "universal", "b3", "b5", lg.Placement(position=(0, 0, 0.2)), axis=Y, axis2=Z)
    bodies = [b for b in plain.bodies if b.name != "b4"]
    tip = lg.Frame("tip", "b5", lg.Placement(plain.frames[0].placement.rotation, (0, 0, 0.2)))
    arm = lg.Mechanism("arm", bodies, [*joints[:4], pair], frames=(tip,))
    found = branches(arm, T, "tip")
    np.testing.assert_allclose(found, branches(plain, T, "tip"), rtol=0, atol=1e-12)


# -- limits, and what is not solved ------------------------------------------------------------------------------------


def test_limits_move_angles_by_whole_turns_and_leave_none_out():
    def limited(*limits):
        arm = lg.library("two_r")
        return arm.replace(
            joints=[
                lg.Joint(j.name, j.type, j.parent, j.child, j.placement, limits=x)
                for j, x in zip(arm.joints, limits, strict=True)
            ]
        )

    free = branches(lg.library("two_r"), (1.4, 1.2), "tip")
    arm = limited((2 * np.pi, 4 * np.pi), (0, 1))
    up, down = branches(arm, (1.4, 1.2), "tip")
    np.testing.assert_allclose(up - free[0], (2 * np.pi, 0), atol=1e-15)
    np.testing.assert_allclose(down - free[1], (2 * np.pi, 0), atol=1e-15)  # theta2 < 0 cannot be brought into (0, 1)
    assert within_limits(arm, up)
    assert not within_limits(arm, down)
    up, down = branches(limited((-4 * np.pi, -2 * np.pi), (0, 2 * np.pi)), (1.4, 1.2), "tip")
    np.testing.assert_allclose(up - free[0], (-4 * np.pi, 0), atol=1e-14)
    np.testing.assert_allclose(down - free[1], (-4 * np.pi, 2 * np.pi), atol=1e-14)
    with pytest.raises(LagrangianError, match=r"q has shape \(3,\); \(2,\) is needed: theta1, theta2"):
        within_limits(arm, [1, 2, 3])
    ball = lg.Mechanism("ball", [lg.Body("b", 1)], [lg.Joint("j", "ball", "ground", "b")])
    assert within_limits(ball, [1, 0, 0, 0])


@pytest.mark.parametrize(
    "name", ["ur5", "panda", "lwr7", "scara", "stanford", "four_bar", "three_r", "five_bar", "cart_pendulum"]
)
def test_other_mechanisms_are_left_to_others(name):
    arm = lg.library(name)
    for body in arm.bodies:
        assert branches(arm, np.eye(4), body.name) is None


def test_arms_whose_wrist_stays_on_a_surface_are_left_to_others():
    wrist, line = [Z, Y, Z], [3 * Z, 3 * Z, 3 * Z]
    for axes, points in (
        ([X, X, X], [0 * Z, Z, 2 * Z]),  # all parallel
        ([X, Y, unit(X + Y)], [0 * Z, 0 * Z, 0 * Z]),  # all meet: and so does the wrist
        ([Z, Z, X], [0 * Z, Z, 2 * Z]),  # two in one
        ([X, Y, Y], [0 * Z, Z, Z]),
        ([X, Y, Z], [0 * Z, Z, 0 * Z]),  # the third through the wrist
    ):
        assert branches(serial([*axes, *wrist], [*points, *line], 4 * Z), np.eye(4), "tip") is None
    elsewhere = serial([Z, Y, Y, Z, Y, Z], np.outer([0, 0.3, 0.8, 1.0, 1.2, 1.3], Z), 1.4 * Z)
    assert branches(elsewhere, np.eye(4), "b4") is None  # not all joints move it
    assert branches(elsewhere, np.eye(4), "ground") is None


def test_what_is_wrong_is_said():
    two_r = lg.library("two_r")
    standing = serial([X, X], [0 * Z, Z], 2 * Z)
    bad = np.eye(4)
    bad[0, 0] = 2
    mirror = np.diag([1.0, 1, -1, 1])
    for arguments, said in (
        ((PUMA, (1, 2, 3), "link6"), "pose has 3 numbers; an arm of six joints needs a 4x4"),
        ((PUMA, bad, "link6"), "its upper 3x3 must be a rotation"),
        ((PUMA, mirror, "link6"), "its upper 3x3 must be a rotation"),
        ((PUMA, np.eye(4), "link7"), "Did you mean 'link6'"),
        ((two_r, (1,), "tip"), r"pose has shape \(1,\)"),
        ((two_r, (np.nan, 1), "tip"), "not finite"),
        ((two_r, "there", "tip"), "pose is 'there'"),
        ((two_r, (1, 1), lg.Frame("tip", "hand")), "there is no body 'hand'"),
        ((standing, (0, 1), "tip"), "give x, y and z"),
        (("two_r", (1, 1), "tip"), "takes a Mechanism"),
    ):
        with pytest.raises(LagrangianError, match=said):
            branches(*arguments)


def test_a_rounded_rotation_is_taken_as_one():
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    found = branches(PUMA, np.round(pose(PUMA, q, "link6"), 6), "link6")
    assert len(found) == 8
    assert min(apart(q, b) for b in found) < 1e-4


def test_takes_a_millisecond_or_so():
    T = pose(PUMA, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), "link6")
    taken = []
    for _ in range(30):
        start = time.perf_counter()
        branches(PUMA, T, "link6")
        taken.append(time.perf_counter() - start)
    assert min(taken) < 5e-3  # 0.4 ms on an idle core
