"""Kane's equations in chosen speeds: against W^T times Lagrange's, the textbook's, Euler's, and the compiled dynamics."""

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian.cli.main import app
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations.kane import vector_time_derivative

ABSOLUTE = {"u1": "theta1'", "u2": "theta1' + theta2'"}
BODY_RATES = {"wx": "q3' - s2*q1'", "wy": "c2*s3*q1' + c3*q2'", "wz": "c2*c3*q1' - s3*q2'"}
CASES = {
    "two_r": ABSOLUTE,
    "furuta": {"u1": "sin(alpha)*theta'", "u2": "alpha' - 2*cos(theta)*theta'"},
    "heavy_top": BODY_RATES,
    "four_bar": {"u1": "theta1'/l1", "u2": "theta1' + phi2'", "u3": "phi3' - cos(theta1)*phi2'"},
    "sprung": {"u1": "shoulder'*slide^2 + shoulder'", "u2": "slide' + l*shoulder'"},
}


def back_in_rates(eom: lg.EquationsOfMotion, actual: object, x: lg.Formula) -> tuple[RingElement, RingElement]:
    """A formula of speeds with u = Y q' and u' = Y q'' + Y' q' put in, over what it stands."""
    system, ring = eom.system, eom.system.ring
    values, scale = {}, ring.one
    for r, speed in enumerate(actual.speeds.values()):
        below = speed.denominator or ring.one
        assert below.poly.is_constant() or not any(ring.derivative(below, k) for k in range(system.n))
        (rate,) = vector_time_derivative(system, (speed.element,))
        values[ring.generator_index[f"qd{r + 1}"]] = speed.element, below
        values[ring.generator_index[f"qdd{r + 1}"]] = rate, below
        scale = scale * below
    # over one constant: the formula is quadratic in speeds at most, so that its square clears every term
    total = ring.zero
    for monomial, c in x.element.poly.terms():
        term = RingElement(ring, ring.context.from_dict({tuple(0 if k in values else int(e) for k, e in enumerate(monomial)): c}))
        below = ring.one
        for k, (above, under) in values.items():
            term, below = term * above ** int(monomial[k]), below * under ** int(monomial[k])
        quotient, rest = divmod((scale * scale).poly, below.poly)
        assert rest.is_zero()
        total = total + ring(term * RingElement(ring, quotient))
    return ring(total), ring(scale * scale * (x.denominator or ring.one))


@pytest.mark.parametrize("name", CASES)
def test_it_is_w_transposed_times_lagranges_equations(sprung: lg.Mechanism, name: str) -> None:
    """Exactly, for all motions: W^T (M q'' + C q' + G + F), with the speeds put back in; Lagrange's equations know none."""
    eom = lg.derive(sprung if name == "sprung" else lg.library(name))
    equations = eom.kane(CASES[name])
    ring = eom.system.ring
    for r, row in enumerate(equations.rows):
        above, below = back_in_rates(eom, equations, row.left)
        # sum_k W_kr tau_k over a common denominator: no two speeds are put in here, W is of q alone
        total, under = ring.zero, ring.one
        for k in range(eom.n):
            w = equations.W[k, r]
            d = w.denominator or ring.one
            total, under = ring(total * d) + ring(w.element * under * eom.tau[k].element), ring(under * d)
        assert ring(above * under) == ring(total * below)
        assert all(x.round_trips() for x in row.formulas)


def test_absolute_rates_make_the_two_link_arm_simple() -> None:
    """With the links' own angular velocities no velocity product is left, as the textbooks have it; and partial velocities."""
    equations = lg.derive(lg.library("two_r")).kane(ABSOLUTE)
    assert str(equations.M[0, 0]) == "m1*r1^2 + m2*l1^2 + I1"
    assert str(equations.M[0, 1]) == "m2*l1*r2*c2"
    assert str(equations.C[0]) == "-m2*l1*r2*s2*u2^2"
    assert str(equations.C[1]) == "m2*l1*r2*s2*u1^2"
    assert str(equations.rows[1]) == "m2*l1*r2*c2*u1' + (m2*r2^2 + I2)*u2' + m2*l1*r2*s2*u1^2 + m2*r2*g*c12 = tau2"
    assert str(equations.rows[0]).endswith("= tau1 - tau2")
    assert [[str(x) for x in row] for row in equations.partial_velocities["link2"].rows] == [
        ["l1*s2", "0"],
        ["l1*c2", "r2"],
        ["0", "0"],
    ]
    assert [str(x) for x in equations.partial_angular_velocities["link2"].rows[2]] == ["0", "1"]
    assert equations.C[1] == "m2*l1*r2*s2*u1^2"  # texts name speeds, too
    assert equations.M.evaluate([0.3, 0.8])[0, 1] == pytest.approx(12.456 * 0.583 * np.cos(0.8))
    assert equations.rows[0].left.to_sympy().has(sympy.Symbol("u2_dot"))


