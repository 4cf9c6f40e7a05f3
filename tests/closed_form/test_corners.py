"""Corners: names that collide, functions of coordinates, values put in later, mechanisms without joints, rough angles."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.equations import energies, kinematics
from lagrangian.model.expression import call, symbol


def slide_and_turn(coefficient: object, name: str = "held") -> lg.Mechanism:
    """A slide x with an arm theta on it, and one constraint on the slide's speed."""
    bodies = (lg.Body("slide", 1.0), lg.Body("arm", 1.0, (0.3, 0, 0)))
    joints = (lg.Joint("x", "prismatic", "ground", "slide", axis=(1, 0, 0)), lg.Joint("theta", "revolute", "slide", "arm"))
    return lg.Mechanism(
        "driven", bodies, joints, constraints=(lg.PfaffianConstraint(name, (("x", coefficient), ("theta", 1)), 0),)
    )


X = symbol("x")


@pytest.mark.parametrize(
    ("coefficient", "function"),
    [
        (call("^", X, lg.parameter("n", 2.5)), lambda x: x**2.5),
        (call("^", X, 0.3), lambda x: x**0.3),
        (call("^", X, -0.5), lambda x: x**-0.5),
        (call("^", X, call("sin", X)), lambda x: x ** math.sin(x)),
        (call("log", X) / X, lambda x: math.log(x) / x),
        (call("atan2", X, 2.0), lambda x: math.atan2(x, 2.0)),
        (call("sqrt", 1 + X * X) ** 3, lambda x: (1 + x * x) ** 1.5),
    ],
)
def test_functions_of_coordinates(coefficient: object, function: object) -> None:
    """They and their rates are found, and the search for generators ends."""
    eom = lg.derive(slide_and_turn(coefficient))
    q, qd, h = np.array([0.7, 0.2]), np.array([0.9, 0.1]), 1e-6
    assert eom.Psi.evaluate(q)[0, 0] == pytest.approx(function(0.7))
    rate = (function(0.7 + h * 0.9) - function(0.7 - h * 0.9)) / (2 * h)
    assert eom.Psi_dot.evaluate(q, qd)[0, 0] == pytest.approx(rate, abs=1e-8)


def test_compiled_code_is_the_mechanisms_own() -> None:
    """Values inside functions and lengths are part of what is compiled, and of what tells it apart."""
    for a in (1.0, 2.0):
        root = call("sqrt", lg.parameter("a", a) ** 2 + X * X)
        eom = lg.derive(slide_and_turn(root))
        assert eom.compile().constraint_jacobian([0.5, 0.0])[0, 0] == pytest.approx(math.hypot(a, 0.5))
        assert eom.compile({"a": 3.0}).constraint_jacobian([0.5, 0.0])[0, 0] == pytest.approx(math.hypot(3.0, 0.5))
    for a, b in ((1.0, 2.0), (0.5, 4.0)):
        arm = lg.Mechanism(
            "damped",
            (lg.Body("b", 1.0, (0.2, 0, 0)),),
            (lg.Joint("theta", "revolute", "ground", "b"),),
            springs=(lg.PointSpring("s", "ground", "b", (a, 0, 0), (b, 0, 0), damping=1.0),),
        )
        want = lg.compile(arm).friction([1.0], q=[0.7])
        assert lg.derive(arm).compile().friction([1.0], [0.7]) == pytest.approx(want, rel=1e-12)
    inverse = lg.derive(slide_and_turn(1 / call("sin", X)))
    assert inverse.compile().constraint_jacobian([0.5, 0.0])[0, 0] == pytest.approx(1 / math.sin(0.5))
    with pytest.raises(lg.ArgumentError, match="log of coordinates"):
        lg.derive(slide_and_turn(call("log", X))).compile().constraint_jacobian([0.5, 0.0])


def test_parameters_keep_their_names() -> None:
    """c2 as a length, sgn1 as a mass, c1 as friction: the sines, cosines and signs give way."""
    c2, c1, sgn1 = lg.parameter("c2", 0.5), lg.parameter("c1", 0.3), lg.parameter("sgn1", 1.5)
    rows = [
        lg.DHParameters("R", a=1.0, mass=sgn1, friction=lg.Friction(c1, 0.2)),
        lg.DHParameters("R", a=1.0, mass=1.0, center=(c2, 0, 0)),
    ]
    arm = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -9.81, 0))
    eom, dyn = lg.derive(arm), lg.compile(arm)
    assert all(formula.round_trips() for matrix in (eom.M, eom.G, eom.F) for _, formula in matrix.entries)
    q, qd, qdd = [0.3, 0.4], [-1.0, 2.0], [0.5, 0.6]
    assert eom.tau.evaluate(q, qd, qdd) == pytest.approx(dyn.inverse_dynamics(q, qd, qdd), rel=1e-13)
    assert eom.F.evaluate(q, qd, c1=0.0)[0] == pytest.approx(-0.2)
    length = lg.parameter("Izz1R", 0.7)
    grouped = lg.derive(
        lg.Mechanism.from_dh([lg.DHParameters("R", a=length, mass=1), lg.DHParameters("R", a=1, mass=1)], convention="standard"),
        symbols="inertial",
    ).in_base_parameters()
    assert all(formula.round_trips() for _, formula in grouped.M.entries)


def test_frames_made_later_may_not_bring_new_names() -> None:
    eom = lg.derive(lg.library("two_r"))
    frame = lg.Frame("tool", "link2", lg.Transform(position=(lg.parameter("dd", 0.1), 0, 0)))
    with pytest.raises(lg.MechanismError, match="'dd' is not in these equations"):
        eom.pose(frame)
    known = lg.Frame("tool", "link2", lg.Transform(position=(lg.parameter("l2", 1.0), 0, 0)))
    assert eom.pose(known) == eom.pose("tip")


