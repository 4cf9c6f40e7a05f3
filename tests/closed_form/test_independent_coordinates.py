"""Equations in independent coordinates are whole equations: shown, typeset, saved, compiled, run, compared."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg

WHOLE = lg.derive("five_bar")
REDUCED = WHOLE.in_independent_coordinates()


def with_joints(**changes: dict[str, object]) -> lg.Mechanism:
    """The five-bar with other springs and friction at joints, by their names."""
    m = lg.library("five_bar")
    return m.replace(joints=tuple(replace(joint, **changes.get(joint.name, {})) for joint in m.joints))


def test_the_lectures_equations() -> None:
    assert REDUCED.tau == [
        "(m1*lc1^2 + m3*lc3^2 + m4*l1^2 + I1 + I3)*q1'' + (m3*l2*lc3 - m4*l1*lc4)*(cos(q1-q2)*q2'' + sin(q1-q2)*q2'^2)"
        " + g*cos(q1)*(m1*lc1 + m3*lc3 + m4*l1)",
        "(m3*l2*lc3 - m4*l1*lc4)*(cos(q2-q1)*q1'' + sin(q2-q1)*q1'^2) + (m2*lc2^2 + m3*l2^2 + m4*lc4^2 + I2 + I4)*q2''"
        " + g*cos(q2)*(m2*lc2 + m3*l2 - m4*lc4)",
    ]
    assert REDUCED.tau.subs(m3="m4*l1*lc4/(l2*lc3)").diff("qdd2")[0] == 0  # decoupled
    L = REDUCED.lagrangian
    for k, name in enumerate(REDUCED.coordinates):
        assert L.diff(f"{name}'").diff("t") - L.diff(name) == REDUCED.tau[k]


def test_shown_typeset_saved_exported_pickled(tmp_path: Path) -> None:
    text = REDUCED.text()
    assert text.startswith("five_bar: M q'' + C q' + G = tau\nq = (q₁, q₂)")
    assert "phi4 = -q1 + q2 - pi" in text
    assert "K of link3" in text
    assert r"\phi_{3} = q_{1} - q_{2}" in REDUCED.latex()
    for ending in ("tex", "md"):
        REDUCED.save(tmp_path / f"reduced.{ending}")
        assert r"\cos(q_{1} - q_{2})" in (tmp_path / f"reduced.{ending}").read_text(encoding="utf-8")
    assert REDUCED.to_sympy()["M"] == REDUCED.M
    again = pickle.loads(pickle.dumps(REDUCED))
    assert again.text() == text
    assert REDUCED.check("G[2] = (m2*lc2 + m3*l2 - m4*lc4)*g*cos(q2)\nG1 = (m1*lc1 + m3*lc3 + m4*l1)*g*cos(q1)").right
    assert WHOLE.in_independent_coordinates(["q2", "q1"]).M[0, 0] == str(REDUCED.M[1, 1])  # in the order that is asked for


def test_springs_and_friction_of_dependent_joints_are_carried() -> None:
    """Accelerations by the reduced closed form and by the multipliers of the compiled algorithms."""
    joints = {
        "phi3": {"spring": lg.JointSpring(3.0, 0.2), "friction": lg.Friction(viscous=0.4)},
        "phi4": {"spring": lg.JointSpring(2.0, -1.0)},
        "q1": {"friction": lg.Friction(viscous=0.1)},
    }
    m = with_joints(**joints)
    eom = lg.derive(m).in_independent_coordinates()
    fast, dyn = eom.compile(), lg.compile(m)
    q, qd, tau = np.array([0.4, 1.3]), np.array([0.7, -0.4]), np.array([2.0, -1.0])
    every, rates = eom.all_coordinates(q), np.array([0.7, -0.4, 1.1, -1.1])
    qdd = dyn.forward_dynamics(every, rates, [*tau, 0.0, 0.0])
    bias = fast.inverse_dynamics(q, qd, np.zeros(2))
    assert np.linalg.solve(fast.mass_matrix(q), tau - bias) == pytest.approx(qdd[:2], rel=1e-9)
    assert eom.F == ["0.1*qd1 + 0.4*(qd1 - qd2)", "-0.4*(qd1 - qd2)"]
    assert eom.springs[0] == "3*(q1 - q2 - 0.2) - 2*(q2 - q1 - pi + 1)"
    assert eom.potential_energy.evaluate(q) == pytest.approx(dyn.potential_energy(every))
    assert eom.kinetic_energy.evaluate(q, qd) == pytest.approx(dyn.kinetic_energy(every, rates))


def test_dry_friction() -> None:
    coulomb = {"friction": lg.Friction(coulomb=0.5)}
    eom = lg.derive(with_joints(q1=coulomb)).in_independent_coordinates()
    assert eom.F == ["0.5*sgn(qd1)", 0]
    with pytest.raises(lg.MechanismError, match="Coulomb friction"):
        eom.simulate(1.0)
    with pytest.raises(lg.MechanismError, match="friction at 'phi3' follows the sign of a sum of speeds"):
        _ = lg.derive(with_joints(phi3=coulomb)).in_independent_coordinates().F


def test_the_frames_move_as_those_of_the_whole() -> None:
    q, dyn = np.array([0.4, 1.3]), lg.compile("five_bar")
    every = REDUCED.all_coordinates(q)
    assert REDUCED.pose("tip").evaluate(q) == pytest.approx(dyn.pose(every, "tip"), abs=1e-12)
    A = np.array(REDUCED.reduction.A)
    assert REDUCED.jacobian("tip").evaluate(q) == pytest.approx(dyn.jacobian(every, "tip") @ A, abs=1e-12)


def test_the_run_of_the_closed_form_is_that_of_the_multipliers() -> None:
    m = lg.library("five_bar")
    q0 = np.array(m.initial.q)
    run = REDUCED.simulate(1.0, q0[:2], [0.3, -0.2], torque=lambda t, q, qd: [np.sin(t), 0.1], t_eval=11, rtol=1e-10)
    motion = lg.simulate(m, 1.0, q0=q0, qd0=[0.3, -0.2, 0.5, -0.5], torque={"q1": "sin(t)", "q2": "0.1"}, t_eval=11, rtol=1e-11)
    assert REDUCED.all_coordinates(run.q) == pytest.approx(motion.q, abs=1e-8)
    free = lg.derive("two_r").simulate((0.0, 1.0), [-1.5, 0.7], t_eval=3)
    assert np.ptp(free.energy) < 1e-6
    with pytest.raises(lg.MechanismError, match="its coordinates are not independent"):
        WHOLE.simulate(1.0)
    with pytest.raises(lg.ArgumentError, match="q0 needs 2 finite numbers: q1, q2"):
        REDUCED.simulate(1.0, [1, 2, 3])


@pytest.mark.parametrize("t_span", [np.nan, (0.0, np.nan), (np.nan, 1.0), np.inf, (1.0, 1.0), -1.0, (0, 1, 2), "1", None])
def test_times_of_a_run_that_are_none(t_span: Any) -> None:
    with pytest.raises(
        lg.ArgumentError, match=r"t_span is .*; give an end after 0, or a start and an end|t_span is .*; real numbers"
    ):
        REDUCED.simulate(t_span)


def test_a_run_that_would_not_end_is_given_up() -> None:
    """A torque of 1e19 N m turns the arm ever faster."""
    with pytest.raises(lg.MechanismError, match=r"stopped at t = .* after 50 steps; increase max_steps"):
        REDUCED.simulate(7.0, torque=[1e19, 1.0], max_steps=50)


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("text", {"width": ".."}, "text: width is '..'; a whole number is needed"),
        ("save", {"path": [1, 2]}, "a path to a file is needed, not list"),
        ("jacobian", {"frame": "tip", "wide": 1}, "jacobian: there is no argument 'wide'"),
        ("all_coordinates", {"q": [1, 2, 3]}, r"q has shape \(3,\); \(2,\) or \(rows, 2\) is needed"),
    ],
)
def test_arguments_of_methods_are_reported(method: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(lg.ArgumentError, match=message):
        getattr(REDUCED, method)(**arguments)


@pytest.mark.parametrize("option", ["t_eval", "rtol", "atol"])
@pytest.mark.parametrize("value", [np.nan, -1, 0, "x", [0.0, np.nan], [0.5, 0.1], [2.0], [[0.0]], []])
def test_options_of_a_run_that_are_none(option: str, value: Any) -> None:
    with pytest.raises(lg.ArgumentError, match=option):
        REDUCED.simulate(1.0, **{option: value})
