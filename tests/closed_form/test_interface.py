"""How the equations are asked for and shown: choices, errors, cost, progress, documents, notebooks."""

from __future__ import annotations

import math
import pickle
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.closed_form import cost


def spatial(n: int) -> lg.Mechanism:
    """n joints, each axis across the last."""
    rows = [
        lg.DHParameters("R", a=0.1 + 0.01 * i, d=0.2, alpha=(-1) ** i * math.pi / 2, mass=1, center=(0.1, 0.02, 0.03))
        for i in range(n)
    ]
    return lg.Mechanism.from_dh(rows, convention="standard", name=f"spatial{n}")


# -- cost --------------------------------------------------------------------------------------------------------------


def test_what_is_too_large_says_what_it_would_cost_before_it_starts() -> None:
    for symbols in ("given", "inertial"):
        with pytest.raises(lg.CostLimitError) as caught:
            lg.derive(spatial(20), symbols=symbols)
        words = str(caught.value)
        assert "the closed form of 20 joints would take" in words
        assert "memory" in words
        assert "limit=None" in words


def test_very_many_joints_are_refused_from_the_first_of_them() -> None:
    """What is made for all of a thousand would take half a minute, to say the same."""
    rows = [lg.DHParameters("R", a=1, mass=1, center=(-0.5, 0, 0)) for _ in range(1000)]
    chain = lg.Mechanism.from_dh(rows, convention="standard", name="chain", gravity=(0, -9.81, 0))
    started = time.process_time()
    with pytest.raises(lg.CostLimitError, match="of 1000 joints would take more than a lifetime, and more memory than there is"):
        lg.derive(chain)
    assert time.process_time() - started < 10


def test_the_limit_is_the_users() -> None:
    with pytest.raises(lg.CostLimitError, match="the limit is 0 s"):
        lg.derive(spatial(9), limit=0.0)
    assert lg.derive(spatial(6), limit=0.0).n == 6  # small ones are not even asked about


def test_progress_is_reported_and_can_stop_it() -> None:
    messages: list[tuple[float, float]] = []
    lg.derive(lg.library("puma560"), progress=lambda done, total: messages.append((done, total)))
    assert messages == sorted(messages)
    assert {int(done) for done, _ in messages} == {0, 1, 2, 3}  # velocities, mass matrix, Christoffel symbols, done
    assert messages[-1] == (3, 3)
    proved: list[tuple[float, float]] = []
    lg.derive("pendulum").prove(progress=lambda done, total: proved.append((done, total)))
    assert proved == sorted(proved)
    assert proved[-1] == (1, 1)

    def stop(done: float, total: float) -> None:
        if done > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lg.derive(lg.library("puma560"), progress=stop)


def test_long_derivations_say_so_on_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = cost.TerminalProgress("arm", cost.Forecast(100.0, 1e7, 2e9))
    assert "arm: about 100 s, 1.0e7 terms, 2 GB of memory; Ctrl-C stops it" in capsys.readouterr().err
    shown.started -= 30
    shown.last_print -= 30
    shown("mass matrix", 0.4)
    assert "mass matrix, 40 %, 30 s" in capsys.readouterr().err
    quick = cost.TerminalProgress("arm", None)
    quick("mass matrix", 0.4)
    assert capsys.readouterr().err == ""


def test_planar_chains_are_not_feared() -> None:
    """Twelve parallel axes: absolute angles keep the polynomials small, and the forecast knows."""
    rows = [lg.DHParameters("R", a=1, mass=1, center=(-0.5, 0, 0)) for _ in range(12)]
    eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard", name="planar"))
    assert str(eom.M[10, 11]) == "(2*c_12 + 1)/4"


# -- asking ------------------------------------------------------------------------------------------------------------


