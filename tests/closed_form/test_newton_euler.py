"""Newton and Euler link by link, to read: against Craig's closed form, Lagrange, differentiation, and the compiled reactions."""

import json

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian.cli.main import app
from lagrangian.equations import kinematics
from lagrangian.equations.derivations.kane import vector_time_derivative
from lagrangian.model import vector as v


def test_craigs_two_link_arm() -> None:
    """Craig, Introduction to Robotics, third edition, section 6.7: two point masses at the distal ends, step by step."""
    equations = lg.derive(lg.library("two_r_point_masses")).newton_euler()
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    q1, q2, d1, d2, a1, a2 = sympy.symbols("theta1 theta2 qd_theta1 qd_theta2 qdd_theta1 qdd_theta2")
    c1, s1, c2, s2, c12, s12 = (f(x) for x in (q1, q2, q1 + q2) for f in (sympy.cos, sympy.sin))
    F1 = [-m1 * l1 * d1**2 + m1 * g * s1, m1 * l1 * a1 + m1 * g * c1, 0]
    F2 = [
        m2 * l1 * a1 * s2 - m2 * l1 * d1**2 * c2 + m2 * g * s12 - m2 * l2 * (d1 + d2) ** 2,
        m2 * l1 * a1 * c2 + m2 * l1 * d1**2 * s2 + m2 * g * c12 + m2 * l2 * (a1 + a2),
        0,
    ]
    f1 = [c2 * F2[0] - s2 * F2[1] + F1[0], s2 * F2[0] + c2 * F2[1] + F1[1], 0]
    tau2 = m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * c2 * a1 + m2 * l1 * l2 * s2 * d1**2 + m2 * l2 * g * c12
    tau1 = (
        m2 * l2**2 * (a1 + a2)
        + m2 * l1 * l2 * c2 * (2 * a1 + a2)
        + (m1 + m2) * l1**2 * a1
        - m2 * l1 * l2 * s2 * d2**2
        - 2 * m2 * l1 * l2 * s2 * d1 * d2
        + m2 * l2 * g * c12
        + (m1 + m2) * l1 * g * c1
    )
    first, second = equations.links["link1"], equations.links["link2"]
    expected = {
        "w1": (first.angular_velocity, [0, 0, d1]),
        "w2": (second.angular_velocity, [0, 0, d1 + d2]),
        "a1": (first.acceleration, [g * s1, g * c1, 0]),
        "aC1": (first.center_acceleration, [x / m1 for x in F1]),
        "a2": (second.acceleration, [l1 * a1 * s2 - l1 * d1**2 * c2 + g * s12, l1 * a1 * c2 + l1 * d1**2 * s2 + g * c12, 0]),
        "F1": (first.inertia_force, F1),
        "F2": (second.inertia_force, F2),
        "N2": (second.inertia_moment, [0, 0, 0]),
        "f2": (second.force, F2),
        "n2": (second.moment, [0, 0, tau2]),
        "f1": (first.force, f1),
        "n1": (first.moment, [0, 0, tau1]),
        "tau": (equations.tau, [tau1, tau2]),
    }
    names = (m1, m2, l1, l2, g, q1, q2, d1, d2, a1, a2)
    for values in np.random.default_rng(6).uniform(-2, 2, (3, len(names))):
        arguments = {str(name): x for name, x in zip(names[:5], values, strict=False)}
        for name, (vector, book) in expected.items():
            assert vector is not None
            right = sympy.lambdify(names, book)(*values)
            assert vector.evaluate(values[5:7], values[7:9], values[9:], **arguments) == pytest.approx(
                right, rel=1e-11, abs=1e-11
            ), name


@pytest.mark.parametrize("name", ["stanford", "scara", "furuta", "heavy_top", "flyball_governor", "sprung"])
def test_tau_is_lagranges(sprung: lg.Mechanism, name: str) -> None:
    """Exactly: turns and slides, rotors, springs at joints and between points, dampers, friction, joints of several axes."""
    eom = lg.derive(sprung if name == "sprung" else lg.library(name))
    assert list(eom.newton_euler().tau) == list(eom.tau)
    weighed = eom.newton_euler("ground", gravity="weight")
    assert list(weighed.tau) == list(eom.tau)


