"""The worked examples that must run as they are in the lectures: each row with the lecture's own formula or number.

Formulas are compared by SymPy, exactly, in the lecture's symbols, its slips put right; numbers with those that the lecture
says, or with references that were computed without this package.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import lagrangian as lg

DATA = Path(__file__).parents[1] / "data"
TWO_R = json.loads((DATA / "two_r.json").read_text())
LINKAGE = json.loads((DATA / "deployable_four_bar.json").read_text())


def formula(text: str) -> Any:
    """An expression as the lecture writes it: qd_x and qdd_x are the rates of x."""
    names = {name: sympy.Symbol(name) for name in re.findall(r"[A-Za-z_]\w*", text)} | {"sin": sympy.sin, "cos": sympy.cos}
    return sympy.sympify(text.replace("^", "**"), locals=names)


def same(found: lg.Formula, text: str) -> None:
    """Whether a formula is the lecture's, exactly."""
    assert sympy.expand(sympy.expand_trig(found.to_sympy() - formula(text))) == 0, f"{found} is not {text}"


def values(mechanism: lg.Mechanism) -> dict[str, float]:
    return {name: float(x) for name, x in mechanism.parameters.items()}


def test_row_1_particle_on_a_vertical_line() -> None:
    eom = lg.derive(lg.library("point_mass"))
    same(eom.tau[0], "m*qdd_x + m*g")
    same(eom.lagrangian, "m*qd_x^2/2 - m*g*x")
    motion = lg.simulate(lg.library("point_mass"), 1.0, [0.0], [5.0], torque=[2.0], t_eval=11)
    np.testing.assert_allclose(motion.q[:, 0], 5 * motion.t + (2 - 9.81) / 2 * motion.t**2, atol=1e-9)


def test_row_2_single_link_with_motor_and_gear() -> None:
    """(r^2 J_m + J_l) theta'' + M g l sin theta = r u: the motor's torque u drives the link with r u."""
    arm = lg.library("geared_link")
    eom = lg.derive(arm)
    same(eom.tau[0], "(r^2*J_m + J_l)*qdd_theta + M*g*l*sin(theta)")
    same(eom.kinetic_energy, "(r^2*J_m + J_l)*qd_theta^2/2")
    ((joint, torque),) = arm.initial.torque
    assert (joint, str(torque)) == ("theta", "r*u")
    p = values(arm)
    compiled_dynamics = lg.compile(arm).forward_dynamics([0.7], [0.0], [p["r"] * p["u"]])
    expected = (p["r"] * p["u"] - p["M"] * p["g"] * p["l"] * math.sin(0.7)) / (p["r"] ** 2 * p["J_m"] + p["J_l"])
    assert compiled_dynamics == pytest.approx([expected], rel=1e-13)


def test_row_3_two_particles_on_a_rigid_wire() -> None:
    """(r1 - r2)^T (r1 - r2) = l^2, virtual displacements with (r1 - r2)^T (dr1 - dr2) = 0, and the tension."""
    wire = lg.library("wire_particles")
    eom, p = lg.derive(wire), values(wire)
    l = sympy.Symbol("l")
    assert sympy.expand(2 * l * eom.closure[0].to_sympy() - formula("(x1 - x2)^2 + (y1 - y2)^2 - l^2")) == 0
    for k, text in enumerate(("x1 - x2", "y1 - y2", "x2 - x1", "y2 - y1")):
        assert sympy.expand(l * eom.Psi[0, k].to_sympy() - formula(text)) == 0
    rng, dyn = np.random.default_rng(3), lg.compile(wire)
    angle, v1, along = rng.uniform(-3, 3), rng.normal(size=2), rng.normal()
    r = p["l"] * np.array([math.cos(angle), math.sin(angle)])
    q = np.array([0.3, -0.2, 0.3 + r[0], -0.2 + r[1]])
    qd = np.array([*v1, v1[0] - along * r[1], v1[1] + along * r[0]])  # a turn besides: dr1 - dr2 across the wire
    psi = dyn.constraint_jacobian(q)
    assert psi @ qd == pytest.approx([0], abs=1e-14)
    # the tension pulls particle 1 towards 2: m1 m2/(m1 + m2) |v1 - v2|^2/l
    tension = p["m1"] * p["m2"] / (p["m1"] + p["m2"]) * p["l"] * along**2
    assert dyn.multipliers(q, qd, np.zeros(4)) == pytest.approx([-tension], rel=1e-12)
    assert (psi.T @ dyn.multipliers(q, qd, np.zeros(4))) @ qd == pytest.approx(0, abs=1e-12)


