"""Loops and other constraints inside certificates: what is proved, of every type, and what is left out and said."""

from __future__ import annotations

import pytest

import lagrangian as lg
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.single_coordinate import with_single_coordinates
from lagrangian.proof import prove as proofs
from lagrangian.proof.certificate import Statement, decide
from tests.kernels.rows import expression, with_equations
from tests.mechanisms import random_mechanism, two_chains

OF_CONSTRAINTS = ("Psi", "loops", "multipliers")


def of_constraints(mechanism: lg.Mechanism, points: int = 1) -> tuple[list[Statement], list[str]]:
    """The statements about constraints, and what is left out."""
    claims, left_out = proofs.claims(SymbolicSystem(with_single_coordinates(mechanism)), points=points)
    chosen = [claim for claim in claims if any(word in claim.what for word in OF_CONSTRAINTS)]
    return [decide(claim.what, claim.how, claim.entries) for claim in chosen], left_out


def proved_statements(mechanism: lg.Mechanism) -> list[str]:
    statements, _ = of_constraints(mechanism)
    for statement in statements:
        assert statement, (statement.what, statement.problem, statement.differs[:3])
    return [statement.what for statement in statements]


SLOPES = "Psi = d closure / dq"
FORCES = "loops: zero when closed, lambda acts on a"
RATES = "Psi' q' = d/dt (Psi q') at steady speeds"
SHIPPED = "compiled: {}, Psi, Psi' q' + phi'"
SOLVED = "compiled: accelerations, multipliers"


@pytest.mark.parametrize(
    ("name", "statements"),
    [
        ("four_bar", [SLOPES, RATES, FORCES, SHIPPED.format("loops"), SOLVED]),
        ("wire_particles", [SLOPES, RATES, FORCES, SHIPPED.format("loops"), SOLVED]),
        ("rolling_disc", [SLOPES, RATES, SHIPPED.format("constraints"), SOLVED]),
        ("chaplygin_sleigh", [RATES, SHIPPED.format("constraints"), SOLVED]),
    ],
)
def test_constraints_of_the_library(name: str, statements: list[str]) -> None:
    assert proved_statements(lg.library(name)) == statements


def test_the_certificate_says_what_was_proved_and_how() -> None:
    certificate = lg.derive(lg.library("four_bar")).prove()
    assert certificate
    assert certificate.left_out == ()
    assert "2 constraint equations" in certificate.about
    how = {statement.what: statement.how for statement in certificate.statements}
    assert how[SHIPPED.format("loops")] == how[SLOPES] == "as polynomials"
    assert how[SOLVED] == "at 3 exact points"


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_every_loop_type(kind: str) -> None:
    actual = proved_statements(two_chains(["revolute", "prismatic"], ["revolute", "revolute"], kind))
    assert FORCES in actual
    assert SHIPPED.format("loops") in actual


def rolling_mechanism(*constraints: lg.RollingConstraint | lg.KnifeEdgeConstraint) -> lg.Mechanism:
    table = lg.Joint("table", "revolute", "ground", "plate", axis="x", actuated=False)
    bodies = [lg.Body("plate", 2.0, (0.1, 0, 0), (0.2, 0.3, 0.4)), lg.Body("ball", 1.0, inertia=(0.1, 0.2, 0.1))]
    joints = [table, lg.Joint("ball", "free", "ground", "ball", actuated=False)]
    return lg.Mechanism("rolled", bodies, joints, constraints=constraints)


ON_PLATE = {"on": "plate", "point": (0, 0, 0.1), "normal": (0.36, 0.48, 0.8)}


@pytest.mark.parametrize(
    "constraint",
    [
        lg.RollingConstraint("sphere", "ball", 0.3),
        lg.RollingConstraint("sphere", "ball", 0.3, center=(0.1, 0.02, 0), **ON_PLATE),
        lg.RollingConstraint("disc", "ball", 0.3, axis="z"),
        lg.RollingConstraint("disc", "ball", 0.3, center=(0.1, 0, 0), axis="y", on="plate", point=(0, 0, 0.1)),
        lg.KnifeEdgeConstraint("blade", "ball", (0, 1, 0), (0.3, 0.1, 0)),
    ],
    ids=["sphere", "sphere on a plate", "disc lying flat", "disc on a plate", "knife edge"],
)
def test_rolling_and_sliding(constraint: lg.RollingConstraint | lg.KnifeEdgeConstraint) -> None:
    proved_statements(rolling_mechanism(constraint))