def test_wrong_questions_get_right_answers() -> None:
    with pytest.raises(lg.ArgumentError, match="a name of the library is needed, not int"):
        lg.derive(3)  # type: ignore[arg-type]
    with pytest.raises(lg.ArgumentError, match="Did you mean 'inertial'"):
        lg.derive(lg.library("two_r"), symbols="inertia")
    eom = lg.derive(lg.library("two_r"))
    with pytest.raises(lg.ArgumentError, match="indices run from 0 to 1; 2 is out of range"):
        eom.christoffel(2, 0, 0)
    with pytest.raises(IndexError, match=r"M has shape \(2, 2\) and indices from 0"):
        _ = eom.M[2, 0]
    with pytest.raises(lg.ArgumentError, match="no name 'theta3'"):
        eom.M[0, 0].diff("theta3")
    with pytest.raises(lg.MechanismError, match="Did you mean 'tip'"):
        eom.jacobian("tipp")
    with pytest.raises(lg.ArgumentError, match="there is no parameter 'm3'"):
        eom.M.evaluate([0, 0], m3=1.0)
    with pytest.raises(lg.ArgumentError, match="q has 3 numbers; 2 are needed: theta1, theta2"):
        eom.M.evaluate([0, 0, 0])
    with pytest.raises(lg.ArgumentError, match="compile: there is no parameter 'g1'"):
        eom.compile({"g1": 1.6})
    with pytest.raises(lg.ArgumentError, match="6 directions for 2 coordinates"):
        eom.cartesian("tip")
    with pytest.raises(lg.ArgumentError, match="no direction 'vx'"):
        eom.cartesian("tip", ("vx", "vy"))
    with pytest.raises(lg.MechanismError, match="singular in every configuration"):
        eom.cartesian("tip", ("z", "y"))
    with pytest.raises(lg.ArgumentError, match="more than the 6 directions"):
        lg.derive(lg.library("lwr7")).cartesian("link7")
    with pytest.raises(lg.ArgumentError, match="belong to different equations"):
        _ = eom.M[0, 0] + lg.derive(lg.library("three_r")).M[0, 0]
    joint = lg.Joint("j", "ball", "ground", "b", friction=lg.Friction(1.0))
    rubbing = lg.Mechanism("m", (lg.Body("b", 1.0, inertia=(1, 1, 1)),), (joint,))
    with pytest.raises(lg.MechanismError, match="act along the axes of its body"):
        lg.derive(rubbing)


def test_without_masses_a_table_still_has_equations() -> None:
    """A bare DH table: symbols for every inertial parameter."""
    arm = lg.Mechanism.from_dh(
        [lg.DHParameters("R", a=1), lg.DHParameters("R", a=1)], convention="standard", gravity=(0, -9.81, 0)
    )
    eom = lg.derive(arm, symbols="inertial")
    assert "Izz2" in str(eom.in_base_parameters().M[1, 1])
    assert lg.derive(arm).M[0, 0].is_zero


def test_values_of_named_inertias() -> None:
    """With symbols for all inertial parameters the values are still the mechanism's."""
    for name in ("two_r", "five_bar", "puma560", "furuta"):
        eom, named = lg.derive(lg.library(name)), lg.derive(lg.library(name), symbols="inertial")
        q = np.linspace(0.3, 1.0, eom.n)
        assert named.M.evaluate(q) == pytest.approx(eom.M.evaluate(q), rel=1e-12)
        assert named.G.evaluate(q) == pytest.approx(eom.G.evaluate(q), rel=1e-12)


def test_near_right_angles_are_taken_as_such_and_said() -> None:
    rows = [lg.DHParameters("R", alpha=1.5708, a=0.3, mass=1), lg.DHParameters("R", a=0.2, mass=1)]
    eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard", name="rounded"))
    assert eom.notes == ("joint 'q1': an angle 4e-06 rad from a multiple of 90 degrees was taken as that multiple",)
    assert "Note: joint 'q1'" in str(eom)


def test_odd_angles_are_exact_rotations() -> None:
    """0.3 rad becomes a rational point on the circle, 30 and 45 degrees roots: proofs hold either way."""
    for alpha in (0.3, math.pi / 6, math.pi / 4, math.pi / 12, 2.0):
        rows = [lg.DHParameters("R", alpha=alpha, a=0.3, mass=1, center=(0.1, 0.2, 0.3)), lg.DHParameters("R", a=0.2, mass=1)]
        eom = lg.derive(lg.Mechanism.from_dh(rows, convention="standard"))
        assert eom.prove()
    assert "sqrt(3)" in str(lg.derive(lg.library("three_rrr")).closure)


# -- formulas ----------------------------------------------------------------------------------------------------------


def test_arithmetic_is_exact() -> None:
    eom = lg.derive(lg.library("two_r"))
    a, b = eom.M[0, 0], eom.M[0, 1]
    assert a + b - b == a
    assert a - a == 0
    assert (a * b - b * a).is_zero
    assert 2 * a == a + a
    assert a / 2 + a / 2 == a
    assert (a / b) * b == a
    assert (a / b).diff(1) == (a.diff(1) * b - a * b.diff(1)) / (b * b)
    assert a != b
    assert not (a - a)
    assert hash(a) == hash(a + 0)
    q = [0.3, 0.8]
    assert (a / b).evaluate(q) == pytest.approx(a.evaluate(q) / b.evaluate(q))
    assert a.evaluate(q, m2=0.0) == pytest.approx(12.456 * 0.773**2 + 2 * 1.042)
    with pytest.raises(ZeroDivisionError):
        _ = a / (b - b)
    assert str(a**2 / b).count("/") == 1


