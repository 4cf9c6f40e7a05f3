"""Every mechanism of the library is complete and consistent; those with a source agree with its numbers."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from tree_kinematics import Tree

from lagrangian.errors import ArgumentError
from lagrangian.mechanism_library.catalogue import library
from lagrangian.model.expression import free_symbols

REDUNDANT = {"bricard": 1}  # equations that say nothing new where the mechanism starts
DATA = Path(__file__).parents[1] / "data"
NAMES = """
    bricard cart_pendulum cartesian_pp chaplygin_sleigh delta deployable_four_bar differential_drive five_bar four_bar furuta
    geared_link lwr7 panda parallelogram pendulum point_mass puma560 scara slider_crank stanford stewart three_r three_rpr
    three_rrr two_r two_r_point_masses ur5 wire_particles
""".split()  # noqa: SIM905


def data(name):
    return json.loads((DATA / f"{name}.json").read_text())


def values(mechanism):
    return {name: float(x) for name, x in mechanism.parameters.items()}


def test_the_list():
    assert set(NAMES) <= set(library())
    assert library() == sorted(library())


@pytest.mark.parametrize("name", ["pumma560", "", "../library/two_r", "two_r.toml", "/etc/passwd", None.__class__, 3])
def test_unknown_names_are_answered_with_the_list(name):
    with pytest.raises(ArgumentError, match="Known: acrobot"):
        library(name)


def test_a_near_miss():
    with pytest.raises(ArgumentError, match="Did you mean 'puma560'"):
        library("puma")


def test_other_values_of_parameters():
    m = library("two_r", parameters={"l1": 2, "m2": np.float64(3)})
    assert values(m) == {**values(library("two_r")), "l1": 2, "m2": 3}
    assert float(m.joints[1].placement.position[0]) == 2
    with pytest.raises(ArgumentError, match=r"two_r\.toml: parameters: there is no parameter 'l_1'. Did you mean 'l1'"):
        library("two_r", {"l_1": 2})
    with pytest.raises(ArgumentError, match="parameters are given without a mechanism"):
        library(parameters={"l1": 2})


@pytest.mark.parametrize("name", library())
def test_no_warnings(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert library(name).notes == ()


@pytest.mark.parametrize("name", library())
def test_each_says_where_it_is_from_and_how_it_starts(name):
    m = library(name)
    assert m.name == name
    assert m.source
    assert m.description
    assert m.poses
    assert m.initial.q is not None
    assert m.initial.qd is not None
    assert m.initial.t_span is not None
    allowed = {"t", *m.coordinate_names, *(f"qd_{s}" for s in m.speed_names)}
    assert all(speed in m.speed_names and free_symbols(x) <= allowed for speed, x in m.initial.torque)
    assert str(m)


@pytest.mark.parametrize("name", library())
def test_each_starts_within_its_limits_and_can_be_accelerated(name):
    m = library(name)
    for q in (m.initial.q, *m.poses.values()):
        for joint, x in zip(m.joints, q, strict=False):
            if joint.kind.nq == 1:
                assert joint.limits.lower <= x <= joint.limits.upper, joint.name
    moments = np.linalg.eigvalsh(Tree(m, m.initial.q).mass_matrix())
    assert moments.min() > 1e-7 * moments.max()


@pytest.mark.parametrize("name", [n for n in library() if library(n).loops])
def test_loops_are_closed_in_every_pose_and_at_the_start(name):
    m = library(name)
    for q in (m.initial.q, *m.poses.values()):
        assert Tree(m, q).loop_residual() == pytest.approx(0, abs=2e-15)
    tree = Tree(m, m.initial.q)
    assert tree.loop_jacobian() @ np.array(m.initial.qd) == pytest.approx(0, abs=1e-14)
    assert np.linalg.matrix_rank(tree.loop_jacobian(), tol=1e-9) == m.equation_count - REDUNDANT.get(name, 0)


# -- PUMA 560 --------------------------------------------------------------------------------------------------------------

PUMA = data("puma560")["reference"]


@pytest.mark.parametrize("pose", ["qn", "qz", "qr", "qs"])
def test_puma_mass_matrix_and_gravity(pose):
    arm = library("puma560")
    tree = Tree(arm, arm.poses[pose])
    assert tree.mass_matrix() == pytest.approx(np.array(PUMA["own"][f"M_{pose}"]), abs=1e-12)
    assert tree.gravity() == pytest.approx(PUMA["own"][f"g_{pose}"], abs=1e-12)


def test_puma_against_the_published_numbers():
    arm = library("puma560")
    tree, published = Tree(arm, arm.poses["qn"]), PUMA["published"]
    assert tree.gravity() == pytest.approx(published["gravload_qn"], abs=5e-5)
    assert tree.mass_matrix() @ np.ones(6) + tree.gravity() == pytest.approx(published["rne_qdd1"], abs=5e-5)
    assert tree.mass_matrix() @ np.array([1, 2, 3, 1, 2, 3]) == pytest.approx(published["itorque_123123"], abs=5.1e-5)


def test_puma_friction_is_that_of_the_motors_through_the_gears():
    """The published torques with friction, less those without it, at unit speeds."""
    friction = [float(j.friction.viscous) + float(j.friction.coulomb) for j in library("puma560").joints]
    assert friction == pytest.approx(np.array(PUMA["own"]["t2"]) - np.array(PUMA["own"]["t2_nofric"]), abs=1e-12)
    p = data("puma560")["parameters"]
    backwards = [abs(G) * -Tc[1] for G, Tc in zip(p["G"], p["Tc"], strict=True)]
    assert [float(j.friction.coulomb_negative) for j in library("puma560").joints] == pytest.approx(backwards)


# -- other arms ------------------------------------------------------------------------------------------------------------


def test_panda_stands_where_its_maker_says():
    """The flange in the ready pose, to the four digits in which the maker's examples print it."""
    arm = library("panda")
    T = Tree(arm, arm.poses["ready"]).T[arm.frame("tool").body] @ arm.frame("tool").placement.matrix()
    assert T[:3, 3] == pytest.approx([0.3069, 0, 0.5903], abs=6e-5)
    assert T[:3, 2] == pytest.approx([0, 0, -1], abs=1e-12)


