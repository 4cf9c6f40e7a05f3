"""Multipliers and accelerations in closed form: against textbooks, the lecture's equations, exact points and compiled code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lagrangian as lg
from lagrangian.closed_form import multipliers
from lagrangian.equations.multipliers import MultiplierSolution
from lagrangian.equations.writing.notation import latex_name_parts
from lagrangian.equations.writing.printers import symbol_markup
from lagrangian.proof.constraints import MultiplierProof
from lagrangian.proof.forward_dynamics import ForwardDynamicsProof
from lagrangian.proof.loops import PointMechanism
from lagrangian.proof.points import ExactPoint
from lagrangian.proof.shipped import Recursions

SMALL = ("wire_particles", "four_bar", "slider_crank", "rolling_disc", "chaplygin_sleigh", "differential_drive")


@pytest.fixture(scope="module")
def equations() -> dict[str, lg.EquationsOfMotion]:
    return {name: lg.derive(lg.library(name)) for name in (*SMALL, "five_bar", "parallelogram")}


def torques(eom: lg.EquationsOfMotion) -> np.ndarray:
    """Some, at the actuated joints."""
    return np.array([0.7 + k if joint.actuated else 0.0 for k, joint in enumerate(eom.mechanism.joints)])


def torques_by_name(eom: lg.EquationsOfMotion) -> dict[str, float]:
    return {f"tau{k + 1}": x for k, x in enumerate(torques(eom)) if x}


def test_the_tension_of_a_wire(equations: dict[str, lg.EquationsOfMotion]) -> None:
    """Two particles on a rigid wire: gravity does not stretch it, and turning at w it carries m1 m2/(m1 + m2) l w^2."""
    eom = equations["wire_particles"]
    assert eom.multipliers[0] == "-m1*m2*l*((qd1 - qd3)^2 + (qd2 - qd4)^2)/((m1 + m2)*((x1 - x2)^2 + (y1 - y2)^2))"
    mechanism = eom.mechanism
    tension = -eom.multipliers[0].evaluate(mechanism.initial.q, mechanism.initial.qd)
    assert tension == pytest.approx(1.0 * 2.0 / 3.0 * 1.0 * 4.0**2, rel=1e-14)


def test_the_rolling_disc_of_the_textbooks(equations: dict[str, lg.EquationsOfMotion]) -> None:
    """Neimark, Fufaev (1972); Greenwood (2003): with A, C about a diameter and the axle, w = spin' + yaw' sin(lean),

    (A + m r^2) lean'' = -A yaw'^2 sin cos + (C + m r^2) yaw' w cos + m g r sin,
    A yaw'' cos = 2 A yaw' lean' sin - C w lean',    (C + m r^2) w' = -m r^2 yaw' lean' cos.
    """
    eom = equations["rolling_disc"]
    _, _, _, yaw, lean, spin = eom.accelerations
    s, c, w = "sin(disc.lean)", "cos(disc.lean)", "(qd6 + qd4*sin(disc.lean))"
    assert lean == f"(-r^2/4*qd4^2*{s}*{c} + 3*r^2/2*qd4*{w}*{c} + g*r*{s})/(5*r^2/4)"
    assert yaw == f"(2*qd4*qd5*{s} - 2*{w}*qd5)/{c}"
    rate = spin + yaw * eom.pose("disc")[2, 1] + f"qd4*qd5*{c}"  # the axle's rise is sin(lean)
    assert rate == f"-2/3*qd4*qd5*{c}"
    # no slip: the contact's velocity is that of the centre less w x r
    assert eom.Psi[1, 5] == "-r*cos(disc.yaw)"
    assert eom.closure[0] == f"disc.pz - r*{c}"


def test_the_normal_force_of_a_disc_that_stands(equations: dict[str, lg.EquationsOfMotion]) -> None:
    eom = equations["rolling_disc"]
    still = [0.0, 0.0, 0.2, 0.3, 0.0, 0.0]
    assert eom.multipliers.evaluate(still, np.zeros(6)) == pytest.approx([9.81, 0.0, 0.0])


def test_chaplygins_sleigh(equations: dict[str, lg.EquationsOfMotion]) -> None:
    """v' = a w^2 and w' = -m a v w / (Ic + m a^2); the reference's motion, integrated from the closed form alone."""
    eom = equations["chaplygin_sleigh"]
    reference = json.loads((Path(__file__).parents[1] / "data" / "nonholonomic.json").read_text())["reference"]["chaplygin"]

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], eom.accelerations.evaluate(y[:3], y[3:])])

    solution = solve_ivp(rate, (0, 2), [-0.3, 0, 0, 0.1, 0, 2.0], method="DOP853", rtol=1e-10, atol=1e-12, t_eval=[0.5, 1.0, 2.0])
    for t, y in zip(("0.5", "1.0", "2.0"), solution.y.T, strict=True):
        v = y[3] * np.cos(y[2]) + y[4] * np.sin(y[2])
        assert [v, y[5], y[2]] == pytest.approx([reference[t][name] for name in ("v", "omega", "theta")], rel=1e-8)