def test_body_rates_give_eulers_equations() -> None:
    """A heavy top in its own angular velocity: I w' + w x I w is the moment of its weight; singular at a pitch of 90 deg."""
    eom = lg.derive(lg.library("heavy_top"))
    equations = eom.kane(BODY_RATES)
    I = equations.M.evaluate([0.1, 0.2, 0.3])
    assert equations.M[0, 1] == 0
    assert equations.M[1, 1] == "C"
    assert equations.M[0, 0] == "m*h^2 + A"
    w = np.array([0.7, -1.1, 2.3])
    assert equations.C.evaluate([0.1, 0.2, 0.3], w) == pytest.approx(np.cross(w, I @ w))
    assert "c2" in str(equations.W[0, 1])
    top = lg.compile(lg.library("heavy_top"))  # its speeds are the body's rates already
    q = np.array([np.cos(0.2), 0, np.sin(0.2), 0])  # a pitch of 0.4
    accelerations = np.linalg.solve(I, -equations.C.evaluate([0, 0.4, 0], w) - equations.G.evaluate([0, 0.4, 0]))
    assert accelerations == pytest.approx(top.forward_dynamics(q, w, np.zeros(3)), rel=1e-12)


def test_without_speeds_they_are_the_rates() -> None:
    eom = lg.derive(lg.library("stanford"))
    assert [row.left.element for row in eom.kane().rows] == [x.element for x in eom.tau]
    grouped = lg.derive(lg.library("two_r"), symbols="inertial").in_base_parameters()
    assert "ᴿ" not in grouped.kane().text()


def test_constraints_are_on_the_right(sprung: lg.Mechanism) -> None:
    equations = lg.derive(lg.library("four_bar")).kane({"u1": "theta1'", "u2": "theta1' + phi2'", "u3": "phi3'"})
    assert str(equations.rows[2]).endswith("= tau3 + l3*s3*lambda1 - l3*c3*lambda2")
    assert str(equations.rows[0]).endswith("= tau1 - tau2 - l1*s1*lambda1 + l1*c1*lambda2")


MISTAKES = {
    "dependent": ({"u1": "theta1' + theta2'", "u2": "2*theta1' + 2*theta2'"}, "not independent.*: u2 follows from u1"),
    "zero": ({"u1": "0*theta1'", "u2": "theta2'"}, "u1 is zero"),
    "too few": ({"u1": "theta1'"}, "1 speed; give one for each of the 2 coordinates"),
    "no mapping": (["theta1'"], "the speeds are not a mapping"),
    "not linear": ({"u1": "theta1'^2", "u2": "theta2'"}, "speed 'u1' is .*; it must be a sum of rates"),
    "a place": ({"u1": "theta1", "u2": "theta2'"}, "speed 'u1' is .*; it must be a sum of rates"),
    "an offset": ({"u1": "theta1' + 1", "u2": "theta2'"}, "a sum of rates"),
    "an acceleration": ({"u1": "theta1''", "u2": "theta2'"}, "a sum of rates"),
    "below the line": ({"u1": "theta1'/cos(theta2)", "u2": "theta2'"}, "The denominator must be constant"),
    "taken name": ({"m1": "theta1'", "u2": "theta2'"}, "'m1', which is already in the equations"),
    "no name": ({"u 1": "theta1'", "u2": "theta2'"}, "is not a name"),
    "unknown": ({"u1": "theta9'", "u2": "theta2'"}, "theta9"),
    "code": ({"u1": "__import__('os')", "u2": "theta2'"}, "not"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_wrong_speeds_are_refused(name: str) -> None:
    speeds, expected = MISTAKES[name]
    with pytest.raises(lg.ArgumentError, match=expected):
        lg.derive(lg.library("two_r")).kane(speeds)


def test_it_is_shown_typeset_and_commanded(tmp_path) -> None:
    equations = lg.derive(lg.library("two_r")).kane(ABSOLUTE)
    shown = equations.text()
    assert "u₂ = θ₁' + θ₂'" in shown
    assert "v_u₁ = (l₁ s₂, l₁ c₂, 0)" in shown
    assert "= τ₁ - τ₂" in shown
    latex = equations.latex()
    assert r"\dot{u}_{1}" in latex
    assert r"= \tau_{1} - \tau_{2}" in latex
    equations.save(tmp_path / "kane.md")
    assert r"\dot{u}_{2}" in (tmp_path / "kane.md").read_text()
    run = CliRunner()
    arguments = ["--speed", "u1=theta1'", "--speed", "u2=theta1' + theta2'"]
    printed = run.invoke(app, ["derive", "two_r", "--method", "kane", *arguments])
    assert "C₁ = -m₂ l₁ r₂ s₂ u₂²" in printed.output
    assert "--method kane" in run.invoke(app, ["derive", "two_r", *arguments]).output