def test_row_4_planar_2r_with_point_masses() -> None:
    """M, c and g of the slide, where P1 has m1; K = 1/2 theta'^T M theta'."""
    eom = lg.derive(lg.library("two_r_point_masses"))
    same(eom.M[0, 0], "m1*l1^2 + m2*(l1^2 + 2*l1*l2*cos(theta2) + l2^2)")
    for i, j in ((0, 1), (1, 0)):
        same(eom.M[i, j], "m2*(l1*l2*cos(theta2) + l2^2)")
    same(eom.M[1, 1], "m2*l2^2")
    c = eom.C.to_sympy() * sympy.Matrix(sympy.symbols("qd_theta1 qd_theta2"))
    assert sympy.expand(c[0] - formula("-m2*l1*l2*sin(theta2)*(2*qd_theta1*qd_theta2 + qd_theta2^2)")) == 0
    assert sympy.expand(c[1] - formula("m2*l1*l2*qd_theta1^2*sin(theta2)")) == 0
    same(eom.G[0], "(m1 + m2)*l1*g*cos(theta1) + m2*g*l2*cos(theta1 + theta2)")
    same(eom.G[1], "m2*g*l2*cos(theta1 + theta2)")
    # at (0, pi/2) with no joint accelerations: centripetal (-L1 w1^2, -L2 w1^2 - L2 w2^2), Coriolis (0, -2 L2 w1 w2)
    w1, w2, p = 0.7, -1.3, values(eom.mechanism)
    J = eom.jacobian("tip")
    rate = sum(J.diff(k).evaluate([0, math.pi / 2])[3:5] * w for k, w in enumerate((w1, w2)))
    expected = [-p["l1"] * w1**2, -p["l2"] * (w1**2 + w2**2) - 2 * p["l2"] * w1 * w2]
    assert rate @ [w1, w2] == pytest.approx(expected, abs=1e-14)


def test_row_5_planar_2r_with_general_links_from_its_dh_table() -> None:
    """d11, d12, d22, h = -m2 l1 lc2 sin q2, phi1 and phi2; c_222 is 0, where the slide has -h."""
    l1, l2, lc1, lc2 = (lg.parameter(n, x) for n, x in (("l1", 1.0), ("l2", 0.8), ("lc1", 0.4), ("lc2", 0.3)))
    m1, m2, I1, I2, g = (lg.parameter(n, x) for n, x in (("m1", 2.0), ("m2", 1.5), ("I1", 0.2), ("I2", 0.1), ("g", 9.81)))
    rows = [
        lg.DHParameters("R", a=l1, mass=m1, center=(lc1 - l1, 0, 0), inertia=(0, I1, I1)),
        lg.DHParameters("R", a=l2, mass=m2, center=(lc2 - l2, 0, 0), inertia=(0, I2, I2)),
    ]
    eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -g, 0)))
    same(eom.M[0, 0], "m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(q2)) + I1 + I2")
    same(eom.M[0, 1], "m2*(lc2^2 + l1*lc2*cos(q2)) + I2")
    same(eom.M[1, 1], "m2*lc2^2 + I2")
    h = "(-m2*l1*lc2*sin(q2))"
    for (i, j, k), text in {
        (0, 0, 0): "0",
        (0, 0, 1): h,
        (0, 1, 1): h,
        (1, 0, 0): f"-{h}",
        (1, 0, 1): "0",
        (1, 1, 1): "0",
    }.items():
        same(eom.christoffel(i, j, k), text)
    for i, j, text in ((0, 0, f"{h}*qd_q2"), (0, 1, f"{h}*qd_q2 + {h}*qd_q1"), (1, 0, f"-{h}*qd_q1"), (1, 1, "0")):
        same(eom.C[i, j], text)
    same(eom.G[0], "(m1*lc1 + m2*l1)*g*cos(q1) + m2*lc2*g*cos(q1 + q2)")
    same(eom.G[1], "m2*g*lc2*cos(q1 + q2)")
    J = eom.jacobian(lg.Frame("c1", "link1", lg.Transform(position=(lc1 - l1, 0, 0))))
    for row, text in ((3, "-lc1*sin(q1)"), (4, "lc1*cos(q1)")):
        same(J[row, 0], text)
        same(J[row, 1], "0")