def test_forces_are_the_compiled_reactions(sprung: lg.Mechanism) -> None:
    dyn, actual = lg.compile(sprung), lg.derive(sprung).newton_euler()
    q, qd, qdd = [0.4, 0.15], [1.3, -0.8], [2.0, 0.9]
    for joint, reaction in zip(sprung.joints, dyn.reactions(q, qd, qdd), strict=True):
        if joint.name == "glue":
            continue  # the bodies fixed together are one link
        link = actual.links[joint.child]
        R = np.array([[float(x) for x in row] for row in joint.child_placement.rotation])  # the joint's axes in the link's
        for vector, value in ((link.moment, reaction[:3]), (link.force, reaction[3:])):
            assert R.T @ vector.evaluate(q, qd, qdd) == pytest.approx(value, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", ["two_r", "furuta", "sprung"])
def test_accelerations_are_second_derivatives_of_positions(sprung: lg.Mechanism, name: str) -> None:
    eom = lg.derive(sprung if name == "sprung" else lg.library(name))
    system = eom.system
    equations = eom.newton_euler("ground", gravity="weight")
    for i, link in enumerate(system.links):
        body, pose = equations.links[link.name], kinematics.link_pose(system, i)
        mass = system.ring(link.inertia.mass)
        origin = vector_time_derivative(system, vector_time_derivative(system, pose.p))
        assert all(x.element == system.ring(y) for x, y in zip(body.acceleration, origin, strict=True))
        moment = v.add(v.scale(mass, pose.p), v.mat_vec(pose.R, link.inertia.h))
        force = vector_time_derivative(system, vector_time_derivative(system, moment))
        assert all(x.element == system.ring(y) for x, y in zip(body.inertia_force, force, strict=True))
        assert body.center_acceleration is not None
        over = zip(body.center_acceleration, force, strict=True)
        assert all((x.denominator or system.ring.one) * y == x.element * mass for x, y in over)


def test_a_free_body_is_in_balance() -> None:
    """In the ground's axes f1 - f2 + W1 = F1, and the moments about the centre of link 1 make N1: Newton's and Euler's laws."""
    eom = lg.derive(lg.library("two_r"))
    equations = eom.newton_euler("ground", gravity="weight")
    first, second = equations.links["link1"], equations.links["link2"]
    assert first.weight is not None
    for a, b, w, F in zip(first.force, second.force, first.weight, first.inertia_force, strict=True):
        assert a - b + w == F
    at = [(eom.pose(name)[0, 3], eom.pose(name)[1, 3]) for name in ("link1", "link2")]
    c, s = eom.pose("link1")[0, 0], eom.pose("link1")[1, 0]
    r1 = next(x for x in eom.system.ring.symbols if x.name == "r1")
    r = lg.Formula(eom.writer, eom.system.ring.generator(r1.name))
    center = (at[0][0] + r * c, at[0][1] + r * s)

    def about(where: tuple, force: lg.FormulaMatrix) -> lg.Formula:
        x, y = where[0] - center[0], where[1] - center[1]
        return x * force[1] - y * force[0]

    total = first.moment[2] + about(at[0], first.force) - second.moment[2] - about(at[1], second.force)
    assert total == first.inertia_moment[2]


def test_links_without_mass_and_of_several_axes() -> None:
    links = lg.derive(lg.library("heavy_top")).newton_euler().links
    assert list(links) == ["point.yaw.link", "point.pitch.link", "top"]
    assert links["point.yaw.link"].center_acceleration is None
    assert not any(links["point.pitch.link"].inertia_force)


def test_it_is_shown_typeset_and_saved(tmp_path) -> None:
    eom = lg.derive(lg.library("four_bar"))
    equations = eom.newton_euler()
    shown = equations.text()
    assert "Outward: crank, in its own axes" in shown
    assert "N = (0, 0, m₁ l₁² θ₁''/12)" in shown
    assert "f and n do not include the constraint forces of loops" in shown
    assert shown.index("Inward: coupler") < shown.index("Inward: crank")
    assert r"\omega &= \begin{pmatrix} 0 \\ 0 \\ \dot{\theta}_{1} \end{pmatrix}" in equations.latex()
    for ending in ("tex", "md"):
        equations.save(tmp_path / f"a.{ending}")
        assert r"\dot{\theta}_{1} \end{pmatrix}" in (tmp_path / f"a.{ending}").read_text()
    grouped = lg.derive(lg.library("two_r"), symbols="inertial").in_base_parameters()
    assert "ᴿ" in grouped.text()
    assert "ᴿ" not in grouped.newton_euler().text()  # a free body has its own parameters
    with pytest.raises(lg.ArgumentError, match="there is no choice 'body'") as caught:
        eom.newton_euler("body")
    assert caught.value.argument == "axes"


def test_long_ones_are_written_when_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("derivations.derivation", "derivations.newton_euler"):
        monkeypatch.setattr(f"lagrangian.closed_form.{module}.MAX_REPEATED_TERMS", 3)
    equations = lg.derive(lg.library("two_r")).newton_euler()
    assert equations.text().count("not printed: show(full=True) prints them") == 5
    assert "not printed" not in equations.text(full=True)


def test_derive_prints_them() -> None:
    run = CliRunner()
    shown = run.invoke(app, ["derive", "two_r", "--method", "newton-euler", "--axes", "ground"])
    assert shown.exit_code == 0
    assert "Outward: link1, in the ground's axes" in shown.output
    data = json.loads(run.invoke(app, ["derive", "two_r", "--method", "newton-euler", "--json"]).output)
    assert [s["key"] for s in data["sections"]] == ["legend", "outward", "outward", "inward", "inward", "tau"]
    assert data["sections"][1]["lines"][0]["text"] == ["omega = (0, 0, qd1)"]
    assert "--axes needs --method newton-euler" in run.invoke(app, ["derive", "two_r", "--axes", "ground"]).output
    assert "Known: lagrange, newton-euler, kane" in run.invoke(app, ["derive", "two_r", "--method", "hamilton"]).output