def test_matrices_have_entries_and_counts() -> None:
    eom = lg.derive(lg.library("two_r"))
    assert eom.M.shape == (2, 2)
    assert eom.G.shape == (2,)
    assert len(eom.M) == 2
    assert [len(row) for row in eom.M] == [2, 2]
    assert eom.M[0][1] is eom.M[0, 1]
    assert eom.Psi.shape[0] == 0
    assert eom.C.T[0, 1] == eom.C[1, 0]
    assert eom.M.map(lambda x: x + 0) == eom.M
    assert eom.M != eom.C
    assert eom.jacobian("tip").shape == (6, 2)
    assert eom.M.operator_count == sum(f.operator_count for _, f in eom.M.entries)


def test_what_a_formula_depends_on_must_be_given() -> None:
    eom = lg.derive(lg.library("two_r"))
    with pytest.raises(lg.ArgumentError, match="depends on qd2, and qd is not given"):
        eom.C.evaluate([0.1, 0.2])
    with pytest.raises(lg.ArgumentError, match="and q is not given"):
        eom.M.evaluate()
    assert eom.M[1, 1].evaluate() == pytest.approx(12.456 * 0.583**2 + 1.042)  # which depends on nothing


def test_base_parameters_have_their_groups_values() -> None:
    for name in ("puma560", "two_r", "stanford"):
        arm = lg.library(name)
        eom = lg.derive(arm, symbols="inertial")
        grouped, q = eom.in_base_parameters(), np.linspace(0.1, 0.9, eom.n)
        assert grouped.M.evaluate(q) == pytest.approx(lg.compile(arm).mass_matrix(q), rel=1e-12, abs=1e-14)
        assert grouped.G.evaluate(q) == pytest.approx(eom.gravity.evaluate(q), rel=1e-12, abs=1e-12)
        assert grouped.compile().mass_matrix(q) == pytest.approx(eom.M.evaluate(q), rel=1e-12, abs=1e-14)
    shown = lg.derive(lg.library("puma560"), symbols="inertial").in_base_parameters()
    value = shown.parameters()["Iyy5R"]
    q = [0.1] * 6
    assert shown.M[4, 4].evaluate(q, Iyy5R=value + 1) == pytest.approx(shown.M[4, 4].evaluate(q) + 1)
    assert not {"Iyy6", "m1"} & set(shown.parameters())


def test_a_name_has_one_value() -> None:
    rows = [lg.DHParameters("R", a=lg.parameter("l", x), mass=1) for x in (1.0, 2.0)]
    with pytest.raises(lg.MechanismError, match="parameter 'l' has two values, 1 and 2"):
        lg.derive(lg.Mechanism.from_dh(rows, convention="standard"))
    for name in ("m 1", "sin", "t", "pi", "", "1m"):
        with pytest.raises(lg.DescriptionError, match="a parameter cannot be called"):
            lg.parameter(name, 1.0)


def test_springs_are_typeset_and_exported(tmp_path: Path) -> None:
    """Their lengths as roots, in LaTeX and in SymPy, where they can be differentiated."""
    import sympy

    arm = lg.Mechanism(
        "stay",
        (lg.Body("arm", 1.0, (0.3, 0, 0)),),
        (lg.Joint("theta", "revolute", "ground", "arm"),),
        springs=(lg.PointSpring("s", "ground", "arm", (0, 0.4, 0), (0.3, 0, 0), 50.0, 0.35),),
    )
    eom = lg.derive(arm)
    assert r"\ell_{\mathrm{s}}" in eom.potential_energy.latex()
    assert "length(s) = sqrt(1/4 - 0.24*sin(θ))" in str(eom)
    eom.save(tmp_path / "stay.tex")
    written = (tmp_path / "stay.tex").read_text()
    assert r"$\ell_{\mathrm{s}}$: $\sqrt{" in written  # typeset, as sines and cosines are
    assert r"\subsection*{Mass matrix $M$}" in written
    assert [section.key for section in eom.sections()] == ["M", "christoffel", "G", "energies", "rows"]
    theta = sympy.Symbol("theta")
    V, G = eom.potential_energy.to_sympy(), eom.G[0].to_sympy()
    assert float((V.diff(theta) - G).subs(theta, 0.7)) == pytest.approx(0.0, abs=1e-12)