def test_names_with_the_value_zero_stay() -> None:
    fc, k = lg.parameter("fc", 0.0), lg.parameter("k", 0.0)
    joint = lg.Joint("q", "revolute", "ground", "b", friction=lg.Friction(0, fc), spring=lg.JointSpring(k, 0.1))
    eom = lg.derive(lg.Mechanism("m", (lg.Body("b", 1.0, (0.1, 0, 0)),), (joint,), gravity=(0, 0, 0)))
    assert str(eom.F[0]) == "fc*sign(qd_q)"
    assert eom.G.evaluate([0.3], k=5.0) == pytest.approx([1.0])


def test_without_joints() -> None:
    fixed = lg.Mechanism("still", (lg.Body("b", 1.0),), (lg.Joint("j", "fixed", "ground", "b"),))
    eom = lg.derive(fixed)
    assert eom.M.evaluate().shape == (0, 0)
    assert "still" in str(eom)
    with pytest.raises(lg.MechanismError, match="no joint that moves"):
        eom.prove()
    assert lg.derive(lg.library("two_r")).Psi.evaluate([0, 0]).size == 0


def test_reduction_needs_enough_independent_coordinates() -> None:
    mechanism = lg.library("five_bar")
    with pytest.raises(lg.MechanismError, match="2 independent ones are needed, not 0"):
        lg.derive(mechanism).in_independent_coordinates([])
    with pytest.raises(lg.ArgumentError, match=r"q0 is .*4 finite numbers are needed"):
        lg.derive(mechanism).in_independent_coordinates(q0=[math.nan] * 4)


@pytest.mark.parametrize("name", ["viscous_friction_forces", "joint_spring_potential", "jacobian", "frame_pose"])
def test_the_proof_is_about_what_is_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong sign in friction, springs, Jacobians or poses is caught."""
    joint = lg.Joint("q", "revolute", "ground", "b", friction=lg.Friction(0.3), spring=lg.JointSpring(2.0, 0.1))
    eom = lg.derive(lg.Mechanism("m", (lg.Body("b", 1.0, (0.1, 0, 0)),), (joint,)))
    assert eom.prove()
    module = energies if hasattr(energies, name) else kinematics
    right = getattr(module, name)

    def wrong(*arguments: object) -> object:
        actual = right(*arguments)
        if name == "frame_pose":
            link, pose = actual
            return link, type(pose)(tuple(tuple(-x for x in row) for row in pose.R), pose.p)
        if name == "jacobian":
            return [[-x for x in row] for row in actual]
        return [-x for x in actual] if isinstance(actual, list) else -actual

    monkeypatch.setattr(module, name, wrong)
    assert not eom.prove()


def test_friction_in_cartesian_space() -> None:
    rows = [lg.DHParameters("R", a=1.0, mass=1.0, friction=lg.Friction(0.4)) for _ in range(2)]
    arm = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -9.81, 0), name="rubs")
    eom = lg.derive(arm)
    x = eom.cartesian("link2", ("x", "y"))
    q, qd, qdd = [0.4, 1.1], np.array([0.7, -1.3]), np.array([0.2, 0.9])
    J = eom.jacobian("link2").evaluate(q)[3:5]
    Jd = sum(eom.jacobian("link2").diff(k).evaluate(q)[3:5] * qd[k] for k in range(2))
    force = x.M_x.evaluate(q) @ (J @ qdd + Jd @ qd) + x.C_x.evaluate(q, qd) + x.G_x.evaluate(q) + x.F_x.evaluate(q, qd)
    assert J.T @ force == pytest.approx(lg.compile(arm).inverse_dynamics(q, qd, qdd), rel=1e-12)


@pytest.mark.slow
def test_few_odd_twists_keep_their_names() -> None:
    """One angle of 0.7 rad in six joints is one constant, not a fraction of a hundred digits in every product."""
    rows = [lg.DHParameters("R", a=0.1, alpha=0.7 * (-1) ** i, mass=1, center=(0.05, 0, 0)) for i in range(6)]
    arm = lg.Mechanism.from_dh(rows, convention="standard", name="odd")
    eom = lg.derive(arm)
    assert "cos(0.7)" in str(eom.M[0, 1])
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    assert eom.M.evaluate(q) == pytest.approx(lg.compile(arm).mass_matrix(q), rel=1e-12)
    assert eom.tau[0].evaluate(q, qd, qdd) == pytest.approx(lg.compile(arm).inverse_dynamics(q, qd, qdd)[0], rel=1e-11)


def test_documents_of_awkward_names(tmp_path: Path) -> None:
    arm = lg.Mechanism(
        "100%_sure",
        (lg.Body("b", 1.0, (0.2, 0, 0)),),
        (lg.Joint("theta", "revolute", "ground", "b"),),
        springs=(lg.PointSpring("s_1%", "ground", "b", (1, 0, 0), (0.5, 0, 0), 3.0, 0.2),),
        description=r"An angle \theta, that is θ, of 50 % ≤ 1 {really}",
    )
    lg.derive(arm).save(tmp_path / "a.tex")
    written = (tmp_path / "a.tex").read_text()
    assert r"\ell_{\mathrm{s 1 }}" in written
    assert r"\textbackslash{}theta, that is $\theta$, of 50 \% ? 1 \{really\}" in written


def test_grouped_equations_are_pickled_as_such() -> None:
    eom = pickle.loads(pickle.dumps(lg.derive(lg.library("two_r"), symbols="inertial").in_base_parameters()))
    assert "hx1R" in eom.parameters()