def test_ur5_stretched_out():
    arm = library("ur5")
    a, d = (-0.425, -0.39225), (0.089159, 0.10915, 0.09465, 0.0823)
    expected = [a[0] + a[1], -d[1] - d[3], d[0] - d[2]]
    assert Tree(arm, arm.poses["qz"]).point("link6", (0, 0, 0)) == pytest.approx(expected, abs=1e-15)


def test_lwr7_reaches_up():
    arm = library("lwr7")
    tool = arm.frame("tool")
    tip = Tree(arm, arm.poses["upright"]).point(tool.body, tool.placement.position)
    assert tip == pytest.approx([0, 0, 0.3105 + 0.4 + 0.39 + 0.078], abs=1e-15)


def test_stanford_boom_slides_level():
    arm = library("stanford")
    wrist = Tree(arm, arm.poses["qn"]).point("link3", (0, 0, 0))
    assert wrist == pytest.approx([0.5, 0.154, 0.412], abs=1e-15)
    assert not any(body.effective for body in arm.bodies)


def test_scara_keeps_its_height():
    arm = library("scara")
    for q1, q2 in ((0, 0), (0.4, -1.2)):
        assert Tree(arm, [q1, q2, 0.1, 0]).point("link4", (0, 0, 0))[2] == pytest.approx(0.39 - 0.1)


# -- examples with a closed form -------------------------------------------------------------------------------------------


def test_point_mass():
    m = library("point_mass")
    tree, p = Tree(m, [0.3]), values(m)
    assert tree.mass_matrix() == pytest.approx(np.array([[p["m"]]]))
    assert tree.gravity() == pytest.approx([p["m"] * p["g"]])


@pytest.mark.parametrize("theta", [0.0, 0.7, 2.5])
def test_geared_link(theta):
    m = library("geared_link")
    tree, p = Tree(m, [theta]), values(m)
    assert tree.mass_matrix()[0, 0] == pytest.approx(p["r"] ** 2 * p["J_m"] + p["J_l"])
    assert tree.gravity() == pytest.approx([p["M"] * p["g"] * p["l"] * math.sin(theta)])


def test_cartesian_pp():
    m = library("cartesian_pp")
    tree, p = Tree(m, [0.4, 0.2]), values(m)
    assert tree.mass_matrix() == pytest.approx(np.diag([p["m1"] + p["m2"], p["m2"]]))
    assert tree.gravity() == pytest.approx([p["g"] * (p["m1"] + p["m2"]), 0])
    assert Tree(m, [0.4, 0.2]).point("link2", (0, 0, 0)) == pytest.approx([0, 0.2, 0.4])


