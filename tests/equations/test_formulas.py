"""Work with formulas: arithmetic, substitution, derivatives, and comparison by proof with texts and SymPy expressions."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.equations.writing.printers import break_lines

two_r = lg.derive("two_r")
m12 = two_r.M[0, 1]


# -- the lectures' own texts, compared by == -----------------------------------------------------------------------------


def test_point_masses_as_lecture_14_writes_them() -> None:
    eom = lg.derive("two_r_point_masses")
    assert eom.M == [
        ["m1*l1^2 + m2*(l1^2 + 2*l1*l2*cos(theta2) + l2^2)", "m2*(l1*l2*cos(theta2) + l2^2)"],
        ["m2*(l1*l2*cos(theta2) + l2^2)", "m2*l2^2"],
    ]
    assert eom.C @ eom.qd == [
        "-m2*l1*l2*sin(theta2)*(2*theta1'*theta2' + theta2'^2)",
        "m2*l1*l2*theta1'^2*sin(theta2)",
    ]
    assert eom.G == ["(m1+m2)*l1*g*cos(theta1) + m2*g*l2*cos(theta1+theta2)", "m2*g*l2*cos(theta1+theta2)"]


def test_general_links_as_the_lecture_writes_them() -> None:
    lengths = {"l1": 1.0, "l2": 0.8, "lc1": 0.4, "lc2": 0.3, "m1": 2.0, "m2": 1.5, "I1": 0.2, "I2": 0.1, "g": 9.81}
    p = {name: lg.parameter(name, x) for name, x in lengths.items()}
    rows = [
        lg.DHParameters("R", a=p["l1"], mass=p["m1"], center=(p["lc1"] - p["l1"], 0, 0), inertia=(0, p["I1"], p["I1"])),
        lg.DHParameters("R", a=p["l2"], mass=p["m2"], center=(p["lc2"] - p["l2"], 0, 0), inertia=(0, p["I2"], p["I2"])),
    ]
    eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -p["g"], 0)))
    assert eom.M[0, 0] == "m1*lc1^2 + m2*(l1^2 + lc2^2 + 2*l1*lc2*cos(q2)) + I1 + I2"
    assert eom.M[0, 1] == "m2*(lc2^2 + l1*lc2*cos(q2)) + I2"
    assert eom.M[1, 1] == "m2*lc2^2 + I2"
    h = "(-m2*l1*lc2*sin(q2))"
    assert [[f"{h}*qd2", f"{h}*qd2 + {h}*qd1"], [f"-{h}*qd1", 0]] == eom.C
    assert eom.G == ["(m1*lc1 + m2*l1)*g*cos(q1) + m2*lc2*g*cos(q1+q2)", "m2*lc2*g*cos(q1+q2)"]
    # a sign, a missing 2, a sine for a cosine, another index
    for wrong in (
        "m2*(lc2^2 - l1*lc2*cos(q2)) + I2",
        "m2*(lc2^2 + 2*l1*lc2*cos(q2)) + I2",
        "m2*(lc2^2 + l1*lc2*sin(q2)) + I2",
        "m2*(lc2^2 + l1*lc2*cos(q1)) + I2",
        "m2*(lc2^2 + l2*lc2*cos(q2)) + I2",  # l2 is in no equation
    ):
        assert eom.M[0, 1] != wrong


def test_cartesian_arm_and_geared_link_as_the_lecture_writes_them() -> None:
    arm = lg.derive("cartesian_pp")
    assert arm.tau == ["(m1+m2)*q1'' + g*(m1+m2)", "m2*q2''"]
    link = lg.derive("geared_link")
    assert link.tau == ["(r^2*J_m + J_l)*theta'' + M*g*l*sin(theta)"]


# -- texts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "m2*(r2**2 + l1*r2*cos(theta2)) + I2",
        "I2 + m2 r2² + m₂ l₁ r₂ cos(θ₂)",
        "m2*(r2^2 + l1*r2*c2) + I2",
        "m_2*(r_2^2 + l_1*r_2*cos(theta_2)) + I_2",
        "m2*(r2^2 + l1*r2*(cos(theta1)*cos(theta1+theta2) + sin(theta1)*sin(q1+q2))) + I2",
        "m2*(r2^2 + l1*r2*(2*cos(theta2)^3 - cos(theta2)*cos(2*theta2))) + I2",
        "m2*(r2^2 + l1*r2*(cos(5*q2)*cos(4*q2) + sin(5*q2)*sin(4*q2))) + I2",
        "m2*(r2^2 + l1*r2*(1 - 2*sin(theta2/2)^2)) + I2",
        "m2*(r2^2 + l1*r2*sin(theta2 + pi/2)) + I2",
        "m2*(r2^2 + l1*r2*cos(-theta2)) + I2/(sin(q1)^2 + cos(q1)^2)",
        "(m2*l2*(r2^2 + l1*r2*c2) + I2*l2)/l2",
        "m2*(r2^2 + l1*r2*(cos(3*q2/2)*cos(q2/2) + sin(3*q2/2)*sin(q2/2))) + I2",
    ],
)
def test_texts_that_say_the_same(text: str) -> None:
    assert m12 == text
    assert m12 != f"({text}) + 1e-9*g"
    assert hash(m12) == hash(m12.read(text))


@pytest.mark.parametrize("word", ["qd2", "theta2'", "q2'", "dq2", "dtheta2", "theta2_dot", "qd_theta2", "θ̇₂", "q2_dot"])
def test_every_name_of_a_speed(word: str) -> None:
    assert two_r.C[0, 0] == f"-m2*l1*r2*sin(theta2)*{word}"
    assert two_r.C[0, 0] != f"-m2*l1*r2*sin(theta2)*{word.replace('2', '1').replace('₂', '₁')}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m2*(r2^2", r"'\)' is missing \(column 9\)"),
        ("m2*+*r2", r"'\*' is not expected here \(column 5\)"),
        ("m2*rr", r"there is no name 'rr'.* \(column 4\)"),
        ("m2*sine(theta2)", r"there is no function 'sine'. Did you mean 'sin'.*\(column 4\)"),
        ("m2 = 3", r"has an equals sign \(column 4\)"),
        ("m2 ; 3", r"'; 3' is not understood \(column 4\)"),
        ("m2/r2 l1", r"beside the divisor .*\(column 7\)"),
        ("", "is empty"),
        ("__import__('os').system('true')", "is not understood|there is no"),
        ("m2/(sin(q1)^2 + cos(q1)^2 - 1)", "divides by zero"),
        ("m2^r2", "the exponent of a formula must be a number"),
        ("m2^1000", "a whole or half number"),
        ("sin(qd1)", "a function of qd1"),
        ("m2*1e-99999999", "the number 1e-99999999 has"),
        (f"m2*0.{'3' * 5001}", r"the number 0\.33.* has more than 1000 digits"),
        ("(m1+m2+l1+l2+g+theta1+theta2)^60", "too large to be expanded"),
        ("exp(sin((m1+m2+l1+l2+g+theta1+theta2)^24))", "too large to be expanded"),
        ("1/(m1+l1+g)^30/(m2+l1+g+l2+m1)^30", "too large to be expanded"),
        ("((1e900*m1)^100)^100", "too large to be expanded"),
    ],
)
def test_what_cannot_be_read_is_an_error(text: str, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        assert m12 == text


def test_what_no_identity_known_here_decides_is_an_error() -> None:
    with pytest.raises(lg.ArgumentError, match="cannot be decided: they agree numerically"):
        assert m12 == "m2*(r2^2 + l1*r2*c2) + I2 + exp(2*l1) - exp(l1)^2"
    assert m12 != "m2*(r2^2 + l1*r2*c2) + I2 + exp(2*l1) - exp(l1)"


def test_only_pi_is_pi() -> None:
    """Decimals are fractions, and no fraction is a multiple of pi."""
    cosine = m12.read("cos(theta2)")
    assert cosine == "cos(theta2 + 2*pi)"
    for other in ("6.283185307179586", "1e-12", "1e-30", "12.566370614359172"):
        assert cosine != f"cos(theta2 + {other})"
    assert m12.read("cos(0.7)") == "cos(7/10)"
    assert m12.read("cos(5)") == "cos(3+2)"
    with pytest.raises(lg.ArgumentError, match="cannot be decided"):  # and not the same after rounding
        assert m12.read("cos(0.7)") != "cos(0.70000000000000001)"


def test_roots_are_exact() -> None:
    assert m12 - "sqrt(l1^2 + l2^2)^2" == m12 - "l1^2" - "l2^2"
    assert m12 * "sqrt(4*l1)" == m12 * "2*sqrt(l1)"
    assert m12 * "sqrt(8)" == 2 * m12 * "2^0.5"
    assert m12 * "sqrt(2/3)*sqrt(6)" == 2 * m12
    assert m12 * "cos(pi/6)" == m12 * "sqrt(3)/2"


@pytest.mark.parametrize("name", ["five_bar", "furuta", "stanford", "slider_crank", "two_r_point_masses"])
def test_what_the_package_writes_reads_back(name: str) -> None:
    eom = lg.derive(name)
    for matrix in (eom.M, eom.C, eom.G, eom.F, eom.Psi):
        for _, formula in matrix.entries:
            assert formula == str(formula)
            assert formula == formula.unicode()
            assert formula == formula.to_sympy()
            assert formula == formula.to_sympy(dynamic=True)
            assert formula.expand() == formula


def test_inertial_symbols_and_base_parameters() -> None:
    eom = lg.derive("puma560", symbols="inertial")
    entry = eom.M[1, 2]
    assert entry == str(entry)
    assert entry != str(entry).replace("0.4318", "0.4319", 1)
    grouped = eom.in_base_parameters().M[4, 4]
    assert grouped == str(grouped)
    with pytest.raises(lg.ArgumentError, match="different equations"):
        _ = grouped + entry


# -- containers ----------------------------------------------------------------------------------------------------------


def test_formulas_in_sets_and_dictionaries() -> None:
    a, b = two_r.M[0, 0], two_r.M[0, 1]
    s2 = m12.read("sin(theta2)")
    same = [(a / b) * b, a + "l2" - "l2", m12.read("(1 - cos(theta2)^2)/sin(theta2)") * a / s2]
    assert all(x == a for x in same)
    assert len({a, *same}) == 1
    assert {a: 1}[same[1]] == 1
    assert hash(a / a) == hash(1)
    assert hash(a / a / 2) == hash(Fraction(1, 2))
    assert (a == None) is False  # noqa: E711
    assert (a == object()) is False
    assert pickle.loads(pickle.dumps(two_r)).M[0, 0] == str(a)


# -- calculus ------------------------------------------------------------------------------------------------------------


def test_lagranges_equations_written_as_the_book_has_them() -> None:
    eom = lg.derive("furuta")
    L = eom.lagrangian
    for k, name in enumerate(eom.coordinates):
        assert L.diff(f"{name}'").diff("t") - L.diff(name) == eom.tau[k] - eom.F[k]
    assert eom.M @ eom.qdd + eom.C @ eom.qd + eom.G + eom.F == eom.tau
    skew = eom.M.diff("t") - 2 * eom.C
    assert -skew == skew.T
    assert eom.qd @ eom.M @ eom.qd / 2 == eom.kinetic_energy


def test_derivatives_by_parameters_and_through_functions() -> None:
    assert m12.diff("r2") == "m2*(2*r2 + l1*cos(theta2))"
    assert m12.diff("g") == 0
    f = m12.read("sqrt(l1^2 + l2^2)*cos(3*l1) + l2/(l1 + r2)")
    assert f.diff("l1") == "l1/sqrt(l1^2 + l2^2)*cos(3*l1) - 3*sqrt(l1^2 + l2^2)*sin(3*l1) - l2/(l1 + r2)^2"
    with pytest.raises(lg.ArgumentError, match="qdd1, whose time derivative is not available"):
        two_r.tau.diff("t")
    with pytest.raises(lg.ArgumentError, match="stands for a formula"):
        m12.diff("c2")


def test_other_things_in_place_of_names() -> None:
    assert m12.subs(theta2="pi/2") == "m2*r2^2 + I2"
    assert m12.subs({"theta2": 0, "r2": "l1/2"}) == "3/4*m2*l1^2 + I2"
    assert m12.subs(l1="l2", l2="l1") == "m2*(r2^2 + l2*r2*cos(theta2)) + I2"
    assert two_r.G[0].subs(theta1="theta2", theta2="theta1") == "(m1*r1+m2*l1)*g*cos(theta2) + m2*r2*g*cos(theta1+theta2)"
    assert m12.subs(m2=m12).subs(theta2="pi/2") == "(m2*r2^2 + I2)*r2^2 + I2"
    assert m12.subs(r2="1/l1") == "m2*(1/l1^2 + cos(theta2)) + I2"
    rho = lg.parameter("rho", 7800.0)
    assert m12.subs(m2=rho * lg.parameter("V", 0.001)).evaluate([0.0, 0.3]) == pytest.approx(m12.evaluate([0.0, 0.3], m2=7.8))
    assert float(m12.subs(m2=0, I2=2)) == 2.0
    with pytest.raises(lg.ArgumentError, match="depends on theta2"):
        float(m12.subs(I2=2))
    assert two_r.M.subs(m2=0, I2=0) == [["m1*r1^2 + I1", 0], [0, 0]]
    with pytest.raises(lg.ArgumentError, match="no name 'm3'"):
        m12.subs(m3=1)
    with pytest.raises(lg.ArgumentError, match="is not a formula"):
        m12.subs(m2=math.nan)


def test_names_are_those_that_a_formula_depends_on() -> None:
    assert m12.names == ("theta2", "l1", "r2", "m2", "I2")
    assert two_r.tau[1].names[:6] == ("theta1", "theta2", "qd1", "qdd1", "qdd2", "l1")


def test_matrices_of_the_wrong_shape_are_named() -> None:
    with pytest.raises(lg.ArgumentError, match=r"M has shape \(2, 2\) and G \(2,\)"):
        _ = two_r.M + two_r.G
    with pytest.raises(lg.ArgumentError, match="these shapes cannot be multiplied"):
        _ = two_r.M @ ["m1", "m2", 0]
    assert two_r.M != [["m1"]]
    assert sympy.Matrix([[1, 0], [0, 1]]) @ np.eye(2) is not None  # other libraries are not disturbed
    assert two_r.M @ sympy.eye(2) == two_r.M


# -- arithmetic agrees with numbers --------------------------------------------------------------------------------------

_LEAVES = ("theta1", "theta2", "sin(theta2)", "cos(theta1 + theta2)", "qd1", "l1", "m2", "sqrt(l2)", "3/7", "2.5")
_STATE: dict[str, Any] = {"q": [0.7, -1.1], "qd": [0.3, 2.0]}


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(_LEAVES))
    if draw(st.integers(0, 4)) == 0:
        return f"({draw(texts(depth - 1))})^{draw(st.integers(0, 3))}"
    return f"({draw(texts(depth - 1))} {draw(st.sampled_from('+-*'))} {draw(texts(depth - 1))})"


def _number(text: str) -> float:
    """Its value by SymPy, which shares nothing with the ring."""
    names = {"theta1": 0.7, "theta2": -1.1, "qd1": 0.3, "l1": 1.3, "l2": 0.8, "m2": 12.456}
    return float(sympy.sympify(text.replace("^", "**"), rational=True).subs(names))


@settings(max_examples=40, deadline=None)
@given(texts(), texts(), st.sampled_from("+-*/"))
def test_arithmetic_agrees_with_numbers(one: str, two: str, sign: str) -> None:
    a, b = m12.read(one), m12.read(two)
    if sign == "/" and b.is_zero:
        return
    makers = {"+": a + b, "-": a - b, "*": a * b}.get(sign) if sign != "/" else a / b
    assert makers == f"({one}) {sign} ({two})"
    x, y = _number(one), _number(two)
    if sign == "/" and abs(y) < 1e-3:
        return
    expected = {"+": x + y, "-": x - y, "*": x * y}.get(sign) if sign != "/" else x / y
    assert makers.evaluate(**_STATE, l1=1.3, l2=0.8) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_rows_are_broken_between_terms() -> None:
    """Only a term that is wider than a row is broken within its brackets, and then never between \\left( and \\right)."""
    rows = break_lines("f", r"a \, (b + c) + d \, (e + f) - g \, \Bigl(h \, \left(i + j\right) + k \, (l - m) + n + o\Bigr)", 8.0)
    assert rows == [
        r"f &= a \, (b + c)",
        r"&\quad + d \, (e + f)",
        r"&\quad - g \, \Bigl(h \, \left(i + j\right)",
        r"&\quad + k \, (l - m) + n",
        r"&\quad + o\Bigr)",
    ]
    wide = break_lines("f", r"a \, (b + c) + d \, (e + f) - g \, (h + k)", 12.0)
    assert all(row.count("(") == row.count(")") for row in wide)
    assert len(wide) == 2