# -- showing -----------------------------------------------------------------------------------------------------------


def test_the_terminal_shows_indices_and_primes(capsys: pytest.CaptureFixture[str]) -> None:
    lg.derive(lg.library("two_r")).show()
    shown = capsys.readouterr().out
    assert "two_r: M q'' + C q' + G = tau" in shown
    assert "M₁₁ = m₁ r₁² + m₂ (l₁² + r₂² + 2 l₁ r₂ c₂) + I₁ + I₂" in shown
    assert "c₁₂ = cos(θ₁ + θ₂)" in shown
    assert "C₁₂ = -m₂ l₁ r₂ s₂ (θ₁' + θ₂')" in shown


def test_long_parts_are_named_not_printed() -> None:
    eom = lg.derive(lg.library("puma560"), symbols="inertial")
    shown = str(eom)
    assert "show(full=True) prints them" in shown
    assert "base parameters that stand for groups" in shown
    assert "<Equations of 'puma560': 6 coordinates" in repr(eom)


def test_latex_has_balanced_brackets_and_names() -> None:
    eom = lg.derive(lg.library("two_r"))
    written = eom.latex()
    assert r"M_{11} &= m_{1} \, r_{1}^{2} + m_{2} \, (l_{1}^{2} + r_{2}^{2} + 2 \, l_{1} \, r_{2} \, c_{2})" in written
    assert r"\dot{\theta}_{1}" in written
    assert r"c_{12} &= \cos(\theta_{1} + \theta_{2})" in written
    assert written.count(r"\begin{align*}") == written.count(r"\end{align*}")
    assert eom._repr_latex_().startswith("$\\displaystyle \\begin{aligned} M &= \\begin{bmatrix}")
    assert eom.M._repr_latex_().startswith("$\\displaystyle \\begin{bmatrix}")
    assert "show() prints them" in lg.derive(lg.library("puma560"), symbols="inertial")._repr_latex_()
    for text in (written, lg.derive(lg.library("puma560"), symbols="inertial").latex()):
        assert text.count("{") == text.count("}")
        assert text.count("(") == text.count(")")


def test_latex_is_to_be_pasted(tmp_path: Path) -> None:
    eom = lg.derive(lg.library("five_bar"))
    written = eom.latex()
    assert written.startswith("% five_bar: equations of motion\n" + r"\[ M(q)\,\ddot{q} + C(q, \dot{q})\,\dot{q} + G(q) = ")
    assert r"\qquad q = (q_{1},\ q_{2},\ \phi_{3},\ \phi_{4}) \]" in written
    assert r"\lambda = -(\Psi M^{-1} \Psi^{T})^{-1}" in written
    assert "% with " in written
    assert "l1 = " in written
    eom.save(tmp_path / "part.tex", document=False)
    assert (tmp_path / "part.tex").read_text() == written + "\n"
    with pytest.raises(lg.ArgumentError, match=r"is not a \.tex file; document=False writes LaTeX"):
        eom.save(tmp_path / "part.md", document=False)
    columns = eom.latex(width=15)
    assert columns.count(r"\quad") > written.count(r"\quad")
    unbroken = [latex.replace(" \\\\\n&\\quad ", " ") for latex in (columns, written)]
    assert unbroken[0] == unbroken[1]


def test_titles_are_typeset(tmp_path: Path) -> None:
    eom = lg.derive(lg.library("five_bar"))
    eom.save(tmp_path / "a.tex")
    written = (tmp_path / "a.tex").read_text()
    for title in (
        r"Christoffel symbols $\Gamma_{ijk} = \Gamma_{ikj}$ that are not zero",
        r"Coriolis matrix $C_{ij} = \sum_k \Gamma_{ijk}\,\dot{q}_k$",
        r"{$G = \partial V / \partial q$}",
        r"Mass matrix $M$",
        r"Constraint matrix $\Psi$",
    ):
        assert title in written
    assert "C\\_ij" not in written
    eom.save(tmp_path / "a.md")
    assert r"## Mass matrix $M$" in (tmp_path / "a.md").read_text()


def test_rates_have_strokes_in_text_and_dots_typeset() -> None:
    """Fonts of terminals put a dot above θ onto the index beside it."""
    door = lg.library("pendulum").replace(
        joints=[replace(lg.library("pendulum").joints[0], name="hinge", friction=lg.Friction(1))]
    )
    eom = lg.derive(door)
    assert "F₁ = hinge'" in str(eom)
    assert r"\dot{\mathit{hinge}}" in eom.latex()
    arm = lg.derive(lg.library("two_r"))
    assert "θ₁'" in str(arm)
    assert not {"\u0307", "\u0308"} & set(str(arm))
    assert r"\dot{\theta}_{1}" in arm.latex()