def test_row_6_cartesian_arm() -> None:
    eom = lg.derive(lg.library("cartesian_pp"))
    same(eom.tau[0], "(m1 + m2)*qdd_q1 + g*(m1 + m2)")
    same(eom.tau[1], "m2*qdd_q2")


def test_row_7_five_bar_decouples() -> None:
    """d11, d12, d22, phi1, phi2, with m3 where the slide has m2 and l1^2 for its l4^2; with m3 l2 lc3 = m4 l1 lc4 no coupling."""
    reduced = lg.derive(lg.library("five_bar")).in_independent_coordinates()
    same(reduced.M[0, 0], "m1*lc1^2 + m3*lc3^2 + m4*l1^2 + I1 + I3")
    same(reduced.M[0, 1], "(m3*l2*lc3 - m4*l1*lc4)*cos(q2 - q1)")
    same(reduced.M[1, 1], "m2*lc2^2 + m3*l2^2 + m4*lc4^2 + I2 + I4")
    same(reduced.G[0], "g*(m1*lc1 + m3*lc3 + m4*l1)*cos(q1)")
    same(reduced.G[1], "g*(m2*lc2 - m4*lc4 + m3*l2)*cos(q2)")
    decoupled = {sympy.Symbol("m3"): formula("m4*l1*lc4/(l2*lc3)")}
    assert sympy.simplify(reduced.M[0, 1].to_sympy().subs(decoupled)) == 0
    assert all(sympy.simplify(x.subs(decoupled)) == 0 for x in reduced.C.to_sympy())  # no Coriolis or centrifugal terms


# -- n-joint DH arms: U_jk = d(0T_j)/dq_k with the constant D of an R or P joint, and the pseudo-inertia ---------------------