def two_r_closed_form(p, q1, q2):
    """The textbook's M and G of the planar 2R."""
    c2 = math.cos(q2)
    h = p["m2"] * p["l1"] * p["r2"] * c2
    d22 = p["I2"] + p["m2"] * p["r2"] ** 2
    d11 = p["I1"] + p["m1"] * p["r1"] ** 2 + p["m2"] * p["l1"] ** 2 + d22 + 2 * h
    far = p["m2"] * p["r2"] * p["g"] * math.cos(q1 + q2)
    near = (p["m1"] * p["r1"] + p["m2"] * p["l1"]) * p["g"] * math.cos(q1)
    return np.array([[d11, d22 + h], [d22 + h, d22]]), np.array([near + far, far])


@pytest.mark.parametrize("name", ["two_r", "two_r_point_masses"])
def test_two_r(name):
    m = library(name)
    p = values(m)
    if name == "two_r_point_masses":
        p |= {"r1": p["l1"], "r2": p["l2"], "I1": 0.0, "I2": 0.0}
    for q in ((0.3, 0.8), (-1.2, 2.0)):
        M, G = two_r_closed_form(p, *q)
        assert Tree(m, q).mass_matrix() == pytest.approx(M)
        assert Tree(m, q).gravity() == pytest.approx(G)


def test_two_r_has_the_lectures_data():
    m, reference = library("two_r"), data("two_r")
    expected = {k: v for k, v in reference["parameters"].items() if isinstance(v, float)}
    assert values(m) == expected
    assert Tree(m, m.initial.q).potential() == pytest.approx(reference["reference"]["E0"], rel=1e-14)
    assert m.initial.q == pytest.approx(reference["reference"]["double_pendulum"]["0.0"][:2])


def test_pendulum_starts_at_the_left():
    m = library("pendulum")
    assert Tree(m, m.initial.q).point("bob", m.frame("P1").placement.position) == pytest.approx([-1, 0, 0], abs=1e-15)


def test_five_bar_decouples():
    m = library("five_bar")
    p = values(m)
    S = np.array([[1, 0], [0, 1], [1, -1], [-1, 1]])  # the speeds in terms of q1', q2'
    d11 = p["m1"] * p["lc1"] ** 2 + p["m3"] * p["lc3"] ** 2 + p["m4"] * p["l1"] ** 2 + p["I1"] + p["I3"]
    d22 = p["m2"] * p["lc2"] ** 2 + p["m3"] * p["l2"] ** 2 + p["m4"] * p["lc4"] ** 2 + p["I2"] + p["I4"]
    for q1, q2 in ((0.4, 1.9), (2.0, 0.3)):
        tree = Tree(m, [q1, q2, q1 - q2, q2 - math.pi - q1])
        assert tree.loop_residual() == pytest.approx(0, abs=1e-15)
        assert tree.loop_jacobian() @ S == pytest.approx(0, abs=1e-15)
        assert S.T @ tree.mass_matrix() @ S == pytest.approx(np.diag([d11, d22]))
        phi1 = p["g"] * (p["m1"] * p["lc1"] + p["m3"] * p["lc3"] + p["m4"] * p["l1"]) * math.cos(q1)
        phi2 = p["g"] * (p["m2"] * p["lc2"] + p["m3"] * p["l2"] - p["m4"] * p["lc4"]) * math.cos(q2)
        assert S.T @ tree.gravity() == pytest.approx([phi1, phi2])


def test_cart_pendulum_and_furuta_closed_forms():
    m = library("cart_pendulum")
    p, theta = values(m), 0.7
    off = p["m"] * p["l"] * math.cos(theta)
    expected = [[p["M"] + p["m"], off], [off, p["I"] + p["m"] * p["l"] ** 2]]
    assert Tree(m, [0.2, theta]).mass_matrix() == pytest.approx(np.array(expected))
    assert Tree(m, [0.2, theta]).gravity() == pytest.approx([0, p["m"] * p["g"] * p["l"] * math.sin(theta)])

    m = library("furuta")
    p, alpha = values(m), 0.7
    arm = p["J_m"] + p["m_r"] * p["L_r"] ** 2 / 3
    swing, s = p["m_p"] * p["L_p"] ** 2 / 3, math.sin(alpha)
    off = p["m_p"] * p["L_r"] * p["L_p"] / 2 * math.cos(alpha)
    M = Tree(m, [0.2, alpha]).mass_matrix()
    assert M[0, 0] == pytest.approx(arm + p["m_p"] * p["L_r"] ** 2 + swing * s * s)
    assert abs(M[0, 1]) == pytest.approx(off)
    assert M[1, 1] == pytest.approx(swing)
    assert Tree(m, [0.2, alpha]).gravity() == pytest.approx([0, p["m_p"] * p["g"] * p["L_p"] / 2 * s])