@pytest.mark.parametrize("name", SMALL)
def test_the_equations_of_motion_hold(name: str, equations: dict[str, lg.EquationsOfMotion]) -> None:
    """G27 (14), (15), with lambda and q'' put in, in numbers at random states; and G27 (16), lambda = -A^-1 b."""
    eom = equations[name]
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, qd = rng.normal(size=(2, eom.n))
        tau = torques(eom)
        forces, accelerations = (x.evaluate(q, qd, **torques_by_name(eom)) for x in (eom.multipliers, eom.accelerations))
        M, Psi = eom.M.evaluate(q), eom.Psi.evaluate(q)
        left = M @ accelerations + eom.C.evaluate(q, qd) @ qd + eom.G.evaluate(q) + eom.F.evaluate(q, qd)
        np.testing.assert_allclose(left, tau + Psi.T @ forces, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(Psi @ accelerations, -eom.Psi_dot.evaluate(q, qd) @ qd, rtol=1e-9, atol=1e-9)
        A, b = eom.delassus.evaluate(q), eom.unconstrained_drift.evaluate(q, qd, **torques_by_name(eom))
        np.testing.assert_allclose(A, Psi @ np.linalg.solve(M, Psi.T), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(forces, -np.linalg.solve(A, b), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["wire_particles", "four_bar", "rolling_disc"])
def test_compiled_multipliers(name: str, equations: dict[str, lg.EquationsOfMotion]) -> None:
    eom = equations[name]
    dyn = lg.compile(eom.mechanism)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q, qd = rng.normal(size=(2, eom.n)) * 0.5
        values = eom.multipliers.evaluate(q, qd, **torques_by_name(eom))
        np.testing.assert_allclose(values, dyn.multipliers(q, qd, torques(eom)), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", [*SMALL, "five_bar", "parallelogram"])
def test_exact_points(name: str, equations: dict[str, lg.EquationsOfMotion]) -> None:
    """At a rational point the quotients are the exact solution of M q'' - Psi^T lambda = f, Psi q'' = -Psi' q'."""
    eom = equations[name]
    system, terms, rows = eom.system, eom._terms, eom._constraint_equations
    bias = [sum(x[1:], x[0]) for x in zip(*terms.velocity_terms, terms.potential_gradient, terms.friction_forces, strict=True)]
    actual = MultiplierSolution(system, eom.derived.M, rows, bias)
    recursions = Recursions(system)
    point = ExactPoint(system, 2)
    solved = MultiplierProof(ForwardDynamicsProof(recursions, eom.derived, [point]), rows, [point])
    forces = [point.evaluate(f) + point.evaluate(h) for f, h in zip(actual.force, bias, strict=True)]
    expected = solved._closed_form_solution(PointMechanism(recursions, point), [point.number(0) + x for x in forces])
    exact = [point.evaluate(above) / point.evaluate(below) for above, below in (*actual.accelerations, *actual.multipliers)]
    assert exact == expected


def test_phi_of_time() -> None:
    """A knife edge that is led sideways, phi(t) + Psi q' = 0: lambda carries phi'(t) (G27, equation 20), as in compiled code."""
    sleigh = lg.library("chaplygin_sleigh")
    w = lg.parameter("w", 3.0)
    phi = 0.4 * lg.model.expression.call("sin", w * lg.model.expression.symbol("t"))
    led = sleigh.replace(constraints=[lg.PfaffianConstraint("knife", sleigh.constraints[0].coefficients, phi)])
    eom, dyn = lg.derive(led), lg.compile(led)
    q, qd, t = [0.1, 0.2, 0.4], [0.3, -0.2, 1.1], 0.7
    actual = eom.multipliers.evaluate(q, qd, t=t)
    np.testing.assert_allclose(actual, dyn.multipliers(q, qd, [0.0] * 3, t=t), rtol=1e-12)
    assert actual != pytest.approx(eom.multipliers.evaluate(q, qd, t=0.1))
    assert "phi_dot(knife)" in str(eom.multipliers)
    assert r"\dot{\phi}_{\mathrm{knife}}" in eom.latex()
    values = {"sleigh.angle": q[2], "qd_sleigh.x": qd[0], "qd_sleigh.y": qd[1], "qd_sleigh.angle": qd[2], "t": t, "w": 3.0}
    symbolic = eom.to_sympy()["multipliers"][0].subs(values | {"m": 1.0, "Ic": 0.5, "a": 0.3})
    assert float(symbolic) == pytest.approx(actual[0], rel=1e-12)


def test_texts_show_multipliers_and_constraints(equations: dict[str, lg.EquationsOfMotion], tmp_path: Path) -> None:
    wire, four_bar = equations["wire_particles"], equations["four_bar"]
    keys = [section.key for section in wire.sections()]
    assert "lambda" in keys
    assert "lambda₁ = " in wire.text()
    assert r"\lambda_{1} &= " in wire.latex()
    wire.save(tmp_path / "wire.md")
    assert r"\lambda_{1} &= " in (tmp_path / "wire.md").read_text()
    shown = four_bar.text()
    assert "lambda1 = (A12 b2 - A22 b1)/det" in shown
    assert "A₁₂ = A₂₁ = " in shown
    (section,) = multipliers.multiplier_sections(equations["five_bar"])
    assert "not printed" in section.words[0]
    assert "lg.compile(mechanism).multipliers(q, qd, tau)" in section.words[0]


def test_accelerations_have_two_dots(equations: dict[str, lg.EquationsOfMotion]) -> None:
    """In LaTeX and MathML, above their letter and not above its index."""
    shown = equations["wire_particles"].latex()
    _, _, accelerations = shown.partition("% Accelerations, without lambda")
    assert r"\ddot{x}_{1} &=" in accelerations
    assert "''" not in accelerations.partition("% Energies")[0]
    assert "".join(latex_name_parts("theta1''")) == r"\ddot{\theta}_{1}"
    assert symbol_markup("theta1''") == symbol_markup("theta1", 2)


def test_what_is_too_large_is_refused() -> None:
    bicycle = lg.derive(lg.library("bicycle"))
    with pytest.raises(lg.MechanismError, match=r"6 multipliers of 9 coordinates, .* too many") as caught:
        _ = bicycle.multipliers
    assert "lg.compile(mechanism).multipliers(q, qd, tau)" in str(caught.value)
    (section,) = multipliers.multiplier_sections(bicycle)
    assert "not written in closed form" in section.words[0]
    with pytest.raises(lg.MechanismError, match="no constraints"):
        _ = lg.derive(lg.library("two_r")).multipliers
    mechanism = lg.library("wire_particles")
    twice = mechanism.replace(loops=(mechanism.loops[0], lg.LoopJoint("again", "distance", "particle1", "particle2", length=1.0)))
    with pytest.raises(lg.MechanismError, match="depend on each other"):
        _ = lg.derive(twice).accelerations


def test_multipliers_that_take_too_long_are_refused_and_the_rest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagrangian.closed_form.multipliers.PATIENCE", -1.0)
    eom = lg.derive("four_bar")
    with pytest.raises(lg.MechanismError, match=r"multipliers in closed form takes longer than"):
        _ = eom.multipliers
    assert "not written in closed form: writing its multipliers" in eom.text()
