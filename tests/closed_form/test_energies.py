"""Energies link by link, L, and the equations row by row: against each other, SymPy, and the compiled energies."""

import json
from pathlib import Path

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import lagrangian as lg
from lagrangian.cli.main import app
from lagrangian.equations.derivations.kane import vector_time_derivative

NAMES = ("two_r", "furuta", "four_bar", "heavy_top", "gantry_crane", "sprung")


@pytest.fixture(scope="module")
def equations(sprung: lg.Mechanism) -> dict[str, lg.EquationsOfMotion]:
    return {name: lg.derive(sprung if name == "sprung" else lg.library(name)) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_lagranges_equations_of_the_sum_over_the_links(equations: dict[str, lg.EquationsOfMotion], name: str) -> None:
    """d/dt dL/dq' - dL/dq + F is the left side of every row, exactly: no Christoffel symbol is used here."""
    eom = equations[name]
    system, ring = eom.system, eom.system.ring
    L = sum((x.element for x in eom.kinetic_energies.values()), ring.zero)
    L = L - sum((x.element for x in eom.potential_energies.values()), ring.zero)
    assert eom.lagrangian.element == L
    for k, row in enumerate(eom.rows):
        (momentum_rate,) = vector_time_derivative(system, (ring.partial_derivative(L, f"qd{k + 1}"),))
        assert momentum_rate - ring.derivative(L, k) + eom.F[k].element == row.left.element
        assert row.left == eom.tau[k]
        assert (row.coordinate_index, row.coordinate) == (k, eom.coordinates[k])


@pytest.mark.parametrize("name", NAMES)
def test_links_add_up_and_are_written_as_they_are(equations: dict[str, lg.EquationsOfMotion], name: str) -> None:
    eom = equations[name]
    kinetic, potential = eom.kinetic_energies, eom.potential_energies
    assert sum(kinetic.values(), 0 * eom.kinetic_energy) == eom.kinetic_energy
    assert sum(potential.values(), 0 * eom.kinetic_energy) == eom.potential_energy
    formulas = [*kinetic.values(), *potential.values(), eom.kinetic_energy, eom.lagrangian, *(row.left for row in eom.rows)]
    assert all(formula.round_trips() for formula in formulas)


def test_every_part_has_its_name(equations: dict[str, lg.EquationsOfMotion]) -> None:
    eom = equations["sprung"]
    assert set(eom.kinetic_energies) == {"arm", "bob", "rotor at shoulder"}  # the weight is fixed to the bob
    assert set(eom.potential_energies) == {"arm", "bob", "spring at shoulder", "spring stay"}
    assert set(equations["heavy_top"].kinetic_energies) == {"top"}  # and no link between the axes of its joint
    assert set(equations["gantry_crane"].kinetic_energies) == {"bridge", "trolley", "load"}  # the rope has no mass


def test_energies_are_those_that_are_compiled(equations: dict[str, lg.EquationsOfMotion]) -> None:
    eom = equations["sprung"]
    dyn = lg.compile(eom.mechanism)
    rng = np.random.default_rng(1)
    for q, qd in rng.uniform(-1, 1, (3, 2, 2)):
        assert sum(x.evaluate(q, qd) for x in eom.kinetic_energies.values()) == pytest.approx(
            dyn.kinetic_energy(q, qd), rel=1e-13
        )
        V = sum(x.evaluate(q) for x in eom.potential_energies.values())
        assert pytest.approx(dyn.potential_energy(q), rel=1e-13) == V


def _vanishes(x: sympy.Expr) -> bool:
    """With the sines of sums taken apart and s^2 = 1 - c^2."""
    x = sympy.expand(sympy.expand_trig(sympy.expand(x)))
    return (
        sympy.expand(
            x.replace(lambda e: e.is_Pow and e.exp == 2 and e.base.func is sympy.sin, lambda e: 1 - sympy.cos(*e.base.args) ** 2)
        )
        == 0
    )


def test_two_r_as_the_textbook_has_it(equations: dict[str, lg.EquationsOfMotion]) -> None:
    """Spong, Hutchinson and Vidyasagar, section 7.4: K_i = 1/2 m v.v + 1/2 I w^2, from the positions of the centres."""
    eom = equations["two_r"]
    t = sympy.Symbol("t")
    q1, q2 = (sympy.Function(name)(t) for name in eom.coordinates)
    p = {name: sympy.Symbol(name) for name in ("m1", "m2", "l1", "r1", "r2", "I1", "I2", "g")}
    first = p["r1"] * sympy.Matrix([sympy.cos(q1), sympy.sin(q1)])
    second = p["l1"] / p["r1"] * first + p["r2"] * sympy.Matrix([sympy.cos(q1 + q2), sympy.sin(q1 + q2)])
    for k, (at, rate) in enumerate(((first, q1.diff(t)), (second, (q1 + q2).diff(t))), 1):
        v = at.diff(t)
        expected = p[f"m{k}"] * v.dot(v) / 2 + p[f"I{k}"] * rate**2 / 2
        assert _vanishes(eom.kinetic_energies[f"link{k}"].to_sympy(dynamic=True) - expected)
        height = p[f"m{k}"] * p["g"] * at[1]
        assert _vanishes(eom.potential_energies[f"link{k}"].to_sympy(dynamic=True) - height)
    assert str(eom.rows[1]) == "(m2*(r2^2 + l1*r2*c2) + I2)*qdd1 + (m2*r2^2 + I2)*qdd2 + m2*l1*r2*s2*qd1^2 + m2*r2*g*c12 = tau2"
    assert "I2*(qd1 + qd2)^2/2" in str(eom.kinetic_energies["link2"])


def test_sympy_has_the_whole_equations(equations: dict[str, lg.EquationsOfMotion]) -> None:
    actual = equations["four_bar"].to_sympy()
    assert actual["L"] == actual["K"] - actual["V"] or sympy.simplify(actual["L"] - actual["K"] + actual["V"]) == 0
    tau, force = sympy.Matrix(sympy.symbols("tau1:4")), sympy.Matrix(sympy.symbols("lambda1:3"))
    right = tau + actual["Psi"].T * force
    for k, row in enumerate(actual["rows"]):
        assert sympy.simplify(row.lhs - actual["tau"][k]) == 0
        assert sympy.simplify(row.rhs - right[k]) == 0


def test_they_are_shown_typeset_and_saved(equations: dict[str, lg.EquationsOfMotion], tmp_path: Path) -> None:
    eom = equations["four_bar"]
    shown = " ".join(eom.text().split())
    assert "Energies L = K - V" in shown
    assert "K of crank = m₁ l₁² θ₁'²/6" in shown
    assert "m₃ l₃² φ₃''/3 + m₃ l₃ g c₃/2 = τ₃ + l₃ s₃ λ₁ - l₃ c₃ λ₂" in shown
    latex = eom.latex()
    assert r"K_{\mathrm{crank}} &=" in latex
    assert r"= \tau_{3} + l_{3} \, s_{3} \, \lambda_{1} - l_{3} \, c_{3} \, \lambda_{2}" in latex
    eom.save(tmp_path / "a.md")
    assert r"= \tau_{3}" in (tmp_path / "a.md").read_text()
    row = eom.rows[2]
    assert row.latex().endswith(r"= \tau_{3} + l_{3} \, s_{3} \, \lambda_{1} - l_{3} \, c_{3} \, \lambda_{2}")
    assert row.unicode().endswith("= τ₃ + l₃ s₃ λ₁ - l₃ c₃ λ₂")
    data = json.loads(CliRunner().invoke(app, ["derive", "four_bar", "--json"]).output)
    rows = next(section for section in data["sections"] if section["key"] == "rows")["lines"]
    assert [x["text"] for x in rows] == [[str(x)] for x in eom.rows]


def test_base_parameters_belong_to_several_links() -> None:
    """Of grouped equations, energies per link stay in the links' own parameters; the sums are written in base parameters."""
    plain = lg.derive(lg.library("two_r"), symbols="inertial")
    grouped = plain.in_base_parameters()
    assert grouped.kinetic_energies["link1"].element == plain.kinetic_energies["link1"].element
    assert "Izz1R" in str(grouped.kinetic_energy)
    assert "K of" not in grouped.text()
    assert "L = " in grouped.text()
    q, qd = [0.3, -0.8], [1.0, 2.0]
    total = sum(x.evaluate(q, qd) for x in grouped.kinetic_energies.values())
    assert total == pytest.approx(grouped.kinetic_energy.evaluate(q, qd), rel=1e-13)


def test_long_ones_are_printed_when_requested(
    monkeypatch: pytest.MonkeyPatch, equations: dict[str, lg.EquationsOfMotion]
) -> None:
    monkeypatch.setattr("lagrangian.closed_form.sections.MAX_REPEATED_TERMS", 3)
    eom = equations["two_r"]
    assert "not printed" in eom.text()
    assert "= τ₁" not in eom.text()
    assert "= τ₁" in eom.text(full=True)