# -- closed chains against reference motions -------------------------------------------------------------------------------


def test_deployable_four_bar_follows_the_reference_motion():
    """Along it the loop stays closed, and the kinetic energy is the spring's work."""
    m, reference = library("deployable_four_bar"), data("deployable_four_bar")
    p = values(m)
    for sample in reference["reference"]["samples (theta1, coupler absolute, rocker, and their rates)"].values():
        # the coupler's angle is from the world's x axis there, and from link 1 here
        q, qd = (np.array([theta1, rocker, coupler - theta1]) for theta1, coupler, rocker in (sample[:3], sample[3:]))
        tree = Tree(m, q)
        assert tree.loop_residual() == pytest.approx(0, abs=1e-9)
        assert tree.loop_jacobian() @ qd == pytest.approx(0, abs=1e-8)
        work = p["tau0"] * (q[0] - 0.01) - p["k"] / 2 * (q[0] ** 2 - 0.01**2)
        assert 0.5 * qd @ tree.mass_matrix() @ qd == pytest.approx(work, abs=1e-8)


def rrr_configuration(p, x, y, angle):
    """Inverse kinematics of the 3-RRR, each elbow turned positively from the chord."""
    q = []
    for k in range(3):
        a = math.radians(90 + 120 * k)
        chord = np.array([x, y]) + p["rp"] * np.array([math.cos(a + angle), math.sin(a + angle)])
        chord -= p["rb"] * np.array([math.cos(a), math.sin(a)])
        length = np.hypot(*chord)
        theta = math.atan2(chord[1], chord[0]) + math.acos((length**2 + p["l1"] ** 2 - p["l2"] ** 2) / (2 * length * p["l1"]))
        rest = chord - p["l1"] * np.array([math.cos(theta), math.sin(theta)])
        q += [theta, math.atan2(rest[1], rest[0]) - theta]
    return np.array([*q, x, y, angle])


@pytest.mark.parametrize("t", [0.0, 0.25, 0.75])
def test_three_rrr_needs_the_reference_torques(t):
    """By virtual work, with accelerations of the centres of mass by differences of positions along the reference path."""
    m, reference = library("three_rrr"), data("three_rrr")["reference"]["rrr"]
    p = values(m)

    def tree(s):
        w = 2 * math.pi * s
        return Tree(m, rrr_configuration(p, 0.05 * math.cos(w), 0.05 * math.sin(w), 0.2 * math.sin(w)))

    h = 2e-4
    before, now, after = tree(t - h), tree(t), tree(t + h)
    force = now.gravity()
    for body in m.bodies:
        J = now.jacobian(body.name, body.center)
        positions = [x.point(body.name, body.center) for x in (before, now, after)]
        angles = np.unwrap([math.atan2(x.T[body.name][1, 0], x.T[body.name][0, 0]) for x in (before, now, after)])
        force = force + J[3:].T @ (float(body.mass) * (positions[0] - 2 * positions[1] + positions[2]) / h**2)
        force = force + J[2] * float(body.inertia[5]) * (angles[0] - 2 * angles[1] + angles[2]) / h**2
    # speeds that keep the loops closed, per unit speed of the platform
    Psi = now.loop_jacobian()
    S = np.vstack([-np.linalg.solve(Psi[:, :6], Psi[:, 6:]), np.eye(3)])
    tau = np.linalg.solve(S[[0, 2, 4]].T, S.T @ force)
    assert tau == pytest.approx(reference[f"{t:g}"]["tau"], abs=1e-5)


def test_three_rrr_starts_on_its_path():
    m = library("three_rrr")
    for pose, x in (("center", 0.0), ("start", 0.05)):
        turns = (np.array(m.poses[pose]) - rrr_configuration(values(m), x, 0, 0)) / (2 * math.pi)
        assert turns == pytest.approx(np.round(turns), abs=1e-14)