D_OF = {"revolute": np.array([[0, -1.0, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4]), "prismatic": np.diag([0.0] * 4)}
D_OF["prismatic"][2, 3] = 1


def matrix(placement: lg.Transform) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array(placement.rotation, dtype=float), np.array(placement.position, dtype=float)
    return T


def rotation_of_joint(joint: lg.Joint, q: float) -> np.ndarray:
    T = np.eye(4)
    if joint.type == "revolute":
        T[:2, :2] = [[math.cos(q), -math.sin(q)], [math.sin(q), math.cos(q)]]
    else:
        T[2, 3] = q
    return T


def pseudo_inertia(body: lg.Body) -> np.ndarray:
    """Of homogeneous coordinates, from the inertia at the frame's origin: (-Ixx + Iyy + Izz)/2 ..., m c, m."""
    m, c = float(body.mass), np.array(body.center, dtype=float)
    inertia = np.array(body.inertia_matrix, dtype=float) + m * ((c @ c) * np.eye(3) - np.outer(c, c))
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = m * c
    J[3, 3] = m
    return J


@pytest.mark.parametrize("name", ["puma560", "stanford", "lwr7"])
def test_row_8_joint_arms_of_r_and_p_with_rotors(name: str) -> None:
    """M_ik = sum_j Tr(U_jk J_j U_ji^T) plus the rotors' inertia, and gravity -m_j g^T U_ji r_j."""
    arm = lg.library(name)
    assert all(joint.axis == (0, 0, 1) for joint in arm.joints)
    q = np.random.default_rng(8).uniform(-1, 1, arm.nq)
    g = np.array([*map(float, arm.gravity), 0.0])
    n, U, before = arm.nq, {}, np.eye(4)
    partial: list[np.ndarray] = []  # d(0T_j)/dq_k of the links so far
    M, G = np.zeros((n, n)), np.zeros(n)
    for j, (joint, x) in enumerate(zip(arm.joints, q, strict=True)):
        step = matrix(joint.placement) @ rotation_of_joint(joint, x) @ np.linalg.inv(matrix(joint.child_placement))
        d = (
            matrix(joint.placement)
            @ D_OF[joint.type]
            @ rotation_of_joint(joint, x)
            @ np.linalg.inv(matrix(joint.child_placement))
        )
        partial = [*(u @ step for u in partial), before @ d]
        before = before @ step
        body = arm.body(joint.child)
        J, r = pseudo_inertia(body), np.array([*map(float, body.center), 1.0])
        for i in range(j + 1):
            G[i] -= float(body.mass) * g @ partial[i] @ r
            for k in range(j + 1):
                U[j, k] = partial[k]
                M[i, k] += np.trace(partial[k] @ J @ partial[i].T)
    M += np.diag([float(joint.rotor.inertia) * float(joint.rotor.ratio) ** 2 for joint in arm.joints])
    dyn = lg.compile(arm)
    np.testing.assert_allclose(dyn.mass_matrix(q), M, rtol=0, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(dyn.gravity(q), G, rtol=0, atol=1e-12 * np.abs(G).max())


# -- the 2R of lecture 29 ----------------------------------------------------------------------------------------------------


def test_the_2r_has_the_lectures_data() -> None:
    p = values(lg.library("two_r"))
    assert (p["l1"], p["m1"], p["r1"], p["r2"], p["I1"]) == (1.0, 12.456, 0.773, 0.583, 1.042)
    assert {name: p[name] for name in p} == {name: TWO_R["parameters"][name] for name in p}


@pytest.mark.parametrize(("elbow", "theta2", "least", "most"), [("<0", -0.8, 71.9, 168.3), (">0", 0.8, 210.4, 242.3)])
def test_row_9_2r_tracing_a_circle(elbow: str, theta2: float, least: float, most: float) -> None:
    """x = 1.2 + 0.2 cos phi, y = 1.2 + 0.2 sin phi, one turn in 10 s: angles and torques of both elbows."""
    reference = TWO_R["reference"][f"elbow theta2{elbow}"]
    circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
    motion = lg.inverse(lg.library("two_r"), circle, frame="tip", q0={"theta2": theta2}, t_eval=np.linspace(0, 10, 2001))
    for actual, key in ((motion.q, "theta0"), (motion.qd, "thetad0"), (motion.qdd, "thetadd0")):
        assert actual[0] == pytest.approx(reference[key], abs=1e-11)
    for t, torque in reference["tau_at"].items():
        assert motion.tau[round(200 * float(t))] == pytest.approx(torque, rel=1e-11)
    assert (motion.tau[:, 0].min(), motion.tau[:, 0].max()) == pytest.approx((least, most), abs=0.05)


def test_row_10_2r_as_a_double_pendulum() -> None:
    """From -90 and 45 degrees at rest, without torques, 10 s: the motion of link 2 causes one of link 1; energy is kept."""
    table = TWO_R["reference"]["double_pendulum"]
    start = [-math.pi / 2, math.pi / 4]
    motion = lg.simulate(
        lg.library("two_r"), 10, start, [0, 0], torque=0, rtol=1e-13, atol=1e-13, t_eval=[float(t) for t in table]
    )
    values = np.hstack([motion.q, motion.qd])
    np.testing.assert_allclose(values, list(table.values()), rtol=0, atol=TWO_R["tolerance"]["pendulum_10s"])
    assert motion.energy == pytest.approx([TWO_R["reference"]["E0"]] * len(table), rel=1e-12)
    assert np.ptp(motion.q[:, 0]) > 0.5


def test_row_11_deployable_four_bar() -> None:
    """It stops where links 2 and 3 align, at 150.46 degrees and 12.283 s; 150.2 degrees at 12.25 s; lambda grows to 1505 N."""
    bar = lg.library("deployable_four_bar")
    eom, p = lg.derive(bar), values(bar)
    same(eom.closure[0], "l1*cos(theta1) + l2*cos(theta1 + phi2) - l0 - l3*cos(phi1)")
    same(eom.closure[1], "l1*sin(theta1) + l2*sin(theta1 + phi2) - l3*sin(phi1)")
    ((joint, torque),) = bar.initial.torque
    assert (joint, str(torque), p["tau0"], p["k"]) == ("theta1", "tau0-k*theta1", 1.96, 0.1)
    assert bar.initial.q[0] == 0.01
    assert 0 < bar.initial.q[1] < 0.011
    motion = lg.simulate(bar, rtol=1e-10, atol=1e-12)
    aligned = math.acos((p["l0"] ** 2 + p["l1"] ** 2 - (p["l2"] + p["l3"]) ** 2) / (2 * p["l0"] * p["l1"]))
    assert math.degrees(aligned) == pytest.approx(150.46, abs=0.005)
    assert motion.q[-1, 0] == pytest.approx(aligned, abs=1e-9)
    assert motion.t[-1] == pytest.approx(LINKAGE["reference"]["t_lock"], abs=1e-7)
    assert math.degrees(motion(12.25)[0][0]) == pytest.approx(150.2, abs=0.005)
    assert np.abs(motion.multipliers[-1]).max() == pytest.approx(1504.7, abs=0.05)