EXPRESSIONS = (
    "sin(j0)*cos(2*j1) - tan(j0/3)",
    "sqrt(1 + j0*j0) - exp(-j0*j1/4)",
    "log(2 + j0*j0)*tanh(j1 - j0)",
    "j0^18/1000 - 1/j1 + j0/(2 + sin(j1))",
    "j0 - 0.3*sin(2*t) + 0.2*sin(t)",
    "j0*j1 - exp(-2*t)/(1 + t^2)",
)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_equations_of_coordinates_and_time(text: str) -> None:
    proved_statements(with_equations(random_mechanism(["revolute", "prismatic"], 1, chain=True), text))


def test_pfaffian_forms() -> None:
    small = random_mechanism(["revolute", "prismatic", "helical"], 2, chain=True)
    w = lg.parameter("w", 2.0)
    values = (("j0", expression(small, "1 + j1^2*cos(2*t)")), ("j2", expression(small, "sin(j0 - t)*tanh(j2)")))
    phi = 0.4 * lg.model.expression.call("sin", w * expression(small, "t"))
    assert SOLVED in proved_statements(small.replace(constraints=[lg.PfaffianConstraint("p", values, phi)]))


# -- what is left out is said ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["abs(j0) - j1", "j1 - t^(1/3)", "atan2(j0, j1) - 0.2"])
def test_functions_without_exact_values_are_left_out(text: str) -> None:
    statements, left_out = of_constraints(with_equations(random_mechanism(["revolute", "prismatic"], 1, chain=True), text))
    assert all(statements)
    assert SOLVED not in [statement.what for statement in statements]
    assert any("the compiled equation of constraint 'e0'" in what for what in left_out)


def test_a_loop_type_that_says_no_forces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(LOOP_TYPES["distance"]), "multiplier_wrenches", LoopType.multiplier_wrenches)
    statements, left_out = of_constraints(lg.library("wire_particles"))
    assert all(statements)
    assert (
        "the meaning of the multipliers of loop 'wire', because its type 'distance' does not define `multiplier_wrenches`"
        in left_out
    )


def test_dependent_constraints_have_no_single_multipliers() -> None:
    mechanism = lg.library("wire_particles")
    twice = mechanism.replace(loops=(mechanism.loops[0], lg.LoopJoint("again", "distance", "particle1", "particle2", length=1.0)))
    statements, left_out = of_constraints(twice)
    assert all(statements)
    assert any("the constraints depend on each other" in what for what in left_out)


# -- what is wrong is found ------------------------------------------------------------------------------------------


def test_a_wrong_row_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from lagrangian.equations import constraints

    original = constraints.constraint_equations

    def wrong(system: SymbolicSystem) -> list[constraints.ConstraintEquation]:
        first, *others = original(system)
        return [constraints.ConstraintEquation(first.name, first.eta, tuple(-x for x in first.psi), first.phi), *others]

    monkeypatch.setattr(constraints, "constraint_equations", wrong)
    statements, _ = of_constraints(lg.library("four_bar"))
    failed = {statement.what: statement for statement in statements if not statement}
    assert "Psi of closure.x, entry 1" in failed[SLOPES].differs[0]
    assert SHIPPED.format("loops") in failed
    assert SOLVED in failed


def test_points_modulo_a_prime_take_the_wheels_own_root() -> None:
    """The front wheel's height has no rational value; modulo a prime neither root is positive, and both ways must take one."""
    statements, _ = of_constraints(lg.library("bicycle"), points=3)
    assert all(statements)
    assert statements[-1].how == "at 3 points modulo a prime"
