"""Homework marked by proof: right lines in any form, wrong ones with what differs, hints that are exactly true."""

from __future__ import annotations

import pytest

import lagrangian as lg

EOM = lg.derive("two_r_point_masses")
RIGHT = """
M[1,1] = m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*cos(theta2))
M12 = m2*l2*(l2 + l1*cos(theta2))
M_{22} = m2*l2^2
C[1,1] = -m2*l1*l2*s2*qd2
C[1,2] = -m2 l1 l2 sin(θ₂) (θ̇₁ + θ̇₂)
C[2,1] = m2*l1*l2*sin(q2)*q1'
G(1) = (m1 + m2)*g*l1*cos(theta1)   # a comment
  + m2*g*l2*cos(theta1 + theta2)
g2 = m2*g*l2*cos(q1 + q2)
tau2 = m2*l2*(l2 + l1*cos(theta2))*qdd1 + m2*l2^2*qdd2 + m2*l1*l2*sin(theta2)*qd1^2 + m2*g*l2*c12
K = m1*l1^2*qd1^2/2 + m2*(l1^2*qd1^2 + l2^2*(qd1+qd2)^2 + 2*l1*l2*cos(theta2)*qd1*(qd1+qd2))/2
P = m1*g*l1*sin(theta1) + m2*g*(l1*sin(theta1) + l2*sin(theta1+theta2) + l1)
"""


def test_a_right_answer() -> None:
    marking = EOM.check(RIGHT + "tau[1] = " + str(EOM.tau[0]))
    assert marking.right, str(marking)
    assert "only the zero level of the potential energy differs, by m2*l1*g" in str(marking)
    assert [mark.name for mark in marking.checks][:4] == ["M[1,1]", "M[1,2]", "M[2,2]", "C[1,1]"]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("G[2] = -m2*g*l2*cos(q1+q2)", "the sign is wrong"),
        ("G[1] = (m1+m2)*g*l1*cos(q1) - m2*g*l2*cos(q1+q2)", "the term m2*l2*g*c12: the sign is wrong"),
        ("M[2,2] = m2*l2^2/2", "a factor 2 is missing"),
        ("K = m1*l1^2*qd1^2 + m2*(l1^2*qd1^2 + l2^2*(qd1+qd2)^2 + 2*l1*l2*c2*qd1*(qd1+qd2))", "a factor 1/2 is missing"),
        ("G[2] = m2*g*l2*sin(q1+q2)", "sine and cosine are exchanged"),
        ("C[1,1] = -m2*l1*l2*sin(q1)*qd2", "theta1 stands where theta2 should be"),
        ("M[1,1] = m1*l1^2 + m2*(l1^2 + l2^2)", "the term 2*m2*l1*l2*c2 is missing"),
        ("M[2,2] = m2*l2^2 + m1*l1^2", "the term m1*l1^2 should not be there"),
        ("G[2] = m2*g*l1*cos(q1+q2)", "l1 stands where l2 should be"),
        ("M[1,2] = m2*l2^2", "this is M[2,2]"),
        ("G[2] = m2*g*l2*cos(q2)", "theta2 stands where theta1 + theta2 should be"),
        ("C[1] = -m2*l1*l2*sin(q2)*(qd1*qd2 + qd2^2)", "the term -2*m2*l1*l2*s2*qd1*qd2: a factor 2 is missing"),
        ("C[2,2] = m1*qd1", "it should be zero"),
        ("M[1,2] = 3*m1^2 + l1", ""),
    ],
)
def test_wrong_lines(line: str, hint: str) -> None:
    (mark,) = EOM.check(line).checks
    assert not mark.right
    assert mark.hint == hint
    assert mark.difference is not None
    assert mark.answer - mark.difference == mark.expected


def test_another_coriolis_matrix_is_said_to_be_one() -> None:
    marks = EOM.check("C[1,1] = -2*m2*l1*l2*sin(q2)*qd2\nC[1,2] = -m2*l1*l2*sin(q2)*qd2").checks
    assert [mark.right for mark in marks] == [False, False]
    assert all("the row gives the right C q'" in mark.hint for mark in marks)


def test_missing_answers_are_listed() -> None:
    assert EOM.check("M[1,1] = 0\nC[1,2] = 0").missing == ("M[1,2]", "M[2,2]", "C[1,1]", "C[2,1]")  # C[2,2] is zero
    assert EOM.check("Gamma[1,2,1] = -m2*l1*l2*s2").missing == ("Gamma[1,2,2]", "Gamma[2,1,1]")
    assert lg.derive("five_bar").check("eta[1] = 0").missing == ("closure[2]",)
    assert EOM.check("K[2] = 0").missing == ("K[1]",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("M[1,1] = m1\nM[1,3] = 0", r"answer: line 2: M\[1,3\] does not exist; M is 2 x 2, and indices count from 1"),
        ("M[1] = 0", r"line 1: M\[1\] has 1 indices; M has 2"),
        ("\n\nfoo = 1", "line 3: there is no entry 'foo'"),
        ("G[1] = m1*(l1", r"line 1: in the expression .*'\)' is missing \(column 14\)"),
        ("G[1] = m1*bar", r"line 1: .*there is no name 'bar'.*\(column 11\)"),
        ("G[1] =", "line 1: an expression is empty"),
        ("# nothing\n", "the answer has no lines"),
        ("G[1] = 0\nhello", "line 2: 'hello' has no equals sign"),
        ("1 + 2 = 3", "line 1: '1 \\+ 2' is not the name of an entry"),
        ("G[1] = G[2] = 0", "line 1: .*has an equals sign"),
    ],
)
def test_lines_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        EOM.check(text)
