"""The worked examples of the lectures: each prints the formulas that stand there, with the lectures' slips put right."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lagrangian as lg


def printed_entries(matrix: lg.FormulaMatrix) -> dict[str, str]:
    """Entries as printed, those that are zero left out."""
    return {name: str(formula) for name, formula in matrix.entries if not formula.is_zero}


def test_particle_on_a_vertical_line() -> None:
    """m x'' + m g = f."""
    eom = lg.derive(lg.library("point_mass"))
    assert str(eom.rows[0]) == "m*qdd_x + m*g = tau1"
    assert str(eom.kinetic_energy) == "m*qd_x^2/2"
    assert str(eom.potential_energy) == "m*g*x"


def test_single_link_with_motor_and_gear() -> None:
    """(r^2 J_m + J_l) theta'' + M g l sin theta = r u."""
    eom = lg.derive(lg.library("geared_link"))
    assert printed_entries(eom.M) == {"M11": "J_l + J_m*r^2"}
    assert printed_entries(eom.G) == {"G1": "M*l*g*sin(theta)"}
    assert printed_entries(eom.C) == {}
    assert str(eom.rotors[0]) == "J_m*r^2"


def test_two_link_arm_with_point_masses() -> None:
    """The closed forms of M, c and g; K = 1/2 theta'^T M theta' (the lecture lacks the 1/2)."""
    eom = lg.derive(lg.library("two_r_point_masses"))
    assert printed_entries(eom.M) == {
        "M11": "m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*c2)",
        "M12": "m2*(l2^2 + l1*l2*c2)",
        "M22": "m2*l2^2",
    }
    assert printed_entries(eom.centripetal) == {"centripetal1": "-m2*l1*l2*s2*qd2^2", "centripetal2": "m2*l1*l2*s2*qd1^2"}
    assert printed_entries(eom.coriolis) == {"coriolis1": "-2*m2*l1*l2*s2*qd1*qd2"}
    assert printed_entries(eom.G) == {"G1": "(m1 + m2)*l1*g*c1 + m2*l2*g*c12", "G2": "m2*l2*g*c12"}
    q, qd = [0.3, -0.8], np.array([1.2, -0.7])
    assert eom.kinetic_energy.evaluate(q, qd) == pytest.approx(0.5 * qd @ eom.M.evaluate(q) @ qd)


def test_two_link_arm_with_general_links() -> None:
    """d11, d12, d22, h = -m2 l1 lc2 sin q2 and its places, phi1, phi2; c_ijk with the 1/2 that the slide lacks."""
    eom = lg.derive(lg.library("two_r"))
    assert printed_entries(eom.M) == {
        "M11": "m1*r1^2 + m2*(l1^2 + r2^2 + 2*l1*r2*c2) + I1 + I2",
        "M12": "m2*(r2^2 + l1*r2*c2) + I2",
        "M22": "m2*r2^2 + I2",
    }
    h = "-m2*l1*r2*s2"
    symbols = {(i, j, k): str(eom.christoffel(i, j, k)) for i in range(2) for j in range(2) for k in range(2)}
    assert symbols[0, 0, 0] == symbols[1, 0, 1] == symbols[1, 1, 0] == "0"
    assert symbols[0, 0, 1] == symbols[0, 1, 0] == symbols[0, 1, 1] == h
    assert symbols[1, 0, 0] == h.removeprefix("-")
    assert symbols[1, 1, 1] == "0"  # the slide has -h there; dM22/dq2 is zero
    assert printed_entries(eom.C) == {"C11": f"{h}*qd2", "C12": f"{h}*(qd1 + qd2)", "C21": "m2*l1*r2*s2*qd1"}
    assert printed_entries(eom.G) == {"G1": "(m1*r1 + m2*l1)*g*c1 + m2*r2*g*c12", "G2": "m2*r2*g*c12"}
    assert str(eom.potential_energy) == "(m1*r1 + m2*l1)*g*s1 + m2*r2*g*s12"


def test_two_link_arm_from_its_dh_table() -> None:
    """Standard DH, centres given from the far end, as the slide has them."""
    l1, l2, lc1, lc2 = (lg.parameter(n, x) for n, x in (("l1", 1.0), ("l2", 0.8), ("lc1", 0.4), ("lc2", 0.3)))
    m1, m2, I1, I2, g = (lg.parameter(n, x) for n, x in (("m1", 2.0), ("m2", 1.5), ("I1", 0.2), ("I2", 0.1), ("g", 9.81)))
    rows = [
        lg.DHParameters("R", a=l1, mass=m1, center=(lc1 - l1, 0, 0), inertia=(0, I1, I1)),
        lg.DHParameters("R", a=l2, mass=m2, center=(lc2 - l2, 0, 0), inertia=(0, I2, I2)),
    ]
    eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -g, 0)))
    assert printed_entries(eom.M) == {
        "M11": "m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*c2) + I1 + I2",
        "M12": "m2*(lc2^2 + l1*lc2*c2) + I2",
        "M22": "m2*lc2^2 + I2",
    }
    assert printed_entries(eom.G) == {"G1": "(m1*lc1 + m2*l1)*g*c1 + m2*lc2*g*c12", "G2": "m2*lc2*g*c12"}
    J = eom.jacobian("link1")
    assert [str(J[row, 0]) for row in range(6)] == ["0", "0", "1", "-l1*s1", "l1*c1", "0"]


def test_cartesian_arm() -> None:
    """(m1+m2) q1'' + g (m1+m2) = tau1, m2 q2'' = tau2."""
    eom = lg.derive(lg.library("cartesian_pp"))
    assert printed_entries(eom.M) == {"M11": "m1 + m2", "M22": "m2"}
    assert printed_entries(eom.G) == {"G1": "(m1 + m2)*g"}
    assert printed_entries(eom.C) == {}


def test_five_bar_linkage() -> None:
    """d11, d12 = (m3 l2 lc3 - m4 l1 lc4) cos(q1 - q2), d22, phi1, phi2: with m3 where the slide has m2, and l1^2 for its l4^2."""
    eom = lg.derive(lg.library("five_bar"))
    reduced = eom.in_independent_coordinates()
    assert reduced.coordinates == ("q1", "q2")
    assert reduced.solution == ("phi3 = q1 - q2", "phi4 = -q1 + q2 - pi")
    assert printed_entries(reduced.M) == {
        "M11": "m1*lc1^2 + m3*lc3^2 + m4*l1^2 + I1 + I3",
        "M12": "(m3*l2*lc3 - m4*l1*lc4)*cos(q1 - q2)",
        "M22": "m2*lc2^2 + m3*l2^2 + m4*lc4^2 + I2 + I4",
    }
    assert printed_entries(reduced.G) == {
        "G1": "(m1*lc1 + m3*lc3 + m4*l1)*g*c1",
        "G2": "(m2*lc2 + m3*l2 - m4*lc4)*g*c2",
    }
    # decoupled when m3 l2 lc3 = m4 l1 lc4: no term is left besides the diagonal and gravity
    assert reduced.M[0, 1] == "(m3*l2*lc3 - m4*l1*lc4)*(cos(q1)*cos(q2) + sin(q1)*sin(q2))"
    assert reduced.M[0, 1].subs(lc4="m3*l2*lc3/(m4*l1)") == 0
    assert {str(f) for f in eom.singularities()} >= {"l1", "l2"}


@pytest.mark.parametrize(("name", "count"), [("puma560", 36), ("stanford", 33), ("lwr7", 43)])
def test_joint_arms_with_rotors(name: str, count: int) -> None:
    """n-joint DH arms, R and P, with rotor inertia: the Uicker-Kahn form gives M; base parameters as published."""
    eom = lg.derive(lg.library(name), symbols="inertial")
    assert len(eom.base_parameters()) == count
    trace = eom.uicker_kahn()
    assert trace.M == eom.M
    assert trace.U(1, 0) == trace.T(1).diff(0)
    assert trace.U(1, 0, 1) == trace.U(1, 0).diff(1)
    assert str(trace.pseudo_inertia(0)[3, 3]) == "m1"


@pytest.mark.parametrize(("branch", "least", "most"), [(-1, 71.9, 168.3), (1, 210.4, 242.3)])
def test_circle_of_the_two_link_arm(branch: int, least: float, most: float) -> None:
    """The torques at joint 1 over one turn of the circle, from the formulas."""
    eom = lg.derive(lg.library("two_r"))
    J, rates = eom.jacobian("tip"), [eom.jacobian("tip").diff(k) for k in range(2)]
    w, torques = 2 * math.pi / 10, []
    for t in np.linspace(0, 10, 201):
        x = np.array([1.2 + 0.2 * math.cos(w * t), 1.2 + 0.2 * math.sin(w * t)])
        v = 0.2 * w * np.array([-math.sin(w * t), math.cos(w * t)])
        a = -0.2 * w * w * np.array([math.cos(w * t), math.sin(w * t)])
        q2 = branch * math.acos((x @ x - 2) / 2)
        q = [math.atan2(x[1], x[0]) - math.atan2(math.sin(q2), 1 + math.cos(q2)), q2]
        Jq = J.evaluate(q)[3:5]
        qd = np.linalg.solve(Jq, v)
        Jd = sum(rate.evaluate(q)[3:5] * speed for rate, speed in zip(rates, qd, strict=True))
        torques.append(eom.tau.evaluate(q, qd, np.linalg.solve(Jq, a - Jd @ qd))[0])
    assert min(torques) == pytest.approx(least, abs=0.06)
    assert max(torques) == pytest.approx(most, abs=0.06)


def test_deployable_four_bar() -> None:
    """Loop closure, and the singular configuration: links 2 and 3 in line, sin(theta1 - phi1 + phi2) = 0."""
    eom = lg.derive(lg.library("deployable_four_bar"))
    assert printed_entries(eom.closure) == {
        "closure1": "l1*cos(theta1) + l2*cos(theta1 + phi2) - l3*cos(phi1) - l0",
        "closure2": "l1*sin(theta1) + l2*sin(theta1 + phi2) - l3*sin(phi1)",
    }
    assert [str(f) for f in eom.singularities()] == ["l2", "l3", "sin(theta1 - phi1 + phi2)"]
    assert printed_entries(eom.Psi)["Psi11"] == "-l1*sin(theta1) - l2*sin(theta1 + phi2)"


def test_rolling_disc_is_non_holonomic() -> None:
    """A disc on a plane, rolling without slipping: Pfaffian rows x' - r cos(psi) phi' = 0 and y' - r sin(psi) phi' = 0."""
    text = """
        name = "disc"
        gravity = [0, 0, "-g"]
        [parameters]
        m = 1.0
        r = 0.3
        I = 0.02
        J = 0.01
        g = 9.81
        [[body]]
        name = "sledge"
        [[body]]
        name = "yoke"
        [[body]]
        name = "fork"
        [[body]]
        name = "disc"
        mass = "m"
        inertia = ["J", "I", "J"]
        [[joint]]
        name = "x"
        type = "prismatic"
        axis = "x"
        child = "sledge"
        [[joint]]
        name = "y"
        type = "prismatic"
        axis = "y"
        parent = "sledge"
        child = "yoke"
        [[joint]]
        name = "psi"
        type = "revolute"
        parent = "yoke"
        child = "fork"
        [[joint]]
        name = "phi"
        type = "revolute"
        axis = "y"
        parent = "fork"
        child = "disc"
        [[constraint]]
        name = "along"
        coefficients = { x = 1, phi = "-r*cos(psi)" }
        [[constraint]]
        name = "across"
        coefficients = { y = 1, phi = "-r*sin(psi)" }
    """
    eom = lg.derive(lg.loads(text))
    assert printed_entries(eom.M) == {"M11": "m", "M22": "m", "M33": "J", "M44": "I"}
    assert printed_entries(eom.Psi) == {"Psi11": "1", "Psi14": "-r*cos(psi)", "Psi22": "1", "Psi24": "-r*sin(psi)"}
    assert printed_entries(eom.Psi_dot) == {"Psi_dot14": "r*sin(psi)*qd_psi", "Psi_dot24": "-r*cos(psi)*qd_psi"}
    assert len(eom.closure) == 0
    assert eom.constraint_names == ("along", "across")


def test_two_particles_on_a_rigid_wire() -> None:
    """eta = |r1 - r2|^2 - l^2 is a point-to-point distance; held by a rod, the constraint force is its tension."""
    rod = """
        name = "wire"
        gravity = [0, "-g", 0]
        [parameters]
        m1 = 1.0
        m2 = 2.0
        l = 0.5
        g = 9.81
        [[body]]
        name = "slide"
        [[body]]
        name = "first"
        mass = "m1"
        [[body]]
        name = "second"
        mass = "m2"
        center = ["l", 0, 0]
        [[joint]]
        name = "x"
        type = "prismatic"
        axis = "x"
        child = "slide"
        [[joint]]
        name = "y"
        type = "prismatic"
        axis = "y"
        parent = "slide"
        child = "first"
        [[joint]]
        name = "theta"
        type = "revolute"
        parent = "first"
        child = "second"
    """
    eom = lg.derive(lg.loads(rod))
    assert printed_entries(eom.M) == {
        "M11": "m1 + m2",
        "M13": "-m2*l*sin(theta)",
        "M22": "m1 + m2",
        "M23": "m2*l*cos(theta)",
        "M33": "m2*l^2",
    }
    assert printed_entries(eom.G) == {"G2": "(m1 + m2)*g", "G3": "m2*l*g*cos(theta)"}
    # a virtual displacement along the wire does no work: the tension's generalised force vanishes in x, y, theta
    J1, J2 = eom.jacobian("first"), eom.jacobian("second")
    second = lg.Frame("end", "second", lg.Transform(position=(lg.parameter("l", 0.5), 0, 0)))
    J2 = eom.jacobian(second)
    for k in range(3):
        along = (J2[3, k] - J1[3, k]) * eom.pose("second")[0, 0] + (J2[4, k] - J1[4, k]) * eom.pose("second")[1, 0]
        assert along.is_zero


def test_chain_of_many_links_costs_what_is_reported() -> None:
    """500 to 1000 links are for the recursions: the closed form says so at once."""
    rows = [lg.DHParameters("R", a=0.1, alpha=math.pi / 2 * (-1) ** i, mass=1, center=(0.05, 0, 0)) for i in range(40)]
    arm = lg.Mechanism.from_dh(rows, convention="standard", name="snake")
    with pytest.raises(lg.CostLimitError, match=r"the closed form of 40 joints would take (about \d|more than a lifetime)"):
        lg.derive(arm)


def test_cartesian_space_equations() -> None:
    """F = M_x x'' + C_x + G_x with C_x = J^-T (C q' - M J^-1 J' q'): the bracket the lecture lacks."""
    eom = lg.derive(lg.library("two_r"))
    x = eom.cartesian("tip", ("x", "y"))
    assert str(x.determinant) == "l1*l2*s2"
    q, qd, qdd = [0.4, 1.1], np.array([0.7, -1.3]), np.array([0.2, 0.9])
    J = eom.jacobian("tip").evaluate(q)[3:5]
    Jd = sum(eom.jacobian("tip").diff(k).evaluate(q)[3:5] * qd[k] for k in range(2))
    force = x.M_x.evaluate(q) @ (J @ qdd + Jd @ qd) + x.C_x.evaluate(q, qd) + x.G_x.evaluate(q)
    assert J.T @ force == pytest.approx(eom.tau.evaluate(q, qd, qdd), rel=1e-12)


def test_energy_balance() -> None:
    """H' = q'.tau, as a polynomial identity: passivity, shown."""
    eom = lg.derive(lg.library("two_r"))
    ring, system = eom.system.ring, eom.system
    H = (eom.kinetic_energy + eom.potential_energy).element
    rate = sum((ring.derivative(H, k) * system.speed(k) for k in range(2)), ring.zero)
    rate = rate + sum((ring.partial_derivative(H, f"qd{k + 1}") * system.acceleration(k) for k in range(2)), ring.zero)
    power = sum((system.speed(k) * eom.tau[k].element for k in range(2)), ring.zero)
    assert rate == power
    assert (eom.lagrangian + eom.potential_energy * Fraction(1)).element == eom.kinetic_energy.element
