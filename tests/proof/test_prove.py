"""Certificates: of the library, of trees of all kinds; and what they say when something is wrong or cannot be proved."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms import tree as trees
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model.expression import parameter, parse
from lagrangian.model.placement import rotation_x
from lagrangian.model.single_coordinate import with_single_coordinates
from lagrangian.proof import prove as proofs
from lagrangian.proof.certificate import Certificate, decide
from lagrangian.proof.points import PRIME, ExactPoint, NoPointError
from lagrangian.proof.prove import derive, prove
from lagrangian.proof.shipped import exact_tree
from tests.mechanisms import MARKED
from tests.proof.trees import named_twist, tree

LARGE = ("panda", "lwr7")

TREES = {
    "chain": tree(["revolute", "helical", "prismatic", "revolute"], 5, chain=True, passive=True),
    "branches": tree(["revolute", "prismatic", "revolute", "helical"], 7, passive=True),
    "universal, planar": tree(["universal", "planar"], 5),
    "ball": tree(["ball", "prismatic"], 5),
    "free": tree(["free", "revolute"], 6),
    "fixed": tree(["fixed", "revolute", "fixed", "fixed", "prismatic"], 2, chain=True),
    "odd angle": tree(["revolute", "revolute", "helical"], 5, angle=0.4),
    "60 degrees": tree(["helical", "revolute"], 3, angle=np.pi / 3, chain=True),
    "named angle": tree(["revolute", "prismatic"], 5, angle=parameter("twist", 0.4), chain=True),
    "named gravity": tree(["revolute", "prismatic"], 4, gravity=(parameter("gx", 1.0), 0, parameter("gz", -9.0))),
    "named twists": named_twist(),
}


@pytest.mark.parametrize("symbols", ["given", "inertial"])
@pytest.mark.parametrize("name", [given for given in MARKED if given not in LARGE and given != "stewart"])
def test_equations_of_the_library_are_proved(name: str, symbols: str) -> None:
    certificate = prove(SymbolicSystem(with_single_coordinates(lg.library(name)), symbols), points=1)
    assert certificate, certificate


@pytest.mark.slow
@pytest.mark.parametrize("symbols", ["given", "inertial"])
def test_stewart_platform(symbols: str) -> None:
    """Its six loops make the longest proof of the library."""
    test_equations_of_the_library_are_proved("stewart", symbols)


@pytest.mark.parametrize("name", LARGE)
def test_large_arms(name: str) -> None:
    certificate = prove(SymbolicSystem(lg.library(name), "all"), points=1)
    assert certificate, certificate


@pytest.mark.parametrize("symbols", ["given", "inertial", "all"])
@pytest.mark.parametrize("name", TREES)
def test_equations_of_trees_are_proved(name: str, symbols: str) -> None:
    certificate = prove(SymbolicSystem(TREES[name], symbols), points=1)
    assert certificate, certificate


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types = rng.choice(["revolute", "prismatic", "helical", "fixed"], size=4).tolist()
    certificate = prove(SymbolicSystem(tree(["revolute", *types], 100 + seed, passive=True), "inertial"), points=1)
    assert certificate, certificate


def test_a_puma_takes_about_half_a_second() -> None:
    system = SymbolicSystem(lg.library("puma560"), "inertial")
    start = process_time()
    certificate = prove(system)
    assert certificate
    assert process_time() - start < 2.0
    assert certificate.seconds > 0


def test_progress_names_each_statement() -> None:
    messages: list[tuple[str, float]] = []
    prove(SymbolicSystem(lg.library("pendulum")), progress=lambda what, done: messages.append((what, done)))
    assert [done for _, done in messages] == sorted(done for _, done in messages)
    assert messages[-1] == ("proved", 1.0)
    assert any("Kane" in what for what, _ in messages)


# -- the exact tree is the tree that ships -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "panda", "three_rrr", "geared_link"])
def test_exact_tree_has_the_values_of_the_shipped_one(name: str) -> None:
    from lagrangian.equations.algebra.numbers import evaluate_element

    system = SymbolicSystem(lg.library(name))
    exact, shipped = exact_tree(system), trees.build_tree(lg.library(name))
    for key, array in shipped.constants.items():
        if not key.startswith("coulomb"):
            actual = [float(evaluate_element(system.ring(x))) for x in exact.constants[key].ravel()]
            np.testing.assert_allclose(actual, array.ravel(), atol=1e-12, err_msg=key)
    assert exact.exact
    assert not shipped.exact
    assert (exact.kind, exact.parent, exact.iv) == (shipped.kind, shipped.parent, shipped.iv)


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_points_satisfy_the_relations(name: str) -> None:
    system = SymbolicSystem(lg.library(name), "all")
    point = ExactPoint(system, 3)
    for symbol in system.ring.symbols:
        if symbol.kind in ("sine", "constant_sine"):
            s, c = system.generator(symbol.name), system.generator(system.scalars.cosine_name(symbol.name))
            assert point.evaluate(s) ** 2 + point.evaluate(c) ** 2 == 1


# -- certificates that fail --------------------------------------------------------------------------------------------


def test_a_wrong_entry_is_named() -> None:
    system = SymbolicSystem(lg.library("two_r"))
    derived = derive(system)
    M = [list(row) for row in derived.M]
    M[0][1] = M[1][0] = M[0][1] + system.generator("c12")
    certificate = prove(system, replace(derived, M=M))
    assert not certificate
    assert not certificate.proved
    failed = {statement.what: statement for statement in certificate.failed}
    assert "M is symmetric" not in failed
    assert [entry.split(":")[0] for entry in failed["compiled: mass matrix"].differs] == ["M[1, 2]", "M[2, 1]"]
    assert "differs by 1 term, -1*c12" in failed["compiled: mass matrix"].differs[0]
    text = str(certificate)
    assert "NOT proved" in text
    assert "FALSE" in text
    assert "M[1, 2]: differs by 1 term" in text


def test_an_asymmetric_matrix_is_not_symmetric() -> None:
    system = SymbolicSystem(lg.library("two_r"))
    derived = derive(system)
    M = [list(row) for row in derived.M]
    M[0][1] = M[0][1] + 1
    certificate = prove(system, replace(derived, M=M))
    assert "M is symmetric" in {statement.what for statement in certificate.failed}


def test_what_cannot_be_computed_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(system: SymbolicSystem) -> list[object]:
        raise ZeroDivisionError("no inverse")

    monkeypatch.setattr(proofs.kane, "kane_torques", broken)
    certificate = prove(SymbolicSystem(lg.library("two_r")))
    (statement,) = certificate.failed
    assert statement.what == "Lagrange = Kane"
    assert statement.problem == "it could not be computed: ZeroDivisionError: no inverse"
    assert "COULD NOT BE DECIDED" in str(certificate)


def test_nothing_compared_is_nothing_proved() -> None:
    assert not decide("nothing", "as polynomials", lambda: ())
    assert not Certificate("nothing", ())
    assert "nothing was proved" in str(Certificate("nothing", ()))


def test_equations_of_another_system_are_refused() -> None:
    with pytest.raises(lg.ArgumentError, match="another system"):
        prove(SymbolicSystem(lg.library("two_r")), derive(SymbolicSystem(lg.library("two_r"))))


# -- what is left out is said ------------------------------------------------------------------------------------------


def left_out(mechanism: lg.Mechanism) -> str:
    certificate = prove(SymbolicSystem(mechanism), points=2)
    assert certificate, certificate
    for note in certificate.left_out:
        assert note in str(certificate)
    return "\n".join(certificate.left_out)


def test_complete_certificates_leave_nothing_out() -> None:
    assert left_out(lg.library("stanford")) == ""


def test_friction_and_springs_between_points_are_left_out() -> None:
    assert left_out(lg.library("four_bar")) == ""
    assert "Coulomb friction" in left_out(lg.library("puma560"))
    spring = lg.PointSpring("stay", "ground", "b1", (0.1, 0, 0), (0, 0.2, 0), stiffness=7.0, rest=0.4)
    assert "springs and dampers" in left_out(tree(["revolute", "prismatic"], 4, springs=[spring]))


def test_forward_dynamics_of_a_singular_mass_matrix_is_left_out() -> None:
    joints = [lg.Joint("p", "prismatic", "ground", "a"), lg.Joint("r", "revolute", "a", "b")]
    massless = lg.Mechanism("two", [lg.Body("a", 1.0), lg.Body("b")], joints)
    assert "forward dynamics, at all or some exact points: the mass matrix is singular" in left_out(massless)


@pytest.mark.parametrize("root", ["sqrt(2)", "sqrt(a^2 + 1)"])
def test_a_root_that_is_not_rational_has_a_value_modulo_a_prime(root: str) -> None:
    a = parameter("a", 2.0)
    body = lg.Body("b", 1.0, (parse(root, {"a": a}) if "a" in root else 0.4, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    turned = lg.Transform(rotation_x(np.pi / 4))
    joints = [lg.Joint("r", "revolute", "ground", "b", turned), lg.Joint("p", "prismatic", "b", "c", turned)]
    certificate = prove(SymbolicSystem(lg.Mechanism("root", [body, lg.Body("c", 2.0)], joints, parameters={"a": a})))
    assert certificate, certificate
    assert not certificate.left_out
    how = {statement.what: statement.how for statement in certificate.statements}
    assert how["compiled: forward dynamics, articulated"] == "at 3 points modulo a prime"


def test_points_modulo_a_prime_satisfy_the_relations() -> None:
    system = SymbolicSystem(tree(["revolute", "revolute"], 3, angle=np.pi / 3, chain=True))
    (root,) = [symbol.name for symbol in system.ring.symbols if symbol.kind == "root"]
    point = ExactPoint(system, 1, PRIME)
    assert point.evaluate(system.generator(root)) ** 2 == 3
    assert point.evaluate(system.generator("s1")) ** 2 + point.evaluate(system.generator("c1")) ** 2 == 1
    with pytest.raises(NoPointError, match="no rational value"):
        ExactPoint(system, 1)


def test_certificate_reads_well() -> None:
    text = str(prove(SymbolicSystem(lg.library("two_r"))))
    assert text.startswith("two_r, 2 coordinates, parameters as the description has them: proved: every difference is the zero")
    assert "not part of the proof" not in text
    widths = {len(line) for line in text.splitlines()[2:]}
    assert len(widths) == 1


def test_what_is_equal_at_points_is_not_called_proved() -> None:
    certificate = prove(SymbolicSystem(lg.library("two_r")))
    results = {statement.how: statement.result for statement in certificate.statements}
    assert results == {"as polynomials": "proved", "at 3 exact points": "equal"}
    assert "quantities with divisions are equal at exact points" in certificate.headline