def test_no_joint_that_moves_is_reported() -> None:
    stone = lg.Mechanism("stone", [lg.Body("stone", 1.0)], [lg.Joint("glued", "fixed", "ground", "stone")])
    text = str(lg.derive(stone))
    assert "No joint moves" in text
    assert "Mass matrix" not in text


@pytest.mark.parametrize("name", ["two_r", "five_bar", pytest.param("puma560", marks=pytest.mark.slow)])
def test_documents_are_saved_in_every_format(name: str, tmp_path: Path) -> None:
    eom = lg.derive(lg.library(name), symbols="inertial" if name == "puma560" else "given")
    for suffix in (".tex", ".md"):
        eom.save(tmp_path / f"equations{suffix}")
        written = (tmp_path / f"equations{suffix}").read_text()
        assert f"Equations of motion of {name}".replace("_", r"\_" if suffix == ".tex" else "_") in written
        assert written.count("{") == written.count("}")
    with pytest.raises(lg.ArgumentError, match=r"use \.tex or \.md"):
        eom.save(tmp_path / "equations.docx")
    with pytest.raises(lg.ArgumentError, match="there is no folder"):
        eom.save(tmp_path / "nowhere" / "equations.md")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here")
@pytest.mark.parametrize("name", ["two_r", pytest.param("puma560", marks=pytest.mark.slow)])
def test_documents_typeset(name: str, tmp_path: Path) -> None:
    lg.derive(lg.library(name), symbols="inertial").save(tmp_path / "a.tex")
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"], cwd=tmp_path, check=True)


def test_certificate_is_plain() -> None:
    certificate = lg.derive(lg.library("two_r")).prove()
    assert certificate
    assert "Lagrange = Newton-Euler" in str(certificate)
    assert certificate.seconds > 0


def test_other_derivations_are_the_same() -> None:
    eom = lg.derive(lg.library("stanford"))
    assert list(eom.newton_euler().tau) == list(eom.tau)
    assert [row.left.element for row in eom.kane().rows] == [x.element for x in eom.tau]


def test_equations_are_pickled_by_their_mechanism() -> None:
    eom = pickle.loads(pickle.dumps(lg.derive(lg.library("two_r"))))
    assert str(eom.M[0, 1]) == "m2*(r2^2 + l1*r2*c2) + I2"


def test_import_stays_light() -> None:
    """SymPy is for export, and imported by it alone."""
    code = "import sys, lagrangian; lagrangian.derive(lagrangian.library('two_r')); print('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


@pytest.mark.parametrize("joints", [5, 7])
def test_the_limit_holds_for_few_joints_with_named_angles(joints):
    """Each link has six names for where it stands: terms grow a hundredfold with every joint."""
    bodies, chain = [], []
    for i in range(joints):
        x, y, z, roll, pitch, yaw = (lg.parameter(f"{name}{i}", 0.3) for name in ("x", "y", "z", "roll", "pitch", "yaw"))
        bodies.append(lg.Body(f"b{i}", mass=1.0, center=(0.1, 0.2, 0.3), inertia=(0.1, 0.1, 0.1)))
        at = lg.Transform.from_rpy((x, y, z), (roll, pitch, yaw))
        chain.append(lg.Joint(f"j{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}", axis="z", placement=at))
    with pytest.raises(lg.errors.CostLimitError) as caught:
        lg.derive(lg.Mechanism("chain", bodies, chain), limit=0.5)
    assert caught.value.limit == 0.5


def test_a_derivation_that_takes_longer_than_forecast_is_given_up(monkeypatch):
    monkeypatch.setattr("lagrangian.closed_form.derive.check_cost", lambda *_: None)
    monkeypatch.setattr(cost, "GRACE_SECONDS", 0.0)
    with pytest.raises(lg.errors.CostLimitError, match=r"stopped after .* the limit is 1e-06 s") as caught:
        lg.derive(lg.library("puma560"), limit=1e-6)
    assert caught.value.seconds > 1e-6
    assert lg.derive(lg.library("puma560"), limit=None).n == 6


@pytest.mark.parametrize("limit", [-1, "a", 1j, float("nan"), True])
def test_limits_that_are_none(limit):
    with pytest.raises(lg.ArgumentError, match="limit is"):
        lg.derive(lg.library("two_r"), limit=limit)
